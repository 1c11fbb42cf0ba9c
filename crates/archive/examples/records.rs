//! Prints one line for each archive: name, number of records, places of damage, bytes lost.
//! `scripts/compare-readers.py` compares these lines with other readers.

use std::path::Path;

use trommel_archive::{ArchiveError, ReadOptions, Reader};

fn main() {
    for name in std::env::args().skip(1) {
        let (mut records, mut damage, mut lost) = (0u64, 0u64, 0u64);
        let mut refusal = None;
        match Reader::open(Path::new(&name), ReadOptions::default()) {
            Ok(reader) => {
                for item in reader {
                    match item {
                        Ok(_) => records += 1,
                        Err(ArchiveError::Damage { lost: bytes, .. }) => {
                            damage += 1;
                            lost += bytes;
                        }
                        Err(error) => refusal = Some(error),
                    }
                }
            }
            Err(error) => refusal = Some(error),
        }
        let refusal = refusal.map(|error| error.to_string()).unwrap_or_default();
        println!("{name}\t{records}\t{damage}\t{lost}\t{refusal}");
    }
}
