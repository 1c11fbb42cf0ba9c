//! CETR on lines beside CETR on blocks: what of the difference from the paper is the unit, and what the start of
//! the clusters.

use rayon::prelude::*;
use trommel_html::{Engine, Limits, ScanEngine};
use trommel_learn::{PageSet, Scores, kept_text};
use trommel_text::words::Rule;

use super::error::ResultsError;
use super::figures::{CetrFigures, Results, cells};
use super::paper::{PAPER_ROWS, PAPER_SETS};
use crate::methods::{CetrLines, Method};
use trommel_quality::markdown::{MarkdownTable, share};

/// Starts at random.
const STARTS: u64 = 5;

/// Scores a set.
pub(super) fn cetr_figures(set: &PageSet) -> Result<CetrFigures, ResultsError> {
    let mean = |text: &(dyn Fn(&trommel_learn::LabelledPage) -> Result<String, ResultsError> + Sync)| {
        let scores: Result<Vec<Scores>, ResultsError> = set
            .pages
            .par_iter()
            .map(|page| {
                let gold = page.gold.text(true);
                Ok(Scores::of(&text(page)?, &gold, Rule::Characters))
            })
            .collect();
        Ok::<f64, ResultsError>(Scores::mean(&scores?).f1)
    };
    let lines = mean(&|page| Ok(plain(&CetrLines::default().text(&page.html))))?;
    let mut random = Vec::new();
    for seed in 0..STARTS {
        let method = CetrLines::started_at_random(seed);
        random.push(mean(&|page| {
            let kept = method.extract_from(&page.page, &page.html)?;
            Ok(kept_text(&page.page, &kept, &[]))
        })?);
    }
    Ok(CetrFigures {
        lines,
        random: [
            random.iter().sum::<f64>() / random.len() as f64,
            random.iter().copied().fold(f64::INFINITY, f64::min),
            random.iter().copied().fold(0.0, f64::max),
        ],
    })
}

/// CETR on lines and on blocks.
pub(super) fn cetr(results: &Results) -> String {
    let mut table = MarkdownTable::new(cells("CETR", PAPER_SETS.map(str::to_owned)));
    let of = |set: &str| {
        let mut found = results.cetr.iter();
        found.find(|(name, _)| *name == set).map(|(_, cetr_figures)| *cetr_figures).unwrap_or_default()
    };
    let paper = PAPER_ROWS.iter().find(|row| row.method == "cetr");
    let paper = paper.map(|row| row.f1).unwrap_or_default();
    table.row(cells("the paper", paper.map(share)));
    for method in ["cetr", "cetr-lines", "cetr-threshold", "cetr-lines-threshold"] {
        table.row(cells(&format!("`{method}`"), PAPER_SETS.map(|set| share(results.f1(set, method)))));
    }
    table.row(cells(
        "`cetr-lines`, started at random (mean of five; least and most)",
        PAPER_SETS.map(|set| {
            let [mean, least, most] = of(set).random;
            format!("{} ({}, {})", share(mean), share(least), share(most))
        }),
    ));
    table.row(cells(
        "`cetr-lines`, the text of the lines instead of blocks",
        PAPER_SETS.map(|set| share(of(set).lines)),
    ));
    let change = |set: &str, to: f64| format!("{:+.3}", to - results.f1(set, "cetr-lines"));
    let each = |of: &dyn Fn(&str) -> String| PAPER_SETS.map(of).join(", ");
    format!(
        "## CETR on lines\n\n\
         `cetr` runs on blocks, `cetr-lines` on lines of the source as published, with the paper's kernel of \
         radius 1 and a page without line breaks broken every 65 characters. F1 by set:\n\n\
         {}\nFrom lines to blocks F1 changes by {} ({}). From clusters that start farthest first to a start \
         at random it changes by {}; from the blocks that most lines give to the lines' own text by {}. What is \
         left between the last two rows and the paper's is neither the unit nor the start.\n",
        table.text(),
        each(&|set| change(set, results.f1(set, "cetr"))),
        PAPER_SETS.join(", "),
        each(&|set| change(set, of(set).random[0])),
        each(&|set| change(set, of(set).lines)),
    )
}

/// Text without tags, its character references read.
fn plain(text: &str) -> String {
    let page = ScanEngine.read(text, &Limits::default());
    kept_text(&page, &vec![true; page.blocks.len()], &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_learn::{Gold, LabelledPage};

    #[test]
    fn lines_are_scored_by_their_own_text() {
        // The first line of the block is prose, its second a menu: the block as a whole is kept or not.
        let prose = "plain words of a long line that goes on and on to its end &amp; more";
        let html = format!(
            "{}<div>{prose}\n{prose}\n<a>x</a><a>y</a><a>z</a></div>\n{}",
            "<a>x</a><a>y</a><a>z</a>\n".repeat(9),
            "<a>x</a><a>y</a><a>z</a>\n".repeat(9)
        );
        let set = PageSet {
            name: "toy".into(),
            pages: vec![LabelledPage {
                gold: Gold { gold: Some(format!("{prose}\n{prose}").replace("&amp;", "&")), ..Gold::default() },
                page: ScanEngine.read(&html, &Limits::default()),
                html,
            }],
        };
        let figures = cetr_figures(&set).unwrap();
        // With the thirty words of the prose come four lines of links, of three words each: 2 * 30 / (30 + 42).
        assert!((figures.lines - 60.0 / 72.0).abs() < 1e-9, "{figures:?}");
        let [mean, least, most] = figures.random;
        assert!(least <= mean && mean <= most && most > 0.0, "{figures:?}");
        assert_eq!(plain("a &amp; b"), "a & b");
    }
}
