//! Tests damaged files.

use std::io::{Cursor, Write};
use std::time::{Duration, Instant};

use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use trommel_archive::{ArchiveError, ArchiveFormat, Damage, Note, ReadOptions, Reader, Record, RecordType};

use crate::make::*;

#[test]
fn a_damaged_member_costs_its_own_record_only() {
    for codec in [GzMembers, ZstFrames, Lz4Frames] {
        let mut made = small();
        made[1].block = noise(3000);
        let (mut bytes, ends) = encode(&made, codec);
        let third = ends[1] + if codec == ZstFrames { 20 } else { 0 };
        let middle = (ends[0] + ends[1]) / 2;
        for byte in &mut bytes[ends[0] + 60..middle] {
            *byte = !*byte;
        }
        let (records, errors) = read(bytes);
        assert_eq!(errors.len(), 1, "{errors:?}");
        let (_, offset, lost) = damage(&errors[0]);
        assert!(offset >= ends[0] as u64 && offset <= ends[1] as u64, "{codec:?} {offset}");
        assert!(offset + lost <= third as u64, "{codec:?} {lost}");
        for number in [0, 2, 3] {
            let url = format!("http://example.org/{number}");
            let record = records.iter().find(|record| record.url() == Some(&url));
            assert_same(record.expect("a record was lost"), &made[number]);
        }
    }
}

#[test]
fn a_wrong_checksum_is_noted_and_reported() {
    let made = small();
    for (codec, back) in [(GzMembers, 8), (ZstFrames, 1), (Lz4Frames, 1)] {
        let (mut bytes, ends) = encode(&made, codec);
        bytes[ends[1] - back] ^= 1;
        let (records, errors) = read(bytes);
        assert_eq!(records.len(), 4, "{codec:?} {errors:?}");
        assert_eq!(records[1].notes, [Note::Checksum]);
        assert_eq!(records[1].block, made[1].block);
        assert_eq!(errors.len(), 1);
        let (what, offset, lost) = damage(&errors[0]);
        // After a frame, a skippable one may have to be passed to find the next.
        assert_eq!((what, offset), (Damage::Checksum, ends[1] as u64));
        assert!(lost <= 20, "{lost}");
    }
}

#[test]
fn junk_and_padding_around_members() {
    let made = small();
    let (bytes, ends) = encode(&made, GzMembers);
    let mut padded = [&bytes[..ends[1]], &[0; 19], b"\r\n\r\n", &bytes[ends[1]..]].concat();
    padded.resize(10_240, 0);
    read_damaged(padded, 4, &[]);

    let broken = [&bytes[..ends[0]], b"junk between members", &bytes[ends[0]..], b"junk at the end"].concat();
    read_damaged(broken, 4, &[(Damage::Junk, ends[0], 20), (Damage::Junk, bytes.len() + 20, 15)]);

    let mut headless = bytes;
    headless[0] = b'x';
    read_damaged(headless, 3, &[(Damage::Junk, 0, ends[0])]);
}

#[test]
fn junk_between_plain_records() {
    let made = small();
    let (bytes, ends) = encode(&made, Plain);
    let broken = [&bytes[..ends[1]], b"some lines\r\nof no record\r\n\r\n", &bytes[ends[1]..]].concat();
    let records = read_damaged(broken, 4, &[(Damage::Junk, ends[1], 28)]);
    for (record, made) in records.iter().zip(&made) {
        assert_same(record, made);
    }

    let mut broken = bytes;
    broken[ends[0]] = b'X';
    read_damaged(broken, 3, &[(Damage::Junk, ends[0], ends[1] - ends[0])]);
}

/// Reads small records of which the second states a length that is wrong by `stated` bytes, or states none.
fn lying(codec: Codec, stated: Option<i128>) -> (Vec<Record>, Vec<ArchiveError>) {
    let records = small();
    let mut parts: Vec<Vec<u8>> = records.iter().map(plain).collect();
    let right = format!("Content-Length: {}\r\n", records[1].block.len());
    let wrong =
        stated.map(|by| format!("Content-Length: {}\r\n", records[1].block.len() as i128 + by)).unwrap_or_default();
    let text = String::from_utf8(parts[1].clone()).unwrap();
    assert!(text.contains(&right));
    parts[1] = text.replace(&right, &wrong).into_bytes();
    read(stored(&parts, codec))
}

#[test]
fn lengths_that_lie() {
    let made = small();
    let right = made[1].block.len() as i128;
    for codec in [Plain, GzMembers, GzOne, ZstFrames] {
        for by in [1, 2, 3, 4, 5, 20, 100, 150, 400, 100_000, 1 << 62, -1, -2, -5, -9, -20, -right] {
            let (records, errors) = lying(codec, Some(by));
            let case = format!("{codec:?} {by}");
            assert_eq!(records.len(), 4, "{case} {errors:?}");
            for number in [0, 2, 3] {
                assert_same(&records[number], &made[number]);
            }
            // The block itself ends in blank lines: shorter lengths than that can't be told from
            // junk after the block, which is reported.
            let block = &records[1].block;
            if errors.is_empty() {
                assert!(block.starts_with(&made[1].block[..made[1].block.len() - 4]), "{case}");
                assert!(block.len() <= made[1].block.len() + 4, "{case}: {}", block.len());
            } else {
                assert!(by < 0 || codec == Plain, "{case} {errors:?}");
            }
            if by > 4 {
                assert_eq!(block, &made[1].block, "{case}");
                let expected = (right + by) as u64;
                let got = right as u64;
                assert_eq!(records[1].notes, [Note::BlockCut { expected, got }], "{case}");
            }
        }
        let (records, errors) = lying(codec, None);
        let start = plain(&made[0]).len() as u64;
        let expected: &[_] = if codec == Plain { &[(Damage::Length, start, 0)] } else { &[] };
        assert_eq!(errors.iter().map(damage).collect::<Vec<_>>(), expected, "{codec:?}");
        assert_eq!(records.len(), 4, "{codec:?}");
        assert_eq!(records[1].block, made[1].block);
        assert_eq!(records[1].notes, [Note::MissingContentLength]);
    }
}

#[test]
fn a_block_longer_than_stated_is_kept_whole() {
    for codec in [Plain, GzMembers, GzOne] {
        let (records, errors) = lying(codec, Some(-8));
        assert!(errors.is_empty(), "{codec:?} {errors:?}");
        let got = small()[1].block.len() as u64;
        assert_eq!(records[1].notes, [Note::BlockExtended { expected: got - 8, got }]);
        assert_eq!(records[1].block, small()[1].block);
    }
}

/// Reads three records, of which the second has a body of `body` bytes and states a length that is wrong by `by`;
/// returns the reported damage.
fn lost_by(head: &str, body: usize, by: i64, codec: Codec) -> Vec<(Damage, u64, u64)> {
    let block =
        |body: usize| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{head}\r\n{}", "<p>ab ".repeat(body / 6));
    let made: Vec<TestRecord> = (0..3).map(|number| made("response", number, block(body))).collect();
    let mut parts: Vec<Vec<u8>> = made.iter().map(plain).collect();
    let length = made[1].block.len();
    let stated = length.checked_add_signed(by as isize).unwrap();
    let text = String::from_utf8(parts[1].clone()).unwrap();
    let wrong = text
        .replace(&format!("\r\nContent-Length: {length}\r\n\r\n"), &format!("\r\nContent-Length: {stated}\r\n\r\n"));
    assert_ne!(wrong, text);
    parts[1] = wrong.into_bytes();
    let (records, errors) = read(stored(&parts, codec));
    assert_eq!(records.len(), 3, "{errors:?}");
    assert_eq!(records[1].block, made[1].block);
    errors.iter().map(damage).collect()
}

#[test]
fn a_false_length_is_damage_only_where_bytes_may_be_lost() {
    let lost = |head: &str, by| lost_by(head, 6000, by, Plain).first().map(|(what, _, lost)| (*what, *lost));
    // Miscounted: too much by the line ends, or too little by less than another record has.
    for by in [5, 7, 14, -8, -39, -500] {
        assert_eq!(lost("", by), None, "{by}");
    }
    // A piece may be gone, and with it the beginning of another record.
    for (by, bytes) in [(20, 20), (3000, 3000), (-600, 600), (-5000, 5000)] {
        assert_eq!(lost("", by), Some((Damage::Length, bytes)), "{by}");
        assert_eq!(lost_by("", 6000, by, GzMembers), [], "{by}");
        // The server's own count says that nothing is.
        assert_eq!(lost("Content-Length: 6000\r\n", by), None, "{by}");
    }
    // Or that more is than the record states.
    assert_eq!(lost("Content-Length: 9000\r\n", -30), Some((Damage::Length, 3000)));
}

#[test]
fn arc_lines_of_odd_types_and_lengths_are_read() {
    let body = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>one</p>\n<p>two</p>\n";
    let right = body.len().to_string();
    let short = (body.len() - 20).to_string();
    for (kind, length) in [
        ("text/html; charset=utf-8", right.as_str()),
        ("text/html, application/x-javascript", &right),
        ("text/html;  charset=\"utf-8\"", &short),
        ("text/html", &short),
        ("text/html", "-1"),
        ("", &right),
    ] {
        let mut arc = "filedesc://a.arc 0.0.0.0 20080430204825 text/plain 67\n1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n\n\n".to_owned();
        for number in 0..3 {
            let (kind, length) = if number == 1 { (kind, length) } else { ("text/html", right.as_str()) };
            arc.push_str(&format!("http://a.example/{number} 1.2.3.4 20080430204825 {kind} {length}\n{body}\n"));
        }
        let (records, errors) = read(arc);
        assert!(errors.is_empty(), "{kind} {length}: {errors:?}");
        let urls: Vec<_> = records.iter().skip(1).map(|record| record.url().unwrap().to_owned()).collect();
        assert_eq!(urls, ["http://a.example/0", "http://a.example/1", "http://a.example/2"], "{kind} {length}");
        assert_eq!(records[2].block.trim_ascii_end(), body.trim_end().as_bytes(), "{kind} {length}");
    }
}

#[test]
fn when_all_lengths_lie_reading_stays_linear() {
    let one = "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 99999999999\r\n\r\nbody\r\n\r\n";
    let number = 30_000;
    let start = Instant::now();
    let (records, errors) = read(one.repeat(number));
    assert_eq!((records.len(), errors.len()), (number, number));
    let (last, others) = errors.split_last().unwrap();
    assert_eq!(damage(last).0, Damage::Cut);
    assert!(others.iter().all(|error| damage(error).0 == Damage::Length));
    assert!(records.iter().all(|record| record.block.starts_with(b"body")));
    let (records, errors) = read("WARC/1.0\nA: b\n".repeat(200_000));
    assert_eq!(records.len(), 0);
    assert!(!errors.is_empty());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn long_blocks_are_cut_and_passed() {
    let made = large();
    for codec in CODECS {
        let (bytes, _) = encode(&made, codec);
        let options = ReadOptions { max_record: 1000, ..ReadOptions::default() };
        let records: Vec<Record> =
            Reader::new("f", Cursor::new(bytes), options).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(records.len(), made.len());
        assert_eq!(records[4].block, made[4].block[..1000]);
        assert_eq!(records[4].notes, [Note::BlockTooLong { length: 200_000, kept: 1000 }]);
        assert_same(&records[6], &made[6]);
    }
}

#[test]
fn lenient_headers() {
    let text = b"WARC/0.18\nwarc-type: RESPONSE\nWARC-Target-URI : <http://a/\xe9>\nWARC-Date: yesterday\n\
        X: a\n b\nContent-Length: 3\n\nabc\n\n\n\nWARC/1.0\r\r\nWARC-Type: resource\r\r\nContent-Length: 2\r\r\n\r\r\nde\r\n\r\n";
    let (records, errors) = read(&text[..]);
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(records[0].kind, RecordType::Response);
    assert_eq!(records[0].url(), Some("http://a/é"));
    assert_eq!((records[0].headers.get("warc-date"), records[0].date()), (Some("yesterday"), None));
    assert_eq!(records[0].headers.get("x"), Some("a b"));
    assert_eq!(records[0].block, b"abc");
    assert_eq!(records[0].notes, [Note::LenientHeader, Note::WrongDate]);
    assert_eq!((&*records[1].block, records.len()), (&b"de"[..], 2));
}

#[test]
fn versions_in_any_case() {
    let made = small();
    for codec in [Plain, GzMembers, GzOne, ZstFrames] {
        for version in ["warc/1.1", "Warc/1.1", "wARC/1.1"] {
            let parts: Vec<Vec<u8>> = made
                .iter()
                .map(|record| {
                    let mut bytes = plain(record);
                    bytes[..8].copy_from_slice(version.as_bytes());
                    bytes
                })
                .collect();
            let bytes = stored(&parts, codec);
            let (records, errors) = read(bytes.clone());
            assert_eq!((records.len(), errors.len()), (4, 0), "{codec:?} {version}");
            for (record, made) in records.iter().zip(&made) {
                assert_eq!(record.block, made.block);
                assert_eq!(record.notes, [Note::LenientHeader]);
            }
            // Found again after damage.
            let (records, errors) = read([b"junk\n".to_vec(), bytes].concat());
            assert_eq!((records.len(), errors.len()), (4, 1), "{codec:?} {version}");
        }
    }
}

#[test]
fn headers_without_end() {
    let long = format!("WARC/1.0\r\nWARC-Type: response\r\nX: {}\r\n\r\n", "y".repeat(2_000_000));
    let good = plain(&small()[1]);
    let all = [good.clone(), long.clone().into_bytes(), good.clone()].concat();
    let records = read_damaged(all, 2, &[(Damage::Header, good.len(), long.len())]);
    assert_same(&records[1], &small()[1]);

    let half = b"WARC/1.0\r\nWARC-Type: response\r\nConte".to_vec();
    let (first, second) = (gz(&good).len(), gz(&half).len());
    read_damaged([gz(&good), gz(&half), gz(&good)].concat(), 2, &[(Damage::Header, first, second)]);
    let cut = (Damage::Cut, good.len(), half.len());
    read_damaged([good, half].concat(), 1, &[cut]);
}

#[test]
fn arc_files() {
    let arc = "filedesc://a.arc 0.0.0.0 20080430204825 text/plain 67\n1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n\n\n\n\
        http://a.b/x y 1.2.3.4 20080430204826 text/html 41\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n<p>page one</p>\n\n\
        dns:a.b 1.2.3.4 20080430204827 text/dns 3\nabc\n";
    for bytes in [arc.as_bytes().to_vec(), gz(arc.as_bytes())] {
        let (records, errors) = read(bytes);
        assert!(errors.is_empty(), "{errors:?}");
        let kinds: Vec<&RecordType> = records.iter().map(|record| &record.kind).collect();
        assert_eq!(kinds, [&RecordType::Warcinfo, &RecordType::Response, &RecordType::Resource]);
        let page = &records[1];
        assert_eq!(page.format, ArchiveFormat::Arc);
        assert_eq!((page.url(), page.id()), (Some("http://a.b/x y"), None));
        assert_eq!(page.date(), Some("2008-04-30T20:48:26Z"));
        assert_eq!(page.block.len(), 41);
        assert!(page.block.ends_with(b"<p>page one</p>\n"), "{:?}", page.notes);
        assert_eq!(records[2].content_type(), Some("text/dns"));
    }
}

#[test]
fn files_that_are_no_archives() {
    assert!(matches!(open(""), Err(ArchiveError::Empty { .. })));
    assert!(matches!(open(gz(b"")), Err(ArchiveError::Empty { .. })));
    assert!(matches!(open("\r\n\r\n"), Err(ArchiveError::Empty { .. })));
    for bytes in [b"hello world".to_vec(), gz(b"<html>"), zst(b"<html>", &[]), noise(3_000_000)] {
        match open(bytes) {
            Err(error @ ArchiveError::NotAnArchive { .. }) => assert!(error.is_fatal()),
            other => panic!("{:?}", other.map(Iterator::count)),
        }
    }
    let error = open(b"PK\x03\x04\x14\0\0\0".to_vec()).err().unwrap();
    assert_eq!(error.to_string(), "test.warc: zip (WACZ) files are not supported");
    let missing = Reader::open("no/such/file".as_ref(), ReadOptions::default()).err().unwrap();
    assert!(missing.is_fatal() && missing.to_string().starts_with("no/such/file: "));
}

#[test]
fn a_failing_input_ends_the_reading() {
    for codec in [Plain, GzMembers, ZstFrames] {
        let (bytes, ends) = encode(&small(), codec);
        let input = Failing(Cursor::new(bytes[..ends[1]].to_vec()));
        let items: Vec<_> = Reader::new("f", input, ReadOptions::default()).unwrap().collect();
        assert_eq!(items.len(), 3, "{codec:?}");
        assert!(items[1].is_ok());
        let error = items[2].as_ref().unwrap_err();
        assert!(error.is_fatal());
        assert_eq!(error.to_string(), format!("f: offset {}: line dropped", ends[1]));
    }
}

#[test]
fn several_bodies_of_one_encoder_flush() {
    // A sync flush inside a member leaves an empty stored block: it must not look like an end.
    let made = small();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for record in &made {
        encoder.write_all(&plain(record)).unwrap();
        encoder.flush().unwrap();
    }
    let records = read_damaged(encoder.finish().unwrap(), 4, &[]);
    assert_same(&records[3], &made[3]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_never_panic(
        codec in proptest::sample::select(&CODECS[..9]),
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), 1u8..), 1..12),
        cut in any::<proptest::sample::Index>(),
    ) {
        let (mut bytes, _) = encode(&small(), codec);
        for (index, flip) in flips {
            let at = index.index(bytes.len());
            bytes[at] ^= flip;
        }
        if cut.index(4) == 0 {
            bytes.truncate(cut.index(bytes.len()));
        }
        let length = bytes.len() as u64;
        let (records, errors) = read(bytes);
        prop_assert!(records.len() + errors.len() < 40);
        for record in records {
            prop_assert!(record.place.offset + record.place.length <= length);
        }
        for error in errors {
            if let ArchiveError::Damage { offset, lost, .. } = error {
                prop_assert!(offset <= length);
                let _ = lost;
            }
        }
    }

    #[test]
    fn any_bytes_after_a_start_never_panic(tail in proptest::collection::vec(any::<u8>(), 0..400)) {
        for head in [&b"WARC/1.0\r\n"[..], &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], &[0x28, 0xb5, 0x2f, 0xfd]] {
            let _ = read([head, &tail].concat());
        }
    }
}
