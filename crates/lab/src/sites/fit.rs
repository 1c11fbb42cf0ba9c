//! The weights of the correction: a logistic model on top of the log odds, and a factor chosen by F1.

use trommel_learn::{LABEL_SHARE, by_group};
use trommel_model::Model;
use trommel_sites::{Correction, Signals, signals};

use super::measure::SiteSet;

const FOLDS: usize = 5;
/// Strength of the L2 penalty, a page weighing [`PAGE`].
const PENALTY: f64 = 1.0;
/// Weight of a page, divided among its blocks by words.
const PAGE: f64 = 200.0;
/// Blocks of a page are not independent, so that the most likely weights are too small for the choice of
/// blocks: factors that F1 chooses among.
const FACTORS: [f32; 5] = [1.0, 1.5, 2.0, 2.5, 3.0];
/// The signals that are weighed by counts alone, and all.
const MASKS: [(&str, [bool; 3]); 2] = [
    ("by counts", [true, true, false]),
    ("with probabilities", [true, true, true]),
];

/// A correction learned from all training pages, and what cross-validation by host says of it.
pub(super) struct Learned {
    pub name: &'static str,
    pub correction: Correction,
    pub pages: usize,
    /// Mean F1 without it, and with each of the factors, in parts that had not been learned from.
    pub plain: f64,
    pub by_factor: Vec<(f32, f64)>,
}

struct Row {
    odds: f64,
    signals: [f64; 3],
    label: f64,
    weight: f64,
}

/// Learns the corrections from the sets that train.
pub(super) fn learn(sets: &[SiteSet], model: &Model) -> Vec<Learned> {
    let mut pages: Vec<(&SiteSet, usize, Vec<Row>)> = Vec::new();
    for set in sets.iter().filter(|set| set.trains) {
        let labels = set.set.labels(set.comments, LABEL_SHARE);
        for (at, labels) in labels.iter().enumerate() {
            if let Some(rows) = rows(set, at, labels) {
                pages.push((set, at, rows));
            }
        }
    }
    let groups: Vec<&str> = pages
        .iter()
        .filter_map(|(set, at, _)| set.set.pages.get(*at))
        .map(|page| page.gold.group())
        .collect();
    let folds = by_group(&groups, FOLDS);
    MASKS
        .iter()
        .map(|(name, mask)| {
            let fitted = |of: &dyn Fn(usize) -> bool| {
                let chosen = pages.iter().zip(&folds).filter(|(_, fold)| of(**fold));
                newton(
                    &chosen.flat_map(|((.., rows), _)| rows).collect::<Vec<_>>(),
                    *mask,
                )
            };
            let by_fold: Vec<Signals> = (0..FOLDS).map(|fold| fitted(&|own| own != fold)).collect();
            let mean = |factor: Option<f32>| {
                let scores = pages.iter().zip(&folds).map(|((set, at, _), fold)| {
                    let weights = by_fold.get(*fold).copied().unwrap_or_default();
                    let changes = factor.and_then(|factor| {
                        let correction = Correction {
                            weights: weights.map(|weight| weight * factor),
                        };
                        let known = set.evidence.get(*at)?.as_ref()?;
                        Some(correction.changes(known, &set.judged.get(*at)?.probabilities))
                    });
                    set.score(*at, model, changes.as_deref()).f1
                });
                scores.sum::<f64>() / pages.len().max(1) as f64
            };
            let by_factor: Vec<(f32, f64)> = FACTORS
                .iter()
                .map(|factor| (*factor, mean(Some(*factor))))
                .collect();
            let best = by_factor
                .iter()
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.total_cmp(&a.0)));
            let factor = best.map_or(1.0, |(factor, _)| *factor);
            Learned {
                name,
                correction: Correction {
                    weights: fitted(&|_| true).map(|weight| weight * factor),
                },
                pages: pages.len(),
                plain: mean(None),
                by_factor,
            }
        })
        .collect()
}

/// The blocks of a page of which something is known; none if nothing is.
fn rows(set: &SiteSet, at: usize, labels: &[bool]) -> Option<Vec<Row>> {
    let evidence = set.evidence.get(at)?.as_ref()?;
    let blocks = &set.set.pages.get(at)?.page.blocks;
    let words: f64 = blocks.iter().map(|block| f64::from(block.words)).sum();
    let judged = set.judged.get(at)?.probabilities.iter();
    let known = evidence.blocks.iter().zip(blocks).zip(judged).zip(labels);
    let row = known.map(|(((known, block), probability), label)| {
        let p = f64::from(*probability).clamp(1e-9, 1.0 - 1e-9);
        Row {
            odds: (p / (1.0 - p)).ln(),
            signals: signals(known, evidence.pages, *probability).map(f64::from),
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
            for (own, above) in matrix[below].iter_mut().zip(above).skip(at) {
                *own -= factor * above;
            }
            right[below] -= factor * right[at];
        }
    }
    let mut found = [0.0; 3];
    for at in (0..3).rev() {
        let known: f64 = (at + 1..3)
            .map(|column| matrix[at][column] * found[column])
            .sum();
        found[at] = (right[at] - known) / matrix[at][at];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved() {
        let found = solve(
            [[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]],
            [6.0, 10.0, 8.0],
        );
        for (found, expected) in found.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-9, "{found}");
        }
    }

    #[test]
    fn what_is_repeated_and_no_content_gets_a_negative_weight() {
        let row = |signal: f64, label: f64| Row {
            odds: 0.0,
            signals: [signal, 0.0, 0.0],
            label,
            weight: 1.0,
        };
        let rows: Vec<Row> = (0..400)
            .map(|at| {
                row(
                    f64::from(at % 2),
                    f64::from(u8::from(at % 4 == 1 || at % 4 == 0)),
                )
            })
            .collect();
        // Of both kinds half is content: nothing to learn.
        let even = newton(&rows.iter().collect::<Vec<_>>(), [true; 3]);
        assert!(even[0].abs() < 0.05, "{even:?}");
        let rows: Vec<Row> = (0..400)
            .map(|at| {
                row(
                    f64::from(at % 2),
                    f64::from(u8::from(at % 2 == 0 || at % 20 == 1)),
                )
            })
            .collect();
        let told = newton(&rows.iter().collect::<Vec<_>>(), [true; 3]);
        // A tenth of the repeated is content: log odds of about -2.2.
        assert!((told[0] + 2.2).abs() < 0.2, "{told:?}");
        assert_eq!(
            newton(&rows.iter().collect::<Vec<_>>(), [false, true, true])[0],
            0.0
        );
    }
}
