//! Tests with real archives, if they are available: in `TROMMEL_SHARED`, or in `../shared` beside the workspace.

use std::path::{Path, PathBuf};

use trommel_archive::{PayloadOptions, ReadOptions, Reader, payload};

fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TROMMEL_SHARED").map_or_else(
        || PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared"),
        PathBuf::from,
    );
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no folder {}", path.display());
    None
}

/// Counts the records and the errors of a file; `None` if the file cannot be read as an archive.
fn count(path: &Path) -> Option<(usize, usize)> {
    let reader = Reader::open(path, ReadOptions::default()).ok()?;
    let size = path.metadata().unwrap().len();
    let (mut records, mut errors) = (0, 0);
    for item in reader {
        match item {
            Ok(record) => {
                assert!(record.place.offset + record.place.length <= size, "{}", record.place);
                assert!(record.place.length > 0, "{}", record.place);
                let _ = payload(&record, &PayloadOptions::default());
                records += 1;
            }
            Err(error) => {
                assert!(!error.is_fatal(), "{error}");
                errors += 1;
            }
        }
    }
    Some((records, errors))
}

/// Table of test files with their numbers of records and errors. The numbers of records agree with another reader or
/// with the version lines in the plain bytes. For damaged ARC files, the header lines were counted by eye.
const COUNTS: &str = include_str!("counts.tsv");

#[test]
fn real_and_broken_files() {
    let Some(folder) = shared("warc") else { return };
    let mut others = Vec::new();
    for line in COUNTS.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (path, counts) = (folder.join(cells[0]), (cells[1].parse().unwrap(), cells[2].parse().unwrap()));
        let found = count(&path);
        if path.exists() && found != Some(counts) {
            others.push((cells[0], found));
        }
    }
    assert!(others.is_empty(), "{others:?}");
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_string_lossy().into_owned();
        let archive = ![".wacz", ".md"].iter().any(|suffix| name.ends_with(suffix));
        assert_eq!(count(&path).is_some(), archive, "{name}");
    }
}

#[test]
fn holes_are_counted() {
    let Some(folder) = shared("repro") else { return };
    for (name, offset, lost) in [("hole.warc.gz", 8078, 13_502), ("tail.warc.gz", 13_482, 13_501)] {
        let reader = Reader::open(&folder.join(name), ReadOptions::default()).unwrap();
        let items: Vec<_> = reader.collect();
        let errors: Vec<String> =
            items.iter().filter_map(|item| item.as_ref().err().map(ToString::to_string)).collect();
        let path = folder.join(name).display().to_string();
        let place = format!("{path}: offset {offset}: zeros in place of data, {lost} bytes lost");
        assert_eq!(errors, [place]);
        assert_eq!(items.len() - 1, 50, "{name}");
    }
}

#[test]
fn whole_sets_without_damage() {
    let Some(folder) = shared("data") else { return };
    for (name, records) in [("zhweb", 70), ("dragnet-test", 416), ("l3s-gn1", 622)] {
        let path = folder.join(format!("{name}.warc.gz"));
        if path.exists() {
            assert_eq!(count(&path), Some((records, 0)), "{name}");
        }
    }
}
