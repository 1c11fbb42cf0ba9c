//! Divides the kept blocks of a page into segments: paragraphs, headings, code, tables.
//!
//! Listings in several parts are joined: `code` elements in a row that are laid out as blocks, and the output below
//! the last. Pages of Verso show code in this way.

pub(crate) mod code;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::{borrow::Cow, ops::Range, rc::Rc};

use rustc_hash::FxHashMap;
use trommel_html::{Block, Element, ElementKinds, NONE, Notation, NotationKind, Page, Tag};

use self::code::outermost_code;
use crate::heading_text::{Mentions, is_too_long, shown_text};
use crate::notes::{Definition, Notes};
use crate::render::data_table::{DataTable, data_tables};
use crate::render::pieces::{Form, Piece, PieceKind, pieces};
use crate::render::traced::{OriginSource, TracedText};
use crate::render::{NoteForm, TextOptions, traced};

pub(crate) use code::unindented;

/// Maximum number of blocks in a heading; an element with more was never closed, and is not all heading.
// Headings of two lines and a kicker occur.
const MAX_HEADING_BLOCKS: usize = 3;
/// Maximum bytes of code that are read again, for each byte of the page. Without this limit, code elements that are
/// never closed would each be read to the end of the page.
const CODE_BYTES_PER_PAGE_BYTE: usize = 4;

/// The kept blocks of a page, divided into segments (headings, paragraphs, tables and the like) in page order.
#[derive(Debug)]
pub(crate) struct KeptContent<'a> {
    pub page: &'a Page,
    /// Decoded HTML of the page.
    pub html: &'a str,
    pub segments: Vec<Segment>,
    pub options: TextOptions,
    /// Number of bytes of the texts of all kept blocks.
    text_bytes: usize,
    notes: Option<&'a Notes>,
    code_room: Cell<usize>,
    /// Text of code that has been read again, keyed by the index of its first block; shared by plain text and Markdown.
    codes: RefCell<FxHashMap<u32, Rc<str>>>,
    /// Cache of the ids and classes that the page mentions, shared with footnotes so that each is searched for once.
    mentions: Rc<RefCell<Mentions>>,
}

/// Segment of the kept content, such as a heading, a paragraph or a table. Its blocks are indices into the blocks of
/// the page; a segment has at least one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    Paragraph {
        block: u32,
    },
    Heading {
        /// Level of the heading, 1 to 6.
        level: usize,
        blocks: Vec<u32>,
    },
    Code {
        /// Index of the outermost element around the code, such as `pre`.
        element: u32,
        blocks: Vec<u32>,
    },
    Table(DataTable),
}

impl Segment {
    /// Returns the indices of all blocks of the segment, those of a table row by row.
    pub fn all_blocks(&self) -> Vec<u32> {
        match self {
            Segment::Paragraph { block } => vec![*block],
            Segment::Heading { blocks, .. } | Segment::Code { blocks, .. } => blocks.clone(),
            Segment::Table(table) => {
                let cells = table.rows.iter().flat_map(|row| &row.cells);
                let blocks = cells.flat_map(|cell| &cell.blocks);
                table.captions.iter().chain(blocks).copied().collect()
            }
        }
    }

    /// Returns the indices of the first and the last block of the segment.
    pub fn blocks(&self) -> Option<(u32, u32)> {
        let ends = |blocks: &[u32]| Some((*blocks.first()?, *blocks.last()?));
        match self {
            Segment::Paragraph { block } => Some((*block, *block)),
            Segment::Heading { blocks, .. } | Segment::Code { blocks, .. } => ends(blocks),
            Segment::Table(_) => {
                let blocks = self.all_blocks();
                Some((*blocks.iter().min()?, *blocks.iter().max()?))
            }
        }
    }
}

impl<'a> KeptContent<'a> {
    /// Divides the kept blocks into segments such as headings, paragraphs and tables. `kept` has one flag for each
    /// block, and `html` is the decoded page.
    pub fn new(page: &'a Page, html: &'a str, kept: &[bool]) -> Self {
        traced::take(kept.len());
        let blocks = (0u32..).zip(kept).filter(|(_, kept)| **kept);
        let blocks: Vec<u32> = blocks.map(|(at, _)| at).collect();
        Self::of_blocks(page, html, &blocks)
    }

    /// Divides the given blocks (indices in page order) into segments such as headings, paragraphs and tables.
    pub fn of_blocks(page: &'a Page, html: &'a str, blocks: &[u32]) -> Self {
        Self::divided(page, html, blocks, data_tables(page, html, blocks, false))
    }

    /// Divides the blocks of a part of the page, such as a note or a post, into segments. A table that the part does
    /// not hold as a whole is not taken for a table.
    pub fn of_part(page: &'a Page, html: &'a str, blocks: &[u32]) -> Self {
        Self::divided(page, html, blocks, data_tables(page, html, blocks, true))
    }

    fn divided(
        page: &'a Page,
        html: &'a str,
        blocks: &[u32],
        (mut tables, home): (FxHashMap<u32, DataTable>, Vec<u32>),
    ) -> Self {
        let mut segments: Vec<Segment> = Vec::new();
        let mut group: Option<(Group, Vec<u32>)> = None;
        for (&block, &table) in blocks.iter().zip(&home) {
            // Code may stand in a cell; a table in code is a part of that.
            // Most blocks belong to nothing, and end here without a path being climbed.
            let of = match Group::of(page, block) {
                Group::Code(pre) if table == NONE || pre < table => Group::Code(pre),
                of if table == NONE => of,
                _ => Group::Table(table),
            };
            if of == Group::Nothing && group.is_none() {
                segments.push(Segment::Paragraph { block });
                continue;
            }
            match &mut group {
                Some((last, members)) if *last == of && of != Group::Nothing => members.push(block),
                // A further part of a listing.
                Some((Group::Code(_), members))
                    if matches!(of, Group::Code(element)
                        if members.last().is_some_and(|last| continues(page, html, *last, element, block))) =>
                {
                    members.push(block);
                }
                _ => {
                    if let Some((last, members)) = group.take() {
                        last.end(page, members, &mut tables, &mut segments);
                    }
                    if of == Group::Nothing {
                        segments.push(Segment::Paragraph { block });
                    } else {
                        group = Some((of, vec![block]));
                    }
                }
            }
        }
        if let Some((last, members)) = group {
            last.end(page, members, &mut tables, &mut segments);
        }
        Self {
            page,
            html,
            segments,
            options: TextOptions::default(),
            text_bytes: blocks
                .iter()
                .filter_map(|at| page.blocks.get(*at as usize))
                .map(|block| page.text(block).len())
                .sum(),
            notes: None,
            code_room: Cell::new(html.len().saturating_mul(CODE_BYTES_PER_PAGE_BYTE)),
            codes: RefCell::default(),
            mentions: Rc::default(),
        }
    }

    /// Returns the same content with the footnotes `notes`, in the forms that `options` choose. The content must not
    /// contain the blocks of footnotes.
    pub fn with_options(mut self, options: TextOptions, notes: Option<&'a Notes>) -> Self {
        self.options = options;
        self.notes = notes;
        self
    }

    /// Returns whether the content has neither text nor notes.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.definitions().is_empty()
    }

    /// Returns the estimated bytes of the written content, so that its buffer is allocated only once.
    pub fn room(&self) -> usize {
        self.text_bytes + self.text_bytes / 8 + 4 * self.segments.len()
    }

    /// Returns the byte range, in the joined texts of the page, from the first kept block to the last.
    pub fn kept_range(&self) -> Range<usize> {
        let first = self.segments.first().and_then(Segment::blocks).and_then(|(first, _)| self.block(first));
        let last = self.segments.last().and_then(Segment::blocks).and_then(|(_, last)| self.block(last));
        let ends = first.zip(last);
        ends.map_or(0..0, |(first, last)| self.page.text_range(first).start..self.page.text_range(last).end)
    }

    /// Returns the footnotes to write after the content; empty if the options drop footnotes.
    pub fn definitions(&self) -> &'a [Definition] {
        match self.notes {
            Some(notes) if self.options.notes == NoteForm::Keep => &notes.definitions,
            _ => &[],
        }
    }

    /// Returns a content that consists of the blocks of a footnote.
    pub fn of_definition(&self, definition: &Definition) -> Self {
        let content = Self::of_part(self.page, self.html, &definition.blocks).with_options(self.options, self.notes);
        Self { mentions: self.mentions.clone(), ..content }
    }

    /// Returns whether a block may have parts that are not copied unchanged, such as formulas or footnote marks.
    pub fn has_pieces(&self, at: u32) -> bool {
        let notations = self.page.has_notations().then(|| self.page.notations(self.block(at)?).next());
        notations.is_some_and(|first| first.is_some() || self.notes.is_some())
    }

    /// Divides the text of a block into parts that are written differently, such as formulas and footnote marks. `None`
    /// if all of it is copied unchanged.
    pub fn pieces(&self, at: u32, form: Form) -> Option<Vec<Piece>> {
        if !self.has_pieces(at) {
            return None;
        }
        let notations = self.page.notations(self.block(at)?);
        let form = (form, self.options);
        pieces(self.text(at), at, notations, self.notes, form, |element| self.is_shut(element))
    }

    /// Returns whether a block has a displayed formula, which the page shows on a line of its own.
    pub fn has_display_formula(&self, at: u32) -> bool {
        let is_displayed = |notation: Notation| notation.kind == NotationKind::DisplayFormula;
        self.page.has_notations() && self.block(at).is_some_and(|block| self.page.notations(block).any(is_displayed))
    }

    /// Writes a block as plain text, each part changed by `change`, which must keep the number of bytes.
    pub fn write_plain(&self, at: u32, out: &mut TracedText, change: impl for<'t> Fn(&'t str) -> Cow<'t, str>) {
        let text = self.text(at);
        let copied = |from: usize, to: usize| OriginSource::Copied { block: at, from, to };
        let Some(pieces) = self.pieces(at, Form::Plain) else {
            return out.push(&change(text), copied(0, text.len()));
        };
        for piece in pieces {
            let part = text.get(piece.from..piece.to).unwrap_or_default();
            match &piece.kind {
                PieceKind::Text | PieceKind::Formula { .. } => {
                    out.push(&change(part), copied(piece.from, piece.to));
                }
                PieceKind::Note(number) => out.push(&format!("[{number}]"), copied(piece.from, piece.to)),
                PieceKind::Sign(sign) => out.text.push_str(sign),
                _ => {}
            }
        }
    }

    /// Returns whether a style sheet of the page hides an element that no other rule, script or button can show.
    pub fn is_shut(&self, at: u32) -> bool {
        let page = self.page;
        let is_hidden = page.hidden_by_sheet.binary_search(&at).is_ok() && page.invisible.binary_search(&at).is_ok();
        is_hidden && page.element(at).is_some_and(|element| !self.mentions.borrow_mut().name(self.html, element))
    }

    /// Returns a part of a block (index of the block, first byte, end byte) as plain text, without footnote marks.
    pub fn plain_part(&self, (block, from, to): (u32, u32, u32)) -> String {
        let text = self.text(block);
        let notations = self.block(block).map(|block| self.page.notations_in(block, (from, to)));
        let notations = notations.into_iter().flatten().filter(|notation| notation.text.1 <= to);
        let form = (Form::Plain, self.options);
        match pieces(text, block, notations, None, form, |element| self.is_shut(element)) {
            Some(pieces) => plain_pieces(text, &pieces, from as usize, to as usize),
            None => text.get(from as usize..to as usize).unwrap_or_default().to_owned(),
        }
        .trim()
        .to_owned()
    }

    pub fn block(&self, at: u32) -> Option<&'a Block> {
        self.page.blocks.get(at as usize)
    }

    pub fn text(&self, at: u32) -> &'a str {
        let block = self.block(at);
        block.map_or("", |block| shown_text(self.page, self.html, block))
    }

    /// Returns the innermost elements around the first and the last block of a segment; [`NONE`] stands for no element.
    pub fn ends(&self, segment: &Segment) -> (u32, u32) {
        let element = |at: u32| self.block(at).map_or(NONE, |block| block.element);
        let ends = |blocks: &[u32]| {
            let end = |at: Option<&u32>| at.map_or(NONE, |at| element(*at));
            (end(blocks.first()), end(blocks.last()))
        };
        match segment {
            Segment::Paragraph { block } => (element(*block), element(*block)),
            Segment::Heading { blocks, .. } | Segment::Code { blocks, .. } => ends(blocks),
            Segment::Table(table) => (table.element, table.element),
        }
    }
}

/// Returns the bytes `from` to `to` of a text as plain text, with formulas and other special `pieces` rewritten.
fn plain_pieces(text: &str, pieces: &[Piece], from: usize, to: usize) -> String {
    let mut out = String::with_capacity(to - from + 8);
    let within =
        pieces.iter().filter(|piece| piece.from >= from && piece.from < to || piece.from <= from && piece.to > from);
    for piece in within {
        match &piece.kind {
            PieceKind::Text | PieceKind::Formula { .. } => {
                let part = text.get(piece.from.max(from)..piece.to.min(to));
                out.push_str(part.unwrap_or_default());
            }
            PieceKind::Note(number) => {
                out.push('[');
                out.push_str(&number.to_string());
                out.push(']');
            }
            PieceKind::Sign(sign) => out.push_str(sign),
            _ => {}
        }
    }
    out
}

/// Element that neighbouring blocks share, such as a heading or a table, so that they become one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Nothing,
    Heading(u32, Tag),
    Code(u32),
    Table(u32),
}

impl Group {
    fn of(page: &Page, block: u32) -> Self {
        let element = page.blocks.get(block as usize).map_or(NONE, |block| block.element);
        let around = page.element(element).map(|element| element.within);
        // The element knows the kinds around it, so nearly no path is climbed.
        if !around.is_some_and(|kinds| kinds.intersects(ElementKinds::CODE | ElementKinds::HEADING)) {
            return Group::Nothing;
        }
        let mut heading = None;
        let mut is_ended = false;
        // Code in code is a part of that.
        let mut code = None;
        for (at, element) in page.path(element) {
            if element.tag.keeps_space() {
                code = Some(at);
            }
            is_ended |= ends_heading(element);
            if element.tag.is_heading() && heading.is_none() && !is_ended {
                heading = Some(Group::Heading(at, element.tag));
            }
        }
        match code {
            Some(at) => Group::Code(at),
            None => heading.unwrap_or(Group::Nothing),
        }
    }

    fn end(self, page: &Page, blocks: Vec<u32>, tables: &mut FxHashMap<u32, DataTable>, segments: &mut Vec<Segment>) {
        match self {
            Group::Code(element) => segments.push(Segment::Code { element, blocks }),
            Group::Table(element) => segments.extend(tables.remove(&element).map(Segment::Table)),
            Group::Heading(element, tag) => {
                let (head, rest) = heading_and_rest(page, element, &blocks);
                if !head.is_empty() {
                    segments.push(Segment::Heading { level: level(tag), blocks: head.to_vec() });
                }
                segments.extend(rest.iter().map(|block| Segment::Paragraph { block: *block }));
            }
            _ => segments.extend(blocks.into_iter().map(|block| Segment::Paragraph { block })),
        }
    }
}

/// Divides the blocks in a heading element into those of the heading and the others, which become paragraphs. If the
/// end tag is missing, only the first blocks directly in the element belong to the heading.
fn heading_and_rest<'b>(page: &Page, heading: u32, blocks: &'b [u32]) -> (&'b [u32], &'b [u32]) {
    let stands_in = |at: &u32| {
        let block = page.blocks.get(*at as usize);
        block.is_some_and(|block| page.container(block).is_some_and(|(container, _)| container == heading))
    };
    let in_heading = blocks.iter().take_while(|at| stands_in(at)).count();
    let head = if is_heading(page, blocks) { blocks.len() } else { in_heading };
    let (head, rest) = blocks.split_at_checked(head).unwrap_or_default();
    if is_heading(page, head) { (head, rest) } else { (&[], blocks) }
}

fn is_heading(page: &Page, blocks: &[u32]) -> bool {
    let sizes = blocks.iter().filter_map(|at| page.blocks.get(*at as usize)).map(|block| (block.words, block.chars));
    blocks.len() <= MAX_HEADING_BLOCKS && !is_too_long(sizes)
}

/// Returns whether an element inside a heading shows that the heading was never closed.
fn ends_heading(element: &Element) -> bool {
    use Tag::*;
    matches!(element.tag, Td | Th | Li | Dd | Dt | Blockquote | Table | Article | Section | Figcaption)
}

/// Returns whether a tag is that of a list item: `li`, `dd` or `dt`.
pub(crate) fn is_item(tag: Tag) -> bool {
    matches!(tag, Tag::Li | Tag::Dd | Tag::Dt)
}

/// Returns whether a tag is that of a list, whose children are items.
pub(crate) fn is_list(tag: Tag) -> bool {
    matches!(tag, Tag::Ul | Tag::Ol | Tag::Dl | Tag::Menu | Tag::Dir)
}

/// Returns the level (1 to 6) of a heading with this tag.
pub(crate) fn level(tag: Tag) -> usize {
    match tag {
        Tag::H1 => 1,
        Tag::H2 => 2,
        Tag::H3 => 3,
        Tag::H4 => 4,
        Tag::H5 => 5,
        _ => 6,
    }
}

/// Returns whether the code in `element`, whose first block is `block`, continues the code listing before it (`last`).
pub(super) fn continues(page: &Page, html: &str, last: u32, element: u32, block: u32) -> bool {
    let Some(before) = outermost_code(page, last as usize) else { return false };
    let (Some(part), Some(next)) = (page.element(before), page.element(element)) else { return false };
    let is_part = |start: u32| {
        let tag = html.get(start as usize + 1..start as usize + 5);
        tag.is_some_and(|name| name.eq_ignore_ascii_case("code"))
    };
    let mut words = page.attribute_words(next).iter();
    last + 1 == block
        && part.parent == next.parent
        // Nothing at all between them: two pieces of code with a sentence between are two.
        && part.end == element
        && is_part(part.start)
        && (is_part(next.start) || next.tag == Tag::Pre && words.any(|word| page.word_text(word) == "output"))
}

/// Returns the elements that make up a listing of code, each with the indices of its blocks.
pub(super) fn parts<'b>(page: &Page, blocks: &'b [u32]) -> Vec<(u32, &'b [u32])> {
    let element = |at: &u32| outermost_code(page, *at as usize);
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { return Vec::new() };
    if let Some(only) = element(first)
        && element(last) == Some(only)
    {
        return vec![(only, blocks)];
    }
    let parts = blocks.chunk_by(|block, next| element(block) == element(next));
    parts.filter_map(|part| Some((element(part.first()?)?, part))).collect()
}

/// Returns the line ends to write after a part of a code listing that ends at byte `end` of the page; at least one.
pub(super) fn line_ends(html: &str, end: u32) -> String {
    let behind = html.get(end as usize..).unwrap_or_default();
    let space = behind.split('<').next().unwrap_or_default();
    let ends = space.matches('\n').count();
    "\n".repeat(ends.max(1))
}

#[cfg(test)]
mod listings_tests {
    use trommel_html::{Engine, Limits, ScanEngine};

    use super::{KeptContent, Segment};

    fn code(html: &str) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let content = KeptContent::new(&page, html, &vec![true; page.blocks.len()]);
        let segments = content.segments.iter().map(|segment| match segment {
            Segment::Code { element, blocks } => content.code(*element, blocks).to_string(),
            _ => "-".to_owned(),
        });
        segments.collect()
    }

    #[test]
    fn parts_right_behind_each_other_are_one_listing() {
        let two = "<div><code class=block>let a\n\n</code> <code class=block>  let b\n    c</code>";
        let output = "<pre class=lean-output>1</pre>";
        assert_eq!(code(&format!("{two}{output}</div>")), ["let a\n\nlet b\n  c\n1"]);
        assert_eq!(code(&format!("{two}</div>{output}")), ["let a\n\nlet b\n  c", "1"]);
        assert_eq!(code(&format!("{two}<p>and</p>{output}")).len(), 3);
        assert_eq!(code("<pre>a</pre><pre>b</pre><pre class=output>c</pre>").len(), 3);
    }
}
