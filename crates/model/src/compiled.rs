//! Scorers laid out for speed. They read features as columns, for many blocks at a time, in the widest
//! vectors of the processor.
//!
//! The log odds of a part equal those of one row at a time to the last bit. Weights of additive models are whole
//! units, which have the same sum in any order, and trees are summed in the order of the model file. Where trees are
//! asked only about some blocks, their sum is added last.

mod forest;
mod page_odds;
mod planes;

#[cfg(test)]
use crate::features::Columns;
use crate::features::{ColumnSet, Lanes};
use rustc_hash::FxHashMap;
use trommel_text::vectors::Vectors;

use crate::file::Scorer;
use forest::Forest;
pub(crate) use page_odds::PageOdds;
use planes::Planes;

/// The parts of a model, laid out.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    parts: Vec<(f32, CompiledScorer)>,
    /// The widest vectors that the processor has.
    vectors: Vectors,
    /// Columns that the parts ask for, which they know by their slots.
    columns: ColumnSet,
    /// Log odds of the first part within which trees are asked; none if they are asked about every block.
    band: Option<f32>,
    /// The scorer of pages other than articles and threads.
    lists: Option<CompiledScorer>,
    /// Slots that the trees ask for.
    tree_slots: Vec<usize>,
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
struct RequestedColumns {
    columns: Vec<u16>,
    slots: FxHashMap<u16, u16>,
}

impl RequestedColumns {
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
    /// Lays out sound parts that read columns of a schema of this width, and the scorer of pages other than articles and
    /// threads. The columns `beside` are computed as well. Trees judge only blocks about which the first part is in
    /// doubt, by this `band`.
    pub fn new<'a>(
        parts: impl Iterator<Item = (f32, &'a Scorer)>,
        lists: Option<&'a Scorer>,
        width: usize,
        beside: impl Iterator<Item = u16>,
        band: Option<f32>,
    ) -> Self {
        // All parts share the slots, so a column that several parts ask for is computed once.
        let mut asked = RequestedColumns::default();
        let parts: Vec<(f32, &Scorer)> = parts.collect();
        // In the order of the schema, so that the columns of a group stand side by side.
        let mut columns = Vec::new();
        for scorer in parts.iter().map(|(_, scorer)| *scorer).chain(lists) {
            scorer.clone().each_column(|column| columns.push(*column));
        }
        columns.sort_unstable();
        for column in columns {
            asked.slot(column);
        }
        let mut lay = |scorer: &Scorer| match scorer {
            Scorer::Additive(additive) => Planes::new(additive, &mut asked).map(CompiledScorer::Planes),
            Scorer::Trees(trees) => Forest::new(trees, &mut asked).map(CompiledScorer::Forest),
            // No shipped block model has a linear part, so it is not worth a form of its own.
            Scorer::Linear(_) => None,
        };
        // Collected first: the closures for planes and for plain scorers both borrow the slots.
        let laid: Vec<(f32, &Scorer, Option<CompiledScorer>)> =
            parts.into_iter().map(|(share, scorer)| (share, scorer, lay(scorer))).collect();
        let lists = lists.map(|scorer| (scorer, lay(scorer)));
        // Only a band needs to know which columns are those of trees.
        let trees: Vec<Scorer> = (laid.iter().map(|(_, scorer, _)| *scorer))
            .filter(|scorer| band.is_some() && matches!(scorer, Scorer::Trees(_)))
            .cloned()
            .collect();
        let mut or_plain = |scorer: &Scorer, laid: Option<CompiledScorer>| {
            let plain = || {
                let mut scorer = scorer.clone();
                scorer.each_column(|column| *column = asked.slot(*column));
                CompiledScorer::Plain(scorer)
            };
            laid.unwrap_or_else(plain)
        };
        let parts: Vec<(f32, CompiledScorer)> =
            laid.into_iter().map(|(share, scorer, laid)| (share, or_plain(scorer, laid))).collect();
        let lists = lists.map(|(scorer, laid)| or_plain(scorer, laid));
        beside.for_each(|column| {
            asked.slot(column);
        });
        let mut tree_slots = Vec::new();
        for mut scorer in trees {
            scorer.each_column(|column| tree_slots.push(usize::from(asked.slot(*column))));
        }
        tree_slots.sort_unstable();
        tree_slots.dedup();
        let columns = ColumnSet::new(width, asked.columns);
        Self { parts, vectors: Vectors::default(), columns, band, lists, tree_slots }
    }

    /// The columns that are to be computed.
    pub fn columns(&self) -> &ColumnSet {
        &self.columns
    }

    /// Log odds of each of the first `lanes` lanes by one part.
    fn log_odds(&self, part: &CompiledScorer, values: &[Lanes], lanes: usize) -> Lanes {
        match part {
            CompiledScorer::Planes(planes) => planes.log_odds(self.vectors, values),
            CompiledScorer::Forest(forest) => forest.log_odds(self.vectors, values, lanes),
            CompiledScorer::Plain(scorer) => plain(scorer, values),
        }
    }
}

impl CompiledScorer {
    fn is_trees(&self) -> bool {
        matches!(self, CompiledScorer::Forest(_) | CompiledScorer::Plain(Scorer::Trees(_)))
    }
}

#[cfg(test)]
impl Compiled {
    /// Log odds of rows as wide as the schema.
    fn of_rows<R: AsRef<[f32]>>(&self, rows: &[R]) -> Vec<f32> {
        let mut odds = PageOdds::new(self, rows.len());
        let chunks = rows.chunks(crate::features::LANES);
        for (first, rows) in (0..).step_by(crate::features::LANES).zip(chunks) {
            odds.add(&Columns::of_rows(self.columns(), rows, first));
        }
        odds.finish()
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
    use crate::features::{FeatureGroup, LANES, Schema};
    use crate::file::WeightedScorer;
    use crate::scorer::log_odds_of_parts;
    use crate::trees::{TreeNode, Trees};
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
        let compiled = Compiled::new(parts_of(), None, schema.names().len(), std::iter::empty(), None);
        let mut found = PageOdds::new(&compiled, page.blocks.len());
        schema.each_batch(&page, None, compiled.columns(), |columns| found.add(columns));
        let found = found.finish();
        let expected: Vec<f32> =
            rows.iter().map(|row| parts_of().map(|(share, scorer)| share * scorer.log_odds(row)).sum()).collect();
        assert_eq!((found.len(), &found), (100, &expected));
        assert!(expected.iter().any(|odds| *odds != expected[0]));
    }

    /// A tree with `leaves` leaves, each split at another place than the one before.
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
    fn trees_are_asked_about_blocks_in_doubt_only() {
        let steps = StepFunction {
            column: 0,
            edges: (1..20).map(|at| at as f32).collect(),
            weights: (0..20).map(|at| at as f32 / 2.0 - 5.0).collect(),
        };
        let additive = Additive { intercept: 0.0, step_functions: vec![steps], crosses: vec![] };
        let constant = Additive { intercept: 0.25, ..Additive::default() };
        let parts: Vec<WeightedScorer> =
            [(0.5, Scorer::Additive(additive)), (0.25, Scorer::Trees(tree(47))), (1.0, Scorer::Additive(constant))]
                .map(|(share, scorer)| WeightedScorer { share, scorer })
                .into();
        // In some batches nothing is in doubt, in others everything.
        let rows: Vec<[f32; 3]> = (0..500)
            .map(|at: usize| {
                let first = if at / LANES == 3 {
                    0
                } else if at / LANES == 5 {
                    10
                } else {
                    at * 7 % 20
                };
                [first as f32, (at % 17) as f32 / 16.0, (at % 29) as f32 / 28.0]
            })
            .collect();
        let all: Vec<Vec<f32>> = [Some(2.0), Some(0.0), Some(f32::INFINITY), None]
            .into_iter()
            .map(|band| {
                let weighted = parts.iter().map(|part| (part.share, &part.scorer));
                let found = Compiled::new(weighted, None, 3, std::iter::empty(), band).of_rows(&rows);
                let expected: Vec<f32> = rows.iter().map(|row| log_odds_of_parts(&parts, band, row)).collect();
                for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    assert!((found - expected).abs() < 1e-5, "{band:?}, block {at}: {found} for {expected}");
                }
                found
            })
            .collect();
        let [some, none_asked, all_asked, no_band] = all.as_slice() else { panic!() };
        assert_eq!(all_asked, no_band);
        let differs = |other: &[f32]| some.iter().zip(other).filter(|(one, other)| one != other).count();
        let doubtful = rows.iter().filter(|row| (row[0] / 2.0 - 5.0).abs() < 2.0).count();
        assert!(doubtful > 2 * LANES && doubtful < rows.len() / 2);
        assert_eq!(differs(none_asked), doubtful);
        assert_eq!(differs(all_asked), rows.len() - doubtful);
    }

    #[test]
    fn rows_end_at_the_leaves_that_the_way_down_leads_to() {
        for leaves in [1, 2, 3, 47, 63, 64, 65, 200] {
            let trees = tree(leaves);
            let is_laid_out = Forest::new(&trees, &mut RequestedColumns::default()).is_some();
            assert_eq!(is_laid_out, leaves <= forest::LEAVES as u32);
            let scorer = Scorer::Trees(trees);
            let value = |at: usize, of: usize| match at * of % 41 {
                40 => f32::NAN,
                value => value as f32 / 40.0,
            };
            let rows: Vec<[f32; 3]> = (0..300).map(|at| [value(at, 1), value(at, 17), value(at, 29)]).collect();
            let compiled = Compiled::new([(1.0, &scorer)].into_iter(), None, 3, std::iter::empty(), None);
            let found = compiled.of_rows(&rows);
            let expected: Vec<f32> = rows.iter().map(|row| scorer.log_odds(row)).collect();
            assert_eq!(found, expected, "{leaves} leaves");
            let different: std::collections::BTreeSet<u32> = expected.iter().map(|odds| odds.to_bits()).collect();
            assert!(different.len() as u32 >= leaves.min(5), "{leaves} leaves");
        }
    }
}
