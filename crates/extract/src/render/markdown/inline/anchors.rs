//! Recognises links of a heading to itself.

use trommel_html::Block;

use crate::render::content::KeptContent;

/// Elements around a heading or in it that may have the name a link to it leads to.
const MAX_NAMED_ELEMENTS: usize = 6;

/// Whether a link in the block of a heading leads to that heading, and not anywhere else.
pub(super) fn leads_to_itself(content: &KeptContent, block: &Block, link: u32) -> bool {
    let page = content.page;
    let attribute = |at: u32, name| page.element(at)?.attribute(content.html, name);
    let Some(href) = attribute(link, "href") else {
        return false;
    };
    let Some(name) = href.trim().strip_prefix('#').filter(|name| !name.is_empty()) else {
        return false;
    };
    let is_same = |value: &str| value == name || fragment(value) == fragment(name);
    let around = page.path(block.element).map(|(at, _)| at);
    let around = around.take(MAX_NAMED_ELEMENTS);
    let mut places = around.chain(page.inline(block).iter().copied().take(MAX_NAMED_ELEMENTS));
    places.any(|at| ["id", "name"].iter().any(|key| attribute(at, key).is_some_and(|value| is_same(&value))))
}

/// A name as addresses give it.
pub(super) fn fragment(name: &str) -> Option<String> {
    let mut url = url::Url::parse("about:blank").ok()?;
    url.set_fragment(Some(name));
    url.fragment().map(str::to_owned)
}

/// Whether the text of a link is but the mark by which a heading can be linked to.
pub(super) fn is_anchor(text: &str) -> bool {
    matches!(text.trim(), "¶" | "#" | "§" | "🔗" | "\u{f0c1}")
}
