//! Recognises the links by which readers can link to a heading.

use trommel_html::{Block, Page, Tag};

use crate::heading_text::is_heading;

/// Elements around a heading or in it that may have the name a link to it leads to.
const MAX_NAMED_ELEMENTS: usize = 6;

/// Returns whether the text of a link is but the mark by which a heading can be linked to.
pub(crate) fn is_mark(text: &str) -> bool {
    matches!(text.trim(), "¶" | "#" | "§" | "🔗" | "\u{f0c1}")
}

/// Returns whether a block is a link to the heading that is the block before it, as a text for those who do not see its
/// icon.
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

/// Returns whether a link leads to the block of a heading, and not anywhere else.
pub(crate) fn leads_to(page: &Page, html: &str, heading: &Block, link: u32) -> bool {
    let attribute = |at: u32, name| page.element(at)?.attribute(html, name);
    let Some(name) = place(page, html, link) else { return false };
    let is_same = |value: &str| value == name || fragment(value) == fragment(&name);
    let around = page.path(heading.element).map(|(at, _)| at);
    let around = around.take(MAX_NAMED_ELEMENTS);
    let mut places = around.chain(page.inline(heading).iter().copied().take(MAX_NAMED_ELEMENTS));
    places.any(|at| ["id", "name"].iter().any(|key| attribute(at, key).is_some_and(|value| is_same(&value))))
}

/// The name of the place on the page that a link leads to.
pub(crate) fn place(page: &Page, html: &str, link: u32) -> Option<String> {
    let href = page.element(link)?.attribute(html, "href")?;
    href.trim().strip_prefix('#').filter(|name| !name.is_empty()).map(str::to_owned)
}

/// A name as addresses give it.
fn fragment(name: &str) -> Option<String> {
    let mut url = url::Url::parse("about:blank").ok()?;
    url.set_fragment(Some(name));
    url.fragment().map(str::to_owned)
}
