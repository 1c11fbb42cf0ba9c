//! Defines the rows of a page's tables: elements, blocks with their styled parts, attribute words, and facts.
//!
//! A part of a text has a style (link, code, strong or emphasis) or a notation with a meaning. Notations are formulas,
//! superscripts, subscripts, readings, deleted text and links to places on the page. The builder records the parts
//! while it reads the page. So the parts of a block are slices of its text, and together they give exactly that text.

use bitflags::bitflags;

use super::NONE;
use crate::hydration::ScriptText;
use crate::markup::{Tag, by_tag};

/// Facts that a page states about itself in its head: title, `<meta>` elements, addresses, language and scripts with
/// data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Text of the first `<title>`, with character references decoded and white space folded.
    pub title: String,
    /// `<meta>` elements in order: `name`, `property` or `itemprop` in lower case, and content.
    pub meta: Vec<(String, String)>,
    /// `href` of `<link rel="canonical">`.
    pub canonical: Option<String>,
    /// `href` of the first `<base>` that has one, with character references decoded: the base of relative addresses.
    pub base: Option<String>,
    /// `href` of the first `<link rel="next">` or `<a rel="next">` that has one.
    pub next: Option<String>,
    /// `lang` (or `xml:lang`) of `<html>`.
    pub lang: Option<String>,
    /// Scripts of type `application/ld+json`, unchanged and in order; [`Page::json_ld`](crate::Page::json_ld) parses
    /// them.
    pub json_ld: Vec<ScriptText>,
    /// Scripts with hydration payloads (data from which the page is built), in order.
    pub payloads: Vec<ScriptText>,
}

impl Head {
    /// Returns the content of the first `<meta>` with this lower-case name or property; `None` if the page has none.
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.meta.iter().find(|(known, _)| known == name).map(|(_, content)| content.as_str())
    }
}

bitflags! {
    /// Set of kinds of elements, such as list, table or code.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ElementKinds: u16 {
        /// Preformatted text: `pre` and the like ([`Tag::keeps_space`]), and any element displayed as code.
        const CODE = 1;
        /// Bulleted or numbered list: `ul`, `ol`.
        const LIST = 1 << 1;
        /// List of another form: `dl`, `menu`, `dir`.
        const OTHER_LIST = 1 << 2;
        /// List item: `li`.
        const ITEM = 1 << 3;
        /// Item of a description list: `dd`, `dt`.
        const OTHER_ITEM = 1 << 4;
        /// Table: `table`.
        const TABLE = 1 << 5;
        /// Heading: `h1` to `h6`, or an element with the role of a heading.
        const HEADING = 1 << 6;
        /// Quotation: `blockquote`.
        const QUOTE = 1 << 7;
    }
}

impl ElementKinds {
    /// Returns the kinds that an element has by its tag alone.
    #[inline]
    pub(crate) fn of(tag: Tag) -> Self {
        KINDS[tag as usize]
    }

    const fn found_for(tag: Tag) -> Self {
        match tag {
            Tag::Ul | Tag::Ol => Self::LIST,
            Tag::Dl | Tag::Menu | Tag::Dir => Self::OTHER_LIST,
            Tag::Li => Self::ITEM,
            Tag::Dd | Tag::Dt => Self::OTHER_ITEM,
            Tag::Table => Self::TABLE,
            Tag::Blockquote => Self::QUOTE,
            tag if tag.is_heading() => Self::HEADING,
            tag if tag.keeps_space() => Self::CODE,
            _ => Self::empty(),
        }
    }
}

// Every element is asked for them.
const KINDS: [ElementKinds; Tag::COUNT] = by_tag!(ElementKinds::found_for);

/// Row of the element table: an element of the page's body, `html` and `body` included.
/// Elements of the head, and those whose content is never text (script, svg), have no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Tag of the element, except: `pre` for any element displayed as code, `h1` to `h6` for `role="heading"`, and
    /// `span` for an unknown element within a line of text.
    pub tag: Tag,
    pub(crate) name: u16,
    /// Index of the enclosing element, or [`NONE`](crate::NONE).
    pub parent: u32,
    /// Number of enclosing elements.
    pub depth: u16,
    /// True if the element or one around it is hidden by `hidden`, `aria-hidden="true"` or its style.
    pub hidden: bool,
    /// Union of the kinds (list, table, code) of the element and of all elements around it.
    pub within: ElementKinds,
    /// One past the index of the element's last descendant: descendants are `index + 1 .. end`.
    pub end: u32,
    /// Words of the element's `class`, `id` and so on: index of the first in the page's table of words, and number.
    pub(crate) words: (u32, u16),
    /// True if the element may have an `id` or a `name`.
    pub(crate) is_named: bool,
    /// Hash of the element's name and `class`; equal for elements that a site repeats, such as entries of a list.
    pub signature: u64,
    /// Byte offset in the decoded page of the `<` of the element's start tag.
    pub start: u32,
}

/// Block: a run of text between two layout changes, such as a paragraph, a heading or a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub(crate) text: (u32, u32),
    /// First and one past the last byte of the block's text in the decoded page, markup inside included.
    pub span: (u32, u32),
    /// Index of the innermost element around the block's first character, or [`NONE`](crate::NONE).
    pub element: u32,
    /// Index of the innermost block-level element around the block ([`NONE`](crate::NONE) if there is none); for the
    /// first block of a heading, the heading.
    pub(crate) container: u32,
    pub(crate) inline: (u32, u32),
    /// Number of words in the block ([`trommel_text::words`]).
    pub words: u32,
    /// Number of the block's words that are inside links.
    pub link_words: u32,
    /// Number of characters in the block's text.
    pub chars: u32,
    /// Number of tags between the previous block, or the page start, and the block's first character.
    pub tags_before: u32,
    /// Number of tags between the first and the last character of the block.
    pub tags_inside: u32,
    /// Number of parts into which the tags inside of the block divide its text.
    pub pieces: u32,
    /// Number of `img` elements in the block.
    pub images: u32,
    /// Number of `input` and `button` elements in the block.
    pub inputs: u32,
}

impl Block {
    /// Returns the share of the block's words that are in links (0 to 1).
    pub fn link_density(&self) -> f32 {
        if self.words == 0 { 0.0 } else { self.link_words as f32 / self.words as f32 }
    }
}

trommel_text::named! {
    /// Attribute that an [`AttributeWord`] comes from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[repr(u8)]
    pub enum Attribute {
        /// Attribute `id`.
        Id = "id",
        /// Attribute `class`.
        Class = "class",
        /// Attribute `role`.
        Role = "role",
        /// Attribute `itemprop`.
        Itemprop = "itemprop",
    }
}

/// Word of an attribute's value, in lower case, at least two bytes long.
/// Values are split at everything that is not a letter, and where lower case turns to upper case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeWord {
    /// Hash of the word's text by [`trommel_text::word_hash`].
    pub hash: u64,
    pub(crate) start: u32,
    pub(crate) len: u16,
    /// Attribute whose value has the word.
    pub attribute: Attribute,
}

/// Kind of a fact that a page states about itself, such as author or date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FactKind {
    /// Date of publication: `itemprop` of `datePublished` (or `dateCreated`, `uploadDate`).
    Published,
    /// Date of modification: `itemprop="dateModified"`.
    Modified,
    /// Author: `itemprop="author"` (or `creator`).
    Author,
    /// Headline: `itemprop="headline"`.
    Headline,
    /// Name of a thing: `itemprop="name"`.
    Name,
    /// Publisher: `itemprop="publisher"`.
    Publisher,
    /// Language: `itemprop="inLanguage"`.
    Language,
    /// Time of unknown meaning: an element with `datetime` that has no known `itemprop`.
    Time,
    /// Link to an author: an element with `rel="author"`, or a link to an address like `/author/name`.
    AuthorLink,
}

impl FactKind {
    const ITEMPROPS: [(&str, FactKind); 10] = [
        ("datepublished", FactKind::Published),
        ("datecreated", FactKind::Published),
        ("uploaddate", FactKind::Published),
        ("datemodified", FactKind::Modified),
        ("author", FactKind::Author),
        ("creator", FactKind::Author),
        ("headline", FactKind::Headline),
        ("name", FactKind::Name),
        ("publisher", FactKind::Publisher),
        ("inlanguage", FactKind::Language),
    ];

    /// Returns the kind of fact that an `itemprop` attribute names, by the first of its words that is known.
    pub(crate) fn of_itemprop(value: &[u8]) -> Option<Self> {
        value.split(|byte| byte.is_ascii_whitespace()).find_map(|word| {
            Self::ITEMPROPS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes())).map(|(_, kind)| *kind)
        })
    }
}

/// Fact that an element of the body states, such as an author or a date. A page keeps the first few hundred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedFact {
    /// Kind of the fact, such as author or date.
    pub kind: FactKind,
    /// Value of the fact: `content`, `datetime` or, for dates, `title` of the element, with character references
    /// decoded.
    /// Empty if the fact is the text of the element.
    pub value: String,
    /// Index of the element that states the fact; for `<meta>` that around it ([`NONE`](crate::NONE) if there is none).
    pub element: u32,
    /// Index of the block that was being read when the fact was found; blocks with a lower index precede the fact.
    pub block: u32,
    /// Byte offset in the decoded page of the `<` of the start tag that states the fact.
    pub start: u32,
}

/// Inline style of a part of a text: its link, and whether it is code, strong or emphasised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InlineStyle {
    /// Index of the innermost open `a` element with `href` around the text.
    pub link: Option<u32>,
    /// True if the text is inside `code`, `kbd`, `samp` or `tt`.
    pub code: bool,
    /// True if the text is inside `strong` or `b`.
    pub strong: bool,
    /// True if the text is inside `em` or `i`.
    pub em: bool,
}

/// Part of a block's text in which the inline style does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StyledText<'a> {
    /// Text of the part. White space between two parts belongs to the second.
    pub text: &'a str,
    /// Inline style of the whole part.
    pub style: InlineStyle,
}

/// Inline style (link, code, strong, emphasis) packed into one number, which is cheap to compare and store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedStyle(u64);

impl PackedStyle {
    /// Style of text without link, code, strong or emphasis.
    pub const PLAIN: Self = Self(NONE as u64);
    const CODE: u64 = 1 << 32;
    const STRONG: u64 = 1 << 33;
    const EM: u64 = 1 << 34;

    pub fn unpacked(self) -> InlineStyle {
        let link = self.0 as u32;
        InlineStyle {
            link: (link != NONE).then_some(link),
            code: self.0 & Self::CODE != 0,
            strong: self.0 & Self::STRONG != 0,
            em: self.0 & Self::EM != 0,
        }
    }

    fn set(&mut self, mark: u64, is_set: bool) {
        self.0 = if is_set { self.0 | mark } else { self.0 & !mark };
    }

    fn set_link(&mut self, link: u32) {
        self.0 = self.0 & !u64::from(u32::MAX) | u64::from(link);
    }
}

/// Change of inline style: the byte of the page's text at which the style begins, and the style.
pub(crate) type StyleChange = (u32, PackedStyle);

/// Recorder of inline style: tracks the open elements that set the style, and records where the style changes.
#[derive(Clone, Debug)]
pub(crate) struct StyleRecorder {
    links: Vec<u32>,
    /// Number of open elements that set each style: code, strong, emphasis.
    open: [u32; 3],
    now: PackedStyle,
}

impl Default for StyleRecorder {
    fn default() -> Self {
        Self { links: Vec::new(), open: [0; 3], now: PackedStyle::PLAIN }
    }
}

/// Returns whether elements of this tag set the inline style of their text (code, strong, emphasis).
// Asked before anything is called: most elements do not.
#[inline]
pub(crate) fn has_style(tag: Tag) -> bool {
    mark(tag).is_some()
}

/// Returns a tag's index in [`StyleRecorder::open`] (code, strong, emphasis) and its bit in [`PackedStyle`].
#[inline]
fn mark(tag: Tag) -> Option<(usize, u64)> {
    match tag {
        Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt => Some((0, PackedStyle::CODE)),
        Tag::Strong | Tag::B => Some((1, PackedStyle::STRONG)),
        Tag::Em | Tag::I => Some((2, PackedStyle::EM)),
        _ => None,
    }
}

impl StyleRecorder {
    /// Updates the style at the start of an element. `link` is true if the element is an `a` with `href`.
    pub fn start(&mut self, tag: Tag, element: u32, link: bool) {
        if link {
            self.links.push(element);
            self.now.set_link(element);
        }
        if let Some((at, bit)) = mark(tag) {
            self.open[at] += 1;
            self.now.set(bit, true);
        }
    }

    /// Updates the style at the end of an element whose start was given to [`StyleRecorder::start`].
    pub fn end(&mut self, tag: Tag, element: u32, link: bool) {
        if link && let Some(open) = self.links.iter().rposition(|open| *open == element) {
            self.links.remove(open);
            self.now.set_link(self.links.last().copied().unwrap_or(NONE));
        }
        if let Some((at, bit)) = mark(tag) {
            self.open[at] = self.open[at].saturating_sub(1);
            self.now.set(bit, self.open[at] > 0);
        }
    }

    /// Records a style change at byte `at` of the page's text if the style differs from the one recorded last.
    // Written at once, for the page and not for the block, so that blocks without a change cost nothing.
    #[inline]
    pub fn write(&self, at: u32, styles: &mut Vec<StyleChange>) {
        // Several tags at one place make one change, or none, so that no part is empty or has the style of another
        // beside it.
        if styles.last().is_some_and(|(last, _)| *last == at) {
            styles.pop();
        }
        if styles.last().map_or(PackedStyle::PLAIN, |(_, last)| *last) != self.now {
            styles.push((at, self.now));
        }
    }
}

/// Moves all style changes after byte `end` of the page's text back to `end`, because the text after `end` is dropped.
pub(crate) fn cut_styles(styles: &mut Vec<StyleChange>, end: u32) {
    let Some((_, last)) = styles.pop_if(|(at, _)| *at > end) else { return };
    while styles.pop_if(|(at, _)| *at >= end).is_some() {}
    if styles.last().map_or(PackedStyle::PLAIN, |(_, before)| *before) != last {
        styles.push((end, last));
    }
}

/// Kind of a part of a text with a special meaning, such as a formula or superscript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotationKind {
    /// Formula within a line; its text is TeX.
    Formula,
    /// Formula on a line of its own; its text is TeX.
    DisplayFormula,
    /// Superscript: `sup`.
    Superscript,
    /// Subscript: `sub`.
    Subscript,
    /// Link to a fragment (`#name`), such as the number that refers to a footnote.
    FragmentLink,
    /// Text of a note at the place where the note is referred to (a sidenote).
    InlineNote,
    /// Text within a line that the page does not show.
    Hidden,
    /// Reading of a ruby annotation, with its opening bracket; a closing bracket written in the page is not included.
    Reading,
    /// Text that is struck out: `del`, `s`, `strike`, or a `span` with the class `line-through`.
    Deleted,
    /// Link (`a`) around an image without text, in the middle of a text; its byte range is empty.
    LinkedImage,
}

/// Part of a block's text that has a meaning by its formatting, such as a superscript.
/// One part may contain another, but they do not overlap otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notation {
    /// First and one past the last byte of the notation in the block's text. The first may be white space.
    pub text: (u32, u32),
    /// Kind of the notation, such as superscript.
    pub kind: NotationKind,
    /// Index of the notation's element; for a formula, of the innermost open element around it.
    pub element: u32,
}

#[cfg(test)]
mod tests {
    use crate::{ElementKinds, Engine, Limits, LolEngine, Page};

    #[test]
    fn kinds_are_those_of_the_element_and_of_all_around() {
        let html =
            "<ul><li>a<pre>b</pre></ul><table><tr><td><h2>c</h2><dl><dd>d</dl></table><blockquote>e</blockquote>f";
        let page = LolEngine.read(html, &Limits::default());
        use ElementKinds as Kinds;
        let list = Kinds::LIST | Kinds::ITEM;
        let found: Vec<ElementKinds> = page.blocks.iter().map(|block| page.kinds_around(block)).collect();
        assert_eq!(
            found,
            [
                list,
                list | Kinds::CODE,
                Kinds::TABLE | Kinds::HEADING,
                Kinds::TABLE | Kinds::OTHER_LIST | Kinds::OTHER_ITEM,
                Kinds::QUOTE,
                Kinds::empty()
            ]
        );
        assert_eq!(page.kinds, Kinds::all());
    }

    fn read(html: &str) -> Page {
        LolEngine.read_styled(html, &Limits::default())
    }

    /// Returns the styled parts as `text{marks}`, blocks separated by `|`.
    fn shown(html: &str) -> String {
        let page = read(html);
        let blocks: Vec<String> = page
            .blocks
            .iter()
            .map(|block| {
                page.styled(block)
                    .map(|part| {
                        let style = [
                            (part.style.link.is_some(), 'l'),
                            (part.style.code, 'c'),
                            (part.style.strong, 's'),
                            (part.style.em, 'e'),
                        ];
                        let style: String = style.iter().filter(|m| m.0).map(|m| m.1).collect();
                        format!("{}{{{style}}}", part.text)
                    })
                    .collect()
            })
            .collect();
        blocks.join("|")
    }

    #[test]
    fn pieces_begin_and_end_with_their_elements() {
        assert_eq!(
            shown("<p>a <b>b</b>c &amp;<a href=x> d <i>e</i></a><code>f</code> g"),
            "a{} b{s}c &{} d{l} e{le}f{c} g{}"
        );
        assert_eq!(shown("<p><a name=x>a</a> <b></b>b"), "a b{}");
        assert_eq!(shown("<p>a <span class='docutils literal'>b</span> <i class=literal>c</i>"), "a{} b{c} c{e}");
    }

    #[test]
    fn marks_go_on_through_blocks_until_their_end_tag() {
        assert_eq!(
            shown("<a href=x><h3>A</h3><p>b</p></a><div>c <b>d<div>e</b> f</div>g"),
            "A{l}|b{l}|c{} d{s}|e{s} f{}|g{}"
        );
        assert_eq!(shown("<b><div>a</b>b</div>c"), "a{s}b{}|c{}");
    }

    #[test]
    fn text_that_is_no_block_leaves_no_style_behind() {
        // Signs alone are no text to judge, and styles begin and end in them.
        assert_eq!(shown("<p>a <b>b</b></p><p>- <i>-</i> -</p><p>c <i>d</i>"), "a{} b{s}|c{} d{e}");
        assert_eq!(shown("- <b>-<div>a</div>-</b> -<div>b</div>"), "a{s}|b{}");
    }

    #[test]
    fn links_name_their_element() {
        let page = read("<p><a href=1>a</a> <a href=2>b</a><p>c");
        let links: Vec<Option<u32>> =
            page.blocks.iter().flat_map(|block| page.styled(block).map(|part| part.style.link)).collect();
        let starts: Vec<Option<u32>> =
            links.into_iter().map(|link| link.map(|at| page.elements[at as usize].start)).collect();
        assert_eq!(starts, [Some(3), Some(19), None]);
    }

    #[test]
    fn without_marks_a_block_is_one_piece() {
        use crate::Engine;
        let page = LolEngine.read("<p>a <b>b</b>", &Limits::default());
        let pieces: Vec<&str> = page.styled(&page.blocks[0]).map(|p| p.text).collect();
        assert_eq!(pieces, ["a b"]);
    }
}
