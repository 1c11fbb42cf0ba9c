//! Holds the nodes of trees, and writes them as four lists of numbers.
//!
//! As a list of nodes, each a map with names, the trees of a shipped model took a third of the time in which a program
//! starts.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One node of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
// As the first files had nodes.
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

/// The nodes as files hold them, a number each in every list.
#[derive(Default, Serialize, Deserialize)]
struct NodeList {
    /// The column of a split; 0 for a leaf.
    columns: Vec<u16>,
    /// The threshold of a split, or the value of a leaf.
    values: Vec<f32>,
    /// The node for values up to the threshold; 0 for a leaf, since no node has the first one as its child.
    left: Vec<u32>,
    /// The node for the others; 0 for a leaf.
    right: Vec<u32>,
}

/// Writes nodes.
pub(crate) fn serialize<S: Serializer>(nodes: &[TreeNode], serializer: S) -> Result<S::Ok, S::Error> {
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

/// Reads nodes, also a list in which each is a map, as the first files had it.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<TreeNode>, D::Error> {
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
    use crate::additive::Trees;

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
}
