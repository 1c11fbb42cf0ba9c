//! Boosted trees: their sum, their validity, and their nodes in model files, as four lists of numbers.
//!
//! As a list of nodes, each a map with names, the trees of a shipped model took a third of the time in which a program
//! starts.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A model that is a sum of regression trees.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trees {
    /// Log odds before the first tree is added.
    pub base: f32,
    /// Nodes of all trees.
    #[serde(serialize_with = "serialize", deserialize_with = "deserialize")]
    pub nodes: Vec<TreeNode>,
    /// Index of the root node of each tree.
    pub roots: Vec<u32>,
}

impl Trees {
    /// Returns the model's log odds for a row of feature values. Missing columns count as 0.
    pub fn log_odds(&self, row: &[f32]) -> f32 {
        self.log_odds_of(|column| row.get(usize::from(column)).copied().unwrap_or(0.0))
    }

    /// Returns the model's log odds for a row of features; `value` returns the row's value in a column.
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

    /// Returns whether the trees are valid: children follow their parents (so that every path ends), all numbers are
    /// finite, and columns are below `width`.
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

/// A node of a regression tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
// As the first files had nodes.
#[serde(untagged)]
pub enum TreeNode {
    /// Inner node, which compares the value of a column with a threshold.
    Split {
        /// Number of the column.
        column: u16,
        /// Maximum value at which the left child is next; a higher value leads to the right child.
        threshold: f32,
        /// Index of the node for values up to the threshold, always later in the list.
        left: u32,
        /// Index of the node for values above the threshold, always later in the list.
        right: u32,
    },
    /// Leaf, which ends the path through a tree.
    Leaf {
        /// Log odds that the tree adds.
        value: f32,
    },
}

/// Nodes of trees as stored in files: each list has one number per node.
#[derive(Default, Serialize, Deserialize)]
struct NodeList {
    /// Column of each split; 0 for a leaf.
    columns: Vec<u16>,
    /// Threshold of each split, or value of each leaf.
    values: Vec<f32>,
    /// Index of each split's left child; 0 for a leaf, since no node has the first one as its child.
    left: Vec<u32>,
    /// Index of each split's right child; 0 for a leaf.
    right: Vec<u32>,
}

/// Writes the nodes of trees as four lists of numbers.
fn serialize<S: Serializer>(nodes: &[TreeNode], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = NodeList::default();
    for node in nodes {
        let (column, value, left, right) = match *node {
            TreeNode::Split { column, threshold, left, right } => (column, threshold, left, right),
            TreeNode::Leaf { value } => (0, value, 0, 0),
        };
        list.columns.push(column);
        list.values.push(value);
        list.left.push(left);
        list.right.push(right);
    }
    list.serialize(serializer)
}

/// Reads the nodes of trees, also in the form of the first files, a list in which each node is a map.
fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<TreeNode>, D::Error> {
    deserializer.deserialize_any(Nodes)
}

struct Nodes;

impl<'de> Visitor<'de> for Nodes {
    type Value = Vec<TreeNode>;

    fn expecting(&self, form: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        form.write_str("nodes of trees")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let NodeList { columns, values, left, right } = NodeList::deserialize(MapAccessDeserializer::new(map))?;
        if [values.len(), left.len(), right.len()] != [columns.len(); 3] {
            return Err(A::Error::custom("lists of nodes differ in length"));
        }
        let children = left.into_iter().zip(right);
        let nodes = columns.into_iter().zip(values).zip(children);
        let node = |((column, value), (left, right))| match (left, right) {
            (0, 0) => TreeNode::Leaf { value },
            _ => TreeNode::Split { column, threshold: value, left, right },
        };
        Ok(nodes.map(node).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_back_from_either_form() {
        let nodes = vec![
            TreeNode::Split { column: 7, threshold: 0.0, left: 1, right: 2 },
            TreeNode::Leaf { value: -2.5 },
            TreeNode::Leaf { value: 0.0 },
        ];
        let trees = Trees { base: 1.0, nodes: nodes.clone(), roots: vec![0] };
        let read = |bytes: &[u8]| rmp_serde::from_slice::<Trees>(bytes).map(|trees| trees.nodes);
        assert_eq!(read(&rmp_serde::to_vec_named(&trees).unwrap()).unwrap(), nodes);
        #[derive(serde::Serialize)]
        struct First<N> {
            base: f32,
            nodes: N,
            roots: [u32; 1],
        }
        let first = |nodes| rmp_serde::to_vec_named(&First { base: 1.0, nodes, roots: [0] }).unwrap();
        assert_eq!(read(&first(nodes.clone())).unwrap(), nodes);
        let short = First { base: 1.0, nodes: NodeList { columns: vec![0], ..NodeList::default() }, roots: [0] };
        assert!(read(&rmp_serde::to_vec_named(&short).unwrap()).is_err());
    }

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
