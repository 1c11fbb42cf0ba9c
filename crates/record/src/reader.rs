//! Reads documents back from outputs in the formats that allow it.

use std::io::{self, BufRead, BufReader};
use std::{fs::File, path::Path};

use flate2::bufread::MultiGzDecoder;
use serde::de::DeserializeOwned;
use trommel_archive::signature;

use crate::Document;

/// Error of reading documents back from an output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be opened, read or decompressed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line of the file is not a document.
    #[error("line {line}: {source}")]
    Json {
        /// Number of the line in the file, from 1.
        line: u64,
        /// Error of the JSON parser.
        source: serde_json::Error,
    },
    /// A MessagePack map is not a document, or is truncated.
    #[error("document {number}: {source}")]
    Msgpack {
        /// Number of the document in the file, from 1.
        number: u64,
        /// Error of the MessagePack parser.
        source: rmp_serde::decode::Error,
    },
    /// The file is not a Parquet file, or a row cannot be read.
    #[cfg(feature = "parquet")]
    #[error("Parquet: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// The file is in none of the formats from which documents are read.
    #[error("neither JSON lines nor MessagePack nor Parquet")]
    Unknown,
}

enum Form {
    Jsonl,
    Msgpack,
    #[cfg(feature = "parquet")]
    Parquet(Box<crate::formats::parquet::Rows>),
}

/// Reader of the documents in an output: JSON lines or MessagePack, plain or compressed with gzip or zstd, or a Parquet
/// file. The first bytes determine the format, not the name. After an error there are no more documents.
pub struct RecordReader<R> {
    input: R,
    form: Option<Form>,
    number: u64,
    line: Vec<u8>,
}

impl RecordReader<Box<dyn BufRead>> {
    /// Opens an output to read its documents.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or has another format.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let file = BufReader::with_capacity(1 << 16, File::open(path)?);
        #[cfg(feature = "parquet")]
        let mut file = file;
        #[cfg(feature = "parquet")]
        if file.fill_buf()?.starts_with(&signature::PARQUET) {
            let rows = crate::formats::parquet::Rows::new(file.into_inner())?;
            return Ok(Self {
                input: Box::new(io::empty()),
                form: Some(Form::Parquet(Box::new(rows))),
                number: 0,
                line: Vec::new(),
            });
        }
        Self::new(plain(file)?)
    }
}

/// Opens a file to read its decompressed contents. The first bytes determine whether it is plain, gzip or zstd.
///
/// # Errors
/// Fails if the file cannot be opened or read.
pub fn open_plain(path: &Path) -> io::Result<Box<dyn BufRead>> {
    plain(BufReader::with_capacity(1 << 16, File::open(path)?))
}

fn plain(mut file: BufReader<File>) -> io::Result<Box<dyn BufRead>> {
    let start = file.fill_buf()?;
    Ok(if start.starts_with(&signature::GZIP) {
        Box::new(BufReader::new(MultiGzDecoder::new(file)))
    } else if start.starts_with(&signature::ZSTD) {
        Box::new(BufReader::new(zstd::stream::read::Decoder::with_buffer(file)?))
    } else {
        Box::new(file)
    })
}

impl<R: BufRead> RecordReader<R> {
    /// Creates a reader of decompressed bytes.
    ///
    /// # Errors
    /// Fails if the bytes cannot be read, or have another format.
    pub fn new(mut input: R) -> Result<Self, ReadError> {
        let form = match input.fill_buf()?.first() {
            None => None,
            Some(b'{') => Some(Form::Jsonl),
            // A map of up to 15, 65,535 or more keys.
            Some(0x80..=0x8F | 0xDE | 0xDF) => Some(Form::Msgpack),
            Some(_) => return Err(ReadError::Unknown),
        };
        Ok(Self { input, form, number: 0, line: Vec::new() })
    }

    fn line(&mut self) -> Result<Option<Document>, ReadError> {
        loop {
            self.line.clear();
            if self.input.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                let line = self.number;
                return serde_json::from_slice(&self.line).map(Some).map_err(|source| ReadError::Json { line, source });
            }
        }
    }
}

/// Reads the next MessagePack map of an input and adds one to the count `number`; `None` at the end of the input.
pub(crate) fn next_map<T: DeserializeOwned>(
    input: &mut impl BufRead,
    number: &mut u64,
) -> Result<Option<T>, ReadError> {
    if input.fill_buf()?.is_empty() {
        return Ok(None);
    }
    *number += 1;
    rmp_serde::decode::from_read(input).map(Some).map_err(|source| ReadError::Msgpack { number: *number, source })
}

impl<R: BufRead> Iterator for RecordReader<R> {
    type Item = Result<Document, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = match &mut self.form {
            None => return None,
            Some(Form::Jsonl) => self.line(),
            Some(Form::Msgpack) => next_map(&mut self.input, &mut self.number),
            #[cfg(feature = "parquet")]
            Some(Form::Parquet(rows)) => rows.next().transpose().map_err(ReadError::from),
        };
        if !matches!(next, Ok(Some(_))) {
            self.form = None;
        }
        next.transpose()
    }
}

#[cfg(all(test, feature = "storage"))]
mod tests {
    use super::*;
    use crate::record_id::tests::{full, record};
    use crate::{Compression, Encode, Frames, Jsonl, Msgpack};
    use std::io::Write;

    #[test]
    fn every_key_comes_back_from_every_form() {
        let records = [full(), record()];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let read = |path: &Path| -> Vec<Document> { RecordReader::open(path).unwrap().map(Result::unwrap).collect() };
        let encoders: [&dyn Encode; 2] = [&Jsonl, &Msgpack];
        for encoder in encoders {
            let mut bytes = Vec::new();
            for record in &records {
                encoder.record(record, &mut bytes).unwrap();
            }
            for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
                let mut stream = Frames::new(File::create(&path).unwrap(), compression, false);
                stream.write_all(&bytes).unwrap();
                stream.finish().unwrap();
                assert_eq!(read(&path), records);
            }
            #[cfg(feature = "parquet")]
            {
                use crate::{Assemble, OptionalColumns, Parquet};
                let target = folder.path().join("x.parquet");
                std::fs::write(&path, &bytes).unwrap();
                let optional = OptionalColumns::named(|_| true);
                Parquet { optional }.assemble(&path, &target).unwrap();
                assert_eq!(read(&target), records);
            }
        }
    }

    #[test]
    fn what_is_no_document_is_an_error_once() {
        let read = |bytes: &[u8]| -> Vec<String> {
            match RecordReader::new(bytes) {
                Ok(reader) => {
                    reader.map(|item| item.map_or_else(|error| error.to_string(), |stored| stored.id)).collect()
                }
                Err(error) => vec![error.to_string()],
            }
        };
        assert_eq!(read(b""), [""; 0]);
        assert_eq!(read(b"WARC/1.0"), ["neither JSON lines nor MessagePack nor Parquet"]);
        let cut = read(b"{\"id\":\"a\"}\n\n{\"id\":");
        assert!(cut[0] == "a" && cut[1].starts_with("line 3: EOF"), "{cut:?}");
        let cut = read(&[0x81, 0xA2, b'i', b'd', 0xA1, b'a', 0x81, 0xA2]);
        assert!(cut.len() == 2 && cut[1].starts_with("document 2: "), "{cut:?}");
    }
}
