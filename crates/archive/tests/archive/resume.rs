//! Tests that a reader that resumes at any place returns the same items as an uninterrupted reader.

use std::{fs, io::Cursor};

use proptest::prelude::*;
use trommel_archive::{ArchiveError, ReadOptions, Reader, Record, ResumePoint};

use crate::make::*;

/// Items of an uninterrupted reader, and the resume point and position before each item and at the end.
type Items = (Vec<Result<Record, String>>, Vec<(ResumePoint, u64)>);

fn unbroken(bytes: &[u8], options: ReadOptions) -> Option<Items> {
    let mut reader = Reader::new("f", Cursor::new(bytes.to_vec()), options).ok()?;
    let (mut items, mut points) = (Vec::new(), Vec::new());
    loop {
        points.push((reader.resume_point(), Reader::position(&reader)));
        match reader.next() {
            Some(item) => items.push(shape(item)),
            None => return Some((items, points)),
        }
    }
}

/// Checks that readers resumed at every `step`-th point return the same items as an uninterrupted reader.
pub(crate) fn check(bytes: &[u8], options: ReadOptions, step: usize) {
    let Some((items, points)) = unbroken(bytes, options) else { return };
    for (number, (point, position)) in points.iter().enumerate().step_by(step) {
        let stored = serde_json::to_string(point).unwrap();
        let point: ResumePoint = serde_json::from_str(&stored).unwrap();
        let input = Cursor::new(bytes.to_vec());
        let mut reader =
            Reader::resume("f", input, &point, options).unwrap_or_else(|error| panic!("{number}: {point:?}: {error}"));
        assert!(point.offset() <= *position);
        for (at, item) in items.iter().enumerate().skip(number) {
            // A point of a reader that resumed is as good as one of a reader that did not.
            assert_eq!(reader.resume_point().offset(), points[at].0.offset());
            let again = reader.next().map(shape);
            assert!(again.as_ref() == Some(item), "from {number}, {point:?}: item {at} is\n{again:?}\nnot\n{item:?}");
        }
        assert!(reader.next().is_none(), "from {number}, {point:?}");
    }
}

#[test]
fn every_codec_resumes_before_every_item() {
    for codec in CODECS {
        check(&encode(&large(), codec).0, ReadOptions::default(), 1);
        let small_limits = ReadOptions { max_record: 1000, max_header: 200, ..ReadOptions::default() };
        check(&encode(&large(), codec).0, small_limits, 1);
    }
}

#[test]
fn long_members_resume_too() {
    let mut records = Vec::new();
    for number in 0..40 {
        records.push(made("response", number, noise(1000 + 17_001 * (number % 20))));
    }
    for codec in [Plain, GzOne, ZstOne, Lz4One, GzMembers] {
        let (bytes, _) = encode(&records, codec);
        check(&bytes, ReadOptions::default(), 7);
        // Noticed a megabyte later than it is.
        let mut damaged = bytes;
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        damaged.truncate(damaged.len() - 7);
        check(&damaged, ReadOptions::default(), 7);
    }
}

#[test]
fn arc_files_resume() {
    let mut arc = b"filedesc://a.arc 0.0.0.0 20080430204825 text/plain 10\n1 0 Test\n\n\n".to_vec();
    for number in 0..20 {
        let line = format!("http://a.b/{number} 1.2.3.4 20080430204826 text/html {}\n", number * 3);
        arc.extend(line.bytes());
        arc.extend(b"abc".repeat(number));
        arc.extend(if number % 5 == 4 { &b"\njunk\n"[..] } else { &b"\n"[..] });
    }
    for bytes in [arc.clone(), gz(&arc), arc.chunks(50).flat_map(gz).collect()] {
        check(&bytes, ReadOptions::default(), 1);
    }
}

#[test]
fn files_are_reopened_by_seeking() {
    let folder = tempfile::tempdir().unwrap();
    for codec in [Plain, GzMembers, ZstDictionary, ZstPackedDictionary] {
        let path = folder.path().join("a.warc");
        fs::write(&path, encode(&large(), codec).0).unwrap();
        let all: Vec<_> = Reader::open(&path, ReadOptions::default()).unwrap().map(shape).collect();
        let mut reader = Reader::open(&path, ReadOptions::default()).unwrap();
        for number in 0..all.len() {
            let point = reader.resume_point();
            let again = Reader::reopen(&path, &point, ReadOptions::default()).unwrap();
            let rest: Vec<_> = again.map(shape).collect();
            assert!(rest == all[number..], "{codec:?} from {number}");
            reader.next();
        }
        let end = reader.resume_point();
        fs::write(&path, b"WARC/1.0\r\n").unwrap();
        match Reader::reopen(&path, &end, ReadOptions::default()) {
            Err(error @ ArchiveError::Changed { .. }) => assert!(error.is_fatal()),
            other => panic!("{codec:?} {:?}", other.map(Iterator::count)),
        }
    }
}

#[test]
fn after_a_failing_input_the_same_record_comes_again() {
    for codec in CODECS {
        let (bytes, _) = encode(&large(), codec);
        let whole = unbroken(&bytes, ReadOptions::default()).unwrap().0;
        for cut in [bytes.len() / 3, bytes.len() / 2, bytes.len() - 3] {
            let input = Failing(Cursor::new(bytes[..cut].to_vec()));
            let Ok(mut reader) = Reader::new("f", input, ReadOptions::default()) else { continue };
            let mut given = 0;
            let mut point = reader.resume_point();
            while let Some(Ok(record)) = reader.next() {
                if !record.notes.is_empty() {
                    break;
                }
                given += 1;
                point = reader.resume_point();
            }
            let input = Cursor::new(bytes.clone());
            let again = Reader::resume("f", input, &point, ReadOptions::default()).unwrap();
            let urls = |items: &mut dyn Iterator<Item = Result<Record, String>>| -> Vec<Vec<u8>> {
                items.map(|item| item.unwrap().block.to_vec()).collect()
            };
            let rest = urls(&mut again.map(shape));
            assert!(rest == urls(&mut whole[given..].iter().cloned()), "{codec:?} {cut}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_resume(
        codec in proptest::sample::select(&CODECS[..9]),
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), 1u8..), 0..8),
        junk in proptest::collection::vec((any::<proptest::sample::Index>(), 0usize..40), 0..3),
        cut in any::<proptest::sample::Index>(),
    ) {
        let (mut bytes, _) = encode(&small(), codec);
        mangle(&mut bytes, &flips, &junk, cut);
        check(&bytes, ReadOptions::default(), 1);
        check(&bytes, ReadOptions { max_record: 30, max_header: 90, ..ReadOptions::default() }, 1);
    }
}
