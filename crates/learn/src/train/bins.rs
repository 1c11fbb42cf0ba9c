//! Divides columns of features into bins, for the additive and the boosted learner.

use rayon::prelude::*;

/// Maximum number of bins of a column.
pub const MAX_BINS: usize = 64;

/// A training table, column by column, each value replaced by the number of its bin.
#[derive(Clone, Debug)]
pub struct Binned {
    /// Upper edges of the bins of each column but the last, rising: value `v` is in the bin whose
    /// number is the count of edges that are less than `v`.
    pub edges: Vec<Vec<f32>>,
    /// The bins of each column.
    pub columns: Vec<Vec<u8>>,
    /// Number of rows.
    pub rows: usize,
}

/// The bin of a value among edges.
pub fn bin(edges: &[f32], value: f32) -> u8 {
    edges.partition_point(|edge| *edge < value) as u8
}

/// Edges between at most `most` bins that hold about the same weight; a value that occurs alone in
/// much of the weight gets a bin of its own. No edges for a column that never changes.
pub fn edges(values: impl Iterator<Item = (f32, f32)>, most: usize) -> Vec<f32> {
    let mut sorted: Vec<(f32, f32)> = values.collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut distinct: Vec<(f32, f64)> = Vec::new();
    for (value, weight) in sorted {
        match distinct.last_mut() {
            Some((last, sum)) if *last == value => *sum += f64::from(weight),
            _ => distinct.push((value, f64::from(weight))),
        }
    }
    let middle = |a: f32, b: f32| {
        let middle = a / 2.0 + b / 2.0;
        if a < middle && middle < b { middle } else { a }
    };
    if distinct.len() <= most {
        return distinct.windows(2).map(|pair| middle(pair[0].0, pair[1].0)).collect();
    }
    let total: f64 = distinct.iter().map(|(_, weight)| weight).sum();
    let mut edges = Vec::with_capacity(most);
    let (mut left, mut share, mut filled) = (total, total / most as f64, 0.0);
    for pair in distinct.windows(2) {
        filled += pair[0].1;
        let next = pair[1].1;
        if filled >= share || filled + next > 1.5 * share && next >= share {
            edges.push(middle(pair[0].0, pair[1].0));
            left -= filled;
            filled = 0.0;
            if edges.len() + 1 >= most {
                break;
            }
            share = left / (most - edges.len()) as f64;
        }
    }
    edges
}

impl Binned {
    /// Bins a table given row by row, `width` values a row; the bins of a column hold about the same
    /// weight.
    pub fn new(data: &[f32], width: usize, weights: &[f32], most: usize) -> Self {
        let edges = (0..width)
            .into_par_iter()
            .map(|column| {
                let values = data.iter().skip(column).step_by(width.max(1)).copied();
                edges(values.zip(weights.iter().copied()), most.min(MAX_BINS))
            })
            .collect();
        Self::with_edges(data, width, edges)
    }

    /// Bins a table by edges that are known.
    pub fn with_edges(data: &[f32], width: usize, edges: Vec<Vec<f32>>) -> Self {
        let columns = edges
            .par_iter()
            .enumerate()
            .map(|(column, edges)| {
                data.iter().skip(column).step_by(width.max(1)).map(|value| bin(edges, *value)).collect()
            })
            .collect();
        Self { edges, columns, rows: data.len().checked_div(width).unwrap_or(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_have_a_bin_each() {
        let values = [2.0f32, 0.0, 1.0, 1.0, 0.0];
        let found = edges(values.iter().map(|v| (*v, 1.0)), 8);
        assert_eq!(found, [0.5, 1.5]);
        assert_eq!((bin(&found, 0.0), bin(&found, 1.0), bin(&found, 7.0)), (0, 1, 2));
        assert!(edges([(3.0, 1.0), (3.0, 2.0)].into_iter(), 8).is_empty());
    }

    #[test]
    fn bins_hold_the_same_weight() {
        let found = edges((0..1000).map(|v| (v as f32, 1.0)), 4);
        assert_eq!(found, [249.5, 499.5, 749.5]);
        // Half of the weight is zero: that is a bin, and the rest is divided.
        let found = edges((0..1000).map(|v| ((v - 500).max(0) as f32, 1.0)), 4);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], 0.5);
    }

    #[test]
    fn rows_become_columns() {
        let data = [0.0, 5.0, 1.0, 5.0, 2.0, 6.0];
        let binned = Binned::new(&data, 2, &[1.0; 3], 16);
        assert_eq!(binned.columns, [vec![0, 1, 2], vec![0, 0, 1]]);
        assert_eq!((binned.rows, binned.edges[1].as_slice()), (3, &[5.5][..]));
    }
}
