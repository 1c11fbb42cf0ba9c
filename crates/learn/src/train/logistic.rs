//! Fits logistic regressions with an L2 penalty and row weights, over plain or binned features, by argmin's L-BFGS.
//!
//! One pass over single-precision rows gives cost and gradient. The additive form learns step functions for page
//! types: the step function of a feature is a sum of steps at its edges, and the penalty applies to the steps. So
//! neighbouring bins stay close unless the data differs, and many bins cost little. Cost and gradient take two
//! passes over the bins, with one look-up or one addition for each.

use std::sync::{Mutex, PoisonError};

use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::{solver::linesearch::MoreThuenteLineSearch, solver::quasinewton::LBFGS};
use ndarray::Array1;
use rayon::prelude::*;
use trommel_model::{Additive, StepFunction};

use super::table::Binned;
use crate::error::LearnError;

/// L2 penalties among which cross-validation chooses for a linear model.
pub(super) const LINEAR_PENALTIES: [f64; 4] = [1e-5, 1e-4, 1e-3, 1e-2];
/// Maximum number of steps of the solver, and gradient norm at which the solver stops.
const STOP: (u64, f64) = (150, 1e-4);
/// Number of rows per unit of parallel work. Partial sums are added in row order, so the number of threads does not
/// change the result.
const ROWS: usize = 4096;

/// Rows that a regression learns from, with their labels.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Features of all rows, row after row.
    pub data: Vec<f32>,
    /// Label of each row: true if the row is content.
    pub labels: Vec<bool>,
    /// Number of features per row.
    pub width: usize,
}

/// Fitted logistic regression, whose weights refer to the original units of the features.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Weight of each feature: change of the log odds per unit of the feature.
    pub weights: Vec<f64>,
    /// Intercept: log odds of a row whose features are all zero.
    pub intercept: f64,
    /// Standard deviation of each feature in the sample.
    pub deviations: Vec<f64>,
}

/// Fits a logistic regression for the probability of content. Row `r` has the weight `weights[r]`. `penalty` is the
/// strength of the L2 term relative to the weighted mean loss per row.
///
/// # Errors
/// Fails if there are no rows, all of them have the same label, or the solver fails.
pub fn fit_weighted(sample: &Sample, weights: &[f32], penalty: f64) -> Result<Fit, LearnError> {
    let width = sample.width;
    let rows = sample.labels.len();
    check_labels(rows * width, &sample.labels)?;
    let total: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
    let (means, deviations) = moments(sample, weights, total);
    let mut data = sample.data.clone();
    data.par_chunks_exact_mut(width).for_each(|row| {
        for ((value, mean), deviation) in row.iter_mut().zip(&means).zip(&deviations) {
            // A feature that never changes says nothing; dividing by 1 leaves it at zero.
            let divisor = if *deviation > 1e-9 { *deviation } else { 1.0 };
            *value = ((f64::from(*value) - mean) / divisor) as f32;
        }
    });
    let loss = Loss { data, labels: &sample.labels, weights, total, width, penalty };
    let best = minimum(|param| loss.at(param), width + 1, STOP)?;
    let mut intercept = best[width];
    let mut weights = vec![0.0; width];
    for (at, weight) in weights.iter_mut().enumerate() {
        if deviations[at] > 1e-9 {
            *weight = best[at] / deviations[at];
            intercept -= *weight * means[at];
        }
    }
    Ok(Fit { weights, intercept, deviations })
}

/// Checks that there are values to learn from (`numbers` is not 0) and that both labels occur.
pub(super) fn check_labels(numbers: usize, labels: &[bool]) -> Result<(), LearnError> {
    match labels {
        [first, rest @ ..] if numbers > 0 => match rest.contains(&!first) {
            true => Ok(()),
            false => Err(LearnError::Nothing("all blocks have the same label")),
        },
        _ => Err(LearnError::Nothing("no blocks")),
    }
}

/// Returns the weighted mean and the weighted standard deviation of each feature.
fn moments(sample: &Sample, weights: &[f32], total: f64) -> (Vec<f64>, Vec<f64>) {
    let mut means = vec![0.0; sample.width];
    let mut squares = vec![0.0; sample.width];
    for (row, weight) in sample.data.chunks_exact(sample.width).zip(weights) {
        let weight = f64::from(*weight);
        for ((value, mean), square) in row.iter().zip(&mut means).zip(&mut squares) {
            let value = f64::from(*value);
            *mean += weight * value;
            *square += weight * value * value;
        }
    }
    let deviations = means
        .iter_mut()
        .zip(squares)
        .map(|(mean, square)| {
            *mean /= total;
            (square / total - *mean * *mean).max(0.0).sqrt()
        })
        .collect();
    (means, deviations)
}

/// Weighted mean log loss, with an L2 penalty on all parameters but the last, which is the intercept.
struct Loss<'a> {
    data: Vec<f32>,
    labels: &'a [bool],
    weights: &'a [f32],
    total: f64,
    width: usize,
    penalty: f64,
}

impl Loss<'_> {
    /// Returns the penalised loss and its gradient at the parameters `param`.
    fn at(&self, param: &Array1<f64>) -> (f64, Array1<f64>) {
        let coefficients: Vec<f32> = param.iter().take(self.width).map(|v| *v as f32).collect();
        let intercept = param[self.width];
        let parts: Vec<(f64, Vec<f64>)> = self
            .data
            .par_chunks(ROWS * self.width)
            .zip(self.labels.par_chunks(ROWS))
            .zip(self.weights.par_chunks(ROWS))
            .map(|((data, labels), weights)| self.part(data, labels, weights, &coefficients, intercept))
            .collect();
        let mut cost = 0.0;
        let mut gradient = Array1::<f64>::zeros(self.width + 1);
        for (part, part_gradient) in parts {
            cost += part;
            for (sum, value) in gradient.iter_mut().zip(part_gradient) {
                *sum += value;
            }
        }
        cost /= self.total;
        gradient /= self.total;
        for at in 0..self.width {
            cost += 0.5 * self.penalty * param[at] * param[at];
            gradient[at] += self.penalty * param[at];
        }
        (cost, gradient)
    }

    /// Returns the sum of the weighted losses over some consecutive rows, and the gradient of that sum.
    fn part(
        &self,
        data: &[f32],
        labels: &[bool],
        weights: &[f32],
        coefficients: &[f32],
        intercept: f64,
    ) -> (f64, Vec<f64>) {
        let mut cost = 0.0;
        let mut gradient = vec![0.0f32; self.width];
        let mut free = 0.0;
        for ((row, label), weight) in data.chunks_exact(self.width).zip(labels).zip(weights) {
            let margin = intercept + f64::from(dot(row, coefficients));
            let signed = if *label { margin } else { -margin };
            // ln(1 + e^-s), from the side that cannot overflow.
            let loss = (-signed.abs()).exp().ln_1p() + (-signed).max(0.0);
            cost += f64::from(*weight) * loss;
            let probability = 1.0 / (1.0 + (-margin).exp());
            let residual = f64::from(*weight) * (probability - f64::from(u8::from(*label)));
            free += residual;
            let residual = residual as f32;
            for (sum, value) in gradient.iter_mut().zip(row) {
                *sum += residual * value;
            }
        }
        let mut gradient: Vec<f64> = gradient.into_iter().map(f64::from).collect();
        gradient.push(free);
        (cost, gradient)
    }
}

/// Returns the dot product of two slices; eight partial sums let the compiler use vector instructions.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f32 = a8.remainder().iter().zip(b8.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a8.zip(b8) {
        for ((lane, x), y) in lanes.iter_mut().zip(x).zip(y) {
            *lane += x * y;
        }
    }
    lanes.iter().sum::<f32>() + tail
}

const BINNED_STOP: (u64, f64) = (100, 3e-5);
/// Number of rows per unit of parallel work on binned features; partial sums are added in row order.
const BINNED_ROWS: usize = 1 << 15;

/// Fits an additive model of the log odds of a true label. `offsets` are fixed log odds of the rows, to which the model
/// is added; none if empty. `penalty` is the strength of the L2 term on the steps relative to the weighted mean loss
/// per row.
///
/// # Errors
/// Fails if there are no rows, all of them have the same label, or the solver fails.
pub fn fit_additive(
    table: &Binned,
    labels: &[bool],
    weights: &[f32],
    offsets: &[f32],
    penalty: f64,
) -> Result<Additive, LearnError> {
    check_labels(table.rows * table.columns.len(), labels)?;
    let columns: Vec<Column> = table
        .columns
        .iter()
        .zip(&table.edges)
        .map(|(bins, edges)| Column::new(bins, edges.len() + 1, weights))
        .collect();
    let total = weights.iter().map(|weight| f64::from(*weight)).sum();
    let loss = BinnedLoss { columns: &columns, labels, weights, offsets, penalty, total };
    let parameters = 1 + columns.iter().map(|column| column.scales.len()).sum::<usize>();
    let solved = minimum(|param| loss.at(param), parameters, BINNED_STOP)?;
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

/// Binned values of one feature, with the scale of each step between bins.
struct Column<'a> {
    bins: &'a [u8],
    /// Number of bins; each of the `count - 1` steps between bins has one parameter.
    count: usize,
    /// Standard deviation of each step's indicator (1 for rows above the step). Parameters are divided by it, as with
    /// standardised features.
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

    /// Converts the parameters of a feature's steps to the weight of each bin.
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

    /// Writes the gradient of the mean loss for the steps of a feature, given the sum of the residuals in each bin.
    fn gradient(&self, sums: &[f64], total: f64, gradient: &mut [f64]) {
        let mut above = 0.0;
        for at in (0..gradient.len()).rev() {
            above += sums[at + 1];
            gradient[at] = above / total / self.scales[at];
        }
    }
}

/// Weighted mean loss over binned features, with an L2 penalty on all parameters but the first, which is the intercept.
struct BinnedLoss<'a> {
    columns: &'a [Column<'a>],
    labels: &'a [bool],
    weights: &'a [f32],
    offsets: &'a [f32],
    penalty: f64,
    total: f64,
}

impl BinnedLoss<'_> {
    /// Converts all parameters to the weights of the bins of each column.
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

    /// Returns the sum of the weighted losses and the residual of each row: weight times (probability minus label).
    fn residuals(&self, tables: &[Vec<f32>], intercept: f32) -> (f64, Vec<f32>) {
        let rows = self.labels.len();
        let chunks: Vec<(f64, Vec<f32>)> = (0..rows.div_ceil(BINNED_ROWS))
            .into_par_iter()
            .map(|chunk| {
                let range = chunk * BINNED_ROWS..rows.min((chunk + 1) * BINNED_ROWS);
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

    /// Returns the penalised loss and its gradient at the parameters `param`.
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

/// Number of past steps that the L-BFGS solver remembers.
const MEMORY: usize = 10;

/// Returns the `width` parameters that minimise the cost, after at most `steps` steps or when the norm of the gradient
/// is below `least`. `function` returns the cost and its gradient at a point.
///
/// # Errors
/// Fails if the solver finds no minimum.
pub(super) fn minimum<F>(function: F, width: usize, (steps, least): (u64, f64)) -> Result<Array1<f64>, LearnError>
where
    F: Fn(&Array1<f64>) -> (f64, Array1<f64>),
{
    let failed = |error: Error| LearnError::Solver(error.to_string());
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY).with_tolerance_grad(least).map_err(failed)?;
    let result = Executor::new(Function { function, last: Mutex::default() }, solver)
        .configure(|state| state.param(Array1::zeros(width)).max_iters(steps))
        .run()
        .map_err(failed)?;
    let best = result.state().get_best_param().cloned();
    best.ok_or_else(|| LearnError::Solver("no solution was found".into()))
}

struct Function<F> {
    function: F,
    /// Last point at which the function was evaluated; kept because the solver asks for cost and gradient separately.
    last: Mutex<Option<Point>>,
}

/// Parameters of a function, with the cost and the gradient at these parameters.
type Point = (Array1<f64>, f64, Array1<f64>);

impl<F: Fn(&Array1<f64>) -> (f64, Array1<f64>)> Function<F> {
    fn at(&self, param: &Array1<f64>) -> (f64, Array1<f64>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cost, gradient)) = last.as_ref().filter(|(known, ..)| known == param) {
            return (*cost, gradient.clone());
        }
        let (cost, gradient) = (self.function)(param);
        *last = Some((param.clone(), cost, gradient.clone()));
        (cost, gradient)
    }
}

impl<F: Fn(&Array1<f64>) -> (f64, Array1<f64>)> CostFunction for Function<F> {
    type Param = Array1<f64>;
    type Output = f64;

    fn cost(&self, param: &Array1<f64>) -> Result<f64, Error> {
        Ok(self.at(param).0)
    }
}

impl<F: Fn(&Array1<f64>) -> (f64, Array1<f64>)> Gradient for Function<F> {
    type Param = Array1<f64>;
    type Gradient = Array1<f64>;

    fn gradient(&self, param: &Array1<f64>) -> Result<Array1<f64>, Error> {
        Ok(self.at(param).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linfa::Dataset;
    use linfa::traits::Fit as _;
    use linfa_logistic::LogisticRegression;
    use ndarray::Array2;

    /// Creates rows whose log odds of content are 2x - 1; column y is noise, and column z never changes.
    fn sample() -> Sample {
        let mut sample = Sample { width: 3, ..Sample::default() };
        for step in 0..4000u32 {
            let x = (step % 81) as f32 / 20.0 - 2.0;
            let y = (step % 7) as f32;
            let probability = 1.0 / (1.0 + (-(2.0 * x - 1.0)).exp());
            let draw = (step.wrapping_mul(2_654_435_761) >> 8) as f32 / (1u32 << 24) as f32;
            sample.data.extend([x, y, 5.0]);
            sample.labels.push(draw < probability);
        }
        sample
    }

    fn fit(penalty: f64) -> Fit {
        fit_weighted(&sample(), &[1.0; 4000], penalty).unwrap()
    }

    #[test]
    fn the_odds_are_recovered() {
        let fit = fit(1e-6);
        assert!((fit.weights[0] - 2.0).abs() < 0.2, "{fit:?}");
        assert!(fit.weights[1].abs() < 0.1 && fit.weights[2] == 0.0, "{fit:?}");
        assert!((fit.intercept + 1.0).abs() < 0.3, "{fit:?}");
    }

    /// Tests that the penalised loss is flat at the fit, where it is least because it is convex.
    #[test]
    fn at_the_fit_the_penalized_loss_is_flat() {
        for penalty in [1e-4, 1e-1, 1.0] {
            let (sample, fit) = (sample(), fit(penalty));
            let mut slopes = [0.0; 3];
            for (row, label) in sample.data.chunks_exact(3).zip(&sample.labels) {
                let row = [row[0], row[1], 1.0].map(f64::from);
                let odds = fit.weights[0] * row[0] + fit.weights[1] * row[1] + fit.intercept;
                let residual = 1.0 / (1.0 + (-odds).exp()) - f64::from(u8::from(*label));
                slopes.iter_mut().zip(row).for_each(|(slope, value)| *slope += residual * value / 4000.0);
            }
            // The penalty is on weights of features with a deviation of one.
            for (at, deviation) in fit.deviations.iter().enumerate().take(2) {
                slopes[at] += penalty * fit.weights[at] * deviation * deviation;
            }
            assert!(slopes.iter().all(|slope| slope.abs() < 1e-3), "{penalty}: {slopes:?}");
        }
    }

    #[test]
    fn linfa_finds_the_same_regression() {
        let (sample, penalty) = (sample(), 1e-2);
        let fit = fit(penalty);
        // Divided by the deviations, so that the penalty means the same; the third feature never changes.
        let features = Array2::from_shape_fn((4000, 2), |(row, column)| {
            f64::from(sample.data[row * 3 + column]) / fit.deviations[column]
        });
        let solver = LogisticRegression::default().alpha(penalty * 4000.0).gradient_tolerance(1e-3);
        let other = solver.fit(&Dataset::new(features, Array1::from(sample.labels))).unwrap();
        // linfa takes the class that comes first for the positive one.
        let sign = if other.labels().pos.class { 1.0 } else { -1.0 };
        for (at, weight) in other.params().iter().enumerate() {
            let expected = sign * weight / fit.deviations[at];
            assert!((fit.weights[at] - expected).abs() < 1e-3, "{fit:?} {expected}");
        }
        assert!((fit.intercept - sign * other.intercept()).abs() < 1e-3, "{fit:?} {}", other.intercept());
    }

    #[test]
    fn a_weight_of_two_is_a_row_twice() {
        let sample = sample();
        let weights: Vec<f32> = (0..sample.labels.len()).map(|at| 1.0 + (at % 2) as f32).collect();
        let mut doubled = Sample { width: sample.width, ..Sample::default() };
        for (at, row) in sample.data.chunks_exact(sample.width).enumerate() {
            for _ in 0..1 + at % 2 {
                doubled.data.extend_from_slice(row);
                doubled.labels.push(sample.labels[at]);
            }
        }
        let weighted = fit_weighted(&sample, &weights, 1e-3).unwrap();
        let repeated = fit_weighted(&doubled, &vec![1.0; doubled.labels.len()], 1e-3).unwrap();
        for (a, b) in weighted.weights.iter().zip(&repeated.weights) {
            assert!((a - b).abs() < 1e-3, "{weighted:?} {repeated:?}");
        }
    }

    #[test]
    fn one_label_is_nothing_to_learn_from() {
        let sample = Sample { data: vec![1.0, 2.0], labels: vec![true, true], width: 1 };
        for sample in [sample, Sample::default()] {
            assert!(matches!(fit_weighted(&sample, &[1.0, 1.0], 1.0), Err(LearnError::Nothing(_))));
        }
    }

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

    /// Creates a thousand rows of rising values, the last `true_rows` of which are true.
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
