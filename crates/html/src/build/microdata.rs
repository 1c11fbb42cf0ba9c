//! Reads microdata and similar facts that elements of the body state.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::Builder;
use super::blocks::narrow;
use super::head_facts::decode;
use crate::markup::Tag;
use crate::markup::tag_lexer::{Key, TagText};
use crate::page::{FactKind, StatedFact};

/// Facts of a page that are kept. Those that matter stand at the top, so a page is not marked for
/// having more: a long forum thread has thousands of `<time>`.
const MAX_FACTS: usize = 400;
/// Bytes of a fact's value that are kept.
// Values are names and dates; a longer one is text, which the element itself holds.
const MAX_FACT_BYTES: usize = 300;

impl Builder {
    /// Stores the facts that the latest element states; `is_author` is true for a link to the page of an author.
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
        let says_author =
            |rel: &[u8]| rel.split(|byte| byte.is_ascii_whitespace()).any(|word| word.eq_ignore_ascii_case(b"author"));
        if is_author || text.value(Key::Rel).is_some_and(says_author) {
            self.fact(FactKind::AuthorLink, b"", element, offset);
        }
    }

    /// Stores the fact of a `<meta itemprop>` in the body.
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

/// Returns whether an address has `author` or `authors` as a step of its path or name of its query.
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
