//! Recognises the format and the compression of an output by its name.

use std::path::Path;

use crate::{Compression, Format};

/// Ends of file names that set the format and the compression.
// The first match counts, so `.anserini.jsonl` stands before `.jsonl`.
pub const SUFFIXES: [(&str, Format, Compression); 18] = [
    (".annotations.parquet", Format::Annotations, Compression::None),
    (".anserini.jsonl", Format::Anserini, Compression::None),
    (".anserini.jsonl.gz", Format::Anserini, Compression::Gzip),
    (".jsonl", Format::Jsonl, Compression::None),
    (".jsonl.gz", Format::Jsonl, Compression::Gzip),
    (".jsonl.zst", Format::Jsonl, Compression::Zstd),
    (".msgpack", Format::Msgpack, Compression::None),
    (".msgpack.gz", Format::Msgpack, Compression::Gzip),
    (".msgpack.zst", Format::Msgpack, Compression::Zstd),
    (".wet", Format::Wet, Compression::None),
    (".wet.gz", Format::Wet, Compression::Gzip),
    (".trec", Format::Trec, Compression::None),
    (".trec.gz", Format::Trec, Compression::Gzip),
    (".bulk.ndjson", Format::Bulk, Compression::None),
    (".bulk.ndjson.gz", Format::Bulk, Compression::Gzip),
    (".parquet", Format::Parquet, Compression::None),
    (".tantivy", Format::Tantivy, Compression::None),
    (".bulk.ndjson.zst", Format::Bulk, Compression::Zstd),
];

/// The end of a file name that sets the format and the compression, of any case; none if it sets none.
pub fn suffix_of(name: &str) -> Option<(&'static str, Format, Compression)> {
    let name = name.to_ascii_lowercase();
    SUFFIXES.into_iter().find(|(suffix, ..)| name.ends_with(suffix))
}

/// Stem, format and compression of an output by its name. None if the name tells no format that can be read back.
pub fn readable_name(path: &Path) -> Option<(&str, Format, Compression)> {
    let name = path.file_name()?.to_str()?;
    let (suffix, format, compression) = suffix_of(name)?;
    let stem = name.get(..name.len().checked_sub(suffix.len())?)?;
    let is_readable = matches!(format, Format::Jsonl | Format::Msgpack | Format::Parquet) && !stem.is_empty();
    is_readable.then_some((stem, format, compression))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_format() {
        let read = |path: &str| readable_name(Path::new(path)).map(|(stem, format, _)| (stem.to_owned(), format));
        assert_eq!(read("out/a.b.jsonl.zst"), Some(("a.b".to_owned(), Format::Jsonl)));
        assert_eq!(read("a.parquet"), Some(("a".to_owned(), Format::Parquet)));
        for other in ["a.wet.gz", ".jsonl", "out/", "a.anserini.jsonl.gz", "a.annotations.parquet", "a.bulk.ndjson"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
