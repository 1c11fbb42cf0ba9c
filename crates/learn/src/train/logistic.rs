//! L2 logistic regression with sample weights. One pass over single-precision rows gives cost and gradient.

use ndarray::Array1;
use rayon::prelude::*;

use super::minimum::{Stop, minimum};
use crate::error::LearnError;

const STOP: Stop = Stop { steps: 150, gradient: 1e-4 };
/// Rows a unit of work. Partial sums are added in row order, so the number of threads does not
/// change the result.
const ROWS: usize = 4096;

/// Rows to learn from.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Features, row after row.
    pub data: Vec<f32>,
    /// For each row, true if it is content.
    pub labels: Vec<bool>,
    /// Numbers a row.
    pub width: usize,
}

/// A fitted regression in the features' own units.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Change of log odds for a change of one, a feature.
    pub weights: Vec<f64>,
    /// Log odds of a row of zeros.
    pub intercept: f64,
    /// Standard deviation of each feature in the sample.
    pub deviations: Vec<f64>,
}

/// Fits the probability of content; every row counts with its weight. `penalty` is the strength of
/// the L2 term against the weighted mean loss of a row.
///
/// # Errors
/// If there are no rows, or all of them have one label, or the solver fails.
pub fn fit_weighted(sample: &Sample, weights: &[f32], penalty: f64) -> Result<Fit, LearnError> {
    let width = sample.width;
    let rows = sample.labels.len();
    if rows == 0 || width == 0 {
        return Err(LearnError::Nothing("no blocks"));
    }
    if sample.labels.iter().all(|label| *label == sample.labels[0]) {
        return Err(LearnError::Nothing("all blocks have the same label"));
    }
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
    let best = minimum(|param| loss.at(param), width + 1, &STOP)?;
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

/// Weighted mean and standard deviation of each feature.
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

/// Weighted mean log loss with the penalty; the intercept is the last parameter and goes free.
struct Loss<'a> {
    data: Vec<f32>,
    labels: &'a [bool],
    weights: &'a [f32],
    total: f64,
    width: usize,
    penalty: f64,
}

impl Loss<'_> {
    /// Cost and gradient.
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

    /// Cost and gradient of a run of rows.
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

/// Dot product in eight lanes, which the compiler turns into vector instructions.
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

#[cfg(test)]
mod tests {
    use linfa::Dataset;
    use linfa::traits::Fit as _;
    use linfa_logistic::LogisticRegression;
    use ndarray::Array2;

    use super::*;

    /// Rows whose log odds of content are 2x - 1; y is noise, z never changes.
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

    /// The loss is convex: where no parameter moves it, it is least.
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
}
