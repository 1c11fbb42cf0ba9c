//! Renders boxes of notes and warnings as quotes that name their kind.

use trommel_html::{Page, Tag};

/// Kinds by which such a box is known.
const KINDS: [&str; 18] = [
    "abstract", "attention", "bug", "caution", "danger", "error", "example", "failure", "hint", "important", "info",
    "note", "question", "quote", "success", "tip", "todo", "warning",
];

/// The kind of the box that an element is.
pub(super) fn callout(page: &Page, at: u32) -> Option<&'static str> {
    let element = page.element(at)?;
    if !matches!(element.tag, Tag::Div | Tag::Aside | Tag::Section | Tag::Blockquote | Tag::Details) {
        return None;
    }
    let words = page.attribute_words(element);
    let has = |name: &str| words.iter().any(|word| page.word_text(word) == name);
    // `note` alone is too common a class.
    let is_box = has("admonition") || has("callout") || has("markdown") && has("alert");
    let is_part = ["title", "content", "inner", "icon", "body", "heading", "text"];
    if !is_box || is_part.iter().any(|name| has(name)) {
        return None;
    }
    // The kind comes before the colours that it shares with others (`admonition-tip alert--success`).
    let mut said = words.iter().map(|word| page.word_text(word));
    let kind = said.find_map(|word| KINDS.into_iter().find(|kind| *kind == word));
    Some(kind.unwrap_or("note"))
}

/// Whether an element is the title of such a box.
pub(super) fn is_title(page: &Page, element: u32, within: u32) -> bool {
    page.path(element).take_while(|(at, _)| *at != within).any(|(_, element)| {
        let mut words = page.attribute_words(element).iter();
        words.any(|word| matches!(page.word_text(word), "title" | "heading"))
    })
}
