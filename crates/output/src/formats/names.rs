//! Names of formats and compressions.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// An output format.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
    Serialize,
    Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(
    serialize_all = "lowercase",
    parse_err_ty = UnknownName,
    parse_err_fn = UnknownName::of::<Self>
)]
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
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[strum(parse_err_ty = UnknownName, parse_err_fn = UnknownName::of::<Self>)]
pub enum Compression {
    /// Zstandard, level 3.
    #[serde(rename = "zst")]
    #[strum(serialize = "zst")]
    Zstd,
    /// gzip, level 6.
    #[serde(rename = "gz")]
    #[strum(serialize = "gz")]
    Gzip,
    /// Not at all.
    #[serde(rename = "none")]
    #[strum(serialize = "none")]
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

/// The noun for the names of an enumeration.
trait Named: VariantNames {
    const WHAT: &'static str;
}

impl Named for Format {
    const WHAT: &'static str = "format";
}

impl Named for Compression {
    const WHAT: &'static str = "compression";
}

impl UnknownName {
    fn of<T: Named>(name: &str) -> Self {
        Self { what: T::WHAT, name: name.to_owned(), expected: T::VARIANTS }
    }
}

fn listed(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;

    /// The name used on the command line and in configuration files.
    pub fn name(self) -> &'static str {
        self.into()
    }

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

    /// Whether an output of this format is [assembled](crate::Assemble) from MessagePack maps.
    pub fn is_assembled(self) -> bool {
        matches!(self, Self::Parquet | Self::Annotations | Self::Tantivy)
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
    /// The name used on the command line and in configuration files.
    pub fn name(self) -> &'static str {
        self.into()
    }

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
}
