//! Keeps names together with their values: headings of cards, terms of definitions, heads of rows.

use std::ops::Range;

use rustc_hash::FxHashMap;
use trommel_html::{Block, ElementKinds, Page, Tag};

use crate::kept::KeptBlocks as _;

/// Cards of one kind side by side from which on they are a pattern.
// As for repeated siblings among the features: two alike may be chance.
const MIN_CARDS: u32 = 3;
/// Elements around a block among which its card is looked for.
const ANCESTORS: usize = 8;
/// Blocks behind a name among which something is kept.
// Cards have some lines each. Farther away a kept block says nothing about the name.
const BLOCKS_BEHIND: usize = 16;
/// Fields of names from which on they are not counted one by one.
const MAX_COUNTED_FIELDS: usize = 32;
/// Most words of a name.
const MAX_NAME_WORDS: u32 = 25;

/// Cards in which a field names the rest, and those of them whose rest is mostly kept.
#[derive(Clone, Copy, Default)]
struct Named {
    cards: u32,
    kept: u32,
}

/// Keeps the headings of cards that are made alike and kept. In `kept` and `fields` there is one entry a block:
/// whether it is kept, and the number of its field.
pub(crate) fn keep_card_names(page: &Page, fields: &[u32], kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::HEADING) {
        return;
    }
    // Nearly all pages have no such name, and counting what is made alike takes long.
    if !may_have_names(page, fields, kept) {
        return;
    }
    let mut named: FxHashMap<u32, Named> = FxHashMap::default();
    let mut wanted: Vec<(usize, u32)> = Vec::new();
    for card in cards(page) {
        let Some(name) = card.clone().find(|at| is_name(page, *at)) else { continue };
        let Some(field) = fields.get(name) else { continue };
        let (mut words, mut kept_words) = (0u32, 0u32);
        for at in name + 1..card.end {
            let block_words = page.blocks.get(at).map_or(0, |block| block.words);
            words = words.saturating_add(block_words);
            kept_words = kept_words.saturating_add(if kept.has(at) { block_words } else { 0 });
        }
        let is_kept = kept_words > 0 && kept_words >= words.div_ceil(2);
        let counts = named.entry(*field).or_default();
        counts.cards += 1;
        counts.kept += u32::from(is_kept);
        if is_kept && kept.lacks(name) {
            wanted.push((name, *field));
        }
    }
    for (name, field) in wanted {
        let counts = named.get(&field).copied().unwrap_or_default();
        // Judged as a pattern: a single kept card does not make its name text.
        if counts.kept >= MIN_CARDS && counts.kept * 2 >= counts.cards {
            kept.keep([name]);
        }
    }
}

/// Whether a dropped name stands close before something kept, and others are made like it.
fn may_have_names(page: &Page, fields: &[u32], kept: &[bool]) -> bool {
    let mut names = Vec::new();
    let mut behind = usize::MAX;
    for (at, kept) in kept.iter().enumerate().rev() {
        if *kept {
            behind = at;
        } else if behind.saturating_sub(at) <= BLOCKS_BEHIND && is_name(page, at) {
            names.extend(fields.get(at));
        }
    }
    let count = |name: &u32| fields.iter().filter(|field| *field == name).count() as u32;
    names.sort_unstable();
    names.dedup();
    names.len() > MAX_COUNTED_FIELDS || names.iter().any(|name| count(name) >= MIN_CARDS)
}

/// The blocks of each card: of an element, with more than one block, that has others of its kind beside it.
fn cards(page: &Page) -> Vec<Range<usize>> {
    let mut kinds: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    for element in page.elements.iter().filter(|element| !element.hidden) {
        *kinds.entry((element.parent, element.signature)).or_default() += 1;
    }
    let mut cards: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < page.blocks.len() {
        let next = at + 1;
        let card = page.blocks.get(at).and_then(|block| {
            let behind = page.blocks.get(next)?;
            let mut path = page.path(block.element).take(ANCESTORS);
            let (index, element) = path.find(|(index, element)| {
                let is_with = behind.element >= *index && behind.element < element.end;
                let count = kinds.get(&(element.parent, element.signature));
                is_with && count.is_some_and(|count| *count >= MIN_CARDS)
            })?;
            let before = at.checked_sub(1).and_then(|at| page.blocks.get(at));
            let is_first = before.is_none_or(|before| before.element < index);
            // Only of the first block: to count on from each of them would take the square of their number.
            is_first.then(|| {
                let blocks = page.blocks.iter().skip(at);
                at..at + blocks.take_while(|block| block.element < element.end).count()
            })
        });
        at = card.as_ref().map_or(next, |card| card.end);
        cards.extend(card);
    }
    cards
}

/// Whether a block is all of a heading that may name a card.
fn is_name(page: &Page, at: usize) -> bool {
    let Some(block) = page.blocks.get(at) else { return false };
    let is_in_heading = page.kinds_around(block).contains(ElementKinds::HEADING);
    is_in_heading && is_shown(page, block)
}

fn is_shown(page: &Page, block: &Block) -> bool {
    let is_hidden = page.element(block.element).is_some_and(|element| element.hidden);
    block.words <= MAX_NAME_WORDS && block.inputs == 0 && !is_hidden
}

/// Keeps terms right above a definition that is kept, in one list.
pub(crate) fn keep_terms(page: &Page, kept: &mut [bool]) {
    if page.kinds.contains(ElementKinds::OTHER_ITEM) {
        keep_labels(page, Tag::Dt, &[Tag::Dd, Tag::Dt], kept);
    }
}

/// Keeps the head of each row of which a cell is kept.
pub(crate) fn keep_row_heads(page: &Page, kept: &mut [bool]) {
    if page.kinds.contains(ElementKinds::TABLE) {
        keep_labels(page, Tag::Th, &[Tag::Td], kept);
    }
}

/// Keeps blocks in elements named `label` right before a kept block in an element with one of the names `values` that
/// has the same parent.
fn keep_labels(page: &Page, label: Tag, values: &[Tag], kept: &mut [bool]) {
    let part = |at: usize| {
        let block = page.blocks.get(at)?;
        let mut path = page.path(block.element).take(ANCESTORS);
        let (_, element) = path.find(|(_, element)| element.tag == label || values.contains(&element.tag))?;
        Some((block, element))
    };
    for at in (1..page.blocks.len()).rev() {
        if !kept.has(at) || !kept.lacks(at - 1) {
            continue;
        }
        let (Some((_, value)), Some((block, before))) = (part(at), part(at - 1)) else { continue };
        let is_label = before.tag == label && before.parent == value.parent && is_shown(page, block);
        if values.contains(&value.tag) && is_label {
            kept.keep([at - 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_model::Model;

    /// The kept texts, where the model keeps blocks whose text does not begin with `-`, by each model's fields.
    fn left(html: &str) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        let mut all = Model::builtin_names().map(|name| {
            let fields = Model::builtin(name).unwrap().judge(&page, None).fields;
            let mut kept: Vec<bool> = texts.iter().map(|text| !text.starts_with('-')).collect();
            keep_card_names(&page, &fields, &mut kept);
            keep_terms(&page, &mut kept);
            keep_row_heads(&page, &mut kept);
            kept
        });
        let kept = all.next().unwrap();
        assert!(all.all(|other| other == kept), "{html}");
        let left = texts.iter().zip(&kept).filter(|(_, kept)| **kept);
        left.map(|(text, _)| (*text).to_owned()).collect()
    }

    fn cards(name: &str, texts: [&str; 4]) -> Vec<String> {
        let card = |text| format!("<li class=card>{name}<p>{text}</p><a href=x>-more</a></li>");
        let cards: String = texts.into_iter().map(card).collect();
        left(&format!("<ul>{cards}</ul>"))
    }

    #[test]
    fn cards_have_their_names() {
        let name = "<h3><a href=x>-Name</a></h3>";
        let all = cards(name, ["a red mill", "a blue mill", "an old mill", "a new mill"]);
        assert_eq!(all.len(), 8, "{all:?}");
        // Where most are left out, as those beside an article are, names are not brought back.
        assert_eq!(cards(name, ["a mill", "-b mill", "-c mill", "-d mill"]).len(), 1);
        assert_eq!(cards("<h3 hidden>-Name</h3>", ["a", "b", "c", "d"]).len(), 4);
        assert_eq!(cards("<span>-Name</span>", ["a", "b", "c", "d"]).len(), 4);
        let two = "<div class=x><h3>-A</h3><p>a</div><div class=x><h3>-B</h3><p>b</div>";
        assert_eq!(left(two), ["a", "b"]);
    }

    #[test]
    fn definitions_have_their_terms() {
        assert_eq!(
            left("<dl><dt>-mill<dd>a house<dt>-weir<dt>-dam<dd>a wall<dt>-x<dd>-y</dl>"),
            ["-mill", "a house", "-weir", "-dam", "a wall"]
        );
        assert_eq!(left("<dl><dt>-mill</dl><dl><dd>a house</dl>"), ["a house"]);
    }

    #[test]
    fn rows_have_their_heads() {
        assert_eq!(left("<table><tr><th>-Height<td>9 m<tr><th>-Width<td>-8 m</table>"), ["-Height", "9 m"]);
        assert_eq!(left("<table><tr><th>-Top</tr><tr><td>9 m</table>"), ["9 m"]);
    }
}
