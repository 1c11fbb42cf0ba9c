//! Finds the heading that repeats the name of the site, or of a book, on each of its pages.

use super::site::key;
use super::sources::Sources;
use super::title_parts::separators;
use crate::heading_text::{is_heading, shown_text};

/// Most words of text between the name of a site and a headline.
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

/// Whether the heading with the first key stands above one with the other, with no text between them.
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

#[cfg(test)]
mod tests {
    use super::super::tests::read_judged;
    use crate::Hints;

    fn title(html: &str) -> Option<String> {
        read_judged(html, &Hints::default()).0
    }

    #[test]
    fn a_chapter_is_not_named_by_its_book() {
        for chapter in ["<h2>Hello mill</h2>", "<h1><a href=#a>Hello mill</a></h1>"] {
            let html = format!("<title>Hello mill - The book of mills</title><h1>The book of mills</h1>{chapter}<p>x");
            assert_eq!(title(&html).as_deref(), Some("Hello mill"), "{chapter}");
        }
        // A section of the page, and one of the site.
        let section = "<title>Building - The book of mills</title><h1>The book of mills</h1><h2>Parts</h2>";
        assert_eq!(title(section).as_deref(), Some("The book of mills"));
        let site = "<title>Building - A mill for the valley</title><h2>Building</h2><h1>A mill for the valley</h1>";
        assert_eq!(title(site).as_deref(), Some("A mill for the valley"));
        let blog = "<title>The blog » Fire in the hills</title><meta property=og:title content='Fire in the hills'>\
                    <h1>Fire in the hills</h1><em>by Ann</em><h3>The blog</h3><p>x";
        assert_eq!(title(blog).as_deref(), Some("Fire in the hills"));
        let text = "word ".repeat(61);
        let below =
            format!("<title>Building - A mill for all</title><h1>A mill for all</h1><p>{text}<h2>Building</h2>");
        assert_eq!(title(&below).as_deref(), Some("A mill for all"));
    }
}
