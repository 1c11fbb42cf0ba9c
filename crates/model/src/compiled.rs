//! Scorers laid out for speed. They read features as columns, for many blocks at a time, in the widest
//! vectors of the processor.
//!
//! The log odds equal those of one row at a time to the last bit. Weights of additive models are whole units,
//! which have the same sum in any order, and trees are summed in the order of the model file.

mod forest;
mod planes;

use rustc_hash::FxHashMap;
use trommel_features::{ColumnSet, Columns, Lanes};
use trommel_text::vectors::Vectors;

use crate::file::Scorer;
use forest::Forest;
use planes::Planes;

/// The parts of a model, laid out.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    parts: Vec<(f32, CompiledScorer)>,
    /// The widest vectors that the processor has.
    vectors: Vectors,
    /// Columns that the parts ask for, which they know by their slots.
    columns: ColumnSet,
}

#[derive(Clone, Debug)]
enum CompiledScorer {
    Planes(Planes),
    Forest(Forest),
    /// Unchanged, except for the numbers of its columns.
    Plain(Scorer),
}

/// Columns asked for so far, by their slots.
#[derive(Default)]
struct Asked {
    columns: Vec<u16>,
    slots: FxHashMap<u16, u16>,
}

impl Asked {
    /// Slot of a column.
    fn slot(&mut self, column: u16) -> u16 {
        let columns = &mut self.columns;
        *self.slots.entry(column).or_insert_with(|| {
            columns.push(column);
            // As many slots as there are columns at most, so that they can be counted.
            (columns.len() - 1) as u16
        })
    }
}

impl Compiled {
    /// Lays out sound parts that ask columns of a schema of this width. The columns `beside` are computed
    /// as well.
    pub fn new<'a>(
        parts: impl Iterator<Item = (f32, &'a Scorer)>,
        width: usize,
        beside: impl Iterator<Item = u16>,
    ) -> Self {
        // All parts share the slots, so a column that several parts ask for is computed once.
        let mut asked = Asked::default();
        let mut lay = |scorer: &Scorer| match scorer {
            Scorer::Additive(additive) => Planes::new(additive, &mut asked).map(CompiledScorer::Planes),
            Scorer::Trees(trees) => Forest::new(trees, &mut asked).map(CompiledScorer::Forest),
            // No shipped block model has a linear part, so it is not worth a form of its own.
            Scorer::Linear(_) => None,
        };
        // Collected first: the closures for planes and for plain scorers both borrow the slots.
        let laid: Vec<(f32, &Scorer, Option<CompiledScorer>)> =
            parts.map(|(share, scorer)| (share, scorer, lay(scorer))).collect();
        let parts = laid
            .into_iter()
            .map(|(share, scorer, laid)| {
                let plain = || {
                    let mut own = scorer.clone();
                    own.each_column(|column| *column = asked.slot(*column));
                    CompiledScorer::Plain(own)
                };
                (share, laid.unwrap_or_else(plain))
            })
            .collect();
        beside.for_each(|column| {
            asked.slot(column);
        });
        Self { parts, vectors: Vectors::default(), columns: ColumnSet::new(width, asked.columns) }
    }

    /// The columns that are to be computed.
    pub fn columns(&self) -> &ColumnSet {
        &self.columns
    }

    /// Appends the log odds of the blocks of a batch.
    pub fn score(&self, columns: &Columns, odds: &mut Vec<f32>) {
        let values = columns.values();
        let mut sums = [0.0; trommel_features::LANES];
        for (share, part) in &self.parts {
            let own = match part {
                CompiledScorer::Planes(planes) => planes.log_odds(self.vectors, values),
                CompiledScorer::Forest(forest) => forest.log_odds(self.vectors, values),
                CompiledScorer::Plain(scorer) => plain(scorer, values),
            };
            // Parts are added in the order of the file: sums of f32 depend on their order.
            for (sum, own) in sums.iter_mut().zip(own) {
                *sum += share * own;
            }
        }
        // The last batch of a page is seldom full; its spare lanes hold results of stale values.
        odds.extend(sums.iter().take(columns.blocks().len()));
    }
}

fn plain(scorer: &Scorer, columns: &[Lanes]) -> Lanes {
    std::array::from_fn(|lane| {
        scorer.log_odds_of(|slot| {
            let lanes = columns.get(usize::from(slot));
            lanes.and_then(|lanes| lanes.get(lane)).copied().unwrap_or(0.0)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::{Additive, Cross, StepFunction};
    use crate::trees::{TreeNode, Trees};
    use trommel_features::{FeatureGroup, LANES, Schema};
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn the_layout_changes_nothing() {
        let additive = Additive {
            intercept: -0.5,
            step_functions: vec![
                StepFunction { column: 1, edges: vec![0.0, 1.0, 2.5], weights: vec![1.0, 2.0, 4.0, 8.0] },
                StepFunction { column: 0, edges: vec![], weights: vec![0.25] },
            ],
            crosses: vec![
                Cross { columns: (3, 2), edges: (vec![0.1], vec![2.0]), weights: vec![0.5, 0.125, 3.0, 5.0] },
                Cross {
                    columns: (3, 2),
                    edges: (vec![0.1], vec![2.0, 4.0]),
                    weights: vec![16.0, 32.0, 64.0, 128.0, 256.0, 512.0],
                },
                Cross { columns: (2, 3), edges: (vec![], vec![0.1]), weights: vec![7.0, 9.0] },
            ],
        };
        let split = |column, threshold, left, right| TreeNode::Split { column, threshold, left, right };
        let trees = Trees {
            base: 0.5,
            nodes: vec![
                split(2, 3.0, 2, 1),
                split(3, 0.5, 4, 3),
                TreeNode::Leaf { value: 1.0 },
                TreeNode::Leaf { value: 2.0 },
                TreeNode::Leaf { value: 4.0 },
                TreeNode::Leaf { value: 8.0 },
            ],
            roots: vec![0, 5],
        };
        // More blocks than one batch holds, of one to five words, every third linked.
        let html: String = (0..100)
            .map(|at| {
                let words = "word ".repeat(at % 5 + 1);
                match at % 3 {
                    0 => format!("<p><a href=x>{words}</a>"),
                    _ => format!("<p>{words}"),
                }
            })
            .collect();
        let page = ScanEngine.read(&html, &Limits::default());
        let schema = Schema::new(&[FeatureGroup::Shallow], &[], &[], &[]);
        let rows = schema.rows(&page, None);
        let parts = [(0.5, Scorer::Additive(additive)), (2.0, Scorer::Trees(trees))];
        let parts_of = || parts.iter().map(|(share, scorer)| (*share, scorer));
        let compiled = Compiled::new(parts_of(), schema.names().len(), std::iter::empty());
        let mut found = Vec::new();
        schema.each_batch(&page, None, compiled.columns(), |columns| {
            compiled.score(columns, &mut found);
        });
        let expected: Vec<f32> =
            rows.iter().map(|row| parts_of().map(|(share, own)| share * own.log_odds(row)).sum()).collect();
        assert_eq!((found.len(), &found), (100, &expected));
        assert!(expected.iter().any(|odds| *odds != expected[0]));
    }

    /// A tree with so many leaves, each split at another place than the one before.
    fn tree(leaves: u32) -> Trees {
        let mut nodes = Vec::new();
        // Each split takes some leaves to its left and the rest to its right.
        let mut open = vec![(0, leaves)];
        nodes.push(TreeNode::Leaf { value: 0.0 });
        while let Some((at, leaves)) = open.pop() {
            if leaves == 1 {
                nodes[at] = TreeNode::Leaf { value: at as f32 * 0.37 - 5.0 };
                continue;
            }
            let left = 1 + at as u32 * 7 % (leaves - 1);
            let first = nodes.len() as u32;
            nodes.extend([TreeNode::Leaf { value: 0.0 }, TreeNode::Leaf { value: 0.0 }]);
            nodes[at] = TreeNode::Split {
                column: (at % 3) as u16,
                threshold: (at * 13 % 29) as f32 / 29.0,
                left: first,
                right: first + 1,
            };
            open.push((first as usize, left));
            open.push((first as usize + 1, leaves - left));
        }
        Trees { base: 0.125, nodes, roots: vec![0] }
    }

    #[test]
    fn rows_end_at_the_leaves_that_the_way_down_leads_to() {
        for leaves in [1, 2, 3, 47, 63, 64, 65, 200] {
            let trees = tree(leaves);
            let is_laid_out = Forest::new(&trees, &mut Asked::default()).is_some();
            assert_eq!(is_laid_out, leaves <= forest::LEAVES as u32);
            let scorer = Scorer::Trees(trees);
            let value = |at: usize, of: usize| match at * of % 41 {
                40 => f32::NAN,
                value => value as f32 / 40.0,
            };
            let rows: Vec<[f32; 3]> = (0..300).map(|at| [value(at, 1), value(at, 17), value(at, 29)]).collect();
            let compiled = Compiled::new([(1.0, &scorer)].into_iter(), 3, std::iter::empty());
            let mut found = Vec::new();
            for rows in rows.chunks(LANES) {
                compiled.score(&Columns::of_rows(compiled.columns(), rows), &mut found);
            }
            let expected: Vec<f32> = rows.iter().map(|row| scorer.log_odds(row)).collect();
            assert_eq!(found, expected, "{leaves} leaves");
            let different: std::collections::BTreeSet<u32> = expected.iter().map(|odds| odds.to_bits()).collect();
            assert!(different.len() as u32 >= leaves.min(5), "{leaves} leaves");
        }
    }
}
