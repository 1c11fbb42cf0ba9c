//! Drops text that repeats other text of the page: a second headline for small screens, or a hidden copy of an answer.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use trommel_html::{Block, Page, Tag};

use crate::kept_flags::KeptBlocks as _;

/// Minimum number of words of a block that is dropped because it repeats any earlier kept block of the page.
// Shorter texts ("Read more", a name) repeat on purpose. Golds with both copies cost l3s-gn1 .002.
const COPY_WORDS: u32 = 20;
/// Minimum number of words of a repeated block that is dropped beside another repeated block.
// A copy of a whole section has short lines as well, but they follow each other.
const MIN_WORDS_IN_RUN: u32 = 8;

/// Drops blocks that repeat the kept block directly before them, or that are long and repeat any earlier kept block.
/// Items, cells, quotes and code are left alone, because repetition is content there. So are two blocks of one field
/// (same element path), because a copy of a text has other markup. `kept` has one flag per block. `fields` has the
/// field number of each block, or is empty if the model knows no fields.
// Records of a list have equal names and places. With copies of one field dropped, shoplists lose .0044,
// magic-articles .0031, l3s-gn1 and courts .0020; no set gains.
pub(crate) fn drop_copies(page: &Page, fields: &[u32], kept: &mut [bool]) {
    let count = kept.iter().filter(|kept| **kept).count();
    let mut seen: FxHashMap<&str, Option<&u32>> = FxHashMap::default();
    // Texts are compared as slices of the page, so nothing is copied.
    seen.reserve(count);
    let all = page.blocks.iter().enumerate().filter(|(at, _)| kept.has(*at));
    let blocks: Vec<(usize, &Block, bool)> = all
        .map(|(at, block)| {
            let field = fields.get(at);
            let is_copy = match seen.entry(page.text(block)) {
                Entry::Occupied(first) => field.is_none() || *first.get() != field,
                Entry::Vacant(place) => {
                    place.insert(field);
                    false
                }
            };
            (at, block, is_copy)
        })
        .collect();
    let mut before: Option<(usize, &Block, BlockKind)> = None;
    for (rank, &(at, block, is_copy)) in blocks.iter().enumerate() {
        let mut drop = None;
        let place = BlockKind::of(page, block);
        let beside = |rank: Option<usize>| {
            let neighbour = rank.and_then(|rank| blocks.get(rank));
            neighbour.is_some_and(|(_, _, is_copy)| *is_copy)
        };
        if !is_copy || place == BlockKind::Repeating {
            // Nothing to drop.
        } else if let Some((last_at, last, last_place)) = before
            && last_place != BlockKind::Repeating
            && page.text(last) == page.text(block)
        {
            // Of the two the headline stays: it says more.
            let headline = place == BlockKind::Heading && last_place == BlockKind::Plain;
            drop = Some(if headline { last_at } else { at });
        } else if block.words >= COPY_WORDS
            || block.words >= MIN_WORDS_IN_RUN && (beside(rank.checked_sub(1)) || beside(Some(rank + 1)))
        {
            drop = Some(at);
        }
        if let Some(keep) = drop.and_then(|drop| kept.get_mut(drop)) {
            *keep = false;
        }
        // A dropped copy must not stand for the block before the next one.
        if drop != Some(at) {
            before = Some((at, block, place));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    Heading,
    Repeating,
    Plain,
}

impl BlockKind {
    fn of(page: &Page, block: &Block) -> Self {
        let Some((_, container)) = page.container(block) else { return BlockKind::Plain };
        let repeats = |tag: Tag| {
            // A table may say the same in many cells, a poem or a quote in many lines.
            tag.keeps_space() || matches!(tag, Tag::Li | Tag::Dd | Tag::Dt | Tag::Td | Tag::Th | Tag::Blockquote)
        };
        let around = page.element(container.parent);
        if container.tag.is_heading() {
            BlockKind::Heading
        } else if repeats(container.tag) || around.is_some_and(|around| repeats(around.tag)) {
            BlockKind::Repeating
        } else {
            BlockKind::Plain
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_model::Model;

    /// Returns the texts that remain after copies are dropped, if all blocks were kept.
    fn left(html: &str) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let mut kept = vec![true; page.blocks.len()];
        let fields = Model::builtin("fast").unwrap().judge(&page, None).fields;
        drop_copies(&page, &fields, &mut kept);
        let blocks = page.blocks.iter().zip(&kept).filter(|(_, kept)| **kept);
        blocks
            .map(|(block, _)| {
                let (_, container) = page.container(block).unwrap();
                format!("{}:{}", page.name(container), page.text(block))
            })
            .collect()
    }

    #[test]
    fn a_text_right_after_itself_stands_once() {
        assert_eq!(left("<h1>A b</h1><div>A b</div><p>c"), ["h1:A b", "p:c"]);
        assert_eq!(left("<div>A b</div><h1>A b</h1><p>c"), ["h1:A b", "p:c"]);
        assert_eq!(left("<p>A b</p><p>c</p><p>A b"), ["p:A b", "p:c", "p:A b"]);
        assert_eq!(left("<p>x</p><p class=a>x</p><p>x"), ["p:x", "p:x"]);
    }

    #[test]
    fn long_texts_stand_once_on_a_page() {
        let (long, other) = ("word ".repeat(20), "one two three four five six seven eight");
        let long = long.trim();
        assert_eq!(
            left(&format!("<p>{long}</p><p>between</p><div>{long}</div>")),
            [format!("p:{long}"), "p:between".into()]
        );
        let alone = format!("<p>{other}</p><p>a<p>{other}</p><p>b");
        assert_eq!(left(&alone).len(), 4);
        let in_run = format!("<p>{other}</p><p>a</p><div><p>{other}</p><p>a</p></div>");
        assert_eq!(left(&in_run), [format!("p:{other}"), "p:a".into()]);
    }

    #[test]
    fn repetition_within_a_field_is_content() {
        let card = format!("<div class=card><h3>{}</h3><p>Berlin</p></div>", "word ".repeat(20));
        assert_eq!(left(&card.repeat(3)).len(), 6);
        let other = card.replace("card", "small");
        assert_eq!(left(&format!("{card}{other}")), left(&card));
    }

    #[test]
    fn repetition_in_tables_lists_quotes_and_code_is_content() {
        let table = "<table><tr><td>0<td>0</table>";
        assert_eq!(left(table), ["td:0", "td:0"]);
        assert_eq!(left("<ul><li>yes<li>yes</ul>").len(), 2);
        let long = "word ".repeat(20);
        let quoted = format!("<p>{long}</p><blockquote><p>{long}</p></blockquote>");
        assert_eq!(left(&quoted).len(), 2);
    }
}
