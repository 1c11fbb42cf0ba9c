//! Which pairs of features are worth a table of their own.

use rayon::prelude::*;

use crate::bins::Binned;

/// Bins of a feature in a cross: a cell's number fits a byte.
const COARSE: usize = 8;
/// Features that are paired: those whose own coarse bins gain most, or would with another.
const PAIRED: usize = 90;
/// Crosses that one feature may be part of.
const SHARED: usize = 12;

/// Every column's bins joined to at most eight of about the same weight: the bins of the rows, and the
/// numbers of the edges that are left.
pub(crate) fn coarse(table: &Binned, weights: &[f32]) -> Vec<(Vec<u8>, Vec<u8>)> {
    table
        .columns
        .par_iter()
        .zip(&table.edges)
        .map(|(bins, edges)| {
            let mut mass = vec![0.0f64; edges.len() + 1];
            for (bin, weight) in bins.iter().zip(weights) {
                mass[usize::from(*bin)] += f64::from(*weight);
            }
            let total: f64 = mass.iter().sum();
            let mut cuts: Vec<u8> = Vec::new();
            let mut to = vec![0u8; mass.len()];
            let mut own = 0.0;
            for (at, part) in mass.iter().enumerate() {
                to[at] = cuts.len() as u8;
                own += part;
                let share = total / COARSE as f64;
                if at < edges.len() && cuts.len() + 1 < COARSE && own >= share * 0.8 {
                    cuts.push(at as u8);
                    own = 0.0;
                }
            }
            (bins.iter().map(|bin| to[usize::from(*bin)]).collect(), cuts)
        })
        .collect()
}

/// The pairs of columns whose cells gain most on the residuals, best first.
pub(crate) fn best_pairs(
    coarse: &[(Vec<u8>, Vec<u8>)],
    residuals: &[f32],
    weights: &[f32],
    count: usize,
) -> Vec<(usize, usize)> {
    let total: f64 = weights.iter().map(|w| f64::from(*w)).sum();
    // A cell's gain is the square of its residuals over its weight; a little weight is added so that
    // small cells do not win by chance.
    let floor = total * 1e-3;
    let gain = |sums: &[(f64, f64)]| -> f64 { sums.iter().map(|(r, w)| r * r / (w + floor)).sum() };
    let varied: Vec<usize> = (0..coarse.len())
        .filter(|at| !coarse[*at].1.is_empty())
        .collect();
    // How much a column's mass is divided: one that is nearly constant pairs with nothing.
    let mut spread: Vec<(f64, usize)> = varied
        .par_iter()
        .map(|column| {
            let (bins, cuts) = &coarse[*column];
            let mut mass = vec![0.0f64; cuts.len() + 1];
            let mut loss = vec![0.0f64; cuts.len() + 1];
            for ((bin, weight), residual) in bins.iter().zip(weights).zip(residuals) {
                mass[usize::from(*bin)] += f64::from(*weight);
                loss[usize::from(*bin)] += f64::from(residual.abs());
            }
            // The variance of the mean loss over the bins: where errors are uneven, something is
            // left to be said together with another column.
            let mean = loss.iter().sum::<f64>() / total;
            let spread = mass
                .iter()
                .zip(&loss)
                .map(|(m, l)| m * (l / m.max(floor) - mean).powi(2))
                .sum();
            (spread, *column)
        })
        .collect();
    spread.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut paired: Vec<usize> = spread
        .iter()
        .take(PAIRED)
        .map(|(_, column)| *column)
        .collect();
    paired.sort_unstable();
    let pairs: Vec<(usize, usize)> = paired
        .iter()
        .enumerate()
        .flat_map(|(at, a)| paired[at + 1..].iter().map(move |b| (*a, *b)))
        .collect();
    let mut gains: Vec<(f64, (usize, usize))> = pairs
        .into_par_iter()
        .map(|(a, b)| {
            let ((bins_a, cuts_a), (bins_b, cuts_b)) = (&coarse[a], &coarse[b]);
            let width = cuts_b.len() + 1;
            let mut cells = vec![(0.0f64, 0.0f64); (cuts_a.len() + 1) * width];
            for ((x, y), (residual, weight)) in
                bins_a.iter().zip(bins_b).zip(residuals.iter().zip(weights))
            {
                let cell = &mut cells[usize::from(*x) * width + usize::from(*y)];
                cell.0 += f64::from(*residual);
                cell.1 += f64::from(*weight);
            }
            (gain(&cells), (a, b))
        })
        .collect();
    gains.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut uses = vec![0; coarse.len()];
    let mut best = Vec::with_capacity(count);
    for (_, (a, b)) in gains {
        if best.len() == count {
            break;
        }
        if uses[a] < SHARED && uses[b] < SHARED {
            uses[a] += 1;
            uses[b] += 1;
            best.push((a, b));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_joined_by_weight() {
        let data: Vec<f32> = (0..160).map(|row| (row % 16) as f32).collect();
        let weights = vec![1.0; 160];
        let table = Binned::new(&data, 1, &weights, 16);
        let coarse = coarse(&table, &weights);
        assert_eq!(coarse[0].1, [1, 3, 5, 7, 9, 11, 13]);
        assert_eq!(coarse[0].0[..4], [0, 0, 1, 1]);
        assert_eq!(coarse[0].0[15], 7);
    }

    #[test]
    fn the_pair_behind_the_residuals_is_found() {
        let column =
            |f: fn(usize) -> u8| -> (Vec<u8>, Vec<u8>) { ((0..400).map(f).collect(), vec![0]) };
        let coarse = [
            column(|r| (r % 2) as u8),
            column(|r| (r / 2 % 2) as u8),
            column(|r| (r / 4 % 2) as u8),
        ];
        let residuals: Vec<f32> = (0..400)
            .map(|r| if (r % 2) == (r / 4 % 2) { 1.0 } else { -1.0 })
            .collect();
        assert_eq!(
            best_pairs(&coarse, &residuals, &vec![1.0; 400], 1),
            [(0, 2)]
        );
    }
}
