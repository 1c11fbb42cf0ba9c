//! The `_bulk` format of Elasticsearch and OpenSearch. A document is two lines of JSON: an action, then the
//! document itself.

use std::borrow::Cow;

use serde::Serialize;

use crate::{Encode, OutputError, OutputRecord, record::SearchedRecord, record_id};

/// Maximum bytes of an `_id` that the servers accept.
const MAX_ID: usize = 512;

/// Settings of an index for the documents of [`Bulk`]. An invalid date of a page is kept in the document but not
/// searched.
pub const BULK_MAPPING: &str = r#"{"mappings":{"date_detection":false,"properties":{
"id":{"type":"keyword"},"url":{"type":"keyword","ignore_above":8191},"canonical":{"type":"keyword","ignore_above":8191},"next":{"type":"keyword","ignore_above":8191},
"title":{"type":"text"},"headings":{"type":"text"},"text":{"type":"text"},"comments":{"type":"text"},"description":{"type":"text"},
"author":{"type":"text"},"site":{"type":"keyword","ignore_above":8191},"lang":{"type":"keyword"},"lang_declared":{"type":"keyword"},
"page_type":{"type":"keyword"},"blocked":{"type":"keyword"},"charset":{"type":"keyword"},"charset_source":{"type":"keyword"},"confidence":{"type":"float"},
"date":{"type":"date","format":"strict_date_optional_time","ignore_malformed":true},
"published":{"type":"date","format":"strict_date_optional_time","ignore_malformed":true},
"modified":{"type":"date","format":"strict_date_optional_time","ignore_malformed":true},
"status":{"type":"short"},"truncated":{"type":"keyword"},"capped":{"type":"text"},"notes":{"type":"text"},"by":{"type":"keyword"},
"source":{"properties":{"name":{"type":"keyword","ignore_above":8191},"file":{"type":"keyword","ignore_above":8191},"offset":{"type":"long"},"length":{"type":"long"},"inner":{"type":"long"}}}}}}
"#;

/// Encodes records for a `_bulk` request to one index (`POST /INDEX/_bulk`). The action is `create`: a
/// request sent again adds nothing, its documents are refused one by one as already there. Documents
/// without text are left out.
#[derive(Clone, Copy, Debug)]
pub struct Bulk;

#[derive(Serialize)]
struct Action<'a> {
    create: Id<'a>,
}

#[derive(Serialize)]
struct Id<'a> {
    _id: &'a str,
}

/// The `_id` of a document: its own id, or one made from it if that is longer than the servers take.
pub fn bulk_id(id: &str) -> Cow<'_, str> {
    if !id.is_empty() && id.len() <= MAX_ID { Cow::Borrowed(id) } else { Cow::Owned(record_id(&["bulk", id])) }
}

/// Appends the two lines of a document: the action that creates it, and the document. Empty keys are left
/// out, so that a search for documents with a key finds only these. Blocks, spans, tables, posts and chunks
/// are left out too, because a search engine would make fields of them.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn bulk_lines(record: &OutputRecord, out: &mut Vec<u8>) -> Result<(), OutputError> {
    let create = Id { _id: &bulk_id(&record.id) };
    serde_json::to_writer(&mut *out, &Action { create })?;
    out.push(b'\n');
    serde_json::to_writer(&mut *out, &SearchedRecord(record))?;
    out.push(b'\n');
    Ok(())
}

impl Encode for Bulk {
    fn record(&self, record: &OutputRecord, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        if record.text.is_empty() {
            return Ok(false);
        }
        bulk_lines(record, out)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{full, record};

    #[test]
    fn an_action_and_the_keys_that_say_something() {
        let record = record();
        let mut out = Vec::new();
        assert!(Bulk.record(&record, &mut out).unwrap());
        let expected = concat!(
            r#"{"create":{"_id":"urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c"}}"#,
            "\n",
            r#"{"id":"urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c","url":"http://example.com/","#,
            r#""date":"2024-05-18T01:58:10Z","text":"Zwei \"Zeilen\"\nStraße","title":"Titel","#,
            r#""lang":"de","charset":"utf-8","charset_source":"meta","confidence":0.75,"#,
            r#""source":{"name":"a.warc.gz","file":"a.warc.gz","offset":812,"length":3141,"inner":0},"#,
            r#""status":200}"#,
            "\n"
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn lists_of_objects_are_left_out() {
        let (mut out, mut line) = (Vec::new(), Vec::new());
        Bulk.record(&full(), &mut out).unwrap();
        let without = OutputRecord {
            blocks: Vec::new(),
            spans: Vec::new(),
            tables: Vec::new(),
            posts: Vec::new(),
            chunks: Vec::new(),
            ..full()
        };
        Bulk.record(&without, &mut line).unwrap();
        assert_eq!(out, line);
    }

    #[test]
    fn the_mapping_is_json() {
        let mapping: serde_json::Value = serde_json::from_str(BULK_MAPPING).unwrap();
        let of = &mapping["mappings"]["properties"];
        assert_eq!(of["text"]["type"], "text");
        // Every key is mapped, so that nothing depends on the first document.
        let record = serde_json::to_value(full()).unwrap();
        for key in record
            .as_object()
            .unwrap()
            .keys()
            .filter(|key| !["blocks", "spans", "tables", "posts", "chunks"].contains(&key.as_str()))
        {
            assert!(!of[key].is_null(), "{key}");
        }
        for key in record["source"].as_object().unwrap().keys() {
            assert!(!of["source"]["properties"][key].is_null(), "{key}");
        }
        for key in ["date", "published", "modified"] {
            assert_eq!(of[key]["type"], "date");
        }
    }

    #[test]
    fn long_ids_are_hashed() {
        let longest = "x".repeat(512);
        assert_eq!(bulk_id(&longest), longest);
        let too_long = "ß".repeat(257);
        assert_eq!(bulk_id(&too_long), record_id(&["bulk", &too_long]));
        assert_eq!(bulk_id(""), record_id(&["bulk", ""]));
    }
}
