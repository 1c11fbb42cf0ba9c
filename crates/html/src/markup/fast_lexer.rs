//! Lexes text and tags in their most common forms quickly, by comparing 64 bytes at a time.
//!
//! For anything else, and near the end of the page, it finds nothing, and the caller uses the general lexer.

use trommel_text::vectors::Compare;

use super::lexer::{Attributes, Key, Markup, TagPlace, TextRun, ValuePlace, markup};
use super::tag::{ShortName, Tag};

/// Returns the 64 bytes from byte `at` on; `None` if fewer are left.
#[inline(always)]
fn window(bytes: &[u8], at: usize) -> Option<&[u8; 64]> {
    bytes.get(at..)?.first_chunk()
}

/// Window of 64 bytes in a tag, with bit masks of the `"` and of the bytes that end an attribute's name.
#[derive(Clone, Copy)]
struct Near<'a> {
    /// Byte offset of the window's first byte.
    at: usize,
    bytes: &'a [u8; 64],
    /// Bit mask of the bytes in the window that end the name of an attribute.
    ends: u64,
    /// Bit mask of the `"` in the window.
    quotes: u64,
}

impl<'a> Near<'a> {
    #[inline(always)]
    fn load<C: Compare>(form: C, bytes: &'a [u8], at: usize) -> Option<Self> {
        let window = window(bytes, at)?;
        let part = form.load(window);
        Some(Self { at, bytes: window, ends: form.name_end(part), quotes: form.equal(part, b'"') })
    }

    /// Returns byte `number` of the window; numbers from 64 on start again at 0.
    #[inline(always)]
    fn byte(self, number: usize) -> u8 {
        // The remainder is the number itself; it tells the compiler that it is in bounds.
        self.bytes[number % 64]
    }
}

/// Finds the end of the text from byte `at` on, which is the next `<`; `None` if too few bytes are left for this lexer.
#[inline(always)]
pub(crate) fn text_run<C: Compare>(form: C, bytes: &[u8], at: usize) -> Option<TextRun> {
    let first = window(bytes, at)?;
    if first[0] == b'<' {
        return Some(TextRun { end: at, is_blank: true, has_reference: false });
    }
    let part = form.load(first);
    let mut less = form.equal(part, b'<');
    let ink = !form.space(part);
    // Mostly there is only white space between tags.
    if ink & ink.wrapping_neg() & less != 0 {
        return Some(TextRun { end: at + ink.trailing_zeros() as usize, is_blank: true, has_reference: false });
    }
    let mut at = at;
    let (mut is_blank, mut has_reference) = (ink == 0, false);
    let mut references = form.equal(part, b'&');
    while less == 0 {
        has_reference |= references != 0;
        at += 64;
        let part = form.load(window(bytes, at)?);
        less = form.equal(part, b'<');
        references = form.equal(part, b'&');
        is_blank &= !form.space(part) & !less & less.wrapping_sub(1) == 0;
    }
    has_reference |= references & (less ^ (less - 1)) != 0;
    Some(TextRun { end: at + less.trailing_zeros() as usize, is_blank, has_reference })
}

/// Reads the end tag whose `</` is at `at` and is followed by a letter; `None` if this lexer cannot read it.
/// Returns its tag, the end of its name, and the end of the end tag in `bytes`.
#[inline(always)]
pub(crate) fn end_tag<C: Compare>(form: C, bytes: &[u8], at: usize) -> Option<(Tag, usize, usize)> {
    let window = window(bytes, at + 2)?;
    let ends = form.name_end(form.load(window));
    let len = ends.trailing_zeros() as usize;
    let (len, end) = if window[len % 64] == b'>' { (len, at + len + 3) } else { odd_end_tag(bytes, at)? };
    Some((tag(window, len, bytes, at + 2), at + 2 + len, end))
}

#[inline(never)]
fn odd_end_tag(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    match markup(bytes, at) {
        Markup::Tag(raw) => Some((raw.name.1 - raw.name.0, raw.end)),
        _ => None,
    }
}

/// Returns the tag of a name of `len` bytes that begins at byte `at`; `window` is the 64 bytes from there on.
#[inline(always)]
fn tag(window: &[u8; 64], len: usize, bytes: &[u8], at: usize) -> Tag {
    if len > ShortName::MAX_BYTES {
        return Tag::at_long(bytes, (at, at + len));
    }
    let eight = window.first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
    Tag::of_short(ShortName::of_first(eight, len), len)
}

/// Reads the start tag whose `<` is at `at` and is followed by a letter. Writes the values of needed attributes to
/// `places`, and returns their number with the tag. `None` if this lexer cannot read the tag, or its attributes have
/// more than `most` bytes.
#[inline(always)]
pub(crate) fn start_tag<C: Compare>(
    form: C,
    bytes: &[u8],
    at: usize,
    most: usize,
    places: &mut [ValuePlace],
) -> Option<(TagPlace, usize)> {
    let mut near = Near::load(form, bytes, at + 1)?;
    let len = near.ends.trailing_zeros() as usize;
    if near.ends == 0 || near.byte(len) == b'=' {
        return None;
    }
    let name_end = at + 1 + len;
    let tag = tag(near.bytes, len, bytes, at + 1);
    let mut values = Values { places, keys: 0, count: 0 };
    let (mut self_closing, mut value_missing) = (false, false);
    let mut end = name_end;
    if near.byte(len) != b'>' {
        loop {
            let mut place = end - near.at;
            if place >= 64 {
                near = Near::load(form, bytes, end)?;
                place = 0;
            }
            let byte = near.byte(place);
            if byte == b'>' {
                break;
            }
            if byte == b' ' {
                let found = near.ends & (u64::MAX << place) << 1;
                if found == 0 && place > 0 {
                    // The name goes on behind these bytes.
                    near = Near::load(form, bytes, end)?;
                    continue;
                }
                let stop = found.trailing_zeros() as usize;
                // The quotes from the byte behind the end of the name on.
                let behind = near.quotes >> (stop % 64) >> 1;
                // As nearly all attributes are written: ` name="value"`.
                if near.byte(stop) == b'=' && stop > place + 1 && behind & 1 != 0 {
                    let start = near.at + stop + 2;
                    let value_end = value_end(form, bytes, start, near.at, behind - 1)?;
                    values.put(bytes, (end + 1, start - 2), (start, value_end))?;
                    end = value_end + 1;
                    continue;
                }
            }
            let mut attributes = Attributes::from(bytes, end);
            let spans = attributes.next_spans();
            end = attributes.at;
            let Some(spans) = spans else {
                self_closing = attributes.slash;
                if bytes.get(end) != Some(&b'>') {
                    return None;
                }
                break;
            };
            if attributes.open_quote {
                return None;
            }
            value_missing |= attributes.value_missing;
            values.put(bytes, spans.name, spans.value)?;
        }
        if end - name_end > most {
            return None;
        }
    }
    let place = TagPlace {
        start: at as u32,
        name_end: name_end as u32,
        end: end as u32 + 1,
        keys: values.keys,
        tag,
        self_closing,
        value_missing,
        cut: false,
    };
    Some((place, values.count))
}

/// Buffer for the positions of a tag's attribute values, without those of ignored attributes.
struct Values<'a> {
    places: &'a mut [ValuePlace],
    keys: u32,
    count: usize,
}

impl Values<'_> {
    /// Stores where an attribute's value is, unless the attribute is ignored; returns `None` if the buffer is full.
    #[inline(always)]
    fn put(&mut self, bytes: &[u8], name: (usize, usize), (start, end): (usize, usize)) -> Option<()> {
        if let Some(name) = Key::at(bytes, name) {
            *self.places.get_mut(self.count)? = ValuePlace { name, start: start as u32, end: end as u32 };
            self.keys |= name.bit();
            self.count += 1;
        }
        Some(())
    }
}

/// Returns the index of the quote that ends the attribute value that begins at byte `start`. In `quotes`, bit `n` is
/// set if byte `start - 1 + n` is a closing quote; these bits cover the 64 bytes from `at` on.
#[inline(always)]
fn value_end<C: Compare>(form: C, bytes: &[u8], start: usize, at: usize, quotes: u64) -> Option<usize> {
    if quotes != 0 {
        return Some(start - 1 + quotes.trailing_zeros() as usize);
    }
    quote(form, bytes, start.max(at + 64))
}

/// Returns the index of the first `"` from byte `at` on; `None` if there is none before the last 64 bytes.
#[inline(always)]
fn quote<C: Compare>(form: C, bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    loop {
        let found = form.equal(form.load(window(bytes, at)?), b'"');
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += 64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::lexer::{NO_PLACE, TagLexer};
    use proptest::prelude::*;
    use trommel_text::vectors::{ByteTask, Vectors};

    /// Maximum number of bytes of one tag's attributes that are read.
    const MOST: usize = 150;

    struct ReadText<'a>(&'a [u8], usize);

    impl ByteTask for ReadText<'_> {
        type Output = Option<TextRun>;

        #[inline(always)]
        fn run<C: Compare>(self, form: C) -> Self::Output {
            text_run(form, self.0, self.1)
        }
    }

    struct ReadStartTag<'a>(&'a [u8], usize);

    impl ByteTask for ReadStartTag<'_> {
        type Output = Option<(TagPlace, Vec<ValuePlace>)>;

        #[inline(always)]
        fn run<C: Compare>(self, form: C) -> Self::Output {
            let mut places = [NO_PLACE; 8];
            let (place, count) = start_tag(form, self.0, self.1, MOST, &mut places)?;
            Some((place, places[..count].to_vec()))
        }
    }

    struct ReadEndTag<'a>(&'a [u8], usize);

    impl ByteTask for ReadEndTag<'_> {
        type Output = Option<(Tag, usize, usize)>;

        #[inline(always)]
        fn run<C: Compare>(self, form: C) -> Self::Output {
            end_tag(form, self.0, self.1)
        }
    }

    /// Reads the start tag at byte `at` with the general lexer.
    fn plain_start_tag(bytes: &[u8], at: usize) -> Option<(TagPlace, Vec<ValuePlace>)> {
        let mut lexer = TagLexer::new(MOST);
        let Markup::Tag(raw) = lexer.markup(bytes, at) else { return None };
        let text = lexer.tag(bytes, raw);
        Some((text.place, text.places.to_vec()))
    }

    fn plain_text(bytes: &[u8], at: usize) -> TextRun {
        let end = bytes[at..].iter().position(|&byte| byte == b'<').map_or(bytes.len(), |len| at + len);
        let text = &bytes[at..end];
        let is_blank = text.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C));
        TextRun { end, is_blank, has_reference: text.contains(&b'&') }
    }

    #[test]
    fn common_tags_are_read_at_sight() {
        let tail = "x".repeat(64);
        let long = "y".repeat(100);
        for html in [
            "<p>".to_owned(),
            "<DIV CLASS=\"a b\" data-x=\"1\" id=\"c\">".to_owned(),
            format!("<a href=\"{long}\" class=\"d\">"),
            format!("<img data-{long}=\"e\" title='f' hidden style=g />"),
            "<blockquote\n  cite=\"h>i\" role=\"\">".to_owned(),
        ] {
            let bytes = format!("{html}{tail}").into_bytes();
            let expected = plain_start_tag(&bytes, 0).unwrap();
            assert_eq!(expected.0.end as usize, html.len());
            for vectors in Vectors::available() {
                let found = vectors.run(ReadStartTag(&bytes, 0));
                // Only tags with more attributes than are read are left to the general lexer.
                assert_eq!(found, (!expected.0.cut).then(|| expected.clone()), "{vectors:?} {html}");
            }
        }
        let bytes = format!("</SPAN>  &amp; <b>{tail}").into_bytes();
        for vectors in Vectors::available() {
            assert_eq!(vectors.run(ReadEndTag(&bytes, 0)), Some((Tag::Span, 6, 7)));
            assert_eq!(
                vectors.run(ReadText(&bytes, 7)),
                Some(TextRun { end: 15, is_blank: false, has_reference: true })
            );
            assert_eq!(
                vectors.run(ReadText(&bytes, 15)),
                Some(TextRun { end: 15, is_blank: true, has_reference: false })
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_read_at_sight_is_what_the_general_lexer_reads(
            parts in prop::collection::vec(prop::sample::select(&[
                "<", ">", "</", "<a", "<p ", "=", "'", "\"", " ", "\n", "\t", "\u{c}", "/", "/>", "é", "&",
                "class", "href=", "=\"", "x y", "<!--", "-->", "<?", "a", "data-long-name-of-it", "\0", "</figcaption",
                " id='q' ", " title=\"\"", "                                                                  ",
            ][..]), 0..80)
        ) {
            let text = parts.concat();
            let bytes = text.as_bytes();
            for vectors in Vectors::available() {
                for at in 0..bytes.len() {
                    if let Some(found) = vectors.run(ReadText(bytes, at)) {
                        prop_assert_eq!(found, plain_text(bytes, at), "{:?} {} {:?}", vectors, at, &text);
                    }
                }
                for (at, _) in text.match_indices('<') {
                    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
                    if letter(at + 1) && let Some(found) = vectors.run(ReadStartTag(bytes, at)) {
                        prop_assert_eq!(Some(found), plain_start_tag(bytes, at), "{:?} {} {:?}", vectors, at, &text);
                    }
                    if bytes.get(at + 1) == Some(&b'/')
                        && letter(at + 2)
                        && let Some((tag, name_end, end)) = vectors.run(ReadEndTag(bytes, at))
                    {
                        let Markup::Tag(raw) = markup(bytes, at) else { panic!("no tag at {at} in {text:?}") };
                        let expected = (Tag::at(bytes, raw.name), raw.name.1, raw.end);
                        prop_assert_eq!((tag, name_end, end), expected, "{:?} {} {:?}", vectors, at, &text);
                    }
                }
            }
        }
    }
}
