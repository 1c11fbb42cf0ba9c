//! Correlation of ranks.

/// Spearman's rank correlation of two lists of the same length, -1..=1: the correlation of the ranks,
/// ties having the mean of their ranks. None if the lengths differ, either list has fewer than two
/// values, or all values of a list are the same.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() != b.len() {
        return None;
    }
    let (a, b) = (ranks(a), ranks(b));
    // Ranks of n values have the mean (n + 1) / 2, with ties or without.
    let mean = (a.len() as f64 + 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| -> f64 {
        let pairs = x.iter().zip(y);
        pairs.map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    let spread = (product(&a, &a) * product(&b, &b)).sqrt();
    (spread > 0.0).then(|| product(&a, &b) / spread)
}

/// The rank of each value, from 1 for the lowest.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = values.iter().copied().enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for tied in order.chunk_by(|a, b| a.1 == b.1) {
        let rank = below as f64 + (tied.len() as f64 + 1.0) / 2.0;
        for (at, _) in tied {
            if let Some(slot) = ranks.get_mut(*at) {
                *slot = rank;
            }
        }
        below += tied.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_counts_and_not_the_distance() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[0.1, 0.2, 90.0]), Some(1.0));
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[9.0, 2.0, 1.0]), Some(-1.0));
        // Differences of ranks 1, 1, 1, 1, -4: 1 - 6 x 20 / (5 x 24) = 0.
        let found = spearman(&[1.0, 2.0, 3.0, 4.0, 5.0], &[2.0, 3.0, 4.0, 5.0, 1.0]);
        assert!(found.is_some_and(|rho| rho.abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn ties_share_their_ranks() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 7.0]), [2.5, 1.0, 2.5, 4.0]);
        // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / sqrt(4.5 x 5).
        let found = spearman(&[1.0, 2.0, 2.0, 3.0], &[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert!((found - 4.5 / 22.5f64.sqrt()).abs() < 1e-12, "{found}");
    }

    #[test]
    fn what_does_not_vary_has_no_rank() {
        assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(spearman(&[1.0], &[1.0]), None);
        assert_eq!(spearman(&[1.0, 2.0], &[1.0]), None);
    }
}
