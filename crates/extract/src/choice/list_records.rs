//! Decides about the records of a list together, and about the blocks around them.
//!
//! Records are parts of one element with the same tag and name: the cards of a shop, the hits of a search, the rows of a
//! table. Where most kept words stand in such parts, doubtful blocks of the records are kept, and doubtful ones around
//! them dropped: filters, menus, notices. Texts that the model is sure of stay, as a shop's advice below its list. What
//! nearly each record repeats is a control: "Compare", "Add to cart".

use std::{cmp::Reverse, ops::Range};

use rustc_hash::FxHashMap;
use trommel_html::{Block, Element, ElementKinds, NONE, Page, Tag};

use super::{JudgedPage, list_controls::is_link_button};
use crate::kept_flags::{kept_words, kept_words_inside};

/// Minimum number of list items or table rows with kept text for them to be treated as records of a list.
const MIN_ITEMS: usize = 3;
const MIN_RECORDS: usize = 5;
/// Minimum share of the page's kept words in records (search hits, products) for the page to be treated as a list.
const MIN_SHARE: f32 = 0.5;
/// Maximum number of elements around a block among which its record is looked for.
// A bound keeps each block at constant cost.
const ANCESTORS: usize = 24;
/// Minimum probability of a block that is kept because it is in a record of a list (a search hit, a product).
const MIN_INSIDE: f32 = 0.2;
/// Probability up to which a block is dropped around the records of a list, or as a control in a record.
const MAX_DOUBTFUL: f32 = 0.7;
/// Minimum share of the records that contain a text for the text to be a control ("Add to cart").
const MIN_REPEATED: f32 = 0.9;
const MAX_CONTROL_WORDS: u32 = 3;

/// Features that the records of a list share: index of the parent element, tag, and hash of the first class or id word.
type Likeness = (u32, Tag, Option<u64>);

/// Elements with the same parent, tag and class, each with kept words, that are the records of a list.
struct Records {
    likeness: Likeness,
    count: usize,
    kept_words: u32,
    first: u32,
    last: u32,
}

/// Keeps fairly probable blocks in the records of a list (search hits, products). Drops controls in records, and less
/// probable blocks around them. Does nothing on articles, threads and product pages, or if under half of the kept words
/// are in records.
pub(crate) fn decide_records(judged: &JudgedPage<'_>, kept: &mut [bool]) {
    // The lists of an article, the posts of a thread and the other goods beside a product are records, too.
    if !judged.is_listing && (judged.is_article || judged.is_thread || judged.has_facts) {
        return;
    }
    let Some(records) = main_records(judged, kept) else { return };
    let page = judged.page;
    let blocks = page.blocks_inside(records.first).start..page.blocks_inside(records.last).end;
    drop_around(judged, &blocks, kept);
    decide_inside(judged, &records, blocks, kept);
}

/// Returns the group of records with the most kept words, if it holds at least half of the page's kept words.
fn main_records(judged: &JudgedPage<'_>, kept: &[bool]) -> Option<Records> {
    let JudgedPage { page, is_listing, .. } = *judged;
    let total = kept_words(page, kept);
    let is_item = |tag: Tag| matches!(tag, Tag::Li | Tag::Tr | Tag::Article | Tag::Dt | Tag::Dd);
    let mut all = FxHashMap::default();
    let parts = (0u32..).zip(&page.elements).zip(kept_words_inside(page, kept));
    for ((at, element), words) in parts.filter(|((_, part), words)| *words > 0 && (is_listing || is_item(part.tag))) {
        let likeness = likeness_of(page, element);
        let none = Records { likeness, count: 0, kept_words: 0, first: at, last: at };
        let records = all.entry(likeness).or_insert(none);
        records.count += 1;
        records.kept_words += words;
        records.last = at;
    }
    let most = |records: &Records| {
        let least = if is_item(records.likeness.1) { MIN_ITEMS } else { MIN_RECORDS };
        records.count >= least && records.kept_words as f32 >= MIN_SHARE * total as f32
    };
    // Of equal ones the first, whatever the order of the table.
    all.into_values().filter(most).max_by_key(|records| (records.kept_words, records.count, Reverse(records.first)))
}

/// Drops blocks without high probability before and after the records, except later headings and those of kept text.
fn drop_around(judged: &JudgedPage<'_>, records: &Range<usize>, kept: &mut [bool]) {
    let mut heads = true;
    let blocks = judged.page.blocks.iter().zip(judged.probabilities).zip(kept).enumerate().rev();
    for (at, ((block, probability), kept)) in blocks.filter(|(at, _)| !records.contains(at)) {
        let is_heading = judged.page.kinds_around(block).contains(ElementKinds::HEADING);
        *kept &= *probability > MAX_DOUBTFUL || is_heading && (heads || at >= records.end);
        // The last block before the records heads them.
        heads = at >= records.end || if is_heading { heads } else { *kept };
    }
}

/// Keeps fairly probable blocks of records, and drops short texts without digits that nearly every record repeats.
fn decide_inside(judged: &JudgedPage<'_>, records: &Records, inside: Range<usize>, kept: &mut [bool]) {
    let page = judged.page;
    let blocks = || page.blocks.iter().zip(judged.probabilities).take(inside.end).skip(inside.start);
    // Of each text the last record that has it, and the number of records.
    let mut texts: FxHashMap<&str, (u32, usize)> = FxHashMap::default();
    for ((block, probability), kept) in blocks().zip(kept.iter_mut().skip(inside.start)) {
        let Some((record, is_control)) = record_of(page, block, records.likeness) else { continue };
        let (last, count) = texts.entry(page.text(block)).or_insert((NONE, 0));
        *count += usize::from(*last != record);
        *last = record;
        *kept |= *probability >= MIN_INSIDE && !is_control;
    }
    let least = MIN_REPEATED * records.count as f32;
    for ((block, probability), kept) in blocks().zip(kept.iter_mut().skip(inside.start)) {
        let text = page.text(block);
        let is_repeated = || texts.get(text).is_some_and(|(_, count)| *count as f32 >= least);
        // The head of a column or a row says what its cells are.
        let is_fact = block.words > MAX_CONTROL_WORDS
            || text.contains(|c: char| c.is_ascii_digit())
            || page.kinds_around(block).contains(ElementKinds::TABLE);
        *kept &= *probability > MAX_DOUBTFUL || is_fact || !is_repeated();
    }
}

/// Returns the index of the record around a block, and whether the block is hidden or a button.
fn record_of(page: &Page, block: &Block, likeness: Likeness) -> Option<(u32, bool)> {
    let is_button = |element: &Element| element.hidden || element.tag == Tag::Button;
    let mut inline = page.inline(block).iter().filter_map(|at| page.element(*at));
    // A list may stand in a form or a part that opens, but the buttons of a record stand inside of it.
    let mut is_control = inline.any(is_button) || is_link_button(page, block);
    for (at, element) in page.path(block.element).take(ANCESTORS) {
        is_control |= is_button(element);
        if likeness_of(page, element) == likeness {
            return Some((at, is_control));
        }
    }
    None
}

fn likeness_of(page: &Page, element: &Element) -> Likeness {
    (element.parent, element.tag, page.attribute_words(element).first().map(|word| word.hash))
}
