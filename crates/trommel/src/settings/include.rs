//! Settings of the lists beside the text, with their defaults.

use serde::{Deserialize, Serialize};
use trommel_extract::{ChunkSize, MetadataChoice};

/// Lists beside the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct IncludeSettings {
    /// List all blocks of the page with text, probability, role, bytes in the decoded page, and whether each is kept.
    pub blocks: bool,
    /// List the source bytes of each part of the text: first character of the text, number of
    /// characters, first byte of the page, number of bytes.
    pub spans: bool,
    /// List the tables in the text as rows of cells.
    pub tables: bool,
    /// List the posts of a thread with author and time, if the markup states them. In Markdown, write author and
    /// time above each post.
    pub posts: bool,
    /// Divide the text into chunks for retrieval, each at most this long: words=400, or tokens=512,overlap=64. No chunk
    /// cuts code, a table row, a list item or a sentence.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub chunks: Option<ChunkSize>,
    /// Metadata of documents.
    pub metadata: MetadataChoice,
}
