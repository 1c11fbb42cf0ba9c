//! Finds the heading that repeats the name of the site, or of a book, on each of its pages.

use super::site::key;
use super::sources::Sources;
use super::title_parts::separators;
use crate::heading_text::{is_heading, shown_text};

/// Maximum words of text between the name of a site and a headline.
// Buttons and labels; below a headline stands more.
const MAX_WORDS_BETWEEN: u32 = 60;

/// Keys of the headings of the first level that are the end of a stated title, and whose page has a further heading
/// below them that is its start: `Hello - The book` over a page headed `The book` and `Hello`.
// Above it, the start is the name of a section: `Opinion - Fire in the hills`.
pub(super) fn names(sources: &Sources, headings: &[String], stated: &[String]) -> Vec<String> {
    let parts = stated.iter().filter_map(|title| {
        let (start, end) = *separators(title).last()?;
        Some((key(title.get(..start)?), key(title.get(end..)?)))
    });
    // What a page states as its whole title is no banner: `The blog » Fire in the hills` has the site first.
    let is_stated = |name: &String| stated.iter().any(|title| key(title) == *name);
    let banners = parts.filter(|(start, name)| {
        let is_heading = headings.iter().any(|heading| key(heading) == *name);
        !start.is_empty() && start != name && is_heading && !is_stated(name)
    });
    banners.filter(|(start, name)| stands_above(sources, name, start)).map(|(_, name)| name).collect()
}

/// Returns whether the heading with the first key stands above one with the other, with no text between them.
fn stands_above(sources: &Sources, name: &str, start: &str) -> bool {
    let page = sources.page;
    let mut words = None;
    for block in &page.blocks {
        if !is_heading(page, block) {
            let is_text = block.link_density() < 0.5;
            words = words.map(|words: u32| words.saturating_add(if is_text { block.words } else { 0 }));
            continue;
        }
        let heading = key(shown_text(page, sources.html, block));
        if heading == start {
            return words.is_some_and(|words| words <= MAX_WORDS_BETWEEN);
        }
        if heading == name && words.is_none() {
            words = Some(0);
        }
    }
    false
}
