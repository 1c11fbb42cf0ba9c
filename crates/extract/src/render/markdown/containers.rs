//! Renders the quotes and list items around segments: prefixes, markers, and lines between segments.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use trommel_html::{ElementKinds, NONE, Page, Tag};

use super::blocks::{Boxes, is_title};
use super::lists::{Definitions, WordItem, are_items, begins_with_list, transparent};
use super::{escape::is_fence, push_title};
use crate::render::content::{KeptContent, is_item, is_list};
use crate::render::traced;
use crate::render::traced::{Origin, OriginSource, TracedText};

/// Maximum number of containers (quotes and list items) around a segment; deeper ones are left out.
// Each line repeats the prefixes, so the output would grow with the square of the depth.
const MAX_DEPTH: usize = 12;

/// Maximum level of a list that a word processor exported without a list element; level n is numbered [`NONE`] - n.
const WORD_LEVELS: u32 = 9;

/// Maximum bytes of a text such as `(1)` that only repeats the number of its list item, and is left out.
const MAX_MARKER_BYTES: usize = 6;

/// Quote, box or list item around a segment.
#[derive(Clone, Debug)]
struct Container {
    element: u32,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Quote,
    /// Box of this kind, such as a note or a warning.
    Callout(&'static str),
    Item {
        list: u32,
        /// Number of the item in an ordered list; `None` in other lists.
        number: Option<u32>,
        /// True if the list has the other marker (`*` or `1)`), which separates it from the list directly before it.
        second: bool,
    },
}

/// Role of a paragraph or other segment in a definition list: term, definition or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Term in the `dt` element with this index.
    Term(u32),
    /// Text directly in a `dd`, not in a paragraph inside the `dd`.
    Definition,
    Other,
}

/// Writer of paragraphs and other segments as Markdown, one below the other, within the lists and quotes around them.
#[derive(Debug)]
pub(super) struct SegmentWriter<'a> {
    content: &'a KeptContent<'a>,
    transparent: HashSet<u32>,
    boxes: Boxes,
    /// Element, such as a footnote, that is written without the lists and quotes around it; `None` for the whole page.
    within: Option<u32>,
    numbers: HashMap<u32, u32>,
    numbered: HashSet<u32>,
    open: Vec<Container>,
    /// Reused buffer for the quotes and list items around the next segment.
    next: Vec<Container>,
    /// Reused buffer for the elements around the next segment.
    path: Vec<u32>,
    definitions: Definitions,
    /// Role of the next segment in a definition list: term, definition or neither.
    pub part: Part,
    /// Role of the last segment in a definition list: term, definition or neither.
    last_part: Part,
    /// List item, exported by a word processor, that was written last; `None` if another segment followed.
    pub word_item: Option<WordItem>,
    /// Place in the page that the segment written next comes from.
    pub origin: Option<OriginSource>,
    /// Places in the page that the lines of the next segment come from, if they differ.
    pub line_origins: Vec<Option<OriginSource>>,
    origins: Vec<Origin>,
    out: String,
}

impl<'a> SegmentWriter<'a> {
    /// Creates a writer of the Markdown below a title, or of the Markdown inside the element `within`.
    pub fn new(content: &'a KeptContent<'a>, title: Option<&str>, within: Option<u32>) -> Self {
        let boxes = Boxes::new(content);
        let transparent = transparent(content, |at| may_be_contained(content.page, &boxes, at));
        let mut out = String::with_capacity(content.room());
        title.into_iter().for_each(|title| push_title(title, &mut out));
        Self {
            content,
            transparent,
            boxes,
            within,
            numbers: HashMap::new(),
            numbered: HashSet::new(),
            open: Vec::new(),
            next: Vec::new(),
            path: Vec::new(),
            definitions: Definitions::new(content),
            part: Part::Other,
            last_part: Part::Other,
            word_item: None,
            origin: None,
            line_origins: Vec::new(),
            origins: Vec::new(),
            out,
        }
    }

    /// Adds an image in the element `at`, or the link around the image, with its place in the page.
    pub fn image(&mut self, at: u32, place: OriginSource, text: &str) {
        self.origin = Some(place);
        self.add(at, text);
    }

    /// Returns whether a text at the start of an ordered list's item only repeats its number, and can be left out.
    /// `next` is the element of the following segment.
    pub fn is_marker(&mut self, element: u32, text: &str, next: u32) -> bool {
        if text.len() > MAX_MARKER_BYTES {
            return false;
        }
        let number = text.strip_suffix(['.', ')']).unwrap_or(text);
        let number = number.strip_prefix('(').unwrap_or(number);
        let Ok(number) = number.parse::<u32>() else { return false };
        let page = self.content.page;
        let Some((item, of)) = page.path(element).find(|(_, element)| element.tag == Tag::Li) else { return false };
        // An item that has no other text says it.
        page.path(next).any(|(at, _)| at == item)
            && self.open.iter().all(|open| open.element != item)
            && self.number(of.parent, item) == Some(number)
    }

    /// Adds a segment in the element `element`; `body` has no line end at its end.
    pub fn add(&mut self, element: u32, body: &str) {
        let chain = self.chain(element);
        self.word_item = None;
        self.add_in(chain, element, body);
    }

    /// Adds an item of a word processor's list, which has no list element.
    pub fn add_item(&mut self, element: u32, item: WordItem, body: &str) {
        let mut chain = self.chain(element);
        let list = |level: u32| NONE - level;
        // Those of the levels above stay open.
        let is_around = |open: &&Container| matches!(open.kind, Kind::Item { list: of, .. } if of > list(item.level) && of >= list(WORD_LEVELS));
        let around = self.open.get(chain.len()..).unwrap_or_default().iter().take_while(is_around).cloned();
        chain.extend(around);
        let kind = Kind::Item { list: list(item.level), number: item.number, second: false };
        chain.push(Container { element, kind });
        self.word_item = Some(item);
        self.add_in(chain, element, body);
    }

    fn add_in(&mut self, mut chain: Vec<Container>, element: u32, body: &str) {
        if chain.is_empty() && self.open.is_empty() && self.line_origins.is_empty() {
            self.next = chain;
            return self.add_free(body);
        }
        let common = chain.iter().zip(&self.open).take_while(|(new, open)| new.element == open.element).count();
        // The segments of a container that are open keep the markers they began with.
        for (new, open) in chain.iter_mut().zip(&self.open).take(common) {
            *new = open.clone();
        }
        // A box that starts says its kind.
        let starts = chain.iter().skip(common).rev();
        let boxed = starts.filter_map(|new| match new.kind {
            Kind::Callout(kind) => Some((new.element, kind)),
            _ => None,
        });
        let labelled = boxed.take(1).last().map(|(around, kind)| {
            if is_title(self.content.page, element, around) {
                format!("[!{kind}] {body}")
            } else {
                format!("[!{kind}]\n{body}")
            }
        });
        let body = labelled.as_deref().unwrap_or(body);
        let joint = (common == chain.len() && common == self.open.len()).then(|| self.joint(&chain)).flatten();
        // Code begins below the marker of its item: behind it many readers miss the fence.
        let is_below = is_fence(body) && common < chain.len() && chain.last().is_some_and(Container::is_item);
        let tight = self.join(&mut chain, common);
        // An item without text in its line cannot begin right below a paragraph (CommonMark, 5.2).
        let tight = tight && !(is_below && self.open.len() == common);
        let kept = chain.get(..common).unwrap_or_default();
        if let Some(joint) = joint {
            self.out.push_str(joint);
        } else if !self.out.is_empty() {
            self.out.push('\n');
            if !tight {
                self.out.push_str(indents(kept).trim_end());
                self.out.push('\n');
            }
        }
        let from = self.out.len();
        let line_origins = std::mem::take(&mut self.line_origins);
        // Most bodies are one line.
        let prefix = LazyCell::new(|| indents(&chain));
        let mut start = 0;
        for (at, end) in memchr::memchr_iter(b'\n', body.as_bytes()).chain([body.len()]).enumerate() {
            let line = body.get(start..end).unwrap_or_default();
            start = end + 1;
            if at == 0 && joint.is_some() {
                // In the line of the term.
            } else if at == 0 {
                kept.iter().for_each(|container| container.write_indent(&mut self.out));
                chain.iter().skip(common).for_each(|container| container.write_marker(&mut self.out));
                if is_below {
                    self.out.truncate(self.out.trim_end_matches(' ').len());
                    self.out.push('\n');
                    self.out.push_str(&prefix);
                }
            } else {
                self.out.push('\n');
                self.out.push_str(if line.is_empty() { prefix.trim_end() } else { &prefix });
            }
            let line_start = self.out.len();
            self.out.push_str(line);
            if let Some(source) = line_origins.get(at).copied().flatten() {
                self.origins.push(Origin { place: line_start..self.out.len(), source });
            }
        }
        if let Some(source) = self.origin.filter(|_| line_origins.is_empty()) {
            self.origins.push(Origin { place: from..self.out.len(), source });
        }
        self.next = std::mem::replace(&mut self.open, chain);
        self.last_part = std::mem::replace(&mut self.part, Part::Other);
    }

    /// Adds a segment that is in no quote or list, below another such segment.
    fn add_free(&mut self, body: &str) {
        if !self.out.is_empty() {
            self.out.push_str("\n\n");
        }
        let from = self.out.len();
        self.out.push_str(body);
        self.origins.extend(self.origin.map(|source| Origin { place: from..self.out.len(), source }));
        self.last_part = std::mem::replace(&mut self.part, Part::Other);
    }

    /// Returns the text (comma, colon or space) that joins a definition list's term and the next segment in one line,
    /// if any.
    fn joint(&self, chain: &[Container]) -> Option<&'static str> {
        let item = chain.last()?.element;
        let is_term = self.content.page.element(item)?.tag == Tag::Dt;
        match (self.last_part, self.part) {
            (Part::Term(last), Part::Term(next)) if is_term && last != next => Some(", "),
            (Part::Term(_), Part::Definition) if is_term => {
                let term = self.out.trim_end_matches('*');
                Some(if term.ends_with([':', '\u{ff1a}']) { " " } else { ": " })
            }
            _ => None,
        }
    }

    /// Returns the whole text, which ends with a line end, with its origins.
    pub fn finish(mut self) -> TracedText {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        TracedText { text: self.out, origins: self.origins }
    }

    /// Chooses the marker (such as `-` or `*`) of the first new list item around a segment. Returns true if no empty
    /// line is needed before the item.
    fn join(&self, chain: &mut [Container], common: usize) -> bool {
        let inside_item = common > 0 && self.open.len() == common;
        let before = self.open.get(common).map(|container| &container.kind);
        let Some(Container { kind: Kind::Item { list, number, second }, .. }) = chain.get_mut(common) else {
            return false;
        };
        match before {
            Some(Kind::Item { list: last, second: marker, number: last_number }) => {
                // Two lists of one kind right behind each other would be one list.
                let alike = last_number.is_some() == number.is_some();
                let goes_on = number.is_none_or(|number| Some(number) == last_number.map(|last| last + 1));
                let same = last == list || alike && goes_on && are_items(self.content.page, *last, *list);
                *second = if same { *marker } else { alike && !*marker };
                same
            }
            Some(Kind::Quote | Kind::Callout(_)) => false,
            // In a paragraph only a list that starts with 1 can begin.
            None => {
                let in_item = self.open.last().is_some_and(|last| matches!(last.kind, Kind::Item { .. }));
                inside_item && in_item && number.is_none_or(|number| number == 1)
            }
        }
    }

    /// Returns the quotes, boxes and list items around an element, outermost first.
    fn chain(&mut self, element: u32) -> Vec<Container> {
        let mut chain = std::mem::take(&mut self.next);
        chain.clear();
        let page = self.content.page;
        if !may_be_contained(page, &self.boxes, element) {
            return chain;
        }
        let around = page.path(element).map(|(at, _)| at);
        // What stands in no container has none around it either.
        let around = around.take_while(|at| may_be_contained(page, &self.boxes, *at));
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        path.extend(around);
        path.reverse();
        traced::take(path.len());
        let mut list = NONE;
        let inside = self.within.and_then(|within| path.iter().position(|at| *at == within));
        for (place, at) in path.iter().copied().enumerate().skip(inside.map_or(0, |at| at + 1)) {
            let Some(element) = self.content.page.element(at) else { break };
            if chain.len() >= MAX_DEPTH {
                break;
            }
            if let Some(kind) = self.boxes.kind(at) {
                if self.boxes.is_quoted(at) {
                    chain.push(Container { element: at, kind: Kind::Callout(kind) });
                }
                list = NONE;
                continue;
            }
            match element.tag {
                Tag::Blockquote if !self.transparent.contains(&at) => {
                    chain.push(Container { element: at, kind: Kind::Quote });
                    list = NONE;
                }
                tag if is_list(tag) => {
                    // A list right inside a list belongs to the item before it.
                    chain.extend(self.item_before(list, &chain));
                    list = at;
                }
                tag if is_item(tag) => {
                    let of = if list == NONE { element.parent } else { list };
                    let term = (element.tag != Tag::Li && list != NONE)
                        .then(|| self.definitions.term(self.content.page, list, at))
                        .flatten();
                    if element.tag == Tag::Dt && term.is_none() {
                        continue;
                    }
                    // So does one in an item without other text, as editors indent items.
                    let inner = path.get(place + 1).filter(|inner| begins_with_list(page, at, **inner));
                    let indent = self.indent(at);
                    let around = self.open.get(chain.len()..).unwrap_or_default().iter();
                    let around = around.take_while(|open| {
                        matches!(open.kind, Kind::Item { list, .. } if list == of) && self.indent(open.element) < indent
                    });
                    if indent > 0 && chain.iter().zip(&self.open).all(|(a, b)| a.element == b.element) {
                        chain.extend(around.cloned());
                    }
                    if let Some(before) = inner.and_then(|_| self.item_before(of, &chain)) {
                        chain.push(before);
                    } else if !self.transparent.contains(&of) {
                        chain.push(Container {
                            element: term.unwrap_or(at),
                            kind: Kind::Item { list: of, number: self.number(of, at), second: false },
                        });
                    }
                    list = NONE;
                }
                _ => {}
            }
        }
        self.path = path;
        chain
    }

    /// Returns the item of `list` with the last written segment, if the same quotes and items are `around` the list.
    fn item_before(&self, list: u32, around: &[Container]) -> Option<Container> {
        let open = self.open.get(around.len()).filter(|_| list != NONE)?;
        let is_in_list = matches!(open.kind, Kind::Item { list: of, .. } if of == list);
        (is_in_list && around.iter().zip(&self.open).all(|(a, b)| a.element == b.element)).then(|| open.clone())
    }

    /// Returns the level, from 0, of an item in a list of the editor Quill, which states it by a class (`ql-indent-1`).
    fn indent(&self, item: u32) -> usize {
        let item = self.content.page.element(item).filter(|item| self.content.page.says(item, &["ql"]));
        let class = item.and_then(|item| item.attribute(self.content.html, "class")).unwrap_or_default();
        let level = class.split_once("ql-indent-").and_then(|(_, level)| level.get(..1)?.parse().ok());
        level.unwrap_or_default()
    }

    /// Returns the number of an item; `None` if its list is not ordered.
    fn number(&mut self, list: u32, item: u32) -> Option<u32> {
        let element = self.content.page.element(list)?;
        // Quill writes all lists as `ol`.
        let is_bullet = || self.content.page.element(item)?.attribute(self.content.html, "data-list");
        if element.tag != Tag::Ol || is_bullet().is_some_and(|kind| kind != "ordered") {
            return None;
        }
        if self.numbered.insert(list) {
            self.count(list);
        }
        self.numbers.get(&item).copied()
    }

    /// Assigns numbers to all items of an ordered list, even to items that are not kept.
    fn count(&mut self, list: u32) {
        /// Maximum number of a list item that CommonMark allows.
        // Nine digits (CommonMark, 5.2).
        const MAX_NUMBER: i64 = 999_999_999;
        let (page, html) = (self.content.page, self.content.html);
        let Some(element) = page.element(list) else { return };
        let mut items = Vec::new();
        let mut at = list + 1;
        while at < element.end {
            let Some(inner) = page.element(at) else { break };
            if inner.tag == Tag::Li {
                items.push(at);
            }
            traced::take(1);
            at = if inner.tag == Tag::Li || is_list(inner.tag) { inner.end } else { at + 1 };
        }
        let whole = |at: u32, name: &str| -> Option<i64> {
            let value = page.element(at)?.attribute(html, name)?;
            value.trim().parse().ok().filter(|n: &i64| n.abs() <= MAX_NUMBER)
        };
        let reversed = element.attribute(html, "reversed").is_some();
        let most = i64::try_from(items.len()).unwrap_or(MAX_NUMBER);
        let first = whole(list, "start").unwrap_or(if reversed { most } else { 1 });
        let mut numbers = vec![first];
        for item in items {
            // Each level counts from 1.
            let level = self.indent(item);
            numbers.resize(level + 1, 1);
            let Some(number) = numbers.get_mut(level) else { continue };
            *number = whole(item, "value").unwrap_or(*number);
            let shown = u32::try_from((*number).clamp(0, MAX_NUMBER)).unwrap_or_default();
            self.numbers.insert(item, shown);
            *number += if reversed { -1 } else { 1 };
        }
    }
}

impl Container {
    fn is_item(&self) -> bool {
        matches!(self.kind, Kind::Item { .. })
    }

    /// Writes the Markdown before the first line of the quote or list item, such as `> ` or `- `.
    fn write_marker(&self, out: &mut String) {
        match &self.kind {
            Kind::Quote | Kind::Callout(_) => out.push_str("> "),
            Kind::Item { number: Some(number), second, .. } => {
                out.push_str(&number.to_string());
                out.push_str(if *second { ") " } else { ". " });
            }
            Kind::Item { second, .. } => out.push_str(if *second { "* " } else { "- " }),
        }
    }

    /// Writes the Markdown before each further line of the quote or list item: `> ` or spaces.
    fn write_indent(&self, out: &mut String) {
        match &self.kind {
            Kind::Quote | Kind::Callout(_) => out.push_str("> "),
            Kind::Item { number, .. } => {
                // As wide as the marker: a sign and a space, with the digits before them.
                let digits = number.map_or(0, |number| number.checked_ilog10().unwrap_or(0) + 1);
                (0..digits + 2).for_each(|_| out.push(' '));
            }
        }
    }
}

/// Returns whether an element may be a list, an item, a quote or a box, or be inside one. It is wrongly true of some
/// elements whose tags were changed.
fn may_be_contained(page: &Page, boxes: &Boxes, element: u32) -> bool {
    let kinds = page.element(element).map_or(ElementKinds::empty(), |element| element.within);
    kinds.intersects(CONTAINERS) || boxes.contain(element)
}

const CONTAINERS: ElementKinds = ElementKinds::LIST
    .union(ElementKinds::OTHER_LIST)
    .union(ElementKinds::ITEM)
    .union(ElementKinds::OTHER_ITEM)
    .union(ElementKinds::QUOTE);

/// Returns the Markdown before a continuation line within these quotes and list items.
fn indents(containers: &[Container]) -> String {
    let mut indents = String::new();
    containers.iter().for_each(|container| container.write_indent(&mut indents));
    indents
}
