//! Keeps the lists of references of papers and encyclopaedias.

use trommel_html::{Element, Page, Tag};
use trommel_text::word_hash;

use crate::heading_text::is_heading;
use crate::kept::KeptBlocks as _;

/// Words of an entry on average, at least: an author, a title and a year.
// Shorter entries are lists of links or tags that a site also calls references.
const MIN_ENTRY_WORDS: u32 = 4;
/// Class and id words of such lists, by their hashes: all words of a page are compared with them.
const NAMES: [u64; 6] = [
    word_hash(b"bibliography"),
    word_hash(b"biblio"),
    word_hash(b"csl"),
    word_hash(b"reference"),
    word_hash(b"references"),
    word_hash(b"reflist"),
];

/// Keeps lists that the page's markup calls references, with the heading directly above, behind kept text of the same
/// part of the page (one entry for each block in `kept`). Lists of mere links stay out.
pub(crate) fn keep_references(page: &Page, kept: &mut [bool]) {
    // Most pages have none, and the way up from each block costs more.
    if !page.elements.iter().any(|element| is_list(page, element)) {
        return;
    }
    let mut before = None;
    let mut at = 0;
    while let Some(is_kept) = kept.get(at) {
        if *is_kept {
            before = Some(at);
            at += 1;
            continue;
        }
        let Some((list, end)) = before.and_then(|before| list_around(page, before, at)) else {
            at += 1;
            continue;
        };
        let is_inside = |at: &usize| {
            let element = page.blocks.get(*at).map(|block| block.element);
            element.is_some_and(|element| (list..end).contains(&element))
        };
        let until = (at..kept.len()).find(|at| !is_inside(at)).unwrap_or(kept.len());
        if has_entries(page, at, until) {
            let headed =
                at.checked_sub(1).filter(|at| page.blocks.get(*at).is_some_and(|block| is_heading(page, block)));
            let start = headed.unwrap_or(at);
            kept.keep(start..until);
            before = Some(until - 1);
        }
        at = until;
    }
}

/// The outermost list of references around a block (its element and the end of it), if it stands in the same part
/// of the page as a kept block before.
fn list_around(page: &Page, before: usize, at: usize) -> Option<(u32, u32)> {
    let before = page.blocks.get(before)?.element;
    let mut list = None;
    for (index, element) in page.path(page.blocks.get(at)?.element) {
        if (index..element.end).contains(&before) {
            return list.filter(|_| !matches!(element.tag, Tag::Html | Tag::Body));
        }
        // Papers lost 1,000 to 4,000 words of references; boxes beside the text are none of them.
        if element.hidden || matches!(element.tag, Tag::Nav | Tag::Aside | Tag::Footer | Tag::Form) {
            return None;
        }
        if is_list(page, element) {
            list = Some((index, element.end));
        }
    }
    None
}

fn is_list(page: &Page, element: &Element) -> bool {
    let mut words = page.attribute_words(element).iter();
    matches!(element.tag, Tag::Div | Tag::Section | Tag::Ol | Tag::Ul | Tag::Dl)
        && words.any(|word| NAMES.contains(&word.hash))
}

/// Returns whether the blocks are entries: mostly text with a year or an address, and not links alone.
fn has_entries(page: &Page, at: usize, until: usize) -> bool {
    let blocks = page.blocks.get(at..until).unwrap_or_default();
    let words: u32 = blocks.iter().map(|block| block.words).sum();
    let linked: f32 = blocks.iter().map(|block| block.link_density() * block.words as f32).sum();
    // Some sites call every box that is used on several pages a reference: authors, contacts, subscriptions.
    let citing = blocks.iter().filter(|block| is_citation(page.text(block)));
    let citing: u32 = citing.map(|block| block.words).sum();
    words >= MIN_ENTRY_WORDS * blocks.len() as u32 && linked < 0.9 * words as f32 && 2 * citing >= words
}

fn is_citation(text: &str) -> bool {
    let is_year = |digits: &str| digits.len() == 4 && ("1500"..="2099").contains(&digits);
    text.contains("://") || text.split(|c: char| !c.is_ascii_digit()).any(is_year)
}
