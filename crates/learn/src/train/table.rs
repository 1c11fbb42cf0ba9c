//! Training table: rows of blocks with labels and weights, and the division of columns into bins.

use rayon::prelude::*;
use trommel_text::{hash, mix};

use super::training_pages::Labelled;

/// Training table: the features, labels and weights of the blocks of training pages, one row per block.
#[derive(Clone)]
pub(crate) struct BlockTable {
    pub width: usize,
    pub data: Vec<f32>,
    pub labels: Vec<bool>,
    /// Weight of each row. A page's weight is divided among its blocks by the square roots of their word counts. All
    /// pages of a set weigh the same, and a set weighs the square root of its number of pages, so that none decides
    /// alone.
    pub weights: Vec<f32>,
    /// Maximum number of rows per page; a longer page gives a random sample of its blocks, with raised weights.
    pub most_rows: usize,
    /// Index of the first row of each page, and the page's index among the training pages; pages without blocks are
    /// left out.
    pub pages: Vec<(usize, usize)>,
}

impl BlockTable {
    /// Creates an empty table with `width` columns and at most `most_rows` rows per page.
    pub fn new(width: usize, most_rows: usize) -> Self {
        Self { width, most_rows, data: Vec::new(), labels: Vec::new(), weights: Vec::new(), pages: Vec::new() }
    }

    /// Adds the rows of a page if the page has blocks. `number` is the page's index among the training pages, and
    /// `share` is a divisor of the page's weight.
    pub fn push_page(&mut self, number: usize, page: &Labelled, rows: &[f32], share: f64) {
        let blocks = &page.page.page.blocks;
        if blocks.is_empty() {
            return;
        }
        self.pages.push((self.labels.len(), number));
        let weight =
            |at: usize, words: u32| f64::from(words).sqrt() * f64::from(page.certainty.get(at).copied().unwrap_or(1.0));
        let drawn = self.drawn(page);
        let mut all = 0.0;
        let mut of_drawn = 0.0;
        for (at, block) in blocks.iter().enumerate() {
            let block_weight = weight(at, block.words);
            all += f64::from(block.words).sqrt();
            of_drawn += if drawn[at] { block_weight } else { 0.0 };
        }
        let sum: f64 = (0..).zip(blocks).map(|(at, block)| weight(at, block.words)).sum();
        // Drawn blocks weigh what all of the page weigh together.
        let scale = page.share * sum / (of_drawn.max(f64::MIN_POSITIVE) * all * share);
        let rows = rows.chunks_exact(self.width.max(1));
        for (at, ((block, label), row)) in blocks.iter().zip(&page.labels).zip(rows).enumerate() {
            if drawn[at] {
                self.data.extend_from_slice(row);
                self.labels.push(*label);
                self.weights.push((weight(at, block.words) * scale) as f32);
            }
        }
    }

    /// Returns for each block of a page whether it gets a row in the table; long pages give a random sample of blocks.
    fn drawn(&self, page: &Labelled) -> Vec<bool> {
        let blocks = page.page.page.blocks.len();
        if blocks <= self.most_rows {
            return vec![true; blocks];
        }
        let seed = hash(page.page.gold.record_id.as_bytes());
        let mut order: Vec<(u64, usize)> = (0..blocks).map(|at| (mix(seed ^ at as u64), at)).collect();
        order.sort_unstable();
        let mut drawn = vec![false; blocks];
        for (_, at) in order.into_iter().take(self.most_rows) {
            drawn[at] = true;
        }
        drawn
    }

    /// Returns the features of the row with this index; `None` if there is no such row.
    pub fn row(&self, row: usize) -> Option<&[f32]> {
        self.data.get(row * self.width..(row + 1) * self.width)
    }

    /// Zeroes the columns whose names begin with `prefix`, so that nothing is learned from them.
    pub fn blank(&mut self, names: &[String], prefix: &str) {
        self.blank_columns(|at| names.get(at).is_some_and(|name| name.starts_with(prefix)));
    }

    /// Zeroes all columns for whose indices `is_blank` returns true.
    pub fn blank_columns(&mut self, is_blank: impl Fn(usize) -> bool) {
        let columns: Vec<usize> = (0..self.width).filter(|at| is_blank(*at)).collect();
        for row in self.data.chunks_exact_mut(self.width.max(1)) {
            columns.iter().for_each(|column| row[*column] = 0.0);
        }
    }
}

/// Maximum number of bins of a column.
pub const MAX_BINS: usize = 64;

/// Training table, column by column, with each value replaced by the number of its bin.
#[derive(Clone, Debug)]
pub struct Binned {
    /// Edges between the bins of each column, ascending. A value is in the bin whose number is the count of edges that
    /// are less than the value.
    pub edges: Vec<Vec<f32>>,
    /// Bin number of each row, for each column.
    pub columns: Vec<Vec<u8>>,
    /// Number of rows of the table.
    pub rows: usize,
}

/// Returns the number of the bin that `value` falls into, given the edges between bins.
pub fn bin(edges: &[f32], value: f32) -> u8 {
    edges.partition_point(|edge| *edge < value) as u8
}

/// Returns the edges between at most `most` bins of about equal weight, from pairs of value and weight. A value that
/// has much of the weight gets a bin of its own. A column that never changes has no edges.
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
    /// Divides each column of a table into at most `most` bins of about equal weight. The table is given row by row,
    /// with `width` values in each row.
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

    /// Replaces the values of a table, given row by row, with the numbers of their bins between the given `edges`.
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
    use crate::labelled_pages::Gold;
    use crate::test_pages;

    #[test]
    fn long_pages_give_some_rows_that_weigh_for_all() {
        let html: String = (0..50).map(|at| format!("<p>{}</p>", "word ".repeat(at % 7 + 1))).collect();
        let page = test_pages::labelled(&html, Gold { record_id: "r".into(), ..Gold::default() });
        let mut labelled = Labelled::new(&page, 0, vec![true; 50], String::new());
        let rows: Vec<f32> = (0..50).map(|at| at as f32).collect();
        let drawn = |labelled: &Labelled, most: usize| {
            let mut table = BlockTable::new(1, most);
            table.push_page(0, labelled, &rows, 2.0);
            let sum: f32 = table.weights.iter().sum();
            (table.data.len(), table.labels.len(), sum, table.data)
        };
        let (all, labels, sum, _) = drawn(&labelled, 100);
        assert_eq!((all, labels), (50, 50));
        assert!((sum - 0.5).abs() < 1e-5, "{sum}");
        let (some, _, sum, data) = drawn(&labelled, 20);
        assert_eq!(some, 20);
        assert!((sum - 0.5).abs() < 1e-5, "{sum}");
        assert!(data.is_sorted() && data[19] > 30.0, "{data:?}");
        // Labels that are half sure halve what the page weighs, and a copy counts half.
        labelled.certainty = vec![0.5; 50];
        labelled.share = 0.5;
        assert!((drawn(&labelled, 20).2 - 0.125).abs() < 1e-5);
    }

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
