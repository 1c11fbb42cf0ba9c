//! Boosted trees that many blocks descend at once. A number with one bit for each block of a batch states
//! which blocks are on one side of a split. The bits left on the way to a node state which blocks reach it.

use rustc_hash::FxHashMap;
use trommel_text::vectors::{ByteTask, Compare, Vectors};

use crate::additive::{TreeNode, Trees};
use crate::features::{LANES, Lanes, Scratch};

/// Leaves of most trees: the list of open sides does not grow while one of these is gone down.
const LEAVES: usize = 64;

/// The lanes on one side of a question: one bit for each.
type Bits = u64;

// A batch is as wide as a machine word, so one shift or mask handles all of its blocks.
const _: () = assert!(LANES == Bits::BITS as usize);

/// Boosted trees.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    base: f32,
    /// The questions of splits: whether the value in a slot is at most a threshold. Each question occurs once.
    questions: Vec<(u16, f32)>,
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
    /// `None` if a path does not end at a leaf of the list.
    pub fn new(trees: &Trees) -> Option<Self> {
        let mut forest = Self { base: trees.base, ..Self::default() };
        let mut known: FxHashMap<(u16, u32), u32> = FxHashMap::default();
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
                        // Thresholds are compared by their bits, because f32 has no total equality to hash by.
                        let key = (*column, threshold.to_bits());
                        let questions = &mut forest.questions;
                        let question = *known.entry(key).or_insert_with(|| {
                            questions.push((key.0, *threshold));
                            questions.len() as u32 - 1
                        });
                        FlatNode::Split { question, right: 0 }
                    }
                });
            }
        }
        Some(forest)
    }

    /// Log odds of each of the first `lanes` lanes.
    pub fn log_odds(&self, vectors: Vectors, columns: &[Lanes], lanes: usize) -> Lanes {
        let Some(unused) = LANES.checked_sub(lanes).filter(|unused| *unused < LANES) else { return ZEROS };
        let filled = Bits::MAX >> unused;
        // All questions are answered first: trees share them, and the vectors run without a branch.
        let answers = vectors.run(Ask { questions: &self.questions, columns });
        let mut sums = [self.base; LANES];
        // Right sides that are yet to be gone into, with what reaches them.
        let mut open: Scratch<(usize, Bits)> = Scratch::with_capacity(LEAVES);
        for root in &self.roots {
            open.push((*root, filled));
            while let Some((mut at, mut reaches)) = open.pop() {
                // A side that no lane reaches is left out.
                while reaches != 0 {
                    match self.nodes.get(at) {
                        Some(FlatNode::Split { question, right }) => {
                            let stays = answers.get(*question as usize).copied().unwrap_or(0);
                            open.push((*right as usize, reaches & !stays));
                            reaches &= stays;
                            at += 1;
                        }
                        Some(FlatNode::Leaf(value)) => {
                            while reaches != 0 {
                                if let Some(sum) = sums.get_mut(reaches.trailing_zeros() as usize) {
                                    *sum += value;
                                }
                                reaches &= reaches - 1;
                            }
                        }
                        None => break,
                    }
                }
            }
        }
        sums
    }
}

/// Asks all questions of a batch, compiled for each width of vectors.
struct Ask<'a> {
    questions: &'a [(u16, f32)],
    columns: &'a [Lanes],
}

const ZEROS: Lanes = [0.0; LANES];

impl ByteTask for Ask<'_> {
    type Output = Scratch<Bits>;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> Scratch<Bits> {
        // Filled before: growing is a call, around which all lanes would be kept in memory.
        let mut answers = Scratch::filled(self.questions.len(), 0);
        for (answer, (slot, threshold)) in answers.iter_mut().zip(self.questions) {
            let lanes = self.columns.get(usize::from(*slot)).unwrap_or(&ZEROS);
            // What is no number is not below, so that it goes right as it does down a tree.
            *answer = form.at_most(lanes, *threshold);
        }
        answers
    }
}
