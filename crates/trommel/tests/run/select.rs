//! Records that an index names, out of archives whose members need more than their own bytes.

use std::{fs, io::Write};

use trommel::run::{Destination, Environment, Outcome, run, select};
use trommel_archive::{ReadOptions, Reader};
use trommel_record::Format;
use trommel_sources::{Location, NetworkOptions, SelectOptions};

use crate::make::*;

/// Dictionary that `zstd` trained on records like those of [`page`].
const DICTIONARY: &[u8] = include_bytes!("pages.zdict");

/// Returns an archive whose zstd frames are compressed with a dictionary, which is in a frame at its start.
fn with_dictionary(records: &[Vec<u8>]) -> Vec<u8> {
    let mut out = vec![0x5d, 0x2a, 0x4d, 0x18];
    out.extend_from_slice(&u32::try_from(DICTIONARY.len()).unwrap().to_le_bytes());
    out.extend_from_slice(DICTIONARY);
    for record in records {
        let mut encoder = zstd::stream::Encoder::with_dictionary(Vec::new(), 3, DICTIONARY).unwrap();
        encoder.write_all(record).unwrap();
        out.extend(encoder.finish().unwrap());
    }
    out
}

#[test]
fn records_that_need_a_dictionary_are_read_with_it() {
    let records: Vec<Vec<u8>> = (0..9).map(page).collect();
    let (folder, archive) = archive("a.warc.zst", with_dictionary(&records));
    let places = Reader::open(&archive, ReadOptions::default()).unwrap().map(|record| record.unwrap().place);
    let lines = places.map(|place| {
        format!("x 1 {{\"filename\":\"a.warc.zst\",\"offset\":{},\"length\":{}}}\n", place.offset, place.length)
    });
    let lines: Vec<String> = lines.collect();
    let index = folder.path().join("i.cdxj");
    fs::write(&index, lines[1..8].iter().step_by(3).cloned().collect::<String>()).unwrap();

    let mut plan = plan(&[], Destination::Stdout, Format::Jsonl);
    let base = Location::File(index.clone()).folder();
    plan.inputs = vec![select(&index, Some(&base), SelectOptions::default(), &NetworkOptions::default()).unwrap()];
    let mut out = Vec::new();
    let summary = run(&plan, &extract, Environment::new(&mut out, &mut ())).unwrap();
    assert_eq!(summary.outcome(), Outcome::Clean, "{summary:?}");
    let found = crate::make::lines(&out);
    let texts: Vec<&str> = found.iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Page 1", "Page 4", "Page 7"]);
    // Places are those of the archive, without the dictionary that was put before the record.
    for (line, wanted) in found.iter().zip(lines[1..8].iter().step_by(3)) {
        let place = format!("\"offset\":{},\"length\":{}}}", line["source"]["offset"], line["source"]["length"]);
        assert!(wanted.contains(&place), "{wanted} {place}");
    }
}
