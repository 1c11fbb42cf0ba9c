//! The training table: rows of blocks with labels and weights.

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
    /// Sets the columns whose names begin with `prefix` to zero, so that nothing is learned from them.
    pub fn blank(&mut self, names: &[String], prefix: &str) {
        let columns: Vec<usize> = (0..names.len())
            .filter(|at| names.get(*at).is_some_and(|name| name.starts_with(prefix)))
            .collect();
        for row in self.data.chunks_exact_mut(self.width.max(1)) {
            columns.iter().for_each(|column| row[*column] = 0.0);
        }
    }
}
