//! Drops the labels of posts in threads: dates, counts, ranks, titles of replies, links to the top, signatures.
//!
//! Each post of a thread has labels, so they repeat on the page, and differ in numbers or behind a colon only. What says
//! who wrote a post and when differs altogether, but stands in elements of one name.

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::{Block, Element, Page};

use crate::{kept_flags::KeptBlocks as _, metadata::date_in};

/// Maximum number of words of a label ("Posts: 12") that is dropped because posts of a thread repeat it.
// Of the threads of forums-dev 31 gain and 3 lose, mean F1 .863 to .891. Of other sets 9 pages gain and 13 lose.
const MAX_WORDS: u32 = 12;
/// Maximum number of words before the colon of a label ("Join date:") that is dropped because posts repeat it.
const MAX_NAME_WORDS: usize = 2;
/// Minimum number of times that a label of posts must occur on the page to be dropped.
const MIN_TIMES: usize = 3;
/// Maximum share of a page's kept words in repeated labels of posts; with more, no label is dropped.
const MAX_PAGE_SHARE: f32 = 0.5;

/// Class and id words of elements that state the author and date of a post.
const BYLINES: [&str; 8] = ["author", "byline", "date", "datetime", "meta", "posted", "submitted", "time"];
const ANCESTORS: usize = 2;
/// Maximum number of words of a block that is dropped as the title of a reply ("Re: ...").
const MAX_TITLE_WORDS: u32 = 40;
/// Maximum number of letters before the colon of a reply's title ("Re:", "Antw:").
const MAX_REPLY_LETTERS: usize = 4;
/// Minimum number of underscores in a line that separates a signature from a post.
const MIN_SIGNS: usize = 5;
/// Maximum number of blocks that are dropped as the signature at the end of a forum post.
const MAX_SIGNATURE: usize = 8;
/// Minimum number of lines with the same first words in a block that is dropped (a forum's list of permissions).
const MIN_LIKE_LINES: usize = 4;
const START_WORDS: usize = 2;

/// Drops labels of posts: short kept blocks of which three or more are alike (equal except for digits, with the same
/// name and colon, or bylines). Also drops titles of replies, and signatures. `kept` has one flag per block.
pub(crate) fn drop_thread_labels(page: &Page, kept: &mut [bool]) {
    let mut words = 0;
    let mut groups: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for (at, block) in page.blocks.iter().enumerate().filter(|(at, _)| kept.has(*at)) {
        words += block.words;
        if block.words > MAX_WORDS {
            continue;
        }
        let text = page.text(block);
        for key in [without_digits(text), name_before_colon(text), byline(page, block)].into_iter().flatten() {
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
    drop_reply_titles(page, kept);
    drop_signatures(page, kept);
    let are_alike = |at: &usize| page.blocks.get(*at).is_some_and(|block| has_like_lines(page.text(block)));
    kept.leave_out((0..page.blocks.len()).filter(are_alike).collect::<Vec<_>>());
}

/// Drops the titles of replies: blocks that repeat an earlier text or the page title after "Re:" or the like.
fn drop_reply_titles(page: &Page, kept: &mut [bool]) {
    let mut before = FxHashSet::from_iter([page.head.title.trim().to_lowercase()]);
    let mut replies = Vec::new();
    for (at, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.words <= MAX_TITLE_WORDS) {
        let text = page.text(block).to_lowercase();
        if let Some((word, title)) = text.split_once(": ")
            && word.chars().all(char::is_alphabetic)
            && word.chars().count() <= MAX_REPLY_LETTERS
            && before.contains(title.trim())
        {
            replies.push(at);
        }
        before.insert(text);
    }
    kept.leave_out(replies);
}

/// Drops signatures: the blocks of a post's container after a line of underscores.
fn drop_signatures(page: &Page, kept: &mut [bool]) {
    let container = |block: &Block| page.container(block).map(|(index, _)| index);
    for (at, block) in page.blocks.iter().enumerate() {
        if page.text(block).lines().next_back().is_some_and(is_line_of_signs) {
            let behind = page.blocks.iter().enumerate().skip(at + 1).take(MAX_SIGNATURE);
            let signature = behind.take_while(|(_, behind)| container(behind) == container(block));
            kept.leave_out(signature.map(|(at, _)| at));
            kept.leave_out(is_line_of_signs(page.text(block)).then_some(at));
        }
    }
}

fn is_line_of_signs(line: &str) -> bool {
    line.len() >= MIN_SIGNS && line.bytes().all(|sign| sign == b'_')
}

/// Returns whether a text has at least four lines, all with the same first two words ("You may not ...").
fn has_like_lines(text: &str) -> bool {
    let mut lines = text.lines();
    let start = |line: &str| line.split_whitespace().take(START_WORDS).map(str::to_owned).collect::<Vec<_>>();
    let Some(first) = lines.next().map(start) else { return false };
    let others = lines.map(start);
    first.len() == START_WORDS
        && others.clone().count() + 1 >= MIN_LIKE_LINES
        && others.into_iter().all(|next| next == first)
}

/// Returns a text in lower case with `#` in place of each number, or `None` if the text has fewer than two letters.
pub(crate) fn without_digits(text: &str) -> Option<String> {
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

/// Returns the lower-case name before the colon of a text, with the colon, if it is short and a space or the end
/// follows.
fn name_before_colon(text: &str) -> Option<String> {
    let (name, rest) = text.split_once(':')?;
    let is_name = !name.is_empty() && name.split_whitespace().count() <= MAX_NAME_WORDS;
    // Behind the colon of a time or an address there is no space.
    (is_name && !rest.starts_with(|next: char| !next.is_whitespace())).then(|| format!("{}:", name.to_lowercase()))
}

/// Returns the class or id word, such as `author` or `date`, of an element around a block that contains a date.
fn byline(page: &Page, block: &Block) -> Option<String> {
    date_in(page.text(block), false)?;
    let named = |(_, element): (u32, &Element)| BYLINES.iter().find(|name| page.is_named_as(element, &[name]));
    page.path(block.element).take(ANCESTORS).find_map(named).map(|name| (*name).to_owned())
}
