//! Expectation maximisation for a mixture of Gaussians on a line.

/// Rounds after which the mixture is taken as it stands.
const ROUNDS: usize = 100;
/// Change of the mean log likelihood of a value below which the mixture stands still.
const TOLERANCE: f64 = 1e-6;
/// Minimum variance, as a share of the variance of all values, so that no component shrinks to a point.
const FLOOR: f64 = 1e-4;

/// One Gaussian.
#[derive(Clone, Copy, Debug, Default)]
struct Component {
    share: f64,
    mean: f64,
    variance: f64,
}

impl Component {
    /// Log of its share times its density, without the constant that all components have.
    fn log(&self, value: f64) -> f64 {
        if self.share <= 0.0 {
            return f64::NEG_INFINITY;
        }
        self.share.ln() - 0.5 * (self.variance.ln() + (value - self.mean).powi(2) / self.variance)
    }
}

/// Fits a mixture, starting from the `members` (index of a component below `k` for each value), and
/// gives the likeliest component of each value and the mean of each component. The values must not all
/// be equal. A component without values is given none.
pub(crate) fn assign(values: &[f32], members: &[usize], k: usize) -> (Vec<usize>, Vec<f64>) {
    let count = values.len() as f64;
    let mean = values.iter().map(|value| f64::from(*value)).sum::<f64>() / count;
    let spread = values.iter().map(|value| (f64::from(*value) - mean).powi(2)).sum::<f64>() / count;
    let floor = (spread * FLOOR).max(f64::MIN_POSITIVE);

    // Row by row, the share of each component in each value; first by the members.
    let mut parts = vec![0.0; values.len() * k];
    for (row, member) in parts.chunks_mut(k.max(1)).zip(members) {
        if let Some(part) = row.get_mut(*member) {
            *part = 1.0;
        }
    }
    let mut mixture = maximise(values, &parts, k, floor);
    let mut last = f64::NEG_INFINITY;
    for _ in 0..ROUNDS {
        let mut likelihood = 0.0;
        for (row, value) in parts.chunks_mut(k.max(1)).zip(values) {
            for (part, component) in row.iter_mut().zip(&mixture) {
                *part = component.log(f64::from(*value));
            }
            // Against the largest, so that the sum neither vanishes nor overflows.
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = row.iter().map(|part| (part - most).exp()).sum();
            likelihood += most + sum.ln();
            for part in row {
                *part = (*part - most).exp() / sum;
            }
        }
        mixture = maximise(values, &parts, k, floor);
        if (likelihood - last).abs() < TOLERANCE * count {
            break;
        }
        last = likelihood;
    }
    let likeliest = |value: &f32| {
        let mut best = (0, f64::NEG_INFINITY);
        for (at, component) in mixture.iter().enumerate() {
            let log = component.log(f64::from(*value));
            if log > best.1 {
                best = (at, log);
            }
        }
        best.0
    };
    (values.iter().map(likeliest).collect(), mixture.iter().map(|component| component.mean).collect())
}

/// The mixture that fits the parts best.
fn maximise(values: &[f32], parts: &[f64], k: usize, floor: f64) -> Vec<Component> {
    let mut sums = vec![(0.0, 0.0); k];
    let rows = || parts.chunks(k.max(1)).zip(values);
    for (row, value) in rows() {
        for ((weight, sum), part) in sums.iter_mut().zip(row) {
            *weight += part;
            *sum += part * f64::from(*value);
        }
    }
    let mut mixture: Vec<Component> = sums
        .iter()
        .map(|(weight, sum)| Component {
            share: weight / values.len() as f64,
            mean: if *weight > 0.0 { sum / weight } else { 0.0 },
            variance: 0.0,
        })
        .collect();
    for (row, value) in rows() {
        for (component, part) in mixture.iter_mut().zip(row) {
            component.variance += part * (f64::from(*value) - component.mean).powi(2);
        }
    }
    for (component, (weight, _)) in mixture.iter_mut().zip(sums) {
        let variance = if weight > 0.0 { component.variance / weight } else { 0.0 };
        component.variance = variance.max(floor);
    }
    mixture
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_groups_keep_their_means() {
        let values = [1.0, 2.0, 3.0, 100.0, 102.0];
        let (members, means) = assign(&values, &[0, 0, 0, 1, 1], 2);
        assert_eq!(members, [0, 0, 0, 1, 1]);
        assert!((means[0] - 2.0).abs() < 1e-6 && (means[1] - 101.0).abs() < 1e-6);
    }

    #[test]
    fn a_narrow_group_gives_up_what_a_wide_one_explains() {
        // Nine values around 1 (deviation .08) and five from 3 to 11. By distance to the means, 3 and 5
        // belong to the first group; yet 3 is 25 deviations of the narrow group away.
        let narrow = [0.9, 1.0, 1.1];
        let values: Vec<f32> = narrow.repeat(3).into_iter().chain([3.0, 5.0, 7.0, 9.0, 11.0]).collect();
        let start: Vec<usize> = values.iter().map(|value| usize::from(*value > 6.0)).collect();
        let (members, means) = assign(&values, &start, 2);
        assert_eq!(members[..9], [0; 9]);
        assert_eq!(members[9..], [1; 5]);
        // The wide group keeps a share of under 1 % in each of the nine.
        assert!((means[0] - 1.0).abs() < 0.01 && (means[1] - 7.0).abs() < 0.05, "{means:?}");
    }

    #[test]
    fn an_empty_component_stays_empty() {
        let (members, _) = assign(&[1.0, 1.1, 9.0], &[0, 0, 2], 3);
        assert_eq!(members, [0, 0, 2]);
    }
}
