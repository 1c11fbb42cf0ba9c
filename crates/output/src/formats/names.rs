//! Names of formats and compressions.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Gives the values of an enumeration their names, to write and to parse.
// The library's only use of strum, which would add four packages to it, was here.
macro_rules! names {
    ($type:ident, $what:literal: $($variant:ident $name:literal),+) => {
        impl $type {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name used on the command line and in configuration files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<Self, UnknownName> {
                let found = Self::ALL.iter().copied().find(|value| value.name() == name);
                found.ok_or_else(|| UnknownName { what: $what, name: name.to_owned(), expected: &[$($name),+] })
            }
        }
    };
}

names!(Format, "format":
    Jsonl "jsonl", Msgpack "msgpack", Wet "wet", Anserini "anserini", Trec "trec", Bulk "bulk", Parquet "parquet",
    Annotations "annotations", Tantivy "tantivy");
names!(Compression, "compression": Zstd "zst", Gzip "gz", None "none");

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
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
    /// Parquet, a row a page without its text.
    Annotations,
    /// A Tantivy index, a folder.
    Tantivy,
}

/// The compression of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Compression {
    /// Zstandard, level 3.
    #[serde(rename = "zst")]
    Zstd,
    /// gzip, level 6.
    #[serde(rename = "gz")]
    Gzip,
    /// No compression.
    #[serde(rename = "none")]
    None,
}

/// A name that is none of a format's or compression's.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}, expected {}", listed(expected))]
pub struct UnknownName {
    what: &'static str,
    name: String,
    expected: &'static [&'static str],
}

fn listed(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

impl Format {
    /// The default compression of files of this format.
    pub fn usual_compression(self) -> Compression {
        match self {
            Self::Jsonl | Self::Msgpack => Compression::Zstd,
            Self::Wet | Self::Anserini | Self::Trec | Self::Bulk => Compression::Gzip,
            Self::Parquet | Self::Annotations | Self::Tantivy => Compression::None,
        }
    }

    /// Whether files of this format are ever compressed this way: the readers of WET, Anserini and
    /// TREC files know gzip alone; Parquet and Tantivy compress what they store.
    pub fn can_be(self, compression: Compression) -> bool {
        match self {
            Self::Jsonl | Self::Msgpack | Self::Bulk => true,
            Self::Wet | Self::Anserini | Self::Trec => compression != Compression::Zstd,
            Self::Parquet | Self::Annotations | Self::Tantivy => compression == Compression::None,
        }
    }

    /// Whether an output of this format is assembled from MessagePack maps.
    pub fn is_assembled(self) -> bool {
        matches!(self, Self::Parquet | Self::Annotations | Self::Tantivy)
    }

    /// Whether files of this format have more metadata of a page than its title and language.
    pub fn has_metadata(self) -> bool {
        !matches!(self, Self::Wet | Self::Anserini | Self::Trec)
    }

    /// The ending of a file name of this format, before the suffix of the compression.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Jsonl => ".jsonl",
            Self::Msgpack => ".msgpack",
            Self::Wet => ".warc.wet",
            Self::Anserini => ".anserini.jsonl",
            Self::Trec => ".trec",
            Self::Bulk => ".bulk.ndjson",
            Self::Parquet => ".parquet",
            Self::Annotations => ".annotations.parquet",
            Self::Tantivy => ".tantivy",
        }
    }
}

impl Compression {
    /// The ending of a file name: nothing, `.gz` or `.zst`.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OutputRecord, encoder};
    use trommel_extract::Metadata;

    #[test]
    fn names_go_there_and_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(*format));
        }
        for name in ["zst", "gz", "none"] {
            assert_eq!(name.parse::<Compression>().unwrap().to_string(), name);
        }
        assert_eq!(
            "json".parse::<Format>().unwrap_err().to_string(),
            "unknown format \"json\", expected jsonl, msgpack, wet, anserini, trec, bulk, parquet, annotations or tantivy"
        );
        assert_eq!(
            "bz2".parse::<Compression>().unwrap_err().to_string(),
            "unknown compression \"bz2\", expected zst, gz or none"
        );
    }

    #[test]
    fn formats_without_metadata_write_none() {
        let full = crate::record::tests::full();
        let few = OutputRecord { metadata: Metadata::default(), ..full.clone() };
        for format in Format::ALL.iter().filter(|format| !format.is_assembled()) {
            let (encode, _) = encoder(*format, Compression::None).unwrap();
            let [of_full, of_few] = [&full, &few].map(|record| {
                let mut out = Vec::new();
                assert!(encode.record(record, &mut out).unwrap(), "{format}");
                out
            });
            assert_eq!(of_full != of_few, format.has_metadata(), "{format}");
        }
    }
}
