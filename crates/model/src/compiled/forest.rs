//! Boosted trees that many blocks descend at once. For each split, a number with one bit per block of a batch states
//! which blocks are on one side. The bits left on the way to a node state which blocks reach it.

use std::cmp::Ordering;

use trommel_text::vectors::{ByteTask, Compare, Vectors};

use crate::features::{LANES, Lanes, Scratch};
use crate::trees::{TreeNode, Trees};

/// Initial capacity of the stack of pending right subtrees; it does not grow for trees of up to this many leaves.
const LEAVES: usize = 64;

/// Set of blocks of a batch, as a bit set: bit `n` stands for the block at index `n`.
type Bits = u64;

// A batch is as wide as a machine word, so one shift or mask handles all of its blocks.
const _: () = assert!(LANES == Bits::BITS as usize);

/// A sum of regression trees, laid out for computing the log odds of a batch of blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    base: f32,
    /// Thresholds of all splits (a value goes left if it is at most the threshold), grouped by column and ascending in
    /// each group, without duplicates.
    thresholds: Vec<f32>,
    /// Computed columns that the splits read: the index of each, and the end of its thresholds in `thresholds`.
    slots: Vec<(u16, usize)>,
    /// Index in `nodes` of the first node of each tree.
    roots: Vec<usize>,
    /// Nodes of all trees in pre-order: each split, then its left side, then its right side.
    nodes: Vec<FlatNode>,
}

#[derive(Clone, Copy, Debug)]
enum FlatNode {
    Split {
        question: u32,
        /// Index in `nodes` of the first node of the split's right side.
        right: u32,
    },
    Leaf(f32),
}

/// A pending step in laying out a tree.
enum Task {
    Node(u32),
    /// Records the next node as the first of the right side of the split at this index.
    Right(usize),
}

impl Forest {
    /// Lays out regression trees for batches; returns `None` if a node index is out of range.
    pub fn new(trees: &Trees) -> Option<Self> {
        let questions = questions(trees);
        let mut forest = Self { base: trees.base, ..Self::default() };
        for (at, (slot, threshold)) in questions.iter().enumerate() {
            forest.thresholds.push(*threshold);
            match forest.slots.last_mut() {
                Some((last, end)) if last == slot => *end = at + 1,
                _ => forest.slots.push((*slot, at + 1)),
            }
        }
        for root in &trees.roots {
            forest.roots.push(forest.nodes.len());
            // What comes next stands last.
            let mut tasks = vec![Task::Node(*root)];
            while let Some(task) = tasks.pop() {
                let at = forest.nodes.len();
                let node = match task {
                    Task::Node(node) => trees.nodes.get(node as usize)?,
                    Task::Right(split) => {
                        if let Some(FlatNode::Split { right, .. }) = forest.nodes.get_mut(split) {
                            *right = u32::try_from(at).ok()?;
                        }
                        continue;
                    }
                };
                forest.nodes.push(match node {
                    TreeNode::Leaf { value } => FlatNode::Leaf(*value),
                    TreeNode::Split { column, threshold, left, right } => {
                        // The left side follows its split directly, so a node needs the place of its right side only.
                        tasks.extend([Task::Node(*right), Task::Right(at), Task::Node(*left)]);
                        let question = questions.binary_search_by(|known| in_order(known, &(*column, *threshold)));
                        FlatNode::Split { question: question.ok()? as u32, right: 0 }
                    }
                });
            }
        }
        Some(forest)
    }

    /// Returns the log odds of each of the first `lanes` blocks of a batch.
    pub fn log_odds(&self, vectors: Vectors, columns: &[Lanes], lanes: usize) -> Lanes {
        let Some(unused) = LANES.checked_sub(lanes).filter(|unused| *unused < LANES) else { return ZEROS };
        let filled = Bits::MAX >> unused;
        // All questions are answered first: trees share them, and the vectors run without a branch.
        let answers = vectors.run(Ask { forest: self, columns, filled });
        let mut sums = [self.base; LANES];
        // Right sides that are yet to be gone into, with what reaches them.
        let mut open: Scratch<(usize, Bits)> = Scratch::with_capacity(LEAVES);
        for root in &self.roots {
            open.push((*root, filled));
            while let Some((mut at, mut reaches)) = open.pop() {
                while let Some(FlatNode::Split { question, right }) = self.nodes.get(at) {
                    let stays = reaches & answers.get(*question as usize).copied().unwrap_or(0);
                    // A side that no lane reaches is left out.
                    if stays == 0 {
                        at = *right as usize;
                        continue;
                    }
                    if stays != reaches {
                        open.push((*right as usize, reaches & !stays));
                    }
                    (at, reaches) = (at + 1, stays);
                }
                let Some(FlatNode::Leaf(value)) = self.nodes.get(at) else { continue };
                while reaches != 0 {
                    if let Some(sum) = sums.get_mut(reaches.trailing_zeros() as usize) {
                        *sum += value;
                    }
                    reaches &= reaches - 1;
                }
            }
        }
        sums
    }
}

/// Compares two questions (computed column and threshold) by column, then by threshold.
fn in_order(a: &(u16, f32), b: &(u16, f32)) -> Ordering {
    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
}

/// Returns the distinct questions (computed column and threshold) of all splits, sorted.
fn questions(trees: &Trees) -> Vec<(u16, f32)> {
    let of_node = |node: &TreeNode| match node {
        TreeNode::Split { column, threshold, .. } => Some((*column, *threshold)),
        TreeNode::Leaf { .. } => None,
    };
    let mut questions: Vec<(u16, f32)> = trees.nodes.iter().filter_map(of_node).collect();
    questions.sort_unstable_by(in_order);
    questions.dedup_by(|a, b| in_order(a, b).is_eq());
    questions
}

/// Returns the bit set of the blocks whose value is at most `threshold`, among the blocks in the bit set `filled`.
// Inlined, and therefore no closure: one would be compiled for narrow vectors.
#[inline(always)]
fn at_most<C: Compare>(form: C, lanes: &Lanes, threshold: f32, filled: Bits) -> Bits {
    let ([first, second], _) = lanes.as_chunks::<32>() else { return 0 };
    let low = Bits::from(form.at_most(first, threshold));
    // The last batch of a page has few lanes.
    let high = if filled >> 32 == 0 { 0 } else { Bits::from(form.at_most(second, threshold)) << 32 };
    (low | high) & filled
}

/// Task that answers all questions of the trees (is a value at most a threshold?) for a batch of blocks.
struct Ask<'a> {
    forest: &'a Forest,
    columns: &'a [Lanes],
    /// Bit set of the places in the batch that hold a block; the last batch of a page has empty ones.
    filled: Bits,
}

const ZEROS: Lanes = [0.0; LANES];

impl ByteTask for Ask<'_> {
    type Output = Scratch<Bits>;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> Scratch<Bits> {
        let Self { forest, columns, filled } = self;
        // Filled before: growing is a call, around which all lanes would be kept in memory.
        let mut answers = Scratch::filled(forest.thresholds.len(), 0);
        let mut start = 0;
        for (slot, end) in &forest.slots {
            let lanes = columns.get(usize::from(*slot)).unwrap_or(&ZEROS);
            let (Some(thresholds), Some(answers)) = (forest.thresholds.get(start..*end), answers.get_mut(start..*end))
            else {
                continue;
            };
            start = *end;
            // Columns of pages have one value in all lanes: most questions are answered alike by their order.
            let (mut none, mut doubtful) = (0, thresholds.len());
            while doubtful > 0 {
                let half = doubtful / 2;
                let Some(threshold) = thresholds.get(none + half) else { break };
                if at_most(form, lanes, *threshold, filled) == 0 {
                    none += half + 1;
                    doubtful -= half + 1;
                } else {
                    doubtful = half;
                }
            }
            let mut full = false;
            for (answer, threshold) in answers.iter_mut().zip(thresholds).skip(none) {
                // What is no number is not below, so that it goes right as it does down a tree.
                *answer = if full { filled } else { at_most(form, lanes, *threshold, filled) };
                full = *answer == filled;
            }
        }
        answers
    }
}
