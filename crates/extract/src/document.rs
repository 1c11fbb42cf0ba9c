//! The document: the text and metadata that the extractor takes from a page.

use crate::block_page::BlockReason;
use crate::choice::Decider;
use crate::chunks::{Chunk, ChunkSize};
use crate::metadata::Metadata;
use crate::metadata_choice::MetadataChoice;
use crate::posts::Post;
use crate::render::{DocumentTable, MarkdownOptions, TextOptions, TextSpan};
use crate::role::Role;
use crate::tokens::TokenCounter;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// The main content of one page with what is known about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Main text; empty if the page has none. Each paragraph, heading, list item and table row is a line, with
    /// tabs between the cells of a row. An empty line stands around paragraphs, headings, lists, tables and
    /// code. Code keeps its white space.
    pub text: String,
    /// Title of the page without the name of its site. It is the `h1` that is like one of the titles that the
    /// page states, else the headline of its JSON-LD, `og:title`, its `<title>` or its first heading. White
    /// space is folded.
    pub title: Option<String>,
    /// ISO 639-1 code of the text's language (ISO 639-3 if there is no shorter one). It is detected on the text
    /// if that is long enough; else the page's declaration counts.
    pub lang: Option<String>,
    /// Other facts that the page states about itself.
    #[serde(flatten)]
    pub metadata: Metadata,
    /// Type that the model takes the page for (`article`, `forum`, `product` ...), if it knows types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_type: Option<String>,
    /// The reason why this is not the requested page, from the title and phrases of the page, regardless of the
    /// model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<BlockReason>,
    /// Headings among the lines of the text, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Readers' comments, where they are kept apart from the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comments: Option<String>,
    /// WHATWG name of the encoding the page was decoded with, in lower case (`utf-8`, `windows-1252`).
    pub charset: String,
    /// True if a site memory knew other pages of the page's site.
    #[serde(default)]
    pub by_sites: bool,
    /// The source of the encoding (`bom`, `http`, `meta`, `crawl`, `detected`).
    pub charset_source: String,
    /// Expected word F1 of `text`, from the block probabilities, in 0..=1; 0 of an empty text.
    pub confidence: f32,
    /// The wishes of the page to robots in `<meta name="robots">`, unchanged. Filters read them; they are not
    /// part of the written document.
    #[serde(skip)]
    pub robots: Vec<String>,
    /// Number of the `a` elements of the page. Annotations have it; it is not part of the written document.
    #[serde(skip)]
    pub links: u32,
    /// Every block of the page in document order, kept or not, on request. Texts that stand only in its JSON-LD
    /// follow.
    pub blocks: Vec<BlockVerdict>,
    /// The places of the parts of `text` in the decoded page, in the order of the text, on request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<TextSpan>,
    /// The tables among the text as rows, in its order, on request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<DocumentTable>,
    /// The posts of several people on the page, if its markup states them, on request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub posts: Vec<Post>,
    /// The text in chunks, on request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chunks: Vec<Chunk>,
    /// Caps that the page passed (`depth`, `blocks`, `text` ...); what lies beyond them is missing.
    pub capped: Vec<String>,
    /// Oddities of the page, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Document {
    /// The document of something that is not a page, by the media type that its bytes show: without text, and
    /// with a note that says so.
    pub fn of_other_data(media_type: &str) -> Self {
        Self { notes: vec![format!("{media_type} data, not a page")], ..Self::default() }
    }
}

/// Options for the optional parts of a [`Document`].
///
/// ```
/// use trommel_extract::{DocumentOptions, MarkdownOptions};
///
/// let options = DocumentOptions::default()
///     .with_blocks(true)
///     .with_markdown(MarkdownOptions::default());
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentOptions {
    /// True to list every block of the page.
    pub blocks: bool,
    /// True to list the places of the parts of the text in the decoded page.
    pub spans: bool,
    /// True to give tables as rows, too.
    pub tables: bool,
    /// True to divide a page by several people into posts: [`Document::posts`] lists them, and Markdown has a line with
    /// author and time above each.
    pub posts: bool,
    /// The size of the chunks of the text; none for no chunks.
    pub chunks: Option<ChunkSize>,
    /// Maximum tokens of the text; a longer one ends at a paragraph, and [`Document::capped`] has `max-tokens`.
    pub max_tokens: Option<NonZeroU32>,
    /// Counts tokens for the text and the chunks.
    pub tokens: TokenCounter,
    /// The text as Markdown; as plain text if there are no options for it.
    pub markdown: Option<MarkdownOptions>,
    /// The form of formulas, notes and scripts in text, and in Markdown too.
    pub text: TextOptions,
    /// True to read only title and language, for outputs without a place for other metadata.
    pub few_metadata: bool,
    /// The metadata that are read for outputs that have a place for all.
    pub metadata: MetadataChoice,
    /// True to detect the language of the text even with few metadata, because a filter needs it.
    pub needs_language: bool,
}

impl DocumentOptions {
    trommel_text::setters! {
        /// The same options with title and language as the only metadata, or with all.
        with_few_metadata(few_metadata: bool);
        /// The same options with these metadata.
        with_metadata(metadata: MetadataChoice);
        /// The same options with the language of the text found in any case, or not.
        with_language(needs_language: bool);
        /// The same options with every block of the page listed, or not.
        with_blocks(blocks: bool);
        /// The same options with the place of each part of the text in the decoded page, or without.
        with_spans(spans: bool);
        /// The same options with the tables as rows as well, or without.
        with_tables(tables: bool);
        /// The same options with the page divided into posts, or not.
        with_posts(posts: bool);
        /// The same options with the text in chunks of this size as well, or without.
        with_chunks(chunks: Option<ChunkSize>);
        /// The same options with a maximum number of tokens of the text, or without one.
        with_max_tokens(max_tokens: Option<NonZeroU32>);
        /// The same options with tokens counted by this counter.
        with_token_counter(tokens: TokenCounter);
        /// The same options with text that gives formulas, notes and scripts in these forms.
        with_text(text: TextOptions);
        /// The same options with the text as Markdown.
        with_markdown(markdown: MarkdownOptions);
    }
}

/// One block of a page and the model's verdict on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockVerdict {
    /// The block's text: entities decoded, white space folded except in `pre`.
    pub text: String,
    /// First and one past the last byte of the block's text in the decoded page.
    pub span: (u32, u32),
    /// Name of the innermost block-level element around the text.
    pub tag: String,
    /// Names of the block-level elements around the text, outermost first, divided by `>`, without
    /// `html` and `body`; the innermost 64 if there are more.
    pub path: String,
    /// Number of words (characters for scripts that do not divide words by spaces).
    pub words: u32,
    /// Share of the words that stand in links, 0..=1.
    pub link_density: f32,
    /// Probability that the block is main content.
    pub probability: f32,
    /// True if the block is part of the document's text.
    pub kept: bool,
    /// The decider of that: the model, the content policy, notes, or one of the [`RULES`](crate::RULES).
    #[serde(default)]
    pub by: Decider,
    /// The role of the block on its page; none from a method that is not a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The place of the text, if it is not among the page's own text. Its span is then that of the script's
    /// contents, its tag `script`, and its path the type and property (`NewsArticle>articleBody`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<BlockSource>,
}

/// The place of a text that is not part of the page's own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockSource {
    /// A text that occurs only in a JSON-LD script; the span is that of the script's contents.
    JsonLd,
    /// A text of the data from which a script builds the page (`__NEXT_DATA__` and its like); the span is that of the
    /// script's contents.
    Hydration,
}
