//! Encodes documents as JSON lines or MessagePack maps, with all keys.

use crate::{Document, Encode, OutputError};

/// Encoder of JSON lines, one line for each document.
#[derive(Clone, Copy, Debug)]
pub struct Jsonl;

impl Encode for Jsonl {
    fn record(&self, record: &Document, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        serde_json::to_writer(&mut *out, record)?;
        out.push(b'\n');
        Ok(true)
    }
}

/// Encoder of MessagePack maps, one map for each document.
#[derive(Clone, Copy, Debug)]
pub struct Msgpack;

impl Encode for Msgpack {
    fn record(&self, record: &Document, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        rmp_serde::encode::write_named(out, record)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record_id::tests::{full, record, written};
    use trommel_text::keys::Keyed as _;

    fn line(record: &Document) -> String {
        written(&Jsonl, record).unwrap()
    }

    #[test]
    fn a_line_has_every_key_in_order() {
        let start = concat!(
            r#"{"id":"urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c","url":"http://example.com/","#,
            r#""date":"2024-05-18T01:58:10Z","text":"Zwei \"Zeilen\"\nStraße","title":"Titel","#,
            r#""lang":"de","charset":"utf-8","charset_source":"meta","confidence":0.75,"#,
            r#""source":{"name":"a.warc.gz","file":"a.warc.gz","offset":812,"length":3141,"inner":0},"#,
            r#""author":[],"published":"","modified":"","site":"","#,
        );
        assert!(line(&record()).starts_with(start), "{}", line(&record()));
        for document in [record(), full()] {
            let line = line(&document);
            let places = Document::KEYS.iter().map(|key| line.find(&format!("\"{}\":", key.field.name)));
            let places: Vec<usize> = places.map(Option::unwrap).collect();
            assert!(places.is_sorted(), "{line}");
        }
    }

    #[test]
    fn parts_of_a_document_are_objects() {
        let line = line(&full());
        let rest = concat!(
            r#""rights":"rights","headings":["headings","B"],"page_type":"page_type","blocked":"captcha","#,
            r#""comments":"comments","status":200,"truncated":"truncated","#,
            r#""capped":"capped","notes":"notes","extractor":"extractor","#,
            r#""blocks":[{"text":"a","start":3,"end":9,"tag":"p","path":"article>p","words":1,"#,
            r#""link_density":0.5,"probability":0.25,"kept":true,"role":"body","source":"page","decider":"notes"},"#,
            r#"{"text":"b","start":9,"end":12,"tag":"","path":"","words":0,"link_density":0.0,"#,
            r#""probability":0.0,"kept":false,"role":"","source":"page","decider":"model"}],"#,
            r#""spans":[[0,5,3,6],[6,7,20,30]],"#,
            r#""tables":[{"caption":"K","header_rows":1,"rows":[["x","y"],["","1"]]},"#,
            r#"{"caption":"","header_rows":0,"rows":[["z"]]}],"#,
            r#""posts":[{"author":"Ann","published":"2024-05-17","text":"t"},"#,
            r#"{"author":"","published":"","text":"u"}],"#,
            r#""chunks":[{"id":"1f","text":"t","headings":["H","I"],"roles":["body"],"first_block":1,"#,
            r#""last_block":2,"start":0,"chars":1,"byte":3,"bytes":6},{"id":"","text":"u","headings":[],"#,
            r#""roles":[],"first_block":0,"last_block":0,"start":0,"chars":0,"byte":0,"bytes":0}]}"#,
        );
        assert!(line.trim_end().ends_with(rest), "{line}");
    }

    #[test]
    fn a_page_without_title_has_an_empty_one() {
        let record = Document { title: None, ..record() };
        assert!(line(&record).contains(r#""title":"","#));
    }

    #[test]
    fn maps_equal_the_json_lines() {
        let record = full();
        let mut packed = Vec::new();
        Msgpack.record(&record, &mut packed).unwrap();
        Msgpack.record(&record, &mut packed).unwrap();
        let expected: serde_json::Value = serde_json::from_str(&line(&record)).unwrap();
        let mut rest = packed.as_slice();
        for _ in 0..2 {
            let value: serde_json::Value = rmp_serde::decode::from_read(&mut rest).unwrap();
            assert_eq!(value, expected);
        }
        assert!(rest.is_empty());
    }
}
