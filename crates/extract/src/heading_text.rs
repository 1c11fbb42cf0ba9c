//! Reads the text of headings, without controls such as `edit` and without links to the heading itself.
//!
//! Also recognises the elements whose names the page mentions elsewhere, as in a script or a link.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use trommel_html::{Block, Element, Notation, NotationKind, Page, Tag};

/// Maximum number of words and of characters of a heading; an element with more is a paragraph. In scripts without
/// spaces every character is a word.
// By words for spaced scripts, by characters for others: either alone would let one of them through.
const MAX_HEADING: (u32, u32) = (60, 200);
/// Maximum characters of a link in brackets that is left out of a heading (`edit`, `edit | edit source`).
const MAX_CONTROL_CHARS: usize = 40;

/// Returns whether blocks are together too long for a heading, given the number of words and characters of each.
pub(crate) fn is_too_long(blocks: impl Iterator<Item = (u32, u32)>) -> bool {
    let (words, chars) =
        blocks.fold((0u32, 0u32), |sum, counts| (sum.0.saturating_add(counts.0), sum.1.saturating_add(counts.1)));
    words > MAX_HEADING.0 || chars > MAX_HEADING.1
}

/// Returns the text of a block. A heading is returned without the links between brackets at its end that let readers of
/// wikis edit the section.
#[inline]
pub(crate) fn shown_text<'p>(page: &'p Page, html: &str, block: &Block) -> &'p str {
    let text = page.text(block);
    // By its last byte first, which tells it of nearly every block.
    if text.as_bytes().last() == Some(&b']') { without_controls(page, html, block) } else { text }
}

/// Returns the text of a heading without the parts that the page hides, such as its buttons.
pub(crate) fn visible_text<'p>(page: &'p Page, html: &str, block: &Block) -> Cow<'p, str> {
    let text = shown_text(page, html, block);
    let is_hidden = |notation: &Notation| notation.kind == NotationKind::Hidden;
    let mut hidden = page.notations(block).filter(is_hidden).map(|notation| notation.text).peekable();
    if hidden.peek().is_none() {
        return text.into();
    }
    let mut visible = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to) in hidden {
        visible.push_str(text.get(at..from as usize).unwrap_or_default());
        at = at.max(to as usize);
    }
    visible.push_str(text.get(at..).unwrap_or_default());
    visible.into()
}

/// Returns whether the element around a block is a heading.
pub(crate) fn is_heading(page: &Page, block: &Block) -> bool {
    page.container(block).is_some_and(|(_, element)| element.tag.is_heading())
}

fn without_controls<'p>(page: &'p Page, html: &str, block: &Block) -> &'p str {
    let text = page.text(block);
    if !is_heading(page, block) {
        return text;
    }
    let Some((before, control)) = text.rsplit_once('[') else { return text };
    // Only links are controls; "[Updated]" as plain text belongs to the heading.
    let source = html.get(block.span.0 as usize..block.span.1 as usize);
    let is_link = source
        .and_then(|source| source.rsplit_once('['))
        .is_some_and(|(_, source)| ["<a ", "<A ", "<button"].iter().any(|tag| source.contains(tag)));
    if is_link && control.chars().count() <= MAX_CONTROL_CHARS && !before.trim().is_empty() {
        before.trim_end()
    } else {
        text
    }
}

/// Maximum number of elements around a heading, and inside it, whose `id` or `name` a link to the heading may have.
const MAX_NAMED_ELEMENTS: usize = 6;

/// Returns whether the text of a link is only a symbol for a link to a heading, such as `#`.
pub(crate) fn is_mark(text: &str) -> bool {
    matches!(text.trim(), "¶" | "#" | "§" | "🔗" | "\u{f0c1}")
}

/// Returns whether block `at` is only a link to the heading in the block before it, such as the label of a link icon
/// for readers who do not see the icon.
pub(crate) fn is_permalink(page: &Page, html: &str, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| page.blocks.get(at));
    let Some((block, before)) = page.blocks.get(at).zip(before).filter(|(block, _)| block.link_density() == 1.0) else {
        return false;
    };
    let mut around = page.path(block.element).take_while(|(_, element)| element.tag.is_inline());
    is_heading(page, before)
        && !is_heading(page, block)
        && around.find(|(_, element)| element.tag == Tag::A).is_some_and(|(link, _)| leads_to(page, html, before, link))
}

/// Returns whether a link leads to the element of a heading, or to one around or inside the heading.
pub(crate) fn leads_to(page: &Page, html: &str, heading: &Block, link: u32) -> bool {
    let attribute = |at: u32, name| page.element(at)?.attribute(html, name);
    let Some(name) = place(page, html, link) else { return false };
    let is_same = |value: &str| value == name || fragment(value) == fragment(&name);
    let around = page.path(heading.element).map(|(at, _)| at);
    let around = around.take(MAX_NAMED_ELEMENTS);
    let mut places = around.chain(page.inline(heading).iter().copied().take(MAX_NAMED_ELEMENTS));
    places.any(|at| ["id", "name"].iter().any(|key| attribute(at, key).is_some_and(|value| is_same(&value))))
}

/// Returns the fragment, without `#`, of a link to a place on the same page; `None` for other links.
pub(crate) fn place(page: &Page, html: &str, link: u32) -> Option<String> {
    let href = page.element(link)?.attribute(html, "href")?;
    href.trim().strip_prefix('#').filter(|name| !name.is_empty()).map(str::to_owned)
}

/// Returns a name as it is written in the fragment of a URL (percent-encoded).
fn fragment(name: &str) -> Option<String> {
    let mut url = url::Url::parse("about:blank").ok()?;
    url.set_fragment(Some(name));
    url.fragment().map(str::to_owned)
}

/// Maximum number of ids and classes that are searched for in one page; any further one counts as found.
const MAX_NAMES: usize = 32;

/// Cache of whether a script, link or button of the page mentions an id or class. Readers may be able to open the
/// elements that are mentioned.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    known: FxHashMap<String, bool>,
}

impl Mentions {
    /// Returns whether the decoded page `html` mentions the id or a class of an element (true for any after 32
    /// searches).
    pub fn name(&mut self, html: &str, element: &Element) -> bool {
        let names = |attribute: &str| element.attribute(html, attribute).unwrap_or_default();
        let (id, class) = (names("id"), names("class"));
        let mut names = class.split_ascii_whitespace().chain([id.trim()]).filter(|name| !name.is_empty());
        names.any(|name| self.are_of(html, name))
    }

    fn are_of(&mut self, html: &str, name: &str) -> bool {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        // Each name is a search through the page.
        if self.known.len() >= MAX_NAMES {
            return true;
        }
        let is_mention = |at: usize| {
            let (before, behind) = html.split_at_checked(at).unwrap_or_default();
            let behind = behind.get(name.len()..).unwrap_or_default();
            // In quotes as it is or as a selector; its own attributes are no mention.
            let before = before.strip_suffix(['.', '#']).unwrap_or(before);
            let quoted = before.strip_suffix(['"', '\'', '`']).filter(|_| behind.starts_with(['"', '\'', '`']));
            quoted.is_some_and(|before| !before.ends_with("id=") && !before.ends_with("class="))
        };
        let is_mentioned = memchr::memmem::find_iter(html.as_bytes(), name).any(is_mention);
        self.known.insert(name.to_owned(), is_mentioned);
        is_mentioned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn links_that_edit_a_section_are_not_said() {
        let shown = |html: &str| {
            let page = ScanEngine.read(html, &Limits::default());
            shown_text(&page, html, &page.blocks[0]).to_owned()
        };
        let wiki =
            "<h2>History<span><span>[</span><a href=/e>edit</a> | <a href=/s>edit source</a><span>]</span></span></h2>";
        assert_eq!(shown(wiki), "History");
        assert_eq!(shown("<h1>A song [Live]</h1>"), "A song [Live]");
        assert_eq!(shown("<h2>[<a href=x>all</a>]</h2>"), "[all]");
        let paragraph = "<p>As was shown [<a href=x>3</a>]</p>";
        assert_eq!(shown(paragraph), "As was shown [3]");
    }
}
