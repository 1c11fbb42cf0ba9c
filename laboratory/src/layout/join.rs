//! Joins nodes of a layout to blocks, by their bytes in the page.

use trommel_html::Page;

use super::node::PageLayout;

/// For each block of the page the texts of the layout that stand in it, in document order. A block that the
/// browser does not show has none. Time is n log n in the layout.
pub fn block_nodes(page: &Page, layout: &PageLayout) -> Vec<Vec<u32>> {
    let mut starts: Vec<u32> = layout.nodes.iter().filter_map(|node| node.start).collect();
    starts.sort_unstable();
    let mut found = vec![Vec::new(); page.blocks.len()];
    for (at, node) in (0u32..).zip(&layout.nodes) {
        let Some(start) = node.start.filter(|_| node.is_text) else {
            continue;
        };
        // Texts that are no part of any block, as of a list to choose from, stand before the next block.
        let block = page.blocks.partition_point(|block| block.span.1 <= start);
        let next = starts.partition_point(|other| *other <= start);
        let limit = starts.get(next).copied().unwrap_or(u32::MAX);
        if let Some((block, nodes)) = page.blocks.get(block).zip(found.get_mut(block))
            && block.span.0 < limit
        {
            nodes.push(at);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::LayoutNode;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn texts_join_the_block_they_stand_in() {
        let html = "<p>One <b>two</b></p><select><option>no</select><p>three</p>";
        let page = ScanEngine.read(html, &Limits::default());
        let text = |text: &str| LayoutNode {
            start: html.find(text).map(|at| at as u32),
            is_text: true,
            ..LayoutNode::default()
        };
        let tag = |tag: &str| LayoutNode { is_text: false, ..text(tag) };
        let nodes = ["<p>One", "One ", "<b>", "two", "<select", "no", "<p>three", "three"];
        let nodes = nodes.map(|part| if part.starts_with('<') { tag(part) } else { text(part) });
        let layout = PageLayout { nodes: nodes.to_vec(), ..PageLayout::default() };
        assert_eq!(page.blocks.len(), 2);
        assert_eq!(block_nodes(&page, &layout), [vec![1, 3], vec![7]]);
    }
}
