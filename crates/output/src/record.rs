//! What is written of one page, and read back.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct};
use trommel_extract::{BlockVerdict, Document, Metadata, Role};

/// What an output says of one page: the keys of a JSON line, in their order. It is written to every
/// format and read back from those that can be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutputRecord {
    /// WARC-Record-ID without angle brackets, or [`record_id`](crate::record_id) where there is none.
    pub id: String,
    /// URL of the page.
    pub url: Option<String>,
    /// Time of the capture as the archive gives it.
    pub date: Option<String>,
    /// Main text.
    pub text: String,
    /// Title of the page.
    pub title: Option<String>,
    /// Language of the text.
    pub lang: Option<String>,
    /// Encoding of the page.
    pub charset: String,
    /// Where the encoding was learned from.
    pub charset_source: String,
    /// Expected word F1 of the text, in 0..=1.
    pub confidence: f32,
    /// Where the page is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<RecordSource>,
    /// What else the page says about itself.
    #[serde(flatten)]
    pub metadata: Metadata,
    /// The headings among the text's lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Type of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_type: Option<String>,
    /// Readers' comments, where they are kept apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<String>,
    /// HTTP status code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// WARC-Truncated: why the crawler cut the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// Caps of the page reader that the page passed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capped: Vec<String>,
    /// Oddities survived while reading the page, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Every block of the page, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<OutputBlock>,
}

/// Where the archive record of a page is stored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RecordSource {
    /// The archive as it was named by the user; `-` for standard input.
    #[serde(deserialize_with = "shared")]
    pub file: Arc<str>,
    /// First stored byte of the record or of the compressed member that holds it.
    pub offset: u64,
    /// Stored bytes of the record or of that member.
    pub length: u64,
    /// Offset of the record in the member's plain bytes; 0, and then left out of the output, where
    /// the member holds one record only.
    #[serde(default)]
    pub inner: u64,
}

/// A block of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutputBlock {
    /// Its text.
    pub text: String,
    /// Probability that it is main content.
    pub probability: f32,
    /// Whether it is part of the text.
    pub kept: bool,
    /// What it is on its page.
    pub role: Option<Role>,
    /// First byte of it in the decoded page.
    pub start: u32,
    /// One past its last byte there.
    pub end: u32,
}

impl From<Document> for OutputRecord {
    /// The record of a page of whose capture nothing is known.
    fn from(document: Document) -> Self {
        Self {
            text: document.text,
            title: document.title,
            lang: document.lang,
            charset: document.charset,
            charset_source: document.charset_source,
            confidence: document.confidence,
            metadata: document.metadata,
            headings: document.headings,
            page_type: document.page_type,
            comments: document.comments,
            capped: document.capped,
            blocks: document.blocks.into_iter().map(OutputBlock::from).collect(),
            ..Self::default()
        }
    }
}

impl From<BlockVerdict> for OutputBlock {
    fn from(block: BlockVerdict) -> Self {
        Self {
            text: block.text,
            probability: block.probability,
            kept: block.kept,
            role: block.role,
            start: block.span.0,
            end: block.span.1,
        }
    }
}

fn shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    String::deserialize(deserializer).map(Arc::from)
}

impl Serialize for RecordSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = if self.inner == 0 { 3 } else { 4 };
        let mut map = serializer.serialize_struct("source", fields)?;
        map.serialize_field("file", &*self.file)?;
        map.serialize_field("offset", &self.offset)?;
        map.serialize_field("length", &self.length)?;
        if self.inner != 0 {
            map.serialize_field("inner", &self.inner)?;
        }
        map.end()
    }
}

/// Records for tests of the formats.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record with what nearly every page has.
    pub(crate) fn record() -> OutputRecord {
        OutputRecord {
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
            ..OutputRecord::default()
        }
    }

    pub(crate) fn source(inner: u64) -> RecordSource {
        RecordSource {
            file: "a.warc.gz".into(),
            offset: 812,
            length: 3141,
            inner,
        }
    }

    /// A record in which every key says something, each something else.
    pub(crate) fn full() -> OutputRecord {
        let some = |text: &str| Some(text.to_owned());
        OutputRecord {
            source: Some(source(7)),
            metadata: Metadata {
                author: vec!["A".into(), "B".into()],
                published: some("2024-05-17"),
                modified: some("2024-05-18T01:00:00Z"),
                site: some("S"),
                description: some("D"),
                canonical: some("http://example.com/c"),
                lang_declared: some("de-AT"),
            },
            headings: vec!["Titel".into()],
            page_type: some("article"),
            comments: some("C"),
            truncated: some("length"),
            capped: vec!["depth".into()],
            notes: vec!["gzip body cut".into(), "x".into()],
            blocks: vec![
                OutputBlock {
                    text: "a".into(),
                    probability: 0.5,
                    kept: true,
                    role: Some(Role::Body),
                    start: 3,
                    end: 9,
                },
                OutputBlock {
                    text: "b".into(),
                    probability: 0.25,
                    kept: false,
                    role: None,
                    start: 9,
                    end: 12,
                },
            ],
            ..record()
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
        assert_eq!(json.as_object().unwrap().len(), 25);
    }
}
