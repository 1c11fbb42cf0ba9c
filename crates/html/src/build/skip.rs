//! Elements whose content is no text of the page, and how they end.

use super::{Builder, Capture, Skip, is_island};
use crate::json_ld::JsonLdScript;
use crate::markup::Tag;
use crate::markup::tag_lexer::{Key, TagText};

impl Builder {
    pub(super) fn start_skip(&mut self, text: &TagText, offset: usize) {
        let tag = text.tag;
        let mut capture = Capture::Nothing;
        if tag == Tag::Script {
            let kind = text.value(Key::Type).unwrap_or_default().trim_ascii();
            if kind
                .get(..19)
                .is_some_and(|kind| kind.eq_ignore_ascii_case(b"application/ld+json"))
            {
                capture = Capture::JsonLd;
                self.page.head.json_ld.push(JsonLdScript::default());
            }
        }
        if capture == Capture::Nothing {
            capture = self.formula_capture(text, offset);
        }
        if capture == Capture::Nothing {
            capture = self.script_capture(text);
        }
        self.skip = Some(Skip {
            tag,
            depth: 1,
            islands: 0,
            from: offset + text.raw.end - text.raw.start,
            capture,
            keeps_row: false,
        });
    }

    /// Place behind the start tag of the outermost `template` that is open, if it is at or behind
    /// `offset`.
    pub fn open_template(&self, offset: usize) -> Option<usize> {
        self.skip
            .filter(|skip| skip.tag == Tag::Template && skip.from >= offset)
            .map(|skip| skip.from)
    }

    /// Ends every open `template`.
    pub fn leave_template(&mut self) {
        self.skip = self.skip.filter(|skip| skip.tag != Tag::Template);
    }

    /// The element whose content was no text has ended.
    pub(super) fn end_skip(&mut self) {
        if let Some(skip) = self.skip.take() {
            self.end_capture(skip.capture);
        }
    }

    fn end_capture(&mut self, capture: Capture) {
        match capture {
            Capture::Script => self.decide_script(),
            Capture::Style => self.style_sheets.end(),
            capture if capture.is_formula() => self.end_formula(capture),
            _ => {}
        }
    }

    /// The end tag of that element.
    pub(super) fn end_skipped(&mut self, tag: Tag, name: &[u8]) {
        let Some(skip) = self.skip.take() else { return };
        if skip.keeps_row {
            // Before what waits for its source: the end of a block would settle it.
            self.end_tag(tag, name);
        }
        self.end_capture(skip.capture);
    }

    /// An end tag comes: of an inline element, what waits for its source may yet have it behind.
    pub(super) fn settle_inline(&mut self, tag: Tag) {
        if !tag.is_inline() {
            self.settle_formula();
        }
    }

    /// Ends the innermost open `template`, if one is open.
    pub fn end_template(&mut self) {
        if let Some(skip) = &mut self.skip
            && skip.tag == Tag::Template
        {
            skip.depth -= 1;
            if skip.depth == 0 {
                self.skip = None;
            }
        }
    }

    /// Whether a start tag inside a skipped element ends the skipping, as when a `select` or `svg`
    /// was never closed and the page goes on.
    pub(super) fn leave_skip(&mut self, tag: Tag, name: &[u8], self_closing: bool) -> bool {
        let Some(skip) = &mut self.skip else {
            return true;
        };
        if skip.tag.is_raw() {
            // Raw text contains no tags: the engine has left it.
            self.end_skip();
            return true;
        }
        if tag == skip.tag && tag != Tag::Select {
            skip.depth += u32::from(!self_closing);
            return false;
        }
        let leaves = match skip.tag {
            Tag::Select | Tag::Datalist => {
                !tag.is_inline()
                    && !matches!(tag, Tag::Option | Tag::Optgroup | Tag::Hr | Tag::Other)
                    || matches!(tag, Tag::Input | Tag::Textarea | Tag::Select)
            }
            Tag::MjxContainer => !tag.is_inline() && tag.ends_foreign(),
            _ if skip.keeps_row => !tag.is_inline() && tag.ends_foreign(),
            Tag::Svg | Tag::Math => {
                if is_island(skip.tag, tag, name) {
                    skip.islands += u32::from(!self_closing);
                }
                let stays = skip.islands > 0 && (skip.tag == Tag::Svg || tag.is_inline());
                !stays && tag.ends_foreign()
            }
            _ => false,
        };
        if leaves {
            self.end_skip();
        }
        leaves
    }
}
