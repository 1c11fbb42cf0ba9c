//! Skips elements whose content is not text of the page, and finds their ends.
//!
//! Formulas, scripts with hydration payloads, and style sheets are read while they are skipped.

use std::ops::Range;

use super::{Builder, Skip, style_sheets};
use crate::hydration::{START, ScriptText, payload_name};
use crate::limits::{Caps, up_to};
use crate::markup::Tag;
use crate::markup::lexer::{Key, TagText};

impl Tag {
    /// Returns whether the content of the element is never text of the page, such as that of `script`.
    pub const fn is_skipped(self) -> bool {
        matches!(
            self,
            Self::Datalist
                | Self::Iframe
                | Self::Math
                | Self::MjxContainer
                | Self::Noembed
                | Self::Noframes
                | Self::Script
                | Self::Select
                | Self::Style
                | Self::Svg
                | Self::Template
                | Self::Textarea
        )
    }
}

/// Use that is made of the content of a skipped element, such as a script with JSON-LD; `Nothing` if it is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capture {
    Nothing,
    JsonLd,
    /// MathML in `math`, or in the element that MathJax 3 wraps around it.
    Mathml,
    /// MathML in a script.
    MathmlScript,
    /// TeX in a script.
    TexScript,
    /// Formula laid out by MathJax 2; a script with its TeX source may follow.
    LaidOut,
    /// Script of unknown use: too few of its first bytes have been read to decide.
    Script,
    /// Script with a hydration payload (data from which the page is built).
    Payload,
    Style,
}

impl Capture {
    pub(super) fn is_formula(self) -> bool {
        !matches!(self, Capture::Nothing | Capture::JsonLd | Capture::Script | Capture::Payload | Capture::Style)
    }
}

impl Builder {
    pub(super) fn start_skip(&mut self, text: &TagText, offset: usize) {
        let tag = text.tag;
        let mut capture = Capture::Nothing;
        if tag == Tag::Script {
            let kind = text.value(Key::Type).unwrap_or_default().trim_ascii();
            // By its beginning: some sites add a parameter such as `; charset=utf-8`.
            if kind.get(..19).is_some_and(|kind| kind.eq_ignore_ascii_case(b"application/ld+json")) {
                capture = Capture::JsonLd;
                self.page.head.json_ld.push(ScriptText::default());
            }
        }
        if capture == Capture::Nothing {
            // In this order: scripts of formulas are scripts, too, and must not be read as payloads.
            capture = self.formula_capture(text, offset);
        }
        if capture == Capture::Nothing {
            capture = self.script_capture(text);
        }
        self.skip = Some(Skip { tag, depth: 1, islands: 0, from: offset + text.len(), capture, keeps_row: false });
    }

    /// Returns an element that is still open although it began at or after `offset`: a `template`, or an svg with an
    /// open `title` or `desc`. The second value is the byte offset after the start tag of the `template`, `title` or
    /// `desc`. `None` also for elements in a part that was read again, because no part is read a third time.
    pub fn open_skip(&self, offset: usize) -> Option<(Tag, usize)> {
        let skip = self.skip.filter(|skip| skip.from >= offset)?;
        if self.recovered.contains(&skip.from) {
            return None;
        }
        // Other skipped elements end at the tags that the standard names, so they cannot swallow the page.
        let may_swallow = skip.tag == Tag::Template || skip.tag == Tag::Svg && skip.islands > 0;
        may_swallow.then_some((skip.tag, skip.from))
    }

    /// Prepares the builder to read the bytes `part` of the page again; the open element `tag` is not skipped any more.
    pub fn recover_from(&mut self, tag: Option<Tag>, part: Range<usize>) {
        self.recovers = true;
        let known = &self.recovered;
        // A `noscript` in such a part may have one of its own.
        if part.start < known.start || part.end > known.end {
            self.recovered = part;
        }
        self.skip = self.skip.filter(|skip| Some(skip.tag) != tag);
    }

    /// Ends the skipped element and uses the content that was kept of it, such as a formula or a style sheet.
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

    /// Handles the end tag of the skipped element: ends the skipping and uses the content that was kept.
    pub(super) fn end_skipped(&mut self, tag: Tag, name: &[u8]) {
        let Some(skip) = self.skip.take() else { return };
        if skip.keeps_row {
            // Before what waits for its source: the end of a block would settle it.
            self.end_tag(tag, name);
        }
        self.end_capture(skip.capture);
    }

    /// Handles the end tag of a `foreignObject`, or of the svg around it, and skips the rest of the svg.
    pub(super) fn end_foreign_object(&mut self, tag: Tag) {
        let Some(depth) = self.foreign_objects.pop() else { return };
        self.settle_formula();
        self.end_title();
        self.tag_count = self.tag_count.saturating_add(1);
        self.flush();
        if self.overflow > 0 {
            self.overflow -= 1;
        } else {
            self.end_element(Tag::Other, FOREIGN_OBJECT);
        }
        let depth = depth - u32::from(tag == Tag::Svg);
        if depth > 0 {
            self.skip =
                Some(Skip { tag: Tag::Svg, depth, islands: 0, from: 0, capture: Capture::Nothing, keeps_row: false });
        }
    }

    /// Ends the innermost open `template`, if one is open.
    pub fn end_template(&mut self) {
        if let Some(skip) = &mut self.skip
            && skip.tag == Tag::Template
        {
            skip.depth -= 1;
            // Templates nest, so only the end of the outermost ends the skipping.
            if skip.depth == 0 {
                self.skip = None;
            }
        }
    }

    /// Handles a start tag inside a skipped element, and returns whether the tag ends the skipping. For example, a
    /// block shows that a `select` was never closed.
    pub(super) fn leave_skip(&mut self, text: &TagText, offset: usize) -> bool {
        let (tag, name, self_closing) = (text.tag, text.name(), text.place.self_closing);
        let Some(skip) = &mut self.skip else { return true };
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
            // A `select` holds options alone: any block, or another control, shows that its end tag is missing.
            Tag::Select | Tag::Datalist => {
                !tag.is_inline() && !matches!(tag, Tag::Option | Tag::Optgroup | Tag::Hr | Tag::Other)
                    || matches!(tag, Tag::Input | Tag::Textarea | Tag::Select)
            }
            // Its own elements are unknown or inline, so a block-level tag of HTML shows that it was never closed.
            Tag::MjxContainer => !tag.is_inline() && tag.ends_foreign(),
            _ if skip.keeps_row => !tag.is_inline() && tag.ends_foreign(),
            Tag::Svg if !self_closing && is_foreign_object(tag, name) => {
                self.foreign_objects.push(skip.depth);
                true
            }
            Tag::Svg | Tag::Math => {
                if is_island(skip.tag, tag, name) && !self_closing {
                    if skip.islands == 0 {
                        skip.from = offset + text.len();
                    }
                    skip.islands += 1;
                }
                // Descriptions of svg may hold blocks; where something has no end, one is the page's.
                let holds_blocks = skip.tag == Tag::Svg && !self.recovers;
                let stays = skip.islands > 0 && (holds_blocks || tag.is_inline());
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

/// Returns whether the element is the `foreignObject` of svg, whose HTML content is displayed.
pub(super) fn is_foreign_object(tag: Tag, name: &[u8]) -> bool {
    tag == Tag::Other && name.eq_ignore_ascii_case(FOREIGN_OBJECT)
}

const FOREIGN_OBJECT: &[u8] = b"foreignobject";

/// Returns whether an element inside svg or MathML (`outer`) has HTML content that is not text of the page (`desc`).
pub(super) fn is_island(outer: Tag, tag: Tag, name: &[u8]) -> bool {
    let is = |other: &[u8]| name.eq_ignore_ascii_case(other);
    match outer {
        Tag::Svg => tag == Tag::Title || is(b"desc"),
        Tag::Math => is(b"mtext") || is(b"mi") || is(b"mo") || is(b"mn") || is(b"ms") || is(b"annotation-xml"),
        _ => false,
    }
}

impl Builder {
    /// Returns the use that is made of the content of a script or style sheet, by its start tag.
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

    /// Reads a piece of a script from byte `offset` of the page; the first bytes show whether the script holds page
    /// data.
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
            self.kept_text(Capture::Payload, raw.get(part.len()..).unwrap_or_default(), offset + part.len());
        }
    }

    /// Decides by the first bytes of a script whether its text is kept, because it holds data of the page.
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
        self.kept_text(Capture::Payload, &start, place);
    }

    fn begin_payload(&mut self, name: &'static str) {
        self.page.head.payloads.push(ScriptText { name, ..ScriptText::default() });
    }

    /// Appends a piece of a script with JSON-LD or other page data to the page's head, up to the cap.
    pub(super) fn kept_text(&mut self, capture: Capture, raw: &str, offset: usize) {
        let head = &mut self.page.head;
        let (scripts, room) = match capture {
            Capture::JsonLd => (&mut head.json_ld, &mut self.head_room),
            _ => (&mut head.payloads, &mut self.payload_room),
        };
        let part = up_to(raw, *room);
        *room -= part.len();
        if part.len() < raw.len() {
            *room = 0;
            self.page.capped.insert(Caps::HEAD);
        }
        if let Some(script) = scripts.last_mut() {
            if script.text.is_empty() && !part.is_empty() {
                // The start of the text and not of the tag: spans are of what a reader of the script would see.
                script.span.0 = offset as u32;
            }
            script.text.push_str(part);
            script.span.1 = script.span.0 + script.text.len() as u32;
        }
    }

    /// Appends a piece of a style sheet to the sheet that is being read, up to the cap.
    pub(super) fn style_text(&mut self, raw: &str) {
        let style_sheets = &mut self.style_sheets;
        // What does not fit is left out without a mark: it could only have hidden parts of lines.
        let room = style_sheets::MAX_BYTES.saturating_sub(style_sheets.read + style_sheets.sheet.len());
        style_sheets.sheet.push_str(up_to(raw, room));
    }

    /// Cuts the open script or style sheet to its first `kept` bytes, because it was never closed.
    pub(super) fn take_back_script(&mut self, kept: usize) {
        let head = &mut self.page.head;
        let script = match self.skip.map(|skip| skip.capture) {
            Some(Capture::JsonLd) => head.json_ld.last_mut(),
            Some(Capture::Payload) => head.payloads.last_mut(),
            Some(Capture::Script) => return cut(&mut self.script_start.0, kept),
            Some(Capture::Style) => return cut(&mut self.style_sheets.sheet, kept),
            _ => None,
        };
        if let Some(script) = script {
            cut(&mut script.text, kept);
            script.span.1 = script.span.0 + script.text.len() as u32;
        }
    }
}

fn cut(text: &mut String, bytes: usize) {
    text.truncate(up_to(text, bytes).len());
}
