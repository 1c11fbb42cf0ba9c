//! Boosted trees over any rows, for experiments that are not about blocks of text.

use trommel_model::Trees;

use super::bins::{Binned, MAX_BINS};
use super::boost::{BoostOptions, boost};
use super::logistic::Sample;
use crate::error::LearnError;

/// Fits the log odds of a true label by 200 small trees; row `r` counts with `weights[r]`.
///
/// # Errors
/// If there are no rows or all of them have one label.
pub fn fit_trees(sample: &Sample, weights: &[f32]) -> Result<Trees, LearnError> {
    let binned = Binned::new(&sample.data, sample.width, weights, MAX_BINS);
    let options = BoostOptions { leaves: 15, least_rows: 20, ..BoostOptions::default() };
    boost(&binned, &sample.labels, weights, &options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_learn_what_divides_the_rows() {
        // The label is whether the second number is above one half; the first says nothing.
        let rows: Vec<[f32; 2]> = (0..400).map(|at| [(at % 7) as f32, (at % 10) as f32 / 10.0]).collect();
        let sample = Sample { data: rows.concat(), labels: rows.iter().map(|row| row[1] > 0.5).collect(), width: 2 };
        let trees = fit_trees(&sample, &[1.0; 400]).unwrap();
        assert!(trees.log_odds(&[3.0, 0.9]) > 2.0);
        assert!(trees.log_odds(&[3.0, 0.1]) < -2.0);
        assert!(fit_trees(&Sample::default(), &[]).is_err());
    }
}
