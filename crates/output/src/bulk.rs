//! The `_bulk` format of Elasticsearch and OpenSearch: two lines of JSON a document, an action and the
//! document itself.

use std::borrow::Cow;

use serde::Serialize;

use crate::{Encode, Entry, Head, SinkError, record_id, row::Row};

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

/// Encodes entries for a `_bulk` request to one index (`POST /INDEX/_bulk`). The action is `create`: a
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
pub(crate) fn bulk_id(id: &str) -> Cow<'_, str> {
    if !id.is_empty() && id.len() <= MAX_ID {
        Cow::Borrowed(id)
    } else {
        Cow::Owned(record_id(&["bulk", id]))
    }
}

/// Appends the line of the action that creates the document `id`.
pub(crate) fn action(id: &str, out: &mut Vec<u8>) -> Result<(), SinkError> {
    let create = Id { _id: &bulk_id(id) };
    serde_json::to_writer(&mut *out, &Action { create })?;
    out.push(b'\n');
    Ok(())
}

impl Encode for Bulk {
    fn head(&self, _: &Head<'_>, _: &mut Vec<u8>) -> Result<(), SinkError> {
        Ok(())
    }

    fn entry(&self, entry: &Entry<'_>, out: &mut Vec<u8>) -> Result<bool, SinkError> {
        if entry.document.text.is_empty() {
            return Ok(false);
        }
        action(entry.id, out)?;
        serde_json::to_writer(&mut *out, &Row::from(entry).without_blocks())?;
        out.push(b'\n');
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Jsonl,
        jsonl::tests::{document, entry, source},
    };

    #[test]
    fn an_action_and_the_line_of_jsonl() {
        let (source, document) = (source(0), document());
        let entry = entry(&source, &document);
        let (mut out, mut line) = (Vec::new(), Vec::new());
        assert!(Bulk.entry(&entry, &mut out).unwrap());
        Jsonl.entry(&entry, &mut line).unwrap();
        let expected = format!(
            "{{\"create\":{{\"_id\":\"{}\"}}}}\n{}",
            entry.id,
            String::from_utf8(line).unwrap()
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
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
