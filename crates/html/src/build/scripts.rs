//! Reads scripts with hydration payloads, and style sheets, while the page is read.

use super::style_sheets;
use super::{Builder, Capture};
use crate::hydration::{PayloadScript, START, payload_name};
use crate::limits::{Caps, up_to};
use crate::markup::Tag;
use crate::markup::tag_lexer::{Key, TagText};

impl Builder {
    /// The way of reading the content of a script or style sheet.
    pub(super) fn script_capture(&mut self, text: &TagText) -> Capture {
        match text.tag {
            Tag::Style => {
                let media = text.other_value("media").unwrap_or_default();
                // Rules for print or a width say nothing about the page as it is first shown.
                let is_for_screens = matches!(media.trim(), "" | "all" | "screen");
                // What is there without scripts alone hides what is there with them.
                if is_for_screens && self.open[Tag::Noscript as usize] == 0 {
                    self.style_sheets.sheet.clear();
                    return Capture::Style;
                }
                Capture::Nothing
            }
            Tag::Script => {
                let kind = text.value(Key::Type).unwrap_or_default();
                let is_code = || {
                    let has = |part: &[u8]| memchr::memmem::find(kind, part).is_some();
                    has(b"javascript") || has(b"module") || has(b"json")
                };
                if !kind.is_empty() && !is_code() {
                    return Capture::Nothing;
                }
                if let Some(name) = text.value(Key::Id).and_then(payload_name) {
                    self.begin_payload(name);
                    return Capture::Payload;
                }
                self.script_start.0.clear();
                Capture::Script
            }
            _ => Capture::Nothing,
        }
    }

    /// A part of a script that may hold a payload.
    pub(super) fn script_text(&mut self, raw: &str, offset: usize) {
        let (start, place) = &mut self.script_start;
        if start.is_empty() {
            *place = offset;
        }
        // The first bytes tell what a script is, so others are passed over without being copied.
        let part = up_to(raw, START.saturating_sub(start.len()));
        start.push_str(part);
        if part.len() == raw.len() && start.len() < START {
            return;
        }
        self.decide_script();
        if self.skip.is_some_and(|skip| skip.capture == Capture::Payload) {
            self.payload_text(raw.get(part.len()..).unwrap_or_default());
        }
    }

    /// Enough of a script is there, or all of it.
    pub(super) fn decide_script(&mut self) {
        let name = payload_name(self.script_start.0.as_bytes());
        if let Some(skip) = &mut self.skip {
            skip.capture = match name {
                Some(_) => Capture::Payload,
                None => Capture::Nothing,
            };
        }
        let Some(name) = name else { return };
        self.begin_payload(name);
        let (start, place) = std::mem::take(&mut self.script_start);
        self.payload_text_at(&start, place);
    }

    fn begin_payload(&mut self, name: &'static str) {
        self.page.head.payloads.push(PayloadScript { name, ..PayloadScript::default() });
    }

    fn payload_text_at(&mut self, raw: &str, offset: usize) {
        if let Some(script) = self.page.head.payloads.last_mut() {
            script.span = (offset as u32, offset as u32);
        }
        self.payload_text(raw);
    }

    /// A part of a payload, and where it stands.
    pub(super) fn payload_part(&mut self, raw: &str, offset: usize) {
        let last = self.page.head.payloads.last();
        match last.is_some_and(|script| script.text.is_empty()) {
            true => self.payload_text_at(raw, offset),
            false => self.payload_text(raw),
        }
    }

    fn payload_text(&mut self, raw: &str) {
        let part = up_to(raw, self.payload_room);
        self.payload_room -= part.len();
        if part.len() < raw.len() {
            self.payload_room = 0;
            self.cap(Caps::HEAD);
        }
        if let Some(script) = self.page.head.payloads.last_mut() {
            script.text.push_str(part);
            script.span.1 = script.span.0 + script.text.len() as u32;
        }
    }

    /// A part of a style sheet.
    pub(super) fn style_text(&mut self, raw: &str) {
        let style_sheets = &mut self.style_sheets;
        // What does not fit is left out without a mark: it could only have hidden parts of lines.
        let room = style_sheets::MAX_BYTES.saturating_sub(style_sheets.read + style_sheets.sheet.len());
        style_sheets.sheet.push_str(up_to(raw, room));
    }

    /// Takes back the end of a script or style sheet that was never closed. Only `kept` bytes belong to it.
    pub(super) fn take_back_script(&mut self, kept: usize) {
        let text = match self.skip.map(|skip| skip.capture) {
            Some(Capture::Script) => &mut self.script_start.0,
            Some(Capture::Style) => &mut self.style_sheets.sheet,
            Some(Capture::Payload) => match self.page.head.payloads.last_mut() {
                Some(script) => {
                    script.span.1 = script.span.1.min(script.span.0.saturating_add(kept as u32));
                    &mut script.text
                }
                None => return,
            },
            _ => return,
        };
        let len = up_to(text, kept).len();
        text.truncate(len);
    }
}
