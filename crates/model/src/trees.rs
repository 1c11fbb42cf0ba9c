//! Boosted trees as flat arrays.

use serde::{Deserialize, Serialize};

/// One node of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
// Without a tag a node is a few bytes shorter, and the shipped models have thousands of them.
#[serde(untagged)]
pub enum TreeNode {
    /// Asks a column.
    Split {
        /// The column.
        column: u16,
        /// Values up to this go left.
        threshold: f32,
        /// Node for those values, always later in the list.
        left: u32,
        /// Node for the others, always later in the list.
        right: u32,
    },
    /// Answers.
    Leaf {
        /// Part of the log odds.
        value: f32,
    },
}

/// A sum of regression trees.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trees {
    /// Log odds before the first tree.
    pub base: f32,
    /// The nodes of all trees.
    pub nodes: Vec<TreeNode>,
    /// First node of each tree.
    pub roots: Vec<u32>,
}

impl Trees {
    /// Log odds of a row. A column that the row does not have is taken for 0.
    pub fn log_odds(&self, row: &[f32]) -> f32 {
        self.log_odds_of(|column| row.get(usize::from(column)).copied().unwrap_or(0.0))
    }

    /// Log odds of a row, given its value in each column.
    pub(crate) fn log_odds_of(&self, value: impl Fn(u16) -> f32) -> f32 {
        let tree = |root: &u32| {
            let mut at = *root;
            loop {
                match self.nodes.get(at as usize) {
                    Some(TreeNode::Split { column, threshold, left, right }) => {
                        at = if value(*column) <= *threshold { *left } else { *right };
                    }
                    Some(TreeNode::Leaf { value }) => return *value,
                    // Not reached in sound trees, which `is_sound` accepted before.
                    None => return 0.0,
                }
            }
        };
        self.base + self.roots.iter().map(tree).sum::<f32>()
    }

    /// Returns whether every path ends: children stand after their parents, and all numbers are finite and ask columns
    /// below `width`.
    pub fn is_sound(&self, width: usize) -> bool {
        let len = self.nodes.len();
        let nodes = self.nodes.iter().enumerate().all(|(at, node)| match node {
            TreeNode::Split { column, threshold, left, right } => {
                // Children behind their parents exclude cycles, so a hostile file cannot make scoring endless.
                let later = |child: u32| (at + 1..len).contains(&(child as usize));
                usize::from(*column) < width && threshold.is_finite() && later(*left) && later(*right)
            }
            TreeNode::Leaf { value } => value.is_finite(),
        });
        nodes && self.base.is_finite() && self.roots.iter().all(|root| (*root as usize) < len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stump(left: u32) -> Trees {
        Trees {
            base: 1.0,
            nodes: vec![
                TreeNode::Split { column: 1, threshold: 0.5, left, right: 2 },
                TreeNode::Leaf { value: -2.0 },
                TreeNode::Leaf { value: 3.0 },
            ],
            roots: vec![0, 0],
        }
    }

    #[test]
    fn trees_add_up() {
        assert_eq!(stump(1).log_odds(&[9.0, 0.5]), -3.0);
        assert_eq!(stump(1).log_odds(&[9.0, 0.6]), 7.0);
        assert_eq!(stump(1).log_odds(&[]), -3.0);
    }

    #[test]
    fn loops_and_holes_are_told() {
        assert!(stump(1).is_sound(2));
        assert!(!stump(1).is_sound(1), "no such column");
        assert!(!stump(0).is_sound(2), "a loop");
        assert!(!stump(3).is_sound(2), "no such node");
        assert_eq!(stump(7).log_odds(&[0.0, 0.0]), 1.0);
    }
}
