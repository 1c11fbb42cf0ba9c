//! JSON lines: one object a document, UTF-8, ended by a line feed.

use crate::{Encode, Entry, Head, SinkError, row::Row};

/// Encodes entries as JSON lines.
#[derive(Clone, Copy, Debug)]
pub struct Jsonl;

impl Encode for Jsonl {
    fn head(&self, _: &Head<'_>, _: &mut Vec<u8>) -> Result<(), SinkError> {
        Ok(())
    }

    fn entry(&self, entry: &Entry<'_>, out: &mut Vec<u8>) -> Result<bool, SinkError> {
        serde_json::to_writer(&mut *out, &Row::from(entry))?;
        out.push(b'\n');
        Ok(true)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Source;
    use trommel_extract::{Document, Metadata};

    pub(crate) fn source(inner: u64) -> Source {
        Source {
            file: "a.warc.gz".into(),
            offset: 812,
            length: 3141,
            inner,
        }
    }

    pub(crate) fn document() -> Document {
        Document {
            text: "Zwei \"Zeilen\"\nStraße".into(),
            title: Some("Titel".into()),
            lang: Some("de".into()),
            charset: "utf-8".into(),
            charset_source: "meta".into(),
            confidence: 0.75,
            ..Document::default()
        }
    }

    pub(crate) fn entry<'a>(source: &'a Source, document: &'a Document) -> Entry<'a> {
        Entry {
            id: "urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c",
            url: Some("http://example.com/"),
            date: Some("2024-05-18T01:58:10Z"),
            source,
            truncated: None,
            status: Some(200),
            notes: &[],
            document,
        }
    }

    #[test]
    fn a_line_has_every_key() {
        let (source, document) = (source(0), document());
        let mut out = Vec::new();
        assert!(Jsonl.entry(&entry(&source, &document), &mut out).unwrap());
        assert_eq!(
            String::from_utf8(out).unwrap(),
            concat!(
                r#"{"id":"urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c","url":"http://example.com/","#,
                r#""date":"2024-05-18T01:58:10Z","text":"Zwei \"Zeilen\"\nStraße","title":"Titel","#,
                r#""lang":"de","charset":"utf-8","charset_source":"meta","confidence":0.75,"#,
                r#""source":{"file":"a.warc.gz","offset":812,"length":3141},"status":200}"#,
                "\n"
            )
        );
    }

    #[test]
    fn metadata_is_there_where_it_is_known() {
        let source = source(0);
        let mut document = document();
        document.metadata = Metadata {
            author: vec!["A".into(), "B".into()],
            published: Some("2024-05-17".into()),
            modified: Some("2024-05-18T01:00:00Z".into()),
            site: Some("S".into()),
            description: Some("D".into()),
            canonical: Some("http://example.com/c".into()),
            lang_declared: Some("de-AT".into()),
        };
        let mut out = Vec::new();
        Jsonl.entry(&entry(&source, &document), &mut out).unwrap();
        let line = String::from_utf8(out).unwrap();
        let keys = concat!(
            r#""length":3141},"author":["A","B"],"published":"2024-05-17","modified":"2024-05-18T01:00:00Z","#,
            r#""site":"S","description":"D","canonical":"http://example.com/c","lang_declared":"de-AT","status":200}"#,
        );
        assert!(line.trim_end().ends_with(keys), "{line}");
    }

    #[test]
    fn what_is_odd_about_a_page_is_said() {
        let source = source(77);
        let mut document = document();
        document.title = None;
        document.capped = vec!["depth".into()];
        let notes = ["gzip body cut".to_owned()];
        let mut entry = entry(&source, &document);
        entry.truncated = Some("length");
        entry.status = None;
        entry.notes = &notes;
        let mut out = Vec::new();
        Jsonl.entry(&entry, &mut out).unwrap();
        let line = String::from_utf8(out).unwrap();
        assert!(line.contains(r#""title":null"#), "{line}");
        let rest = r#""length":3141,"inner":77},"truncated":"length","capped":["depth"],"notes":["gzip body cut"]}"#;
        assert!(line.trim_end().ends_with(rest), "{line}");
    }
}
