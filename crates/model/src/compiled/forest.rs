//! Boosted trees that many blocks descend at once. A number with one bit for each block of a batch states
//! which blocks are on one side of a split. The bits left on the way to a node state which blocks reach it.

use std::cmp::Ordering;

use trommel_text::vectors::{ByteTask, Compare, Vectors};

use crate::features::{LANES, Lanes, Scratch};
use crate::trees::{TreeNode, Trees};

/// Leaves of most trees: the list of open sides does not grow while one of these is gone down.
const LEAVES: usize = 64;

/// The lanes on one side of a question: one bit for each.
type Bits = u64;

// A batch is as wide as a machine word, so one shift or mask handles all of its blocks.
const _: () = assert!(LANES == Bits::BITS as usize);

/// A sum of trees, laid out for computing the log odds of a batch.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    base: f32,
    /// The thresholds of splits, whose questions are whether a value is at most the threshold: slot after slot, rising
    /// in each. Each question occurs once.
    thresholds: Vec<f32>,
    /// The slots, each with the end of its thresholds.
    slots: Vec<(u16, usize)>,
    /// First node of each tree.
    roots: Vec<usize>,
    /// The nodes, each split before its left side and that before its right side.
    nodes: Vec<FlatNode>,
}

#[derive(Clone, Copy, Debug)]
enum FlatNode {
    Split {
        question: u32,
        /// First node of the right side.
        right: u32,
    },
    Leaf(f32),
}

/// A part of a tree that is not yet laid out.
enum Task {
    Node(u32),
    /// The right side of the split that has been laid out here.
    Right(usize),
}

impl Forest {
    /// Lays out trees; `None` if a path does not end at a leaf of the list.
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

    /// Returns the log odds of each of the first `lanes` lanes.
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

/// The order of questions: by slot, then by threshold.
fn in_order(a: &(u16, f32), b: &(u16, f32)) -> Ordering {
    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
}

/// The questions of all splits, in order, each once.
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

/// The filled lanes whose value is at most the threshold.
// Inlined, and therefore no closure: one would be compiled for narrow vectors.
#[inline(always)]
fn at_most<C: Compare>(form: C, lanes: &Lanes, threshold: f32, filled: Bits) -> Bits {
    let ([first, second], _) = lanes.as_chunks::<32>() else { return 0 };
    let low = Bits::from(form.at_most(first, threshold));
    // The last batch of a page has few lanes.
    let high = if filled >> 32 == 0 { 0 } else { Bits::from(form.at_most(second, threshold)) << 32 };
    (low | high) & filled
}

/// Answers all questions of a batch, compiled for each width of vectors.
struct Ask<'a> {
    forest: &'a Forest,
    columns: &'a [Lanes],
    /// The lanes whose answers count.
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
