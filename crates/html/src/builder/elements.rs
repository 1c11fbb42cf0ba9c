//! Rows of the element table and their attribute tokens.

use super::claims::Claims;
use super::{Builder, Open, has_optional_end, narrow};
use crate::lex::Attributes;
use crate::limits::Cap;
use crate::table::{Attribute, Element, NONE, Token, hash};
use crate::tag::Tag;
use crate::tokens;

impl Builder {
    pub(super) fn push(
        &mut self,
        tag: Tag,
        name: &[u8],
        attributes: &[u8],
        offset: usize,
        link: bool,
    ) {
        let parent = self.stack.last().map_or(NONE, |open| open.element);
        let index = self.page.elements.len();
        let full = index >= self.limits.elements;
        if full {
            self.cap(Cap::Elements);
        }
        let name = if tag == Tag::Other {
            self.intern(name)
        } else {
            0
        };
        if !full {
            let element = self.read_element(tag, name, parent, attributes, offset);
            self.page.elements.push(element);
            if tag.is_inline() {
                self.page.inline.push(narrow(index));
            }
        }
        if tag.is_void() {
            return;
        }
        if full || self.stack.len() >= self.limits.depth {
            if !full {
                self.cap(Cap::Depth);
            }
            if !has_optional_end(tag) {
                self.overflow = self.overflow.saturating_add(1);
            }
            return;
        }
        self.stack.push(Open {
            element: narrow(index),
            tag,
            name,
            ended: false,
            link,
        });
        self.open[tag as usize] += 1;
        if link {
            self.link_starts();
        }
        if let Some(marks) = &mut self.marks {
            marks.start(tag, narrow(index), link, narrow(self.fold.len()));
        }
        self.keep_space += u32::from(tag.keeps_space());
    }

    pub(super) fn read_element(
        &mut self,
        tag: Tag,
        name: u16,
        parent: u32,
        attributes: &[u8],
        offset: usize,
    ) -> Element {
        let (depth, mut hidden) = match self.page.element(parent) {
            Some(parent) => (parent.depth.saturating_add(1), parent.hidden),
            None => (0, false),
        };
        let first = self.page.tokens.len();
        let mut signature = hash(tag.name().as_bytes()) ^ u64::from(name);
        let mut claims = Claims::default();
        for (key, value) in Attributes::new(attributes) {
            let is = |name: &str| key.eq_ignore_ascii_case(name.as_bytes());
            claims.note(key, value);
            if let Some(attribute) = Attribute::ALL.into_iter().find(|known| is(known.name())) {
                if attribute == Attribute::Class {
                    signature ^= hash(value).rotate_left(17);
                }
                self.read_tokens(attribute, value, first);
            } else {
                hidden |= is("hidden")
                    || is("aria-hidden") && value.eq_ignore_ascii_case(b"true")
                    || is("style") && hides(value);
            }
        }
        if claims.any() {
            self.note_facts(tag, &claims, attributes, offset);
        }
        let count = u16::try_from(self.page.tokens.len() - first).unwrap_or(u16::MAX);
        Element {
            tag,
            name,
            parent,
            depth,
            hidden,
            end: narrow(self.page.elements.len() + 1),
            tokens: (narrow(first), count),
            signature,
            start: narrow(offset),
        }
    }

    pub(super) fn read_tokens(&mut self, attribute: Attribute, value: &[u8], first: usize) {
        let page = &mut self.page;
        let limits = &self.limits;
        tokens::split(value, |text| {
            let hash = hash(text.as_bytes());
            let own = page.tokens.get(first..).unwrap_or_default();
            if own
                .iter()
                .any(|t| t.hash == hash && t.attribute == attribute)
            {
                return;
            }
            if own.len() >= limits.element_tokens || page.tokens.len() >= limits.tokens {
                page.capped.set(Cap::Tokens);
                return;
            }
            page.tokens.push(Token {
                hash,
                start: narrow(page.token_text.len()),
                len: u16::try_from(text.len()).unwrap_or(u16::MAX),
                attribute,
            });
            page.token_text.push_str(text);
        });
    }

    /// Number of an unknown element's name. All names beyond the first thousand share one number.
    pub(super) fn intern(&mut self, name: &[u8]) -> u16 {
        const MOST: usize = 1000;
        const LONGEST: usize = 64;
        let name = name.get(..LONGEST).unwrap_or(name);
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let names = &mut self.page.names;
        let at = names
            .iter()
            .position(|known| *known == name)
            .unwrap_or_else(|| {
                if names.len() < MOST {
                    names.push(name);
                }
                names.len() - 1
            });
        u16::try_from(at).unwrap_or(u16::MAX)
    }
}

/// Whether a style attribute takes its element out of sight.
fn hides(style: &[u8]) -> bool {
    let compact: Vec<u8> = style
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(u8::to_ascii_lowercase)
        .collect();
    [b"display:none".as_slice(), b"visibility:hidden"]
        .iter()
        .any(|rule| memchr::memmem::find(&compact, rule).is_some())
}
