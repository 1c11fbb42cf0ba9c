//! L2 logistic regression over binned features for page types, by the L-BFGS of argmin.
//!
//! The step function of a feature is a sum of steps at its edges, and the penalty applies to the steps. So
//! neighbouring bins stay close unless the data differs, and many bins cost little. Cost and gradient take
//! two passes over the bins, with one look-up or one addition for each.

use ndarray::Array1;
use rayon::prelude::*;
use trommel_model::{Additive, StepFunction};

use super::bins::Binned;
use super::minimum::{Stop, minimum};
use crate::error::LearnError;

const STOP: Stop = Stop { steps: 100, gradient: 3e-5 };
/// Rows a unit of work; partial sums are added in row order.
const ROWS: usize = 1 << 15;

/// Fits the log odds of a true label. `offsets` are log odds of the rows that are known beforehand and
/// that the fit adds to; none if it is empty. `penalty` is the strength of the L2 term on the steps against the
/// weighted mean loss of a row.
///
/// # Errors
/// If there are no rows, all of them have one label, or the solver fails.
pub fn fit_additive(
    table: &Binned,
    labels: &[bool],
    weights: &[f32],
    offsets: &[f32],
    penalty: f64,
) -> Result<Additive, LearnError> {
    if table.rows == 0 || table.columns.is_empty() {
        return Err(LearnError::Nothing("no rows"));
    }
    if labels.iter().all(|label| *label == labels[0]) {
        return Err(LearnError::Nothing("all rows have the same label"));
    }
    let columns: Vec<Column> = table
        .columns
        .iter()
        .zip(&table.edges)
        .map(|(bins, edges)| Column::new(bins, edges.len() + 1, weights))
        .collect();
    let total = weights.iter().map(|weight| f64::from(*weight)).sum();
    let loss = Loss { columns: &columns, labels, weights, offsets, penalty, total };
    let parameters = 1 + columns.iter().map(|column| column.scales.len()).sum::<usize>();
    let solved = minimum(|param| loss.at(param), parameters, &STOP)?;
    let tables = loss.tables(&solved.to_vec());
    Ok(Additive {
        intercept: solved[0] as f32,
        step_functions: (0u16..)
            .zip(tables.into_iter().zip(&table.edges))
            .filter(|(_, (weights, _))| weights.iter().any(|weight| weight.abs() > 1e-6))
            .map(|(column, (weights, edges))| StepFunction { column, edges: edges.clone(), weights })
            .collect(),
        crosses: Vec::new(),
    })
}

/// Bins of a feature.
struct Column<'a> {
    bins: &'a [u8],
    /// Number of bins; there is a parameter for each step between two.
    count: usize,
    /// Standard deviation of each step's indicator: a step is as strong as its indicator varies, as
    /// with standardised features.
    scales: Vec<f64>,
}

impl<'a> Column<'a> {
    fn new(bins: &'a [u8], count: usize, weights: &[f32]) -> Self {
        let mut mass = vec![0.0f64; count];
        let mut total = 0.0;
        for (bin, weight) in bins.iter().zip(weights) {
            mass[usize::from(*bin)] += f64::from(*weight);
            total += f64::from(*weight);
        }
        let mut above = 1.0;
        let scales = mass
            .iter()
            .take(count - 1)
            .map(|bin_mass| {
                above -= bin_mass / total;
                (above * (1.0 - above)).max(1e-6).sqrt()
            })
            .collect();
        Self { bins, count, scales }
    }

    /// The weight of each bin, from its parameters.
    fn table(&self, param: &[f64]) -> Vec<f32> {
        let mut sum = 0.0;
        let steps = param.iter().zip(&self.scales);
        std::iter::once(0.0)
            .chain(steps.map(|(param, scale)| {
                sum += param / scale;
                sum as f32
            }))
            .collect()
    }

    /// The gradient of its loss, from the sums of the residuals of its bins.
    fn gradient(&self, sums: &[f64], total: f64, gradient: &mut [f64]) {
        let mut above = 0.0;
        for at in (0..gradient.len()).rev() {
            above += sums[at + 1];
            gradient[at] = above / total / self.scales[at];
        }
    }
}

/// The weighted mean loss with the penalty. The first parameter is the intercept, which goes free.
struct Loss<'a> {
    columns: &'a [Column<'a>],
    labels: &'a [bool],
    weights: &'a [f32],
    offsets: &'a [f32],
    penalty: f64,
    total: f64,
}

impl Loss<'_> {
    /// The weights of the bins of each column.
    fn tables(&self, param: &[f64]) -> Vec<Vec<f32>> {
        let mut start = 1;
        self.columns
            .iter()
            .map(|column| {
                let parameters = &param[start..start + column.scales.len()];
                start += column.scales.len();
                column.table(parameters)
            })
            .collect()
    }

    /// The weighted loss and each row's residual (its weight times probability less label).
    fn residuals(&self, tables: &[Vec<f32>], intercept: f32) -> (f64, Vec<f32>) {
        let rows = self.labels.len();
        let chunks: Vec<(f64, Vec<f32>)> = (0..rows.div_ceil(ROWS))
            .into_par_iter()
            .map(|chunk| {
                let range = chunk * ROWS..rows.min((chunk + 1) * ROWS);
                let mut scores = vec![intercept; range.len()];
                for (score, offset) in scores.iter_mut().zip(self.offsets.iter().skip(range.start)) {
                    *score += offset;
                }
                for (column, table) in self.columns.iter().zip(tables) {
                    for (score, bin) in scores.iter_mut().zip(&column.bins[range.clone()]) {
                        *score += table[usize::from(*bin)];
                    }
                }
                let mut loss = 0.0;
                let known = self.labels[range.clone()].iter().zip(&self.weights[range]);
                for (score, (label, weight)) in scores.iter_mut().zip(known) {
                    let z = f64::from(*score);
                    let y = f64::from(u8::from(*label));
                    let weight = f64::from(*weight);
                    // log(1 + e^z) without overflow
                    loss += weight * (z.max(0.0) + (-z.abs()).exp().ln_1p() - y * z);
                    *score = (weight * (1.0 / (1.0 + (-z).exp()) - y)) as f32;
                }
                (loss, scores)
            })
            .collect();
        let loss = chunks.iter().map(|(loss, _)| loss).sum();
        (loss, chunks.into_iter().flat_map(|(_, part)| part).collect())
    }

    /// Cost and gradient.
    fn at(&self, param: &Array1<f64>) -> (f64, Array1<f64>) {
        let param = param.to_vec();
        let (loss, residuals) = self.residuals(&self.tables(&param), param[0] as f32);
        let by_column: Vec<Vec<f64>> = self
            .columns
            .par_iter()
            .map(|column| {
                let mut sums = vec![0.0f64; column.count];
                for (bin, residual) in column.bins.iter().zip(&residuals) {
                    sums[usize::from(*bin)] += f64::from(*residual);
                }
                sums
            })
            .collect();
        let mut gradient = vec![0.0; param.len()];
        gradient[0] = residuals.iter().map(|r| f64::from(*r)).sum::<f64>() / self.total;
        let mut cost = loss / self.total;
        let mut start = 1;
        for (column, sums) in self.columns.iter().zip(&by_column) {
            let range = start..start + column.scales.len();
            start = range.end;
            column.gradient(sums, self.total, &mut gradient[range.clone()]);
            for (slope, param) in gradient[range.clone()].iter_mut().zip(&param[range]) {
                *slope += 2.0 * self.penalty * param;
                cost += self.penalty * param * param;
            }
        }
        (cost, Array1::from_vec(gradient))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hump_is_learned() {
        // Content in the middle of the range only: no single weight could tell.
        let data: Vec<f32> = (0..3000).map(|row| (row % 100) as f32).collect();
        let labels: Vec<bool> = data.iter().map(|v| (40.0..60.0).contains(v)).collect();
        let weights = vec![1.0; data.len()];
        let table = Binned::new(&data, 1, &weights, 20);
        let model = fit_additive(&table, &labels, &weights, &[], 1e-5).unwrap();
        assert!(model.is_sound(1));
        let right = data.iter().zip(&labels).filter(|(v, label)| (model.log_odds(&[**v]) > 0.0) == **label).count();
        assert_eq!(right, data.len());
    }

    /// A thousand rising rows, the last `true_rows` of which are true.
    fn rising(true_rows: usize) -> (Binned, Vec<bool>) {
        let data: Vec<f32> = (0..1000).map(|row| row as f32).collect();
        (Binned::new(&data, 1, &[1.0; 1000], 16), (0..1000).map(|row| row >= 1000 - true_rows).collect())
    }

    #[test]
    fn a_strong_penalty_leaves_the_mean() {
        let (table, labels) = rising(250);
        let model = fit_additive(&table, &labels, &[1.0; 1000], &[], 1e3).unwrap();
        let p = trommel_model::sigmoid(model.log_odds(&[999.0]));
        assert!((p - 0.25).abs() < 0.01, "{p}");
        assert!(fit_additive(&table, &[true; 1000], &[1.0; 1000], &[], 1.0).is_err());
    }

    #[test]
    fn what_is_known_beforehand_is_not_learned_again() {
        let (table, labels) = rising(500);
        let odds: Vec<f32> = labels.iter().map(|label| if *label { 9.0 } else { -9.0 }).collect();
        let fit = |offsets: &[f32]| fit_additive(&table, &labels, &[1.0; 1000], offsets, 1e-3).unwrap();
        let (free, held) = (fit(&[]), fit(&odds));
        assert!(free.log_odds(&[999.0]) > 2.0, "{free:?}");
        assert!(held.log_odds(&[999.0]).abs() < 0.7, "{held:?}");
    }
}
