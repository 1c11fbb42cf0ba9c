//! Finds the heading that names the site on each of its pages, as that of a book stands above its chapters.

use trommel_html::Block;

use super::site::key;
use super::sources::Sources;
use super::title::separators;
use crate::heading_text::shown_text;

/// Keys of the headings of the first level that are the end of a stated title, and whose page has a further heading
/// below them that is its start: `Hello - The book` over a page headed `The book` and `Hello`.
// Above it, the start is the name of a section: `Opinion - Fire in the hills`.
pub(super) fn names(sources: &Sources, headings: &[String], stated: &[String]) -> Vec<String> {
    let parts = stated.iter().filter_map(|title| {
        let (start, end) = *separators(title).last()?;
        Some((key(title.get(..start)?), key(title.get(end..)?)))
    });
    let banners = parts.filter(|(start, name)| {
        !start.is_empty() && start != name && headings.iter().any(|heading| key(heading) == *name)
    });
    banners.filter(|(start, name)| stands_above(sources, name, start)).map(|(_, name)| name).collect()
}

/// Whether the heading with the first key stands above one with the other.
fn stands_above(sources: &Sources, name: &str, start: &str) -> bool {
    let page = sources.page;
    let is_heading = |block: &&Block| page.container(block).is_some_and(|(_, e)| e.tag.is_heading());
    let headings = page.blocks.iter().filter(is_heading);
    let mut keys = headings.map(|block| key(shown_text(page, sources.html, block)));
    let either = keys.find(|key| key == name || key == start);
    either.is_some_and(|first| first == name) && keys.any(|key| key == start)
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
    }
}
