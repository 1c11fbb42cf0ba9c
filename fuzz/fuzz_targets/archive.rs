//! Fuzzes the archive reader: places lie in the file, and a resumed reader gives the items of an unbroken one. The
//! first byte chooses limits, the second the item at which to resume.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use trommel_archive::{ArchiveError, ReadOptions, Reader, Record};

fn shape(item: Result<Record, ArchiveError>) -> Result<Record, String> {
    item.map_err(|error| format!("{error:?}"))
}

fuzz_target!(|data: &[u8]| {
    let [limits, at, bytes @ ..] = data else {
        return;
    };
    let options = if limits % 2 == 0 {
        ReadOptions::default()
    } else {
        ReadOptions { max_record: 100, max_header: 300, live: false }
    };
    let Ok(mut reader) = Reader::new("f", Cursor::new(bytes.to_vec()), options) else {
        return;
    };
    let size = bytes.len() as u64;
    let mut point = reader.resume_point();
    let mut rest = Vec::new();
    let mut number = 0;
    while let Some(item) = reader.next() {
        match &item {
            Ok(record) => {
                assert!(record.place.offset + record.place.length <= size);
                assert!(record.block.len() as u64 <= options.max_record);
            }
            Err(error) => assert!(error.offset() <= size),
        }
        rest.push(shape(item));
        number += 1;
        if number <= usize::from(*at) {
            point = reader.resume_point();
            rest.clear();
        }
        assert!(number <= bytes.len() * 2 + 2, "more items than bytes");
    }
    let again = Reader::resume("f", Cursor::new(bytes.to_vec()), &point, options);
    let again: Vec<_> = again.expect("the file is the same").map(shape).collect();
    assert!(again == rest, "from {point:?}\n{again:?}\n{rest:?}");
});
