//! The training table: rows of blocks with labels and weights.

use super::labelled::Labelled;

/// Rows of training pages.
#[derive(Default)]
pub(crate) struct BlockTable {
    pub width: usize,
    pub data: Vec<f32>,
    pub labels: Vec<bool>,
    /// Divided among a page's blocks by the square roots of their words. Each page of a set counts the
    /// same, and a set counts by the square root of its pages, so that none decides alone.
    pub weights: Vec<f32>,
    /// First row of each page that has blocks, and the page's number among the training pages.
    pub pages: Vec<(usize, usize)>,
}

impl BlockTable {
    /// Adds the rows of a page, `number` among the training pages, if it has blocks. `share` is what the
    /// page counts beside others.
    pub fn push_page(&mut self, number: usize, page: &Labelled, rows: Vec<f32>, share: f64) {
        let blocks = &page.page.page.blocks;
        if blocks.is_empty() {
            return;
        }
        self.pages.push((self.labels.len(), number));
        let roots: f64 = blocks.iter().map(|b| f64::from(b.words).sqrt()).sum();
        let total = roots * share;
        self.data.extend(rows);
        self.labels.extend_from_slice(&page.labels);
        self.weights.extend(
            blocks
                .iter()
                .map(|b| (f64::from(b.words).sqrt() / total) as f32),
        );
    }

    /// A row.
    pub fn row(&self, row: usize) -> Option<&[f32]> {
        self.data.get(row * self.width..(row + 1) * self.width)
    }

    /// Sets the columns whose names begin with `prefix` to zero, so that nothing is learned from them.
    pub fn blank(&mut self, names: &[String], prefix: &str) {
        self.blank_columns(|at| names.get(at).is_some_and(|name| name.starts_with(prefix)));
    }

    /// The same for all columns that `is_blank` names by their numbers.
    pub fn blank_columns(&mut self, is_blank: impl Fn(usize) -> bool) {
        let columns: Vec<usize> = (0..self.width).filter(|at| is_blank(*at)).collect();
        for row in self.data.chunks_exact_mut(self.width.max(1)) {
            columns.iter().for_each(|column| row[*column] = 0.0);
        }
    }
}
