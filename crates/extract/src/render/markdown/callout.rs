//! Renders boxes of notes and warnings as quotes that name their kind.

use rustc_hash::FxHashSet;
use trommel_html::{AttributeWord, Page, Tag};
use trommel_text::word_hash;

use crate::render::content::{KeptContent, Segment};

/// Kinds by which such a box is known.
const KINDS: [&str; 18] = [
    "abstract", "attention", "bug", "caution", "danger", "error", "example", "failure", "hint", "important", "info",
    "note", "question", "quote", "success", "tip", "todo", "warning",
];

/// Pairs of words of the classes of such boxes, of GitHub, of VuePress and VitePress, and of Starlight.
const PAIRS: [(&str, &str); 4] =
    [("markdown", "alert"), ("custom", "block"), ("hint", "container"), ("starlight", "aside")];

fn callout(page: &Page, at: u32, marks: &[u64]) -> Option<&'static str> {
    let element = page.element(at)?;
    if !matches!(element.tag, Tag::Div | Tag::Aside | Tag::Section | Tag::Blockquote | Tag::Details) {
        return None;
    }
    let words = page.attribute_words(element);
    if !words.iter().any(|word| marks.contains(&word.hash)) {
        return None;
    }
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
#[derive(Debug)]
pub(super) struct Boxes {
    /// Hashes of the classes that boxes have.
    marks: [u64; 6],
    /// Whether any element of the page has one of these.
    may_be: bool,
    /// Boxes that are sections, as they hold several pieces of code. Their first segment alone is quoted: in a quote
    /// each line of code has a mark.
    sections: FxHashSet<u32>,
    /// Those of them that have begun.
    begun: FxHashSet<u32>,
}

impl Boxes {
    pub fn new(content: &KeptContent) -> Self {
        let marks = ["admonition", "callout", "alert", "custom", "hint", "starlight"]
            .map(|name: &str| word_hash(name.as_bytes()));
        let is_mark = |word: &AttributeWord| marks.iter().fold(false, |is_mark, mark| is_mark | (word.hash == *mark));
        let mut boxes = Self {
            may_be: content.page.attribute_words.iter().any(is_mark),
            marks,
            sections: FxHashSet::default(),
            begun: FxHashSet::default(),
        };
        if !boxes.may_be {
            return boxes;
        }
        let is_code = |segment: &&Segment| matches!(segment, Segment::Code { .. });
        let code = content.segments.iter().filter(is_code).map(|segment| content.ends(segment).0);
        let mut with_code = FxHashSet::default();
        for (at, _) in code.flat_map(|element| content.page.path(element)) {
            if boxes.kind(content.page, at).is_some() && !with_code.insert(at) {
                boxes.sections.insert(at);
            }
        }
        boxes
    }

    /// The kind of the box that an element is.
    pub fn kind(&self, page: &Page, at: u32) -> Option<&'static str> {
        // Most pages have none, and their elements are not looked at.
        self.may_be.then(|| callout(page, at, &self.marks)).flatten()
    }

    /// Whether the next segment in a box stands in its quote.
    pub fn is_quoted(&mut self, at: u32) -> bool {
        !self.sections.contains(&at) || self.begun.insert(at)
    }
}

/// Whether an element is the title of such a box.
pub(super) fn is_title(page: &Page, element: u32, within: u32) -> bool {
    page.path(element).take_while(|(at, _)| *at != within).any(|(_, element)| {
        let mut words = page.attribute_words(element).iter();
        words.any(|word| matches!(page.word_text(word), "title" | "heading"))
    })
}
