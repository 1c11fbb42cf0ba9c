//! Facts of the page head.

use super::{Builder, find};
use crate::lex::Attributes;
use crate::limits::Cap;

impl Builder {
    /// Whether `bytes` more of head facts may be kept.
    pub(super) fn head_room(&mut self, bytes: usize) -> bool {
        self.head_bytes += bytes;
        let room = self.head_bytes <= self.limits.head;
        if !room {
            self.cap(Cap::Head);
        }
        room
    }

    pub(super) fn end_title(&mut self) {
        if self.in_title {
            self.in_title = false;
            if !self.seen_title && !self.title.is_empty() {
                self.page.head.title = self.title.as_str().to_owned();
                self.seen_title = true;
            }
            self.title.clear();
        }
    }

    pub(super) fn meta(&mut self, attributes: &[u8], offset: usize) {
        let (mut name, mut itemprop, mut content) = (None, None, None);
        for (key, value) in Attributes::new(attributes) {
            let is = |known: &str| key.eq_ignore_ascii_case(known.as_bytes());
            if is("content") {
                content = content.or(Some(value));
            } else if is("name")
                || is("property")
                || is("http-equiv") && value.eq_ignore_ascii_case(b"content-language")
            {
                name = name.or(Some(value));
            } else if is("itemprop") {
                itemprop = itemprop.or(Some(value));
            }
        }
        let Some(content) = content else {
            return;
        };
        if let Some(itemprop) = itemprop {
            self.note_meta_fact(itemprop, content, offset);
        }
        if let Some(name) = name.or(itemprop)
            && self.head_room(name.len() + content.len())
        {
            let name = decode(name).trim().to_ascii_lowercase();
            let content = decode(content).trim().to_owned();
            self.page.head.meta.push((name, content));
        }
    }

    pub(super) fn base(&mut self, attributes: &[u8]) {
        if self.page.head.base.is_none()
            && let Some(href) = find(attributes, b"href")
            && self.head_room(href.len())
        {
            self.page.head.base = Some(decode(href).trim().to_owned());
        }
    }

    pub(super) fn link(&mut self, attributes: &[u8]) {
        let rel = find(attributes, b"rel").unwrap_or_default();
        let canonical = rel
            .split(|byte| byte.is_ascii_whitespace())
            .any(|word| word.eq_ignore_ascii_case(b"canonical"));
        if canonical
            && self.page.head.canonical.is_none()
            && let Some(href) = find(attributes, b"href")
            && self.head_room(href.len())
        {
            self.page.head.canonical = Some(decode(href).trim().to_owned());
        }
    }
}

/// An attribute's value with its character references decoded.
pub(super) fn decode(value: &[u8]) -> String {
    htmlize::unescape_attribute(String::from_utf8_lossy(value)).into_owned()
}
