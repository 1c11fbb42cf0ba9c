//! The document: the text and metadata that the extractor takes from a page, with its language and confidence.
//!
//! The language is determined from the text, or else from the declaration of the page. Documents of plain text come
//! from servers or from WET files; nothing of them is dropped.

use std::{borrow::Cow, num::NonZeroU32};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use trommel_html::{Head, charset};
use trommel_text::language::{detect, primary, well_formed};
use trommel_text::long_run;

use crate::chunks::{Chunk, ChunkSize, TokenCounter};
use crate::render::{DocumentTable, MarkdownOptions, TextOptions, TextSpan};
use crate::rights::Rights;
use crate::{Hints, block_page::BlockReason, choice::Decider, metadata::Metadata, posts::Post, role::Role};

/// The main content of one page, with its metadata.
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
    /// The reservations of rights that the page states, and those of its server if a run adds them.
    #[serde(default, skip_serializing_if = "Rights::is_empty")]
    pub rights: Rights,
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

/// One block of a page and the model's verdict on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BlockVerdict {
    /// The block's text: entities decoded, white space folded except in `pre`.
    pub text: String,
    /// First byte of the block's text in the decoded page. Of a text of a script it is that of the script's contents,
    /// whose tag is `script` and whose path is the type and property (`NewsArticle>articleBody`).
    pub start: u32,
    /// One past its last byte there.
    pub end: u32,
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
    /// The role of the block on its page; none from a method that is not a model.
    #[serde(serialize_with = "role_name", deserialize_with = "role_of_name")]
    pub role: Option<Role>,
    /// The place of the text.
    pub source: BlockSource,
    /// The decider of whether it is kept: the model, the content policy, notes, or one of the
    /// [`RULES`](crate::RULES).
    #[serde(rename = "decider")]
    pub by: Decider,
}

fn role_name<S: Serializer>(role: &Option<Role>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(role.map_or("", Role::name))
}

fn role_of_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Role>, D::Error> {
    let name = Cow::<str>::deserialize(deserializer)?;
    Ok(Role::ALL.into_iter().find(|role| role.name() == name))
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

/// Metadata of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MetadataChoice {
    /// Few with the model `lite`, all with the others.
    #[default]
    Auto,
    /// All that a page states, and the language of the text.
    All,
    /// Title, date of publication and declared language; the language of the text only for a filter that needs it.
    Few,
}

/// Bytes from which a run of ASCII without white space is data rather than a word. The first is for base64;
/// the lower one for runs with signs that words do not have: minified scripts, JSON.
// Longer than the longest words of German; addresses are exempt.
const MIN_DATA_BYTES: usize = 60;
const MIN_SIGNED_DATA_BYTES: u32 = 25;
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
    let words = texts.clone().flat_map(|text| LongWords { text, at: 0 });
    let data: usize = words.filter(|word| is_data(word)).map(str::len).sum();
    if data == 0 {
        return 0.0;
    }
    // Only where there is data at all: most texts have none.
    let signs = |text: &str| text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
    data as f32 / texts.map(signs).sum::<usize>().max(1) as f32
}

/// The words of a text, divided by ASCII white space, that have [`MIN_SIGNED_DATA_BYTES`] bytes at least.
struct LongWords<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for LongWords<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let start = long_run(bytes, self.at, MIN_SIGNED_DATA_BYTES)?;
        let rest = bytes.get(start..)?;
        let len = rest.iter().position(u8::is_ascii_whitespace);
        let end = start + len.unwrap_or(rest.len());
        self.at = end;
        self.text.get(start..end)
    }
}

fn is_data(word: &str) -> bool {
    let is_address = word.contains("://") || word.starts_with("www.");
    let signs = ['{', '}', '(', ')', '[', ']', ';', '=', '"', '<', '>'];
    let is_long = word.len() >= MIN_DATA_BYTES || word.contains(signs);
    is_long && word.is_ascii() && !is_address
}

/// Language of a page as an ISO 639-1 code (ISO 639-3 if there is no shorter one). It is detected on `text`
/// if that is reliable; else the tag which the page [declares](declared) decides.
pub(crate) fn language(text: &str, declared: impl FnOnce() -> Option<String>) -> Option<String> {
    // The text first: templates declare `en` for pages of every language.
    detect(text).or_else(|| primary(&declared()?))
}

/// The language a page declares, as a BCP 47 tag: that of `<html lang>`, else `graph` (that of its
/// JSON-LD), else of a `<meta>`.
pub(crate) fn declared(head: &Head, graph: Option<&str>) -> Option<String> {
    // After `<html lang>`, because these are set once for a whole site.
    let metas = ["content-language", "og:locale", "language", "dc.language"];
    head.lang
        .as_deref()
        .into_iter()
        .chain(graph)
        .chain(metas.iter().filter_map(|name| head.meta(name)))
        .find_map(well_formed)
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
                let found = LongWords { text: &text, at: 0 };
                assert_eq!(found.collect::<Vec<_>>(), plain);
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

    fn head(lang: &str) -> Head {
        Head { lang: Some(lang.to_owned()), ..Head::default() }
    }

    #[test]
    fn long_text_decides() {
        let german = "Der schnelle braune Fuchs springt über den faulen Hund, und niemand wundert sich darüber.";
        let english = || Some("en".to_owned());
        assert_eq!(language(german, english).as_deref(), Some("de"));
        let chinese = "我在湖南张家界开一个全省教学研究会议。按照惯例，会议安排了一天时间，让与会者去风景点游玩观赏。";
        assert_eq!(language(chinese, english).as_deref(), Some("zh"));
    }

    #[test]
    fn declared_tags_are_brought_to_form() {
        assert_eq!(declared(&head("EN_us"), None).as_deref(), Some("en-US"));
        assert_eq!(declared(&head("zh-hans-cn"), None).as_deref(), Some("zh-Hans-CN"));
        assert_eq!(declared(&head("english"), Some("de")).as_deref(), Some("de"));
        let meta = Head { meta: vec![("og:locale".into(), "pt_BR".into())], ..Head::default() };
        assert_eq!(declared(&meta, None).as_deref(), Some("pt-BR"));
        for none in ["", "{{lang}}", "xx-invalid-länge", "qq"] {
            assert_eq!(declared(&head(none), None), None, "{none}");
        }
    }

    #[test]
    fn short_text_is_as_declared() {
        let of = |lang: &str| language("Hallo", || declared(&head(lang), None));
        assert_eq!(of("de-AT").as_deref(), Some("de"));
        for (tag, code) in [("eng", "en"), ("iw", "he"), ("ger-AT", "de")] {
            assert_eq!(of(tag).as_deref(), Some(code), "{tag}");
        }
        assert_eq!(of("x-none"), None);
        assert_eq!(language("", || None), None);
    }
}
