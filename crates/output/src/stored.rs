//! Documents read back from the formats that write one map a document.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use trommel_archive::signature;
use trommel_extract::{Metadata, Role};

use crate::Source;

/// What an output says of one page: the keys of a JSON line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stored {
    /// WARC-Record-ID without angle brackets, or what stands for it.
    pub id: String,
    /// URL of the page.
    pub url: Option<String>,
    /// Time of the capture.
    pub date: Option<String>,
    /// Main text.
    pub text: String,
    /// Title of the page.
    pub title: Option<String>,
    /// Language of the text.
    pub lang: Option<String>,
    /// Encoding of the page.
    pub charset: String,
    /// Where the encoding was learned from.
    pub charset_source: String,
    /// Expected word F1 of the text, in 0..=1.
    pub confidence: f32,
    /// Where the record is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// What else the page says about itself.
    #[serde(flatten)]
    pub metadata: Metadata,
    /// The headings among the text's lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Type of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_type: Option<String>,
    /// Readers' comments, where they are kept apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<String>,
    /// HTTP status code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// WARC-Truncated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// Every block of the page, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<StoredBlock>,
}

/// A block of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredBlock {
    /// Its text.
    pub text: String,
    /// Probability that it is main content.
    pub probability: f32,
    /// Whether it is part of the text.
    pub kept: bool,
    /// What it is on its page.
    pub role: Option<Role>,
    /// First byte of it in the decoded page.
    pub start: u32,
    /// One past its last byte there.
    pub end: u32,
}

/// Why an output cannot be read back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredError {
    /// The file cannot be opened, read or uncompressed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is no document.
    #[error("line {line}: {source}")]
    Json {
        /// Number of the line, from 1.
        line: u64,
        /// What the JSON reader said.
        source: serde_json::Error,
    },
    /// A map is no document, or is cut.
    #[error("document {number}: {source}")]
    Msgpack {
        /// Number of the document, from 1.
        number: u64,
        /// What the MessagePack reader said.
        source: rmp_serde::decode::Error,
    },
    /// A Parquet file is none, or a row of it cannot be read.
    #[cfg(feature = "parquet")]
    #[error("Parquet: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// The file holds no documents in a form that is read.
    #[error("neither JSON lines nor MessagePack nor Parquet")]
    Unknown,
}

enum Form {
    Jsonl,
    Msgpack,
    #[cfg(feature = "parquet")]
    Parquet(Box<crate::parquet::Rows>),
}

/// Reads the documents of an output: JSON lines or MessagePack, plain or in gzip or zstd, or a Parquet
/// file. Which it is
/// is seen from the bytes, not from the name. After an error there are no more documents.
pub struct StoredReader<R> {
    input: R,
    form: Option<Form>,
    number: u64,
    line: Vec<u8>,
}

impl StoredReader<Box<dyn BufRead>> {
    /// Opens an output.
    ///
    /// # Errors
    /// If it cannot be read, or holds another format.
    pub fn open(path: &Path) -> Result<Self, StoredError> {
        let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
        let start = file.fill_buf()?;
        #[cfg(feature = "parquet")]
        if start.starts_with(&signature::PARQUET) {
            let rows = crate::parquet::Rows::new(file.into_inner())?;
            return Ok(Self {
                input: Box::new(io::empty()),
                form: Some(Form::Parquet(Box::new(rows))),
                number: 0,
                line: Vec::new(),
            });
        }
        let input: Box<dyn BufRead> = if start.starts_with(&signature::GZIP) {
            Box::new(BufReader::new(MultiGzDecoder::new(file)))
        } else if start.starts_with(&signature::ZSTD) {
            Box::new(BufReader::new(zstd::stream::read::Decoder::with_buffer(
                file,
            )?))
        } else {
            Box::new(file)
        };
        Self::new(input)
    }
}

impl<R: BufRead> StoredReader<R> {
    /// Reads plain bytes.
    ///
    /// # Errors
    /// If they cannot be read, or are another format.
    pub fn new(mut input: R) -> Result<Self, StoredError> {
        let form = match input.fill_buf()?.first() {
            None => None,
            Some(b'{') => Some(Form::Jsonl),
            // A map of up to 15, 65,535 or more keys.
            Some(0x80..=0x8F | 0xDE | 0xDF) => Some(Form::Msgpack),
            Some(_) => return Err(StoredError::Unknown),
        };
        Ok(Self {
            input,
            form,
            number: 0,
            line: Vec::new(),
        })
    }

    fn line(&mut self) -> Result<Option<Stored>, StoredError> {
        loop {
            self.line.clear();
            if self.input.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                let line = self.number;
                return serde_json::from_slice(&self.line)
                    .map(Some)
                    .map_err(|source| StoredError::Json { line, source });
            }
        }
    }

    fn map(&mut self) -> Result<Option<Stored>, StoredError> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let number = self.number;
        rmp_serde::decode::from_read(&mut self.input)
            .map(Some)
            .map_err(|source| StoredError::Msgpack { number, source })
    }
}

impl<R: BufRead> Iterator for StoredReader<R> {
    type Item = Result<Stored, StoredError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = match &mut self.form {
            None => return None,
            Some(Form::Jsonl) => self.line(),
            Some(Form::Msgpack) => self.map(),
            #[cfg(feature = "parquet")]
            Some(Form::Parquet(rows)) => rows.next().transpose().map_err(StoredError::from),
        };
        if !matches!(next, Ok(Some(_))) {
            self.form = None;
        }
        next.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Compression, Encode, Jsonl, Msgpack, Stream,
        jsonl::tests::{document, entry, source},
    };
    use std::io::Write;

    #[test]
    fn every_form_reads_back() {
        let (source, mut document) = (source(7), document());
        document.metadata.site = Some("S".into());
        document.headings = vec!["a h1".into()];
        let entry = entry(&source, &document);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let encoders: [&dyn Encode; 2] = [&Jsonl, &Msgpack];
        for encoder in encoders {
            for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
                let mut bytes = Vec::new();
                encoder.entry(&entry, &mut bytes).unwrap();
                encoder.entry(&entry, &mut bytes).unwrap();
                let mut stream = Stream::new(File::create(&path).unwrap(), compression).unwrap();
                stream.write_all(&bytes).unwrap();
                stream.finish().unwrap();
                let read: Vec<Stored> = StoredReader::open(&path)
                    .unwrap()
                    .map(Result::unwrap)
                    .collect();
                assert_eq!(read.len(), 2);
                let stored = &read[1];
                assert_eq!(
                    (stored.id.as_str(), stored.text.as_str()),
                    (entry.id, document.text.as_str())
                );
                assert_eq!(stored.metadata, document.metadata);
                assert_eq!(stored.source.as_ref(), Some(&source));
                assert_eq!(stored.headings, ["a h1"]);
                assert!((stored.confidence - 0.75).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn what_is_no_document_is_an_error_once() {
        let read = |bytes: &[u8]| -> Vec<String> {
            match StoredReader::new(bytes) {
                Ok(reader) => reader
                    .map(|item| item.map_or_else(|error| error.to_string(), |stored| stored.id))
                    .collect(),
                Err(error) => vec![error.to_string()],
            }
        };
        assert_eq!(read(b""), [""; 0]);
        assert_eq!(
            read(b"WARC/1.0"),
            ["neither JSON lines nor MessagePack nor Parquet"]
        );
        let cut = read(b"{\"id\":\"a\"}\n\n{\"id\":");
        assert!(
            cut[0] == "a" && cut[1].starts_with("line 3: EOF"),
            "{cut:?}"
        );
        let cut = read(&[0x81, 0xA2, b'i', b'd', 0xA1, b'a', 0x81, 0xA2]);
        assert!(
            cut.len() == 2 && cut[1].starts_with("document 2: "),
            "{cut:?}"
        );
    }
}
