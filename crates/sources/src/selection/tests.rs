//! Tests selections of the records that an index names.

use super::joined_reads::{GAP, MAX_JOINED_BYTES};
use super::*;
use crate::{NetworkOptions, Remote};
use std::fs;

/// Loads a CDXJ index with these lines, whose archives are in the folder of the index.
fn load(folder: &Path, lines: &str, options: SelectOptions) -> Result<RecordSelection, RecordIndexError> {
    let index = folder.join("i.cdxj");
    fs::write(&index, lines).unwrap();
    RecordSelection::load(&index, &Location::File(index.clone()).folder(), options)
}

fn selection(folder: &Path, rows: &[(&str, u64, u64)]) -> RecordSelection {
    let lines: String = rows
        .iter()
        .map(|(file, offset, length)| {
            format!("x 1 {{\"filename\":\"{file}\",\"offset\":{offset},\"length\":{length}}}\n")
        })
        .collect();
    load(folder, &lines, SelectOptions::default()).unwrap()
}

fn read(selection: &RecordSelection, from: usize) -> Vec<Result<Vec<u8>, SourceError>> {
    selection.read(from, &Remote::new(NetworkOptions::default())).collect()
}

fn bytes(found: &[Result<Vec<u8>, SourceError>]) -> Vec<String> {
    found
        .iter()
        .map(|found| match found {
            Ok(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Err(error) => error.to_string(),
        })
        .collect()
}

#[test]
fn records_come_in_the_order_of_their_places() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "0123456789").unwrap();
    fs::write(folder.path().join("b"), "abcdefghij").unwrap();
    let selection = selection(
        folder.path(),
        &[("b", 7, 3), ("a", 2, 2), ("gone", 0, 5), ("a", 0, 1), ("b", 0, 2), ("a", 2, 2), ("b", 9, 5), ("b", 20, 5)],
    );
    // The range of three bytes at 7 ends where the next begins.
    assert_eq!((selection.rows.len(), selection.bytes()), (7, 22));
    assert_eq!(selection.segments(0).len(), 3);
    let found = read(&selection, 0);
    assert!(selection.archive(&selection.rows[6]).ends_with("gone"));
    let texts = bytes(&found);
    assert_eq!(texts[..6], ["0", "23", "ab", "hi", "j", "the archive ends before the record"]);
    assert!(texts[6].contains("No such file"), "{texts:?}");
    assert_eq!(bytes(&read(&selection, 3))[..2], ["hi", "j"]);
}

#[test]
fn rows_that_come_again_are_taken_once() {
    let folder = tempfile::tempdir().unwrap();
    let selection = selection(folder.path(), &[("a", 2, 5), ("a", 2, 7), ("a", 0, 2), ("a", 2, 1)]);
    let places: Vec<_> = selection.rows.iter().map(|row| (row.offset, row.length)).collect();
    assert_eq!(places, [(0, 2), (2, 7)]);
}

#[test]
fn names_without_measure_are_bad_lines() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(MAX_NAME + 1);
    let selection = selection(folder.path(), &[(&long, 0, 1), ("a", 0, 1)]);
    assert_eq!(selection.archives.len(), 1);
    assert_eq!(selection.bad_lines.first, [(1, "a name of more than 64 KiB".to_owned())]);
}

#[test]
fn neighbours_are_read_together() {
    let folder = tempfile::tempdir().unwrap();
    let selection = selection(
        folder.path(),
        &[
            ("a", 0, 100),
            ("a", 100 + GAP, 100),
            ("a", 300 + 2 * GAP, 100),
            ("a", 400 + 2 * GAP, MAX_JOINED_BYTES),
            ("a", u64::MAX, u64::MAX),
        ],
    );
    let groups: Vec<_> = selection.segments(0).into_iter().map(|segment| segment.rows).collect();
    assert_eq!(groups, [0..2, 2..3, 3..4, 4..5]);
    assert_eq!(selection.segments(1)[0].bytes.start, 100 + GAP);
}

#[test]
fn records_of_one_member_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "0123456789").unwrap();
    let line = |offset, length, inner: &str| {
        format!("x 1 {{\"filename\":\"a\",\"offset\":{offset},\"length\":{length}{inner}}}\n")
    };
    let inner = |inner: u32| format!(",\"inner\":\"{inner}\"");
    let lines = [line(2, 5, &inner(7)), line(2, 5, &inner(7)), line(2, 5, ""), line(6, 2, ""), line(0, 9, "")];
    let lines = lines.concat() + &line(1, 1, ",\"inner\":\"x\"");
    let load =
        |whole_ranges| load(folder.path(), &lines, SelectOptions { whole_ranges, ..SelectOptions::default() }).unwrap();
    let found = load(false);
    assert_eq!(bytes(&read(&found, 0)), ["01", "2345", "2345", "67"]);
    assert_eq!(found.rows.iter().map(|row| row.inner).collect::<Vec<_>>(), [0, 0, 7, 0]);
    assert_eq!(found.bad_lines.first, [(6, "inner is no number".to_owned())]);
    assert_eq!(bytes(&read(&load(true), 0)), ["01", "2345", "67"]);
}

#[test]
fn reading_ends_when_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let options = SelectOptions::default();
    options.stop.set();
    let line = "x 1 {\"filename\":\"a\",\"offset\":1,\"length\":1}\n";
    let error = load(folder.path(), line, options).unwrap_err();
    assert!(error.to_string().ends_with("i.cdxj: stopped"), "{error}");
}

#[test]
fn an_index_without_rows_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = load(folder.path(), "!meta\n\n", SelectOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("i.cdxj: names no record, or none that is wanted"), "{error}");
}
