//! Tests that every codec gives the same records, with their places.

use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use trommel_archive::{ReadOptions, Reader, Record};

use crate::make::*;

#[test]
fn every_codec_gives_the_same_records() {
    let made = large();
    for codec in CODECS {
        let (bytes, _) = encode(&made, codec);
        let (records, errors) = read(bytes.clone());
        assert!(errors.is_empty(), "{codec:?} {errors:?}");
        assert_eq!(records.len(), made.len(), "{codec:?}");
        for (record, made) in records.iter().zip(&made) {
            assert_same(record, made);
        }
        let drops = Drops(Cursor::new(bytes));
        let again: Vec<Record> =
            Reader::new("test.warc", drops, ReadOptions::default()).unwrap().collect::<Result<_, _>>().unwrap();
        assert!(again == records, "{codec:?}: places or records depend on the reads");
    }
}

/// Input that returns the bytes of one record with each read.
struct Arriving {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    given: Arc<AtomicUsize>,
}

impl Read for Arriving {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let from = self.given.load(Ordering::Relaxed);
        let to = self.ends.iter().copied().find(|end| *end > from);
        let to = to.unwrap_or(self.bytes.len()).min(from + into.len());
        into[..to - from].copy_from_slice(&self.bytes[from..to]);
        self.given.store(to, Ordering::Relaxed);
        Ok(to - from)
    }
}

#[test]
fn records_of_a_live_input_come_without_waiting_for_the_next() {
    let made = large();
    for codec in CODECS {
        let (bytes, ends) = encode(&made, codec);
        let given = Arc::new(AtomicUsize::new(0));
        let arriving = Arriving { bytes, ends: ends.clone(), given: given.clone() };
        let options = ReadOptions { live: true, ..ReadOptions::default() };
        let mut reader = Reader::new("test.warc", arriving, options).unwrap();
        for (number, made) in made.iter().enumerate() {
            assert_same(&reader.next().unwrap().unwrap(), made);
            let most = ends.get(number).copied().unwrap_or(usize::MAX);
            let given = given.load(Ordering::Relaxed);
            assert!(given <= most, "{codec:?} {number}: {given} > {most}");
        }
        assert!(reader.next().is_none(), "{codec:?}");
    }
}

#[test]
fn blocks_in_used_memory_are_the_same() {
    let made = large();
    for codec in CODECS {
        let (bytes, _) = encode(&made, codec);
        let mut reader = open(bytes).unwrap();
        let mut read = 0;
        while let Some(record) = reader.next() {
            let record = record.unwrap();
            assert_same(&record, &made[read]);
            reader.reuse(record.block);
            read += 1;
        }
        assert_eq!(read, made.len(), "{codec:?}");
    }
}

#[test]
fn places_lead_back_to_the_record() {
    let made = large();
    for codec in CODECS {
        let (bytes, ends) = encode(&made, codec);
        let (records, _) = read(bytes.clone());
        for (number, record) in records.iter().enumerate() {
            let place = &record.place;
            let (from, to) = (place.offset as usize, (place.offset + place.length) as usize);
            if let Some(end) = ends.get(number) {
                assert_eq!((to, place.inner), (*end, 0), "{codec:?} {number}");
            }
            if matches!(codec, ZstDictionary | ZstPackedDictionary) {
                continue;
            }
            let skipped = if matches!(codec, GzOne | ZstOne | Lz4One | GzPieces) {
                let all: Vec<u8> = made.iter().take(number).flat_map(plain).collect();
                let inner = place.inner as usize;
                if codec == GzPieces {
                    assert_eq!(inner, all.len() % 700, "{number}");
                } else {
                    assert_eq!((inner, from), (all.len(), 0), "{codec:?} {number}");
                }
                inner
            } else {
                0
            };
            // From `inner` on, the stored bytes hold the whole record.
            let mut plain_bytes = Vec::new();
            let stored = &bytes[from..to];
            let _ = match codec {
                Plain => Cursor::new(stored).read_to_end(&mut plain_bytes),
                ZstFrames | ZstOne => zstd::stream::read::Decoder::new(stored).unwrap().read_to_end(&mut plain_bytes),
                Lz4Frames | Lz4One => lz4_flex::frame::FrameDecoder::new(stored).read_to_end(&mut plain_bytes),
                _ => flate2::read::MultiGzDecoder::new(stored).read_to_end(&mut plain_bytes),
            };
            let expected = plain(&made[number]);
            // In a member that has not ended, the last bytes may still be in the decoder's input.
            let there = &plain_bytes[skipped.min(plain_bytes.len())..];
            assert!(there.starts_with(&expected), "{codec:?} {number}");
            if ends.get(number).is_some() {
                assert_eq!(there.len(), expected.len(), "{codec:?} {number}");
            }
        }
    }
}

#[test]
fn a_cut_anywhere_loses_only_what_is_behind_it() {
    let made = small();
    for codec in CODECS {
        let (bytes, ends) = encode(&made, codec);
        for cut in 0..bytes.len() {
            let (records, errors) = read(&bytes[..cut]);
            let whole = ends.iter().filter(|end| **end <= cut).count();
            assert!(records.len() >= whole, "{codec:?} cut at {cut}: {} of {whole}", records.len());
            for (record, made) in records.iter().zip(&made).take(whole) {
                assert_same(record, made);
            }
            let extra = &records[whole..];
            for record in extra {
                let full = &made[records.iter().position(|r| r == record).unwrap()];
                assert!(full.block.starts_with(&record.block), "{codec:?} cut at {cut}");
            }
            let clean = cut > 0 && (ends.contains(&cut) || codec == Plain && extra.iter().any(|r| r.notes.is_empty()));
            let pieces = codec == GzPieces && errors.is_empty();
            let extension = matches!(codec, ZstFrames | ZstDictionary | ZstPackedDictionary | GzEmpties);
            if !clean && !pieces && !extension {
                // A header in pieces that is cut is reported, and so is its last piece.
                let most = if codec == GzPieces { 2 } else { 1 };
                assert!((1..=most).contains(&errors.len()), "{codec:?} cut at {cut}: {errors:?}");
            }
        }
    }
}
