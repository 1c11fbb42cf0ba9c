//! Damages archives at random places: records before a cut, and records that no flipped bit touches, must come out
//! unchanged.

use trommel_archive::{ReadOptions, Reader, Record};

use crate::make::*;

/// Random number generator with a fixed seed, so that every run gets the same numbers.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end
    }
}

/// Returns 60 records: pages, metadata records and files of up to some thousand bytes.
fn sample() -> Vec<TestRecord> {
    let mut records = small();
    let mut seeded = Seeded(7);
    for number in records.len()..60 {
        let length = seeded.below(9000);
        records.push(match number % 3 {
            0 => made("response", number, format!("HTTP/1.1 200 OK\r\n\r\n{}", "<p>text\r\n".repeat(length / 9))),
            1 => made("resource", number, noise(length)),
            _ => made("metadata", number, format!("number: {number}\r\n")),
        });
    }
    records
}

const HARMED: [Codec; 8] = [Plain, GzMembers, GzOne, GzPieces, ZstFrames, ZstOne, Lz4Frames, Lz4One];

fn end(record: &Record) -> u64 {
    record.place.offset + record.place.length
}

#[test]
fn a_cut_at_500_random_places_keeps_all_before_it() {
    let made = sample();
    let mut seeded = Seeded(1);
    for codec in HARMED {
        let (bytes, _) = encode(&made, codec);
        let (whole, errors) = read(bytes.clone());
        assert_eq!((whole.len(), errors.len()), (made.len(), 0));
        for _ in 0..500 {
            let cut = seeded.below(bytes.len());
            // In a member that holds several records, the length counts what was decoded ahead.
            let before = whole.iter().filter(|record| end(record) <= cut as u64);
            let (records, _) = read(&bytes[..cut]);
            for (number, record) in before.enumerate() {
                assert!(
                    records.get(number) == Some(record),
                    "{codec:?} {cut}: {number} is\n{:?}\nnot\n{record:?}",
                    records.get(number)
                );
            }
        }
    }
}

#[test]
fn records_that_no_flip_touches_are_unchanged() {
    let made = sample();
    let mut seeded = Seeded(2);
    for codec in HARMED {
        // After damage a member counts that begins with a record: here most begin inside of one.
        if codec == GzPieces {
            continue;
        }
        let (bytes, _) = encode(&made, codec);
        let (whole, _) = read(bytes.clone());
        for round in 0..300 {
            let mut harmed = bytes.clone();
            let at = seeded.below(bytes.len());
            let until = bytes.len().min(at + 1 + seeded.below(if round % 2 == 0 { 1 } else { 5000 }));
            for byte in &mut harmed[at..until] {
                *byte ^= 1 << seeded.below(8);
            }
            let options = ReadOptions::default();
            let Ok(reader) = Reader::new("test.warc", std::io::Cursor::new(harmed), options) else { continue };
            let records: Vec<Record> = reader.flatten().collect();
            let mut from = 0;
            for record in &whole {
                if end(record) > at as u64 && record.place.offset < until as u64 {
                    continue;
                }
                match records[from..].iter().position(|found| found == record) {
                    Some(found) => from += found + 1,
                    None => panic!(
                        "{codec:?} {at}..{until}: not\n{record:?}\nbut\n{:?}",
                        records.iter().find(|found| found.url() == record.url())
                    ),
                }
            }
        }
    }
}

#[test]
fn a_damaged_head_does_not_hide_the_rest() {
    let made = sample();
    for codec in [Plain, GzMembers, ZstFrames, Lz4Frames] {
        let (mut bytes, ends) = encode(&made, codec);
        bytes[..ends[0] - 3].fill(b'?');
        let (records, errors) = read(bytes);
        assert_eq!(records.len(), made.len() - 1, "{codec:?} {errors:?}");
        let lost: u64 = errors.iter().map(|error| damage(error).2).sum();
        let skippable = if codec == ZstFrames { 20 } else { 0 };
        assert_eq!(lost, (ends[0] + skippable) as u64, "{codec:?}");
    }
}
