//! Tests that every lost byte of a damaged archive is counted, and that its place is reported.

use std::{fs, io::Cursor};

use trommel_archive::{ArchiveError, Damage, ReadOptions, Reader, Record, write::gzip_member};

use crate::make::*;

/// Returns `number` pages of random words, which compress as well as the pages of real archives.
fn pages(number: usize, bytes: usize) -> Vec<TestRecord> {
    let noise = noise(bytes * number);
    let mut words = noise.chunks_exact(2).map(|pair| format!("w{} ", u16::from_le_bytes([pair[0], pair[1]]) % 3000));
    (0..number)
        .map(|number| {
            let mut block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>".to_owned();
            while block.len() < bytes {
                block.push_str(&words.next().unwrap());
            }
            made("response", number, block)
        })
        .collect()
}

fn sum(errors: &[ArchiveError]) -> u64 {
    errors.iter().map(|error| damage(error).2).sum()
}

/// Asserts that each record without notes equals the one in `made`; returns the number of records without notes.
fn whole_or_noted(records: &[Record], made: &[TestRecord]) -> usize {
    let mut whole = 0;
    for record in records.iter().filter(|record| record.notes.is_empty()) {
        let number: usize = record.url().unwrap().rsplit('/').next().unwrap().parse().unwrap();
        assert_same(record, &made[number]);
        whole += 1;
    }
    whole
}

#[test]
fn zeros_in_place_of_members_are_a_hole() {
    let made = pages(40, 3000);
    let (bytes, ends) = encode(&made, GzMembers);
    let (from, to) = (ends[9], ends[29]);
    let mut hole = bytes.clone();
    hole[from..to].fill(0);
    let records = read_damaged(hole, 20, &[(Damage::Zeros, from, to - from)]);
    assert_same(&records[10], &made[30]);

    // The last members, right up to the end of the file.
    let mut tail = bytes;
    tail[from..].fill(0);
    let lost = tail.len() - from;
    read_damaged(tail, 10, &[(Damage::Zeros, from, lost)]);
}

#[test]
fn zeros_that_fill_a_block_up_are_padding() {
    let (bytes, ends) = encode(&pages(6, 3000), GzMembers);
    let mut padded = bytes[..ends[2]].to_vec();
    padded.resize(padded.len().next_multiple_of(512), 0);
    padded.extend(&bytes[ends[2]..]);
    padded.resize(padded.len().next_multiple_of(10_240), 0);
    read_damaged(padded.clone(), 6, &[]);
    // A whole block more is no filling up.
    let from = bytes.len() - ends[2] + ends[2].next_multiple_of(512);
    padded.resize(padded.len() + 10_240, 0);
    let lost = padded.len() - from;
    read_damaged(padded, 6, &[(Damage::Zeros, from, lost)]);
}

#[test]
fn a_hole_that_begins_inside_a_member_counts_whole() {
    let made = pages(400, 20_000);
    for codec in [GzMembers, GzOne, ZstFrames, ZstOne, Lz4Frames, Lz4One] {
        let (bytes, ends) = encode(&made, codec);
        for (start, length) in [(bytes.len() / 3, bytes.len() / 3), (bytes.len() / 2, 4096)] {
            let mut hole = bytes.clone();
            hole[start..start + length].fill(0);
            let (records, errors) = read(hole);
            let case = format!("{codec:?} {start}+{length}: {errors:?}");
            assert!(sum(&errors) >= length as u64, "{case}");
            let first = damage(&errors[0]).1;
            assert!(first <= (start + length) as u64, "{case}");
            let whole = whole_or_noted(&records, &made);
            if let [_, ..] = ends.as_slice() {
                let harmed =
                    ends.partition_point(|end| *end < start + length) - ends.partition_point(|end| *end <= start) + 1;
                assert_eq!(whole, made.len() - harmed, "{case}");
                // What is lost is the hole and the rest of the two members that it touches.
                assert!(sum(&errors) <= length as u64 + 30_000, "{case}");
            }
        }
    }
}

#[test]
fn members_that_damage_runs_into_are_read_and_the_rest_counts() {
    let made = pages(5, 3000);
    let mut parts: Vec<Vec<u8>> = made.iter().map(|record| gz(&plain(record))).collect();
    // A stored block whose length is damaged: up to a trailer's length before the fourth member.
    parts[0] = gzip_member(&plain(&made[0]), 0).unwrap();
    let (first, end) = (parts[0].len(), parts[..3].concat().len());
    let block = 10 + 5;
    let length = u16::try_from(end - 8 - block).unwrap();
    let mut bytes = parts.concat();
    bytes[11..13].copy_from_slice(&length.to_le_bytes());
    bytes[13..15].copy_from_slice(&(!length).to_le_bytes());
    let (records, errors) = read(bytes.clone());
    assert_eq!(records.len(), 5, "{errors:?}");
    for (record, made) in records.iter().zip(&made).skip(1) {
        assert_same(record, made);
    }
    let last = errors.last().map(damage);
    assert_eq!(last, Some((Damage::Checksum, 0, first as u64)), "{errors:?}");

    // A checksum that is wrong leads nowhere else.
    let mut wrong = parts.concat();
    wrong[first - 8] ^= 1;
    let (records, errors) = read(wrong);
    assert_eq!((records.len(), errors.len()), (5, 1), "{errors:?}");
    assert_same(&records[1], &made[1]);
}

#[test]
fn a_piece_missing_from_plain_records_is_damage() {
    let made = pages(6, 3000);
    let parts: Vec<Vec<u8>> = made.iter().map(plain).collect();
    let starts: Vec<usize> = (0..=6).map(|at| parts[..at].concat().len()).collect();
    let whole = parts.concat();
    for (case, from, to) in [
        // Less than the block says, up to the next record.
        ("inside of a record", starts[1] + 1000, starts[1] + 1500),
        ("from one record into the next", starts[1] + 2000, starts[2] + 2500),
        // More than it says.
        ("from one record into one behind", starts[1] + 2500, starts[4] + 600),
        ("up to the line ends before a record", starts[1] + 700, starts[3] - 4),
    ] {
        let bytes = [&whole[..from], &whole[to..]].concat();
        let (records, errors) = read(bytes.clone());
        let first = damage(&errors[0]);
        assert_eq!((errors.len(), first.0, first.1), (1, Damage::Length, starts[1] as u64), "{case} {errors:?}");
        assert!(first.2 > 0, "{case}");
        // All others are as they were.
        let next = starts.partition_point(|start| *start < to);
        assert_eq!(records.len(), 2 + made.len() - next, "{case}");
        let others = made[..1].iter().chain(&made[next..]);
        for (record, made) in records[..1].iter().chain(&records[2..]).zip(others) {
            assert_same(record, made);
        }
        // A whole member has what its writer put in.
        let (records, errors) = read(gz(&bytes));
        assert!(errors.is_empty() && !records[1].notes.is_empty(), "{case}");
    }
    let mut zeros = whole.clone();
    zeros[starts[2] - 300..starts[2] + 212].fill(0);
    let (records, errors) = read(zeros);
    let found = damage(&errors[0]);
    assert_eq!((records.len(), errors.len(), found.0, found.1), (5, 1, Damage::Length, starts[1] as u64));
}

#[test]
fn a_cut_record_counts_what_is_missing() {
    let made = pages(3, 5000);
    let length = made[2].block.len() as u64;
    for codec in [Plain, GzMembers, GzOne] {
        let (bytes, ends) = encode(&made, codec);
        let cut = match ends.as_slice() {
            [.., before, last] => (before + last) / 2,
            _ => bytes.len() - 400,
        };
        let (records, errors) = read(&bytes[..cut]);
        assert_eq!((records.len(), errors.len()), (3, 1), "{codec:?} {errors:?}");
        let got = records[2].block.len() as u64;
        assert!((100..length - 100).contains(&got), "{codec:?} {got}");
        let place = cut as u64;
        assert_eq!(damage(&errors[0]), (Damage::Cut, place, length - got), "{codec:?}");
    }
}

#[test]
fn a_file_that_shrinks_lacks_what_it_had() {
    let made = pages(200, 20_000);
    for codec in [Plain, GzMembers] {
        let (bytes, ends) = encode(&made, codec);
        // In the middle of a record, and right after one.
        let middle = bytes.len() * 3 / 4;
        let after = ends.get(150).copied().unwrap_or(middle + 1);
        for shorter in [middle, after] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.warc");
            fs::write(&path, &bytes).unwrap();
            let mut reader = Reader::open(&path, ReadOptions::default()).unwrap();
            assert!(reader.next().unwrap().is_ok());
            let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.set_len(shorter as u64).unwrap();
            let errors: Vec<ArchiveError> = reader.filter_map(Result::err).collect();
            assert_eq!(errors.len(), 1, "{codec:?} {errors:?}");
            let (what, offset, lost) = damage(&errors[0]);
            let end = offset + lost;
            assert_eq!((what, end), (Damage::Shrunk, bytes.len() as u64), "{codec:?}");
            // A header that is cut counts as well.
            let near = shorter as u64 - 200..=shorter as u64;
            assert!(near.contains(&offset), "{codec:?} {shorter} {offset}");
        }
        // One that grows is read as far as it goes.
        let mut reader = Reader::new("f", Cursor::new(bytes), ReadOptions::default()).unwrap();
        reader.expect_length(5);
        assert!(reader.all(|item| item.is_ok()));
    }
}
