//! Prints a line for each page of an archive: its URL, how many words are kept, and its title.
//!
//!     cargo run --release -p trommel --example archive -- pages.warc.gz

use std::path::Path;
use std::{env, error::Error};

use trommel::archive::{MediaType, PayloadOptions, ReadOptions, Reader, RecordType, media_type, payload};
use trommel::{Extractor, page_hints};

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("usage: archive FILE")?;
    let extractor = Extractor::default();

    for record in Reader::open(Path::new(&path), ReadOptions::default())? {
        // What is damaged is skipped by the reader; an error here ends the archive.
        let record = record?;
        if record.kind != RecordType::Response {
            continue;
        }
        let page = match payload(&record, &PayloadOptions::default()) {
            Ok(page) => page,
            Err(error) => {
                eprintln!("{}: {error}", record.url().unwrap_or("?"));
                continue;
            }
        };
        if !matches!(media_type(&record, &page).0, MediaType::Html | MediaType::Xhtml) {
            continue;
        }
        let document = extractor.document(&page.body, &page_hints(&record, &page));
        println!(
            "{}\t{}\t{}",
            record.url().unwrap_or("?"),
            document.text.split_whitespace().count(),
            document.title.unwrap_or_default()
        );
    }
    Ok(())
}
