//! Where in the page the characters of a block's text stand.

use crate::markup::Tag;
use crate::markup::lex::{Markup, markup};

/// Longest character reference, in bytes.
const LONGEST_REFERENCE: usize = 48;

/// The bytes of the decoded page from which the part `from..to` (bytes) of a block's text was read: `text` is
/// the block's whole text, `span` its place. The whole place if the text does not stand in the page as it is,
/// as formulas do not. Time is linear in the block.
pub fn source_range(
    html: &str,
    span: (u32, u32),
    text: &str,
    (from, to): (usize, usize),
) -> (u32, u32) {
    let range = Alignment {
        wanted: text.char_indices().filter(|(_, c)| !c.is_whitespace()),
        part: (from, to),
        found: None,
    };
    match range.over(html, (span.0 as usize, span.1 as usize)) {
        Some((start, end)) => (start as u32, end as u32),
        None => span,
    }
}

struct Alignment<I> {
    wanted: I,
    part: (usize, usize),
    found: Option<(usize, usize)>,
}

impl<I: Iterator<Item = (usize, char)>> Alignment<I> {
    fn over(mut self, html: &str, (start, end): (usize, usize)) -> Option<(usize, usize)> {
        let bytes = html.as_bytes();
        let mut at = start;
        while at < end {
            let rest = bytes.get(at..end)?;
            let lt = memchr::memchr(b'<', rest).map_or(end, |lt| at + lt);
            self.text(html.get(at..lt)?, at)?;
            if lt >= end {
                break;
            }
            if bytes.get(lt..)?.starts_with(b"<!--") {
                at = lt + 3 + memchr::memmem::find(bytes.get(lt..)?, b"-->")?;
                continue;
            }
            at = match markup(bytes, lt) {
                Markup::Tag(raw) => {
                    let name = bytes.get(raw.name.0..raw.name.1)?;
                    let tag = Tag::from_name(name);
                    if tag.is_skipped() && !raw.is_end {
                        // Its content is no text; where its end is, is not told here.
                        return None;
                    }
                    raw.end
                }
                Markup::Skip(next) if next == lt + 1 => {
                    self.character('<', lt, lt + 1)?;
                    next
                }
                Markup::Skip(next) => next,
                Markup::Cut { .. } => return None,
            };
        }
        self.found
    }

    fn text(&mut self, raw: &str, offset: usize) -> Option<()> {
        let mut at = 0;
        while let Some(rest) = raw.get(at..).filter(|rest| !rest.is_empty()) {
            let first = rest.chars().next()?;
            let reference = (first == '&').then(|| {
                let end = rest
                    .bytes()
                    .take(LONGEST_REFERENCE)
                    .position(|byte| byte == b';');
                end.and_then(|end| rest.get(..=end))
            });
            if let Some(Some(reference)) = reference {
                let decoded = htmlize::unescape(reference);
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
        let is_ignored = c.is_control() || matches!(c, '\u{ad}' | '\u{200b}' | '\u{feff}');
        if c.is_whitespace() || is_ignored {
            return Some(());
        }
        let (at, wanted) = self.wanted.next()?;
        if wanted != c {
            return None;
        }
        if at >= self.part.0 && at < self.part.1 {
            let first = self.found.map_or(start, |(first, _)| first);
            self.found = Some((first, end));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::source_range;
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
    fn what_is_not_in_the_page_as_it_is_has_the_place_of_its_block() {
        let html = "<p>so <math><mi>x</mi></math> is";
        let page = ScanEngine.read(html, &Limits::default());
        let block = &page.blocks[0];
        assert_eq!(
            source_range(html, block.span, page.text(block), (0, 2)),
            block.span
        );
    }
}
