//! The names of shards, and the formats that file names stand for.

use std::path::Path;

use trommel_output::{Compression, Format};

/// Ends of the names of outputs that can be read back.
const SUFFIXES: [(&str, Format, Compression); 7] = [
    (".jsonl", Format::Jsonl, Compression::None),
    (".jsonl.gz", Format::Jsonl, Compression::Gzip),
    (".jsonl.zst", Format::Jsonl, Compression::Zstd),
    (".msgpack", Format::Msgpack, Compression::None),
    (".msgpack.gz", Format::Msgpack, Compression::Gzip),
    (".msgpack.zst", Format::Msgpack, Compression::Zstd),
    (".parquet", Format::Parquet, Compression::None),
];

/// Name of the shard that an output is: its file name without folder and format. None of a file whose name
/// tells no format that is read back.
pub fn shard_name(path: &Path) -> Option<&str> {
    named(path).map(|(stem, ..)| stem)
}

/// Stem, format and compression of an output.
pub(crate) fn named(path: &Path) -> Option<(&str, Format, Compression)> {
    let name = path.file_name()?.to_str()?;
    SUFFIXES.iter().find_map(|&(suffix, format, compression)| {
        let stem = name.strip_suffix(suffix)?;
        (!stem.is_empty()).then_some((stem, format, compression))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_folder_and_format() {
        let name = |path: &str| shard_name(Path::new(path)).map(str::to_owned);
        assert_eq!(name("out/a.b.jsonl.zst").as_deref(), Some("a.b"));
        assert_eq!(name("a.parquet").as_deref(), Some("a"));
        assert_eq!(name("a.wet.gz"), None);
        assert_eq!(name(".jsonl"), None);
        assert_eq!(name("out/"), None);
    }
}
