//! Tests of records that are split into segments.

use trommel_archive::{Note, ReadOptions, RecordType};

use crate::{make::*, resume::check};

/// Returns the segments of one response with these blocks; the last segment states the total length.
fn segments(id: usize, blocks: &[&str]) -> Vec<TestRecord> {
    let total: usize = blocks.iter().map(|block| block.len()).sum();
    let mut out = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let mut record = match at {
            0 => made("response", id, *block),
            _ => made("continuation", id * 100 + at, *block),
        };
        let number = (at + 1).to_string();
        record.fields.push(("WARC-Segment-Number", number));
        if at > 0 {
            let origin = format!("<urn:uuid:{id}>");
            record.fields.push(("WARC-Segment-Origin-ID", origin));
        }
        if at + 1 == blocks.len() {
            let field = ("WARC-Segment-Total-Length", total.to_string());
            record.fields.push(field);
        }
        out.push(record);
    }
    out
}

const HEAD: &str = "HTTP/1.1 200 OK\r\n\r\n<p>one ";

#[test]
fn near_segments_are_joined() {
    for apart in [0, 1, 3] {
        let mut all = vec![made("warcinfo", 1, "software: test\r\n")];
        for part in segments(7, &[HEAD, "two ", "three</p>"]) {
            all.push(part);
            all.extend((0..apart).map(|number| made("metadata", 50 + number, "a: b\r\n")));
        }
        all.push(made("response", 8, "HTTP/1.1 200 OK\r\n\r\n<p>next</p>"));
        for codec in [Plain, GzMembers, GzOne, ZstFrames] {
            let (bytes, _) = encode(&all, codec);
            let (records, errors) = read(bytes.clone());
            let count = (records.len(), errors.len());
            assert_eq!(count, (3 + 3 * apart, 0), "{codec:?} {apart}");
            let record = &records[1];
            assert_eq!(record.block, format!("{HEAD}two three</p>").as_bytes());
            assert_eq!(record.notes, [Note::SegmentsJoined(3)]);
            assert_eq!(record.url(), Some("http://example.org/7"));
            assert_same(records.last().unwrap(), all.last().unwrap());
            check(&bytes, ReadOptions::default(), 1);
        }
    }
}

#[test]
fn segments_that_are_far_or_gone_are_noted() {
    let parts = segments(7, &[HEAD, "two ", "three</p>"]);
    let mut all: Vec<TestRecord> = Vec::new();
    for (at, part) in parts.into_iter().enumerate() {
        all.push(part);
        if at == 1 {
            all.extend((0..20).map(|number| made("metadata", 50 + number, "a: b\r\n")));
        }
    }
    all.extend(segments(9, &[HEAD, "lost"]).into_iter().take(1));
    let (bytes, _) = encode(&all, GzMembers);
    let (records, errors) = read(bytes.clone());
    assert_eq!((records.len(), errors.len()), (23, 0));
    assert_eq!(records[0].block, format!("{HEAD}two ").as_bytes());
    assert_eq!(records[0].notes, [Note::SegmentsMissing(2)]);
    assert_eq!(records[21].kind, RecordType::Continuation);
    assert_eq!(records[22].notes, [Note::SegmentsMissing(1)]);
    check(&bytes, ReadOptions::default(), 1);
    // A segment of another record, or of another number, does not count.
    let mut mixed = segments(7, &[HEAD, "two ", "three</p>"]);
    mixed.remove(1);
    mixed.extend(segments(8, &[HEAD, "other"]).into_iter().skip(1));
    let (records, _) = read(encode(&mixed, Plain).0);
    assert_eq!(records.len(), 3);
    assert_eq!(records[0].notes, [Note::SegmentsMissing(1)]);
}

#[test]
fn joined_blocks_are_bounded() {
    let part = "x".repeat(600);
    let (bytes, _) = encode(&segments(7, &[&part, &part, &part]), Plain);
    let options = ReadOptions { max_record: 1000, ..ReadOptions::default() };
    let input = std::io::Cursor::new(bytes.clone());
    let mut reader = trommel_archive::Reader::new("f", input, options).unwrap();
    let record = reader.next().unwrap().unwrap();
    assert_eq!(record.block.len(), 1000);
    let kept = Note::BlockTooLong { length: 1800, kept: 1000 };
    assert_eq!(record.notes, [kept, Note::SegmentsJoined(3)]);
    assert!(reader.next().is_none());
    // First segments only: each is noted, and reading resumes anywhere.
    let firsts: Vec<TestRecord> = (0..30).flat_map(|id| segments(id, &["a", "b"]).into_iter().take(1)).collect();
    let (bytes, _) = encode(&firsts, GzMembers);
    let (records, _) = read(bytes.clone());
    assert_eq!(records.len(), 30);
    check(&bytes, ReadOptions::default(), 1);
}
