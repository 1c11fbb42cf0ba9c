//! The document: the text and metadata that the extractor takes from a page, as keys in their order, with its confidence.
//!
//! Documents of plain text come from servers or from WET files; nothing of them is dropped.

use std::{fmt, num::NonZeroU32, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct as _};
use trommel_html::charset;
use trommel_text::keys::{Joined, KeyType, Shape, Value, by_name, filled};

use crate::chunks::{Chunk, ChunkSize, TokenCounter};
use crate::metadata::language::language;
use crate::render::{DocumentTable, MarkdownOptions, TextOptions, TextSpan};
use crate::rights::Rights;
use crate::{Hints, block_page::BlockReason, choice::Decider, content_policy::choices, posts::Post, role::Role};

trommel_text::keyed! {
    /// The document of a page, or of its record in an archive: the keys of a JSON line, in their order.
    ///
    /// An extraction fills the keys that come from the page; a run adds those of the record. Every key is written, and
    /// each has one type. A missing value is an empty string, 0 or an empty list. Some readers infer the types of a
    /// file from its first lines. They fail at a later value, or lose it, if those lines hold only `null` or empty
    /// lists. Therefore rare values are strings.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Document {
        /// WARC-Record-ID without angle brackets; if it is missing, an id made from place and URL.
        pub id: String as Word,
        /// URL of the page.
        #[serde(with = "filled")]
        pub url: Option<String> as Address,
        /// Time of the capture, as the archive states it.
        #[serde(with = "filled")]
        pub date: Option<String> as Date,
        /// Main text; empty if the page has none.
        pub text: String,
        /// Headline, without the name of the site.
        #[serde(with = "filled")]
        pub title: Option<String>,
        /// Language of the text: ISO 639-1, or ISO 639-3 if there is no shorter code; empty where metadata are few.
        #[serde(with = "filled")]
        pub lang: Option<String> as Word,
        /// Encoding of the page: its WHATWG name in lower case.
        pub charset: String as Word,
        /// Origin of the encoding: `bom`, `http`, `meta`, `crawl`, `detected`.
        pub charset_source: String as Word,
        /// Word F1 that the model expects of the text, 0 to 1; 0 for an empty text.
        pub confidence: f32,
        /// Place of the record, for `trommel cat FILE:OFFSET:LENGTH`: `file` as it was given and `name` without its
        /// folder; `offset` and `length` in stored bytes; `inner`, the offset in the decompressed gzip member if that
        /// holds several records, else 0.
        #[serde(with = "filled")]
        pub source: Option<RecordSource>,
        /// Names of the authors, in the order of the page.
        pub author: Vec<String>,
        /// Date of publication, ISO 8601, as precise as the page states it.
        #[serde(with = "filled")]
        pub published: Option<String> as Date,
        /// Date of the last change, ISO 8601.
        #[serde(with = "filled")]
        pub modified: Option<String> as Date,
        /// Name of the site or publisher.
        #[serde(with = "filled")]
        pub site: Option<String> as Address,
        /// Description that the page states.
        #[serde(with = "filled")]
        pub description: Option<String>,
        /// Canonical URL.
        #[serde(with = "filled")]
        pub canonical: Option<String> as Address,
        /// URL of the next page (`rel="next"`, else the next link in a row of page numbers).
        #[serde(with = "filled")]
        pub next: Option<String> as Address,
        /// Language that the page declares, BCP 47.
        #[serde(with = "filled")]
        pub lang_declared: Option<String> as Word,
        /// Reservations of rights that the page or its server states.
        pub rights: Rights,
        /// Headings within the text.
        pub headings: Vec<String>,
        /// `article`, `collection`, `documentation`, `forum`, `listing`, `product`, `service` or, rarely, `block-page`,
        /// as the model judges it.
        #[serde(with = "filled")]
        pub page_type: Option<String> as Word,
        /// Obstacle recognised by title and phrases: `captcha`, `denied`, `consent`, `login`, `not-found`, `parked`;
        /// else empty. `rules = ["block-page"]` drops such pages.
        #[serde(with = "by_name")]
        pub blocked: Option<BlockReason>,
        /// Readers' comments, with `--comments separate`.
        #[serde(with = "filled")]
        pub comments: Option<String>,
        /// HTTP status; 0 if unknown.
        #[serde(with = "filled")]
        pub status: Option<u16>,
        /// WARC-Truncated: why the crawler truncated the page.
        #[serde(with = "filled")]
        pub truncated: Option<String> as Word,
        /// Caps that the page exceeded, separated by commas.
        pub capped: Joined<','>,
        /// Irregularities of the record, separated by semicolons; `KIND data, not a page` (Python); `site memory: fixed`
        /// if other pages of the site influenced the text.
        pub notes: Joined<';'>,
        /// Extractor of the text, if a script replaced it.
        #[serde(with = "filled")]
        pub extractor: Option<String> as Word,
        /// All blocks of the page, with `--blocks`.
        pub blocks: Vec<BlockVerdict>,
        /// Places of the parts of the text in the decoded page, with `--spans`.
        pub spans: Vec<TextSpan>,
        /// Tables in the text, with `--tables`.
        pub tables: Vec<DocumentTable>,
        /// Posts of the page, with `posts`.
        pub posts: Vec<Post>,
        /// The text in chunks for retrieval, with `--chunks`.
        pub chunks: Vec<Chunk>,
    } besides {
        /// Directives to robots in `<meta name="robots">`, one entry for each element, unchanged, for filters.
        #[serde(skip)]
        pub robots: Vec<String>,
        /// Number of `a` elements of the page, for annotations.
        #[serde(skip)]
        pub links: u32,
        /// Digest of the payload that the archive states (`sha1:...`), for annotations.
        #[serde(skip)]
        pub digest: Option<String>,
    }
}

/// Location of a record in a web archive, from which the record can be read again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct RecordSource {
    /// Path or URL of the archive as the user gave it; `-` for standard input.
    #[serde(deserialize_with = "shared")]
    pub file: Arc<str>,
    /// Byte offset in the archive of the record, or of the compressed member that holds the record.
    pub offset: u64,
    /// Number of stored bytes of the record, or of the compressed member that holds the record.
    pub length: u64,
    /// Byte offset of the record in the decompressed member; 0 if the member holds only one record.
    #[serde(default)]
    pub inner: u64,
}

impl RecordSource {
    /// Returns the name of the archive without its folder or the rest of its URL.
    pub fn name(&self) -> &str {
        let path = match self.file.split_once("://") {
            Some((_, rest)) => rest.split(['?', '#']).next().unwrap_or(rest),
            None => &self.file,
        };
        path.rsplit(['/', '\\']).next().unwrap_or(path)
    }
}

/// Writes the place as `trommel cat` takes it: `FILE:OFFSET:LENGTH`, and `:INNER` if `inner` is not 0.
impl fmt::Display for RecordSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.offset, self.length)?;
        if self.inner == 0 { Ok(()) } else { write!(f, ":{}", self.inner) }
    }
}

impl KeyType for RecordSource {
    const SHAPE: Shape = Shape::Object;

    fn value(&self) -> Value<'_> {
        Value::Text(self.to_string().into())
    }
}

fn shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    String::deserialize(deserializer).map(Arc::from)
}

impl Serialize for RecordSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("source", 5)?;
        map.serialize_field("name", self.name())?;
        map.serialize_field("file", &*self.file)?;
        map.serialize_field("offset", &self.offset)?;
        map.serialize_field("length", &self.length)?;
        map.serialize_field("inner", &self.inner)?;
        map.end()
    }
}

impl Document {
    /// Creates the document of data that is not a page: without text, and with a note that states the media type that
    /// the bytes show.
    pub fn of_other_data(media_type: &str) -> Self {
        Self { notes: Joined(vec![format!("{media_type} data, not a page")]), ..Self::default() }
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
    /// True to list every block of the page in [`Document::blocks`].
    pub blocks: bool,
    /// True to list for each part of the text its place in the decoded page.
    pub spans: bool,
    /// True to list the tables of the text as rows of cells, too.
    pub tables: bool,
    /// True to divide a page by several authors into posts: [`Document::posts`] lists them, and Markdown has a line
    /// with author and time above each.
    pub posts: bool,
    /// True to write a line with author and time above each post in plain text, too.
    pub names: bool,
    /// Size of the chunks of the text; `None` for no chunks.
    pub chunks: Option<ChunkSize>,
    /// Maximum number of tokens of the text; longer text ends at a paragraph, with `max-tokens` in `capped`.
    pub max_tokens: Option<NonZeroU32>,
    /// Counter of tokens, for the maximum length of the text and for chunks.
    pub tokens: TokenCounter,
    /// Options for text in Markdown; `None` for plain text.
    pub markdown: Option<MarkdownOptions>,
    /// Forms of formulas, notes, superscripts and subscripts, in plain text and in Markdown.
    pub text: TextOptions,
    /// True to read only title and declared language as metadata, because the output has no place for more.
    pub few_metadata: bool,
    /// Amount of metadata to read for outputs that have a place for all.
    pub metadata: MetadataChoice,
    /// True to detect the language of the text even with few metadata, because a filter needs it.
    pub needs_language: bool,
}

impl DocumentOptions {
    trommel_text::setters! {
        /// Returns the same options, set to read only title and declared language as metadata, or all metadata.
        with_few_metadata(few_metadata: bool);
        /// Returns the same options with this amount of metadata.
        with_metadata(metadata: MetadataChoice);
        /// Returns the same options, set to detect the language of the text in any case, or not.
        with_language(needs_language: bool);
        /// Returns the same options, set to list every block of the page, or not.
        with_blocks(blocks: bool);
        /// Returns the same options, set to list the place of each part of the text in the decoded page, or not.
        with_spans(spans: bool);
        /// Returns the same options, set to list the tables as rows of cells, or not.
        with_tables(tables: bool);
        /// Returns the same options, set to divide the page into posts, or not.
        with_posts(posts: bool);
        /// Returns the same options, set to write author and time above each post in plain text, or not.
        with_names(names: bool);
        /// Returns the same options, set to divide the text into chunks of this size too; `None` for no chunks.
        with_chunks(chunks: Option<ChunkSize>);
        /// Returns the same options with a maximum number of tokens of the text; `None` for no maximum.
        with_max_tokens(max_tokens: Option<NonZeroU32>);
        /// Returns the same options with this counter of tokens.
        with_token_counter(tokens: TokenCounter);
        /// Returns the same options with these forms of formulas, notes, superscripts and subscripts.
        with_text(text: TextOptions);
        /// Returns the same options, set to write the text as Markdown.
        with_markdown(markdown: MarkdownOptions);
    }
}

trommel_text::keyed! {
    /// A block of a page with the verdict on it: probability, role and whether it is kept.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct BlockVerdict {
        /// Text of the block.
        pub text: String,
        /// First byte of the block in the decoded page.
        pub start: u32,
        /// Byte after the block.
        pub end: u32,
        /// Innermost block-level element around the block; `script` for the data of scripts.
        pub tag: String as Word,
        /// Block-level elements around the block, outermost first, separated by `>`; the innermost 64 at the most, and 500
        /// bytes; for JSON-LD, type and property.
        pub path: String as Word,
        /// Words of the block.
        pub words: u32,
        /// Share of the words inside links, 0 to 1.
        pub link_density: f32,
        /// Probability of main content.
        pub probability: f32,
        /// True if the block is text.
        pub kept: bool,
        /// `headline`, `body`, `comment`, `review`, `question-answer`, `card`, `specification`, `ingredient`, `step`,
        /// `caption`, `byline`, `notice`, `control`, `count`, `author-box`, `pager`, `navigation`, `header`, `footer`,
        /// `aside`, `form`, `hidden` or `other`.
        #[serde(with = "by_name")]
        pub role: Option<Role>,
        /// `page`; `json-ld` for text found only in the page's JSON-LD; `hydration` for text found only in the data of
        /// its scripts.
        pub source: BlockSource,
        /// Decider about it: `model`, `policy` (settings for headlines, comments and roles), `notes` (a footnote
        /// whose mark is kept), `selector` (the settings `keep` and `drop`), or the last rule that changed it.
        pub decider: Decider,
    }
}

trommel_text::named! {
    /// Part of a page from which the text of a block was taken.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum BlockSource {
        /// Elements of the page.
        #[default]
        Page = "page",
        /// JSON-LD script, for a text that no element of the page has.
        JsonLd = "json-ld",
        /// Data from which a script builds the page (such as `__NEXT_DATA__`), for a text that no element has.
        Hydration = "hydration",
    }
}

impl Document {
    /// Creates the document of a plain text: decoded, with line feeds as line ends and without control characters. It
    /// has no title, and no metadata other than language and charset.
    pub fn of_plain_text(bytes: &[u8], hints: &Hints<'_>) -> Self {
        let decoded = charset::decode(bytes, &hints.charset());
        let text = decoded.text.replace("\r\n", "\n").replace('\r', "\n");
        let is_kept = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
        let text: String = text.chars().filter(is_kept).collect();
        let text = text.trim_matches('\n').trim_end();
        Self {
            text: text.to_owned(),
            lang: language(text, || None),
            charset: decoded.encoding.name().to_ascii_lowercase(),
            charset_source: decoded.source.name().to_owned(),
            // Nothing was chosen, so nothing can be wrong but that the text is data.
            confidence: confidence(1.0, std::iter::once(text)),
            ..Self::default()
        }
    }
}

choices! {
    /// Amount of metadata in documents.
    pub enum MetadataChoice {
        /// Few with the model `lite`, all with the others.
        #[default]
        Auto,
        /// All that a page states, and the language of the text.
        All,
        /// Title, date of publication and declared language; the language of the text only for a filter that needs it.
        Few,
    }
}

/// Minimum bytes of a run of ASCII without white space that counts as data, such as base64, rather than as a word.
// Longer than the longest words of German; addresses are exempt.
const MIN_DATA_BYTES: usize = 60;
/// Minimum bytes of a run of ASCII with signs of code such as `{` or `=` that counts as data rather than as a word.
const MIN_SIGNED_DATA_BYTES: usize = 25;
/// Maximum share (0 to 1) of code or other data in a text that leaves its confidence unchanged; more data lower it.
const MAX_DATA_SHARE: f32 = 0.4;

/// Returns the confidence in the texts of a document: the expected word F1 of the choice of blocks, lowered by the
/// share of data. The model does not know whether a block is prose, or data that a server sent as a page. Without any
/// text the confidence is 0.
pub(crate) fn confidence<'a>(expected_f1: f32, texts: impl Iterator<Item = &'a str> + Clone) -> f32 {
    if texts.clone().all(str::is_empty) {
        return 0.0;
    }
    let data = data_share(texts);
    if data <= MAX_DATA_SHARE { expected_f1 } else { expected_f1 * (1.0 - data) }
}

/// Returns the share (0 to 1) of the bytes of texts, without white space, that are data. Addresses are not data.
pub(crate) fn data_share<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> f32 {
    let words = texts.clone().flat_map(long_words);
    let data: usize = words.filter(|word| is_data(word)).map(str::len).sum();
    if data == 0 {
        return 0.0;
    }
    // Only where there is data at all: most texts have none.
    let signs = |text: &str| text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
    data as f32 / texts.map(signs).sum::<usize>().max(1) as f32
}

/// Iterates over the words of a text, between ASCII white space, of at least [`MIN_SIGNED_DATA_BYTES`] bytes.
fn long_words(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    let is_space = u8::is_ascii_whitespace;
    std::iter::from_fn(move || {
        let bytes = text.as_bytes();
        // White space near the end of so many bytes shows at once that no long word begins in those before it.
        while let Some(space) = bytes.get(at..at + MIN_SIGNED_DATA_BYTES)?.iter().rposition(is_space) {
            at += space + 1;
        }
        let start = at;
        at = bytes.get(start..)?.iter().position(is_space).map_or(bytes.len(), |len| start + len);
        text.get(start..at)
    })
}

fn is_data(word: &str) -> bool {
    let is_address = word.contains("://") || word.starts_with("www.");
    let signs = ['{', '}', '(', ')', '[', ']', ';', '=', '"', '<', '>'];
    let is_long = word.len() >= MIN_DATA_BYTES || word.contains(signs);
    is_long && word.is_ascii() && !is_address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_as_it_is() {
        let hints = Hints { http_charset: Some("iso-8859-1"), ..Hints::default() };
        let text = b"\r\nDie M\xfchle steht am Flu\xdf,\r\n  <b>und</b> ihr Rad dreht sich\tdort.\x1b[2J\r\n";
        let document = Document::of_plain_text(text, &hints);
        assert_eq!(document.text, "Die Mühle steht am Fluß,\n  <b>und</b> ihr Rad dreht sich\tdort.[2J");
        assert_eq!((document.title, document.confidence), (None, 1.0));
        assert_eq!(document.charset, "windows-1252");
        assert_eq!(document.lang.as_deref(), Some("de"));
        assert_eq!(Document::of_plain_text(b"", &hints).text, "");
    }

    #[test]
    fn long_words_are_those_of_the_plain_division() {
        let words = [
            "a",
            "be",
            "not-so-long-a-word-as-data",
            "{x}",
            "x".repeat(24).as_str(),
            &"y".repeat(25),
            &"z(".repeat(40),
            &"\u{e9}".repeat(13),
        ]
        .map(str::to_owned);
        for first in 0..words.len() {
            for step in 1..words.len() {
                let picked = (0..9).map(|at| words[(first + at * step) % words.len()].as_str());
                let text = picked.collect::<Vec<_>>().join(["\n", "  ", " "][step % 3]);
                let plain = text.split_ascii_whitespace();
                let plain: Vec<&str> = plain.filter(|word| word.len() >= 25).collect();
                assert_eq!(long_words(&text).collect::<Vec<_>>(), plain);
            }
        }
    }

    #[test]
    fn data_is_not_trusted_and_text_is() {
        let base64 = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4 ".repeat(20);
        let script = "!function(e,t){\"object\"==typeof exports?module.exports=t():e.lib=t()}(this)";
        for data in [&base64, script] {
            assert!(confidence(0.9, [data].into_iter()) < 0.1, "{data}");
        }
        let prose = "The mill stands by the river, and its wheel has turned there for years. ";
        let quoting = format!("{}{script}", prose.repeat(10));
        let address = format!("https://example.org/{}", "a".repeat(80));
        let chinese = "我在湖南张家界开一个全省教学研究会议".repeat(9);
        for text in [prose, &quoting, &address, &chinese] {
            assert_eq!(confidence(0.9, [text, ""].into_iter()), 0.9, "{text}");
        }
        assert_eq!(confidence(0.9, [""].into_iter()), 0.0);
    }
}
