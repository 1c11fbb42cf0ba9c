//! The text of `results.md`.

use super::markdown::{Table, percent, share, thousands};
use super::measure::{Measured, Part};
use super::paper::{KIM_BLOCKS, KIM_ROWS, PAPER_ROWS, PAPER_SETS};
use crate::kim::BlockScores;
use crate::method::About;

/// All that was measured but speed.
#[derive(Clone, Debug)]
pub(super) struct Results {
    pub methods: Vec<About>,
    pub sets: Vec<Measured>,
    /// In the order of the rows of Kim's table.
    pub kim: [BlockScores; KIM_ROWS.len()],
    /// Number of attribute tokens that the paper's rule lists on the training pages.
    pub listed: usize,
}

impl Results {
    fn set(&self, name: &str) -> Option<&Measured> {
        self.sets.iter().find(|set| set.name == name)
    }

    fn method(&self, name: &str) -> Option<usize> {
        self.methods.iter().position(|about| about.name == name)
    }

    fn f1(&self, set: &str, method: &str) -> f64 {
        self.set(set)
            .zip(self.method(method))
            .and_then(|(set, at)| set.all.scores.get(at))
            .map_or(0.0, |scores| scores.f1)
    }
}

/// `results.md`.
pub(super) fn report(results: &Results) -> String {
    [
        head(results),
        paper(results),
        kim(results),
        overall(results),
        parts(results),
        list(results),
    ]
    .join("\n")
}
fn head(_: &Results) -> String { String::new() }

fn paper(results: &Results) -> String {
    let headings = PAPER_SETS
        .iter()
        .flat_map(|set| [format!("{set}, paper"), "ours".to_owned()]);
    let mut table = Table::new(std::iter::once("method".to_owned()).chain(headings));
    for row in PAPER_ROWS {
        let figures = PAPER_SETS
            .iter()
            .zip(row.f1)
            .flat_map(|(set, paper)| [share(paper), share(results.f1(set, row.method))]);
        table.row(std::iter::once(row.name.to_owned()).chain(figures));
    }
    let mut facts = String::new();
    for set in PAPER_SETS {
        if let Some(s) = results.set(set) {
            let k = results.method("peters-lecocq-ic").and_then(|a| s.kept.get(a)).copied().unwrap_or(0.0);
            facts += &format!("{set}: {} pages {:?} ic kept {} p {:?} \n", s.all.pages, s.counts, percent(k), results.method("peters-lecocq-ic").and_then(|a| s.all.scores.get(a)));
        }
    }
    format!("## Peters and Lecocq\n\n{}\n{facts} listed {}\n", table.text(), results.listed)
}

fn kim(results: &Results) -> String {
    let mut table = Table::new(["attributes", "P, paper", "ours", "R, paper", "ours", "F1, paper", "ours"]);
    for (row, ours) in KIM_ROWS.iter().zip(&results.kim) {
        let ours = [ours.precision, ours.recall, ours.f1];
        let figures = row.scores.iter().zip(ours).flat_map(|(paper, ours)| [share(*paper), share(ours)]);
        table.row(std::iter::once(row.name.to_owned()).chain(figures));
    }
    format!("## Kim\n\n{}\n{:?} {:?}", table.text(), KIM_BLOCKS, thousands(results.kim[0].blocks))
}

/// The sets that no method was fitted on.
fn tested(results: &Results) -> impl Iterator<Item = &Measured> {
    results.sets.iter().filter(|set| set.name != "dragnet-train")
}

fn overall(results: &Results) -> String {
    let headings = tested(results).flat_map(|set| [format!("{}: P", set.name), "R".to_owned(), "F1".to_owned()]);
    let mut table = Table::new(std::iter::once("method".to_owned()).chain(headings));
    for (at, about) in results.methods.iter().enumerate() {
        let figures = tested(results).flat_map(|set| {
            let scores = set.all.scores.get(at).copied().unwrap_or_default();
            [scores.precision, scores.recall, scores.f1].map(share)
        });
        table.row(std::iter::once(about.name.to_owned()).chain(figures));
    }
    format!("## All methods\n\n{}", table.text())
}

fn parts(results: &Results) -> String {
    let mut text = String::new();
    for set in tested(results).filter(|set| !set.parts.is_empty()) {
        let headings = set.parts.iter().map(|(key, part)| format!("{key} ({})", part.pages));
        let mut table = Table::new(std::iter::once("method".to_owned()).chain(headings));
        for (at, about) in results.methods.iter().enumerate() {
            let f1 = |part: &Part| share(part.scores.get(at).map_or(0.0, |scores| scores.f1));
            table.row(std::iter::once(about.name.to_owned()).chain(set.parts.values().map(f1)));
        }
        text += &format!("## {}\n\n{}\n", set.name, table.text());
    }
    text
}

fn list(results: &Results) -> String {
    results.methods.iter().map(|m| format!("- `{}`: {}. {}\n", m.name, m.line, m.citation)).collect()
}
