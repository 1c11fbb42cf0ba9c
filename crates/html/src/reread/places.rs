//! Finds the bytes of the page from which a text comes, and proves that a text is in its byte range of a page.
//!
//! The proof compares the letters and digits of both. A page gives the text between its tags, with character references
//! decoded and comments left out. It also gives the values of attributes for words that are not in the text, such as
//! the source of a formula. These parts of the text are ignored: addresses of links, the marks `[1]` and `[^1]` of
//! notes, numbers before items, marks of tasks, names of languages behind fences, and commands of TeX, which MathML
//! gives by its elements.

use std::ops::Range;

use trommel_text::plain_sign;

use super::{Piece, Pieces, TagPiece};
use crate::build::{MAX_REFERENCE_BYTES, decode, is_ignored};
use crate::markup::Tag;

/// Returns whether a part of a text is in the byte range `place` of its decoded page: the words of each line, in order.
/// Additional words of the page do not count, nor do the order of the lines (captions, notes may move) and the ends of
/// words: `art` is found in `heart`. If the part has no letters, each sign must be in the range.
/// False for a range outside of the page.
pub fn stands_at(part: &str, decoded: &str, place: Range<usize>) -> bool {
    let Some(source) = decoded.get(place) else { return false };
    // The page has plain letters in elements that raise or lower them.
    let (has_letters, part) = (part.contains(char::is_alphanumeric), part.chars().map(plain_sign).collect::<String>());
    let part = without_addresses(&part);
    // Most scripts and drawings are no text, but formulas stand in some.
    [(false, false), (false, true), (true, false)].into_iter().any(|(with_programs, with_images)| {
        let (text, values) = texts(source, with_programs, with_images);
        if !has_letters {
            // Each sign must stand there, but for those of Markdown.
            let is_mark = |c: char| c.is_whitespace() || "#*-_>|`:\\".contains(c);
            return part.chars().all(|c| is_mark(c) || text.contains(c));
        }
        let values = letters(&values);
        // A backslash stands for itself on a page, and begins an escape in a script.
        stands_in(&part, &letters(&text), &values)
            || text.contains('\\') && stands_in(&part, &letters(&unescaped(&text)), &values)
    })
}

/// Returns whether the words of a part of a text, line by line, are in the letters of a page or of its attributes.
fn stands_in(part: &str, page: &str, values: &str) -> bool {
    let stands = |words: &str| {
        let mut rest = page;
        words.split(|c: char| !c.is_alphanumeric()).all(|word| match rest.split_once(word) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => values.contains(word) || is_address(word, part),
        })
    };
    part.lines().all(|line| {
        // As it is, as in code; else without the marks of Markdown.
        if page.contains(&letters(line)) {
            return true;
        }
        let Some(words) = words_of_line(line) else { return true };
        // A cell that spans several rows stands in each of them.
        let is_row = line.trim_start_matches(['>', ' ']).starts_with('|');
        stands(&words) || is_row && line.split('|').all(|cell| words_of_line(cell).is_none_or(|words| stands(&words)))
    })
}

/// Returns whether a word is in a percent-encoded address that `part` contains, such as the visible text of a link.
fn is_address(word: &str, part: &str) -> bool {
    part.split_whitespace().any(|token| token.contains("://") && token.contains('%') && token.contains(word))
}

/// Returns the letters and digits of a text, with superscripts and subscripts as plain characters.
fn letters(text: &str) -> String {
    text.chars().map(plain_sign).filter(|c| c.is_alphanumeric()).collect()
}

/// Returns the text of a part of a page without tags and comments, and the values of all attributes.
/// The flags add the contents of scripts, style sheets and drawings, and the `alt` of images, to the text.
fn texts(source: &str, with_programs: bool, with_images: bool) -> (String, String) {
    let (mut text, mut values) = (String::with_capacity(source.len()), String::new());
    let mut pieces = Pieces::new(source, 0);
    while let Some(piece) = pieces.next() {
        let tag = match piece {
            Piece::Text(part, _) => {
                text.push_str(part);
                continue;
            }
            Piece::Tag(tag) => tag,
            Piece::Cut(_) => break,
        };
        for (name, value) in tag.attributes() {
            let value = decode(value);
            if with_images && tag.tag == Tag::Img && name.eq_ignore_ascii_case(b"alt") {
                text.push_str(&value);
            }
            values.push_str(&value);
            values.push(' ');
        }
        if !with_programs && !tag.raw.is_end && matches!(tag.tag, Tag::Script | Tag::Style | Tag::Svg) {
            // Up to its end tag, if it has one: it may hold signs of tags.
            let end = super::find_ignoring_case(source, pieces.at, &format!("</{}", tag.tag.name()));
            pieces.at = end.unwrap_or(pieces.at);
        }
    }
    (htmlize::unescape(text).into_owned(), values)
}

/// Returns a text with the escapes of scripts (`\u003c`, `\n`) decoded or replaced by a space.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.strip_prefix('u').and_then(|rest| rest.get(..4));
        match code.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32) {
            Some(c) => {
                out.push(c);
                out.push_str(part.get(5..).unwrap_or_default());
            }
            None => {
                out.push(' ');
                out.push_str(part.strip_prefix(['n', 't', 'r']).unwrap_or(part));
            }
        }
    }
    out
}

/// Returns a Markdown text without the addresses of its links and images.
fn without_addresses(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let mut rest = part;
    while let Some((text, address)) = rest.split_once("](") {
        out.push_str(text);
        let mut is_escaped = false;
        let end = address.find(|c: char| {
            let ends = !is_escaped && c == ')' || c == '\n';
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        rest = end.and_then(|end| address.get(end..)).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Returns the words of a Markdown line without Markdown marks such as `#` and `>`; `None` if no word is left.
fn words_of_line(line: &str) -> Option<String> {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '>' | '-' | '*' | '#' | '|');
    let mut line = line.trim_start_matches(is_mark);
    if line.starts_with("```") {
        return None;
    }
    // The first item of a list in an item has two numbers.
    while let Some(rest) = line.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['.', ')'])
        && line.starts_with(|c: char| c.is_ascii_digit())
    {
        line = rest.trim_start_matches(is_mark);
    }
    // The mark of a task that is done.
    let mut rest = line.strip_prefix("[x] ").unwrap_or(line);
    let mut out = String::with_capacity(line.len());
    while let Some(at) = rest.find(['[', '\\', '<']) {
        let (before, mark) = rest.split_at(at);
        out.push_str(before);
        let note = mark.strip_prefix('[').and_then(|inner| inner.split_once(']'));
        let number = note.map(|(label, _)| label.trim_start_matches(['^', '!']));
        let is_note = number.is_some_and(|label| {
            !label.is_empty()
                && label.len() <= 10
                && (label.bytes().all(|b| b.is_ascii_digit()) || mark.starts_with("[!"))
        });
        let command = mark.strip_prefix('\\').map(|name| name.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
        match (note, command) {
            (Some((_, behind)), _) if is_note => rest = behind,
            _ if mark.starts_with("<br>") => rest = mark.get("<br>".len()..).unwrap_or_default(),
            (_, Some(behind)) => rest = behind,
            _ => rest = mark.get(1..).unwrap_or_default(),
        }
        out.push(' ');
    }
    out.push_str(rest);
    out.contains(char::is_alphanumeric).then_some(out)
}

/// Returns the byte range of the decoded page from which the part `from..to` (bytes) of a block's text was read.
/// `text` is the block's whole text, and `span` its byte range in the page. If the text is not in the page as it is, as
/// with formulas, `span` is returned. Time is linear in the block.
pub fn source_range(html: &str, span: (u32, u32), text: &str, part: (usize, usize)) -> (u32, u32) {
    let found = source_ranges(html, span, text, &[part]);
    found.first().copied().unwrap_or(span)
}

/// Returns the byte ranges like [`source_range`] for several parts, which are in order and do not overlap, in one pass.
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
    /// Index in `parts` of the first part that ends after the current character.
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

    /// Handles a tag for which a sign may have been added to the text: quotation marks of `q`, brackets of ruby, the
    /// `alt` of an image.
    fn sign(&mut self, found: &TagPiece) {
        let next = self.wanted.clone().next().map(|(_, c)| c);
        let sign = match found.tag {
            Tag::Img => found.value("alt").unwrap_or_default().chars().filter(|c| !c.is_whitespace()).collect(),
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

    /// Matches a character of the page with the next character of the text; returns `None` if they differ.
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
    use super::{source_range, source_ranges, stands_at};
    use crate::{Engine, Limits, ScanEngine};

    fn is_proven(part: &str, page: &str) -> bool {
        stands_at(part, page, 0..page.len())
    }

    #[test]
    fn words_of_the_page_are_proven_in_the_order_of_their_lines() {
        let page = "<p title='of the mill'>The <b>mill</b> &amp; its wheel<!-- no --></p><ul><li>One<li>Two</ul>";
        assert!(is_proven("The mill & its wheel\nOne\nTwo", page));
        assert!(is_proven("The **mill** & its wheel[^1]\n\n- One\n- Two", page));
        assert!(is_proven("1. 1. One\n   2. Two", page));
        assert!(is_proven("[The mill](https://a.example/x_(y\\)) wheel", page));
        assert!(is_proven("![of the mill](https://a.example/x.png)\n\nThe wheel", page));
        assert!(!is_proven("![of the river](https://a.example/x.png)\n\nThe wheel", page));
        assert!(is_proven("Two\nOne", page));
        for wrong in ["wheel its", "The mill no", "The mills", "Two One", "Three"] {
            assert!(!is_proven(wrong, page), "{wrong}");
        }
        assert!(!stands_at("The", page, 0..9000));
        let small = "<p>An area of 10<sup>2</sup> m² and x<sub>i</sub>";
        assert!(is_proven("An area of 10² m² and xᵢ", small) && is_proven("An area of 10^2 m² and x_i", small));
        assert!(!is_proven("An area of 10³ m² and xᵢ", small));
        let table = "<td rowspan=2>Ada<td>mill<td><li>one<li>two<tr><td colspan=2>wheel";
        assert!(is_proven("| Ada | mill | one<br>two |\n| Ada | wheel | wheel |", table));
        assert!(!is_proven("| Ada | mill | one<br>three |", table));
    }

    #[test]
    fn the_text_of_an_image_may_stand_within_the_next_word() {
        let page = "<p>Dear Ann, <img alt=':D'> DDR is gone</p>";
        assert!(is_proven("Dear Ann, :D DDR is gone", page));
        assert!(!is_proven("Dear Ann, :P DDR is gone", page));
        assert!(is_proven("今日は晴れですにこ", "今日は晴れです<img src=x alt=\"にこ\">"));
    }

    #[test]
    fn links_may_be_images() {
        let page =
            "<p>A detail. <a href=x><img alt='View the mill. Opens here'></a><br><a href=x>See more</a> - Opens there";
        assert!(is_proven("A detail. [View the mill. Opens here](x)\\\n[See more](x) - Opens there", page));
        assert!(!is_proven("A detail. [View the wheel](x)\\\n[See more](x) - Opens there", page));
    }

    #[test]
    fn links_behind_the_signs_of_an_image_are_none() {
        let page = "<p>a report ![<i><a href='http://e/7'>*x today</a></i> of it";
        assert!(is_proven("a report ![[*\\*x today*](http://e/7) of it", page));
        assert!(!is_proven("a report ![[*\\*y today*](http://e/7) of it", page));
    }

    #[test]
    fn programs_end_where_their_tag_does() {
        let page = "<p>One <script>if (a<b) x=\"it's</script>two<style>a>b{c:'d}</style> three</p>";
        assert!(is_proven("One two three", page));
        assert!(is_proven("- [x] One\n- [ ] two", page));
        let quoted = "<p><img alt=\"it's a mill\" src=x><img alt='the \"wheel\"'>One";
        assert!(is_proven("![it's a mill](x)\n\n![the \"wheel\"](y)\n\nOne", quoted));
        // The number of an item is not that of a heading further down.
        assert!(is_proven("1. One\n2. Two\n\n## 1. One", "<ol><li>One<li>Two</ol><h2>1. One"));
        assert!(is_proven("ab", "<p>a<script>x</script>b"));
        assert!(is_proven("Mar 62", "<p>Mar 6<a href=#c><svg><title>Comments</title><path d=m/></svg>2</a>"));
        assert!(is_proven("a b c", "<p>a<svg/> b <svg></svg>c"));
        assert!(!is_proven("One four", page));
    }

    #[test]
    fn notes_stand_anywhere_on_the_page() {
        let page = "<p>One<sup>1</sup><aside>first note</aside><p>two<sup>2</sup><aside>second note</aside><p>end.";
        assert!(is_proven("One[^1]\n\ntwo[^2]\n\nend.\n\n[^1]: first note\n\n[^2]: second note", page));
        assert!(is_proven("One[1]\n\nend.\n\n[1] first note", page));
        assert!(!is_proven("One[^1]\n\n[^1]: third note", page));
    }

    #[test]
    fn formulas_are_proven_by_their_parts() {
        let page = "<p>It is <math><mfrac><mi>a</mi><mi>b</mi></mfrac></math> and <img alt='\\sum x_i'>.";
        assert!(is_proven("It is $\\frac{a}{b}$ and $\\sum x_i$.", page));
        assert!(!is_proven("It is $\\frac{a}{c}$", page));
    }

    #[test]
    fn texts_of_scripts_are_proven() {
        assert!(is_proven("M\u{fc}hle am\nBach", r#""<p>M\u00fchle am\nBach""#));
        assert!(is_proven("if a < b", "if a < b"));
        assert!(is_proven("\\u0000 to \\u0003", "<p>\\u0000 to \\u0003"));
    }

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
