//! Processes start tags and end tags: the effect of each on the text before it and on the stack of open
//! elements.

use bitflags::bitflags;

use super::code_elements::is_block_of_code;
use super::nesting::has_optional_end;
use super::notes::Marks;
use super::skip::{is_foreign_object, is_island};
use super::{Builder, head_facts};
use crate::limits::Caps;
use crate::markup::Tag;
use crate::markup::tag_lexer::{Key, TagText};

bitflags! {
    /// The effects of a start tag that few start tags have.
    #[derive(Clone, Copy)]
    struct StartEffects: u8 {
        /// It has no row, or only the first of its kind has one.
        const APART = 1;
        /// It ends elements by implication.
        const ENDS = 1 << 1;
        /// It is counted.
        const COUNTED = 1 << 2;
    }
}

impl StartEffects {
    const fn found_for(tag: Tag) -> Self {
        use Tag::*;
        let mut effects = Self::empty();
        if matches!(tag, Br | Title | Meta | Link | Base | Head | Frameset | Frame | Bgsound | Basefont | Html | Body) {
            effects = effects.union(Self::APART);
        }
        if tag.closes_p()
            || tag.is_heading()
            || matches!(tag, Li | Dd | Dt | Td | Th | Tr | Tbody | Thead | Tfoot | Caption | Colgroup | Button)
        {
            effects = effects.union(Self::ENDS);
        }
        if matches!(tag, Img | Input | Button) {
            effects = effects.union(Self::COUNTED);
        }
        effects
    }
}

/// The effects in the order of the tags.
// One look instead of a comparison of the tag with each of these names.
static START_EFFECTS: [StartEffects; Tag::COUNT] = {
    let mut effects = [StartEffects::empty(); Tag::COUNT];
    let mut at = 0;
    while at < Tag::COUNT {
        effects[at] = StartEffects::found_for(Tag::ALL[at]);
        at += 1;
    }
    effects
};

impl Builder {
    /// A start tag at `offset` in the page.
    pub fn start_tag(&mut self, text: &TagText, offset: usize) {
        self.end_text_run();
        self.count_steps(1);
        let tag = text.tag;
        if self.skip.is_some() && !self.leave_skip(text, offset) {
            if self.skip.is_some_and(|skip| skip.capture.is_formula()) {
                self.formula_tag(text, offset);
            }
            return;
        }
        // The script behind a formula that MathJax laid out is its source.
        if tag != Tag::Script {
            self.settle_formula();
        }
        self.end_title();
        self.tag_count = self.tag_count.saturating_add(1);
        if text.cut {
            self.cap(Caps::ATTRIBUTES);
        }
        let effects = START_EFFECTS[tag as usize];
        if effects.contains(StartEffects::APART) && !self.start_apart(text, offset) {
            return;
        }
        // Declarative shadow roots are shown, unlike other templates.
        let is_shadow_root = tag == Tag::Template && text.other_value("shadowrootmode").is_some();
        if tag.is_skipped() && !is_shadow_root {
            self.seam_skips(tag);
            if !text.raw.self_closing || !matches!(tag, Tag::Svg | Tag::Math) {
                self.start_skip(text, offset);
            }
            return;
        }
        // Before the row is written, because implied ends change which element is its parent.
        if effects.contains(StartEffects::ENDS) {
            self.imply_ends(tag);
        }
        let link = tag == Tag::A && text.value(Key::Href).is_some();
        if link {
            self.note_next(text);
        }
        if tag == Tag::A && self.open[Tag::A as usize] > 0 {
            // A link cannot stand in a link: the standard ends the outer one here.
            self.end_element(Tag::A, b"a");
        }
        let is_code = tag == Tag::Code && self.keep_space == 0 && is_block_of_code(text);
        if !tag.is_inline() || is_shadow_root || is_code {
            self.flush();
        } else {
            self.seam_starts(text);
        }
        if effects.contains(StartEffects::COUNTED) {
            self.images += u32::from(tag == Tag::Img);
            self.inputs += u32::from(tag != Tag::Img);
        }
        self.push(text, offset, link, is_code);
        let marks = std::mem::take(&mut self.marks);
        if marks.intersects(Marks::MATH | Marks::SOURCE) || tag == Tag::Img && Self::may_be_formula_image(text) {
            self.formula_element(text, offset, marks);
        }
    }

    /// A start tag that is not an element like others; whether it has a row all the same.
    #[inline(never)]
    fn start_apart(&mut self, text: &TagText, offset: usize) -> bool {
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
                        .map(|value| head_facts::decode(value).trim().to_owned())
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
            // The others have no row: nothing that they hold is placed by them.
            _ => {}
        }
        false
    }

    /// An end tag.
    pub fn end_tag(&mut self, tag: Tag, name: &[u8]) {
        // Nearly every end tag ends the innermost element, and nothing waits for it.
        let is_innermost = self.stack.last().is_some_and(|open| open.tag == tag && !open.ended)
            && !matches!(tag, Tag::Other | Tag::Html | Tag::Body | Tag::Code | Tag::Template);
        if is_innermost && self.is_plain() {
            self.steps += 2;
            self.tag_count = self.tag_count.saturating_add(1);
            if tag.is_inline() {
                self.seam_ends(tag);
            } else {
                self.flush();
            }
            return self.pop();
        }
        self.end_any_tag(tag, name);
    }

    /// Whether text belongs to a block, and nothing that came before is yet to be dealt with.
    fn is_plain(&self) -> bool {
        let is_shown = !self.in_title && self.skip.is_none() && self.foreign_objects.is_empty();
        let waits = self.fold.waits() || self.formulas.is_pending();
        is_shown && !waits && self.overflow == 0 && self.steps < self.limits.steps
    }

    #[inline(never)]
    fn end_any_tag(&mut self, tag: Tag, name: &[u8]) {
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
        self.settle_inline(tag);
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
        if !tag.is_inline() || tag == Tag::Code && self.ends_block_of_code() {
            self.flush();
        } else {
            self.seam_ends(tag);
        }
        // It ends one of those that were too deep to be kept.
        if self.overflow > 0 && !has_optional_end(tag) {
            self.overflow -= 1;
            return;
        }
        self.end_element(tag, name);
    }
}
