//! The `_bulk` format of Elasticsearch and OpenSearch: two lines of JSON a document, an action and the
//! document itself.

use std::borrow::Cow;

use serde::Serialize;

use crate::{Encode, OutputError, OutputHead, OutputRecord, record_id};

/// Longest `_id` that the servers take, in bytes.
const MAX_ID: usize = 512;

/// Settings of an index that takes what [`Bulk`] writes. Dates stay text: pages give some that are no
/// whole dates.
pub const BULK_MAPPING: &str = r#"{"mappings":{"date_detection":false,"properties":{
"id":{"type":"keyword"},"url":{"type":"keyword","ignore_above":8191},"canonical":{"type":"keyword","ignore_above":8191},
"title":{"type":"text"},"headings":{"type":"text"},"text":{"type":"text"},"comments":{"type":"text"},"description":{"type":"text"},
"author":{"type":"text"},"site":{"type":"keyword","ignore_above":8191},"lang":{"type":"keyword"},"lang_declared":{"type":"keyword"},
"page_type":{"type":"keyword"},"charset":{"type":"keyword"},"charset_source":{"type":"keyword"},"confidence":{"type":"float"},
"date":{"type":"keyword"},"published":{"type":"keyword"},"modified":{"type":"keyword"},"status":{"type":"short"},"truncated":{"type":"keyword"},
"source":{"properties":{"file":{"type":"keyword","ignore_above":8191},"offset":{"type":"long"},"length":{"type":"long"},"inner":{"type":"long"}}}}}}"#;

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
    if !id.is_empty() && id.len() <= MAX_ID {
        Cow::Borrowed(id)
    } else {
        Cow::Owned(record_id(&["bulk", id]))
    }
}

/// Appends the two lines of a document: the action that creates it, and the document. Blocks are left
/// out, as a search engine would make fields of them.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn bulk_lines(record: &OutputRecord, out: &mut Vec<u8>) -> Result<(), OutputError> {
    let create = Id {
        _id: &bulk_id(&record.id),
    };
    serde_json::to_writer(&mut *out, &Action { create })?;
    out.push(b'\n');
    if record.blocks.is_empty() {
        serde_json::to_writer(&mut *out, record)?;
    } else {
        let record = OutputRecord {
            blocks: Vec::new(),
            ..record.clone()
        };
        serde_json::to_writer(&mut *out, &record)?;
    }
    out.push(b'\n');
    Ok(())
}

impl Encode for Bulk {
    fn head(&self, _: &OutputHead<'_>, _: &mut Vec<u8>) -> Result<(), OutputError> {
        Ok(())
    }

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
    use crate::{
        Jsonl,
        record::tests::{full, record},
    };

    #[test]
    fn an_action_and_the_line_of_jsonl() {
        let record = record();
        let (mut out, mut line) = (Vec::new(), Vec::new());
        assert!(Bulk.record(&record, &mut out).unwrap());
        Jsonl.record(&record, &mut line).unwrap();
        let expected = format!(
            "{{\"create\":{{\"_id\":\"{}\"}}}}\n{}",
            record.id,
            String::from_utf8(line).unwrap()
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn blocks_are_left_out() {
        let (mut out, mut line) = (Vec::new(), Vec::new());
        Bulk.record(&full(), &mut out).unwrap();
        let without = OutputRecord {
            blocks: Vec::new(),
            ..full()
        };
        Bulk.record(&without, &mut line).unwrap();
        assert_eq!(out, line);
    }

    #[test]
    fn the_mapping_is_json() {
        let mapping: serde_json::Value = serde_json::from_str(BULK_MAPPING).unwrap();
        assert_eq!(mapping["mappings"]["properties"]["text"]["type"], "text");
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
