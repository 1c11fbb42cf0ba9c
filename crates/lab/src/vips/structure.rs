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
    /// What is to be seen of it.
    pub rect: Rect,
    /// Degree of coherence, 1..=11; never below that of the block around it.
    pub degree: u8,
    /// Whether no block is inside.
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
    let tops = (0u32..)
        .zip(&layout.nodes)
        .filter(|(_, node)| node.parent.is_none());
    let roots: Vec<u32> = tops
        .map(|(at, _)| at)
        .filter(|at| page.is_valid(*at))
        .collect();
    let mut structure = VisualStructure::default();
    if roots.is_empty() {
        return structure;
    }
    let rect = roots
        .iter()
        .fold(Rect::default(), |all, root| all.union(&page.seen(*root)));
    let mut whole = Node {
        roots,
        rect,
        degree: 1,
        children: Vec::new(),
    };
    for (round, threshold) in THRESHOLDS.into_iter().enumerate() {
        refine(&page, &mut whole, permitted_degree, threshold, round == 0);
    }
    raise(&mut whole, 1);
    flatten(&mut structure, whole, None, permitted_degree);
    structure
}

/// Divides the leaves below the permitted degree.
fn refine(page: &VisualPage, node: &mut Node, permitted: u8, threshold: i64, is_first: bool) {
    for child in &mut node.children {
        refine(page, child, permitted, threshold, false);
    }
    if !node.children.is_empty() || node.degree >= permitted && !is_first {
        return;
    }
    let pool = extract(page, &node.roots, threshold);
    let blocks: Vec<&PoolBlock> = pool.iter().collect();
    let own = construct(page, &blocks, MAX_DEPTH);
    // What the rules keep as it was waits for the next round.
    node.degree = own.degree;
    node.children = own.children;
    if node.children.is_empty() && !own.roots.is_empty() {
        node.roots = own.roots;
        node.rect = own.rect;
    }
}

/// The tree of some blocks: the heaviest separators divide them first, which is what merging over the lightest
/// ones first comes to.
fn construct(page: &VisualPage, blocks: &[&PoolBlock], depth: u32) -> Node {
    let rect = blocks
        .iter()
        .fold(Rect::default(), |all, block| all.union(&block.seen));
    let mut roots: Vec<u32> = blocks
        .iter()
        .flat_map(|block| block.roots.iter().copied())
        .collect();
    roots.sort_unstable();
    let least = blocks.iter().map(|block| block.degree).min().unwrap_or(1);
    let mut node = Node {
        roots,
        rect,
        degree: least,
        children: Vec::new(),
    };
    if blocks.len() < 2 || depth == 0 {
        return node;
    }
    let horizontal = separators(page, blocks, Direction::Horizontal);
    let vertical = separators(page, blocks, Direction::Vertical);
    let heaviest = |own: &[Separator]| own.iter().map(|separator| separator.weight).max();
    let cuts = if heaviest(&vertical) > heaviest(&horizontal) {
        vertical
    } else {
        horizontal
    };
    let Some(weight) = heaviest(&cuts) else {
        // Blocks that lie over each other cannot be divided by what is seen.
        return node;
    };
    node.degree = (super::MAX_DEGREE + 1).saturating_sub(weight);
    let cuts: Vec<Separator> = cuts
        .into_iter()
        .filter(|own| own.weight == weight)
        .collect();
    let mut parts: Vec<Vec<&PoolBlock>> = vec![Vec::new(); cuts.len() + 1];
    for block in blocks {
        let at = cuts.partition_point(|cut| cut.span.0 < end(block, cut.direction));
        if let Some(part) = parts.get_mut(at) {
            part.push(block);
        }
    }
    parts.retain(|part| !part.is_empty());
    if parts.len() > 1 {
        node.children = parts
            .iter()
            .map(|part| construct(page, part, depth - 1))
            .collect();
    }
    node
}

fn end(block: &PoolBlock, direction: Direction) -> i32 {
    match direction {
        Direction::Horizontal => block.seen.bottom(),
        Direction::Vertical => block.seen.right(),
    }
}

/// A block is at least as coherent as the one around it.
fn raise(node: &mut Node, least: u8) {
    node.degree = node.degree.max(least);
    for child in &mut node.children {
        raise(child, node.degree);
    }
}

fn flatten(structure: &mut VisualStructure, node: Node, parent: Option<usize>, permitted: u8) {
    let at = structure.blocks.len();
    let is_leaf = node.children.is_empty() || node.degree >= permitted;
    structure.blocks.push(VisualBlock {
        parent,
        roots: node.roots,
        rect: node.rect,
        degree: node.degree,
        is_leaf,
    });
    if !is_leaf {
        for child in node.children {
            flatten(structure, child, Some(at), permitted);
        }
    }
}
