//! Tests that readers that share an archive return the same items as one reader, wherever the archive is divided.

use std::io::{Cursor, Read};

use proptest::prelude::*;
use trommel_archive::{ReadOptions, Reader, Record, ResumePoint};

use crate::make::*;

type Item = Result<Record, String>;

fn whole(bytes: &[u8]) -> Option<Vec<Item>> {
    let mut reader = Reader::new("f", Cursor::new(bytes.to_vec()), ReadOptions::default()).ok()?;
    reader.expect_length(bytes.len() as u64);
    Some(reader.map(shape).collect())
}

fn starts(bytes: &[u8], cuts: impl IntoIterator<Item = u64>, reach: u64) -> Vec<ResumePoint> {
    let open = || Ok(Cursor::new(bytes.to_vec()));
    Reader::starts(open, cuts, reach, ReadOptions::default()).unwrap()
}

/// Reads an archive in pieces, each with another reader; returns the items, and the number of pieces used.
fn in_pieces(bytes: &[u8], starts: &[ResumePoint]) -> (Vec<Item>, usize) {
    let (mut items, mut counted, mut begin) = (Vec::new(), 0, ResumePoint::default());
    let mut left = starts.iter().peekable();
    loop {
        counted += 1;
        let open = || Ok(Cursor::new(bytes.to_vec()));
        let mut reader = Reader::reopen_with("f", open, &begin, ReadOptions::default()).unwrap();
        reader.expect_length(bytes.len() as u64);
        loop {
            let Some(item) = reader.next() else { return (items, counted) };
            if let Ok(record) = &item {
                let is_passed =
                    |start: &&ResumePoint| start.offset() <= record.place.offset && !reader.has_arrived(record, start);
                while left.next_if(is_passed).is_some() {}
                if let Some(start) = left.next_if(|start| reader.has_arrived(record, start)) {
                    begin = *start;
                    break;
                }
            }
            items.push(shape(item));
        }
    }
}

fn check(bytes: &[u8], cuts: impl IntoIterator<Item = u64>, reach: u64) -> usize {
    let Some(items) = whole(bytes) else { return 0 };
    let (pieces, counted) = in_pieces(bytes, &starts(bytes, cuts, reach));
    for (at, (one, other)) in items.iter().zip(&pieces).enumerate() {
        assert!(one == other, "item {at}:\n{other:?}\nnot\n{one:?}");
    }
    assert_eq!(items.len(), pieces.len());
    counted
}

#[test]
fn every_member_begins_a_piece_and_every_cut_finds_the_next_one() {
    for codec in [GzMembers, GzEmpties, ZstFrames, ZstDictionary, ZstPackedDictionary] {
        for (records, step) in [(small(), 1), (large(), 2999)] {
            let (bytes, _) = encode(&records, codec);
            let places: Vec<u64> = whole(&bytes).unwrap().into_iter().map(|item| item.unwrap().place.offset).collect();
            // The first record begins the archive, whatever stands before it.
            let second = places[0] as usize + 1;
            for cut in (second..bytes.len()).step_by(step) {
                let cut = cut as u64;
                let found: Vec<u64> = starts(&bytes, [cut], u64::MAX).iter().map(ResumePoint::offset).collect();
                let next = places.iter().copied().filter(|place| *place >= cut).take(1);
                assert_eq!(found, next.collect::<Vec<_>>(), "{codec:?} {cut}");
                assert_eq!(check(&bytes, [cut], u64::MAX), 1 + found.len(), "{codec:?} {cut}");
            }
            // All at once.
            assert_eq!(check(&bytes, places.iter().copied().skip(1), 1), places.len(), "{codec:?}");
        }
    }
}

#[test]
fn what_has_no_members_is_not_cut() {
    for codec in [Plain, GzOne, ZstOne, Lz4Frames] {
        let (bytes, _) = encode(&large(), codec);
        assert!(starts(&bytes, (1..bytes.len() as u64).step_by(999), u64::MAX).is_empty(), "{codec:?}");
    }
    assert!(starts(b"nothing of ours", [1], u64::MAX).is_empty());
    assert!(starts(b"", [1], u64::MAX).is_empty());
}

/// Checks that no piece begins at a gzip member inside the payload of a record, in gzip members of level 0.
#[test]
fn members_in_a_payload_begin_no_piece() {
    let (inner, _) = encode(&small(), GzMembers);
    let mut records = small();
    records.insert(2, made("resource", 9, inner.repeat(20)));
    let mut bytes = Vec::new();
    for record in &records {
        let mut member = flate2::read::GzEncoder::new(Cursor::new(plain(record)), flate2::Compression::none());
        member.read_to_end(&mut bytes).unwrap();
    }
    let places: Vec<u64> = whole(&bytes).unwrap().into_iter().map(|item| item.unwrap().place.offset).collect();
    let cuts = (1..bytes.len() as u64).step_by(61);
    let found = starts(&bytes, cuts.clone(), 61);
    let real = found.iter().filter(|start| places.contains(&start.offset())).count();
    assert!(found.len() > 30 && real == places.len() - 1, "{real} of {}", found.len());
    assert_eq!(check(&bytes, cuts, 61), places.len());
}

/// Checks that a member across several cuts, and damage before, at and after a cut, give the same items as one reader.
#[test]
fn damage_at_a_cut_is_passed_as_in_order() {
    let mut records = small();
    for number in 5..25 {
        records.push(made("resource", number, noise(if number == 12 { 30_000 } else { 900 })));
    }
    for codec in [GzMembers, ZstFrames] {
        let (bytes, _) = encode(&records, codec);
        let cuts = || (1..bytes.len() as u64).step_by(2000);
        let counted = check(&bytes, cuts(), 2000);
        assert!((5..16).contains(&counted), "{codec:?}: {counted}");
        for at in (0..bytes.len()).step_by(101) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            check(&damaged, cuts(), 2000);
            check(&damaged, [at as u64], u64::MAX);
            damaged.drain(at..(at + 700).min(bytes.len()));
            check(&damaged, cuts(), 2000);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_cut_anywhere(
        codec in proptest::sample::select(&CODECS[..]),
        times in 1usize..4,
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), 1u8..), 0..8),
        junk in proptest::collection::vec((any::<proptest::sample::Index>(), 0usize..40), 0..3),
        end in any::<proptest::sample::Index>(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 1..6),
    ) {
        let mut bytes = encode(&small(), codec).0.repeat(times);
        mangle(&mut bytes, &flips, &junk, end);
        let mut cuts: Vec<u64> = cuts.iter().map(|cut| cut.index(bytes.len().max(1)) as u64).collect();
        cuts.sort_unstable();
        cuts.dedup();
        for cut in &cuts {
            check(&bytes, [*cut], u64::MAX);
        }
        // No further than the next.
        let least = cuts.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(u64::MAX);
        check(&bytes, cuts, least);
    }
}

#[test]
fn only_the_first_record_of_a_member_arrives_at_its_beginning() {
    let members = [&small()[..1], &small()[1..3]];
    let mut bytes = Vec::new();
    for records in members {
        let records: Vec<u8> = records.iter().flat_map(plain).collect();
        let mut member = flate2::read::GzEncoder::new(Cursor::new(records), flate2::Compression::fast());
        member.read_to_end(&mut bytes).unwrap();
    }
    let [start] = starts(&bytes, [1], u64::MAX)[..] else { panic!("one member follows the first") };
    let mut reader = Reader::new("f", Cursor::new(bytes), ReadOptions::default()).unwrap();
    let mut arrived = Vec::new();
    while let Some(record) = reader.next() {
        arrived.push(reader.has_arrived(&record.unwrap(), &start));
    }
    assert_eq!(arrived, [false, true, false]);
}
