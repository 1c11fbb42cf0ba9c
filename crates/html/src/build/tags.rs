//! Processes start tags and end tags: the effect of each on the text before it and on the stack of open elements.

use super::nesting::is_block_of_code;
use super::skipped::{is_foreign_object, is_island};
use super::{Builder, OpenState, added_signs::is_sign_image, notation::Marks, stated_facts};
use crate::limits::Caps;
use crate::markup::lexer::{Key, TagText};
use crate::markup::{Tag, Traits};

/// Layout of an element whose row is about to be written to the element table.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub is_block: bool,
    /// True if the row gets another tag than the element: `pre` for `code` displayed as a block, `span` for an unknown
    /// element within a line of text.
    pub is_apart: bool,
}

impl Builder {
    /// Handles the start tag at byte `offset` of the page.
    pub fn start_tag(&mut self, text: &TagText, offset: usize) {
        let tag = text.tag;
        let traits = tag.traits();
        let mut layout = Layout { is_block: !tag.is_inline(), is_apart: false };
        if traits.contains(Traits::APART) || !self.is_idle() || text.place.cut {
            match self.start_apart(text, offset) {
                Some(found) => layout = found,
                None => return,
            }
        } else {
            self.steps += 1;
            self.tag_count = self.tag_count.saturating_add(1);
        }
        // Before the row is written, because implied ends change which element is its parent.
        if traits.contains(Traits::ENDS) || traits.contains(Traits::CLOSES_P) && self.open[Tag::P as usize] > 0 {
            self.imply_ends(tag);
        }
        if traits.contains(Traits::CLOSES_P) && self.current.is_some() {
            self.end_heading_above(tag);
        }
        let link = tag == Tag::A && text.has(Key::Href);
        if tag == Tag::A {
            self.start_link(text);
        }
        if layout.is_block {
            self.flush();
        } else {
            self.seam_starts(text);
        }
        if traits.contains(Traits::COUNTED) {
            self.images += u32::from(tag == Tag::Img);
            self.inputs += u32::from(tag != Tag::Img);
        }
        self.push(text, offset, link, layout);
        if !self.marks.is_empty() || tag == Tag::Img {
            self.start_marked(text, offset);
        }
    }

    /// Adds the latest element to the text if it is a formula, or an image that stands for a sign such as an emoji.
    #[inline(never)]
    fn start_marked(&mut self, text: &TagText, offset: usize) {
        let marks = std::mem::take(&mut self.marks);
        if marks.intersects(Marks::MATH | Marks::SOURCE) || text.tag == Tag::Img && Self::may_be_formula_image(text) {
            self.formula_element(text, offset, marks);
        }
        if text.tag == Tag::Img && is_sign_image(text) {
            self.add_image(text, offset);
        }
    }

    /// Handles the start of an `a`: records a link to the next page, and ends an open link.
    #[inline]
    fn start_link(&mut self, text: &TagText) {
        if text.has(Key::Rel) && text.has(Key::Href) {
            self.note_next(text);
        }
        if self.open[Tag::A as usize] > 0 {
            // A link cannot stand in a link: the standard ends the outer one here.
            self.end_element(Tag::A, b"a");
        }
    }

    /// Returns whether the builder reads ordinary content: no title, nothing skipped, nothing that waits for more
    /// input.
    #[inline]
    fn is_idle(&self) -> bool {
        !self.in_title && self.skip.is_none() && !self.fold.waits() && !self.waits()
    }

    /// Handles a start tag that needs special treatment; returns the layout of its element, `None` if the element gets
    /// no row in the element table.
    #[inline(never)]
    fn start_apart(&mut self, text: &TagText, offset: usize) -> Option<Layout> {
        self.end_text_run();
        self.count_steps(1);
        let tag = text.tag;
        if self.skip.is_some() && !self.leave_skip(text, offset) {
            if self.skip.is_some_and(|skip| skip.capture.is_formula()) {
                self.formula_tag(text, offset);
            }
            return None;
        }
        // The script behind a formula that MathJax laid out is its source.
        if tag != Tag::Script {
            self.settle_formula();
        }
        if !tag.has(Traits::PROSE) {
            self.end_unknown_line();
        }
        self.end_title();
        self.tag_count = self.tag_count.saturating_add(1);
        if text.place.cut {
            self.cap(Caps::ATTRIBUTES);
        }
        if !self.start_in_head(text, offset) {
            return None;
        }
        // Declarative shadow roots are shown, unlike other templates.
        let is_shadow_root = tag == Tag::Template && text.other_value("shadowrootmode").is_some();
        if tag.is_skipped() && !is_shadow_root {
            self.seam_skips(tag);
            if !text.place.self_closing || !matches!(tag, Tag::Svg | Tag::Math) {
                self.start_skip(text, offset);
            }
            return None;
        }
        let is_code = tag == Tag::Code && self.keep_space == 0 && is_block_of_code(text);
        let in_line = tag == Tag::Other && !is_foreign_object(tag, text.name()) && self.runs_in_line();
        Some(Layout {
            is_block: !(tag.is_inline() || in_line) || is_shadow_root || is_code,
            is_apart: is_code || in_line,
        })
    }

    /// Handles start tags of the head and the page, such as `meta` and `body`; returns whether the element gets a row.
    fn start_in_head(&mut self, text: &TagText, offset: usize) -> bool {
        let tag = text.tag;
        match tag {
            Tag::Br => self.line_break(),
            Tag::Title => self.in_title = true,
            Tag::Meta => self.meta(text, offset),
            Tag::Link => self.link(text),
            Tag::Base => self.base(text),
            Tag::Html | Tag::Body => {
                if tag == Tag::Html && self.page.head.lang.is_none() {
                    self.page.head.lang = text
                        .value(Key::Lang)
                        .or_else(|| text.value(Key::XmlLang))
                        .map(|value| stated_facts::decode(value).trim().to_owned())
                        .filter(|lang| !lang.is_empty());
                }
                // A second `body` only adds attributes in the standard; as an element it would divide the page in two.
                let seen = self.open[tag as usize] > 0 || (tag == Tag::Body && self.seen_body);
                if seen || (tag == Tag::Html && !self.page.elements.is_empty()) {
                    return false;
                }
                self.seen_body |= tag == Tag::Body;
                return true;
            }
            // They have no row: nothing that they hold is placed by them.
            Tag::Head | Tag::Frameset | Tag::Frame | Tag::Bgsound | Tag::Basefont => {}
            _ => return true,
        }
        false
    }

    /// Handles an end tag.
    pub fn end_tag(&mut self, tag: Tag, name: &[u8]) {
        if !self.end_innermost(tag) {
            self.end_any_tag(tag, name);
        }
    }

    /// Ends the innermost element by its end tag in plain cases; returns false if the slower, general method is needed.
    #[inline]
    pub fn end_innermost(&mut self, tag: Tag) -> bool {
        let Some(open) = self.stack.last() else { return false };
        let is_innermost = open.tag == tag && !open.state.contains(OpenState::ENDED);
        if !is_innermost || tag.has(Traits::SLOW_END) || !self.is_plain() {
            return false;
        }
        self.steps += 2;
        self.tag_count = self.tag_count.saturating_add(1);
        if tag.is_inline() {
            self.seam_ends(tag);
        } else {
            self.flush();
        }
        self.pop();
        true
    }

    /// Returns whether an end tag can be handled quickly: nothing is skipped or held back, and no cap was reached.
    fn is_plain(&self) -> bool {
        self.is_idle() && self.foreign_objects.is_empty() && self.overflow == 0 && self.steps < self.limits.steps
    }

    #[inline(never)]
    pub fn end_any_tag(&mut self, tag: Tag, name: &[u8]) {
        self.end_text_run();
        self.count_steps(1);
        if self.skip.is_some_and(|skip| skip.tag.is_raw() && skip.tag != tag) {
            // Raw text never contains other end tags: the engine has left it (end of a `noscript`).
            self.end_skip();
        }
        if let Some(skip) = &mut self.skip {
            if tag == skip.tag {
                skip.depth -= 1;
                if skip.depth == 0 {
                    return self.end_skipped(tag, name);
                }
            } else if is_island(skip.tag, tag, name) {
                skip.islands = skip.islands.saturating_sub(1);
            }
            if skip.capture.is_formula() {
                self.formula_end_tag(name);
            }
            return;
        }
        if !self.foreign_objects.is_empty() && (tag == Tag::Svg || is_foreign_object(tag, name)) {
            return self.end_foreign_object(tag);
        }
        // After the end of an inline element, a waiting formula may still find its source.
        if !tag.is_inline() {
            self.settle_formula();
        }
        if tag != Tag::Other {
            self.end_unknown_line();
        }
        self.end_title();
        self.tag_count = self.tag_count.saturating_add(1);
        match tag {
            Tag::Br => return self.line_break(),
            // What follows the end of the body still belongs to it.
            Tag::Html | Tag::Body | Tag::Head | Tag::Title => return,
            Tag::Template if self.open[tag as usize] > 0 => self.flush(),
            tag if tag.is_void() || tag.is_skipped() => return,
            _ => {}
        }
        let is_in_line = match tag {
            Tag::Other => self.ends_within_line(name),
            Tag::Code => !self.ends_block_of_code(),
            tag => tag.is_inline(),
        };
        if !is_in_line {
            // `<h2>Title</p>`: the end of a paragraph that has no start is that of the heading.
            if tag == Tag::P && self.open[tag as usize] == 0 {
                self.end_heading_above(tag);
            }
            self.flush();
        } else {
            self.seam_ends(tag);
        }
        // It ends one of those that were too deep to be kept.
        if self.overflow > 0 && !tag.has(Traits::NO_END) {
            self.overflow -= 1;
            return;
        }
        self.end_element(tag, name);
    }
}
