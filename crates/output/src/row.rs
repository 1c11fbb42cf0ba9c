//! The keys shared by the formats that write one map a document.

use serde::Serialize;
use trommel_extract::{BlockVerdict, Metadata, Role};

use crate::{Entry, Source};

/// One output map. The first ten keys are always there; the rest only where they say something.
#[derive(Serialize)]
pub(crate) struct Row<'a> {
    id: &'a str,
    url: Option<&'a str>,
    date: Option<&'a str>,
    text: &'a str,
    title: Option<&'a str>,
    lang: Option<&'a str>,
    charset: &'a str,
    charset_source: &'a str,
    confidence: f32,
    source: &'a Source,
    #[serde(flatten)]
    metadata: &'a Metadata,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    headings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    page_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    capped: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<Block<'a>>,
}

/// A block of the page.
#[derive(Serialize)]
struct Block<'a> {
    text: &'a str,
    probability: f32,
    kept: bool,
    role: Option<Role>,
    start: u32,
    end: u32,
}

impl<'a> From<&'a BlockVerdict> for Block<'a> {
    fn from(block: &'a BlockVerdict) -> Self {
        Self {
            text: &block.text,
            probability: block.probability,
            kept: block.kept,
            role: block.role,
            start: block.span.0,
            end: block.span.1,
        }
    }
}

impl Row<'_> {
    /// The row without the blocks, of which a search engine would make fields.
    pub(crate) fn without_blocks(mut self) -> Self {
        self.blocks.clear();
        self
    }
}

impl<'a> From<&Entry<'a>> for Row<'a> {
    fn from(entry: &Entry<'a>) -> Self {
        let document = entry.document;
        Self {
            id: entry.id,
            url: entry.url,
            date: entry.date,
            text: &document.text,
            title: document.title.as_deref(),
            lang: document.lang.as_deref(),
            charset: &document.charset,
            charset_source: &document.charset_source,
            confidence: document.confidence,
            source: entry.source,
            metadata: &document.metadata,
            headings: &document.headings,
            page_type: document.page_type.as_deref(),
            comments: document.comments.as_deref(),
            status: entry.status,
            truncated: entry.truncated,
            capped: &document.capped,
            notes: entry.notes,
            blocks: document.blocks.iter().map(Block::from).collect(),
        }
    }
}
