//! Turns the text between two boundaries of block-level elements into a row of the block table.

use super::seams::Seam;
use super::{Builder, Current};
use crate::limits::Caps;
use crate::markup::Tag;
use crate::page::{Block, Element, ElementKinds, NONE, cut_styles};
use trommel_text::words::{self, TextSize};

/// Bytes of text from which on a block takes in no further ones beyond the cap on blocks.
// Below it the merged blocks of a huge page still are of a size that can be judged one by one.
const MAX_MERGED_BYTES: u32 = 32 << 10;

/// Elements from the text of a heading up to the heading, and words of it, at most.
const HEADING_LEVELS: usize = 4;
const MAX_HEADING_WORDS: u32 = 40;

impl Builder {
    /// Records the text that the fold has appended since the last call.
    pub(super) fn note_text(&mut self) {
        let Some(source) = self.fold.take_source() else { return };
        let tag_count = self.tag_count;
        match &mut self.current {
            Some(current) => {
                // Text of one node may come in several calls; a piece counts only where a tag came between.
                current.pieces += u32::from(current.last_tag != tag_count);
                current.last_tag = tag_count;
                current.end = source.end;
            }
            None => {
                let inside = self.stack.last();
                self.current = Some(Current {
                    element: inside.map_or(NONE, |open| open.element),
                    container: inside.map_or(NONE, |open| open.container),
                    start: source.start,
                    end: source.end,
                    first_tag: tag_count,
                    last_tag: tag_count,
                    pieces: 1,
                    link_words: 0,
                    measured: (0, TextSize::default()),
                    // The link began before the block, as where a card is one link around several blocks.
                    link_from: (self.links_open > 0).then_some(0),
                });
            }
        }
        // Only breaks that follow each other directly end a block.
        self.breaks = 0;
    }

    /// Ends a text node: an incomplete end of it becomes text as it is.
    #[inline]
    pub(super) fn end_text_run(&mut self) {
        if self.in_title || self.fold.waits() {
            self.end_waiting_text();
        }
    }

    #[inline(never)]
    fn end_waiting_text(&mut self) {
        if self.in_title {
            self.title.end_run(false);
            self.title.take_source();
        } else if self.skip.is_none() {
            self.fold.end_run(self.keep_space > 0);
            self.note_text();
        }
    }

    pub(super) fn line_break(&mut self) {
        self.breaks += 1;
        if self.breaks > 1 {
            self.flush();
        } else {
            self.fold.line_break();
        }
    }

    pub(super) fn link_starts(&mut self) {
        self.links_open += 1;
        if self.links_open == 1
            && let Some(current) = &mut self.current
        {
            current.link_from = Some(self.fold.len());
        }
    }

    pub(super) fn link_ends(&mut self) {
        self.links_open = self.links_open.saturating_sub(1);
        if self.links_open == 0 {
            self.count_link_words();
        }
    }

    fn count_link_words(&mut self) {
        if let Some(current) = &mut self.current
            && let Some(from) = current.link_from.take()
        {
            let linked = self.fold.as_str().get(from..).unwrap_or_default();
            let size = words::measure(self.vectors, linked);
            // Counted when the link ends: counting at each text would cut words that elements divide.
            current.link_words += size.words;
            if from == 0 {
                current.measured = (linked.len(), size);
            }
        }
    }

    /// Beyond the cap on blocks, adds the block's text as further lines to the block before, up to some
    /// size.
    fn extend_last(&mut self, current: &Current, size: TextSize) -> bool {
        let page = &mut self.page;
        let Some(last) = page.blocks.last_mut() else { return false };
        let text = self.fold.as_str();
        // A fresh block is then begun beyond the cap: text is merged, never lost.
        if last.text.1 - last.text.0 >= MAX_MERGED_BYTES {
            return false;
        }
        let end = narrow(page.text.len());
        page.text.push('\n');
        // The line end was not there when they were written.
        for (at, _) in page.styles.iter_mut().rev().take_while(|(at, _)| *at >= end) {
            *at += 1;
        }
        let start = narrow(page.text.len());
        page.text.push_str(text);
        last.text.1 = narrow(page.text.len());
        last.span.1 = narrow(current.end);
        last.inline.1 = narrow(page.inline.len());
        last.words += size.words;
        last.link_words += current.link_words.min(size.words);
        last.chars += 1 + size.chars;
        last.tags_inside += current.last_tag - self.last_text_tag;
        last.pieces += current.pieces;
        last.images += self.images;
        last.inputs += self.inputs;
        self.last_text_tag = current.last_tag;
        self.write_notations(start);
        true
    }

    /// Ends the block being built, if there is one.
    #[inline]
    pub(super) fn flush(&mut self) {
        // Most tags of block-level elements have nothing between them but white space.
        let is_empty =
            self.current.is_none() && self.fold.is_clear() && !self.formulas.is_pending() && self.notations.is_empty();
        if is_empty {
            self.fold.forget_space();
            self.begin_block();
        } else {
            self.flush_block();
        }
    }

    // Not inlined, or it would save and restore registers for the many tags that have no text between them.
    #[inline(never)]
    fn flush_block(&mut self) {
        // A formula that still waits for its source belongs to the block that ends here.
        self.settle_formula();
        self.count_link_words();
        if let Some(current) = self.current.take() {
            self.emit(current);
        }
        self.fold.clear();
        self.notations.clear();
        self.unknown_line = None;
        self.reading_end = None;
        self.begin_block();
    }

    #[inline(always)]
    fn begin_block(&mut self) {
        self.seam = Seam::empty();
        self.open_notations.clear();
        self.formulas.forget_last();
        self.inline_from = self.page.inline.len();
        self.breaks = 0;
        self.images = 0;
        self.inputs = 0;
    }

    fn emit(&mut self, current: Current) {
        let text = self.fold.as_str();
        // A text that is a link as a whole, as those of menus are, has been counted.
        let size = match current.measured {
            (bytes, size) if bytes == text.len() => size,
            _ => words::measure(self.vectors, text),
        };
        let words = size.words;
        // Lines without a letter or digit (`---`, a lone brace of code laid out in cells) are no text to judge.
        if words == 0 {
            let end = narrow(self.page.text.len());
            return cut_styles(&mut self.page.styles, end);
        }
        if self.page.blocks.len() >= self.limits.blocks {
            self.page.capped.insert(Caps::BLOCKS);
            if self.extend_last(&current, size) {
                return;
            }
        }
        let container = match self.page.element(current.container) {
            Some(element) if element.within.contains(ElementKinds::HEADING) && !element.tag.is_heading() => {
                self.heading_around(current.container, words).unwrap_or(current.container)
            }
            _ => current.container,
        };
        let text = self.fold.as_str();
        let start = self.page.text.len();
        self.page.text.push_str(text);
        self.page.blocks.push(Block {
            text: (narrow(start), narrow(self.page.text.len())),
            span: (narrow(current.start), narrow(current.end)),
            element: current.element,
            container,
            inline: (narrow(self.inline_from), narrow(self.page.inline.len())),
            words,
            link_words: current.link_words.min(words),
            chars: size.chars,
            tags_before: current.first_tag - self.last_text_tag,
            tags_inside: current.last_tag - current.first_tag,
            pieces: current.pieces,
            images: self.images,
            inputs: self.inputs,
        });
        self.last_text_tag = current.last_tag;
        self.write_notations(narrow(start));
    }

    /// The heading of which a block of `words` words in `div` elements and the like is the beginning.
    // `<h1><div>Title</div><button>edit</button></h1>`: what looks for headings looks at the container.
    #[cold]
    #[inline(never)]
    fn heading_around(&self, container: u32, words: u32) -> Option<u32> {
        // Buttons and fields beside a title are no part of it.
        let is_part = |element: &Element| {
            let tag = element.tag;
            tag.is_heading() || tag.is_inline() || matches!(tag, Tag::Div | Tag::P | Tag::Other)
        };
        let mut path = self.page.path(container).take(HEADING_LEVELS).take_while(|(_, element)| is_part(element));
        let (heading, _) = path.find(|(_, element)| element.tag.is_heading())?;
        // A heading without an end has the rest of the page in it.
        let before = self.page.blocks.last().map_or(NONE, |block| block.element);
        let is_first = before == NONE || before < heading;
        (is_first && words <= MAX_HEADING_WORDS).then_some(heading)
    }
}

/// Clamps an index into a page, whose length the engines keep below `u32::MAX`.
pub(super) fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
