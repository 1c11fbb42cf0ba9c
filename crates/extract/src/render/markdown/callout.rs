//! Renders boxes of notes and warnings as quotes that name their kind.

use rustc_hash::FxHashSet;
use trommel_html::{Element, Page, Tag};

use crate::render::content::{KeptContent, Segment};
use crate::render::steps;

/// Kinds by which such a box is known.
const KINDS: [&str; 18] = [
    "abstract", "attention", "bug", "caution", "danger", "error", "example", "failure", "hint", "important", "info",
    "note", "question", "quote", "success", "tip", "todo", "warning",
];

/// Pairs of words of the classes of such boxes, of GitHub, of VuePress and VitePress, and of Starlight.
const PAIRS: [(&str, &str); 4] =
    [("markdown", "alert"), ("custom", "block"), ("hint", "container"), ("starlight", "aside")];

/// The kind of the box that an element is.
fn callout(page: &Page, element: &Element) -> Option<&'static str> {
    if !matches!(element.tag, Tag::Div | Tag::Aside | Tag::Section | Tag::Blockquote | Tag::Details) {
        return None;
    }
    let words = page.attribute_words(element);
    let has = |name: &str| words.iter().any(|word| page.word_text(word) == name);
    // The kind comes before the colours that it shares with others (`admonition-tip alert--success`).
    let mut said = words.iter().map(|word| page.word_text(word));
    // `hint-container tip` is no hint.
    let kind =
        said.find_map(|word| KINDS.into_iter().find(|kind| *kind == word && !(word == "hint" && has("container"))));
    // `note` alone is too common a class, and so are the others without a kind: pages sell by `callout-group`.
    let is_pair = |(one, other): &(&str, &str)| has(one) && has(other);
    let is_known = || has("callout") || PAIRS.iter().any(is_pair);
    let is_box = has("admonition") || kind.is_some() && is_known() || words.len() == 1 && has("callout");
    let is_part = ["title", "content", "inner", "icon", "body", "heading", "text"];
    if !is_box || is_part.iter().any(|name| has(name)) {
        return None;
    }
    Some(kind.unwrap_or("note"))
}

/// The boxes of a page.
#[derive(Debug, Default)]
pub(super) struct Boxes {
    /// The boxes in document order: element, end of all boxes up to it, and kind.
    found: Vec<(u32, u32, &'static str)>,
    /// Boxes that are sections, as they hold several pieces of code. Their first segment alone is quoted: in a quote
    /// each line of code has a mark.
    sections: FxHashSet<u32>,
    /// The boxes that have begun.
    begun: FxHashSet<u32>,
}

impl Boxes {
    pub fn new(content: &KeptContent) -> Self {
        let mut boxes = Self::default();
        for at in near_boxes(content) {
            if let Some(element) = content.page.element(at)
                && let Some(kind) = callout(content.page, element)
            {
                let end = boxes.found.last().map_or(element.end, |(_, end, _)| element.end.max(*end));
                boxes.found.push((at, end, kind));
            }
        }
        // Most pages have none.
        if boxes.found.is_empty() {
            return boxes;
        }
        let is_code = |segment: &&Segment| matches!(segment, Segment::Code { .. });
        let code = content.segments.iter().filter(is_code).map(|segment| content.ends(segment).0);
        let mut with_code = FxHashSet::default();
        for (at, _) in code.flat_map(|element| content.page.path(element)) {
            if boxes.kind(at).is_some() && !with_code.insert(at) {
                boxes.sections.insert(at);
            }
        }
        boxes
    }

    /// The kind of the box that an element is.
    pub fn kind(&self, at: u32) -> Option<&'static str> {
        let found = self.found.binary_search_by_key(&at, |(element, ..)| *element).ok()?;
        self.found.get(found).map(|(.., kind)| *kind)
    }

    /// Returns whether an element is a box or stands in one.
    pub fn contain(&self, at: u32) -> bool {
        // Elements are nested, so the box that ends last is one around it if any is.
        let behind = self.found.partition_point(|(element, ..)| *element <= at);
        let before = behind.checked_sub(1).and_then(|before| self.found.get(before));
        before.is_some_and(|(_, end, _)| *end > at)
    }

    /// Returns whether the next segment in a box stands in its quote.
    pub fn is_quoted(&mut self, at: u32) -> bool {
        !self.sections.contains(&at) || self.begun.insert(at)
    }
}

/// The elements that may be boxes around or between the segments of a content, in document order: one note of a page is
/// not looked for in all of it.
fn near_boxes(content: &KeptContent) -> Vec<u32> {
    let (page, boxes) = (content.page, content.page.boxes.as_slice());
    if boxes.is_empty() {
        return Vec::new();
    }
    let elements =
        || content.segments.iter().map(|segment| content.ends(segment)).flat_map(|(one, other)| [one, other]);
    let (Some(first), Some(last)) = (elements().min(), elements().max()) else { return Vec::new() };
    let around = page.path(first).map(|(at, _)| at).filter(|at| boxes.binary_search(at).is_ok());
    let mut near: Vec<u32> = around.collect();
    near.reverse();
    let next = boxes.partition_point(|at| *at <= first);
    near.extend(boxes.iter().skip(next).take_while(|at| **at <= last));
    steps::take(near.len());
    near
}

/// Returns whether an element is the title of such a box.
pub(super) fn is_title(page: &Page, element: u32, within: u32) -> bool {
    page.path(element).take_while(|(at, _)| *at != within).any(|(_, element)| {
        let mut words = page.attribute_words(element).iter();
        words.any(|word| matches!(page.word_text(word), "title" | "heading"))
    })
}

#[cfg(test)]
mod tests {
    use trommel_html::{Engine, Limits, ScanEngine};

    use super::*;

    #[test]
    fn elements_in_boxes_are_known() {
        let html = "<div><p>a</div><div class='admonition tip'><div class=admonition><p>b</div><p>c</div><p>d\
                    <div class=custom-menu><p>e</div><aside class='starlight-aside note'>f</aside>g";
        let page = ScanEngine.read(html, &Limits::default());
        let boxes = Boxes::new(&KeptContent::new(&page, html, &vec![true; page.blocks.len()]));
        let boxed = page.blocks.iter().filter(|block| boxes.contain(block.element));
        assert_eq!(boxed.map(|block| page.text(block)).collect::<String>(), "bcf");
        let kinds: Vec<&str> = (0..page.elements.len() as u32).filter_map(|at| boxes.kind(at)).collect();
        assert_eq!(kinds, ["tip", "note", "note"]);
    }
}
