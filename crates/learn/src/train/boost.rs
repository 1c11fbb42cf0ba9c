//! Boosted regression trees for the logistic loss (Friedman, Annals of Statistics 2001), with several seeds.
//!
//! Trees are grown leaf by leaf on histograms of binned columns, with row weights and random parts of rows and
//! columns. A seed decides which columns and rows a tree is fitted on. A single seed moves the F1 of a set by up to
//! .01 in either direction. The mean of the log odds of several seeds is better than each of them, because their
//! errors differ.

use rayon::prelude::*;
use trommel_model::{TreeNode, Trees, sigmoid};
use trommel_text::SplitMix64;

use super::logistic::{Sample, check_labels};
use super::table::{Binned, MAX_BINS};
use crate::error::LearnError;

/// Options for boosting regression trees.
#[derive(Clone, Copy, Debug)]
pub struct BoostOptions {
    /// Number of trees to fit.
    pub trees: usize,
    /// Maximum number of leaves of a tree.
    pub leaves: usize,
    /// Maximum number of splits on the path from the root to a leaf.
    pub depth: usize,
    /// Learning rate: share of each tree's output that is added to the log odds (0 to 1).
    pub rate: f64,
    /// Minimum number of rows in a leaf.
    pub least_rows: usize,
    /// L2 penalty on the value of a leaf, for row weights whose mean is 1.
    pub penalty: f64,
    /// Share of the columns that each tree may split on (0 to 1).
    pub columns: f64,
    /// Share of the rows that each tree is fitted on (0 to 1).
    pub rows: f64,
    /// Seed for the random choice of rows and columns.
    pub seed: u64,
}

impl Default for BoostOptions {
    fn default() -> Self {
        Self {
            trees: 200,
            leaves: 47,
            depth: usize::MAX,
            rate: 0.08,
            least_rows: 40,
            penalty: 5.0,
            columns: 0.3,
            rows: 0.5,
            seed: 1,
        }
    }
}

/// Sums of the gradients and of the second derivatives of the loss over the rows of one bin, and number of these rows.
#[derive(Clone, Copy, Debug, Default)]
struct GradientSum {
    gradient: f64,
    hessian: f64,
    rows: u32,
}

impl GradientSum {
    fn add(&mut self, other: &GradientSum) {
        self.gradient += other.gradient;
        self.hessian += other.hessian;
        self.rows += other.rows;
    }

    fn minus(&self, other: &GradientSum) -> GradientSum {
        GradientSum {
            gradient: self.gradient - other.gradient,
            hessian: self.hessian - other.hessian,
            rows: self.rows - other.rows,
        }
    }

    fn score(&self, penalty: f64) -> f64 {
        self.gradient * self.gradient / (self.hessian + penalty)
    }
}

#[derive(Clone, Copy, Debug)]
struct Split {
    gain: f64,
    /// Index of the column to split on, among all columns of the table.
    column: usize,
    /// Last bin whose rows go to the left child.
    bin: u8,
}

/// Leaf of a growing tree that may still be split.
struct Leaf {
    /// Range of the leaf's rows in the tree's list of rows.
    rows: std::ops::Range<usize>,
    node: usize,
    depth: usize,
    sum: GradientSum,
    histograms: Vec<[GradientSum; MAX_BINS]>,
    split: Option<Split>,
}

/// Returns a random number from 0 up to, but not including, 1.
fn share(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Fits boosted trees that give the log odds of a true label. Row `r` has the weight `weights[r]`.
///
/// # Errors
/// Fails if there are no rows or all of them have the same label.
pub fn boost(table: &Binned, labels: &[bool], weights: &[f32], options: &BoostOptions) -> Result<Trees, LearnError> {
    let rows = table.rows;
    check_labels(rows * table.columns.len(), labels)?;
    let total: f64 = weights.iter().map(|w| f64::from(*w)).sum();
    let scale = rows as f64 / total;
    let weights: Vec<f32> = weights.iter().map(|w| (f64::from(*w) * scale) as f32).collect();
    let hits: f64 = weights.iter().zip(labels).filter(|(_, label)| **label).map(|(w, _)| f64::from(*w)).sum();
    let base = (hits / (rows as f64 - hits)).ln() as f32;
    let mut scores = vec![base; rows];
    let mut random = SplitMix64::new(options.seed);
    let mut trees = Trees { base, nodes: Vec::new(), roots: Vec::new() };
    let mut gradients = vec![(0.0f32, 0.0f32); rows];
    for _ in 0..options.trees {
        gradients.par_iter_mut().zip(scores.par_iter().zip(labels).zip(&weights)).for_each(
            |(slot, ((score, label), weight))| {
                let p = sigmoid(*score);
                let y = if *label { 1.0 } else { 0.0 };
                *slot = (weight * (p - y), weight * (p * (1.0 - p)).max(1e-6));
            },
        );
        let columns: Vec<usize> = {
            let mut picked: Vec<usize> = (0..table.columns.len())
                .filter(|column| table.edges[*column].is_empty() || share(&mut random) < options.columns)
                .filter(|column| !table.edges[*column].is_empty())
                .collect();
            if picked.is_empty() {
                picked = (0..table.columns.len()).collect();
            }
            picked
        };
        let picked: Vec<u32> = (0..rows as u32).filter(|_| share(&mut random) < options.rows).collect();
        let root = trees.nodes.len();
        grow(table, &gradients, &columns, picked, options, &mut trees.nodes);
        trees.roots.push(root as u32);
        let nodes = &trees.nodes;
        scores.par_iter_mut().enumerate().for_each(|(row, score)| {
            *score += answer(table, nodes, root, row);
        });
    }
    // Bins become the values of their upper edges.
    for node in &mut trees.nodes {
        if let TreeNode::Split { column, threshold, .. } = node {
            *threshold = table.edges[*column as usize][*threshold as usize];
        }
    }
    Ok(trees)
}

/// Returns the output of a tree for a row of a binned table. The thresholds in the tree are still bin numbers.
fn answer(table: &Binned, nodes: &[TreeNode], root: usize, row: usize) -> f32 {
    let mut at = root;
    loop {
        match nodes[at] {
            TreeNode::Leaf { value } => return value,
            TreeNode::Split { column, threshold, left, right } => {
                let bin = table.columns[column as usize][row];
                at = if f32::from(bin) <= threshold { left } else { right } as usize;
            }
        }
    }
}

fn grow(
    table: &Binned,
    gradients: &[(f32, f32)],
    columns: &[usize],
    mut rows: Vec<u32>,
    options: &BoostOptions,
    nodes: &mut Vec<TreeNode>,
) {
    let value = |sum: &GradientSum| TreeNode::Leaf {
        value: (-sum.gradient / (sum.hessian + options.penalty) * options.rate) as f32,
    };
    let mut spare = Vec::with_capacity(rows.len());
    let all = 0..rows.len();
    let histograms = histograms(table, gradients, columns, &rows[all.clone()]);
    let mut sum = GradientSum::default();
    for row in &rows {
        let (gradient, hessian) = gradients[*row as usize];
        sum.add(&GradientSum { gradient: f64::from(gradient), hessian: f64::from(hessian), rows: 1 });
    }
    nodes.push(value(&sum));
    let mut first = Leaf { rows: all, node: nodes.len() - 1, depth: 0, sum, histograms, split: None };
    first.split = best_split(table, columns, &first, options);
    let mut leaves = vec![first];
    while leaves.len() < options.leaves {
        let best = leaves
            .iter()
            .enumerate()
            .filter_map(|(at, leaf)| leaf.split.map(|split| (at, split)))
            .max_by(|a, b| a.1.gain.total_cmp(&b.1.gain).then(b.0.cmp(&a.0)));
        let Some((at, split)) = best else { break };
        let parent = leaves.swap_remove(at);
        let bins = &table.columns[split.column];
        let is_left = |row: u32| bins[row as usize] <= split.bin;
        let middle = parent.rows.start + divide(&mut rows[parent.rows.clone()], is_left, &mut spare);
        let (left_rows, right_rows) = (parent.rows.start..middle, middle..parent.rows.end);
        let left_is_small = left_rows.len() <= right_rows.len();
        let small_rows = if left_is_small { left_rows.clone() } else { right_rows.clone() };
        let small = self::histograms(table, gradients, columns, &rows[small_rows]);
        let large: Vec<[GradientSum; MAX_BINS]> = parent
            .histograms
            .par_iter()
            .zip(&small)
            .map(|(whole, part)| std::array::from_fn(|bin| whole[bin].minus(&part[bin])))
            .collect();
        let place = columns.iter().position(|column| *column == split.column).unwrap_or(0);
        let sum_left = |histograms: &[[GradientSum; MAX_BINS]]| {
            let mut sum = GradientSum::default();
            for bin in &histograms[place][..=usize::from(split.bin)] {
                sum.add(bin);
            }
            sum
        };
        let left_sum = sum_left(&parent.histograms);
        let right_sum = parent.sum.minus(&left_sum);
        let (left_histograms, right_histograms) = if left_is_small { (small, large) } else { (large, small) };
        let (left, right) = (nodes.len(), nodes.len() + 1);
        nodes[parent.node] = TreeNode::Split {
            column: split.column as u16,
            threshold: f32::from(split.bin),
            left: left as u32,
            right: right as u32,
        };
        for (node, rows, sum, histograms) in
            [(left, left_rows, left_sum, left_histograms), (right, right_rows, right_sum, right_histograms)]
        {
            nodes.push(value(&sum));
            let mut leaf = Leaf { rows, node, depth: parent.depth + 1, sum, histograms, split: None };
            leaf.split = best_split(table, columns, &leaf, options);
            leaves.push(leaf);
        }
    }
}

/// Moves the rows for which `is_left` is true to the front and returns their number. Both parts keep their order.
fn divide(rows: &mut [u32], is_left: impl Fn(u32) -> bool, spare: &mut Vec<u32>) -> usize {
    spare.clear();
    let mut middle = 0;
    for at in 0..rows.len() {
        let row = rows[at];
        if is_left(row) {
            rows[middle] = row;
            middle += 1;
        } else {
            spare.push(row);
        }
    }
    rows[middle..].copy_from_slice(spare);
    middle
}

/// Returns the gradient sums of each bin, for each of the given columns, over the given rows of the table.
fn histograms(
    table: &Binned,
    gradients: &[(f32, f32)],
    columns: &[usize],
    rows: &[u32],
) -> Vec<[GradientSum; MAX_BINS]> {
    let row_gradients: Vec<(f32, f32)> = rows.iter().map(|row| gradients[*row as usize]).collect();
    columns
        .par_iter()
        .map(|column| {
            let bins = &table.columns[*column];
            let mut histogram = [GradientSum::default(); MAX_BINS];
            for (row, (gradient, hessian)) in rows.iter().zip(&row_gradients) {
                let bin = &mut histogram[usize::from(bins[*row as usize]) % MAX_BINS];
                bin.gradient += f64::from(*gradient);
                bin.hessian += f64::from(*hessian);
                bin.rows += 1;
            }
            histogram
        })
        .collect()
}

fn best_split(table: &Binned, columns: &[usize], leaf: &Leaf, options: &BoostOptions) -> Option<Split> {
    if leaf.rows.len() < 2 * options.least_rows || leaf.depth >= options.depth {
        return None;
    }
    let whole = leaf.sum.score(options.penalty);
    let least = options.least_rows as u32;
    columns
        .par_iter()
        .zip(&leaf.histograms)
        .filter_map(|(column, histogram)| {
            let mut left = GradientSum::default();
            let mut best: Option<Split> = None;
            for (bin, gradient_sum) in histogram.iter().enumerate().take(table.edges[*column].len()) {
                left.add(gradient_sum);
                let right = leaf.sum.minus(&left);
                if left.rows < least {
                    continue;
                }
                if right.rows < least {
                    break;
                }
                let gain = left.score(options.penalty) + right.score(options.penalty) - whole;
                if gain > 1e-9 && best.is_none_or(|known| gain > known.gain) {
                    best = Some(Split { gain, column: *column, bin: bin as u8 });
                }
            }
            best
        })
        .collect::<Vec<Split>>()
        .into_iter()
        .reduce(|a, b| if b.gain > a.gain { b } else { a })
}

/// Fits boosted trees with each of `seeds` consecutive seeds, beginning with `options.seed`. Returns trees whose log
/// odds are the mean over the seeds.
///
/// # Errors
/// Fails like [`boost`].
pub(super) fn boost_seeds(
    binned: &Binned,
    labels: &[bool],
    weights: &[f32],
    options: &BoostOptions,
    seeds: u16,
) -> Result<Trees, LearnError> {
    let mut all = Trees::default();
    let share = 1.0 / f32::from(seeds);
    for seed in (options.seed..).take(seeds.into()) {
        let trees = boost(binned, labels, weights, &BoostOptions { seed, ..*options })?;
        let first = all.nodes.len() as u32;
        all.base += share * trees.base;
        all.roots.extend(trees.roots.iter().map(|root| root + first));
        all.nodes.extend(trees.nodes.iter().map(|node| match *node {
            TreeNode::Leaf { value } => TreeNode::Leaf { value: share * value },
            TreeNode::Split { column, threshold, left, right } => {
                TreeNode::Split { column, threshold, left: left + first, right: right + first }
            }
        }));
    }
    Ok(all)
}

/// Fits 200 small trees that give the log odds of a true label. Row `r` has the weight `weights[r]`.
///
/// # Errors
/// Fails if there are no rows or all of them have the same label.
pub fn fit_trees(sample: &Sample, weights: &[f32]) -> Result<Trees, LearnError> {
    let binned = Binned::new(&sample.data, sample.width, weights, MAX_BINS);
    let options = BoostOptions { leaves: 15, least_rows: 20, ..BoostOptions::default() };
    boost(&binned, &sample.labels, weights, &options)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates rows whose label needs two columns together: `x > .5` xor `y > .5`.
    fn xor() -> (Vec<f32>, Vec<bool>) {
        let mut data = Vec::new();
        let mut labels = Vec::new();
        let mut random = SplitMix64::new(7);
        for _ in 0..4000 {
            let (x, y) = (share(&mut random) as f32, share(&mut random) as f32);
            data.extend([x, y, 0.0]);
            labels.push((x > 0.5) != (y > 0.5));
        }
        (data, labels)
    }

    fn options() -> BoostOptions {
        BoostOptions { trees: 40, leaves: 8, rate: 0.3, columns: 1.0, ..BoostOptions::default() }
    }

    #[test]
    fn trees_learn_what_no_line_divides() {
        let (data, labels) = xor();
        let table = Binned::new(&data, 3, &vec![1.0; labels.len()], 32);
        let trees = boost(&table, &labels, &vec![1.0; labels.len()], &options()).unwrap();
        let right =
            data.chunks_exact(3).zip(&labels).filter(|(row, label)| (trees.log_odds(row) > 0.0) == **label).count();
        assert!(right > 3900, "{right}");
        assert_eq!(trees.roots.len(), 40);
    }

    #[test]
    fn weights_decide_between_labels() {
        let table = Binned::new(&[0.0; 400], 1, &[1.0; 400], 8);
        let labels: Vec<bool> = (0..400).map(|row| row % 2 == 0).collect();
        let weights: Vec<f32> = labels.iter().map(|label| if *label { 3.0 } else { 1.0 }).collect();
        let trees = boost(&table, &labels, &weights, &options()).unwrap();
        // The mean stands before the first tree, and there is nothing to ask.
        assert!((sigmoid(trees.base) - 0.75).abs() < 1e-3);
        assert!(boost(&table, &[true; 400], &weights, &options()).is_err());
    }

    #[test]
    fn growing_twice_gives_the_same() {
        let (data, labels) = xor();
        let weights = vec![1.0; labels.len()];
        let table = Binned::new(&data, 3, &weights, 32);
        let once = || boost(&table, &labels, &weights, &BoostOptions { columns: 0.5, ..options() }).unwrap();
        assert_eq!(once(), once());
    }

    #[test]
    fn the_log_odds_of_several_seeds_are_their_mean() {
        let value = |row: u32, salt: u32| ((row.wrapping_mul(salt) >> 7) % 100) as f32;
        let rows: Vec<[f32; 3]> =
            (0..2000).map(|row| [2_654_435_761, 40_503, 97].map(|salt| value(row, salt))).collect();
        let labels: Vec<bool> = rows.iter().map(|[x, y, _]| (*x > 30.0) != (*y > 60.0)).collect();
        let weights = vec![1.0; labels.len()];
        let binned = Binned::new(rows.as_flattened(), 3, &weights, 32);
        let options = BoostOptions { trees: 20, leaves: 4, depth: 2, columns: 0.7, ..BoostOptions::default() };
        let of = |seed: u64, seeds: u16| {
            let options = BoostOptions { seed, ..options };
            boost_seeds(&binned, &labels, &weights, &options, seeds).unwrap()
        };
        let (three, parts) = (of(5, 3), [5, 6, 7].map(|seed| of(seed, 1)));
        assert_ne!(parts[0], parts[1]);
        assert_eq!(three.roots.len(), 60);
        for row in &rows {
            let mean = parts.iter().map(|trees| trees.log_odds(row)).sum::<f32>() / 3.0;
            assert!((three.log_odds(row) - mean).abs() < 1e-4, "{row:?}");
        }
    }

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
