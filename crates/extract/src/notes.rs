//! Finds footnotes: the marks in the text, and the blocks of the notes that the marks refer to.
//!
//! A mark and its note are recognised by their links (`linked`), by equal numbers on pages without such links
//! (`unlinked`), or because the note is inside the line of its mark (`linked`). Marks and notes without a partner
//! are not changed.

mod linked;
mod unlinked;

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::{NotationKind, Page, Tag};

use crate::{heading_text::is_heading, kept_flags::KeptBlocks as _};

/// Maximum number of blocks and of words of a note. A longer one is part of the text.
// An anchor may lead to a section, which would be moved behind the text as a whole.
const MAX_NOTE: (usize, u32) = (60, 1500);

/// Footnotes and other notes of a page, with the marks in its text that refer to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notes {
    marks: FxHashMap<u32, Vec<NoteMark>>,
    cuts: FxHashMap<u32, Vec<(u32, u32)>>,
    /// Notes of the page, in the order of their numbers.
    pub definitions: Vec<Definition>,
    /// Indices of the blocks that are not written with the text: those of notes, and headings of sections of notes.
    moved: FxHashSet<u32>,
}

/// Mark in the text of a block that refers to a note, such as a raised number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoteMark {
    /// Byte offset in the block's text at which the mark begins.
    pub from: u32,
    pub to: u32,
    /// Number of the note that the mark refers to.
    pub number: u32,
    /// True if the note that the mark refers to was found on the page.
    pub has_note: bool,
}

/// Note of a page: its number, its element and its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub number: u32,
    /// Index of the element that holds only the note; `NONE` for a note inside a line of text.
    pub element: u32,
    /// Indices of the note's blocks. Empty for a note inside a line of text.
    pub blocks: Vec<u32>,
    /// Position of a note inside a line of text: block index, and start and end byte in the block's text.
    pub inline: Option<(u32, u32, u32)>,
    /// True if the note's text was itself judged to be content, and not only kept because of its mark.
    pub judged: bool,
}

/// Mark of a note with the note that it refers to, before the notes are numbered.
#[derive(Clone, Debug)]
struct Pair {
    block: u32,
    from: u32,
    to: u32,
    /// Number or sign that the page shows as the mark.
    label: String,
    target: Target,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Element {
        element: u32,
        blocks: Vec<u32>,
    },
    Inline(u32, u32, u32),
    /// No note: the mark only repeats the label of another mark.
    Label,
}

impl Notes {
    /// Finds the notes whose marks are in kept blocks, and keeps the blocks of these notes. `kept` has one flag per
    /// block. Returns `None` if there are no notes.
    pub fn find(page: &Page, html: &str, kept: &mut [bool]) -> Option<Self> {
        // Pages without raised text or links to places pay nothing.
        if !page.has_notations() {
            return None;
        }
        let mut pairs = linked::pairs(page, html, kept);
        linked::add(page, kept, &mut pairs);
        // Numbers alone are a guess, and are asked only where links say nothing.
        if pairs.is_empty() {
            pairs = unlinked::pairs(page, html, kept);
        }
        if pairs.is_empty() {
            return None;
        }
        pairs.sort_by_key(|pair| (pair.block, pair.from));
        let mut notes = Self::default();
        notes.number(&pairs);
        for definition in &mut notes.definitions {
            let is_kept = |at: &u32| kept.has(*at as usize);
            definition.judged |= definition.blocks.iter().any(is_kept);
            kept.keep(definition.blocks.iter().map(|at| *at as usize));
        }
        // After numbering: labels are recognised by their number.
        notes.cut_labels(page);
        notes.drop_headings(page, kept);
        Some(notes)
    }

    /// Returns the note marks in a block, in order.
    pub fn marks(&self, block: u32) -> &[NoteMark] {
        self.marks.get(&block).map_or(&[], Vec::as_slice)
    }

    /// Returns the byte ranges of a block's text that are left out: labels of notes, and links back to marks.
    pub fn cuts(&self, block: u32) -> &[(u32, u32)] {
        self.cuts.get(&block).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a byte range of a block's text overlaps a mark or a part that is left out.
    pub fn covers(&self, block: u32, (from, to): (u32, u32)) -> bool {
        let marks = self.marks(block);
        let next = marks.partition_point(|mark| mark.to <= from);
        let cuts = self.cuts(block);
        let cut = cuts.partition_point(|cut| cut.1 <= from);
        marks.get(next).is_some_and(|mark| mark.from < to) || cuts.get(cut).is_some_and(|cut| cut.0 < to)
    }

    /// Returns whether a block belongs to a note or heads notes, and so is not written with the text around it.
    pub fn is_moved(&self, block: u32) -> bool {
        self.moved.contains(&block)
    }

    /// Numbers the notes. Numbers that the page shows are used unless they repeat.
    fn number(&mut self, pairs: &[Pair]) {
        let mut targets: Vec<(&Target, &str)> = Vec::new();
        let mut place: FxHashMap<(u32, u32, u32), usize> = FxHashMap::default();
        let mut of_pair = vec![0; pairs.len()];
        let mut by_label: FxHashMap<&str, usize> = FxHashMap::default();
        // A mark that only repeats a label may stand before the note of that label.
        for is_label in [false, true] {
            let of_kind = pairs.iter().zip(&mut of_pair).filter(|(pair, _)| (pair.target == Target::Label) == is_label);
            for (pair, of_pair) in of_kind {
                let key = match &pair.target {
                    Target::Element { element, .. } => (*element, u32::MAX, 0),
                    Target::Inline(block, from, _) => (*block, *from, 1),
                    Target::Label => match by_label.get(pair.label.as_str()) {
                        Some(at) => {
                            *of_pair = *at;
                            continue;
                        }
                        None => (pair.block, pair.from, 2),
                    },
                };
                *of_pair = *place.entry(key).or_insert_with(|| {
                    targets.push((&pair.target, &pair.label));
                    targets.len() - 1
                });
                by_label.entry(&pair.label).or_insert(*of_pair);
            }
        }
        let shown: Vec<Option<u32>> =
            targets.iter().map(|(_, label)| label.parse().ok().filter(|number| *number > 0)).collect();
        // A number that is shown stays; signs, and numbers that come twice, get the next ones.
        let mut seen = FxHashSet::default();
        let most = shown.iter().flatten().copied().max().unwrap_or(0);
        let mut next = if shown.iter().all(Option::is_none) { 0 } else { most };
        let numbers: Vec<u32> = shown
            .iter()
            .map(|number| match number {
                // Readers know notes by the number that the page shows.
                Some(number) if seen.insert(*number) => *number,
                _ => {
                    next = next.saturating_add(1);
                    next
                }
            })
            .collect();
        let number = |at: usize| numbers.get(at).copied().unwrap_or_default();
        for (pair, at) in pairs.iter().zip(of_pair) {
            self.marks.entry(pair.block).or_default().push(NoteMark {
                from: pair.from,
                to: pair.to,
                number: number(at),
                has_note: targets.get(at).is_some_and(|(target, _)| **target != Target::Label),
            });
        }
        for (at, (target, _)) in targets.iter().enumerate() {
            match target {
                Target::Element { element, blocks } => {
                    self.moved.extend(blocks.iter().copied());
                    self.definitions.push(Definition {
                        number: number(at),
                        element: *element,
                        blocks: blocks.clone(),
                        inline: None,
                        judged: false,
                    });
                }
                Target::Inline(block, from, to) => {
                    self.definitions.push(Definition {
                        number: number(at),
                        element: trommel_html::NONE,
                        blocks: Vec::new(),
                        inline: Some((*block, *from, *to)),
                        judged: true,
                    });
                }
                Target::Label => {}
            }
        }
        self.definitions.sort_by_key(|definition| definition.number);
    }

    /// Marks the labels of notes, and their links back to the text, as left out.
    fn cut_labels(&mut self, page: &Page) {
        for definition in &mut self.definitions {
            let number = definition.number;
            let mut first = true;
            definition.blocks.retain(|at| {
                let Some(block) = page.blocks.get(*at as usize) else { return false };
                let text = page.text(block);
                let mut cuts = unlinked::back_links(page, block);
                if first {
                    let len = unlinked::label_len(page, block, number);
                    if len > 0 {
                        cuts.push((0, len as u32));
                    }
                    first = len == text.len();
                }
                let mut left = String::new();
                cuts.sort_unstable();
                let mut end = 0;
                for (from, to) in &cuts {
                    left.push_str(text.get(end..*from as usize).unwrap_or_default());
                    end = end.max(*to as usize);
                }
                left.push_str(text.get(end..).unwrap_or_default());
                self.cuts.entry(*at).or_default().extend(cuts);
                left.chars().any(char::is_alphanumeric)
            });
        }
        // A note that was nothing but its label says nothing.
        self.definitions.retain(|definition| !definition.blocks.is_empty() || definition.inline.is_some());
    }

    /// Drops the headings of sections that contain only notes.
    fn drop_headings(&mut self, page: &Page, kept: &mut [bool]) {
        let mut heading: Option<usize> = None;
        let mut behind = false;
        let mut dropped = Vec::new();
        for (at, block) in page.blocks.iter().enumerate() {
            if !kept.has(at) {
                continue;
            }
            let is_heading = is_heading(page, block);
            if self.moved.contains(&(at as u32)) {
                behind |= heading.is_some();
                continue;
            }
            // Where something else stands in the section, its heading stays.
            if behind && is_heading {
                dropped.extend(heading);
            }
            behind = false;
            heading = (is_heading && unlinked::names_notes(page.text(block))).then_some(at);
        }
        if behind {
            dropped.extend(heading);
        }
        for at in dropped {
            self.moved.insert(at as u32);
            kept.leave_out([at]);
        }
    }
}

/// Returns the indices of the first blocks inside an element: at most one more than a note may have.
fn blocks_of(page: &Page, element: u32) -> Vec<u32> {
    page.blocks_inside(element).take(MAX_NOTE.0 + 1).map(|at| at as u32).collect()
}

/// Returns whether blocks are short enough for a note, and contain no heading.
fn is_short(page: &Page, blocks: &[u32]) -> bool {
    let members = || blocks.iter().filter_map(|at| page.blocks.get(*at as usize));
    let words: u32 = members().map(|block| block.words).fold(0, u32::saturating_add);
    !blocks.is_empty()
        && blocks.len() <= MAX_NOTE.0
        && words <= MAX_NOTE.1
        && !members().any(|block| is_heading(page, block))
}

/// Returns whether a class or id word of an element, or of one of the nearest elements around it, names notes.
fn in_notes(page: &Page, element: u32) -> bool {
    const MAX_ANCESTORS: usize = 5;
    page.path(element)
        .take_while(|(_, element)| !matches!(element.tag, Tag::Body | Tag::Main | Tag::Article))
        .take(MAX_ANCESTORS)
        .any(|(_, element)| {
            page.says(
                element,
                &[
                    "footnote", "footnotes", "endnote", "endnotes", "references", "reflist", "notes", "bibliography",
                    "sidenote", "fn", "fns",
                ],
            )
        })
}

/// Returns the styled or linked parts of a block that are of the given kind, such as superscripts.
fn of_kind(
    page: &Page,
    block: &trommel_html::Block,
    kind: NotationKind,
) -> impl Iterator<Item = trommel_html::Notation> {
    page.notations(block).filter(move |notation| notation.kind == kind)
}
