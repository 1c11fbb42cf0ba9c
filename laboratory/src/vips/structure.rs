//! Content structure: the tree of visual blocks with their degrees of coherence.

use super::extraction::{PoolBlock, THRESHOLDS, extract};
use super::separator::{Direction, Separator, separators};
use super::visual::VisualPage;
use crate::layout::{PageLayout, Rect};

/// A visual block.
#[derive(Clone, Debug, PartialEq)]
pub struct VisualBlock {
    /// Index of the block around it; none for the page.
    pub parent: Option<usize>,
    /// Roots of the sub-trees of the layout that it is made of, in document order; none inside another.
    pub roots: Vec<u32>,
    /// Visible area.
    pub rect: Rect,
    /// Degree of coherence, 1..=11; never below that of the block around it, which is no more coherent than what it
    /// is made of.
    pub degree: u8,
    /// True if no block is inside.
    pub is_leaf: bool,
}

/// The visual blocks of a page, each before those inside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VisualStructure {
    /// The blocks.
    pub blocks: Vec<VisualBlock>,
}

impl VisualStructure {
    /// The blocks that are not divided further.
    pub fn leaves(&self) -> impl Iterator<Item = &VisualBlock> {
        self.blocks.iter().filter(|block| block.is_leaf)
    }
}

/// Blocks inside blocks of one round.
const MAX_DEPTH: u32 = 100;

/// A block of the structure while it grows.
struct Node {
    roots: Vec<u32>,
    rect: Rect,
    degree: u8,
    children: Vec<Node>,
}

pub(super) fn build(layout: &PageLayout, permitted_degree: u8) -> VisualStructure {
    let page = VisualPage::new(layout);
    let mut structure = VisualStructure::default();
    let Some((roots, rect)) = whole(&page) else {
        return structure;
    };
    let mut whole = Node { roots, rect, degree: 1, children: Vec::new() };
    for (round, threshold) in THRESHOLDS.into_iter().enumerate() {
        refine(&page, &mut whole, permitted_degree, threshold, round == 0);
    }
    lower(&mut whole);
    flatten(&mut structure, whole, None, permitted_degree);
    structure
}

/// The valid nodes that stand in no other, and the box of what is seen of them; none on a page without any.
pub(super) fn whole(page: &VisualPage) -> Option<(Vec<u32>, Rect)> {
    let tops = (0u32..).zip(page.nodes).filter(|(_, node)| node.parent.is_none());
    let roots: Vec<u32> = tops.map(|(at, _)| at).filter(|at| page.is_valid(*at)).collect();
    let seen = roots.iter().map(|root| page.seen(*root));
    let rect = seen.reduce(|all, seen| all.union(&seen))?;
    Some((roots, rect))
}

/// Divides the leaves below the permitted degree.
fn refine(page: &VisualPage, node: &mut Node, permitted: u8, threshold: i64, is_first: bool) {
    for child in &mut node.children {
        refine(page, child, permitted, threshold, false);
    }
    if !node.children.is_empty() || node.degree >= permitted && !is_first {
        return;
    }
    let pool = extract(page, &node.roots, threshold, true);
    let blocks: Vec<&PoolBlock> = pool.iter().collect();
    let tree = construct(page, &blocks, MAX_DEPTH);
    // What the rules keep as it was waits for the next round.
    node.degree = tree.degree;
    node.children = tree.children;
    if node.children.is_empty() && !tree.roots.is_empty() {
        node.roots = tree.roots;
        node.rect = tree.rect;
    }
}

/// The tree of some blocks: the heaviest separators divide them first, which is what merging over the lightest
/// ones first comes to.
fn construct(page: &VisualPage, blocks: &[&PoolBlock], depth: u32) -> Node {
    let rect = blocks.iter().fold(Rect::default(), |all, block| all.union(&block.seen));
    let mut roots: Vec<u32> = blocks.iter().flat_map(|block| block.roots.iter().copied()).collect();
    roots.sort_unstable();
    let least = blocks.iter().map(|block| block.degree).min().unwrap_or(1);
    let mut node = Node { roots, rect, degree: least, children: Vec::new() };
    if blocks.len() < 2 || depth == 0 {
        return node;
    }
    let horizontal = separators(page, blocks, Direction::Horizontal);
    let vertical = separators(page, blocks, Direction::Vertical);
    let heaviest = |separators: &[Separator]| separators.iter().map(|separator| separator.weight).max();
    let cuts = if heaviest(&vertical) > heaviest(&horizontal) { vertical } else { horizontal };
    let Some(weight) = heaviest(&cuts) else {
        let parts = by_sub_tree(page, blocks);
        if parts.len() > 1 {
            // Nothing between them tells how coherent it is: as what it is made of.
            node.degree = super::MAX_DEGREE;
            node.children = parts.iter().map(|part| construct(page, part, depth - 1)).collect();
        }
        return node;
    };
    node.degree = (super::MAX_DEGREE + 1).saturating_sub(weight);
    let cuts: Vec<Separator> = cuts.into_iter().filter(|separator| separator.weight == weight).collect();
    let mut parts = between(blocks, &cuts);
    parts.retain(|part| !part.is_empty());
    if parts.len() > 1 {
        node.children = parts.iter().map(|part| construct(page, part, depth - 1)).collect();
    }
    node
}

/// Blocks that lie over each other, so that no band divides them: those in one child of the lowest node around all
/// of them belong together.
fn by_sub_tree<'b>(page: &VisualPage, blocks: &[&'b PoolBlock]) -> Vec<Vec<&'b PoolBlock>> {
    let roots = || blocks.iter().flat_map(|block| block.roots.iter().copied());
    let (Some(first), Some(last)) = (roots().min(), roots().max()) else {
        return Vec::new();
    };
    // The nodes around the first, from itself up, until one holds the last, too.
    let mut child = first;
    let mut around = None;
    while let Some(parent) = page.node(child).and_then(|node| node.parent) {
        if page.inside(parent).contains(&last) {
            around = Some(parent);
            break;
        }
        child = parent;
    }
    let mut parts: Vec<(u32, Vec<&PoolBlock>)> = Vec::new();
    for block in blocks {
        let root = block.roots.first().copied().unwrap_or_default();
        let place = around.map_or(root, |around| page.child_with(around, root));
        match parts.iter_mut().find(|(known, _)| *known == place) {
            Some((_, part)) => part.push(block),
            None => parts.push((place, vec![block])),
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Blocks before, between and after separators of one direction, in their order.
pub(super) fn between<'b>(blocks: &[&'b PoolBlock], cuts: &[Separator]) -> Vec<Vec<&'b PoolBlock>> {
    let mut parts: Vec<Vec<&PoolBlock>> = vec![Vec::new(); cuts.len() + 1];
    for block in blocks {
        let at = cuts.partition_point(|cut| cut.span.0 < end(block, cut.direction));
        if let Some(part) = parts.get_mut(at) {
            part.push(block);
        }
    }
    parts
}

fn end(block: &PoolBlock, direction: Direction) -> i32 {
    match direction {
        Direction::Horizontal => block.seen.bottom(),
        Direction::Vertical => block.seen.right(),
    }
}

/// A block is no more coherent than what it is made of.
fn lower(node: &mut Node) {
    for child in &mut node.children {
        lower(child);
        node.degree = node.degree.min(child.degree);
    }
}

fn flatten(structure: &mut VisualStructure, node: Node, parent: Option<usize>, permitted: u8) {
    let at = structure.blocks.len();
    let is_leaf = node.children.is_empty() || node.degree >= permitted;
    structure.blocks.push(VisualBlock { parent, roots: node.roots, rect: node.rect, degree: node.degree, is_leaf });
    if !is_leaf {
        for child in node.children {
            flatten(structure, child, Some(at), permitted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::LayoutNode;
    use crate::vips::MAX_DEGREE;

    fn node(parent: Option<u32>, name: &str, (x, y, width, height): (i32, i32, i32, i32)) -> LayoutNode {
        let is_text = name == "#text";
        LayoutNode {
            parent,
            name: name.into(),
            rect: Rect { x, y, width, height },
            is_text,
            is_inline: is_text,
            chars: 10 * u32::from(is_text),
            ..LayoutNode::default()
        }
    }

    fn structure(nodes: Vec<LayoutNode>, permitted_degree: u8) -> VisualStructure {
        let layout = PageLayout { nodes, ..PageLayout::default() };
        build(&layout, permitted_degree)
    }

    #[test]
    fn a_block_is_no_more_coherent_than_its_parts() {
        // Nothing but a touch divides a text (11) from a small division of mixed content (rule 8: 5).
        let page = structure(
            vec![
                node(None, "body", (0, 0, 800, 200)),
                node(Some(0), "div", (0, 0, 800, 100)),
                node(Some(1), "#text", (0, 0, 800, 100)),
                node(Some(0), "div", (0, 100, 100, 100)),
                node(Some(3), "#text", (0, 100, 100, 40)),
                node(Some(3), "div", (0, 140, 100, 60)),
                node(Some(5), "#text", (0, 140, 100, 60)),
            ],
            5,
        );
        assert_eq!(page.blocks[0].degree, 5);
    }

    #[test]
    fn what_lies_over_each_other_is_divided_by_the_tree() {
        let page = structure(
            vec![
                node(None, "body", (0, 0, 300, 300)),
                node(Some(0), "div", (0, 0, 200, 200)),
                node(Some(1), "#text", (0, 0, 200, 100)),
                node(Some(1), "#text", (0, 100, 200, 100)),
                node(Some(0), "div", (50, 50, 200, 200)),
                node(Some(4), "#text", (50, 50, 200, 200)),
            ],
            MAX_DEGREE,
        );
        let leaves: Vec<&[u32]> = page.leaves().map(|block| block.roots.as_slice()).collect();
        assert_eq!(leaves, [[1], [4]]);
    }
}
