//! Returns the place of a record in its archive, and an id of the record that depends only on the input.

use std::path::Path;

use data_encoding::HEXLOWER;
use sha1::{Digest as _, Sha1};
use trommel_archive::{Place, Record};
use trommel_extract::RecordSource;

/// Converts the location of a record in a web archive to the form in which documents state it.
pub fn source(place: &Place) -> RecordSource {
    RecordSource { file: place.file.clone(), offset: place.offset, length: place.length, inner: place.inner }
}

/// Returns the id of a record. If the record has none, as in ARC files, the id is made from the archive's name (without
/// folder) and the record's place, URL and date.
pub fn id(record: &Record) -> String {
    record.id().map_or_else(|| derived(record), str::to_owned)
}

fn derived(record: &Record) -> String {
    let place = &record.place;
    // The folder is left out: the same archive on another machine gives the same ids.
    let file = Path::new(&*place.file).file_name().unwrap_or_default();
    record_id(&[
        "source",
        &file.to_string_lossy(),
        &place.offset.to_string(),
        &place.inner.to_string(),
        record.url().unwrap_or_default(),
        // Of any form: it tells records apart.
        record.headers.get("WARC-Date").unwrap_or_default(),
    ])
}

/// UUID namespace for object identifiers (RFC 9562, section 6.6).
const OID_NAMESPACE: [u8; 16] =
    [0x6b, 0xa7, 0xb8, 0x12, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8];

/// Returns a record id (`urn:uuid:` and a version 5 UUID) made from `parts`; equal parts give equal ids. It serves
/// records without an id (ARC) and the records of WET files.
pub fn record_id(parts: &[&str]) -> String {
    let namespace = uuid_v5(&OID_NAMESPACE, b"trommel record");
    // A unit separator keeps ["ab", "c"] apart from ["a", "bc"].
    let hex = HEXLOWER.encode(&uuid_v5(&namespace, parts.join("\u{1f}").as_bytes()));
    let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| hex.get(range).unwrap_or_default());
    format!("urn:uuid:{}", groups.join("-"))
}

/// Returns a version 5 UUID: the SHA-1 of a namespace and a name (RFC 9562, section 5.5).
// Two packages fewer than the crate `uuid`, whose SHA-1 is a second one.
fn uuid_v5(namespace: &[u8; 16], name: &[u8]) -> [u8; 16] {
    let digest: [u8; 20] = Sha1::new().chain_update(namespace).chain_update(name).finalize().into();
    let mut id = [0; 16];
    id.copy_from_slice(&digest[..16]);
    id[6] = id[6] & 0x0f | 0x50;
    id[8] = id[8] & 0x3f | 0x80;
    id
}

/// Tests of record ids, and documents for the tests of the formats.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::json;
    use trommel_extract::{
        BlockReason, BlockSource, BlockVerdict, Chunk, Decider, Document, DocumentTable, Post, Role,
    };
    use trommel_text::keys::{Keyed as _, Shape};

    /// Returns a document with the fields that nearly every page has.
    pub(crate) fn record() -> Document {
        Document {
            id: "urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c".into(),
            url: Some("http://example.com/".into()),
            date: Some("2024-05-18T01:58:10Z".into()),
            text: "Zwei \"Zeilen\"\nStraße".into(),
            title: Some("Titel".into()),
            lang: Some("de".into()),
            charset: "utf-8".into(),
            charset_source: "meta".into(),
            confidence: 0.75,
            source: Some(source(0)),
            status: Some(200),
            ..Document::default()
        }
    }

    /// Returns a document as a format writes it; `None` if the format leaves the document out.
    pub(crate) fn written(format: &impl crate::Encode, document: &Document) -> Option<String> {
        let mut out = Vec::new();
        let is_written = format.record(document, &mut out).unwrap();
        assert_eq!(is_written, !out.is_empty());
        is_written.then(|| String::from_utf8(out).unwrap())
    }

    pub(crate) fn source(inner: u64) -> RecordSource {
        RecordSource { file: "a.warc.gz".into(), offset: 812, length: 3141, inner }
    }

    /// Returns a document in which every key has a value.
    pub(crate) fn full() -> Document {
        let mut keys = serde_json::to_value(record()).unwrap();
        for key in Document::KEYS.iter().map(|key| key.field) {
            let value = &mut keys[key.name];
            match key.shape {
                _ if *value != json!("") && *value != json!([]) => {}
                Shape::Texts => *value = json!([key.name, "B"]),
                Shape::Date => *value = json!("2024-05-17"),
                Shape::Objects(_) => {}
                _ => *value = key.name.into(),
            }
        }
        Document {
            source: Some(source(7)),
            blocked: Some(BlockReason::Captcha),
            blocks: vec![
                BlockVerdict {
                    text: "a".into(),
                    start: 3,
                    end: 9,
                    tag: "p".into(),
                    path: "article>p".into(),
                    words: 1,
                    link_density: 0.5,
                    probability: 0.25,
                    kept: true,
                    role: Some(Role::Body),
                    source: BlockSource::Page,
                    decider: Decider::NOTES,
                },
                BlockVerdict { text: "b".into(), start: 9, end: 12, ..BlockVerdict::default() },
            ],
            spans: vec![[0, 5, 3, 6].into(), [6, 7, 20, 30].into()],
            tables: vec![
                DocumentTable {
                    caption: "K".into(),
                    header_rows: 1,
                    rows: vec![vec!["x".into(), "y".into()], vec!["".into(), "1".into()]],
                },
                DocumentTable { rows: vec![vec!["z".into()]], ..DocumentTable::default() },
            ],
            posts: vec![
                Post { author: Some("Ann".into()), published: Some("2024-05-17".into()), text: "t".into() },
                Post { text: "u".into(), ..Post::default() },
            ],
            chunks: vec![
                Chunk {
                    id: "1f".into(),
                    text: "t".into(),
                    headings: vec!["H".into(), "I".into()],
                    roles: vec!["body".into()],
                    first_block: 1,
                    last_block: 2,
                    start: 0,
                    chars: 1,
                    byte: 3,
                    bytes: 6,
                },
                Chunk { text: "u".into(), ..Chunk::default() },
            ],
            ..serde_json::from_value(keys).unwrap()
        }
    }

    #[test]
    fn no_key_of_the_full_record_is_empty() {
        let json = serde_json::to_value(full()).unwrap();
        for (key, value) in json.as_object().unwrap() {
            let empty = match value {
                serde_json::Value::Null => true,
                serde_json::Value::String(text) => text.is_empty(),
                serde_json::Value::Array(list) => list.is_empty(),
                _ => false,
            };
            assert!(!empty, "{key}");
        }
        let mut names: Vec<&str> = Document::KEYS.iter().map(|key| key.field.name).collect();
        let mut keys: Vec<&String> = json.as_object().unwrap().keys().collect();
        names.sort_unstable();
        keys.sort_unstable();
        assert_eq!(keys, names);
    }

    /// Returns the keys of a JSON value with the types of their values, also inside objects.
    fn schema(value: &serde_json::Value) -> String {
        use serde_json::Value;
        match value {
            Value::Null => "null".into(),
            Value::Bool(_) => "bool".into(),
            Value::Number(number) if number.is_f64() => "float".into(),
            Value::Number(_) => "integer".into(),
            Value::String(_) => "string".into(),
            Value::Array(_) => "list".into(),
            Value::Object(keys) => {
                let keys = keys.iter().map(|(key, value)| format!("{key}: {}", schema(value)));
                format!("{{{}}}", keys.collect::<Vec<_>>().join(", "))
            }
        }
    }

    #[test]
    fn every_record_has_one_schema() {
        let of = |record: &Document| schema(&serde_json::to_value(record).unwrap());
        assert_eq!(of(&Document::default()), of(&full()));
        assert!(!of(&full()).contains("null"), "{}", of(&full()));
        let of = |block: &BlockVerdict| schema(&serde_json::to_value(block).unwrap());
        assert_eq!(of(&full().blocks[0]), of(&BlockVerdict::default()));
    }

    #[test]
    fn nothing_stays_nothing() {
        let json = serde_json::to_string(&Document::default()).unwrap();
        let back: Document = serde_json::from_str(&json).unwrap();
        assert_eq!(back, Document::default());
    }

    #[test]
    fn the_name_of_an_archive_has_no_folder() {
        for (file, name) in [
            ("a.warc.gz", "a.warc.gz"),
            ("/data/x/a.warc.gz", "a.warc.gz"),
            ("https://host/b/a.warc.gz?sig=1/2", "a.warc.gz"),
            ("s3://bucket/a.warc", "a.warc"),
            ("-", "-"),
        ] {
            let source = RecordSource { file: file.into(), ..source(0) };
            assert_eq!(source.name(), name);
        }
    }

    #[test]
    fn same_parts_same_id() {
        let id = record_id(&["conversion", "urn:uuid:1"]);
        assert_eq!(id, record_id(&["conversion", "urn:uuid:1"]));
        assert_ne!(id, record_id(&["conversion", "urn:uuid:2"]));
        assert_ne!(record_id(&["ab", "c"]), record_id(&["a", "bc"]));
        assert_eq!(id, "urn:uuid:f0621437-098e-529e-baae-528f826128a7");
    }

    #[test]
    fn the_example_of_the_standard() {
        // RFC 9562, appendix A.4: the namespace of domain names differs in one byte.
        let mut namespace = OID_NAMESPACE;
        namespace[3] = 0x10;
        let id = HEXLOWER.encode(&uuid_v5(&namespace, b"www.example.com"));
        assert_eq!(id, "2ed6657de927568b95e12665a8aea6a2");
    }
}
