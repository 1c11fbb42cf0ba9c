//! Renders the report on a page from templates, as a whole HTML page or as a fragment for other pages.
//!
//! A page is drawn as a row of bars. All text from the page is escaped. A
//! Content-Security-Policy forbids every request, and every script except that of the report.

use std::{cmp::Reverse, collections::BTreeMap, fmt, fmt::Write as _};

use askama::Template;
use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};
use trommel::extract::Decider;

use crate::viewer::report_data::{Row, View, grouped, word_count};

/// Style sheet of the report.
pub const STYLE: &str = include_str!("../../assets/viewer/viewer.css");
/// Script of the report: `showBlocks(root)` enables the controls of a fragment.
pub const SCRIPT: &str = include_str!("../../assets/viewer/viewer.js");
/// HTML of the report's controls, which the script shows.
const CONTROLS: &str = include_str!("../../assets/viewer/controls.html");
const START: &str = "showBlocks(document.body);";

/// Maximum bytes of HTML for the blocks of a report, so that a browser can open even the report of a hostile page.
const BLOCKS_BYTES: usize = 14 << 20;
/// Maximum bytes of HTML for each output of a report (text and Markdown).
const TEXT_BYTES: usize = 2 << 20;
/// Maximum bytes of HTML for the text of one block in a report.
const BLOCK_TEXT: usize = 20_000;

#[derive(Template)]
#[template(path = "report.html")]
struct Report<'a> {
    title: &'a str,
    fragment: String,
    script: String,
    digest: String,
}

#[derive(Template)]
#[template(path = "fragment.html")]
struct Fragment<'a> {
    view: &'a View<'a>,
    blocks: String,
}

#[derive(Template)]
#[template(path = "block.html")]
struct BlockTemplate<'a> {
    number: usize,
    row: &'a Row<'a>,
    text: &'a str,
    lang: Option<&'a str>,
}

/// Returns the report on a page as one complete HTML file.
///
/// # Errors
/// Fails only if formatting fails.
pub fn report(view: &View) -> Result<String, fmt::Error> {
    let script = format!("{SCRIPT}{START}");
    let digest = BASE64.encode(&Sha256::digest(script.as_bytes()));
    rendered(&Report { title: view.shown_title(), fragment: fragment(view)?, script, digest })
}

/// Returns the report on a page as a part of another HTML page, which must include [`STYLE`] and [`SCRIPT`].
///
/// # Errors
/// Fails only if formatting fails.
pub fn fragment(view: &View) -> Result<String, fmt::Error> {
    rendered(&Fragment { view, blocks: blocks(view)? })
}

fn rendered(template: &impl Template) -> Result<String, fmt::Error> {
    let mut out = String::new();
    template.render_into(&mut out).map_err(|_| fmt::Error)?;
    out.push('\n');
    Ok(out)
}

impl View<'_> {
    fn shown_title(&self) -> &str {
        fitting(self.title.as_deref().unwrap_or("Page without a title"), 2000)
    }

    /// Returns for text and Markdown the name, the title, the shown text, and the number of bytes left out, if any.
    fn outputs(&self) -> [(&str, &str, &str, Option<String>); 2] {
        [("text", "Text", &self.plain), ("markdown", "Markdown", &self.markdown)].map(|(name, title, text)| {
            let shown = fitting(text, TEXT_BYTES);
            let rest = (text.len() - shown.len()) as u64;
            (name, title, shown, (rest > 0).then(|| grouped(rest)))
        })
    }
}

/// Returns the longest prefix of a text that takes at most `most` bytes when it is escaped for HTML.
fn fitting(text: &str, most: usize) -> &str {
    if text.len() <= most / 6 {
        return text;
    }
    let mut written = 0;
    let fits = |&(_, c): &(usize, char)| {
        written += if "&<>\"'".contains(c) { 6 } else { c.len_utf8().max(if c.is_control() { 3 } else { 1 }) };
        written <= most
    };
    let end = text.char_indices().take_while(fits).last();
    let end = end.map_or(0, |(at, c)| at + c.len_utf8());
    text.get(..end).unwrap_or_default()
}

/// Renders the blocks in the order of the page; dropped blocks in a row are folded.
fn blocks(view: &View) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let mut number = 0;
    for run in view.rows.chunk_by(|a, b| !a.kept && !b.kept) {
        if out.len() > BLOCKS_BYTES {
            break;
        }
        let is_dropped = run.first().is_some_and(|row| !row.kept);
        if is_dropped {
            fold(&mut out, run)?;
        }
        for row in run {
            if out.len() > BLOCKS_BYTES {
                break;
            }
            number += 1;
            let text = fitting(&row.text, BLOCK_TEXT);
            out += &rendered(&BlockTemplate { number, row, text, lang: view.lang.as_deref() })?;
        }
        if is_dropped {
            out.push_str("</details>\n");
        }
    }
    if number < view.rows.len() {
        writeln!(
            out,
            "<p class=\"note\">{} more blocks are left out here, so that the report can be opened.</p>",
            grouped((view.rows.len() - number) as u64)
        )?;
    }
    Ok(out)
}

/// Begins a run of dropped blocks with a summary: their number, their words and their most frequent roles.
fn fold(out: &mut String, run: &[Row]) -> fmt::Result {
    let words: u64 = run.iter().map(|row| u64::from(row.words)).sum();
    let mut roles: BTreeMap<&str, usize> = BTreeMap::new();
    for role in run.iter().filter_map(|row| row.role) {
        *roles.entry(role).or_default() += 1;
    }
    let mut roles: Vec<_> = roles.into_iter().collect();
    roles.sort_by_key(|(name, count)| (Reverse(*count), *name));
    let names: Vec<&str> = roles.into_iter().take(3).map(|(name, _)| name).collect();
    let plural = if run.len() == 1 { "" } else { "s" };
    let lead = if names.is_empty() { "" } else { ": " };
    writeln!(
        out,
        "<details class=\"run\"><summary>{} dropped block{plural}, {}{lead}{}</summary>",
        grouped(run.len() as u64),
        word_count(words),
        names.join(", ")
    )
}

fn log_odds(probability: &f32) -> f64 {
    let p = f64::from(*probability);
    (p / (1.0 - p)).ln()
}

/// Renders log odds as a bar to the left (negative) or right, whose length is their share of `largest`.
fn bar(odds: &f64, largest: f64) -> String {
    let side = if *odds < 0.0 { "n" } else { "y" };
    let width = odds.abs() / largest.max(f64::MIN_POSITIVE) * 50.0;
    format!("<i class=\"{side}\" style=\"--w:{width:.1}\"></i>")
}

/// Maximum number of bars in the strip that shows a page's first blocks, one bar per block.
const BARS: usize = 2000;
/// Height of the tallest bar, in the units of `strip.svg`.
const HALF_HEIGHT: f64 = 50.0;

fn bars<'a>(view: &'a View<'_>) -> &'a [Row<'a>] {
    view.rows.get(..BARS).unwrap_or(&view.rows)
}

/// Returns the number of words of the tallest bar's block.
fn most_words(bars: &[Row<'_>]) -> u32 {
    bars.iter().map(|row| row.words).max().unwrap_or(0)
}

/// Returns the height of a bar for a block of `words` words, where the longest block has `most`. The height grows with
/// the square root, so that short blocks remain visible.
fn height(words: &u32, most: &u32) -> f64 {
    let share = f64::from(*words) / f64::from((*most).max(1));
    (share.sqrt() * HALF_HEIGHT).max(2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::reasons::{Reasons, Topic};

    fn view(rows: Vec<Row<'_>>) -> View<'_> {
        View { rows, ..View::default() }
    }

    fn written(row: Row) -> String {
        blocks(&view(vec![Row { kept: true, ..row }])).unwrap()
    }

    #[test]
    fn a_role_is_shown_only_where_it_is_known() {
        let plain = || Row { text: "a < b".into(), probability: 0.25, words: 2, ..Row::default() };
        let out = written(plain());
        assert!(out.contains("id=\"b1\" style=\"--p:0.250;--d:0\""), "{out}");
        assert!(out.contains("<p class=\"t\" dir=\"auto\">a &#60; b</p>"), "{out}");
        assert!(!out.contains("class=\"r\"") && !out.contains("<details"), "{out}");
        let out = written(Row { role: Some("headline"), ..plain() });
        assert!(out.contains("<b class=\"r\">headline</b>"), "{out}");
    }

    #[test]
    fn runs_of_dropped_blocks_are_folded() {
        let row = |kept, role| Row { kept, role: Some(role), words: 2, ..Row::default() };
        let rows = vec![
            row(false, "menu"),
            row(false, "links"),
            row(false, "links"),
            row(true, "body"),
            row(true, "body"),
            row(false, "footer"),
        ];
        let out = blocks(&view(rows)).unwrap();
        assert_eq!(out.matches("<details class=\"run\">").count(), 2);
        assert!(out.starts_with("<details class=\"run\"><summary>3 dropped blocks, 6 words: links, menu</summary>"));
        assert!(out.contains("<summary>1 dropped block, 2 words: footer</summary>"));
        let kept = out.find("<article class=\"b k\" id=\"b4\"").unwrap();
        assert!(out[..kept].trim_end().ends_with("</details>"), "{out}");
        assert_eq!(out.matches("</details>").count(), 2);
    }

    #[test]
    fn long_texts_are_cut_by_what_they_take_when_escaped() {
        assert_eq!(fitting("abc", 3), "abc");
        assert_eq!(fitting("a&b&c", 8), "a&b");
        assert_eq!(fitting("ééé", 5), "éé");
        let hostile = View { plain: "\"".repeat(10_000_000), ..View::default() };
        let out = fragment(&hostile).unwrap();
        assert!(out.len() < TEXT_BYTES + 1500, "{}", out.len());
        assert!(out.contains("more bytes are left out here"));
    }

    #[test]
    fn reports_have_a_bound() {
        let rows = (0..200_000).map(|_| Row { text: "\"x\" ".repeat(40).into(), ..Row::default() }).collect();
        let out = blocks(&view(rows)).unwrap();
        assert!(out.len() < 16 << 20, "{}", out.len());
        assert!(out.contains("more blocks are left out here"));
        assert_eq!(out.matches("<details").count(), out.matches("</details>").count());
    }

    #[test]
    fn bars_go_left_and_right_by_size() {
        let reasons = Some(Reasons { topics: vec![(Topic::Links, -2.0), (Topic::Prose, 0.5)], sum: -1.5 });
        let out = written(Row { probability: 1.0, reasons, ..Row::default() });
        assert!(out.contains("log odds +inf"));
        let lines = [
            "<tr><th>links<td>-2.0000<td><i class=\"n\" style=\"--w:50.0\"></i>\n",
            "<tr><th>the prose around it<td>+0.5000<td><i class=\"y\" style=\"--w:12.5\"></i>\n",
        ];
        assert!(lines.iter().all(|line| out.contains(line)), "{out}");
    }

    #[test]
    fn bars_stand_or_hang_and_name_their_blocks() {
        let row = |words, kept| Row { words, kept, probability: 0.25, ..Row::default() };
        let out = fragment(&view(vec![row(1600, true), row(400, false)])).unwrap();
        let at = out.find("<svg").unwrap();
        let lines: Vec<&str> = out[at..].lines().collect();
        assert!(lines[0].contains("viewBox=\"0 0 2 100\""), "{out}");
        assert!(lines[1].starts_with("<a href=\"#b1\" tabindex=\"-1\"><title>Block 1: kept, 0.250, 1,600 words<"));
        let rect = "<rect x=\"0\" y=\"0.0\" width=\".9\" height=\"50.0\" style=\"--p:0.250\"/>";
        assert!(lines[1].contains(rect), "{out}");
        let rect = "<rect x=\"1\" y=\"50.0\" width=\".9\" height=\"25.0\" style=\"--p:0.250\"/>";
        assert!(lines[2].contains(rect), "{out}");
        let many = fragment(&view((0..BARS + 1).map(|_| row(0, false)).collect())).unwrap();
        assert_eq!(many.matches("height=\"2.0\"").count(), BARS);
    }

    #[test]
    fn nothing_of_a_page_gets_out_of_its_place() {
        let hostile = "\"><script>alert('1')</script>";
        let row = Row { text: hostile.into(), path: hostile.into(), kept: true, ..Row::default() };
        let page = View {
            title: Some(hostile.into()),
            url: Some(hostile),
            lang: Some(hostile.into()),
            plain: hostile.into(),
            markdown: hostile.into(),
            rows: vec![row],
            ..View::default()
        };
        let out = fragment(&page).unwrap();
        assert!(!out.contains("<script") && !out.contains("\">\""), "{out}");
        assert_eq!(out.matches("&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)").count(), 9, "{out}");
    }
}
