//! Ids of records.

use std::path::Path;

use trommel_archive::Record;
use trommel_record::record_id;

/// The id of a record. That of one that has none, as in ARC files, depends on the archive's name but not on
/// the folder it is in.
pub(crate) fn id(record: &Record) -> String {
    record.id().map_or_else(|| derived(record), str::to_owned)
}

fn derived(record: &Record) -> String {
    let place = &record.place;
    // The folder is left out: the same archive on another machine gives the same ids.
    let file = Path::new(&*place.file).file_name().unwrap_or_default();
    record_id(&[
        "source",
        &file.to_string_lossy(),
        &place.offset.to_string(),
        &place.inner.to_string(),
        record.url().unwrap_or_default(),
        // Of any form: it tells records apart.
        record.headers.get("WARC-Date").unwrap_or_default(),
    ])
}
