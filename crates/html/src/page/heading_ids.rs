//! Recognises ids that are made from headings. They repeat the name of a section and do not state its purpose.

use std::cell::OnceCell;

use trommel_text::vectors::Vectors;

use super::{Attribute, Element, Page};
use crate::{build::split_words, markup::Tag};

/// Minimum number of headings (`h2`, `h3`) with an id made from their text; on pages with fewer, no id counts as made
/// from one.
const MIN_HEADINGS: usize = 3;
const MAX_HEADINGS_PER_ID: usize = 2;
/// Maximum number of elements, from the heading outwards, whose `id` is compared with the heading's text.
const ANCESTORS: usize = 3;
/// Maximum length in bytes of a heading from which an id is made.
// Longer headings are paragraphs; without a bound an id would be compared with a whole article.
const MAX_HEADING_BYTES: usize = 300;

/// Finder of elements whose `id` is made from the heading that they begin with.
#[derive(Debug)]
pub struct HeadingIds<'a> {
    page: &'a Page,
    is_rule: OnceCell<bool>,
}

impl<'a> HeadingIds<'a> {
    /// Prepares the search in a page. The page is searched when the first id that is like its heading is requested.
    pub fn new(page: &'a Page) -> Self {
        Self { page, is_rule: OnceCell::new() }
    }

    /// Returns whether an element's id is made from the heading that the element begins with, as are the ids of at
    /// least half of the page's headings.
    /// Example: `<section id="results-discussion"><h2>Results &amp; Discussion</h2>`.
    pub fn contains(&self, at: u32) -> bool {
        self.page.element(at).is_some_and(|element| self.is_named(at, element))
            && *self.is_rule.get_or_init(|| self.is_rule())
    }

    fn is_rule(&self) -> bool {
        let (mut all, mut named) = (0, 0);
        for (at, element) in (0u32..).zip(&self.page.elements) {
            if !matches!(element.tag, Tag::H2 | Tag::H3) {
                continue;
            }
            all += 1;
            let mut around = self.page.path(at).take(ANCESTORS);
            named += usize::from(around.any(|(at, element)| self.is_named(at, element)));
        }
        // Ids of single sections are given by hand (`id="comments"`) and do say what a section is for.
        named >= MIN_HEADINGS && named * MAX_HEADINGS_PER_ID >= all
    }

    fn is_named(&self, at: u32, element: &Element) -> bool {
        let page = self.page;
        let words = page.attribute_words(element).iter();
        let mut id = words.filter(|word| word.attribute == Attribute::Id);
        let Some(first) = id.next() else { return false };
        // Blocks are in the order of the page, so the first of an element is found by bisection.
        let first_block = page.blocks.partition_point(|block| block.span.0 < element.start);
        let Some(block) = page.blocks.get(first_block) else { return false };
        let heading = page
            .path(block.element)
            .take_while(|(index, _)| *index >= at)
            .find(|(_, element)| element.tag.is_heading());
        let Some((heading, element)) = heading.filter(|(heading, _)| *heading < element.end) else { return false };
        let mut name = String::new();
        let blocks = page.blocks.iter().skip(first_block);
        for block in blocks.take_while(|block| (heading..element.end).contains(&block.element)) {
            if name.len() + page.text(block).len() > MAX_HEADING_BYTES {
                return false;
            }
            let text = page.text(block).to_lowercase();
            let (mut texts, mut places) = (Vec::new(), Vec::new());
            split_words(Vectors::default(), text.as_bytes(), &mut texts, |word| places.push(word));
            for word in places {
                let word = texts.get(word.start..word.start + word.len).unwrap_or_default();
                name.push_str(std::str::from_utf8(word).unwrap_or_default());
            }
        }
        let mut words = std::iter::once(first).chain(id).peekable();
        // Words of an id are none twice.
        let mut seen: Vec<&str> = Vec::new();
        let mut rest = name.as_str();
        while !rest.is_empty() {
            let word = words.peek().map(|word| page.word_text(word));
            if let Some((word, behind)) = word.and_then(|word| Some((word, rest.strip_prefix(word)?))) {
                seen.push(word);
                words.next();
                rest = behind;
            } else if let Some(behind) = seen.iter().find_map(|word| rest.strip_prefix(word)) {
                rest = behind;
            } else {
                return false;
            }
        }
        words.peek().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Limits, ScanEngine};

    fn named(html: &str) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let ids = HeadingIds::new(&page);
        let all = (0u32..).zip(&page.elements);
        let all = all.filter(|(at, _)| ids.contains(*at));
        all.filter_map(|(_, element)| element.attribute(html, "id")).collect()
    }

    #[test]
    fn an_id_made_from_its_heading() {
        let html = "<main><section id=results-discussion><h2><span>3</span> Results &amp; Discussion</h2><p>a</p></section>\
                    <section id=the-use-of-the-mill><h2>The Use of the Mill</h2><p>b</section><h3 id=githubActions>GitHub Actions</h3>\
                    <div id=comments><p>c</p><h3>Comments</h3></div></main>";
        assert_eq!(named(html), ["results-discussion", "the-use-of-the-mill", "githubActions"]);
        // As a rule of the page only.
        assert!(named("<div id=comments><h3>Comments</h3><p>c</div>").is_empty());
        let others = "<h2>Other news</h2>".repeat(5);
        assert!(named(&format!("{html}{others}")).is_empty());
    }
}
