//! The measured figures, as the report takes them.

use super::measure::{Measured, TokenCounts};
use super::paper::KIM_ROWS;
use super::set::TRAIN;
use crate::methods::{About, BlockScores, FoldUnit, Validation};

/// All measured figures except speed.
#[derive(Clone, Debug)]
pub(super) struct Results {
    pub methods: Vec<About>,
    pub sets: Vec<Measured>,
    /// CETR on lines, for each set of the paper.
    pub cetr: Vec<(&'static str, CetrFigures)>,
    pub kim: KimFigures,
    pub stacked: Stacked,
    pub tokens: TokenCounts,
}

/// Mean word F1 of ensembles of all methods, and of the shipped models.
#[derive(Clone, Debug, Default)]
pub(super) struct Stacked {
    /// Sets that were learned from, each page judged by what was learned on other hosts.
    pub held_out: Vec<String>,
    /// Other sets.
    pub tested: Vec<String>,
    /// A figure for each set of both.
    pub rows: Vec<(String, Vec<Option<f64>>)>,
}

impl Results {
    pub fn set(&self, name: &str) -> Option<&Measured> {
        self.sets.iter().find(|set| set.name == name)
    }

    pub fn method(&self, name: &str) -> Option<usize> {
        self.methods.iter().position(|about| about.name == name)
    }

    pub fn f1(&self, set: &str, method: &str) -> f64 {
        self.set(set)
            .zip(self.method(method))
            .and_then(|(set, at)| set.all.scores.get(at))
            .map_or(0.0, |scores| scores.f1)
    }

    pub fn kept(&self, set: &str, method: &str) -> f64 {
        self.set(set).zip(self.method(method)).and_then(|(set, at)| set.kept.get(at)).copied().unwrap_or_default()
    }

    /// The sets that no method was fitted on.
    pub fn tested(&self) -> impl Iterator<Item = &Measured> {
        self.sets.iter().filter(|set| set.name != TRAIN)
    }
}

/// A line of a table: a name and figures.
pub(super) fn cells(name: &str, figures: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(figures).collect()
}

pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Mean word F1 of CETR on lines of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CetrFigures {
    /// The text of the lines themselves, not of the blocks that they make up.
    pub lines: f64,
    /// Blocks, the clusters started at random: mean, least and most of some seeds.
    pub random: [f64; 3],
}

/// Kim's table, its rows in order.
#[derive(Clone, Debug, Default)]
pub(super) struct KimFigures {
    /// As in the paper first.
    pub ways: Vec<(Validation, [BlockScores; KIM_ROWS.len()])>,
    /// As in the paper, with the comments of readers left out of the gold.
    pub without_comments: [BlockScores; KIM_ROWS.len()],
}

impl KimFigures {
    pub fn way(&self, unit: FoldUnit, is_pruned: bool) -> [BlockScores; KIM_ROWS.len()] {
        let mut ways = self.ways.iter();
        let way = ways.find(|(validation, _)| validation.unit == unit && (validation.confidence < 0.5) == is_pruned);
        way.map(|(_, scores)| *scores).unwrap_or_default()
    }
}
