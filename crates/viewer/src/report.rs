//! The report, and the part of it that other pages show.
//!
//! All text from the page goes through [`Escaped`]. A Content-Security-Policy forbids every request, and
//! every script except that of the report.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};
use trommel_extract::Decider;

use crate::bars::{BARS, bars};
use crate::escape::{Escaped, Grouped, WordCount};
use crate::reasons::{Contribution, Reasons};
use crate::strip;
use crate::view::{Row, View};

/// The style of [`fragment`].
pub const STYLE: &str = include_str!("../assets/viewer.css");
/// The script of [`fragment`]: it defines `showBlocks(container)`, to be called when a fragment has been put
/// into a page.
pub const SCRIPT: &str = include_str!("../assets/viewer.js");
const CONTROLS: &str = include_str!("../assets/controls.html");
/// The other script of the report.
const START: &str = "showBlocks(document.body);";

/// The meaning of the colours.
const SCALE: &str = "<p class=\"scale\">probability of being content: 0 <span></span> 1</p>\n";

/// Bytes of blocks in a report: a browser opens some 20 MB well.
const BLOCKS_BYTES: usize = 14 << 20;
/// Bytes of the text, and of the Markdown, in a report.
const TEXT_BYTES: usize = 2 << 20;
/// Bytes shown of the text of one block.
const BLOCK_TEXT: usize = 20_000;

/// The report on a page: an HTML page that loads nothing.
///
/// # Errors
/// Only if memory runs out.
pub fn report(view: &View) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let script = format!("{SCRIPT}{START}");
    let digest = BASE64.encode(&Sha256::digest(script.as_bytes()));
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{} · trommel inspect</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <p class=\"brand\">trommel inspect</p>\n",
        title(view)
    )?;
    write_fragment(&mut out, view)?;
    writeln!(out, "<script>{script}</script>\n</body>\n</html>")?;
    Ok(out)
}

/// The body of the report for another page, which needs [`STYLE`] and [`SCRIPT`].
///
/// # Errors
/// Only if memory runs out.
pub fn fragment(view: &View) -> Result<String, fmt::Error> {
    let mut out = String::new();
    write_fragment(&mut out, view)?;
    Ok(out)
}

fn write_fragment(out: &mut String, view: &View) -> fmt::Result {
    head(out, view)?;
    if view.rows.is_empty() {
        out.push_str("<p class=\"none\">This page has no text.</p>\n");
    } else {
        out.push_str(SCALE);
        // The controls first: they are reached by keyboard before the strip, whose bars are not.
        out.push_str("<nav id=\"bar\" aria-label=\"Blocks\">\n");
        out.push_str(CONTROLS);
        strip::svg(out, &bars(&view.rows, BARS))?;
        out.push_str("</nav>\n");
    }
    let lang = match &view.lang {
        Some(lang) => format!(" lang=\"{}\"", Escaped(lang)),
        None => String::new(),
    };
    out.push_str("<div class=\"panes\">\n<section class=\"blocks\" aria-label=\"Blocks of the page\">\n");
    blocks(out, &view.rows, &lang)?;
    out.push_str("</section>\n");
    if !view.plain.trim().is_empty() {
        out.push_str("<section class=\"outputs\" aria-label=\"What comes out\">\n");
        output(out, "text", "Text", &view.plain, &lang)?;
        output(out, "markdown", "Markdown", &view.markdown, &lang)?;
        out.push_str("</section>\n");
    }
    out.push_str("</div>\n");
    Ok(())
}

fn title<'a>(view: &'a View) -> Escaped<'a> {
    let title = view.title.as_deref().unwrap_or("Page without a title");
    Escaped(fitting(title, 2000))
}

fn head(out: &mut String, view: &View) -> fmt::Result {
    writeln!(out, "<header class=\"page\">\n<h1 dir=\"auto\">{}</h1>", title(view))?;
    if let Some(url) = view.url {
        writeln!(out, "<p class=\"url\"><bdi>{}</bdi></p>", Escaped(fitting(url, 4000)))?;
    }
    out.push_str("<dl>\n");
    for (name, value) in &view.facts {
        writeln!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", Escaped(value))?;
    }
    out.push_str("</dl>\n");
    for note in &view.left_out {
        writeln!(out, "<p class=\"note\">{}</p>", Escaped(note))?;
    }
    out.push_str("</header>\n");
    Ok(())
}

/// Writes one form of what comes out. The script makes tabs of them; without it they stand one below
/// the other.
fn output(out: &mut String, name: &str, title: &str, text: &str, lang: &str) -> fmt::Result {
    let shown = fitting(text, TEXT_BYTES);
    let rest = match text.len() - shown.len() {
        0 => String::new(),
        rest => format!("<p class=\"note\">{} more bytes are left out here.</p>", Grouped(rest as u64)),
    };
    writeln!(
        out,
        "<div class=\"output\" id=\"out-{name}\" data-name=\"{title}\"><h2>{title}</h2>\n\
         <pre dir=\"auto\"{lang} tabindex=\"0\">{}</pre>{rest}</div>",
        Escaped(shown)
    )
}

/// The start of a text that takes at most `most` bytes once it is escaped.
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

/// Writes all blocks; runs of dropped ones are folded, so that a report opens at what is kept.
fn blocks(out: &mut String, rows: &[Row], lang: &str) -> fmt::Result {
    let most = out.len() + BLOCKS_BYTES;
    let mut number = 0;
    for run in rows.chunk_by(|a, b| !a.kept && !b.kept) {
        if out.len() > most {
            break;
        }
        let is_dropped = run.first().is_some_and(|row| !row.kept);
        if is_dropped {
            fold(out, run)?;
        }
        for row in run {
            if out.len() > most {
                break;
            }
            number += 1;
            block(out, number, row, lang)?;
        }
        if is_dropped {
            out.push_str("</details>\n");
        }
    }
    if number < rows.len() {
        writeln!(
            out,
            "<p class=\"note\">{} more blocks are left out here, so that the report can be opened.</p>",
            Grouped((rows.len() - number) as u64)
        )?;
    }
    Ok(())
}

/// Begins a run of dropped blocks: how many, how long, what they mostly are.
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
    write!(
        out,
        "<details class=\"run\"><summary>{} dropped block{plural}, {}",
        Grouped(run.len() as u64),
        WordCount(words)
    )?;
    if !names.is_empty() {
        write!(out, ": {}", Escaped(&names.join(", ")))?;
    }
    out.push_str("</summary>\n");
    Ok(())
}

/// Writes the block that is number `number` of the page, counted from 1.
fn block(out: &mut String, number: usize, row: &Row, lang: &str) -> fmt::Result {
    let (class, verdict) = if row.kept { ("k", "✓ kept") } else { ("d", "✕ dropped") };
    write!(
        out,
        "<article class=\"b {class}\" id=\"b{number}\" style=\"--p:{p:.3};--d:{}\">\
         <p class=\"m\"><b class=\"p\">{p:.3}</b> <b class=\"v\">{verdict}</b> ",
        row.indent,
        p = row.probability,
    )?;
    if let Some(role) = row.role {
        write!(out, "<b class=\"r\">{}</b> ", Escaped(role))?;
    }
    if row.by != Decider::MODEL {
        write!(out, "<b class=\"r\">by {}</b> ", Escaped(row.by.name()))?;
    }
    if row.hidden {
        out.push_str("<b class=\"r\">hidden</b> ");
    }
    write!(
        out,
        "<code>{}</code> <span>{}</span> <span>{:.0}% linked</span> <span>bytes {}–{}</span></p>",
        Escaped(fitting(&row.path, 600)),
        WordCount(u64::from(row.words)),
        row.link_density * 100.0,
        row.span.0,
        row.span.1,
    )?;
    let text = fitting(&row.text, BLOCK_TEXT);
    let rest = if text.len() < row.text.len() { " …" } else { "" };
    write!(out, "<p class=\"t\" dir=\"auto\"{lang}>{}{rest}</p>", Escaped(text))?;
    if let Some(reasons) = &row.reasons {
        why(out, reasons, row.probability)?;
    }
    out.push_str("</article>\n");
    Ok(())
}

/// Writes the reasons of a block, with the check that they add up to what the model said.
fn why(out: &mut String, reasons: &Reasons, probability: f32) -> fmt::Result {
    writeln!(out, "<details class=\"why\"><summary>why: log odds {:+.4}</summary>", log_odds(probability))?;
    if let Some(sentence) = reasons.sentence() {
        writeln!(out, "<p class=\"said\">{sentence}</p>")?;
    }
    let largest = |odds: &mut dyn Iterator<Item = f64>| odds.map(f64::abs).fold(0.0, f64::max);
    out.push_str("<table><thead><tr><th>reason<th>adds<th>against · for</thead><tbody>\n");
    let most = largest(&mut reasons.topics.iter().map(|(_, odds)| *odds));
    for (topic, odds) in &reasons.topics {
        writeln!(out, "<tr><th>{}<td>{odds:+.4}<td>{}", topic.name(), OddsBar { odds: *odds, largest: most })?;
    }
    out.push_str(
        "</tbody></table>\n<details><summary>features and pairs of them</summary>\n<table><thead><tr><th>feature\
         <th>value<th>adds<th>against · for</thead><tbody>\n",
    );
    let largest = largest(&mut reasons.shown.iter().map(|reason| reason.odds));
    for reason in &reasons.shown {
        writeln!(out, "{}", Line { reason, largest })?;
    }
    if reasons.others > 0 {
        writeln!(out, "<tr class=\"o\"><th>{} smaller<td><td>{:+.4}<td>", reasons.others, reasons.others_odds)?;
    }
    out.push_str("</tbody></table></details>\n");
    let gap = gap(reasons.sum, probability);
    writeln!(
        out,
        "<p class=\"sum\">Sum of the {} that are not 0: {:+.4}, so probability {:.4}; the model \
         says {probability:.4}{}.</p></details>",
        reasons.shown.len() + reasons.others,
        reasons.sum,
        logistic(reasons.sum),
        if gap < MAX_DIFFERENCE { " ✓" } else { " — these do not agree" }
    )
}

/// Difference of probabilities up to which sum and model agree: both are sums of hundreds of
/// single-precision numbers, in another order.
const MAX_DIFFERENCE: f64 = 1e-4;

fn gap(sum: f64, probability: f32) -> f64 {
    (logistic(sum) - f64::from(probability)).abs()
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Log odds of a probability, as far as single precision tells them: infinite for 0 and 1.
fn log_odds(probability: f32) -> f64 {
    let p = f64::from(probability);
    (p / (1.0 - p)).ln()
}

/// One line of the table of reasons.
struct Line<'a> {
    reason: &'a Contribution,
    /// Size of the largest reason of the block, whose bar is the longest.
    largest: f64,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contribution { name, value, odds } = self.reason;
        write!(f, "<tr><th>{}<td>", Escaped(name))?;
        match value {
            Some(value) if value.fract() == 0.0 => write!(f, "{value}")?,
            Some(value) => write!(f, "{value:.4}")?,
            None => f.write_str("–")?,
        }
        let bar = OddsBar { odds: *odds, largest: self.largest };
        write!(f, "<td>{odds:+.4}<td>{bar}")
    }
}

/// A bar to the left or right of the middle.
struct OddsBar {
    odds: f64,
    largest: f64,
}

impl fmt::Display for OddsBar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.odds < 0.0 { "n" } else { "y" };
        let width = self.odds.abs() / self.largest.max(f64::MIN_POSITIVE) * 50.0;
        write!(f, "<i class=\"{side}\" style=\"--w:{width:.1}\"></i>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(row: &Row) -> String {
        let mut out = String::new();
        block(&mut out, 7, row, "").unwrap();
        out
    }

    #[test]
    fn a_role_is_shown_only_where_it_is_known() {
        let plain = Row { text: "a < b".into(), probability: 0.25, words: 2, ..Row::default() };
        let out = written(&plain);
        assert!(out.contains("id=\"b7\" style=\"--p:0.250;--d:0\""), "{out}");
        assert!(out.contains("<p class=\"t\" dir=\"auto\">a &lt; b</p>"), "{out}");
        assert!(!out.contains("class=\"r\"") && !out.contains("<details"), "{out}");
        let out = written(&Row { role: Some("headline"), ..plain });
        assert!(out.contains("<b class=\"r\">headline</b>"), "{out}");
    }

    #[test]
    fn runs_of_dropped_blocks_are_folded() {
        let row = |kept, role| Row { kept, role: Some(role), words: 2, ..Row::default() };
        let rows = [
            row(false, "menu"),
            row(false, "links"),
            row(false, "links"),
            row(true, "body"),
            row(true, "body"),
            row(false, "footer"),
        ];
        let mut out = String::new();
        blocks(&mut out, &rows, "").unwrap();
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
        let hostile = "\"".repeat(10_000_000);
        let mut out = String::new();
        output(&mut out, "t", "T", &hostile, "").unwrap();
        assert!(out.len() < TEXT_BYTES + 1000, "{}", out.len());
        assert!(out.contains("more bytes are left out here"));
    }

    #[test]
    fn reports_have_a_bound() {
        let rows: Vec<Row> = (0..200_000).map(|_| Row { text: "\"x\" ".repeat(40).into(), ..Row::default() }).collect();
        let mut out = String::new();
        blocks(&mut out, &rows, "").unwrap();
        assert!(out.len() < 16 << 20, "{}", out.len());
        assert!(out.contains("more blocks are left out here"));
        assert_eq!(out.matches("<details").count(), out.matches("</details>").count());
    }

    #[test]
    fn bars_go_left_and_right_by_size() {
        let line = |value, odds| {
            let reason = Contribution { name: "class:<x>".into(), value, odds };
            let largest = 2.0;
            Line { reason: &reason, largest }.to_string()
        };
        assert_eq!(
            line(Some(3.0), -2.0),
            "<tr><th>class:&lt;x&gt;<td>3<td>-2.0000<td><i class=\"n\" style=\"--w:50.0\"></i>"
        );
        assert!(line(Some(0.5), 0.5).ends_with("<td>0.5000<td>+0.5000<td><i class=\"y\" style=\"--w:12.5\"></i>"));
        assert!(line(None, 0.5).contains("<td>–<td>"));
    }

    #[test]
    fn a_sum_that_does_not_add_up_is_told() {
        let said = |sum, probability| {
            let reasons = Reasons { topics: vec![], shown: vec![], others: 0, others_odds: 0.0, sum };
            let mut out = String::new();
            why(&mut out, &reasons, probability).unwrap();
            out
        };
        assert!(said(0.0, 0.5).contains("the model says 0.5000 ✓.</p>"));
        assert!(said(0.1, 0.5).contains("these do not agree.</p>"));
        assert!(said(40.0, 1.0).contains("log odds +inf") && said(40.0, 1.0).contains("✓"));
    }
}
