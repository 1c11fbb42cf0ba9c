//! Scorers laid out for speed. They read features as columns, for many blocks at a time, in the widest vectors.
//!
//! The log odds of a part equal those of one row at a time to the last bit. Weights of additive models are whole
//! units, which have the same sum in any order, and trees are summed in the order of the model file.
//!
//! The log odds of a page's blocks are computed batch by batch. Trees are asked only about blocks about which the
//! first part of the model is in doubt, if the model says what doubt is: these blocks wait until they fill a batch,
//! and their sum is added last.

mod forest;
mod planes;

use rustc_hash::FxHashMap;
use trommel_text::vectors::Vectors;

use crate::features::{ColumnSet, Columns, LANES, Lanes, Scratch};
use crate::file::{KindShares, Scorer};
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
    /// Log odds of the first part within which trees are asked; none if they are asked about every block.
    band: Option<f32>,
    /// The scorers of kinds of pages.
    kinds: Vec<CompiledScorer>,
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
    /// Lays out valid parts over a schema of `width` columns, and the scorers of kinds of pages. The columns `beside`
    /// are computed as well. Trees judge only blocks about which the first part is in doubt, by this `band`.
    pub fn new<'a>(
        parts: impl Iterator<Item = (f32, &'a Scorer)>,
        kinds: impl Iterator<Item = &'a Scorer>,
        width: usize,
        beside: impl Iterator<Item = u16>,
        band: Option<f32>,
    ) -> Self {
        // All parts share the slots, so a column that several parts ask for is computed once.
        let mut asked = RequestedColumns::default();
        let parts: Vec<(f32, &Scorer)> = parts.collect();
        let kinds: Vec<&Scorer> = kinds.collect();
        // In the order of the schema, so that the columns of a group stand side by side.
        let mut columns = Vec::new();
        for scorer in parts.iter().map(|(_, scorer)| *scorer).chain(kinds.iter().copied()) {
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
        let kinds: Vec<(&Scorer, Option<CompiledScorer>)> =
            kinds.into_iter().map(|scorer| (scorer, lay(scorer))).collect();
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
        let kinds = kinds.into_iter().map(|(scorer, laid)| or_plain(scorer, laid)).collect();
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
        Self { parts, vectors: Vectors::default(), columns, band, kinds, tree_slots }
    }

    /// The columns to compute.
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

/// The log odds of the blocks that have come.
pub(crate) struct PageOdds<'m> {
    compiled: &'m Compiled,
    /// Log odds of each block; NaN until it is judged.
    odds: Vec<f32>,
    waiting: WaitingBlocks,
    /// Shares of the scorers of kinds of pages; 0 without them.
    kind_shares: KindShares,
}

/// Blocks that wait for the trees.
#[derive(Default)]
struct WaitingBlocks {
    /// Their columns; empty if none has waited yet.
    values: Scratch<Lanes>,
    /// Their numbers among the log odds, by lanes.
    blocks: Scratch<u32>,
}

impl<'m> PageOdds<'m> {
    /// Creates the log odds of `blocks` blocks, none of them computed.
    pub fn new(compiled: &'m Compiled, blocks: usize) -> Self {
        Self {
            compiled,
            odds: vec![f32::NAN; blocks],
            waiting: WaitingBlocks::default(),
            kind_shares: KindShares::default(),
        }
    }

    /// Sets the shares of the scorers of kinds of pages, before the first block is added.
    pub fn set_kind_shares(&mut self, shares: KindShares) {
        self.kind_shares = shares;
    }

    /// Adds the blocks of a batch.
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
            for (sum, value) in sums.iter_mut().zip(part_odds) {
                *sum += share * value;
            }
        }
        let rest = self.rest();
        sums.iter_mut().for_each(|sum| *sum *= rest);
        for (share, kind) in self.kind_shares.iter().zip(&self.compiled.kinds).filter(|(share, _)| **share > 0.0) {
            let kind_odds = self.compiled.log_odds(kind, values, lanes);
            for (sum, value) in sums.iter_mut().zip(kind_odds) {
                *sum += share * value;
            }
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
            let (now, later) = rest.split_at(rest.len().min(LANES - self.waiting.blocks.len()));
            self.wait(values, now, blocks);
            rest = later;
            if self.waiting.blocks.len() == LANES {
                self.ask_trees();
            }
        }
    }

    /// Share of the parts that judge all pages.
    fn rest(&self) -> f32 {
        1.0 - self.kind_shares.iter().sum::<f32>()
    }

    /// The log odds of a block, no number if none are known. Those of blocks that wait are not complete.
    pub fn get(&self, block: u32) -> f32 {
        self.odds.get(block as usize).copied().unwrap_or(f32::NAN)
    }

    /// Sets the log odds of a block.
    pub fn set(&mut self, block: u32, odds: f32) {
        if let Some(known) = self.odds.get_mut(block as usize) {
            *known = odds;
        }
    }

    /// Lets these lanes wait; there is room for them.
    fn wait(&mut self, values: &[Lanes], lanes: &[usize], numbers: &[u32]) {
        let WaitingBlocks { values: waiting, blocks } = &mut self.waiting;
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

    /// Adds the log odds of the trees to the waiting blocks.
    fn ask_trees(&mut self) {
        let rest = self.rest();
        let WaitingBlocks { values, blocks } = &mut self.waiting;
        let compiled = self.compiled;
        let mut trees = [0.0; LANES];
        for (share, part) in compiled.parts.iter().filter(|(_, part)| part.is_trees()) {
            let part_odds = compiled.log_odds(part, values, blocks.len());
            for (sum, value) in trees.iter_mut().zip(part_odds) {
                *sum += share * value;
            }
        }
        for (at, trees) in blocks.iter().zip(trees) {
            if let Some(odds) = self.odds.get_mut(*at as usize) {
                *odds += rest * trees;
            }
        }
        blocks.clear();
    }

    /// Asks the trees about the blocks that wait.
    pub fn complete(&mut self) {
        if !self.waiting.blocks.is_empty() {
            self.ask_trees();
        }
    }

    /// The log odds of all blocks.
    pub fn finish(mut self) -> Vec<f32> {
        self.complete();
        self.odds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::{Additive, Cross, StepFunction};
    use crate::additive::{TreeNode, Trees};
    use crate::features::{FeatureGroup, LANES, Schema};
    use crate::file::WeightedScorer;
    use crate::scorer::log_odds_of_parts;
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
        let compiled = Compiled::new(parts_of(), std::iter::empty(), schema.names().len(), std::iter::empty(), None);
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
                let found = Compiled::new(weighted, std::iter::empty(), 3, std::iter::empty(), band).of_rows(&rows);
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
            let compiled = Compiled::new([(1.0, &scorer)].into_iter(), std::iter::empty(), 3, std::iter::empty(), None);
            let found = compiled.of_rows(&rows);
            let expected: Vec<f32> = rows.iter().map(|row| scorer.log_odds(row)).collect();
            assert_eq!(found, expected, "{leaves} leaves");
            let different: std::collections::BTreeSet<u32> = expected.iter().map(|odds| odds.to_bits()).collect();
            assert!(different.len() as u32 >= leaves.min(5), "{leaves} leaves");
        }
    }
}
