//! L2 logistic regression over binned features, by the L-BFGS of argmin.
//!
//! A feature's step function is written as a sum of steps up at its edges, and the penalty is on the
//! steps: neighbouring bins stay close unless the data says otherwise, so many bins cost little. Cost
//! and gradient take two passes over the bins, one look-up or one addition each.

use std::sync::Mutex;

use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use ndarray::Array1;
use rayon::prelude::*;
use trommel_model::{Additive, Steps};

use crate::bins::Binned;
use crate::error::LearnError;

/// Steps after which the solver stops.
const STEPS: u64 = 120;
/// Size of the gradient of the mean loss at which the solver stops.
const GRADIENT: f64 = 3e-5;
/// Past steps that L-BFGS remembers.
const MEMORY: usize = 10;
/// Rows a unit of work; partial sums are added in row order.
const ROWS: usize = 1 << 15;

/// Fits the log odds of a true label. `penalty` is the strength of the L2 term on the steps against
/// the weighted mean loss of a row.
///
/// # Errors
/// If there are no rows, all of them have one label, or the solver fails.
pub fn fit_additive(
    table: &Binned,
    labels: &[bool],
    weights: &[f32],
    penalty: f64,
) -> Result<Additive, LearnError> {
    if table.rows == 0 || table.columns.is_empty() {
        return Err(LearnError::Nothing("no blocks"));
    }
    if labels.iter().all(|label| *label == labels[0]) {
        return Err(LearnError::Nothing("all blocks have the same label"));
    }
    let mut starts = Vec::with_capacity(table.columns.len());
    let mut params = 1;
    let mut scales = vec![1.0];
    let total: f64 = weights.iter().map(|w| f64::from(*w)).sum();
    for (edges, bins) in table.edges.iter().zip(&table.columns) {
        starts.push(params);
        params += edges.len();
        // A step is as strong as its indicator varies, as with standardised features.
        let mut mass = vec![0.0f64; edges.len() + 1];
        for (bin, weight) in bins.iter().zip(weights) {
            mass[usize::from(*bin)] += f64::from(*weight) / total;
        }
        let mut above = 1.0;
        for own in mass.iter().take(edges.len()) {
            above -= own;
            scales.push((above * (1.0 - above)).max(1e-6).sqrt());
        }
    }
    let problem = Loss {
        table,
        labels,
        weights,
        total,
        penalty,
        starts: &starts,
        scales: &scales,
        last: Mutex::default(),
    };
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY)
        .with_tolerance_grad(GRADIENT)
        .map_err(|error| LearnError::Solver(error.to_string()))?;
    let result = Executor::new(problem, solver)
        .configure(|state| state.param(Array1::zeros(params)).max_iters(STEPS))
        .run()
        .map_err(|error| LearnError::Solver(error.to_string()))?;
    let best = result
        .state()
        .get_best_param()
        .ok_or_else(|| LearnError::Solver("no solution was found".into()))?;
    let mut model = Additive {
        intercept: best[0] as f32,
        steps: Vec::new(),
    };
    for (column, (edges, start)) in table.edges.iter().zip(&starts).enumerate() {
        let mut sum = 0.0;
        let mut weights = vec![0.0f32];
        for at in *start..start + edges.len() {
            sum += best[at] / scales[at];
            weights.push(sum as f32);
        }
        if weights.iter().any(|weight| weight.abs() > 1e-6) {
            model.steps.push(Steps {
                column: column as u16,
                edges: edges.clone(),
                weights,
            });
        }
    }
    Ok(model)
}

struct Loss<'a> {
    table: &'a Binned,
    labels: &'a [bool],
    weights: &'a [f32],
    total: f64,
    penalty: f64,
    /// First parameter of each column; the intercept is parameter 0.
    starts: &'a [usize],
    /// Standard deviation of each step's indicator.
    scales: &'a [f64],
    /// The solver asks for cost and gradient of one point one after the other.
    last: Mutex<Option<(Array1<f64>, f64, Array1<f64>)>>,
}

impl Loss<'_> {
    fn at(&self, param: &Array1<f64>) -> (f64, Array1<f64>) {
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, cost, gradient)) = last.as_ref().filter(|(known, ..)| known == param) {
            return (*cost, gradient.clone());
        }
        let (cost, gradient) = self.compute(param);
        *last = Some((param.clone(), cost, gradient.clone()));
        (cost, gradient)
    }

    fn compute(&self, param: &Array1<f64>) -> (f64, Array1<f64>) {
        let tables: Vec<Vec<f32>> = self
            .table
            .edges
            .iter()
            .zip(self.starts)
            .map(|(edges, start)| {
                let mut sum = 0.0;
                let mut table = vec![0.0f32];
                for at in *start..start + edges.len() {
                    sum += param[at] / self.scales[at];
                    table.push(sum as f32);
                }
                table
            })
            .collect();
        let rows = self.table.rows;
        let chunks: Vec<(f64, Vec<f32>)> = (0..rows.div_ceil(ROWS))
            .into_par_iter()
            .map(|chunk| {
                let range = chunk * ROWS..rows.min((chunk + 1) * ROWS);
                let mut scores = vec![param[0] as f32; range.len()];
                for (bins, table) in self.table.columns.iter().zip(&tables) {
                    for (score, bin) in scores.iter_mut().zip(&bins[range.clone()]) {
                        *score += table[usize::from(*bin)];
                    }
                }
                let mut loss = 0.0;
                for ((score, label), weight) in scores
                    .iter_mut()
                    .zip(&self.labels[range.clone()])
                    .zip(&self.weights[range.clone()])
                {
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
        let loss: f64 = chunks.iter().map(|(loss, _)| loss).sum();
        let residuals: Vec<f32> = chunks.into_iter().flat_map(|(_, part)| part).collect();
        let by_column: Vec<Vec<f64>> = self
            .table
            .columns
            .par_iter()
            .zip(&self.table.edges)
            .map(|(bins, edges)| {
                let mut sums = vec![0.0f64; edges.len() + 1];
                for (bin, residual) in bins.iter().zip(&residuals) {
                    sums[usize::from(*bin)] += f64::from(*residual);
                }
                sums
            })
            .collect();
        let mut gradient = Array1::zeros(param.len());
        gradient[0] = residuals.iter().map(|r| f64::from(*r)).sum::<f64>() / self.total;
        let mut cost = loss / self.total;
        for (sums, start) in by_column.iter().zip(self.starts) {
            let mut above = 0.0;
            for step in (1..sums.len()).rev() {
                above += sums[step];
                let at = start + step - 1;
                gradient[at] =
                    above / self.total / self.scales[at] + 2.0 * self.penalty * param[at];
                cost += self.penalty * param[at] * param[at];
            }
        }
        (cost, gradient)
    }
}

impl CostFunction for Loss<'_> {
    type Param = Array1<f64>;
    type Output = f64;

    fn cost(&self, param: &Array1<f64>) -> Result<f64, Error> {
        Ok(self.at(param).0)
    }
}

impl Gradient for Loss<'_> {
    type Param = Array1<f64>;
    type Gradient = Array1<f64>;

    fn gradient(&self, param: &Array1<f64>) -> Result<Array1<f64>, Error> {
        Ok(self.at(param).1)
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
        let model = fit_additive(&table, &labels, &weights, 1e-5).unwrap();
        assert!(model.is_sound(1));
        let right = data
            .iter()
            .zip(&labels)
            .filter(|(v, label)| (model.log_odds(&[**v]) > 0.0) == **label)
            .count();
        assert_eq!(right, data.len());
    }

    #[test]
    fn a_strong_penalty_leaves_the_mean() {
        let data: Vec<f32> = (0..1000).map(|row| row as f32).collect();
        let labels: Vec<bool> = (0..1000).map(|row| row >= 750).collect();
        let weights = vec![1.0; 1000];
        let table = Binned::new(&data, 1, &weights, 16);
        let model = fit_additive(&table, &labels, &weights, 1e3).unwrap();
        let p = trommel_model::sigmoid(model.log_odds(&[999.0]));
        assert!((p - 0.25).abs() < 0.01, "{p}");
        assert!(fit_additive(&table, &[true; 1000], &weights, 1.0).is_err());
    }
}
