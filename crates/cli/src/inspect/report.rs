//! The report: one HTML page that loads nothing.
//!
//! All that comes from the page goes through [`Escaped`], and a Content-Security-Policy forbids
//! every request and every script but the report's own.

use std::fmt::{self, Write as _};

use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};

use super::bars::{BARS, bars};
use super::escape::{Escaped, Words};
use super::reasons::{Reason, Reasons};
use super::strip;
use super::view::{Row, View};

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");
const CONTROLS: &str = include_str!("controls.html");

/// What the colours mean.
const SCALE: &str = "<p class=\"scale\">probability of being content: 0 <span></span> 1</p>\n";

/// The report on a page.
///
/// # Errors
/// Only if memory runs out.
pub fn html(view: &View) -> Result<String, fmt::Error> {
    let mut out = String::new();
    head(&mut out, view)?;
    if view.rows.is_empty() {
        out.push_str("<p class=\"none\">This page has no text.</p>\n");
    } else {
        out.push_str(SCALE);
        out.push_str("<nav id=\"bar\" aria-label=\"Blocks\">\n");
        strip::svg(&mut out, &bars(&view.rows, BARS))?;
        out.push_str(CONTROLS);
        out.push_str("</nav>\n");
    }
    let lang = match &view.lang {
        Some(lang) => format!(" lang=\"{}\"", Escaped(lang)),
        None => String::new(),
    };
    writeln!(out, "<main>")?;
    for (at, row) in view.rows.iter().enumerate() {
        block(&mut out, at + 1, row, &lang)?;
    }
    writeln!(out, "</main>\n<script>{SCRIPT}</script>\n</body>\n</html>")?;
    Ok(out)
}

fn head(out: &mut String, view: &View) -> fmt::Result {
    let title = Escaped(view.title.as_deref().unwrap_or("Page without a title"));
    let script = BASE64.encode(&Sha256::digest(SCRIPT.as_bytes()));
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title} · trommel inspect</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<p class=\"brand\">trommel inspect</p>\n<h1 dir=\"auto\">{title}</h1>\n",
    )?;
    if let Some(url) = view.url {
        writeln!(out, "<p class=\"url\"><bdi>{}</bdi></p>", Escaped(url))?;
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

/// Writes the block that is number `number` of the page, counted from 1.
fn block(out: &mut String, number: usize, row: &Row, lang: &str) -> fmt::Result {
    let (class, verdict) = match row.kept {
        true => ("k", "✓ kept"),
        false => ("d", "✕ dropped"),
    };
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
    if row.hidden {
        out.push_str("<b class=\"r\">hidden</b> ");
    }
    write!(
        out,
        "<code>{}</code> <span>{}</span> <span>{:.0}% linked</span> <span>bytes {}–{}</span></p>",
        Escaped(&row.path),
        Words(u64::from(row.words)),
        row.link_density * 100.0,
        row.span.0,
        row.span.1,
    )?;
    write!(
        out,
        "<p class=\"t\" dir=\"auto\"{lang}>{}</p>",
        Escaped(&row.text)
    )?;
    if let Some(reasons) = &row.reasons {
        why(out, reasons, row.probability)?;
    }
    out.push_str("</article>\n");
    Ok(())
}

/// Writes the reasons of a block, with the check that they add up to what the model said.
fn why(out: &mut String, reasons: &Reasons, probability: f32) -> fmt::Result {
    write!(
        out,
        "<details><summary>why: log odds {:+.4}</summary>\n<table><thead><tr><th>feature<th>value\
         <th>adds<th>against · for</thead><tbody>\n",
        log_odds(probability)
    )?;
    let largest = reasons
        .shown
        .first()
        .map_or(0.0, |reason| reason.odds.abs());
    for reason in &reasons.shown {
        writeln!(out, "{}", Line { reason, largest })?;
    }
    if reasons.others > 0 {
        writeln!(
            out,
            "<tr class=\"o\"><th>{} smaller<td><td>{:+.4}<td>",
            reasons.others, reasons.others_odds
        )?;
    }
    let gap = gap(reasons.sum, probability);
    writeln!(
        out,
        "</tbody></table>\n<p class=\"sum\">Sum of the {} that are not 0: {:+.4}, so probability {:.4}; the model \
         says {probability:.4}{}.</p></details>",
        reasons.shown.len() + reasons.others,
        reasons.sum,
        logistic(reasons.sum),
        if gap < AGREES {
            " ✓"
        } else {
            " — these do not agree"
        }
    )
}

/// Difference of probabilities up to which sum and model agree: both are sums of hundreds of
/// single-precision numbers, in another order.
const AGREES: f64 = 1e-4;

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
    reason: &'a Reason,
    /// Size of the largest reason of the block, whose bar is the longest.
    largest: f64,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reason { name, value, odds } = self.reason;
        write!(f, "<tr><th>{}<td>", Escaped(name))?;
        match value {
            Some(value) if value.fract() == 0.0 => write!(f, "{value}")?,
            Some(value) => write!(f, "{value:.4}")?,
            None => f.write_str("–")?,
        }
        let side = if *odds < 0.0 { "n" } else { "y" };
        let width = odds.abs() / self.largest * 50.0;
        write!(
            f,
            "<td>{odds:+.4}<td><i class=\"{side}\" style=\"--w:{width:.1}\"></i>"
        )
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
        let plain = Row {
            text: "a < b".into(),
            probability: 0.25,
            words: 2,
            ..Row::default()
        };
        let out = written(&plain);
        assert!(out.contains("id=\"b7\" style=\"--p:0.250;--d:0\""), "{out}");
        assert!(
            out.contains("<p class=\"t\" dir=\"auto\">a &lt; b</p>"),
            "{out}"
        );
        assert!(
            !out.contains("class=\"r\"") && !out.contains("<details"),
            "{out}"
        );
        let out = written(&Row {
            role: Some("headline"),
            ..plain
        });
        assert!(out.contains("<b class=\"r\">headline</b>"), "{out}");
    }

    #[test]
    fn bars_go_left_and_right_by_size() {
        let line = |value, odds| {
            let reason = Reason {
                name: "class:<x>".into(),
                value,
                odds,
            };
            let largest = 2.0;
            Line {
                reason: &reason,
                largest,
            }
            .to_string()
        };
        assert_eq!(
            line(Some(3.0), -2.0),
            "<tr><th>class:&lt;x&gt;<td>3<td>-2.0000<td><i class=\"n\" style=\"--w:50.0\"></i>"
        );
        assert!(
            line(Some(0.5), 0.5)
                .ends_with("<td>0.5000<td>+0.5000<td><i class=\"y\" style=\"--w:12.5\"></i>")
        );
        assert!(line(None, 0.5).contains("<td>–<td>"));
    }

    #[test]
    fn a_sum_that_does_not_add_up_is_told() {
        let said = |sum, probability| {
            let reasons = Reasons {
                shown: vec![],
                others: 0,
                others_odds: 0.0,
                sum,
            };
            let mut out = String::new();
            why(&mut out, &reasons, probability).unwrap();
            out
        };
        assert!(said(0.0, 0.5).contains("the model says 0.5000 ✓.</p>"));
        assert!(said(0.1, 0.5).contains("these do not agree.</p>"));
        assert!(said(40.0, 1.0).contains("log odds +inf") && said(40.0, 1.0).contains("✓"));
    }
}
