//! Scorers laid out for speed: they read columns of feature values, for many blocks at a time, in the widest vectors.
//!
//! The log odds of a part equal those of one row at a time to the last bit. Weights of additive models are whole
//! units, which have the same sum in any order, and trees are summed in the order of the model file.
//!
//! The log odds of a page's blocks are computed batch by batch. Trees are asked only about blocks about which the
//! first part of the model is in doubt, if the model says what doubt is: these blocks wait until they fill a batch,
//! and their sum is added last.

mod forest;
mod planes;

use std::collections::BTreeSet;

use trommel_text::vectors::Vectors;

use crate::features::{ColumnSet, Columns, LANES, Lanes, Scratch};
use crate::file::{KindShares, Linear, ModelError, Scorer};
use forest::Forest;
use planes::Planes;

/// Scorers of a model, rearranged so that the log odds of many blocks are computed at once.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    parts: Vec<(f32, CompiledScorer)>,
    /// Widest vector instructions that the processor has.
    vectors: Vectors,
    /// Feature columns that are computed. Scorers refer to a column by its slot: its index among these columns.
    columns: ColumnSet,
    /// Limit of doubt: trees judge only blocks with lower absolute log odds by the first scorer; `None`: all blocks.
    band: Option<f32>,
    /// Scorers for particular kinds of pages, such as lists and threads.
    kinds: Vec<CompiledScorer>,
    /// Indices, among the computed columns, of the columns that the trees read.
    tree_slots: Vec<usize>,
}

#[derive(Clone, Debug)]
enum CompiledScorer {
    Planes(Planes),
    Forest(Forest),
    /// Linear scorer in its original layout, since no shipped model of blocks has one.
    Linear(Linear),
}

impl Compiled {
    /// Prepares valid scorers that read a table of `width` feature columns; the columns `beside` are computed as well.
    /// Trees judge only blocks whose absolute log odds by the first scorer are below `band`.
    ///
    /// # Errors
    /// If the weights of an additive part are too large to be added up exactly.
    pub fn new(
        parts: &[(f32, Scorer)],
        kinds: &[Scorer],
        width: usize,
        beside: impl IntoIterator<Item = u16>,
        band: Option<f32>,
    ) -> Result<Self, ModelError> {
        let mut asked: BTreeSet<u16> = beside.into_iter().collect();
        let mut of_trees: BTreeSet<u16> = BTreeSet::new();
        for scorer in parts.iter().map(|(_, scorer)| scorer).chain(kinds) {
            let columns = scorer.columns();
            if matches!(scorer, Scorer::Trees(_)) {
                of_trees.extend(&columns);
            }
            asked.extend(columns);
        }
        // All parts share the slots, so a column that several parts ask for is computed once. They are in the order of
        // the schema, so that the columns of a group stand side by side.
        let columns = ColumnSet::new(width, asked);
        let laid_out = |scorer: &Scorer| {
            let mut scorer = scorer.clone();
            scorer.each_column(|column| *column = columns.slot(*column).unwrap_or_default() as u16);
            let laid = match scorer {
                Scorer::Additive(additive) => Planes::new(&additive).map(CompiledScorer::Planes),
                Scorer::Trees(trees) => Forest::new(&trees).map(CompiledScorer::Forest),
                Scorer::Linear(linear) => Some(CompiledScorer::Linear(linear)),
            };
            laid.ok_or(ModelError::Unsound { part: "additive" })
        };
        Ok(Self {
            parts: parts
                .iter()
                .map(|(share, scorer)| Ok((*share, laid_out(scorer)?)))
                .collect::<Result<_, ModelError>>()?,
            kinds: kinds.iter().map(laid_out).collect::<Result<_, _>>()?,
            vectors: Vectors::default(),
            tree_slots: of_trees.into_iter().filter_map(|column| columns.slot(column)).collect(),
            columns,
            band,
        })
    }

    /// Returns the columns that must be computed: those that the scorers read, and those that were requested besides.
    pub fn columns(&self) -> &ColumnSet {
        &self.columns
    }

    /// Returns the log odds that one scorer gives to each of the first `lanes` blocks of a batch.
    fn log_odds(&self, part: &CompiledScorer, values: &[Lanes], lanes: usize) -> Lanes {
        match part {
            CompiledScorer::Planes(planes) => planes.log_odds(self.vectors, values),
            CompiledScorer::Forest(forest) => forest.log_odds(self.vectors, values, lanes),
            CompiledScorer::Linear(linear) => std::array::from_fn(|lane| {
                linear.log_odds_of(|slot| values.get(usize::from(slot)).map_or(0.0, |lanes| lanes[lane]))
            }),
        }
    }
}

impl CompiledScorer {
    fn is_trees(&self) -> bool {
        matches!(self, CompiledScorer::Forest(_))
    }
}

#[cfg(test)]
impl Compiled {
    /// Returns the log odds for each row of feature values; rows are as wide as the schema.
    fn of_rows<R: AsRef<[f32]>>(&self, rows: &[R]) -> Vec<f32> {
        let mut odds = PageOdds::new(self, rows.len());
        let chunks = rows.chunks(crate::features::LANES);
        for (first, rows) in (0..).step_by(crate::features::LANES).zip(chunks) {
            odds.add(&Columns::of_rows(self.columns(), rows, first));
        }
        odds.finish()
    }
}

/// Adds the log odds of each block, multiplied by `share`, to the sum of the same block.
fn add(sums: &mut Lanes, share: f32, odds: &Lanes) {
    for (sum, value) in sums.iter_mut().zip(odds) {
        *sum += share * value;
    }
}

/// Log odds that each block of a page is content, computed batch by batch.
pub(crate) struct PageOdds<'m> {
    compiled: &'m Compiled,
    /// Log odds that each block is content; NaN until the block is judged.
    odds: Vec<f32>,
    /// Feature columns of the doubtful blocks that the trees have yet to judge; empty if there was none so far.
    waiting: Scratch<Lanes>,
    /// Index on the page of each doubtful block that the trees have yet to judge.
    waiting_blocks: Scratch<u32>,
    /// Weights, in the log odds, of the scorers for particular kinds of pages, such as lists; 0 unless set.
    kind_shares: KindShares,
}

impl<'m> PageOdds<'m> {
    /// Creates log odds for `blocks` blocks, none of them computed yet.
    pub fn new(compiled: &'m Compiled, blocks: usize) -> Self {
        Self {
            compiled,
            odds: vec![f32::NAN; blocks],
            waiting: Scratch::default(),
            waiting_blocks: Scratch::default(),
            kind_shares: KindShares::default(),
        }
    }

    /// Sets the weights of the scorers for kinds of pages in the log odds; to be called before any block is added.
    pub fn set_kind_shares(&mut self, shares: KindShares) {
        self.kind_shares = shares;
    }

    /// Computes and stores the log odds of a batch of blocks. Doubtful blocks are set aside for the trees to judge.
    pub fn add(&mut self, columns: &Columns) {
        let (values, lanes) = (columns.values(), columns.blocks().len().min(LANES));
        let Compiled { parts, band, .. } = self.compiled;
        let mut sums = [0.0; LANES];
        let mut first = None;
        // Of the trees that are asked later, if at all.
        let mut put_off = 0.0;
        for (share, part) in parts {
            if band.is_some() && part.is_trees() {
                put_off += share;
                continue;
            }
            let part_odds = self.compiled.log_odds(part, values, lanes);
            first.get_or_insert(part_odds);
            add(&mut sums, *share, &part_odds);
        }
        let rest = self.rest();
        sums.iter_mut().for_each(|sum| *sum *= rest);
        for (share, kind) in self.kind_shares.iter().zip(&self.compiled.kinds).filter(|(share, _)| **share > 0.0) {
            add(&mut sums, *share, &self.compiled.log_odds(kind, values, lanes));
        }
        let blocks = columns.blocks();
        let (Some(band), Some(first)) = (band, first) else {
            for (block, sum) in blocks.iter().zip(sums) {
                self.set(*block, sum);
            }
            return;
        };
        let mut doubtful = [0; LANES];
        let mut len = 0;
        for (lane, ((sum, first), block)) in sums.iter().zip(first).zip(blocks).enumerate() {
            // What is no number is in doubt.
            let is_sure = first.abs() >= *band;
            // Where the first part is not in doubt, it stands for the trees.
            self.set(*block, if is_sure { sum + rest * put_off * first } else { *sum });
            if let Some(place) = doubtful.get_mut(len) {
                *place = lane;
                len += usize::from(!is_sure);
            }
        }
        let mut rest = doubtful.get(..len).unwrap_or_default();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(LANES - self.waiting_blocks.len()));
            self.wait(values, now, blocks);
            rest = later;
            if self.waiting_blocks.len() == LANES {
                self.ask_trees();
            }
        }
    }

    /// Returns the weight of the scorers for all pages in the log odds: 1 minus those of scorers for kinds of pages.
    fn rest(&self) -> f32 {
        1.0 - self.kind_shares.iter().sum::<f32>()
    }

    /// Returns the log odds of a block; NaN if unknown. The trees' part is missing while a doubtful block awaits them.
    pub fn get(&self, block: u32) -> f32 {
        self.odds.get(block as usize).copied().unwrap_or(f32::NAN)
    }

    /// Sets the log odds of a block.
    pub fn set(&mut self, block: u32, odds: f32) {
        if let Some(known) = self.odds.get_mut(block as usize) {
            *known = odds;
        }
    }

    /// Copies the features of doubtful blocks to the batch that the trees will judge, which must have room for them.
    fn wait(&mut self, values: &[Lanes], lanes: &[usize], numbers: &[u32]) {
        let Self { waiting, waiting_blocks: blocks, .. } = self;
        if waiting.is_empty() {
            *waiting = Scratch::stale(values.len(), [0.0; LANES]);
        }
        for slot in &self.compiled.tree_slots {
            if let (Some(waiting_lanes), Some(values)) = (waiting.get_mut(*slot), values.get(*slot)) {
                let places = waiting_lanes.get_mut(blocks.len()..).unwrap_or_default();
                for (place, lane) in places.iter_mut().zip(lanes) {
                    // Lanes are numbered below 64.
                    *place = values[lane % LANES];
                }
            }
        }
        blocks.extend(lanes.iter().filter_map(|lane| numbers.get(*lane)).copied());
    }

    /// Lets the trees judge the blocks that were set aside, and adds the result to the log odds of these blocks.
    fn ask_trees(&mut self) {
        let rest = self.rest();
        let mut trees = [0.0; LANES];
        for (share, part) in self.compiled.parts.iter().filter(|(_, part)| part.is_trees()) {
            add(&mut trees, *share, &self.compiled.log_odds(part, &self.waiting, self.waiting_blocks.len()));
        }
        for (at, trees) in self.waiting_blocks.iter().zip(trees) {
            if let Some(odds) = self.odds.get_mut(*at as usize) {
                *odds += rest * trees;
            }
        }
        self.waiting_blocks.clear();
    }

    /// Lets the trees judge all doubtful blocks that are still set aside, so that all log odds are final.
    pub fn complete(&mut self) {
        if !self.waiting_blocks.is_empty() {
            self.ask_trees();
        }
    }

    /// Lets the trees judge the doubtful blocks that are still set aside, and returns the log odds of all blocks.
    pub fn finish(mut self) -> Vec<f32> {
        self.complete();
        self.odds
    }
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
        let compiled = Compiled::new(&parts, &[], schema.names().len(), [], None).unwrap();
        let mut found = PageOdds::new(&compiled, page.blocks.len());
        schema.each_batch(&page, None, compiled.columns(), |columns| found.add(columns));
        let found = found.finish();
        let expected: Vec<f32> =
            rows.iter().map(|row| parts_of().map(|(share, scorer)| share * scorer.log_odds(row)).sum()).collect();
        assert_eq!((found.len(), &found), (100, &expected));
        assert!(expected.iter().any(|odds| *odds != expected[0]));
    }

    /// Returns a tree with `leaves` leaves whose splits divide the leaves unevenly.
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
                let weighted: Vec<(f32, Scorer)> = parts.iter().map(|part| (part.share, part.scorer.clone())).collect();
                let found = Compiled::new(&weighted, &[], 3, [], band).unwrap().of_rows(&rows);
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
            let scorer = Scorer::Trees(trees);
            let value = |at: usize, of: usize| match at * of % 41 {
                40 => f32::NAN,
                value => value as f32 / 40.0,
            };
            let rows: Vec<[f32; 3]> = (0..300).map(|at| [value(at, 1), value(at, 17), value(at, 29)]).collect();
            let compiled = Compiled::new(&[(1.0, scorer.clone())], &[], 3, [], None).unwrap();
            let found = compiled.of_rows(&rows);
            let expected: Vec<f32> = rows.iter().map(|row| scorer.log_odds(row)).collect();
            assert_eq!(found, expected, "{leaves} leaves");
            let different: std::collections::BTreeSet<u32> = expected.iter().map(|odds| odds.to_bits()).collect();
            assert!(different.len() as u32 >= leaves.min(5), "{leaves} leaves");
        }
    }
}
