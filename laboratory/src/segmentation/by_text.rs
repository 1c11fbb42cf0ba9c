//! Blocks by their texts alone, wherever they stand: as strings are compared.

use rustc_hash::FxHashMap;
use trommel_html::Page;

use super::region::Region;
use crate::layout::{PageLayout, block_nodes};

/// For each leaf of a layout the first one with the same text.
#[derive(Clone, Debug, Default)]
pub struct SameTexts(FxHashMap<u32, u32>);

impl SameTexts {
    /// Those of a page: the texts of two of its blocks are the same one by one if the whole of them is.
    pub fn new(page: &Page, layout: &PageLayout) -> Self {
        let mut first: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        let mut same = FxHashMap::default();
        for (block, leaves) in page.blocks.iter().zip(block_nodes(page, layout)) {
            let known = first.entry(page.text(block)).or_default();
            if known.is_empty() {
                *known = leaves;
            } else if known.len() == leaves.len() {
                same.extend(leaves.into_iter().zip(known.iter().copied()));
            }
        }
        Self(same)
    }

    /// A region with each text in the place of the first such one.
    pub fn region(&self, region: &Region) -> Region {
        let leaves = region.0.iter();
        let mut leaves: Vec<u32> = leaves.map(|leaf| self.0.get(leaf).copied().unwrap_or(*leaf)).collect();
        leaves.sort_unstable();
        leaves.dedup();
        Region(leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::LayoutNode;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn equal_texts_are_one_wherever_they_stand() {
        let html = "<p>All <b>news</b></p><p>Sport</p><p>All <b>news</b></p><p>All news</p>";
        let page = ScanEngine.read(html, &Limits::default());
        let texts = ["All ", "news", "Sport", "All <b>news</b></p><p>All", "news</b></p><p>A", "All n"];
        let starts = [0, 7, 16, 30, 37, 51];
        let nodes = texts.iter().zip(starts).map(|(text, from)| LayoutNode {
            start: html[from..].find(text).map(|at| (at + from) as u32),
            is_text: true,
            ..LayoutNode::default()
        });
        let layout = PageLayout { nodes: nodes.collect(), ..PageLayout::default() };
        let same = SameTexts::new(&page, &layout);
        let of = |leaves: &[u32]| same.region(&Region(leaves.to_vec())).0;
        assert_eq!(of(&[3, 4]), [0, 1]);
        assert_eq!(of(&[0, 2, 3]), [0, 2]);
        // The same words in one text instead of two.
        assert_eq!(of(&[5]), [5]);
    }
}
