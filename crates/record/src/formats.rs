//! The output formats: their names, compressions and other facts. Each format has a module.

mod annotations;
mod jsonl;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod search_engines;
mod text_and_markdown;
mod wet;

use std::{path::Path, str::FromStr};

use serde::{Deserialize, Serialize};
use trommel_text::keys::Named;

#[cfg(feature = "parquet")]
pub use annotations::AnnotationTable;
pub use annotations::{Annotation, Annotations};
pub use jsonl::{Jsonl, Msgpack};
#[cfg(feature = "parquet")]
pub use parquet::Parquet;
pub use search_engines::{Anserini, Bulk, Trec, bulk_id, bulk_lines, bulk_mapping};
#[cfg(feature = "storage")]
pub use text_and_markdown::PageFolder;
pub use text_and_markdown::{Printed, front_matter};
pub use wet::Wet;

trommel_text::named! {
    /// An output format.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Format {
        /// JSON lines: one object for each document.
        Jsonl = "jsonl",
        /// A stream of MessagePack maps with the keys of the JSON lines.
        Msgpack = "msgpack",
        /// WARC conversion records as Common Crawl writes them.
        Wet = "wet",
        /// The JSON collection of Anserini and Pyserini.
        Anserini = "anserini",
        /// TREC web documents.
        Trec = "trec",
        /// Bodies of `_bulk` requests to Elasticsearch or OpenSearch.
        Bulk = "bulk",
        /// Text with a heading for each page; in a folder a file for each page.
        Text = "text",
        /// Markdown with a heading for each page; in a folder a file for each page that begins with YAML.
        Markdown = "markdown",
        /// Parquet with a row for each document.
        Parquet = "parquet",
        /// Parquet with a row for each page, without its text.
        Annotations = "annotations",
        /// A folder with a Tantivy index.
        Tantivy = "tantivy",
    }
}

trommel_text::named! {
    /// The compression of an output.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Compression {
        /// Zstandard, level 3.
        #[serde(rename = "zst")]
        Zstd = "zst",
        /// gzip, level 6.
        #[serde(rename = "gz")]
        Gzip = "gz",
        /// No compression.
        #[serde(rename = "none")]
        None = "none",
    }
}

/// Error for a name that is not the name of a format or compression.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}, expected {expected}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    expected: String,
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        by_name("format", name)
    }
}

impl FromStr for Compression {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        by_name("compression", name)
    }
}

fn by_name<T: Named>(what: &'static str, name: &str) -> Result<T, UnknownName> {
    T::VALUES.iter().copied().find(|value| value.named() == name).ok_or_else(|| {
        let mut names: Vec<&str> = T::VALUES.iter().map(|value| value.named()).collect();
        let last = names.pop().unwrap_or_default();
        UnknownName { what, name: name.to_owned(), expected: format!("{} or {last}", names.join(", ")) }
    })
}

/// Facts about an output format.
struct FormatFacts {
    /// Suffix of file names in this format, without that of the compression.
    suffix: &'static str,
    /// Compressions that readers of the format know. Readers of WET, Anserini and TREC files know only gzip; Parquet
    /// and Tantivy compress their contents themselves.
    compressions: &'static [Compression],
    /// Compression that is used if the user requests none.
    usual: Compression,
    /// True if files in the format contain more metadata of a page than its title and language.
    has_metadata: bool,
}

impl Format {
    const fn facts(self) -> FormatFacts {
        use Compression::{Gzip, None, Zstd};
        let (suffix, compressions, usual, has_metadata): (_, &[Compression], _, _) = match self {
            Self::Jsonl => (".jsonl", &[None, Gzip, Zstd], Zstd, true),
            Self::Msgpack => (".msgpack", &[None, Gzip, Zstd], Zstd, true),
            Self::Wet => (".wet", &[None, Gzip], Gzip, false),
            Self::Anserini => (".anserini.jsonl", &[None, Gzip], Gzip, false),
            Self::Trec => (".trec", &[None, Gzip], Gzip, false),
            Self::Bulk => (".bulk.ndjson", &[None, Gzip, Zstd], Gzip, true),
            Self::Text => (".txt", &[None, Gzip, Zstd], None, false),
            Self::Markdown => (".md", &[None, Gzip, Zstd], None, false),
            Self::Parquet => (".parquet", &[None], None, true),
            Self::Annotations => (".annotations.parquet", &[None], None, true),
            Self::Tantivy => (".tantivy", &[None], None, true),
        };
        FormatFacts { suffix, compressions, usual, has_metadata }
    }

    /// Returns the default compression of files in this format.
    pub fn usual_compression(self) -> Compression {
        self.facts().usual
    }

    /// Returns the compressions that files in this format may have.
    pub fn compressions(self) -> &'static [Compression] {
        self.facts().compressions
    }

    /// Returns whether files in this format can have `compression`.
    pub fn can_be(self, compression: Compression) -> bool {
        self.compressions().contains(&compression)
    }

    /// Returns whether an output in this format is assembled at the end of a run from MessagePack maps.
    pub fn is_assembled(self) -> bool {
        matches!(self, Self::Parquet | Self::Annotations | Self::Tantivy)
    }

    /// Returns whether this format writes one file for each page if the output is a folder.
    pub fn is_by_page(self) -> bool {
        matches!(self, Self::Text | Self::Markdown)
    }

    /// Returns whether files in this format contain more metadata of a page than its title and language.
    pub fn has_metadata(self) -> bool {
        self.facts().has_metadata
    }

    /// Returns the file name suffix by which the format is recognised.
    pub fn known_suffix(self) -> &'static str {
        self.facts().suffix
    }

    /// Returns further file name suffixes by which the format is recognised.
    fn other_suffixes(self) -> &'static [&'static str] {
        if self == Self::Jsonl { &[".json", ".ndjson"] } else { &[] }
    }

    /// Returns the suffix of files that are written in this format, without that of the compression.
    pub fn suffix(self) -> &'static str {
        match self {
            // As Common Crawl names them.
            Self::Wet => ".warc.wet",
            other => other.known_suffix(),
        }
    }
}

impl Compression {
    /// Returns the suffix that this compression adds to file names.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

/// Returns the end of a file name that determines format and compression, with both of them; upper and lower case count
/// as equal. Returns `None` if the name determines no format.
pub fn suffix_of(name: &str) -> Option<(&str, Format, Compression)> {
    let lower = name.to_ascii_lowercase();
    let pairs =
        Format::ALL.into_iter().flat_map(|format| format.compressions().iter().map(move |packed| (format, *packed)));
    let known = pairs.filter_map(|(format, compression)| {
        let suffixes = [format.known_suffix()].into_iter().chain(format.other_suffixes().iter().copied());
        let suffix =
            suffixes.map(|suffix| suffix.to_owned() + compression.suffix()).find(|end| lower.ends_with(end))?;
        Some((suffix.len(), format, compression))
    });
    // `.anserini.jsonl` ends with `.jsonl`, too.
    let (length, format, compression) = known.max_by_key(|(length, ..)| *length)?;
    Some((name.get(name.len() - length..)?, format, compression))
}

/// Splits the file name of an output into its stem, format and compression. Returns `None` if the name determines no
/// format that can be read back.
pub fn readable_name(path: &Path) -> Option<(&str, Format, Compression)> {
    let name = path.file_name()?.to_str()?;
    let (suffix, format, compression) = suffix_of(name)?;
    let stem = name.strip_suffix(suffix)?;
    let is_readable = matches!(format, Format::Jsonl | Format::Msgpack | Format::Parquet) && !stem.is_empty();
    is_readable.then_some((stem, format, compression))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, encoder};

    #[test]
    fn names_go_there_and_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        for name in ["zst", "gz", "none"] {
            assert_eq!(name.parse::<Compression>().unwrap().to_string(), name);
        }
        assert_eq!(
            "json".parse::<Format>().unwrap_err().to_string(),
            "unknown format \"json\", expected jsonl, msgpack, wet, anserini, trec, bulk, text, markdown, parquet, annotations or tantivy"
        );
        assert_eq!(
            "bz2".parse::<Compression>().unwrap_err().to_string(),
            "unknown compression \"bz2\", expected zst, gz or none"
        );
    }

    #[test]
    fn formats_without_metadata_write_none() {
        let full = crate::record_id::tests::full();
        let few = Document { source: full.source.clone(), ..crate::record_id::tests::record() };
        for format in Format::ALL.into_iter().filter(|format| !format.is_assembled()) {
            let (encode, _) = encoder(format, Compression::None).unwrap();
            let [of_full, of_few] = [&full, &few].map(|record| {
                let mut out = Vec::new();
                assert!(encode.record(record, &mut out).unwrap(), "{format}");
                out
            });
            assert_eq!(of_full != of_few, format.has_metadata(), "{format}");
        }
    }

    #[test]
    fn names_tell_the_format() {
        let read = |path: &str| readable_name(Path::new(path)).map(|(stem, format, _)| (stem.to_owned(), format));
        assert_eq!(read("out/a.b.jsonl.zst"), Some(("a.b".to_owned(), Format::Jsonl)));
        assert_eq!(read("a.parquet"), Some(("a".to_owned(), Format::Parquet)));
        assert_eq!(read("a.json"), Some(("a".to_owned(), Format::Jsonl)));
        assert_eq!(read("a.ndjson.gz"), Some(("a".to_owned(), Format::Jsonl)));
        for other in ["a.wet.gz", ".jsonl", "out/", "a.anserini.jsonl.gz", "a.annotations.parquet", "a.bulk.ndjson"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
