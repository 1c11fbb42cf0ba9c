//! Boosted trees that many blocks go down at once: which of a batch are on which side of a split is one
//! number of as many bits, and which of them reach a node is what is left of the bits on the way to it.

use pulp::{Arch, Simd, WithSimd, bytemuck};
use rustc_hash::FxHashMap;
use trommel_features::{LANES, Lanes};

use super::Asked;
use crate::trees::{TreeNode, Trees};

/// Leaves of a tree at most: more would be no tree that was learned.
pub(super) const LEAVES: usize = 64;

/// Which lanes a question divides off: a bit a lane.
type Bits = u64;

const _: () = assert!(LANES == Bits::BITS as usize);

/// Boosted trees.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    base: f32,
    /// What splits ask: whether the value in a slot is at most a threshold. No question stands here twice.
    questions: Vec<(u16, f32)>,
    /// First node of each tree.
    roots: Vec<usize>,
    /// The nodes, each split before its left side and that before its right side.
    nodes: Vec<LaidNode>,
}

#[derive(Clone, Copy, Debug)]
enum LaidNode {
    Split {
        question: u32,
        /// First node of the right side.
        right: u32,
    },
    Leaf(f32),
}

/// What is yet to be laid out.
enum Task {
    Node(u32),
    /// The right side of the split that has been laid out here.
    Right(usize),
}

impl Forest {
    /// `None` if a path does not end at a leaf of the list, or a tree has too many leaves.
    pub fn new(trees: &Trees, asked: &mut Asked) -> Option<Self> {
        let mut forest = Self {
            base: trees.base,
            ..Self::default()
        };
        let mut known: FxHashMap<(u16, u32), u32> = FxHashMap::default();
        for root in &trees.roots {
            forest.roots.push(forest.nodes.len());
            let mut leaves = 0;
            // What comes next stands last.
            let mut tasks = vec![Task::Node(*root)];
            while let Some(task) = tasks.pop() {
                let at = forest.nodes.len();
                let node = match task {
                    Task::Node(node) => trees.nodes.get(node as usize)?,
                    Task::Right(split) => {
                        if let Some(LaidNode::Split { right, .. }) = forest.nodes.get_mut(split) {
                            *right = u32::try_from(at).ok()?;
                        }
                        continue;
                    }
                };
                forest.nodes.push(match node {
                    TreeNode::Leaf { value } => {
                        leaves += 1;
                        if leaves > LEAVES {
                            return None;
                        }
                        LaidNode::Leaf(*value)
                    }
                    TreeNode::Split {
                        column,
                        threshold,
                        left,
                        right,
                    } => {
                        tasks.extend([Task::Node(*right), Task::Right(at), Task::Node(*left)]);
                        let key = (asked.slot(*column), threshold.to_bits());
                        let questions = &mut forest.questions;
                        let question = *known.entry(key).or_insert_with(|| {
                            questions.push((key.0, *threshold));
                            questions.len() as u32 - 1
                        });
                        LaidNode::Split { question, right: 0 }
                    }
                });
            }
        }
        Some(forest)
    }

    /// Log odds of each lane.
    pub fn log_odds(&self, arch: Arch, columns: &[Lanes]) -> Lanes {
        let answers = arch.dispatch(Ask {
            questions: &self.questions,
            columns,
        });
        let mut sums = [self.base; LANES];
        // Right sides that are yet to be gone into, with what reaches them.
        let mut open: Vec<(usize, Bits)> = Vec::new();
        for root in &self.roots {
            open.push((*root, Bits::MAX));
            while let Some((mut at, mut reaches)) = open.pop() {
                // A side that no lane reaches is left out.
                while reaches != 0 {
                    match self.nodes.get(at) {
                        Some(LaidNode::Split { question, right }) => {
                            let stays = answers.get(*question as usize).copied().unwrap_or(0);
                            open.push((*right as usize, reaches & !stays));
                            reaches &= stays;
                            at += 1;
                        }
                        Some(LaidNode::Leaf(value)) => {
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

/// The lanes of half a batch, a bit each.
const HALF: [u32; LANES / 2] = {
    let mut bits = [0; LANES / 2];
    let mut at = 0;
    while at < bits.len() {
        bits[at] = 1 << at;
        at += 1;
    }
    bits
};

impl WithSimd for Ask<'_> {
    type Output = Vec<Bits>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<Bits> {
        const ZEROS: Lanes = [0.0; LANES];
        let mut answers = Vec::with_capacity(self.questions.len());
        for (slot, threshold) in self.questions {
            let lanes = self.columns.get(usize::from(*slot)).unwrap_or(&ZEROS);
            let (low, high) = lanes.split_at(LANES / 2);
            // What is no number is not below, so that it goes right as it does down a tree.
            let low = at_most(simd, low, *threshold);
            let high = at_most(simd, high, *threshold);
            answers.push(Bits::from(low) | Bits::from(high) << 32);
        }
        answers
    }
}

/// Which lanes of half a batch are at most a threshold.
#[inline(always)]
fn at_most<S: Simd>(simd: S, lanes: &[f32], threshold: f32) -> u32 {
    let (threshold, zero) = (simd.splat_f32s(threshold), simd.splat_u32s(0));
    let mut all = zero;
    let bits = S::as_simd_u32s(&HALF).0;
    for (value, bits) in S::as_simd_f32s(lanes).0.iter().zip(bits) {
        let stays = simd.less_than_or_equal_f32s(*value, threshold);
        all = simd.or_u32s(all, simd.select_u32s(stays, *bits, zero));
    }
    let all: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&all));
    all.iter().fold(0, |all, own| all | own)
}
