//! Fits the weights of the correction, a logistic model on top of the log odds, and chooses its constants by
//! F1.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use trommel_learn::by_group;
use trommel_model::Model;
use trommel_model::sites::{Correction, PageEvidence, Signals, signals};

use super::measure::{Part, SiteSet};

const FOLDS: usize = 5;
/// Strength of the L2 penalty, a page weighing [`PAGE`].
const PENALTY: f64 = 1.0;
/// Weight of a page, divided among its blocks by words.
const PAGE: f64 = 200.0;
/// Pages whose mean at a position counts half: the more, the less one page tells beside twenty.
const HALF_PAGES: [f32; 4] = [0.5, 1.0, 2.0, 4.0];
/// Factors of the weights of counts and of that of the position, among which F1 chooses. Blocks of a page
/// are not independent, so the most likely weights are not the best for the choice of blocks.
const COUNTS: [f32; 5] = [1.0, 1.5, 2.0, 3.0, 4.0];
const POSITION: [f32; 4] = [0.5, 0.75, 1.0, 1.5];
/// Minimum pages of the sites on which the correction is chosen.
const MIN_PAGES: u32 = 5;
/// Maximum loss of a set.
const MAX_LOSS: f64 = 0.002;

/// The constants of a correction apart from its weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Constants {
    pub half: f32,
    pub counts: f32,
    /// 0 by counts alone.
    pub position: f32,
}

/// A correction learned from all pages of the sets that are learned from, and F1 of pages that its weights were not
/// learned from.
pub(super) struct Trial {
    pub constants: Constants,
    pub correction: Correction,
    /// Mean F1 on pages of sites of few and of many pages.
    pub few: f64,
    pub many: f64,
    /// The most that a set loses, all of its pages taken.
    pub loss: f64,
}

/// Results of all trials.
pub(super) struct Trials {
    /// Mean F1 on pages of sites of few and of many pages without a correction, and the numbers of these pages.
    pub plain: (f64, f64),
    pub pages: (usize, usize),
    pub tried: Vec<Trial>,
}

impl Trials {
    /// The one with the highest F1 on sites of many pages, of those that lose nowhere much: by counts alone, or with
    /// probabilities.
    pub fn best(&self, by_counts: bool) -> Option<&Trial> {
        let sound =
            self.tried.iter().filter(|tried| tried.loss <= MAX_LOSS && (tried.constants.position == 0.0) == by_counts);
        sound.max_by(|a, b| a.many.total_cmp(&b.many))
    }
}

struct Row {
    odds: f64,
    signals: [f64; 3],
    label: f64,
    weight: f64,
}

/// Learns the corrections from the sets that are learned from, and scores each on these, by folds, and on the sets that
/// it is chosen on.
pub(super) fn learn(sets: &[SiteSet], model: &Model) -> Trials {
    let sets: Vec<&SiteSet> = sets.iter().filter(|set| set.part != Part::Checks).collect();
    let mut learning: Vec<(&SiteSet, (usize, usize))> = Vec::new();
    for (number, set) in sets.iter().enumerate() {
        let known = set.evidence.iter().zip(0..);
        let known = known.filter(|(evidence, _)| set.part == Part::Learns && evidence.is_some());
        learning.extend(known.map(|(_, at)| (*set, (number, at))));
    }
    let groups: Vec<&str> =
        learning.iter().filter_map(|(set, (_, at))| Some(set.set.pages.get(*at)?.gold.group())).collect();
    let folds = by_group(&groups, FOLDS);
    let places = learning.iter().map(|(_, place)| *place);
    let fold_of: FxHashMap<(usize, usize), usize> = places.zip(folds.iter().copied()).collect();
    let plain = scored(&sets, model, &|_, _, _| None);
    let mut tried = Vec::new();
    for half in HALF_PAGES {
        let rows: Vec<Vec<Row>> =
            learning.iter().map(|(set, (_, at))| rows(set, *at, half).unwrap_or_default()).collect();
        // By counts alone nothing depends on the position's mean.
        let masks = [[true, true, false], [true; 3]];
        for mask in masks.into_iter().skip(usize::from(half != HALF_PAGES[0])) {
            let fitted = |of: &dyn Fn(usize) -> bool| {
                let chosen = rows.iter().zip(&folds).filter(|(_, fold)| of(**fold));
                newton(&chosen.flat_map(|(rows, _)| rows).collect::<Vec<_>>(), mask)
            };
            let by_fold: Vec<Signals> = (0..FOLDS).map(|fold| fitted(&|held| held != fold)).collect();
            let all = fitted(&|_| true);
            let positions = if mask[2] { &POSITION[..] } else { &[0.0] };
            for (counts, position) in
                COUNTS.iter().flat_map(|counts| positions.iter().map(move |position| (*counts, *position)))
            {
                let of = |[share, sameness, mean]: Signals| Correction {
                    weights: [share * counts, sameness * counts, mean * position],
                    half,
                };
                let scores = scored(&sets, model, &|place, known, probabilities| {
                    let fold = fold_of.get(&place);
                    let weights = fold.and_then(|fold| by_fold.get(*fold)).copied();
                    Some(of(weights.unwrap_or(all)).changes(known, probabilities))
                });
                let losses = scores.iter().zip(&plain).map(|(score, plain)| mean(plain) - mean(score));
                let constants = Constants { half, counts, position };
                tracing::info!(?constants, "tried");
                tried.push(Trial {
                    constants,
                    correction: of(all),
                    few: mean(&of_sites(&sets, &scores, 2, MIN_PAGES - 1)),
                    many: mean(&of_sites(&sets, &scores, MIN_PAGES, u32::MAX)),
                    loss: losses.fold(0.0, f64::max),
                });
            }
        }
    }
    let few = of_sites(&sets, &plain, 2, MIN_PAGES - 1);
    let many = of_sites(&sets, &plain, MIN_PAGES, u32::MAX);
    Trials { plain: (mean(&few), mean(&many)), pages: (few.len(), many.len()), tried }
}

/// Changes of a page's log odds: set and page, evidence of the site, and probabilities.
type Changes<'a> = dyn Fn((usize, usize), &PageEvidence, &[f32]) -> Option<Vec<f32>> + Sync + 'a;

/// F1 of every page of every set.
fn scored(sets: &[&SiteSet], model: &Model, changes: &Changes) -> Vec<Vec<f64>> {
    let of_set = |(number, set): (usize, &&SiteSet)| {
        (0..set.set.pages.len())
            .into_par_iter()
            .map(|at| {
                let known = set.evidence.get(at).and_then(Option::as_ref);
                let changes = known
                    .zip(set.judged.get(at))
                    .and_then(|(known, judgement)| changes((number, at), known, &judgement.probabilities));
                set.score(at, model, changes.as_deref()).f1
            })
            .collect()
    };
    sets.iter().enumerate().map(of_set).collect()
}

/// The scores of pages of sites of that many pages.
fn of_sites(sets: &[&SiteSet], scores: &[Vec<f64>], least: u32, most: u32) -> Vec<f64> {
    let pages = sets.iter().zip(scores).flat_map(|(set, scores)| set.site_pages.iter().zip(scores));
    let pages = pages.filter(|(pages, _)| (least..=most).contains(*pages));
    pages.map(|(_, f1)| *f1).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The blocks of a page of which something is known; none if nothing is.
fn rows(set: &SiteSet, at: usize, half: f32) -> Option<Vec<Row>> {
    let labels = set.labels.get(at)?;
    let evidence = set.evidence.get(at)?.as_ref()?;
    let blocks = &set.set.pages.get(at)?.page.blocks;
    let words: f64 = blocks.iter().map(|block| f64::from(block.words)).sum();
    let judged = set.judged.get(at)?.probabilities.iter();
    let known = evidence.blocks.iter().zip(blocks).zip(judged).zip(labels);
    let row = known.map(|(((known, block), probability), label)| {
        let p = f64::from(*probability).clamp(1e-9, 1.0 - 1e-9);
        Row {
            odds: (p / (1.0 - p)).ln(),
            signals: signals(known, evidence.pages, *probability, half).map(f64::from),
            label: f64::from(u8::from(*label)),
            weight: f64::from(block.words) / words.max(1.0) * PAGE,
        }
    });
    Some(row.collect())
}

/// The weights under which the labels are most likely, by Newton's method.
fn newton(rows: &[&Row], mask: [bool; 3]) -> Signals {
    let mut weights = [0.0f64; 3];
    for _ in 0..25 {
        let mut gradient = weights.map(|weight| PENALTY * weight);
        let mut hessian = [[0.0f64; 3]; 3];
        for (at, row) in hessian.iter_mut().enumerate() {
            row[at] = PENALTY;
        }
        for row in rows {
            let odds: f64 = row.odds + (0..3).map(|at| weights[at] * row.signals[at]).sum::<f64>();
            let p = 1.0 / (1.0 + (-odds.clamp(-30.0, 30.0)).exp());
            for a in (0..3).filter(|a| mask[*a]) {
                gradient[a] += row.weight * (p - row.label) * row.signals[a];
                for b in (0..3).filter(|b| mask[*b]) {
                    hessian[a][b] += row.weight * p * (1.0 - p) * row.signals[a] * row.signals[b];
                }
            }
        }
        let step = solve(hessian, gradient);
        let mut largest = 0.0f64;
        for at in 0..3 {
            weights[at] -= step[at];
            largest = largest.max(step[at].abs());
        }
        if largest < 1e-6 {
            break;
        }
    }
    weights.map(|weight| weight as f32)
}

/// Solves three equations by elimination; the matrix is positive definite.
fn solve(mut matrix: [[f64; 3]; 3], mut right: [f64; 3]) -> [f64; 3] {
    for at in 0..3 {
        for below in at + 1..3 {
            let factor = matrix[below][at] / matrix[at][at];
            let above = matrix[at];
            for (cell, above) in matrix[below].iter_mut().zip(above).skip(at) {
                *cell -= factor * above;
            }
            right[below] -= factor * right[at];
        }
    }
    let mut found = [0.0; 3];
    for at in (0..3).rev() {
        let known: f64 = (at + 1..3).map(|column| matrix[at][column] * found[column]).sum();
        found[at] = (right[at] - known) / matrix[at][at];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_loses_much_or_sees_more_is_not_chosen() {
        let tried = |position: f32, many: f64, loss: f64| Trial {
            constants: Constants { half: 1.0, counts: 1.0, position },
            correction: Correction { weights: [0.0; 3], half: 1.0 },
            few: 0.5,
            many,
            loss,
        };
        let all = [(1.0, 0.9, 0.001), (1.5, 0.95, 0.003), (0.5, 0.8, 0.0), (0.0, 0.85, 0.0)];
        let learned = Trials {
            plain: (0.5, 0.5),
            pages: (1, 1),
            tried: all.map(|(position, many, loss)| tried(position, many, loss)).into(),
        };
        let of = |by_counts| learned.best(by_counts).map(|tried| tried.constants.position);
        assert_eq!((of(false), of(true)), (Some(1.0), Some(0.0)));
    }

    #[test]
    fn equations_are_solved() {
        let found = solve([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]], [6.0, 10.0, 8.0]);
        for (found, expected) in found.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-9, "{found}");
        }
    }

    #[test]
    fn what_is_repeated_and_no_content_gets_a_negative_weight() {
        let row = |signal: f64, label: f64| Row { odds: 0.0, signals: [signal, 0.0, 0.0], label, weight: 1.0 };
        let rows: Vec<Row> =
            (0..400).map(|at| row(f64::from(at % 2), f64::from(u8::from(at % 4 == 1 || at % 4 == 0)))).collect();
        // Of both kinds half is content: nothing to learn.
        let even = newton(&rows.iter().collect::<Vec<_>>(), [true; 3]);
        assert!(even[0].abs() < 0.05, "{even:?}");
        let rows: Vec<Row> =
            (0..400).map(|at| row(f64::from(at % 2), f64::from(u8::from(at % 2 == 0 || at % 20 == 1)))).collect();
        let told = newton(&rows.iter().collect::<Vec<_>>(), [true; 3]);
        // A tenth of the repeated is content: log odds of about -2.2.
        assert!((told[0] + 2.2).abs() < 0.2, "{told:?}");
        assert_eq!(newton(&rows.iter().collect::<Vec<_>>(), [false, true, true])[0], 0.0);
    }
}
