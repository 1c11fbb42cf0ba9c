//! The region of a page that a block covers: the texts in it, or, where it has none, the other things without children.

use rustc_hash::FxHashMap;

use crate::layout::PageLayout;

/// A part of a page: leaves of its layout, rising.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Region(pub Vec<u32>);

impl Region {
    /// Returns whether nothing of it has a box.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The leaves of a layout and what each weighs.
#[derive(Clone, Debug)]
pub struct Leaves {
    ends: Vec<u32>,
    /// Characters; 0 for what is no text.
    chars: Vec<u32>,
    is_text: Vec<bool>,
    /// True if a node has nothing inside.
    is_leaf: Vec<bool>,
    /// Element nodes by the bytes of their start tags.
    by_start: FxHashMap<u32, u32>,
}

impl Leaves {
    /// Those of a page.
    pub fn new(layout: &PageLayout) -> Self {
        let ends = layout.ends();
        let is_leaf = (0u32..).zip(&ends).map(|(at, end)| *end == at + 1).collect();
        let elements = (0u32..).zip(&layout.nodes).filter(|(_, node)| !node.is_text);
        Self {
            ends,
            chars: layout.nodes.iter().map(|node| node.chars).collect(),
            is_text: layout.nodes.iter().map(|node| node.is_text).collect(),
            is_leaf,
            by_start: elements.filter_map(|(at, node)| Some((node.start?, at))).collect(),
        }
    }

    /// The node whose start tag stands at that byte of the page; none if it has no box.
    pub fn node_at(&self, start: u32) -> Option<u32> {
        self.by_start.get(&start).copied()
    }

    /// The region of some nodes with all that is inside them.
    pub fn region(&self, nodes: impl IntoIterator<Item = u32>) -> Region {
        let mut texts = Vec::new();
        let mut others = Vec::new();
        for node in nodes {
            let end = self.ends.get(node as usize).copied().unwrap_or(node);
            for at in node..end {
                let is = |column: &[bool]| column.get(at as usize).copied().unwrap_or_default();
                if is(&self.is_text) {
                    texts.push(at);
                } else if is(&self.is_leaf) {
                    others.push(at);
                }
            }
        }
        let mut leaves = if texts.is_empty() { others } else { texts };
        leaves.sort_unstable();
        leaves.dedup();
        Region(leaves)
    }

    /// Twice what two regions share against what both have, 0..=1; texts weigh by their characters.
    pub fn similarity(&self, a: &Region, b: &Region) -> f64 {
        let (mut shared, mut all) = (0u64, 0u64);
        let mut rest = b.0.as_slice();
        for leaf in &a.0 {
            all += self.weight(*leaf);
            while let Some((first, more)) = rest.split_first()
                && first < leaf
            {
                rest = more;
            }
            if rest.first() == Some(leaf) {
                shared += self.weight(*leaf);
            }
        }
        all += b.0.iter().map(|leaf| self.weight(*leaf)).sum::<u64>();
        if all == 0 { 0.0 } else { 2.0 * shared as f64 / all as f64 }
    }

    fn weight(&self, leaf: u32) -> u64 {
        u64::from(self.chars.get(leaf as usize).copied().unwrap_or_default().max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::LayoutNode;

    /// `<div><p>8 characters</p><img></div><i></i>`
    fn leaves() -> Leaves {
        let node = |parent, start, chars| LayoutNode {
            parent,
            start: Some(start),
            is_text: chars > 0,
            chars,
            ..LayoutNode::default()
        };
        Leaves::new(&PageLayout {
            nodes: vec![
                node(None, 0, 0),
                node(Some(0), 5, 0),
                node(Some(1), 8, 8),
                node(Some(0), 20, 0),
                node(Some(0), 25, 2),
                node(None, 30, 0),
            ],
            ..PageLayout::default()
        })
    }

    #[test]
    fn texts_stand_for_a_region_and_other_leaves_where_there_are_none() {
        let leaves = leaves();
        assert_eq!(leaves.region([0]), Region(vec![2, 4]));
        assert_eq!(leaves.region([1]), Region(vec![2]));
        assert_eq!(leaves.region([3, 5, 3]), Region(vec![3, 5]));
        // Text has no start tag.
        assert_eq!((leaves.node_at(20), leaves.node_at(8)), (Some(3), None));
    }

    #[test]
    fn similarity_counts_characters() {
        let leaves = leaves();
        let (all, part) = (leaves.region([0]), leaves.region([1]));
        assert_eq!(leaves.similarity(&all, &part), 16.0 / 18.0);
        assert_eq!(leaves.similarity(&part, &leaves.region([3])), 0.0);
        assert_eq!(leaves.similarity(&leaves.region([3]), &leaves.region([3])), 1.0);
        assert_eq!(leaves.similarity(&Region::default(), &Region::default()), 0.0);
    }
}
