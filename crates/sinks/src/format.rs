//! Names of formats and compressions.

use std::{fmt, str::FromStr};

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    Jsonl,
    /// A stream of MessagePack maps with the keys of the JSON lines.
    Msgpack,
    /// WARC conversion records as Common Crawl writes them.
    Wet,
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
    /// The name used on the command line and in configuration files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Msgpack => "msgpack",
            Self::Wet => "wet",
        }
    }

    /// How files of this format are compressed if nobody says otherwise.
    pub fn usual_compression(self) -> Compression {
        match self {
            Self::Jsonl | Self::Msgpack => Compression::Zstd,
            Self::Wet => Compression::Gzip,
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
        [Self::Jsonl, Self::Msgpack, Self::Wet]
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownName {
                what: "format",
                name: name.to_owned(),
                expected: "jsonl, msgpack or wet",
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
        for name in ["jsonl", "msgpack", "wet"] {
            assert_eq!(name.parse::<Format>().unwrap().to_string(), name);
        }
        for name in ["zst", "gz", "none"] {
            assert_eq!(name.parse::<Compression>().unwrap().to_string(), name);
        }
        assert_eq!(
            "json".parse::<Format>().unwrap_err().to_string(),
            "unknown format \"json\", expected jsonl, msgpack or wet"
        );
        assert_eq!(
            "bz2".parse::<Compression>().unwrap_err().to_string(),
            "unknown compression \"bz2\", expected zst, gz or none"
        );
    }
}
