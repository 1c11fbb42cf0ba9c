//! Names of formats and compressions.

use std::{fmt, str::FromStr};

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// One JSON object a line.
    Jsonl,
    /// A stream of MessagePack maps with the keys of the JSON lines.
    Msgpack,
    /// WARC conversion records as Common Crawl writes them.
    Wet,
    /// The JSON collection of Anserini and Pyserini.
    Anserini,
    /// TREC web documents.
    Trec,
    /// Bodies of `_bulk` requests to Elasticsearch or OpenSearch.
    Bulk,
    /// Parquet, a row a document.
    Parquet,
    /// A Tantivy index, a folder.
    Tantivy,
}

/// How an output is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, level 6.
    Gzip,
    /// Zstandard, level 3.
    Zstd,
}

/// A name that is none of a format's or compression's.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}, expected {expected}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    expected: &'static str,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 8] = [
        Self::Jsonl,
        Self::Msgpack,
        Self::Wet,
        Self::Anserini,
        Self::Trec,
        Self::Bulk,
        Self::Parquet,
        Self::Tantivy,
    ];

    /// The name used on the command line and in configuration files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Msgpack => "msgpack",
            Self::Wet => "wet",
            Self::Anserini => "anserini",
            Self::Trec => "trec",
            Self::Bulk => "bulk",
            Self::Parquet => "parquet",
            Self::Tantivy => "tantivy",
        }
    }

    /// How files of this format are compressed if nobody says otherwise.
    pub fn usual_compression(self) -> Compression {
        match self {
            Self::Jsonl | Self::Msgpack => Compression::Zstd,
            Self::Wet | Self::Anserini | Self::Trec | Self::Bulk => Compression::Gzip,
            Self::Parquet | Self::Tantivy => Compression::None,
        }
    }

    /// Whether files of this format are ever compressed this way: the readers of WET, Anserini and
    /// TREC files know gzip alone; Parquet and Tantivy compress what they store.
    pub fn can_be(self, compression: Compression) -> bool {
        match self {
            Self::Jsonl | Self::Msgpack | Self::Bulk => true,
            Self::Wet | Self::Anserini | Self::Trec => compression != Compression::Zstd,
            Self::Parquet | Self::Tantivy => compression == Compression::None,
        }
    }

    /// Whether an output of this format is [assembled](crate::Assemble) from MessagePack maps.
    pub fn is_assembled(self) -> bool {
        matches!(self, Self::Parquet | Self::Tantivy)
    }

    /// What a file name of this format ends with, before the suffix of the compression.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Jsonl => ".jsonl",
            Self::Msgpack => ".msgpack",
            Self::Wet => ".warc.wet",
            Self::Anserini => ".anserini.jsonl",
            Self::Trec => ".trec",
            Self::Bulk => ".bulk.ndjson",
            Self::Parquet => ".parquet",
            Self::Tantivy => ".tantivy",
        }
    }
}

impl Compression {
    /// The name used on the command line and in configuration files.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gz",
            Self::Zstd => "zst",
        }
    }

    /// What a file name ends with: nothing, `.gz` or `.zst`.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownName {
                what: "format",
                name: name.to_owned(),
                expected: "jsonl, msgpack, wet, anserini, trec, bulk, parquet or tantivy",
            })
    }
}

impl FromStr for Compression {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        [Self::None, Self::Gzip, Self::Zstd]
            .into_iter()
            .find(|compression| compression.name() == name)
            .ok_or_else(|| UnknownName {
                what: "compression",
                name: name.to_owned(),
                expected: "zst, gz or none",
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse::<Format>(), Ok(format));
        }
        for name in ["zst", "gz", "none"] {
            assert_eq!(name.parse::<Compression>().unwrap().to_string(), name);
        }
        assert_eq!(
            "json".parse::<Format>().unwrap_err().to_string(),
            "unknown format \"json\", expected jsonl, msgpack, wet, anserini, trec, bulk, parquet or tantivy"
        );
        assert_eq!(
            "bz2".parse::<Compression>().unwrap_err().to_string(),
            "unknown compression \"bz2\", expected zst, gz or none"
        );
    }
}
