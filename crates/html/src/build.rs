//! Builds the tables of a page from its tags and texts; all readers of HTML share the one builder.
//!
//! The builder keeps a stack of open elements instead of a tree. It closes the elements that the HTML standard closes
//! by implication (`p`, `li`, `dt`, `dd`, `tr`, `td`, `th`, table sections, headings). It ignores end tags without a
//! start and never reopens formatting elements. So its work is bounded by the length of the page times the depth cap.

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
pub(crate) use text_fold::{MAX_REFERENCE_BYTES, TextKind, is_ignored};

#[derive(Clone, Copy, Debug)]
struct OpenElement {
    element: u32,
    /// Index in the element table of the innermost block-level element around the text: this element or an ancestor.
    // Kept beside the element: a block asks for it at each text, and would else climb its path.
    container: u32,
    tag: Tag,
    name: u16,
    state: OpenState,
    /// Tag that determines the style of the element's text: `code` for `<span class="literal">`, otherwise the
    /// element's tag.
    style: Tag,
}

bitflags! {
    /// Set of flags that describe an open element.
    #[derive(Clone, Copy, Debug)]
    struct OpenState: u16 {
        const LINK = 1;
        /// The element preserves white space, as `pre` does.
        const KEEPS_SPACE = 1 << 1;
        /// The element is inline by its tag but displayed as a block, so that its text joins no neighbouring word.
        const APART = 1 << 2;
        /// The element's end tag has been read, but the element stays open for block-level elements that are open in
        /// it.
        const ENDED = 1 << 3;
        /// The element preserves line ends but folds other white space.
        const KEEPS_LINES = 1 << 4;
        /// The element has a name that HTML does not know, and runs within a line of text instead of starting a block.
        const IN_LINE = 1 << 5;
        /// The element is a `q`: a closing quotation mark is added at its end.
        const QUOTED = 1 << 6;
        /// The element is a reading of a ruby annotation (`rt` or `rtc`).
        const READING = 1 << 7;
        /// The element is a ruby reading that needs a closing bracket, because the page has none.
        const BRACKETED = 1 << 8;

        /// Union of the flags that have an effect when the element ends, such as an added quotation mark.
        const NOTED_END = Self::LINK.bits() | Self::APART.bits() | Self::QUOTED.bits() | Self::READING.bits()
            | Self::KEEPS_SPACE.bits() | Self::KEEPS_LINES.bits();
    }
}

/// An open element whose content is skipped because it is not text of the page, such as a script.
#[derive(Clone, Copy, Debug)]
struct Skip {
    tag: Tag,
    depth: u32,
    /// Number of open elements inside the skipped svg or math with HTML content that is not shown, such as `title`.
    islands: u32,
    /// Byte offset after the start tag of the skipped element, or of its open `title` or `desc`. Reading restarts there
    /// if the element never ends.
    // If the element has no end, reading starts again here.
    from: usize,
    capture: Capture,
    /// True if the skipped element has a row in the element table, so that only its content is left out.
    keeps_row: bool,
}

/// Builds a [`Page`] from the tags and texts of a document in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builder {
    page: Page,
    limits: Limits,
    vectors: Vectors,
    stack: Vec<OpenElement>,
    /// Number of open elements of each tag.
    // Most end tags and implied ends concern an element that is not open: the count answers without a search.
    open: OpenCounts,
    /// Number of open elements that are not on the stack because a cap on depth or elements was reached.
    // Counted, so that their end tags do not end elements further out.
    overflow: u32,
    skip: Option<Skip>,
    /// True if the builder reads a part of the page again because an element in it was never closed.
    // Read again, the svg around may be what has no end: a block in its description then belongs to the page.
    recovers: bool,
    /// Byte range of the part of the page that was read again last; if such a part contains another, the outer one.
    recovered: std::ops::Range<usize>,
    /// Nesting depths of the svg elements around the open `foreignObject` elements, outermost first.
    foreign_objects: Vec<u32>,
    in_title: bool,
    title: TextFold,
    /// Text of the block that is being built.
    fold: TextFold,
    current: Option<Current>,
    /// Recorder of inline styles, if the caller wants them.
    styles: Option<StyleRecorder>,
    /// Index in `page.inline` of the first inline element of the current block.
    inline_from: usize,
    // One `<br>` ends a line, two in a row end a block: old pages divide paragraphs so.
    breaks: u32,
    /// Set of properties of the inline tags since the last text, which decide whether the next text begins a new word.
    seam: Seam,
    links_open: u32,
    keep_space: u32,
    keep_lines: u32,
    /// Index in the element table of an element with an unknown name that has just ended. Text directly after it shows
    /// that the element runs within a line.
    unknown_line: Option<u32>,
    /// Byte offset in the block's text after the closing bracket of the latest ruby reading.
    reading_end: Option<usize>,
    /// Number of start and end tags read from the page outside of skipped elements.
    tag_count: u32,
    last_text_tag: u32,
    /// Number of `img` elements in the current block.
    images: u32,
    inputs: u32,
    /// Number of bytes of text that may still be read before the cap on text is reached.
    text_room: usize,
    /// Number of bytes of the page head that may still be kept before the cap on the head is reached.
    head_room: usize,
    seen_body: bool,
    seen_title: bool,
    /// True if some element of the page is a heading because of its attribute `role="heading"`.
    has_stated_headings: bool,
    /// Maps each name of an unknown element to its index in `page.names`.
    name_numbers: HashMap<String, u16>,
    /// Lower-case words of the page's attributes (`class`, `id`, `role`, `itemprop`), concatenated as UTF-8.
    word_text: Vec<u8>,
    classes: Classes,
    formulas: Formulas,
    /// Properties that the attributes and style sheets give to the latest element, such as hidden or struck out.
    marks: Marks,
    open_notations: Vec<OpenNotation>,
    /// Buttons in the current block, each as start and end byte in the block's text and index of its element.
    buttons: Vec<(u32, u32, u32)>,
    /// Number of formulas recorded in the page.
    formulas_noted: u32,
    style_sheets: StyleSheets,
    /// First bytes of the script that is being read, and their byte offset in the page.
    script_start: (String, usize),
    /// Number of bytes of hydration payloads (data in scripts) that may still be kept before the cap is reached.
    payload_room: usize,
    /// Parts of the current block's text with a special meaning (formulas, superscripts), as byte ranges in that text.
    notations: Vec<Notation>,
    /// Number of work steps so far, one for each byte of text, tag, open element and attribute word examined.
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
    /// Number of bytes at the start of the block's text whose words and characters have been counted, and the counts.
    measured: (usize, TextSize),
    /// Byte offset in the block's text at which linked text begins whose words have not been counted yet.
    link_from: Option<usize>,
}

/// Number of open elements of each tag, indexed by `Tag`.
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

/// Maximum number of open elements that are examined for each tag after a page has exceeded its cap on work steps.
// Enough for tags that are closed in order, which are most even on hostile pages.
const SHORT_REACH: usize = 8;

/// Emptied tables and buffers of a finished page, whose memory the next page reuses.
#[derive(Debug, Default)]
pub(crate) struct SparePage {
    page: Page,
    stack: Vec<OpenElement>,
    title: TextFold,
    fold: TextFold,
    classes: Classes,
}

impl SparePage {
    /// Empties the tables of a finished page and keeps their memory for the next page.
    // A page's tables take some hundred kilobytes; reusing them spares the kernel clearing fresh memory.
    pub fn keep(&mut self, page: Page) {
        self.page = page.emptied();
    }
}

impl Builder {
    pub fn new(limits: Limits) -> Self {
        Self::over(limits, &mut SparePage::default())
    }

    /// Creates a builder that reuses the memory of earlier pages kept in `spare`.
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

    /// Makes the builder record inline styles (links, code, emphasis) from now on.
    pub fn record_styles(&mut self) {
        self.styles = Some(StyleRecorder::default());
    }

    /// Returns the caps on the size of the page's tables.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the set of vector instructions that the builder reads the page with.
    pub fn vectors(&self) -> Vectors {
        self.vectors
    }

    /// Sets the vector instructions that the builder reads the page with.
    pub fn use_vectors(&mut self, vectors: Vectors) {
        self.vectors = vectors;
        self.fold.use_vectors(vectors);
        self.title.use_vectors(vectors);
    }

    /// Returns the facts that the builder has read from the page's head until now.
    pub fn head(&self) -> &Head {
        &self.page.head
    }

    /// Records in the page that the cap `cap` was reached.
    pub fn cap(&mut self, cap: Caps) {
        self.page.capped.insert(cap);
    }

    /// Finishes the page after its last tag or text and returns it; `bytes` is its length in bytes.
    pub fn finish(self, bytes: usize) -> Page {
        self.finish_into(bytes, &mut SparePage::default())
    }

    /// Finishes the page of `bytes` bytes and returns it; moves unneeded memory to `spare` for the next page.
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

    /// Adds `steps` to the number of work steps of the page, which is limited.
    pub fn count_steps(&mut self, steps: usize) {
        self.steps += steps as u64;
    }

    /// Returns the maximum number of open elements to examine for one tag: all of them, but only a few once the page
    /// has exceeded its cap on work steps.
    fn reach(&mut self) -> usize {
        // Deep stacks and tags that match nothing would make a page cost its length times its depth.
        if self.steps <= self.limits.steps {
            return usize::MAX;
        }
        self.cap(Caps::STEPS);
        SHORT_REACH
    }

    /// Cuts the text of an unclosed title, script or style sheet to `kept`; the caller reads the rest again as markup.
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

    /// Adds a piece of a text node, `raw`, from byte `offset` of the page; a node may be split at any character.
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

    /// Adds a piece of text as lines, each line end as a line break.
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

    /// Returns whether a formula or unknown element has been read whose handling depends on the next tag or text.
    #[inline]
    fn waits(&self) -> bool {
        self.formulas.pending.is_some() || self.unknown_line.is_some()
    }

    /// Adds the white space `blank`; returns false in special cases, in which the caller passes it to
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

    /// Handles a comment, which ends an incomplete character reference before it.
    pub fn comment(&mut self) {
        self.end_text_run();
    }
}
