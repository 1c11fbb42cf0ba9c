//! Lists the records of archive files: offset, length, type, media type, status, bytes, URL.

use std::{path::Path, process::ExitCode};

use trommel_archive::{MediaType, PayloadOptions, ReadOptions, Reader, media_type, payload};

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for name in std::env::args().skip(1) {
        let reader = match Reader::open(Path::new(&name), ReadOptions::default()) {
            Ok(reader) => reader,
            Err(error) => {
                println!("error: {error}");
                code = ExitCode::FAILURE;
                continue;
            }
        };
        for item in reader {
            match item {
                Ok(record) => {
                    let (place, length) = (&record.place, record.block.len());
                    print!("{}+{}\t{}\t{}\t{length}", place.offset, place.inner, place.length, record.kind);
                    if let Ok(payload) = payload(&record, &PayloadOptions::default()) {
                        let kind = match media_type(&record, &payload).0 {
                            MediaType::Html => "html".to_owned(),
                            MediaType::Xhtml => "xhtml".to_owned(),
                            MediaType::Other(name) => name,
                        };
                        let status = payload.status.map_or_else(|| "-".to_owned(), |s| s.to_string());
                        print!("\t{status}\t{kind}\t{}\t{:?}{:?}", payload.body.len(), payload.codings, payload.notes);
                    }
                    println!("\t{}\t{:?}", record.url().unwrap_or("-"), record.notes);
                }
                Err(error) => {
                    println!("error: {error}");
                    code = ExitCode::FAILURE;
                }
            }
        }
    }
    code
}
