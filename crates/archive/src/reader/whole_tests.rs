//! Tests that members inflated in one call give the same items as members inflated in steps, also from damaged files.

use std::io::{self, Cursor, Read};

use super::*;
use crate::gzip::Gzip;
use crate::stream::Codec;
use crate::write::{gzip_member, write_record};

/// Random number generator with a fixed seed, so that every run gets the same numbers.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end
    }
}

fn record(number: usize, block: &[u8]) -> Vec<u8> {
    let uri = format!("http://example.org/{number}");
    let fields = [("WARC-Type", "resource"), ("WARC-Target-URI", uri.as_str())];
    let mut out = Vec::new();
    write_record(&mut out, "1.0", &fields, block).unwrap();
    out
}

fn member(plain: &[u8]) -> Vec<u8> {
    gzip_member(plain, 6).unwrap()
}

/// Returns a gzip file whose members hold one record, several records, none, parts of a record, or quoted records.
fn sample() -> Vec<u8> {
    let mut seeded = Seeded(3);
    let mut out = Vec::new();
    for number in 0..80 {
        let length = seeded.below(if number % 16 == 15 { 400_000 } else { 6000 });
        let noise: Vec<u8> = (0..length).map(|_| b"ab \r\n<p>"[seeded.below(8)]).collect();
        let plain = record(number, &noise);
        match number % 20 {
            3 => out.extend(member(&[plain, record(number, b"second")].concat())),
            7 => out.extend(member(b"")),
            9 => {
                let (one, two) = plain.split_at(plain.len() / 2);
                out.extend([member(one), member(two)].concat());
            }
            11 => out.extend(member(&record(number, &record(number, b"quoted")))),
            13 => out.extend([member(&plain), vec![0; 5]].concat()),
            17 => out.extend(member(&[plain, b"junk".to_vec()].concat())),
            19 => out.extend(member(&plain).repeat(2)),
            _ => out.extend(member(&plain)),
        }
    }
    out
}

/// Input that returns a few bytes at a time.
struct Trickle(Cursor<Vec<u8>>, Seeded);

impl Read for Trickle {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = (1 + self.1.below(5000)).min(buf.len());
        self.0.read(&mut buf[..n])
    }
}

/// Returns all items of a gzip archive as text. With `whole`, members may be inflated in one call, else piece by piece.
fn items(input: impl Read + Send + 'static, whole: bool) -> Vec<String> {
    let gzip = if whole { Gzip::new() } else { Gzip::in_steps() };
    let stream = Stream::new(Source::new(Box::new(input)), Codec::Gzip(Box::new(gzip)));
    let mut reader = match Reader::over("x".into(), stream, ReadOptions::default()) {
        Ok(reader) => reader,
        Err(error) => return vec![format!("{error:?}")],
    };
    let mut out = Vec::new();
    while let Some(item) = reader.next() {
        let at = Reader::position(&reader);
        out.push(format!("{at} {} {item:?}", reader.resume_point().offset()));
    }
    out
}

fn compare(bytes: &[u8], what: &str) -> usize {
    let steps = items(Cursor::new(bytes.to_vec()), false);
    let whole = items(Cursor::new(bytes.to_vec()), true);
    let differs = whole.iter().zip(&steps).position(|(a, b)| a != b);
    assert!(
        differs.is_none() && whole.len() == steps.len(),
        "{what}: {} items, {} in steps, item {differs:?} differs",
        whole.len(),
        steps.len()
    );
    steps.len()
}

#[test]
fn a_file_of_all_kinds_of_members_reads_alike() {
    let bytes = sample();
    assert!(compare(&bytes, "sample") > 80);
    let trickle = Trickle(Cursor::new(bytes.clone()), Seeded(5));
    assert_eq!(items(trickle, true), items(Cursor::new(bytes), false));
}

#[test]
fn random_flips_and_cuts_read_alike() {
    let bytes = sample();
    let mut seeded = Seeded(11);
    for round in 0..60 {
        let mut harmed = bytes.clone();
        for _ in 0..=seeded.below(6) {
            let at = seeded.below(bytes.len());
            let until = bytes.len().min(at + 1 + seeded.below(if round % 2 == 0 { 1 } else { 500 }));
            for byte in &mut harmed[at..until] {
                *byte ^= 1 << seeded.below(8);
            }
        }
        if round % 3 == 0 {
            harmed.truncate(seeded.below(bytes.len()));
        }
        compare(&harmed, &format!("round {round}"));
    }
}

#[test]
fn members_past_the_caps_read_alike() {
    let mut seeded = Seeded(13);
    let noise: Vec<u8> = (0..5_000_000).map(|_| seeded.below(256) as u8).collect();
    let mut bytes = member(&record(1, b"first"));
    bytes.extend(member(&record(2, &noise)));
    bytes.extend(member(&record(3, &vec![b' '; 20_000_000])));
    bytes.extend(member(&record(4, &noise[..3_000_000])));
    bytes.extend(member(&record(5, &vec![b' '; 10_000_000])));
    assert_eq!(compare(&bytes, "large"), 5);
}

#[test]
fn a_block_keeps_the_buffer_that_it_was_inflated_into() {
    let body = b"Some words of a page. ".repeat(1000);
    let mut bytes = member(&record(1, &body));
    bytes.extend(member(&record(2, b"short")));
    bytes.extend(member(&record(3, &body)));
    let mut reader = Reader::new("x", Cursor::new(bytes), ReadOptions::default()).unwrap();
    let mut next = || reader.next().unwrap().unwrap().block;
    let (long, short, last) = (next(), next(), next());
    for block in [long, last] {
        assert_eq!(block, body);
        // With the header before it and the line ends behind it, in no more room than the trailer states.
        let buffer = block.into_buffer();
        assert!(buffer.starts_with(b"WARC/1.0\r\n") && buffer.ends_with(b"\r\n\r\n"));
        assert!(buffer.capacity() <= (buffer.len() + 512).next_power_of_two());
    }
    assert_eq!(short, b"short");
    assert_eq!(short.into_buffer(), b"short");
    assert!(reader.next().is_none());
}

#[test]
fn what_looks_like_a_next_member_misleads_nobody() {
    let mut seeded = Seeded(17);
    let mut bytes = Vec::new();
    for number in 0..40 {
        // Bytes that no compressor makes shorter, with beginnings of members among them and lengths before
        // these that are far too short or too long.
        let mut noise: Vec<u8> = (0..20_000).map(|_| seeded.below(256) as u8).collect();
        for _ in 0..3 {
            let at = seeded.below(noise.len() - 7);
            let length = [0u32, 9, 100_000, u32::MAX][seeded.below(4)];
            noise[at..at + 4].copy_from_slice(&length.to_le_bytes());
            noise[at + 4..at + 7].copy_from_slice(&[0x1f, 0x8b, 8]);
        }
        bytes.extend(gzip_member(&record(number, &noise), 0).unwrap());
    }
    assert_eq!(compare(&bytes, "magic bytes inside"), 40);
}
