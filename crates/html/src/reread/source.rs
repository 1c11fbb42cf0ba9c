//! Finds the bytes of the page from which the characters of a block's text come.

use super::pieces::{Piece, Pieces, TagPiece};
use crate::build::is_ignored;
use crate::markup::Tag;

/// Maximum bytes of a character reference.
// As while reading, so that both take the same text for a reference.
const MAX_REFERENCE_BYTES: usize = 48;

/// The bytes of the decoded page from which the part `from..to` (bytes) of a block's text was read: `text` is
/// the block's whole text, `span` its place. The whole place if the text does not stand in the page as it is,
/// as formulas do not. Time is linear in the block.
pub fn source_range(html: &str, span: (u32, u32), text: &str, part: (usize, usize)) -> (u32, u32) {
    let found = source_ranges(html, span, text, &[part]);
    found.first().copied().unwrap_or(span)
}

/// Like [`source_range`] of several parts, in order and apart, in one pass over the block.
pub fn source_ranges(html: &str, span: (u32, u32), text: &str, parts: &[(usize, usize)]) -> Vec<(u32, u32)> {
    let alignment = Alignment {
        // White space is folded while reading, so only other characters can be compared.
        wanted: text.char_indices().filter(|(_, c)| !c.is_whitespace()),
        parts,
        next: 0,
        found: vec![None; parts.len()],
    };
    let found = alignment.over(html, (span.0 as usize, span.1 as usize));
    match found {
        Some(found) => {
            found.into_iter().map(|range| range.map_or(span, |(start, end)| (start as u32, end as u32))).collect()
        }
        None => vec![span; parts.len()],
    }
}

struct Alignment<'a, I> {
    wanted: I,
    parts: &'a [(usize, usize)],
    /// The first part that is not passed.
    next: usize,
    found: Vec<Option<(usize, usize)>>,
}

impl<I: Iterator<Item = (usize, char)> + Clone> Alignment<'_, I> {
    fn over(mut self, html: &str, (start, end): (usize, usize)) -> Option<Vec<Option<(usize, usize)>>> {
        for piece in Pieces::new(html.get(..end)?, start) {
            match piece {
                Piece::Text(text, at) => self.text(text, at)?,
                // Its content is no text; where its end is, is not told here.
                Piece::Tag(found) if found.tag.is_skipped() && !found.raw.is_end => return None,
                Piece::Tag(found) => self.sign(&found),
                Piece::Cut(_) => return None,
            }
        }
        Some(self.found)
    }

    /// A tag: reading may have added a sign there, the marks of `q`, brackets in a ruby, or an image.
    fn sign(&mut self, found: &TagPiece) {
        let next = self.wanted.clone().next().map(|(_, c)| c);
        let sign = match found.tag {
            Tag::Img => {
                let alt = found.attributes().find(|(name, _)| name.eq_ignore_ascii_case(b"alt"));
                let alt = alt.map(|(_, value)| String::from_utf8_lossy(value).into_owned()).unwrap_or_default();
                htmlize::unescape_attribute(alt).chars().filter(|c| !c.is_whitespace()).collect()
            }
            Tag::Q => next.filter(|c| "“”„‘’‚«»「」『』".contains(*c)).map(String::from).unwrap_or_default(),
            _ if found.tag == Tag::Rt || found.is_like("rtc") => {
                next.filter(|c| "()（）".contains(*c)).map(String::from).unwrap_or_default()
            }
            _ => return,
        };
        let wanted = self.wanted.clone().map(|(_, c)| c);
        if wanted.take(sign.chars().count()).eq(sign.chars()) {
            for c in sign.chars() {
                self.character(c, found.raw.start, found.raw.end);
            }
        }
    }

    fn text(&mut self, raw: &str, offset: usize) -> Option<()> {
        let mut at = 0;
        while let Some(rest) = raw.get(at..).filter(|rest| !rest.is_empty()) {
            let first = rest.chars().next()?;
            let reference = (first == '&').then(|| {
                let end = rest.bytes().take(MAX_REFERENCE_BYTES).position(|byte| byte == b';');
                end.and_then(|end| rest.get(..=end))
            });
            if let Some(Some(reference)) = reference {
                let decoded = htmlize::unescape(reference);
                // A name that HTML does not know stays as it stands.
                if decoded.as_ref() != reference {
                    for c in decoded.chars() {
                        self.character(c, offset + at, offset + at + reference.len())?;
                    }
                    at += reference.len();
                    continue;
                }
            }
            self.character(first, offset + at, offset + at + first.len_utf8())?;
            at += first.len_utf8();
        }
        Some(())
    }

    /// A character of the page; none if it is not the next of the text.
    fn character(&mut self, c: char, start: usize, end: usize) -> Option<()> {
        if c.is_whitespace() || is_ignored(c) {
            return Some(());
        }
        let (at, wanted) = self.wanted.next()?;
        if wanted != c {
            return None;
        }
        while self.parts.get(self.next).is_some_and(|part| part.1 <= at) {
            self.next += 1;
        }
        if self.parts.get(self.next).is_some_and(|part| part.0 <= at)
            && let Some(found) = self.found.get_mut(self.next)
        {
            let first = found.map_or(start, |(first, _)| first);
            *found = Some((first, end));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{source_range, source_ranges};
    use crate::{Engine, Limits, ScanEngine};

    #[test]
    fn parts_of_a_text_are_cut_out_of_the_page() {
        let html = "<p>x</p><p>One  <b>two</b> &amp;<br>three<!-- <i> --> a < b</p>";
        let page = ScanEngine.read(html, &Limits::default());
        let block = &page.blocks[1];
        let text = page.text(block);
        assert_eq!(text, "One two &\nthree a < b");
        for (part, source) in [
            ("One", "One"),
            ("two", "two"),
            ("One two", "One  <b>two"),
            ("two &", "two</b> &amp;"),
            ("three a", "three<!-- <i> --> a"),
            ("< b", "< b"),
        ] {
            let from = text.find(part).unwrap();
            let (start, end) = source_range(html, block.span, text, (from, from + part.len()));
            assert_eq!(&html[start as usize..end as usize], source, "{part}");
        }
    }

    #[test]
    fn parts_are_found_together_as_alone() {
        let html = "<p>One  <b>two</b> &amp;<br>three &ge; four";
        let page = ScanEngine.read(html, &Limits::default());
        let (span, text) = (page.blocks[0].span, page.text(&page.blocks[0]));
        let parts = [(0, 3), (3, 4), (4, 9), (9, 12), (12, text.len())];
        let alone = parts.map(|part| source_range(html, span, text, part));
        assert_eq!(source_ranges(html, span, text, &parts), alone);
        let (start, end) = alone[2];
        assert_eq!(&html[start as usize..end as usize], "two</b> &amp;");
    }

    #[test]
    fn what_is_not_in_the_page_as_it_is_has_the_place_of_its_block() {
        let html = "<p>so <math><mi>x</mi></math> is";
        let page = ScanEngine.read(html, &Limits::default());
        let block = &page.blocks[0];
        assert_eq!(source_range(html, block.span, page.text(block), (0, 2)), block.span);
    }
}
