//! The JSON collection that Anserini and Pyserini index: one object a line with the string fields `id`
//! and `contents` (`JsonCollection`); other scalars become fields of the index if asked for.

use serde::Serialize;

use crate::{
    Encode, Entry, Head, SinkError,
    searched::{document_id, title, titled_text},
};

/// Encodes entries as lines of a JSON collection. Documents without text give none: the indexer would
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
    fn head(&self, _: &Head<'_>, _: &mut Vec<u8>) -> Result<(), SinkError> {
        Ok(())
    }

    fn entry(&self, entry: &Entry<'_>, out: &mut Vec<u8>) -> Result<bool, SinkError> {
        if entry.document.text.is_empty() {
            return Ok(false);
        }
        let title = title(entry);
        let line = Line {
            id: &document_id(entry),
            contents: &titled_text(entry),
            url: entry.url,
            title: title.as_deref(),
            date: entry.date,
            lang: entry.document.lang.as_deref(),
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.push(b'\n');
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonl::tests::{document, entry, source};

    #[test]
    fn a_line_has_id_and_contents() {
        let (source, document) = (source(0), document());
        let mut out = Vec::new();
        assert!(
            Anserini
                .entry(&entry(&source, &document), &mut out)
                .unwrap()
        );
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
        let (source, mut document) = (source(0), document());
        document.text.clear();
        let mut out = Vec::new();
        assert!(
            !Anserini
                .entry(&entry(&source, &document), &mut out)
                .unwrap()
        );
        assert!(out.is_empty());
    }
}
