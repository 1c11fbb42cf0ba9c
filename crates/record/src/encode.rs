//! Encodes documents in the output formats, and prints single pages.

use serde::Serialize;

use crate::{Annotations, Anserini, Bulk, Compression, Document, Format, Jsonl, Msgpack, Printed, Trec, Wet};

/// Facts for the head of an output file that are known before its first document.
#[derive(Clone, Copy, Debug, Default)]
pub struct OutputHead<'a> {
    /// Name of the output file, without folders.
    pub name: &'a str,
    /// Block of the warcinfo record in the source archive; `None` if there is none.
    pub info: Option<&'a [u8]>,
    /// WARC-Date of the first record in the source archive.
    pub date: Option<&'a str>,
    /// Time of the run in seconds since 1970 (`SOURCE_DATE_EPOCH`). `None` keeps the output independent of the time.
    pub epoch: Option<i64>,
}

/// Encoder that turns documents into the bytes of an output format. It has no state: the same document gives the same
/// bytes on any thread and in any order.
pub trait Encode: Send + Sync {
    /// Appends the head of an output file to `out`; most formats have no head.
    ///
    /// # Errors
    /// Fails if the head cannot be written in this format; the contents of `out` are then invalid.
    fn head(&self, _: &OutputHead<'_>, _: &mut Vec<u8>) -> Result<(), OutputError> {
        Ok(())
    }

    /// Appends the encoded document to `out`. Returns false, and appends nothing, if the format cannot hold the
    /// document: WET leaves out documents without text.
    ///
    /// # Errors
    /// Fails if the document cannot be written in this format; the contents of `out` are then invalid.
    fn record(&self, record: &Document, out: &mut Vec<u8>) -> Result<bool, OutputError>;
}

/// Returns the encoder of a format, and the compression that [`Frames`](crate::Frames) must still apply. The latter is
/// none for WET, whose encoder compresses each record. Formats that are assembled at the end of a run are encoded as
/// MessagePack.
///
/// # Errors
/// [`OutputError::Compression`] if files in this format cannot have this compression.
pub fn encoder(format: Format, compression: Compression) -> Result<(Box<dyn Encode>, Compression), OutputError> {
    if !format.can_be(compression) {
        return Err(OutputError::Compression { format, compression });
    }
    let encoder: Box<dyn Encode> = match format {
        Format::Jsonl => Box::new(Jsonl),
        Format::Msgpack | Format::Parquet | Format::Tantivy => Box::new(Msgpack),
        Format::Annotations => Box::new(Annotations),
        Format::Wet => {
            let gzip = compression == Compression::Gzip;
            return Ok((Box::new(Wet { gzip }), Compression::None));
        }
        Format::Anserini => Box::new(Anserini),
        Format::Trec => Box::new(Trec),
        Format::Bulk => Box::new(Bulk),
        Format::Text => Box::new(Printed::Text),
        Format::Markdown => Box::new(Printed::Markdown),
    };
    Ok((encoder, compression))
}

/// Error of writing documents to an output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The JSON writer failed on a document.
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The MessagePack writer failed on a document.
    #[error("MessagePack: {0}")]
    Msgpack(#[from] rmp_serde::encode::Error),
    /// The writer of the format, the compressor or the disk failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The temporary file of encoded documents (spool) cannot be read back.
    #[error("spool: {0}")]
    Spool(#[from] crate::ReadError),
    /// The Parquet writer failed on a document.
    #[cfg(feature = "parquet")]
    #[error("Parquet: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// The search index of an output cannot be assembled.
    #[error("{0}")]
    Index(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The folder that the output would replace contains a file that is not part of such an output.
    #[error("{path}: holds {file}, which is not part of such an output; the folder is left as it is")]
    Foreign {
        /// Path of the folder.
        path: std::path::PathBuf,
        /// Path of a file in the folder that is not part of such an output.
        file: std::path::PathBuf,
    },
    /// Files in this format cannot have this compression.
    #[error("{format} cannot be compressed with {compression}")]
    Compression {
        /// Output format.
        format: crate::Format,
        /// Compression that was requested.
        compression: crate::Compression,
    },
}

/// Form in which a single page is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageForm {
    /// Main text of the page, and a line end.
    Text,
    /// Main text of the page as Markdown, without a further line end.
    Markdown,
    /// Document of the page as one JSON object on a line, like the JSON lines of a run.
    Json,
}

impl PageForm {
    /// Prints a document in this form. Only JSON contains `url`, and `file` if it is given for one of several pages.
    ///
    /// # Errors
    /// Fails only if memory runs out.
    pub fn print(self, document: Document, url: Option<&str>, file: Option<&str>) -> Result<String, serde_json::Error> {
        Ok(match self {
            Self::Text => printable(document.text + "\n"),
            Self::Markdown => printable(document.text),
            Self::Json => page_line(&Document { url: url.map(str::to_owned), ..document }, file)?,
        })
    }
}

/// Returns the document of a page as one JSON object on a line. It has the same keys in the same order as the JSON
/// lines of a run. For one of several pages, the key `file` with the name of the page's file follows.
///
/// # Errors
/// Fails only if memory runs out.
pub fn page_line(record: &Document, file: Option<&str>) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct FileField<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str>,
    }
    let mut line = serde_json::to_vec(record)?;
    let more = serde_json::to_vec(&FileField { file })?;
    // `{...}` and `{...}` are made one object.
    if let Some(more) = more.get(1..).filter(|more| *more != b"}") {
        line.pop();
        line.push(b',');
        line.extend_from_slice(more);
    }
    line.push(b'\n');
    String::from_utf8(line).map_err(serde::ser::Error::custom)
}

/// Removes control characters other than line ends and tabs from a text, so that it is safe to print.
pub(crate) fn printable(text: String) -> String {
    let is_shown = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if text.chars().all(is_shown) { text } else { text.chars().filter(|&c| is_shown(c)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Jsonl, record_id::tests::full};

    #[test]
    fn every_form_ends_as_it_should() {
        let document = Document { text: "A mill".into(), confidence: 0.924, ..Document::default() };
        let print = |form: PageForm, file| form.print(document.clone(), Some("http://a/"), file);
        assert_eq!(print(PageForm::Text, None).unwrap(), "A mill\n");
        assert_eq!(print(PageForm::Markdown, None).unwrap(), "A mill");
        let json = print(PageForm::Json, Some("a.html")).unwrap();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&value["url"], &value["file"]), (&"http://a/".into(), &"a.html".into()));
        assert!(json.contains("\"confidence\":0.924,"), "{json}");
        assert!(json.ends_with("\"file\":\"a.html\"}\n"), "{json}");
    }

    #[test]
    fn a_page_by_itself_is_a_json_line_of_a_run_and_more() {
        let record = full();
        let mut line = Vec::new();
        Jsonl.record(&record, &mut line).unwrap();
        let line = String::from_utf8(line).unwrap();
        assert_eq!(page_line(&record, None).unwrap(), line);
        let more = page_line(&record, Some("a.html")).unwrap();
        let line = line.strip_suffix("}\n").unwrap();
        assert_eq!(more.strip_prefix(line).unwrap(), ",\"file\":\"a.html\"}\n");
        // What a page says nothing of is there, of its type.
        let empty = page_line(&Document::default(), None).unwrap();
        let empty: serde_json::Value = serde_json::from_str(&empty).unwrap();
        assert_eq!(empty.as_object().unwrap().len(), 33);
        assert_eq!((&empty["capped"], &empty["title"]), (&"".into(), &"".into()));
    }
}
