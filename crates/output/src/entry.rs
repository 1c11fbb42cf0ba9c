//! What is written of one page.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct};
use trommel_extract::Document;

/// Where the record of a page is stored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Source {
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

fn shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    String::deserialize(deserializer).map(Arc::from)
}

impl Serialize for Source {
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

/// One page with its document, borrowed for as long as it is being encoded.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// WARC-Record-ID without angle brackets, or [`record_id`](crate::record_id) where there is none.
    pub id: &'a str,
    /// URL of the page.
    pub url: Option<&'a str>,
    /// Time of the capture as the record gives it.
    pub date: Option<&'a str>,
    /// Where the record is stored.
    pub source: &'a Source,
    /// WARC-Truncated: why the crawler cut the page.
    pub truncated: Option<&'a str>,
    /// HTTP status code.
    pub status: Option<u16>,
    /// Oddities survived while reading the page, in words.
    pub notes: &'a [String],
    /// What the extractor made of the page.
    pub document: &'a Document,
}
