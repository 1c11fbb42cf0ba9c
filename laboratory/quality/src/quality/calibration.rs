//! Calibration of probabilities: reliability and expected calibration error.

/// Bins of equal width that probabilities are sorted into.
pub const BINS: usize = 10;

/// The samples whose probability lies in one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Number of samples.
    pub samples: usize,
    /// Sum of their weights.
    pub weight: f64,
    /// Mean probability, 0..=1; 0 without weight.
    pub predicted: f64,
    /// Share of the weight that is true, 0..=1; 0 without weight.
    pub observed: f64,
}

/// Probabilities beside the observed shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// `[k/n, (k+1)/n)` for each k below the number of bins n; the last holds 1 too.
    pub bins: Vec<Bin>,
    /// Expected calibration error, 0..=1: the mean over the weight of how far apart predicted and
    /// observed are in a sample's bin; 0 without weight.
    pub error: f64,
}

impl Calibration {
    /// Sorts samples of probability (0..=1), outcome and weight (at least 0) into `bins` bins, at
    /// least one.
    pub fn of(samples: impl IntoIterator<Item = (f64, bool, f64)>, bins: usize) -> Self {
        let count = bins.max(1);
        let mut bins = vec![Bin::default(); count];
        let mut total = 0.0;
        for (probability, outcome, weight) in samples {
            // Casts of floats saturate: what is below 0 or no number falls into the first bin.
            let at = ((probability * count as f64) as usize).min(count - 1);
            if let Some(bin) = bins.get_mut(at) {
                bin.samples += 1;
                bin.weight += weight;
                bin.predicted += weight * probability;
                bin.observed += weight * f64::from(u8::from(outcome));
                total += weight;
            }
        }
        let mut error = 0.0;
        for bin in &mut bins {
            if bin.weight > 0.0 {
                bin.predicted /= bin.weight;
                bin.observed /= bin.weight;
                error += bin.weight / total * (bin.predicted - bin.observed).abs();
            }
        }
        Self { bins, error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_weighted_gap() {
        // Bin 0: weight 3, predicted (.1 x 1 + .4 x 2) / 3 = .3, observed 2/3: gap 11/30.
        // Bin 1: weight 5, predicted (.8 x 4 + 1 x 1) / 5 = .84, observed 4/5: gap .04.
        let samples = [(0.1, false, 1.0), (0.4, true, 2.0), (0.8, true, 4.0), (1.0, false, 1.0)];
        let found = Calibration::of(samples, 2);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        assert_eq!((found.bins[0].samples, found.bins[1].samples), (2, 2));
        close(found.bins[0].predicted, 0.3);
        close(found.bins[0].observed, 2.0 / 3.0);
        close(found.bins[1].predicted, 0.84);
        close(found.bins[1].observed, 0.8);
        close(found.error, (3.0 * 11.0 / 30.0 + 5.0 * 0.04) / 8.0);
    }

    #[test]
    fn a_bin_begins_at_its_lower_edge() {
        let found = Calibration::of([(0.5, true, 1.0), (0.0, false, 1.0)], 10);
        let filled: Vec<usize> = (0..10).filter(|at| found.bins[*at].samples > 0).collect();
        assert_eq!(filled, [0, 5]);
        assert_eq!(found.error, 0.25);
    }

    #[test]
    fn nothing_errs_in_nothing() {
        assert_eq!(Calibration::of([], 4).error, 0.0);
        assert_eq!(Calibration::of([(0.5, true, 0.0)], 4).error, 0.0);
        assert_eq!(Calibration::of([(0.5, true, 1.0)], 0).bins.len(), 1);
    }
}
