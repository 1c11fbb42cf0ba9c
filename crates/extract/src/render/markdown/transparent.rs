//! Lists and quotes that only lay out the page: their content is written as if they were not there.

use std::collections::{HashMap, HashSet};

use trommel_html::{NONE, Tag};

use crate::render::content::{KeptContent, Segment};

/// Mean words of an item from which on a list is one of posts or sections.
const LONG_ITEMS: u32 = 120;
/// A quote with at least this many words that are more than two thirds of the text is the page.
const LONG_QUOTE: u32 = 200;

#[derive(Debug, Default)]
struct Inside {
    words: u32,
    items: u32,
    last_item: u32,
    has_head: bool,
}

/// Elements of such lists and quotes.
pub(super) fn transparent(content: &KeptContent) -> HashSet<u32> {
    let mut inside: HashMap<u32, Inside> = HashMap::new();
    let mut all = 0;
    for segment in &content.segments {
        let words = words(content, segment);
        all += words;
        let head = matches!(segment, Segment::Heading { level: 1 | 2, .. });
        let mut item = NONE;
        for (at, element) in content.page.path(content.ends(segment).0) {
            let tag = element.tag;
            if matches!(tag, Tag::Li | Tag::Dd) {
                item = at;
            }
            if is_list(tag) || tag == Tag::Blockquote {
                let inside = inside.entry(at).or_default();
                inside.words += words;
                inside.has_head |= head;
                if item != NONE && (inside.items == 0 || inside.last_item != item) {
                    inside.items += 1;
                    inside.last_item = item;
                }
                item = NONE;
            }
        }
    }
    let is_transparent = |at: u32, inside: &Inside| {
        let tag = content.page.element(at).map(|element| element.tag);
        if tag == Some(Tag::Blockquote) {
            inside.has_head || inside.words >= LONG_QUOTE && inside.words > all / 3 * 2
        } else {
            inside.has_head || inside.items > 0 && inside.words / inside.items > LONG_ITEMS
        }
    };
    inside
        .into_iter()
        .filter(|(at, inside)| is_transparent(*at, inside))
        .map(|(at, _)| at)
        .collect()
}

/// Elements whose children are items.
pub(super) fn is_list(tag: Tag) -> bool {
    matches!(tag, Tag::Ul | Tag::Ol | Tag::Dl | Tag::Menu | Tag::Dir)
}

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
