//! The tables of the report about site memories.

use std::fmt::Write as _;

use super::fit::Trials;
use super::measure::{Gain, Part, SIZES, SiteRow};
use crate::markdown::MarkdownTable;

/// The report as Markdown.
pub(super) fn report(rows: &[SiteRow], learned: Option<&Trials>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(out, "| set |");
    for least in SIZES {
        let _ = write!(out, " sites of {least}+ pages | pages |");
    }
    let _ = writeln!(out, " distinct blocks | bytes a block |");
    let _ = writeln!(out, "|---|{}", "---:|".repeat(2 * SIZES.len() + 2));
    for row in rows {
        let _ = write!(out, "| {} |", row.name);
        for (sites, pages) in row.sizes {
            let _ = write!(out, " {sites} | {pages} |");
        }
        let (blocks, bytes) = row.memory;
        let _ = writeln!(out, " {blocks} | {:.1} |", bytes as f64 / blocks.max(1) as f64);
    }
    let anew = if learned.is_some() { " learned anew |" } else { "" };
    let _ = write!(out, "\n| set |");
    for pages in ["pages", "sites of 2-9: pages", "sites of 10+: pages"] {
        let _ = write!(out, " {pages} | plain | by counts | two-pass |{anew}");
    }
    let columns = if learned.is_some() { 15 } else { 12 };
    let _ = writeln!(out, "\n|---|{}", "---:|".repeat(columns));
    for row in rows {
        let mark = match row.part {
            Part::Learns => "",
            Part::Chooses => " (choice)",
            Part::Checks => " (check)",
        };
        let _ = write!(out, "| {}{mark} |", row.name);
        for Gain { pages, plain, by_counts, two_pass, learned: anew } in [row.all, row.few, row.many] {
            if pages == 0 {
                let _ = write!(out, " 0 | | | |");
            } else {
                let _ = write!(out, " {pages} | {plain:.4} | {by_counts:.4} | {two_pass:.4} |");
            }
            if learned.is_some() {
                let _ = match pages {
                    0 => write!(out, " |"),
                    _ => write!(out, " {anew:.4} |"),
                };
            }
        }
        out.push('\n');
    }
    if let Some(learned) = learned {
        out.push('\n');
        out.push_str(&constants(learned));
    }
    out
}

/// Rows of constants, the best ones.
const ROWS: usize = 8;

/// The values among which the constants of the correction were chosen.
fn constants(learned: &Trials) -> String {
    let number = |value: f32| format!("{value:.2}");
    let f1 = |value: f64| format!("{value:.4}");
    let mut table = MarkdownTable::new([
        "half".to_owned(),
        "x counts".to_owned(),
        "x position".to_owned(),
        "share".to_owned(),
        "sameness".to_owned(),
        "position".to_owned(),
        format!("sites of 2-4 ({} pages)", learned.pages.0),
        format!("sites of 5+ ({} pages)", learned.pages.1),
        "most lost".to_owned(),
    ]);
    let plain = [f1(learned.plain.0), f1(learned.plain.1), String::new()];
    table.row(std::iter::repeat_n(String::new(), 6).chain(plain));
    let mut best: Vec<_> = learned.tried.iter().filter(|tried| tried.constants.position > 0.0).collect();
    best.sort_by(|a, b| b.many.total_cmp(&a.many));
    best.truncate(ROWS);
    let likely = learned.tried.iter().filter(|tried| {
        let constants = tried.constants;
        (constants.half, constants.counts, constants.position) == (1.0, 1.0, 1.0)
    });
    let by_counts = learned.tried.iter().filter(|tried| tried.constants.position == 0.0);
    for tried in best.into_iter().chain(likely).chain(by_counts) {
        let constants = tried.constants;
        let of = [constants.half, constants.counts, constants.position];
        let weights = tried.correction.weights;
        let scores = [tried.few, tried.many, tried.loss].map(f1);
        table.row(of.into_iter().chain(weights).map(number).chain(scores));
    }
    table.text()
}
