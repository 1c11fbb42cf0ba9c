//! The content structure of vips_java: horizontal and vertical separators by turns.

use super::extraction::{PoolBlock, extract};
use super::separator::{Direction, Separator, separators};
use super::structure::{VisualBlock, VisualStructure, between, whole};
use super::visual::VisualPage;
use crate::layout::{PageLayout, Rect};

/// Size thresholds in pixels, round by round.
const THRESHOLDS: [i64; 10] =
    [350 * 400, 300 * 350, 250 * 300, 200 * 250, 150 * 200, 100 * 150, 100 * 100, 80 * 80, 40 * 10, 1];
/// Sum of weight at the upper end of the scale; no separator reaches it.
const LARGEST_SUM: i32 = 40;

/// A block of the structure while it grows.
struct Node {
    roots: Vec<u32>,
    rect: Rect,
    /// Sums of weight of the separators at its border.
    sums: Vec<i32>,
    degree: u8,
    children: Vec<Node>,
}

impl Node {
    fn new(blocks: &[&PoolBlock], sums: Vec<i32>) -> Self {
        let roots = blocks.iter().flat_map(|block| block.roots.iter().copied());
        let mut roots: Vec<u32> = roots.collect();
        roots.sort_unstable();
        Self {
            roots,
            rect: blocks.iter().fold(Rect::default(), |all, block| all.union(&block.seen)),
            sums,
            degree: least_degree(blocks),
            children: Vec::new(),
        }
    }
}

fn least_degree(blocks: &[&PoolBlock]) -> u8 {
    let degrees = blocks.iter().map(|block| block.degree);
    degrees.min().unwrap_or(super::MAX_DEGREE)
}

pub(super) fn build(layout: &PageLayout, permitted_degree: u8) -> VisualStructure {
    let page = VisualPage::new(layout);
    let mut structure = VisualStructure::default();
    let Some((roots, rect)) = whole(&page) else {
        return structure;
    };
    let mut whole = Node { roots, rect, sums: Vec::new(), degree: 1, children: Vec::new() };
    for threshold in THRESHOLDS {
        divide(&page, &mut whole, threshold);
    }
    let mut least = LARGEST_SUM - 1;
    find_least(&whole, &mut least);
    normalize(&mut whole, least);
    whole.degree = 1;
    flatten(&mut structure, whole, None, permitted_degree);
    structure
}

/// Divides the leaves.
fn divide(page: &VisualPage, node: &mut Node, threshold: i64) {
    if !node.children.is_empty() {
        for child in &mut node.children {
            divide(page, child, threshold);
        }
        return;
    }
    let pool = extract(page, &node.roots, threshold, false);
    if pool.is_empty() {
        return;
    }
    let blocks: Vec<&PoolBlock> = pool.iter().collect();
    let rows = cut(page, &blocks, Direction::Horizontal);
    let by_columns = |blocks: &[&PoolBlock]| {
        let columns = cut(page, blocks, Direction::Vertical).into_iter();
        columns.map(|(part, sums)| Node::new(&part, sums)).collect::<Vec<_>>()
    };
    node.children = match rows.is_empty() {
        true => by_columns(&blocks),
        false => rows
            .into_iter()
            .map(|(part, sums)| Node { children: by_columns(&part), ..Node::new(&part, sums) })
            .collect(),
    };
    if node.children.is_empty() {
        *node = Node::new(&blocks, std::mem::take(&mut node.sums));
    }
}

/// The parts between all separators of a direction, each with the sums of those at its border; none if there is but
/// one.
fn cut<'b>(page: &VisualPage, blocks: &[&'b PoolBlock], direction: Direction) -> Vec<(Vec<&'b PoolBlock>, Vec<i32>)> {
    let cuts = separators(page, blocks, direction);
    let sum = |at: usize| cuts.get(at).map(|cut: &Separator| cut.sum);
    let parts = between(blocks, &cuts).into_iter().enumerate();
    let parts: Vec<_> = parts
        .map(|(at, part)| {
            let border = [at.checked_sub(1).and_then(sum), sum(at)];
            (part, border.into_iter().flatten().collect())
        })
        .filter(|(part, _)| !part.is_empty())
        .collect();
    if parts.len() > 1 { parts } else { Vec::new() }
}

fn find_least(node: &Node, least: &mut i32) {
    for child in &node.children {
        find_least(child, least);
    }
    *least = node.sums.iter().copied().fold(*least, i32::min);
}

/// Turns the sums of weight into degrees, the lightest of the page first: 11 for it, and no block is more coherent
/// than those inside it.
fn normalize(node: &mut Node, least: i32) {
    let degree = |sum: &i32| {
        let place = 10.0 * f64::from(sum - least) / f64::from(LARGEST_SUM - least);
        super::MAX_DEGREE - (place.ceil() as u8).min(10)
    };
    if let Some(border) = node.sums.iter().map(degree).min() {
        node.degree = border;
    }
    for child in &mut node.children {
        normalize(child, least);
        node.degree = node.degree.min(child.degree);
    }
}

fn flatten(structure: &mut VisualStructure, node: Node, parent: Option<usize>, permitted: u8) {
    let at = structure.blocks.len();
    // A block of just the permitted degree is divided, too.
    let is_leaf = node.children.is_empty() || node.degree > permitted;
    structure.blocks.push(VisualBlock { parent, roots: node.roots, rect: node.rect, degree: node.degree, is_leaf });
    if !is_leaf {
        for child in node.children {
            flatten(structure, child, Some(at), permitted);
        }
    }
}
