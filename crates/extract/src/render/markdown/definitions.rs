//! Renders definition lists: each term is an item that holds its definitions.

use std::collections::{HashMap, HashSet};

use trommel_html::{ElementKinds, Page, Tag};

use crate::render::content::{KeptContent, Segment, is_item, is_list};

/// The terms of the definition lists of a content.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// Each `dt` that is shown and is no heading.
    shown: HashSet<u32>,
    /// The lists whose terms are known.
    read: HashSet<u32>,
    /// Each `dt` and `dd` with the first shown of the terms directly above it.
    terms: HashMap<u32, u32>,
}

impl Definitions {
    pub fn new(content: &KeptContent) -> Self {
        let mut shown = HashSet::new();
        let mut headings = HashSet::new();
        let is_term = |segment: &&Segment| {
            let element = content.page.element(content.ends(segment).0);
            element.is_some_and(|element| element.within.contains(ElementKinds::OTHER_ITEM))
        };
        for segment in content.segments.iter().filter(is_term) {
            let mut path = content.page.path(content.ends(segment).0);
            let item = path.find(|(_, element)| is_item(element.tag));
            let Some((at, _)) = item.filter(|(_, element)| element.tag == Tag::Dt) else { continue };
            let of = match segment {
                Segment::Paragraph { .. } => &mut shown,
                _ => &mut headings,
            };
            of.insert(at);
        }
        shown.retain(|at| !headings.contains(at));
        Self { shown, ..Self::default() }
    }

    /// The term whose item holds a `dt` or `dd` of a list; none if no term directly above it is shown.
    pub fn term(&mut self, page: &Page, list: u32, at: u32) -> Option<u32> {
        if self.shown.is_empty() {
            return None;
        }
        if self.read.insert(list) {
            self.read(page, list);
        }
        self.terms.get(&at).copied()
    }

    fn read(&mut self, page: &Page, list: u32) {
        let Some(element) = page.element(list) else { return };
        let (mut term, mut after_term) = (None, false);
        let mut at = list + 1;
        while at < element.end {
            let Some(inner) = page.element(at) else { break };
            let is_part = matches!(inner.tag, Tag::Dt | Tag::Dd);
            if is_part {
                let is_term = inner.tag == Tag::Dt;
                if is_term {
                    let before = term.filter(|_| after_term);
                    term = before.or(self.shown.contains(&at).then_some(at));
                }
                after_term = is_term;
                if let Some(term) = term {
                    self.terms.insert(at, term);
                }
            }
            at = if is_part || is_list(inner.tag) { inner.end } else { at + 1 };
        }
    }
}
