//! Recognises lists and quotes that only lay out the page, definition lists, and the lists of editors and word
//! processors.
//!
//! Lists and quotes that only lay out the page are rendered as their content alone. Each term of a definition list is
//! an item that holds its definitions. Word processors write items as paragraphs, whose style says so, each with its
//! sign as text.

use std::collections::{HashMap, HashSet};

use rustc_hash::FxHashMap;
use trommel_html::{Element, ElementKinds, NONE, Page, Tag};

use crate::render::content::{KeptContent, Segment, is_item, is_list};

/// Maximum mean words of the items of a list; a list with more is one of posts or sections, and not written as a list.
// Items of real lists are lines; longer ones are posts that a page lists.
const MAX_MEAN_ITEM_WORDS: u32 = 120;
/// Minimum number of words of a quote that only indents a page's whole text; it also has over two thirds of all words.
// Some sites put their whole text into a quote for its indent.
const MIN_QUOTE_WORDS: u32 = 200;

#[derive(Debug, Default)]
struct ListContents {
    words: u32,
    /// Number of words of text, without code, tables and lists inside items.
    text_words: u32,
    items: u32,
    last_item: u32,
    has_head: bool,
    /// Number of items with a heading; if at least half have one, the list is not written as a list.
    headed: u32,
    last_headed: u32,
}

/// Returns the lists and quotes that only lay out the page; Markdown writes their content without list or quote marks.
// Most segments stand in neither, as `is_contained` tells at once.
pub(super) fn transparent(content: &KeptContent, is_contained: impl Fn(u32) -> bool) -> HashSet<u32> {
    let mut inside: FxHashMap<u32, ListContents> = FxHashMap::default();
    for segment in &content.segments {
        if !is_contained(content.ends(segment).0) {
            continue;
        }
        let words = words(content, segment);
        let text_words = text_words(content, segment);
        let head = matches!(segment, Segment::Heading { level: 1 | 2, .. });
        let mut item = NONE;
        let mut is_listed = false;
        for (at, element) in content.page.path(content.ends(segment).0) {
            if !is_contained(at) {
                break;
            }
            let tag = element.tag;
            if matches!(tag, Tag::Li | Tag::Dd) {
                item = at;
            }
            if is_list(tag) || tag == Tag::Blockquote {
                let inside = inside.entry(at).or_default();
                inside.words += words;
                // The text of a list inside an item is not the item's own.
                inside.text_words += if is_listed { 0 } else { text_words };
                is_listed |= is_list(tag);
                if head && (inside.headed == 0 || inside.last_headed != item) {
                    inside.headed += 1;
                    inside.last_headed = item;
                }
                inside.has_head |= head;
                if item != NONE && (inside.items == 0 || inside.last_item != item) {
                    inside.items += 1;
                    inside.last_item = item;
                }
                item = NONE;
            }
        }
    }
    if inside.is_empty() {
        return HashSet::new();
    }
    let all: u32 = content.segments.iter().map(|segment| words(content, segment)).sum();
    let is_transparent = |at: u32, inside: &ListContents| {
        let tag = content.page.element(at).map(|element| element.tag);
        if tag == Some(Tag::Blockquote) {
            inside.has_head || inside.words >= MIN_QUOTE_WORDS && inside.words > all / 3 * 2
        } else {
            inside.headed > 0 && inside.headed * 2 >= inside.items
                || inside.items > 0 && inside.text_words / inside.items > MAX_MEAN_ITEM_WORDS
        }
    };
    inside.into_iter().filter(|(at, inside)| is_transparent(*at, inside)).map(|(at, _)| at).collect()
}

/// Returns the number of words of a segment.
fn words(content: &KeptContent, segment: &Segment) -> u32 {
    let of = |blocks: &[u32]| {
        let blocks = blocks.iter().filter_map(|at| content.block(*at));
        blocks.map(|block| block.words).sum::<u32>()
    };
    match segment {
        Segment::Paragraph { block } => of(&[*block]),
        Segment::Heading { blocks, .. } | Segment::Code { blocks, .. } => of(blocks),
        Segment::Table(table) => {
            let cells = table.rows.iter().flat_map(|row| &row.cells);
            cells.map(|cell| of(&cell.blocks)).sum()
        }
    }
}

/// Returns the number of words of text in a segment; code and tables have none. In scripts that do not divide words,
/// two characters count as one word.
fn text_words(content: &KeptContent, segment: &Segment) -> u32 {
    let is_undivided = |c: &char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    // The first bytes of such characters; no other byte of a text is one of these.
    // Without an early end: so vectors of bytes are compared.
    let may_be_undivided = |text: &str| text.bytes().fold(false, |found, byte| found | matches!(byte, 0xE3..=0xE9));
    let of_text = |at: u32| {
        let words = content.block(at).map_or(0, |block| block.words);
        let text = content.text(at);
        let characters = if may_be_undivided(text) { text.chars().filter(is_undivided).count() } else { 0 };
        words.saturating_sub(u32::try_from(characters / 2).unwrap_or(u32::MAX))
    };
    match segment {
        Segment::Paragraph { block } => of_text(*block),
        Segment::Heading { blocks, .. } => blocks.iter().map(|at| of_text(*at)).sum(),
        Segment::Code { .. } | Segment::Table(_) => 0,
    }
}

/// Returns whether the text of a list item begins inside its child list `list`.
pub(super) fn begins_with_list(page: &Page, item: u32, list: u32) -> bool {
    let inner = page.element(list).filter(|inner| is_list(inner.tag) && inner.parent == item);
    let (Some(inner), Some(item)) = (inner, page.element(item)) else { return false };
    let first = page.blocks.get(page.blocks.partition_point(|block| block.span.0 < item.start));
    first.is_some_and(|block| (list..inner.end).contains(&block.element))
}

/// Returns whether two adjacent lists have a single item each, as some editors put every item into its own list.
pub(super) fn are_items(page: &Page, list: u32, next: u32) -> bool {
    let end = |at: u32| page.element(at).map(|element| element.end);
    let is_item = |list: u32| {
        let item = page.element(list + 1).filter(|item| item.tag == Tag::Li && item.parent == list);
        // A list below the item may be its neighbour.
        let is_below = |at: u32| page.element(at).is_some_and(|below| is_list(below.tag));
        item.is_some_and(|item| Some(item.end) == end(list) || is_below(item.end) && end(item.end) == end(list))
    };
    let parent = |at: u32| page.element(at).map(|element| element.parent);
    end(list) == Some(next) && parent(list) == parent(next) && is_item(list) && is_item(next)
}

/// Terms of the definition lists in a content, with the `dt` and `dd` elements that belong to each.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// `dt` elements whose text is kept and that contain no heading.
    shown: HashSet<u32>,
    /// Lists whose terms have been read.
    read: HashSet<u32>,
    /// Maps each `dt` and `dd` to its term: the first shown one among the `dt` directly above, or at, that element.
    terms: HashMap<u32, u32>,
}

impl Definitions {
    pub fn new(content: &KeptContent) -> Self {
        let mut shown = HashSet::new();
        let mut headings = HashSet::new();
        let is_term = |segment: &&Segment| {
            let element = content.page.element(content.ends(segment).0);
            element.is_some_and(|element| element.within.contains(ElementKinds::OTHER_ITEM))
        };
        for segment in content.segments.iter().filter(is_term) {
            let mut path = content.page.path(content.ends(segment).0);
            let item = path.find(|(_, element)| is_item(element.tag));
            let Some((at, _)) = item.filter(|(_, element)| element.tag == Tag::Dt) else { continue };
            let of = match segment {
                Segment::Paragraph { .. } => &mut shown,
                _ => &mut headings,
            };
            of.insert(at);
        }
        shown.retain(|at| !headings.contains(at));
        Self { shown, ..Self::default() }
    }

    /// Returns the term to which the `dt` or `dd` at `at` belongs; `None` if no term directly above it is shown.
    pub fn term(&mut self, page: &Page, list: u32, at: u32) -> Option<u32> {
        if self.shown.is_empty() {
            return None;
        }
        if self.read.insert(list) {
            self.read(page, list);
        }
        self.terms.get(&at).copied()
    }

    fn read(&mut self, page: &Page, list: u32) {
        let Some(element) = page.element(list) else { return };
        let (mut term, mut after_term) = (None, false);
        let mut at = list + 1;
        while at < element.end {
            let Some(inner) = page.element(at) else { break };
            let is_part = matches!(inner.tag, Tag::Dt | Tag::Dd);
            if is_part {
                let is_term = inner.tag == Tag::Dt;
                if is_term {
                    let before = term.filter(|_| after_term);
                    term = before.or(self.shown.contains(&at).then_some(at));
                }
                after_term = is_term;
                if let Some(term) = term {
                    self.terms.insert(at, term);
                }
            }
            at = if is_part || is_list(inner.tag) { inner.end } else { at + 1 };
        }
    }
}

/// Maximum bytes of the bullet or number at the start of a list item that a word processor exported as a paragraph.
const MAX_SIGN_BYTES: usize = 8;

/// Item of a list that a word processor exported as a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordItem {
    /// Level of the item; 1 in the outermost list.
    pub level: u32,
    /// Number of the item, if its list is ordered.
    pub number: Option<u32>,
    /// Number of bytes of the bullet or number at the start of the item's text, with the space after it.
    pub sign: usize,
}

/// Returns whether block `at` is a list item that a word processor exported as a paragraph.
pub(crate) fn is_word_item(content: &KeptContent, at: u32) -> bool {
    word_item(content, at, None).is_some()
}

/// Returns the list item that a word processor exported as block `at`, if any. `last` is the item directly before.
pub(super) fn word_item(content: &KeptContent, at: u32, last: Option<WordItem>) -> Option<WordItem> {
    let page = content.page;
    let block = content.block(at)?;
    let (_, paragraph) = page.container(block).filter(|(_, element)| element.tag == Tag::P)?;
    let level = level(&listed(content, paragraph)?)?;
    let mut inside = page.inline(block).iter().filter_map(|at| page.element(*at));
    // Some exports do not say what the sign is, and some have it in a comment alone.
    let has_sign = inside.any(|element| listed(content, element).is_some_and(|list| list.starts_with("ignore")));
    let text = content.text(at);
    let first = text.split(char::is_whitespace).next().filter(|sign| sign.len() <= MAX_SIGN_BYTES).unwrap_or_default();
    let is_bullet = !first.contains(|c: char| c.is_ascii() || c.is_alphanumeric());
    let sign = if has_sign || is_bullet { first } else { "" };
    let label = sign.trim_start_matches('(').trim_end_matches(['.', ')', ':']);
    let is_ordered = !label.is_empty() && label.len() < sign.len() && label.bytes().all(|b| b.is_ascii_alphanumeric());
    // Roman numbers, which begin with a later letter, count on.
    let next = || last.filter(|last| last.level == level).and_then(|last| last.number).map_or(1, |last| last + 1);
    let letter = || match label.to_ascii_lowercase().as_bytes() {
        [letter @ b'a'..=b'h'] => Some(u32::from(letter - b'a') + 1),
        _ => None,
    };
    let number = || label.parse().ok().filter(|number| *number < 1_000_000).or_else(letter).unwrap_or_else(next);
    let number = is_ordered.then(number);
    let rest = text.get(sign.len()..).unwrap_or_default();
    let sign = text.len() - rest.trim_start().len();
    (sign < text.len()).then_some(WordItem { level, number, sign })
}

/// Returns the value of `mso-list` in the style of an element, in lower case.
fn listed(content: &KeptContent, element: &Element) -> Option<String> {
    let style = element.attribute(content.html, "style")?.to_ascii_lowercase();
    let list = style.split(';').find_map(|part| part.trim().strip_prefix("mso-list:"));
    list.map(|list| list.trim().to_owned())
}

/// Returns the level (1 to 9) in a value of `mso-list` such as `l0 level2 lfo1`.
fn level(list: &str) -> Option<u32> {
    let level = list.split_whitespace().find_map(|word| word.strip_prefix("level"));
    level.and_then(|level| level.parse().ok()).filter(|level| (1..=9).contains(level))
}
