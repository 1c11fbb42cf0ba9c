//! Drops the labels of posts in threads: dates, counts, ranks, titles of replies and links to the top.
//!
//! Each post of a thread has them, so they repeat on the page, and differ in numbers or behind a colon only.

use rustc_hash::FxHashMap;
use trommel_html::Page;

use crate::kept::KeptBlocks as _;

/// Words of a label, at most.
// Of the threads of forums-dev 31 gain and 3 lose, mean F1 .863 to .891. Of other sets 9 pages gain and 13 lose.
const MAX_WORDS: u32 = 12;
/// Words before the colon of a label, at most.
const MAX_NAME_WORDS: usize = 2;
/// The number of times that a label stands on the page, at least.
const MIN_TIMES: usize = 3;
/// Share of the kept words that may be dropped, because a page of labels is no thread.
const MAX_PAGE_SHARE: f32 = 0.5;

/// Drops short kept blocks that say what others say, but for digits, or begin with the same name and a colon (`kept` has
/// one entry for each block).
pub(crate) fn drop_thread_labels(page: &Page, kept: &mut [bool]) {
    let mut words = 0;
    let mut groups: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for (at, block) in page.blocks.iter().enumerate().filter(|(at, _)| kept.has(*at)) {
        words += block.words;
        if block.words > MAX_WORDS {
            continue;
        }
        let text = page.text(block);
        for key in [without_digits(text), name_before_colon(text)].into_iter().flatten() {
            groups.entry(key).or_default().push(at);
        }
    }
    let mut labels: Vec<usize> = groups.into_values().filter(|blocks| blocks.len() >= MIN_TIMES).flatten().collect();
    labels.sort_unstable();
    labels.dedup();
    let of_labels: u32 = labels.iter().filter_map(|at| page.blocks.get(*at)).map(|block| block.words).sum();
    if of_labels as f32 <= MAX_PAGE_SHARE * words as f32 {
        kept.leave_out(labels);
    }
}

/// A text in lower case with one sign for each number; none if it has fewer than two letters.
fn without_digits(text: &str) -> Option<String> {
    let mut folded = String::with_capacity(text.len());
    let mut letters = 0;
    for char in text.chars() {
        let is_digit = char.is_ascii_digit();
        if is_digit && folded.ends_with('#') {
            continue;
        }
        letters += usize::from(char.is_alphabetic());
        folded.extend(if is_digit { '#' } else { char }.to_lowercase());
    }
    (letters > 1).then_some(folded)
}

/// The name of a text that begins with a short one and a colon.
fn name_before_colon(text: &str) -> Option<String> {
    let (name, rest) = text.split_once(':')?;
    let is_name = !name.is_empty() && name.split_whitespace().count() <= MAX_NAME_WORDS;
    // Behind the colon of a time or an address there is no space.
    (is_name && !rest.starts_with(|next: char| !next.is_whitespace())).then(|| format!("{}:", name.to_lowercase()))
}
