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
    /// An extraction fills the keys that a page says; a run adds those of the record. Every key is written, and each
    /// has one type. A missing value is an empty string, 0 or an empty list. Readers infer the types of a file from its
    /// beginning. Some of them fail at a value, or lose it, after nothing but `null` or empty lists. Therefore rare
    /// values are strings.
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
        /// Date of the last change, in the same form.
        #[serde(with = "filled")]
        pub modified: Option<String> as Date,
        /// Name of the site or publisher.
        #[serde(with = "filled")]
        pub site: Option<String> as Address,
        /// The page's description of itself.
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
        /// The extractor that made the text, if a script put another in; empty for trommel.
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
        /// The wishes of the page to robots in `<meta name="robots">`, unchanged, for filters.
        #[serde(skip)]
        pub robots: Vec<String>,
        /// Number of the `a` elements of the page, for annotations.
        #[serde(skip)]
        pub links: u32,
        /// The digest of the payload that the archive states (`sha1:...`), for annotations.
        #[serde(skip)]
        pub digest: Option<String>,
    }
}

/// The place of the archive record of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct RecordSource {
    /// The archive as it was named by the user; `-` for standard input.
    #[serde(deserialize_with = "shared")]
    pub file: Arc<str>,
    /// First stored byte of the record or of the compressed member that holds it.
    pub offset: u64,
    /// Stored bytes of the record or of that member.
    pub length: u64,
    /// Offset of the record in the member's plain bytes; 0 if the member holds only one record.
    #[serde(default)]
    pub inner: u64,
}

impl RecordSource {
    /// The name of the archive without its folder or the rest of its URL.
    pub fn name(&self) -> &str {
        let path = match self.file.split_once("://") {
            Some((_, rest)) => rest.split(['?', '#']).next().unwrap_or(rest),
            None => &self.file,
        };
        path.rsplit(['/', '\\']).next().unwrap_or(path)
    }
}

/// The place as `trommel cat` takes it: `FILE:OFFSET:LENGTH`, and `:INNER` if a member holds several records.
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
    /// The document of something that is not a page, by the media type that its bytes show: without text, and
    /// with a note that says so.
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
    /// True to list every block of the page.
    pub blocks: bool,
    /// True to list the places of the parts of the text in the decoded page.
    pub spans: bool,
    /// True to give tables as rows, too.
    pub tables: bool,
    /// True to divide a page by several people into posts: [`Document::posts`] lists them, and Markdown has a line with
    /// author and time above each.
    pub posts: bool,
    /// True for a line with author and time above each post in plain text, too.
    pub names: bool,
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
        /// The same options with author and time above each post in plain text, too, or without.
        with_names(names: bool);
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

trommel_text::keyed! {
    /// One block of a page and the verdict on it.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct BlockVerdict {
        /// Its text.
        pub text: String,
        /// First byte in the decoded page.
        pub start: u32,
        /// Byte after the last.
        pub end: u32,
        /// Innermost block-level element around it; `script` for the data of scripts.
        pub tag: String as Word,
        /// Block-level elements around it, outermost first, separated by `>`; the innermost 64 at the most, and 500
        /// bytes; for JSON-LD, type and property.
        pub path: String as Word,
        /// Number of words.
        pub words: u32,
        /// Share of the words inside links, 0 to 1.
        pub link_density: f32,
        /// Probability that it is main content.
        pub probability: f32,
        /// True if it is part of the text.
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
    /// The place of a text of a page.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum BlockSource {
        /// The page itself.
        #[default]
        Page = "page",
        /// A JSON-LD script alone.
        JsonLd = "json-ld",
        /// The data from which a script builds the page (`__NEXT_DATA__` and its like).
        Hydration = "hydration",
    }
}

impl Document {
    /// The document of a plain text: the text as it is, decoded, with lines ended by line feeds and
    /// without control characters. It has no title, and no metadata.
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
    /// Metadata of documents.
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

/// Bytes from which a run of ASCII without white space is data rather than a word. The first is for base64;
/// the lower one for runs with signs that words do not have: minified scripts, JSON.
// Longer than the longest words of German; addresses are exempt.
const MIN_DATA_BYTES: usize = 60;
const MIN_SIGNED_DATA_BYTES: usize = 25;
/// Share of such runs up to which a text is a text that has some, as documentation has code.
const MAX_DATA_SHARE: f32 = 0.4;

/// The confidence in the texts of a document: the word F1 that the model expects of the choice of blocks, less the
/// share of what nobody reads. The model knows where text stands, and not whether it is prose or the
/// data that a server sent as a page. Of no text there is nothing to be confident of.
pub(crate) fn confidence<'a>(expected_f1: f32, texts: impl Iterator<Item = &'a str> + Clone) -> f32 {
    if texts.clone().all(str::is_empty) {
        return 0.0;
    }
    let data = data_share(texts);
    if data <= MAX_DATA_SHARE { expected_f1 } else { expected_f1 * (1.0 - data) }
}

/// Share of the bytes of words that are in runs of data; addresses are none.
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

/// The words of a text, divided by ASCII white space, that have [`MIN_SIGNED_DATA_BYTES`] bytes at least.
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
