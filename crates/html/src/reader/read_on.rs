//! Reads a page tag by tag, most of them at sight ([`near`]), the others by a step of the scanner.

use trommel_text::vectors::{ByteTask, Compare};

use super::content;
use super::scanner::Scanner;
use crate::build::TextKind;
use crate::markup::near;
use crate::markup::tag_lexer::{NO_PLACE, TagText};

/// Attributes of one tag that are read so.
const PLACES: usize = 64;

/// Reads on from a place. Of a page that grows, gives the place from which on it is not complete.
pub(super) struct ReadOn<'s, 'a> {
    pub scanner: &'s mut Scanner<'a>,
    pub start: usize,
}

impl ByteTask for ReadOn<'_, '_> {
    type Output = Option<usize>;

    // Compiled for wide vectors, so that bytes are compared where they stand. The builder is not inlined: it leaves
    // no registers for that.
    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> Option<usize> {
        let Self { scanner, start } = self;
        let bytes = scanner.html.as_bytes();
        let most = scanner.builder.limits().attributes;
        let mut places = [NO_PLACE; PLACES];
        let mut from = start;
        loop {
            let next = 'near: {
                let Some(run) = near::text_run(form, bytes, from) else { break 'near None };
                let lt = run.end;
                let Some(&[_, sign, third]) = bytes.get(lt..).and_then(|rest| rest.first_chunk()) else {
                    break 'near None;
                };
                if sign.is_ascii_alphabetic() {
                    let Some((place, count)) = near::start_tag(form, bytes, lt, most, &mut places) else {
                        break 'near None;
                    };
                    scanner.text_run(from, run);
                    let places = places.get(..count).unwrap_or_default();
                    let text = TagText { tag: place.tag, place, bytes, places };
                    if content::is_plain(place.tag) && scanner.namespaces.is_empty() {
                        scanner.kind = TextKind::Decoded;
                        scanner.builder.start_tag(&text, scanner.offset + lt);
                        break 'near Some(place.end as usize);
                    }
                    let Some(next) = scanner.start_tag(&text) else { return scanner.grows.then_some(lt) };
                    Some(next)
                } else if sign == b'/' && third.is_ascii_alphabetic() {
                    let Some((tag, name_end, end)) = near::end_tag(form, bytes, lt) else { break 'near None };
                    scanner.text_run(from, run);
                    scanner.end_element(tag, (lt + 2, name_end));
                    Some(end)
                } else if sign == b'!' {
                    scanner.text_run(from, run);
                    let Some(next) = scanner.declaration(lt) else { return scanner.grows.then_some(lt) };
                    Some(next)
                } else {
                    None
                }
            };
            from = match next {
                Some(next) => next,
                None => match scanner.step(from) {
                    Ok(next) => next,
                    Err(place) => return place,
                },
            };
        }
    }
}
