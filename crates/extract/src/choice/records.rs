//! Decides about the records of a list together, and about what stands around them.
//!
//! Records are parts of one element with the same tag and name: the cards of a shop, the hits of a search. On a page of
//! lists where most kept words stand in such parts, doubtful blocks of the records are kept, and doubtful ones around
//! them dropped: filters, menus, notices. Texts that the model is sure of stay, as a shop's advice below its list.

use std::{cmp::Reverse, collections::HashMap};

use trommel_html::{Block, Element, ElementKinds, Page, Tag};

use super::list_controls::is_link_button;
use crate::kept::{kept_words, kept_words_inside};

/// Kept records, at least.
const MIN_RECORDS: usize = 6;
/// Share of a page's kept words that stand in them, at least.
const MIN_SHARE: f32 = 0.5;
/// Elements around a block among which its record is looked for.
// A bound keeps each block at constant cost.
const ANCESTORS: usize = 24;
/// Probability of a block of a record, at least. The page's other records have the same block.
const MIN_INSIDE: f32 = 0.2;
/// Probability of a block around them that is dropped, at most. Intros and advice are above.
const MAX_AROUND: f32 = 0.7;

/// Element around the records of a list, their tag, and their first name or class, which they share.
type Likeness = (u32, Tag, Option<u64>);

/// Parts that are alike, each with kept words.
struct Records {
    likeness: Likeness,
    count: usize,
    kept_words: u32,
    first: u32,
    last: u32,
}

/// Keeps doubtful blocks of records, and drops doubtful ones around them that are no headings, if most kept words stand
/// in the records. There is one entry for each block in `probabilities` and `kept`.
pub(crate) fn decide_records(page: &Page, probabilities: &[f32], kept: &mut [bool]) {
    let Some(Records { likeness, first, last, .. }) = main_records(page, kept) else { return };
    let blocks = page.blocks_inside(first).start..page.blocks_inside(last).end;
    let all = page.blocks.iter().zip(probabilities).zip(kept.iter_mut()).enumerate();
    for (at, ((block, probability), kept)) in all {
        if !blocks.contains(&at) {
            let stays = *probability > MAX_AROUND || page.kinds_around(block).contains(ElementKinds::HEADING);
            *kept &= stays;
        } else if !*kept && *probability >= MIN_INSIDE {
            *kept = is_in_record(page, block, likeness);
        }
    }
}

/// The records that hold the most kept words of a page, if these are most of it.
fn main_records(page: &Page, kept: &[bool]) -> Option<Records> {
    let total = kept_words(page, kept);
    let mut all = HashMap::new();
    let parts = (0u32..).zip(&page.elements).zip(kept_words_inside(page, kept)).filter(|(_, words)| *words > 0);
    for ((at, element), words) in parts {
        let likeness = likeness_of(page, element);
        let none = Records { likeness, count: 0, kept_words: 0, first: at, last: at };
        let records = all.entry(likeness).or_insert(none);
        records.count += 1;
        records.kept_words += words;
        records.last = at;
    }
    let most =
        |records: &Records| records.count >= MIN_RECORDS && records.kept_words as f32 >= MIN_SHARE * total as f32;
    // Of equal ones the first, whatever the order of the table.
    all.into_values().filter(most).max_by_key(|records| (records.kept_words, records.count, Reverse(records.first)))
}

/// Returns whether a block is in such a record, and is neither hidden nor a button.
fn is_in_record(page: &Page, block: &Block, likeness: Likeness) -> bool {
    let is_button = |element: &Element| element.hidden || element.tag == Tag::Button;
    let mut inline = page.inline(block).iter().filter_map(|at| page.element(*at));
    let path = page.path(block.element).take(ANCESTORS).map(|(_, element)| element);
    // A list may stand in a form or a part that opens, but the buttons of a record stand inside of it.
    let is_record =
        path.take_while(|element| !is_button(element)).any(|element| likeness_of(page, element) == likeness);
    is_record && !inline.any(is_button) && !is_link_button(page, block)
}

fn likeness_of(page: &Page, element: &Element) -> Likeness {
    (element.parent, element.tag, page.attribute_words(element).first().map(|word| word.hash))
}
