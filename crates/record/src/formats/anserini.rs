//! The JSON collection that Anserini and Pyserini index (`JsonCollection`): one object on a line, with the
//! string fields `id` and `contents`. Other scalars become fields of the index on request.

use serde::Serialize;

use crate::formats::searched::{document_id, title, titled_text};
use crate::{Encode, OutputError, OutputRecord};

/// Encodes records as lines of a JSON collection. Documents without text give none: the indexer would
/// count them as faults.
#[derive(Clone, Copy, Debug)]
pub struct Anserini;

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    contents: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lang: Option<&'a str>,
}

impl Encode for Anserini {
    fn record(&self, record: &OutputRecord, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        if record.text.is_empty() {
            return Ok(false);
        }
        let title = title(record);
        let line = Line {
            id: &document_id(record),
            contents: &titled_text(record),
            url: record.url.as_deref(),
            title: title.as_deref(),
            date: record.date.as_deref(),
            lang: record.lang.as_deref(),
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.push(b'\n');
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    #[test]
    fn a_line_has_id_and_contents() {
        let mut out = Vec::new();
        assert!(Anserini.record(&record(), &mut out).unwrap());
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"id\":\"urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c\",\
             \"contents\":\"Titel\\nZwei \\\"Zeilen\\\"\\nStraße\",\
             \"url\":\"http://example.com/\",\"title\":\"Titel\",\
             \"date\":\"2024-05-18T01:58:10Z\",\"lang\":\"de\"}\n"
        );
    }

    #[test]
    fn no_text_no_line() {
        let record = OutputRecord { text: String::new(), ..record() };
        let mut out = Vec::new();
        assert!(!Anserini.record(&record, &mut out).unwrap());
        assert!(out.is_empty());
    }
}
