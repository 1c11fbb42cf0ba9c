//! Writes documents for search engines: JSON of Anserini, `_bulk` of Elasticsearch and OpenSearch, TREC web documents.
//!
//! The JSON collection that Anserini and Pyserini index (`JsonCollection`) is one object on a line, with the string
//! fields `id` and `contents`. Other scalars become fields of the index on request. A document of `_bulk` is two
//! lines of JSON: an action, then the document itself. TREC web documents are as in Gov2: `DOCNO`, a `DOCHDR` whose
//! first line is the URL, then HTML.

use std::{borrow::Cow, io::Write as _};

use indexmap::IndexMap;
use serde_json::{Value, json, value::RawValue};
use trommel_text::keys::{Keyed as _, Shape};

use crate::{Document, Encode, OutputError, record_id};

/// Returns a document id without white space or markup characters, as formats of search engines need. It is the id of
/// the document if that has neither, and otherwise an id made from it.
pub(crate) fn document_id(record: &Document) -> Cow<'_, str> {
    let is_safe = |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '&' | '"');
    if !record.id.is_empty() && record.id.chars().all(is_safe) {
        Cow::Borrowed(&record.id)
    } else {
        Cow::Owned(record_id(&["document", &record.id]))
    }
}

/// Returns the title of a document in one line; `None` if it has no title.
pub(crate) fn title(record: &Document) -> Option<String> {
    let title = record.title.as_deref()?;
    (!title.is_empty()).then(|| one_line(title))
}

/// Returns the text of a document, with the title as its first line if there is one.
pub(crate) fn titled_text(record: &Document) -> String {
    let text = &record.text;
    let mut all = String::with_capacity(text.len() + 128);
    if let Some(title) = title(record) {
        all.push_str(&title);
        all.push('\n');
    }
    all.push_str(text);
    all
}

/// Name of the header field with the full length in bytes of a URL that was cut.
pub(crate) const URL_LENGTH: &str = "X-URL-Length";
/// Maximum length of a URL in bytes; a longer URL is cut, because readers of search formats have fixed line buffers.
const MAX_URL: usize = 8192;

/// Returns the URL of a document in one line, and the full length of the URL in bytes if it was cut.
pub(crate) fn url(record: &Document) -> Option<(String, Option<usize>)> {
    let url = record.url.as_deref()?;
    let cut = url.floor_char_boundary(MAX_URL);
    Some((one_line(url.get(..cut).unwrap_or_default()), (cut < url.len()).then_some(url.len())))
}

/// Replaces the line ends in a value by spaces, so that the value fits on one line.
pub(crate) fn one_line(value: &str) -> String {
    value.replace(['\r', '\n'], " ")
}

/// Encoder of Anserini's JSON collections, one line for each document. Documents without text are left out, because the
/// indexer would count them as errors.
#[derive(Clone, Copy, Debug)]
pub struct Anserini;

impl Encode for Anserini {
    fn record(&self, record: &Document, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        if record.text.is_empty() {
            return Ok(false);
        }
        let fields = [
            ("id", Some(document_id(record))),
            ("contents", Some(titled_text(record).into())),
            ("url", record.url.as_deref().map(Cow::Borrowed)),
            ("title", title(record).map(Cow::Owned)),
            ("date", record.date.as_deref().map(Cow::Borrowed)),
            ("lang", record.lang.as_deref().map(Cow::Borrowed)),
        ];
        let line: IndexMap<&str, Cow<'_, str>> =
            fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        serde_json::to_writer(&mut *out, &line)?;
        out.push(b'\n');
        Ok(true)
    }
}

/// Maximum length in bytes of an `_id` that Elasticsearch and OpenSearch accept.
const MAX_ID: usize = 512;

/// Returns the settings of a search index for the documents of [`Bulk`], as JSON. An invalid date of a page is kept in
/// the document but cannot be searched.
pub fn bulk_mapping() -> String {
    let properties = Document::KEYS.iter().filter_map(|key| Some((key.field.name, property(key.field.shape)?)));
    let properties: IndexMap<&str, Value> = properties.collect();
    json!({"mappings": {"date_detection": false, "properties": properties}}).to_string() + "\n"
}

/// Returns the field type of a key in a search index, as JSON, by the shape of its values; `None` for a key to leave
/// out.
fn property(shape: Shape) -> Option<Value> {
    Some(match shape {
        Shape::Text | Shape::Texts => json!({"type": "text"}),
        Shape::Word => json!({"type": "keyword"}),
        // A URL: terms are not longer.
        Shape::Address => json!({"type": "keyword", "ignore_above": 8191}),
        Shape::Date => json!({"type": "date", "format": "strict_date_optional_time", "ignore_malformed": true}),
        Shape::Int => json!({"type": "short"}),
        Shape::Long | Shape::Time => json!({"type": "long"}),
        Shape::Number => json!({"type": "float"}),
        Shape::Boolean => json!({"type": "boolean"}),
        // The place of the record.
        Shape::Object => {
            let [name, long] = [Shape::Address, Shape::Long].map(property);
            json!({"properties": {"name": name, "file": name, "offset": long, "length": long, "inner": long}})
        }
        // A search engine would make fields of them.
        Shape::Rows | Shape::Objects(_) => return None,
    })
}

/// Encoder of `_bulk` requests to one index of a search engine (`POST /INDEX/_bulk`). The action is `create`: a
/// repeated request adds nothing, because its documents already exist. Documents without text are left out.
#[derive(Clone, Copy, Debug)]
pub struct Bulk;

/// Returns the `_id` of a document for a search engine: the document's id, or an id made from it if the id is empty or
/// too long for the servers.
pub fn bulk_id(id: &str) -> Cow<'_, str> {
    if !id.is_empty() && id.len() <= MAX_ID { Cow::Borrowed(id) } else { Cow::Owned(record_id(&["bulk", id])) }
}

/// Returns the keys and values of a document's JSON line that a search engine should index: no empty values or lists of
/// objects.
fn searched<'l>(record: &Document, line: &'l [u8]) -> serde_json::Result<IndexMap<&'l str, &'l RawValue>> {
    let mut keys: IndexMap<&str, &RawValue> = serde_json::from_slice(line)?;
    let lists = Document::KEYS.iter().map(|key| key.field).filter(|field| matches!(field.shape, Shape::Objects(_)));
    let lists: Vec<&str> = lists.map(|field| field.name).collect();
    keys.retain(|key, value| match *key {
        "id" | "text" | "confidence" => true,
        "source" => record.source.is_some(),
        key => !lists.contains(&key) && !matches!(value.get(), "\"\"" | "[]" | "0"),
    });
    Ok(keys)
}

/// Appends the two lines of a document for a `_bulk` request: the action that creates it, and the document. Empty keys
/// are left out, so that a search for documents with a key finds only documents with a value. Blocks, spans, tables,
/// posts and chunks are left out too, because a search engine would make fields of their contents.
///
/// # Errors
/// Fails if the document cannot be written as JSON.
pub fn bulk_lines(record: &Document, out: &mut Vec<u8>) -> Result<(), OutputError> {
    serde_json::to_writer(&mut *out, &json!({"create": {"_id": bulk_id(&record.id)}}))?;
    out.push(b'\n');
    let line = serde_json::to_vec(record)?;
    serde_json::to_writer(&mut *out, &searched(record, &line)?)?;
    out.push(b'\n');
    Ok(())
}

impl Encode for Bulk {
    fn record(&self, record: &Document, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        if record.text.is_empty() {
            return Ok(false);
        }
        bulk_lines(record, out)?;
        Ok(true)
    }
}

/// Encoder of TREC web documents. Readers treat the body as HTML, so text is escaped, and no line of it can end the
/// document. Documents without text are left out.
#[derive(Clone, Copy, Debug)]
pub struct Trec;

impl Encode for Trec {
    fn record(&self, record: &Document, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        if record.text.is_empty() {
            return Ok(false);
        }
        let id = document_id(record);
        // A URL has neither of them unescaped, but what stands in an archive need not be one.
        let (url, length) = url(record).unwrap_or_default();
        let url = url.replace(['<', '>'], " ");
        write!(out, "<DOC>\n<DOCNO>{id}</DOCNO>\n<DOCHDR>\n{url}\n")?;
        if let Some(length) = length {
            writeln!(out, "{URL_LENGTH}: {length}")?;
        }
        out.extend_from_slice(b"</DOCHDR>\n");
        if let Some(title) = title(record) {
            writeln!(out, "<title>{}</title>", escaped(&title))?;
        }
        writeln!(out, "{}\n</DOC>", escaped(&record.text))?;
        Ok(true)
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record_id::tests::{full, record, written};

    #[test]
    fn long_urls_are_cut() {
        let mut record = record();
        assert_eq!(url(&record), Some(("http://example.com/".into(), None)));
        record.url = Some(format!("http://e/{}", "ß".repeat(5000)));
        let (cut, length) = url(&record).unwrap();
        assert_eq!((cut.len(), length), (8191, Some(10_009)));
        assert!(record.url.unwrap().starts_with(&cut));
    }

    #[test]
    fn ids_have_no_white_space_and_no_markup() {
        let mut record = record();
        assert_eq!(document_id(&record), record.id);
        for id in ["a b", "<urn:x>", "a\u{a0}b", ""] {
            record.id = id.into();
            assert_eq!(document_id(&record), record_id(&["document", id]), "{id:?}");
        }
    }

    #[test]
    fn a_line_has_id_and_contents() {
        assert_eq!(
            written(&Anserini, &record()).unwrap(),
            "{\"id\":\"urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c\",\
             \"contents\":\"Titel\\nZwei \\\"Zeilen\\\"\\nStraße\",\
             \"url\":\"http://example.com/\",\"title\":\"Titel\",\
             \"date\":\"2024-05-18T01:58:10Z\",\"lang\":\"de\"}\n"
        );
    }

    #[test]
    fn no_text_no_line() {
        let record = Document { text: String::new(), ..record() };
        assert_eq!(written(&Anserini, &record), None);
    }

    #[test]
    fn an_action_and_the_keys_that_say_something() {
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
        assert_eq!(written(&Bulk, &record()).unwrap(), expected);
    }

    #[test]
    fn lists_of_objects_are_left_out() {
        let without = Document {
            blocks: Vec::new(),
            spans: Vec::new(),
            tables: Vec::new(),
            posts: Vec::new(),
            chunks: Vec::new(),
            ..full()
        };
        assert_eq!(written(&Bulk, &full()).unwrap(), written(&Bulk, &without).unwrap());
    }

    #[test]
    fn the_mapping_is_json() {
        let mapping: serde_json::Value = serde_json::from_str(&bulk_mapping()).unwrap();
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

    #[test]
    fn a_document_is_that_of_gov2() {
        let record = Document { text: "a < b & c\n  </DOC>\n<DOCNO>x</DOCNO>".into(), ..record() };
        assert_eq!(
            written(&Trec, &record).unwrap(),
            "<DOC>\n\
             <DOCNO>urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c</DOCNO>\n\
             <DOCHDR>\n\
             http://example.com/\n\
             </DOCHDR>\n\
             <title>Titel</title>\n\
             a &lt; b &amp; c\n  &lt;/DOC&gt;\n&lt;DOCNO&gt;x&lt;/DOCNO&gt;\n\
             </DOC>\n"
        );
    }

    #[test]
    fn a_long_url_is_cut_with_a_note() {
        let record = Document { url: Some(format!("http://e/{}", "x".repeat(10_000))), ..record() };
        let out = written(&Trec, &record).unwrap();
        assert!(out.lines().all(|line| line.len() < 8300));
        assert!(out.contains("\nX-URL-Length: 10009\n</DOCHDR>\n"), "{out}");
    }

    #[test]
    fn a_url_stays_on_its_line() {
        let record = Document { url: Some("http://a/\n</DOCHDR>".into()), ..record() };
        let out = written(&Trec, &record).unwrap();
        assert!(out.contains("<DOCHDR>\nhttp://a/  /DOCHDR \n</DOCHDR>\n"), "{out}");
    }
}
