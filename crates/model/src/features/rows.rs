//! The feature matrix of one page.

/// Numbers of the blocks of a page: one row a block, one column a feature, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureMatrix {
    width: usize,
    data: Vec<f32>,
}

impl FeatureMatrix {
    pub(crate) fn new(width: usize, blocks: usize) -> Self {
        Self { width, data: Vec::with_capacity(width * blocks) }
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.data.len().checked_div(self.width).unwrap_or(0)
    }

    /// Returns whether the page has no blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows in block order.
    pub fn iter(&self) -> impl Iterator<Item = &[f32]> {
        self.data.chunks_exact(self.width.max(1))
    }

    pub(crate) fn extend(&mut self, values: impl Iterator<Item = f32>) {
        self.data.extend(values);
    }
}
