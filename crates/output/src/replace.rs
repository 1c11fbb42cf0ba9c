//! Puts the text of another extractor into a record, and keeps the places of those parts that are in it.
//!
//! A line of the old text has its places in the page. A line of the new text that is equal to it has the same ones. Lines
//! that several lines are equal to have them in their order if there are as many in both texts, else none: which one is
//! meant cannot be known.

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_extract::{DocumentTable, TextSpan};
use trommel_text::{language, without_controls};

use crate::OutputRecord;

/// Characters between two noted places of a text.
// A place is then found in at most so many steps, with a 64th of the memory.
const STRIDE: usize = 64;

/// The text of another extractor for a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacement {
    /// The text.
    pub text: String,
    /// Title of the page; none leaves that of the record.
    pub title: Option<String>,
    /// The name of the extractor.
    pub by: String,
}

impl OutputRecord {
    /// Takes a text in place of its own, and says by whom it is. Spans and chunks stay as far as their text stands in the
    /// new one, at its place there, and so do headings, tables and posts; the others are taken out. Lines that are equal to
    /// a block of the page have the span of the block. The language is that of the new text. The rest stays: `confidence`
    /// and `blocks` tell what the model thought of the page.
    pub fn replace(&mut self, new: Replacement) {
        let text = new.text.replace("\r\n", "\n").replace('\r', "\n").trim_matches('\n').to_owned();
        let old = std::mem::replace(&mut self.text, text);
        let (old, new_text) = (Lines::of(&old), Lines::of(&self.text));
        let moved = moved(&old, &new_text);
        let mut spans: Vec<TextSpan> = (self.spans.iter())
            .filter_map(|span| {
                let (part, start) = moved.place(span.start, span.chars)?;
                (old.part(span.start, span.chars)? == part).then_some(TextSpan { start, ..*span })
            })
            .collect();
        self.chunks.retain_mut(|chunk| match moved.place(chunk.start, chunk.chars) {
            Some((part, start)) if part == chunk.text => {
                chunk.start = start;
                true
            }
            _ => false,
        });
        self.chunks.sort_by_key(|chunk| chunk.start);
        spans.extend(spans_of_blocks(self, &new_text, &spans));
        spans.sort_by_key(|span| span.start);
        let mut end = 0;
        spans.retain(|span| {
            let is_apart = span.start >= end;
            end = end.max(span.start.saturating_add(span.chars));
            is_apart
        });
        let known: FxHashSet<&str> = new_text.lines.iter().map(|line| line.key).collect();
        let titles: FxHashSet<&str> = known.iter().map(|line| line.trim_start_matches('#').trim()).collect();
        self.headings.retain(|heading| titles.contains(heading.trim()));
        self.posts.retain(|post| Lines::of(&post.text).lines.iter().all(|line| known.contains(line.key)));
        let cells: FxHashSet<&str> = known.iter().flat_map(|line| line.split(['\t', '|'])).map(str::trim).collect();
        self.tables.retain(|table| has_cells(table, &cells));
        if let Some(found) = language::detect(&self.text) {
            self.lang = Some(found);
        }
        if let Some(title) = new.title.filter(|title| !title.trim().is_empty()) {
            self.title = Some(without_controls(title.trim()).into_owned());
        }
        self.spans = spans;
        self.by = new.by;
    }
}

/// Whether all cells of a table that hold something are among these.
fn has_cells(table: &DocumentTable, cells: &FxHashSet<&str>) -> bool {
    let mut filled = table.rows.iter().flatten().map(|cell| cell.trim()).filter(|cell| !cell.is_empty());
    filled.all(|cell| cells.contains(cell))
}

/// Spans of lines without one that are equal to blocks of the page.
fn spans_of_blocks(record: &OutputRecord, text: &Lines<'_>, known: &[TextSpan]) -> Vec<TextSpan> {
    let starts: FxHashSet<u32> = known.iter().map(|span| span.start).collect();
    let free = text.lines.iter().filter(|line| !starts.contains(&line.start));
    // Texts of scripts have no place of their own in the page.
    let blocks = record.blocks.iter().filter(|block| block.source == "page");
    let mut pairs = Pairs::default();
    blocks.clone().enumerate().for_each(|(at, block)| pairs.add(block.text.trim(), at, 0));
    let lines: Vec<&Line<'_>> = free.collect();
    lines.iter().enumerate().for_each(|(at, line)| pairs.add(line.key, at, 1));
    let blocks: Vec<_> = blocks.collect();
    let spans = pairs.equal().into_iter().filter_map(|(block, line)| {
        let (block, line) = (blocks.get(block)?, lines.get(line)?);
        let chars = u32::try_from(line.key.chars().count()).ok()?;
        Some(TextSpan { start: line.start, chars, byte: block.start, bytes: block.end.checked_sub(block.start)? })
    });
    spans.collect()
}

/// A line that is not empty, without the white space around it.
#[derive(Clone, Copy, Debug)]
struct Line<'t> {
    key: &'t str,
    /// Its first character, counted in the text.
    start: u32,
}

/// A text, its lines, and where its characters are.
struct Lines<'t> {
    text: &'t str,
    lines: Vec<Line<'t>>,
    /// The byte of every 64th character.
    marks: Vec<usize>,
    /// Number of its characters.
    chars: usize,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let mut lines = Vec::new();
        let mut start = 0usize;
        for line in text.split_inclusive('\n') {
            let key = line.trim();
            let before = line.len() - line.trim_start().len();
            let skipped = line.get(..before).map_or(0, |space| space.chars().count());
            if let (false, Ok(start)) = (key.is_empty(), u32::try_from(start + skipped)) {
                lines.push(Line { key, start });
            }
            start += line.chars().count();
        }
        let marks = text.char_indices().step_by(STRIDE).map(|(byte, _)| byte).collect();
        Self { text, lines, marks, chars: start }
    }

    /// The byte at which a character begins; that after the last one for their number.
    fn byte(&self, char: usize) -> Option<usize> {
        if char > self.chars {
            return None;
        }
        let mark = self.marks.get(char / STRIDE).copied().unwrap_or(self.text.len());
        let rest = self.text.get(mark..)?;
        let ends = rest.char_indices().map(|(byte, _)| byte).chain([rest.len()]);
        ends.take(STRIDE).nth(char % STRIDE).map(|byte| mark + byte)
    }

    /// Some characters of the text from one on.
    fn part(&self, start: u32, chars: u32) -> Option<&'t str> {
        let start = start as usize;
        self.text.get(self.byte(start)?..self.byte(start.checked_add(chars as usize)?)?)
    }
}

/// Equal texts on two sides, in the order in which they stand.
#[derive(Default)]
struct Pairs<'t>(FxHashMap<&'t str, [Vec<usize>; 2]>);

impl<'t> Pairs<'t> {
    fn add(&mut self, key: &'t str, at: usize, side: usize) {
        if let Some(places) = self.0.entry(key).or_default().get_mut(side) {
            places.push(at);
        }
    }

    /// Those of texts that stand as often on both sides.
    fn equal(self) -> Vec<(usize, usize)> {
        let equal = self.0.into_values().filter(|[one, other]| one.len() == other.len());
        equal.flat_map(|[one, other]| one.into_iter().zip(other)).collect()
    }
}

/// Lines of an old text that the new one has, in the order of the old.
struct Moved<'t> {
    to: &'t Lines<'t>,
    /// First character in the old text and in the new one, and number of characters.
    lines: Vec<(u32, u32, u32)>,
}

fn moved<'t>(old: &Lines<'t>, new: &'t Lines<'t>) -> Moved<'t> {
    let mut pairs = Pairs::default();
    old.lines.iter().enumerate().for_each(|(at, line)| pairs.add(line.key, at, 0));
    new.lines.iter().enumerate().for_each(|(at, line)| pairs.add(line.key, at, 1));
    let line =
        |lines: &Lines<'_>, at: usize| lines.lines.get(at).map(|line| (line.start, line.key.chars().count() as u32));
    let pairs = pairs.equal().into_iter();
    let mut lines: Vec<(u32, u32, u32)> = pairs
        .filter_map(|(one, other)| {
            let ((from, chars), (to, _)) = (line(old, one)?, line(new, other)?);
            Some((from, to, chars))
        })
        .collect();
    lines.sort_unstable();
    Moved { to: new, lines }
}

impl<'t> Moved<'t> {
    /// What is in the new text where some characters of the old one should be that begin in one of the lines, and its
    /// start. Whether it is the same has to be compared: they may go beyond the line.
    fn place(&self, start: u32, chars: u32) -> Option<(&'t str, u32)> {
        let line = self.lines.partition_point(|(from, ..)| *from <= start).checked_sub(1)?;
        let (from, to, length) = *self.lines.get(line)?;
        let start = (start - from < length).then_some(to.checked_add(start - from)?)?;
        Some((self.to.part(start, chars)?, start))
    }
}

#[cfg(test)]
mod tests {
    use trommel_extract::{Chunk, Post};

    use super::*;
    use crate::OutputBlock;

    /// A record whose text is that of its blocks which are kept, a line each, at the bytes of a page of lines.
    fn record(blocks: &[(&str, bool)]) -> OutputRecord {
        let mut record = OutputRecord::default();
        let (mut byte, mut start) = (100, 0);
        for (text, kept) in blocks {
            let (chars, bytes) = (text.chars().count() as u32, text.len() as u32);
            let block =
                OutputBlock { text: (*text).into(), start: byte, end: byte + bytes, kept: *kept, ..Default::default() };
            record.blocks.push(OutputBlock { source: "page".into(), ..block });
            if *kept {
                record.text += text;
                record.text.push('\n');
                record.spans.push(TextSpan { start, chars, byte, bytes });
                start += chars + 1;
            }
            byte += bytes + 10;
        }
        record
    }

    fn replaced(blocks: &[(&str, bool)], text: &str) -> OutputRecord {
        let mut record = record(blocks);
        record.replace(Replacement { text: text.into(), title: None, by: "other".into() });
        // Whatever is kept says what it says of the text.
        let chars: Vec<char> = record.text.chars().collect();
        for span in &record.spans {
            let part: String = chars[span.start as usize..][..span.chars as usize].iter().collect();
            let place = (span.byte, span.byte + span.bytes);
            assert!(
                record.blocks.iter().any(|block| (block.start, block.end) == place && block.text == part),
                "{part}"
            );
        }
        record
    }

    fn places(record: &OutputRecord) -> Vec<(u32, u32)> {
        record.spans.iter().map(|span| (span.start, span.byte)).collect()
    }

    #[test]
    fn lines_of_both_texts_keep_their_places() {
        let blocks = [("Die Mühle", true), ("Menü", false), ("Sie steht am Fluß.", true), ("Seit 1850.", true)];
        let same = replaced(&blocks, "Die Mühle\nSie steht am Fluß.\nSeit 1850.\n");
        assert_eq!(same.spans, record(&blocks).spans);
        assert_eq!((same.by.as_str(), same.text.as_str()), ("other", "Die Mühle\nSie steht am Fluß.\nSeit 1850."));
        // Another order and line ends, a line less and a new one.
        let other = replaced(&blocks, "\r\n  Sie steht am Fluß.\r\nEin Satz.\r\nDie Mühle\r\n");
        assert_eq!(places(&other), [(2, 135), (31, 100)]);
        assert_eq!(places(&replaced(&blocks, "Seit 1850!")), []);
        assert_eq!(places(&replaced(&blocks, "")), []);
        // What the model dropped has its place as well.
        assert_eq!(places(&replaced(&blocks, "Menü\nDie Mühle")), [(0, 120), (5, 100)]);
    }

    #[test]
    fn a_line_that_may_be_one_of_several_has_no_place() {
        let blocks = [("More", true), ("Text", true), ("More", false)];
        assert_eq!(places(&replaced(&blocks, "Text")), [(0, 114)]);
        // Once in the old text, twice in the new one, twice on the page.
        assert_eq!(places(&replaced(&blocks, "More\nText\nMore")), [(0, 100), (5, 114), (10, 128)]);
        assert_eq!(places(&replaced(&blocks, "Text\nMore\nMore\nMore")), [(0, 114)]);
        let twice = [("More", true), ("Text", true), ("More", true)];
        assert_eq!(places(&replaced(&twice, "Text\nMore")), [(0, 114)]);
        assert_eq!(places(&replaced(&twice, "More\nMore")), [(0, 100), (5, 128)]);
    }

    #[test]
    fn lists_beside_the_text_keep_what_is_in_it() {
        let mut page = record(&[("One", true), ("Two", true), ("Three", true)]);
        let chunk = |text: &str, start| Chunk {
            text: text.into(),
            start,
            chars: text.len() as u32,
            byte: 7,
            ..Default::default()
        };
        page.chunks = vec![chunk("One\nTwo", 0), chunk("Three", 8)];
        page.headings = vec!["One".into(), "Three".into()];
        page.posts = ["Two", "One\nFour"].map(|text| Post { text: text.into(), ..Default::default() }).into();
        let row =
            |cells: [&str; 2]| DocumentTable { rows: vec![cells.map(str::to_owned).into()], ..Default::default() };
        page.tables = vec![row(["a", ""]), row(["a", "c"])];
        page.title = Some("Title".into());
        let mut with_title = page.clone();
        page.replace(Replacement { text: "Three\n\n## One\nTwo\na\tb".into(), title: None, by: "x".into() });
        assert_eq!(page.chunks, [chunk("Three", 0)]);
        assert_eq!(page.headings, ["One", "Three"]);
        assert_eq!(page.posts.iter().map(|post| post.text.as_str()).collect::<Vec<_>>(), ["Two"]);
        assert_eq!(page.tables, [row(["a", ""])]);
        assert_eq!(page.title.as_deref(), Some("Title"));
        let german = "Der schnelle braune Fuchs springt über den faulen Hund, und niemand wundert sich darüber.";
        with_title.replace(Replacement { text: german.into(), title: Some(" A\u{1b}B ".into()), by: "x".into() });
        assert_eq!((with_title.title.as_deref(), with_title.lang.as_deref()), (Some("AB"), Some("de")));
        assert!(with_title.chunks.is_empty() && with_title.headings.is_empty() && with_title.tables.is_empty());
    }

    #[test]
    fn places_that_are_none_are_taken_out() {
        let mut page = record(&[("One", true), ("Two", true)]);
        let span = |start, chars| TextSpan { start, chars, byte: 0, bytes: 1 };
        page.spans = vec![span(0, 3), span(2, 1), span(u32::MAX, u32::MAX), span(4, 100), span(128, 0)];
        page.chunks = vec![Chunk { text: "One".into(), start: 128, chars: 0, ..Default::default() }];
        page.blocks[1].end = 0;
        page.blocks[1].start = 5;
        page.replace(Replacement { text: "One\nTwo".into(), ..Default::default() });
        assert_eq!((page.spans, page.chunks), (vec![span(0, 3)], Vec::new()));
    }

    #[test]
    fn characters_are_found_in_long_texts() {
        let text: String = (0..1000).map(|at| if at % 7 == 0 { 'ß' } else { 'a' }).collect();
        let lines = Lines::of(&text);
        for (at, (byte, _)) in text.char_indices().enumerate() {
            assert_eq!(lines.byte(at), Some(byte));
        }
        assert_eq!((lines.byte(1000), lines.byte(1001), lines.byte(1024)), (Some(text.len()), None, None));
        assert_eq!(Lines::of("").byte(0), Some(0));
    }
}
