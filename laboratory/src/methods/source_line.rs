//! Lines of the source of a page: what CETR's ratios are of.
//!
//! Scripts, styles and comments are left out, and so are lines without text and tags. A tag belongs to the line
//! that it begins on; line breaks inside it do not count. Runs of white space in the text of a line count as one
//! character and those at its ends as none, so that indentation is no text (ours: the source at hand does not say).

use trommel_html::Page;

/// Bytes a line, on average, above which a page is taken to be written without line breaks.
const UNBROKEN: usize = 1_000;
/// Characters after which lines of such pages are broken (the paper's).
const BREAK: usize = 65;
/// Elements that are left out with all that stands in them.
const LEFT_OUT: [&str; 2] = ["script", "style"];

/// A line of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceLine {
    /// Characters outside of tags.
    pub chars: u32,
    /// Tags, start and end tags alike.
    pub tags: u32,
    /// Runs of bytes outside of tags.
    pub texts: Vec<(u32, u32)>,
}

impl SourceLine {
    /// Characters a tag; a line without tags counts as one with one.
    pub fn ratio(&self) -> f32 {
        self.chars as f32 / self.tags.max(1) as f32
    }
}

/// The lines of a page, in time linear in its bytes.
pub(crate) fn source_lines(html: &str) -> Vec<SourceLine> {
    let breaks = html.bytes().filter(|byte| *byte == b'\n').count();
    let is_unbroken = html.len() > UNBROKEN * (breaks + 1);
    let mut lines = Lines::default();
    let mut at = 0;
    let mut since_break = 0;
    while let Some(rest) = html.get(at..).filter(|rest| !rest.is_empty()) {
        let end = at + markup(rest).unwrap_or(0);
        if end > at {
            // What is left out holds no tag of the line, and does not end it.
            if !is_left_out(rest) {
                lines.open.tags += 1;
                since_break += end - at;
            }
            at = end;
        } else {
            // Up to the next `<`, which may be no markup itself.
            let text = rest.find('\n').map_or(rest, |end| &rest[..=end]);
            let text = match text.char_indices().skip(1).find(|(_, c)| *c == '<') {
                Some((end, _)) => &text[..end],
                None => text,
            };
            let text = match is_unbroken {
                true => first_chars(text, BREAK.saturating_sub(since_break).max(1)),
                false => text,
            };
            lines.text(at, text);
            since_break += text.chars().count();
            at += text.len();
            if text.ends_with('\n') {
                lines.end();
                since_break = 0;
            }
        }
        if is_unbroken && since_break >= BREAK {
            lines.end();
            since_break = 0;
        }
    }
    lines.end();
    lines.done
}

fn first_chars(text: &str, count: usize) -> &str {
    let end = text.char_indices().nth(count).map_or(text.len(), |(end, _)| end);
    text.get(..end).unwrap_or(text)
}

/// Lines done, and the one that is being read.
#[derive(Default)]
struct Lines {
    done: Vec<SourceLine>,
    open: SourceLine,
    /// White space was read behind text.
    space: bool,
}

impl Lines {
    fn text(&mut self, at: usize, text: &str) {
        for c in text.chars() {
            if c.is_whitespace() {
                self.space = self.open.chars > 0;
            } else {
                self.open.chars += 1 + u32::from(std::mem::take(&mut self.space));
            }
        }
        if !text.trim().is_empty() {
            let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            self.open.texts.push((place(at), place(at + text.len())));
        }
    }

    fn end(&mut self) {
        self.space = false;
        let line = std::mem::take(&mut self.open);
        if line != SourceLine::default() {
            self.done.push(line);
        }
    }
}

/// Bytes of the tag, comment or left-out element that `rest` starts with; none if it starts with text. What is
/// never closed reaches to the end of the page.
fn markup(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('<')?;
    if let Some(comment) = inside.strip_prefix("!--") {
        return Some(comment.find("-->").map_or(rest.len(), |end| 4 + end + 3));
    }
    if !inside.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
        return None;
    }
    let tag = rest.find('>').map_or(rest.len(), |end| end + 1);
    let Some(name) = left_out(rest) else {
        return Some(tag);
    };
    // Its end tag goes with it.
    let mut from = tag;
    loop {
        let Some(next) = rest.get(from..).and_then(|rest| rest.find("</")) else {
            return Some(rest.len());
        };
        from += next + 2;
        let behind = rest.get(from..).unwrap_or_default();
        if starts_with_name(behind, name) {
            return Some(behind.find('>').map_or(rest.len(), |end| from + end + 1));
        }
    }
}

fn is_left_out(rest: &str) -> bool {
    rest.starts_with("<!--") || left_out(rest).is_some()
}

/// Name of the left-out element whose start tag `rest` begins with.
fn left_out(rest: &str) -> Option<&'static str> {
    let inside = rest.strip_prefix('<')?;
    LEFT_OUT.into_iter().find(|name| starts_with_name(inside, name))
}

fn starts_with_name(text: &str, name: &str) -> bool {
    let prefix = text.get(..name.len());
    prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(name))
        && !text.get(name.len()..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// Returns whether each block of a page is content, given which lines are: if most bytes of its text stand in such
/// lines.
pub(crate) fn blocks_of(page: &Page, lines: &[SourceLine], content: &[bool]) -> Vec<bool> {
    // Runs follow each other in the source, line by line.
    let runs: Vec<(u32, u32, bool)> = lines
        .iter()
        .zip(content)
        .flat_map(|(line, content)| line.texts.iter().map(|(from, to)| (*from, *to, *content)))
        .collect();
    page.blocks
        .iter()
        .map(|block| {
            let (start, end) = block.span;
            let first = runs.partition_point(|(_, to, _)| *to <= start);
            let inside = runs.iter().skip(first).take_while(|run| run.0 < end);
            let (mut all, mut kept) = (0, 0);
            for (from, to, content) in inside {
                let bytes = (*to).min(end) - (*from).max(start);
                all += bytes;
                kept += if *content { bytes } else { 0 };
            }
            2 * kept > all
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn counts(html: &str) -> Vec<(u32, u32)> {
        let lines = source_lines(html);
        lines.iter().map(|line| (line.chars, line.tags)).collect()
    }

    #[test]
    fn characters_and_tags_of_lines_by_hand() {
        let html = "<ul>\n  <li><a href=\"x\">Home</a> </li>\n\n<p class=a\n  id=b>Two  words\nand more</p>\n";
        // The tag p goes over a line break: its line starts with it.
        assert_eq!(counts(html), [(0, 1), (4, 4), (9, 1), (8, 1)]);
        assert_eq!(source_lines(html)[1].ratio(), 1.0);
        assert_eq!(source_lines(html)[2].ratio(), 9.0);
        assert_eq!(source_lines("plain")[0].ratio(), 5.0);
    }

    #[test]
    fn scripts_styles_and_comments_are_left_out() {
        let html = "a<script>if (a</b) {\n}</SCRIPT>b\n<!-- <p>no\n</p> -->\n<style>p {}\n</style>\n<styled>c < d";
        assert_eq!(counts(html), [(2, 0), (5, 1)]);
        // Never closed: to the end of the page.
        assert_eq!(counts("a<script>b\nc"), [(1, 0)]);
        assert_eq!(counts("a<!-- b\nc"), [(1, 0)]);
        assert!(counts("").is_empty());
    }

    #[test]
    fn pages_without_line_breaks_are_broken_every_65_characters() {
        let html = format!("<p>{}</p>", "\u{e9}".repeat(1_000));
        let counts = counts(&html);
        // Three characters of the first line are its tag.
        assert_eq!(counts[0], (62, 1));
        assert_eq!(counts[1], (65, 0));
        assert_eq!(counts.iter().map(|(chars, _)| chars).sum::<u32>(), 1_000);
        assert_eq!(counts.last(), Some(&(28, 1)));
        // Many short lines are left as they are.
        assert_eq!(super::source_lines(&"ab\n".repeat(900)).len(), 900);
    }

    #[test]
    fn blocks_follow_most_of_their_text() {
        let html = "<p>one\ntwo words</p><p>three</p>\n<p>four</p>";
        let page = ScanEngine.read(html, &Limits::default());
        let lines = source_lines(html);
        assert_eq!(lines.len(), 3);
        let kept = |content: [bool; 3]| blocks_of(&page, &lines, &content);
        // Nine bytes of the first block and the whole of the second are in the second line.
        assert_eq!(kept([false, true, false]), [true, true, false]);
        assert_eq!(kept([true, false, true]), [false, false, true]);
    }
}
