//! Recognises lists and quotes that only lay out the page. Their content is rendered without them.

use std::collections::HashSet;

use rustc_hash::FxHashMap;
use trommel_html::{NONE, Tag};

use crate::render::content::{KeptContent, Segment, is_list};

/// Mean words of an item from which on a list is one of posts or sections.
// Items of real lists are lines; longer ones are posts that a page lists.
const MAX_MEAN_ITEM_WORDS: u32 = 120;
/// A quote with at least this many words that are more than two thirds of the text is the page.
// Some sites put their whole text into a quote for its indent.
const MIN_QUOTE_WORDS: u32 = 200;

#[derive(Debug, Default)]
struct ListContents {
    words: u32,
    /// Words of text alone, without code and tables.
    text_words: u32,
    items: u32,
    last_item: u32,
    has_head: bool,
    /// Items with a heading.
    headed: u32,
    last_headed: u32,
}

/// Elements of such lists and quotes.
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

/// Words of a segment.
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

/// Words of a segment that are words of text: every second character of scripts that do not divide words.
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
