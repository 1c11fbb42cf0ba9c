//! Builds the tables from tags and text. All engines share it, because only this module knows how HTML nests.
//!
//! The builder keeps a stack of open elements instead of a tree. It closes the elements that the HTML
//! standard closes by implication (`p`, `li`, `dt`, `dd`, `tr`, `td`, `th`, table sections, headings). It
//! ignores end tags without a start and never reopens formatting elements. So its work is bounded by the
//! length of the page times the depth cap.

mod added_signs;
mod attribute_values;
mod blocks;
mod element_words;
mod elements;
mod formulas;
mod nesting;
mod notation;
mod skipped;
mod stated_facts;
mod style_sheets;
mod tags;
mod tex;
mod text_fold;

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use bitflags::bitflags;
use trommel_text::{vectors::Vectors, words::TextSize};

use crate::limits::{Caps, Limits, up_to};
use crate::markup::Tag;
use crate::page::{Head, Notation, Page, StyleRecorder};
use blocks::Seam;
use element_words::Classes;
use formulas::Formulas;
use notation::{Marks, OpenNotation};
use skipped::Capture;
use style_sheets::StyleSheets;
use text_fold::TextFold;

pub(crate) use attribute_values::split as split_words;
pub(crate) use stated_facts::decode;
pub(crate) use text_fold::{TextKind, is_ignored};

#[derive(Clone, Copy, Debug)]
struct OpenElement {
    element: u32,
    /// Innermost block-level element: itself, or around it.
    // Kept beside the element: a block asks for it at each text, and would else climb its path.
    container: u32,
    tag: Tag,
    name: u16,
    state: OpenState,
    /// The tag whose style its text has: another than its own for `<span class="literal">`.
    style: Tag,
}

bitflags! {
    /// The state of an open element, as numbers that are written in one step.
    #[derive(Clone, Copy, Debug)]
    struct OpenState: u16 {
        const LINK = 1;
        /// White space inside of it is kept.
        const KEEPS_SPACE = 1 << 1;
        /// It is inline and shown as a block: nothing in it is a part of a word beside it.
        const APART = 1 << 2;
        /// Ended by its end tag while block-level elements inside it are still open.
        const ENDED = 1 << 3;
        /// Line ends inside of it are kept.
        const KEEPS_LINES = 1 << 4;
        /// It is unknown and runs within a line.
        const IN_LINE = 1 << 5;
        /// A quotation mark ends it.
        const QUOTED = 1 << 6;
        /// It is the reading of a ruby.
        const READING = 1 << 7;
        /// A bracket ends it that the page does not have.
        const BRACKETED = 1 << 8;

        /// States of elements whose end is noted.
        const NOTED_END = Self::LINK.bits() | Self::APART.bits() | Self::QUOTED.bits() | Self::READING.bits()
            | Self::KEEPS_SPACE.bits() | Self::KEEPS_LINES.bits();
    }
}

/// An element whose content is no text of the page.
#[derive(Clone, Copy, Debug)]
struct Skip {
    tag: Tag,
    depth: u32,
    /// Depth of HTML islands inside it that are not shown (`title` and `desc` of svg).
    islands: u32,
    /// Place behind the start tag; behind that of the outermost island if one is open.
    // If the element has no end, reading starts again here.
    from: usize,
    capture: Capture,
    /// True if the element has a row: its content alone is left out.
    keeps_row: bool,
}

/// Builds a [`Page`] from the tags and texts of a document in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builder {
    page: Page,
    limits: Limits,
    vectors: Vectors,
    stack: Vec<OpenElement>,
    /// Open elements by tag, to answer "is one open" without a search.
    // Most end tags and implied ends concern an element that is not open: the count answers without a search.
    open: OpenCounts,
    /// Start tags beyond the depth cap that are still to be ended.
    // Counted, so that their end tags do not end elements further out.
    overflow: u32,
    skip: Option<Skip>,
    /// True if a part of the page is read again since something in it has no end.
    // Read again, the svg around may be what has no end: a block in its description then belongs to the page.
    recovers: bool,
    /// The part of the page that was read again last, in bytes; the outermost, if it holds others.
    recovered: std::ops::Range<usize>,
    /// Depths of the svg around the `foreignObject` that are open, outermost first.
    foreign_objects: Vec<u32>,
    in_title: bool,
    title: TextFold,
    /// The block being built.
    fold: TextFold,
    current: Option<Current>,
    /// Notes inline style, if that is wanted.
    styles: Option<StyleRecorder>,
    /// Inline elements seen since the last layout change.
    inline_from: usize,
    // One `<br>` ends a line, two in a row end a block: old pages divide paragraphs so.
    breaks: u32,
    /// Inline elements that ended and started since the last text.
    seam: Seam,
    links_open: u32,
    keep_space: u32,
    keep_lines: u32,
    /// The unknown element that has just ended, if text behind it shows that it runs within a line.
    unknown_line: Option<u32>,
    /// Length of the block's text behind a bracket that ended a reading.
    reading_end: Option<usize>,
    /// Tags up to now, and up to the last character of a block.
    tag_count: u32,
    last_text_tag: u32,
    /// `img`, and `input` or `button`, since the last layout change.
    images: u32,
    inputs: u32,
    /// Bytes of text that may still be read into blocks.
    text_room: usize,
    /// Bytes of head facts that may still be kept.
    head_room: usize,
    seen_body: bool,
    seen_title: bool,
    /// True if an element is a heading by its role.
    has_stated_headings: bool,
    /// Numbers of the names of unknown elements.
    name_numbers: HashMap<String, u16>,
    /// Texts of the words of attributes, all of them text.
    word_text: Vec<u8>,
    classes: Classes,
    formulas: Formulas,
    /// The notation that the attributes of the last written element state.
    marks: Marks,
    open_notations: Vec<OpenNotation>,
    /// Buttons in the current block: bytes of its text and their elements.
    buttons: Vec<(u32, u32, u32)>,
    /// Formulas noted up to now.
    formulas_noted: u32,
    style_sheets: StyleSheets,
    /// First bytes of a script that may hold a payload, and where it starts.
    script_start: (String, usize),
    /// Bytes of payloads that may still be kept.
    payload_room: usize,
    /// Notations of the block being built, with places in its text.
    notations: Vec<Notation>,
    /// Work done: bytes of text, tags, open elements and words of attributes looked at.
    steps: u64,
}

#[derive(Clone, Copy, Debug)]
struct Current {
    element: u32,
    container: u32,
    start: usize,
    end: usize,
    first_tag: u32,
    last_tag: u32,
    pieces: u32,
    link_words: u32,
    /// Bytes of text from the start on that have been measured, and their size.
    measured: (usize, TextSize),
    /// Start of the part of the text that is yet to be counted as linked.
    link_from: Option<usize>,
}

/// The number of open elements of each tag.
#[derive(Clone, Debug)]
struct OpenCounts([u32; Tag::COUNT]);

impl Default for OpenCounts {
    fn default() -> Self {
        Self([0; Tag::COUNT])
    }
}

impl Deref for OpenCounts {
    type Target = [u32; Tag::COUNT];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for OpenCounts {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// Open elements looked at for one tag of a page that has taken too many steps.
// Enough for tags that are closed in order, which are most even on hostile pages.
const SHORT_REACH: usize = 8;

/// The memory of finished pages, which the next page reuses.
#[derive(Debug, Default)]
pub(crate) struct SparePage {
    page: Page,
    stack: Vec<OpenElement>,
    title: TextFold,
    fold: TextFold,
    classes: Classes,
}

impl SparePage {
    /// Takes a finished page, whose tables the next page reuses.
    // A page's tables take some hundred kilobytes; reusing them spares the kernel clearing fresh memory.
    pub fn keep(&mut self, page: Page) {
        self.page = page.emptied();
    }
}

impl Builder {
    pub fn new(limits: Limits) -> Self {
        Self::over(limits, &mut SparePage::default())
    }

    /// Creates a builder that reuses the memory of `spare`.
    pub fn over(limits: Limits, spare: &mut SparePage) -> Self {
        // Everything else begins anew, so that a page cannot depend on the pages before it.
        let SparePage { mut page, stack, title, fold, classes } = std::mem::take(spare);
        let word_text = std::mem::take(&mut page.word_text).into_bytes();
        Self {
            page,
            limits,
            stack,
            title,
            fold,
            text_room: limits.text,
            head_room: limits.head,
            word_text,
            classes,
            // Payloads are facts of the head as JSON-LD is, and must not pass its cap.
            payload_room: crate::hydration::MAX_BYTES.min(limits.head),
            ..Self::default()
        }
    }

    /// Makes the builder record inline styles from now on.
    pub fn record_styles(&mut self) {
        self.styles = Some(StyleRecorder::default());
    }

    /// Returns the caps on the page's tables.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the vector instructions that the page is read with.
    pub fn vectors(&self) -> Vectors {
        self.vectors
    }

    /// Sets the vector instructions that the page is read with.
    pub fn use_vectors(&mut self, vectors: Vectors) {
        self.vectors = vectors;
        self.fold.use_vectors(vectors);
        self.title.use_vectors(vectors);
    }

    /// Returns the facts of the page's head that have been read so far.
    pub fn head(&self) -> &Head {
        &self.page.head
    }

    /// Records a cap that the engine reached.
    pub fn cap(&mut self, cap: Caps) {
        self.page.capped.insert(cap);
    }

    /// Returns the page, once all of its `bytes` bytes have been given to the builder.
    pub fn finish(self, bytes: usize) -> Page {
        self.finish_into(bytes, &mut SparePage::default())
    }

    /// Like [`Builder::finish`], and moves the memory that the page does not need to `spare`.
    pub fn finish_into(mut self, bytes: usize, spare: &mut SparePage) -> Page {
        self.end_text_run();
        // In this order: text that waits for more of it belongs to the last block, which ends before its elements do.
        self.end_title();
        self.flush();
        while !self.stack.is_empty() {
            self.pop();
        }
        // Tested once for all words and not once for each: only whole characters were pushed.
        self.page.word_text = String::from_utf8(self.word_text).unwrap_or_default();
        self.page.bytes = bytes;
        // The bytes themselves count, because each is looked at at least once.
        self.page.steps = self.steps + bytes as u64;
        self.page.tags = self.tag_count;
        self.classes.forget();
        *spare = SparePage {
            page: Page::default(),
            stack: self.stack,
            title: self.title.emptied(),
            fold: self.fold.emptied(),
            classes: self.classes,
        };
        self.page
    }

    /// Adds `steps` to the work that has been done, for the limit on it.
    pub fn count_steps(&mut self, steps: usize) {
        self.steps += steps as u64;
    }

    /// The number of open elements that may be examined for one tag: all, until the page has taken too many
    /// steps.
    fn reach(&mut self) -> usize {
        // Deep stacks and tags that match nothing would make a page cost its length times its depth.
        if self.steps <= self.limits.steps {
            return usize::MAX;
        }
        self.cap(Caps::STEPS);
        SHORT_REACH
    }

    /// Drops the text since the last tag except `kept`, because the rest is read again as markup.
    pub fn take_back(&mut self, kept: &str, offset: usize) {
        if self.in_title {
            self.title.clear();
            self.title.push(up_to(kept, self.limits.head), offset, TextKind::Decoded, false);
            // Titles have no place among the blocks, so their places are dropped.
            self.title.take_source();
        } else {
            self.take_back_script(kept.len());
        }
    }

    /// Adds a run of text from byte `offset` of the page. `raw` may be any part of a text node, split at any character.
    pub fn text(&mut self, raw: &str, offset: usize, kind: TextKind) {
        self.count_steps(raw.len());
        if self.in_title {
            let raw = self.head_part(raw);
            self.title.push(raw, offset, kind, false);
            self.title.take_source();
            return;
        }
        if let Some(skip) = self.skip {
            match skip.capture {
                Capture::Nothing => {}
                Capture::Script => self.script_text(raw, offset),
                capture @ (Capture::JsonLd | Capture::Payload) => self.kept_text(capture, raw, offset),
                Capture::Style => self.style_text(raw),
                _ => self.formula_text(raw, offset),
            }
            return;
        }
        if self.formulas.pending.is_some() && self.text_while_pending(raw) {
            return;
        }
        // Cut, not dropped: what is kept must not depend on how the text was divided into chunks (found by fuzzing).
        let part = up_to(raw, self.text_room);
        self.text_room -= part.len();
        if part.len() < raw.len() {
            self.text_room = 0;
            self.cap(Caps::TEXT);
        }
        let raw = part;
        if self.unknown_line.is_some() && self.text_behind_unknown(raw) {
            return;
        }
        if !self.seam.is_empty()
            && let Some(kind) = self.take_seam()
        {
            self.fold.seam(kind);
        }
        if self.keep_lines > 0 && self.keep_space == 0 {
            return self.push_lines(raw, offset, kind);
        }
        self.fold.push(raw, offset, kind, self.keep_space > 0);
        self.note_text();
    }

    /// A run of text whose line ends are kept.
    #[inline(never)]
    fn push_lines(&mut self, raw: &str, offset: usize, kind: TextKind) {
        let mut at = 0;
        for line in raw.split_inclusive('\n') {
            let text = line.strip_suffix('\n');
            self.fold.push(text.unwrap_or(line), offset + at, kind, false);
            if text.is_some() {
                self.fold.end_run(false);
            }
            self.note_text();
            if text.is_some() {
                self.line_break();
            }
            at += line.len();
        }
    }

    /// Returns whether the next input is needed to decide about earlier input.
    #[inline]
    fn waits(&self) -> bool {
        self.formulas.pending.is_some() || self.unknown_line.is_some()
    }

    /// Adds a run of text if it is all white space; otherwise returns false, and the caller passes it to
    /// [`Builder::text`].
    #[inline]
    pub fn blank_text(&mut self, blank: &[u8]) -> bool {
        let is_text = !self.in_title && self.skip.is_none();
        // The short way must leave exactly what `text` would, or the two readers would differ.
        let bytes = blank.len();
        let is_plain = is_text && self.keep_space == 0 && self.keep_lines == 0 && !self.waits();
        if !is_plain || bytes > self.text_room || !self.fold.blank(blank) {
            return false;
        }
        self.seam = Seam::empty();
        self.count_steps(bytes);
        self.text_room -= bytes;
        true
    }

    /// Handles a comment, which ends a character reference that the text before left open.
    pub fn comment(&mut self) {
        self.end_text_run();
    }
}
