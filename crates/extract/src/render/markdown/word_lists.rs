//! Finds the lists of word processors: paragraphs whose style says that they are items, each with its sign as text.

use trommel_html::{Element, Tag};

use crate::render::content::KeptContent;

/// Maximum bytes of the sign of an item.
const MAX_SIGN_BYTES: usize = 8;

/// A paragraph that is an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordItem {
    /// 1 for the outermost list.
    pub level: u32,
    /// Its number, if its list is ordered.
    pub number: Option<u32>,
    /// Bytes at the start of its text that are its sign.
    pub sign: usize,
}

/// Returns whether a paragraph is an item.
pub(crate) fn is_word_item(content: &KeptContent, at: u32) -> bool {
    word_item(content, at, None).is_some()
}

/// The item that a paragraph is. `last` is the item directly before it.
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

/// Value of `mso-list` in the style of an element, in lower case.
fn listed(content: &KeptContent, element: &Element) -> Option<String> {
    let style = element.attribute(content.html, "style")?.to_ascii_lowercase();
    let list = style.split(';').find_map(|part| part.trim().strip_prefix("mso-list:"));
    list.map(|list| list.trim().to_owned())
}

/// The level in `l0 level2 lfo1`.
fn level(list: &str) -> Option<u32> {
    let level = list.split_whitespace().find_map(|word| word.strip_prefix("level"));
    level.and_then(|level| level.parse().ok()).filter(|level| (1..=9).contains(level))
}
