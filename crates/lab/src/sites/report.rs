//! The tables.

use std::fmt::Write as _;

use super::fit::Learned;
use super::measure::{Gain, SIZES, SiteRow};

/// The report as Markdown.
pub(super) fn report(rows: &[SiteRow], learned: Option<&[Learned]>) -> String {
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
        let _ = writeln!(
            out,
            " {blocks} | {:.1} |",
            bytes as f64 / blocks.max(1) as f64
        );
    }
    let anew = if learned.is_some() {
        " learned anew |"
    } else {
        ""
    };
    let _ = write!(out, "\n| set |");
    for pages in ["pages", "sites of 2-9: pages", "sites of 10+: pages"] {
        let _ = write!(out, " {pages} | plain | by counts | two-pass |{anew}");
    }
    let columns = if learned.is_some() { 15 } else { 12 };
    let _ = writeln!(out, "\n|---|{}", "---:|".repeat(columns));
    for row in rows {
        let mark = if row.trains { "" } else { " (check)" };
        let _ = write!(out, "| {}{mark} |", row.name);
        for Gain {
            pages,
            plain,
            by_counts,
            two_pass,
            learned: anew,
        } in [row.all, row.few, row.many]
        {
            if pages == 0 {
                let _ = write!(out, " 0 | | | |");
            } else {
                let _ = write!(
                    out,
                    " {pages} | {plain:.4} | {by_counts:.4} | {two_pass:.4} |"
                );
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
    for own in learned.unwrap_or_default() {
        let [share, sameness, position] = own.correction.weights;
        let _ = write!(
            out,
            "\n{}, {} pages: share {share:.2}, sameness {sameness:.2}, position {position:.2}. Held out: plain {:.4}",
            own.name, own.pages, own.plain
        );
        for (factor, f1) in &own.by_factor {
            let _ = write!(out, ", x{factor} {f1:.4}");
        }
        out.push('\n');
    }
    out
}
