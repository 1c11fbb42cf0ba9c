//! Reads the facts that a page states about itself: those in its head, and microdata and links in its body.

use std::{borrow::Cow, sync::LazyLock};

use memchr::memmem::Finder;

use super::{Builder, blocks::narrow};
use crate::limits::{Caps, up_to};
use crate::markup::Tag;
use crate::markup::lexer::{Key, TagText};
use crate::page::{FactKind, StatedFact};

impl Builder {
    /// Counts `bytes` bytes of a fact in the page head (`meta`); returns whether they fit under the head's cap.
    pub(super) fn has_head_room(&mut self, bytes: usize) -> bool {
        let room = bytes <= self.head_room;
        // Taken off also where it does not fit: facts after a huge one must not fill the rest of the head.
        self.head_room = self.head_room.saturating_sub(bytes);
        if !room {
            self.cap(Caps::HEAD);
        }
        room
    }

    /// Returns the beginning of a text of the page head that still fits under the head's cap, and counts its bytes.
    pub(super) fn head_part<'a>(&mut self, text: &'a str) -> &'a str {
        let part = up_to(text, self.head_room);
        self.head_room -= part.len();
        if part.len() < text.len() {
            self.head_room = 0;
            self.cap(Caps::HEAD);
        }
        part
    }

    #[inline]
    pub(super) fn end_title(&mut self) {
        if self.in_title {
            self.end_open_title();
        }
    }

    fn end_open_title(&mut self) {
        self.in_title = false;
        // The first one counts: later `title` elements are those of svg or of embedded pages.
        if !self.seen_title && !self.title.is_empty() {
            self.page.head.title = self.title.as_str().to_owned();
            self.seen_title = true;
        }
        self.title.clear();
    }

    pub(super) fn meta(&mut self, text: &TagText, offset: usize) {
        let content = text.value(Key::Content);
        let itemprop = text.value(Key::Itemprop);
        let name = text
            .attributes()
            .find(|(name, value)| match name {
                Key::Name | Key::Property => true,
                // Other values of `http-equiv` instruct the browser and state nothing about the page.
                Key::HttpEquiv => value.eq_ignore_ascii_case(b"content-language"),
                _ => false,
            })
            .map(|(_, value)| value);
        let Some(content) = content else { return };
        if let Some(itemprop) = itemprop {
            self.note_meta_fact(itemprop, content, offset);
        }
        // A date of microdata belongs to what is around it: teasers have one, too.
        let is_date = |kind| matches!(kind, FactKind::Published | FactKind::Modified);
        let unplaced = itemprop.filter(|itemprop| !FactKind::of_itemprop(itemprop).is_some_and(is_date));
        if let Some(name) = name.or(unplaced)
            && self.has_head_room(name.len() + content.len())
        {
            let mut name = decode(name).trim().to_owned();
            name.make_ascii_lowercase();
            let content = decode(content).trim().to_owned();
            self.page.head.meta.push((name, content));
        }
    }

    pub(super) fn base(&mut self, text: &TagText) {
        if self.page.head.base.is_none()
            && let Some(href) = text.value(Key::Href)
            && self.has_head_room(href.len())
        {
            self.page.head.base = Some(decode(href).trim().to_owned());
        }
    }

    pub(super) fn link(&mut self, text: &TagText) {
        if self.page.head.canonical.is_none() && has_rel(text, b"canonical") {
            self.page.head.canonical = self.address(text);
        }
        self.note_next(text);
    }

    /// Records the address of the next page if a `link` or `a` tag has `rel=next` and no earlier one had it.
    pub(super) fn note_next(&mut self, text: &TagText) {
        if text.has(Key::Rel) && self.page.head.next.is_none() && has_rel(text, b"next") {
            self.page.head.next = self.address(text);
        }
    }

    /// Returns the `href` of a tag, decoded, if there is one and it fits under the cap on the head.
    fn address(&mut self, text: &TagText) -> Option<String> {
        let href = text.value(Key::Href)?;
        let has_room = self.has_head_room(href.len());
        has_room.then(|| decode(href).trim().to_owned())
    }
}

/// Returns whether the `rel` attribute of a tag has the word `wanted`.
fn has_rel(text: &TagText, wanted: &[u8]) -> bool {
    let rel = text.value(Key::Rel).unwrap_or_default();
    rel.split(|byte| byte.is_ascii_whitespace()).any(|word| word.eq_ignore_ascii_case(wanted))
}

/// Returns an attribute's value with its character references decoded.
pub(crate) fn decode(value: &[u8]) -> Cow<'_, str> {
    htmlize::unescape_attribute(String::from_utf8_lossy(value))
}

/// Maximum number of facts (author, date) kept of one page. Relevant facts are at its top, so a page with more is not
/// marked as capped.
const MAX_FACTS: usize = 400;
/// Maximum length in bytes of the value of a fact, such as an author's name; longer values are cut.
// Values are names and dates; a longer one is text, which the element itself holds.
const MAX_FACT_BYTES: usize = 300;

impl Builder {
    /// Records facts (author, date) that the latest element states; `is_author` is true for a link to an author's page.
    #[inline(never)]
    pub(super) fn note_facts(&mut self, text: &TagText, is_author: bool, offset: usize) {
        if self.page.facts.len() >= MAX_FACTS {
            return;
        }
        let element = narrow(self.page.elements.len().saturating_sub(1));
        let datetime = text.value(Key::Datetime);
        if let Some(kind) = text.value(Key::Itemprop).and_then(FactKind::of_itemprop) {
            // The machine-readable value before the text: `content` is what the page says to search engines.
            let value = text.value(Key::Content).or(datetime);
            let value = match kind {
                FactKind::Published | FactKind::Modified => value.or_else(|| text.value(Key::Title)),
                _ => value,
            };
            self.fact(kind, value.unwrap_or_default(), element, offset);
        } else if let Some(value) = datetime
            // There `datetime` is when a part was edited, not when the page was published.
            && !matches!(text.tag, Tag::Del | Tag::Ins)
        {
            self.fact(FactKind::Time, value, element, offset);
        }
        if is_author || has_rel(text, b"author") {
            self.fact(FactKind::AuthorLink, b"", element, offset);
        }
    }

    /// Records the fact, such as a date, that a `<meta itemprop>` in the body states about the element around it.
    pub(super) fn note_meta_fact(&mut self, itemprop: &[u8], content: &[u8], offset: usize) {
        if let Some(kind) = FactKind::of_itemprop(itemprop)
            && let Some(around) = self.stack.last()
            && self.page.facts.len() < MAX_FACTS
        {
            let element = around.element;
            self.fact(kind, content, element, offset);
        }
    }

    fn fact(&mut self, kind: FactKind, value: &[u8], element: u32, offset: usize) {
        let value = value.get(..MAX_FACT_BYTES).unwrap_or(value);
        self.page.facts.push(StatedFact {
            kind,
            // A cut inside a character leaves a mark.
            value: decode(value).trim_end_matches('\u{fffd}').trim().to_owned(),
            element,
            block: narrow(self.page.blocks.len()),
            start: narrow(offset),
        });
    }
}

/// Returns whether an address is that of an author's page: `author` or `authors` is in its path or a name of its query.
pub(super) fn is_author_page(href: &[u8]) -> bool {
    static WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("author"));
    let mut at = 0;
    // Addresses are short: looking from the start again is faster than preparing a search.
    while let Some(rest) = href.get(at..)
        && let Some(found) = WORD.find(rest)
    {
        at += found;
        let before = at.checked_sub(1).and_then(|before| href.get(before));
        at += WORD.needle().len();
        let rest = href.get(at..).unwrap_or_default();
        // WordPress writes `/author/name`, other systems `/authors/name` or `?author=7`.
        let rest = rest.strip_prefix(b"s").unwrap_or(rest);
        if matches!(before, Some(b'/' | b'?' | b'&')) && matches!(rest, [b'/' | b'=', _, ..]) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Limits, LolEngine, ScanEngine};

    #[test]
    fn the_first_link_to_the_next_page() {
        let next = |html: &str| {
            let page = ScanEngine.read(html, &Limits::default());
            assert_eq!(page, LolEngine.read(html, &Limits::default()), "{html}");
            page.head.next
        };
        let html = "next <a class=next href=/x>next</a> <link rel='prefetch next' href=' /p?a=1&amp;b=2'>\
            <a rel=next href=/3>";
        assert_eq!(next(html).as_deref(), Some("/p?a=1&b=2"));
        assert_eq!(next("<p><a REL=NEXT href=/2>").as_deref(), Some("/2"));
        // No links, and one without address, and what is no part of the page.
        assert_eq!(next("<a rel=nextpage href=/x>next</a><a rel=next>"), None);
        assert_eq!(next("<!-- <link rel=next href=/x> --><script>'<a rel=next href=/y>'</script>"), None);
    }
}
