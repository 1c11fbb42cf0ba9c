//! Fits the same regression with linfa-logistic, as a comparison in tests.

use linfa::Dataset;
use linfa::traits::Fit as _;
use linfa_logistic::LogisticRegression;
use ndarray::{Array1, Array2};

use super::logistic::{Fit, Sample};
use crate::error::LearnError;

/// Steps after which the solver stops.
const STEPS: u64 = 60;
/// Size of the gradient, a row, at which the solver stops.
const GRADIENT: f64 = 5e-4;

/// Fits the probability of content. `penalty` is the strength of the L2 term against the *mean* loss
/// of a row, so it means the same for samples of any size.
///
/// # Errors
/// If there are no rows, or all of them have one label, or the solver fails.
pub fn fit(sample: &Sample, penalty: f64) -> Result<Fit, LearnError> {
    let rows = sample.labels.len();
    if rows == 0 || sample.width == 0 {
        return Err(LearnError::Nothing("no blocks"));
    }
    if sample.labels.iter().all(|label| *label == sample.labels[0]) {
        return Err(LearnError::Nothing("all blocks have the same label"));
    }
    let mut features = Array2::<f64>::zeros((rows, sample.width));
    for (slot, value) in features.iter_mut().zip(&sample.data) {
        *slot = f64::from(*value);
    }
    let mut means = vec![0.0; sample.width];
    let mut deviations = vec![0.0; sample.width];
    for (at, mut column) in features.columns_mut().into_iter().enumerate() {
        let mean = column.sum() / rows as f64;
        let deviation = (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / rows as f64).sqrt();
        // A feature that never changes says nothing; dividing by 1 leaves it at zero.
        let divisor = if deviation > 1e-9 { deviation } else { 1.0 };
        column.mapv_inplace(|v| (v - mean) / divisor);
        means[at] = mean;
        deviations[at] = deviation;
    }
    let started = std::time::Instant::now();
    let labels: Array1<bool> = sample.labels.iter().copied().collect();
    let fitted = LogisticRegression::default()
        .alpha(penalty * rows as f64)
        .max_iterations(STEPS)
        .gradient_tolerance(GRADIENT * rows as f64)
        .with_intercept(true)
        .fit(&Dataset::new(features, labels))
        .map_err(|error| LearnError::Solver(error.to_string()))?;
    tracing::debug!(rows, width = sample.width, penalty, seconds = started.elapsed().as_secs_f32(), "fitted");
    // linfa takes the larger class for the positive one.
    let sign = if fitted.labels().pos.class { 1.0 } else { -1.0 };
    let mut intercept = sign * fitted.intercept();
    let mut weights = vec![0.0; sample.width];
    for (at, weight) in fitted.params().iter().enumerate() {
        if deviations[at] > 1e-9 {
            weights[at] = sign * weight / deviations[at];
            intercept -= weights[at] * means[at];
        }
    }
    Ok(Fit { weights, intercept, deviations })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Rows whose log odds of content are 2x - 1; y is noise, z never changes.
    pub(crate) fn sample() -> Sample {
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

    #[test]
    fn the_odds_are_recovered() {
        let fit = fit(&sample(), 1e-6).unwrap();
        assert!((fit.weights[0] - 2.0).abs() < 0.2, "{fit:?}");
        assert!(fit.weights[1].abs() < 0.1 && fit.weights[2] == 0.0, "{fit:?}");
        assert!((fit.intercept + 1.0).abs() < 0.3, "{fit:?}");
    }

    #[test]
    fn the_penalty_shrinks() {
        let free = fit(&sample(), 1e-6).unwrap();
        let held = fit(&sample(), 1.0).unwrap();
        assert!(held.weights[0].abs() < free.weights[0].abs() / 2.0, "{held:?}");
    }

    #[test]
    fn one_label_is_nothing_to_learn_from() {
        let sample = Sample { data: vec![1.0, 2.0], labels: vec![true, true], width: 1 };
        assert!(matches!(fit(&sample, 1.0), Err(LearnError::Nothing(_))));
        assert!(matches!(fit(&Sample::default(), 1.0), Err(LearnError::Nothing(_))));
    }
}
