//! Scorers laid out for speed. Rows are scored in batches turned on their side, so that a feature's
//! values of all rows lie next to each other: bins are then counted for all of them at once, and what
//! is looked up is looked up while it is in the cache. The log odds are the same as one row at a time.

use pulp::{Arch, NullaryFnOnce};
use rustc_hash::FxHashMap;

use crate::additive::Additive;
use crate::file::Scorer;
use crate::trees::{Node, Trees};

/// Rows of a batch: two of the widest vectors, as sums of one would wait for each other.
const LANES: usize = 32;

/// A column's values in the rows of a batch.
type Lanes = [f32; LANES];

/// The rows of a batch, column by column: those columns that are asked for.
#[derive(Debug)]
pub(crate) struct Batch {
    columns: Vec<Lanes>,
}

impl Batch {
    /// Takes in the columns `asked` of a row.
    fn set(&mut self, lane: usize, asked: &[u16], row: &[f32]) {
        for (column, at) in self.columns.iter_mut().zip(asked) {
            if let Some(slot) = column.get_mut(lane) {
                *slot = row.get(usize::from(*at)).copied().unwrap_or(0.0);
            }
        }
    }

    fn column(&self, column: u16) -> &Lanes {
        const ZEROS: Lanes = [0.0; LANES];
        self.columns.get(usize::from(column)).unwrap_or(&ZEROS)
    }
}

/// A table of one edge a column, as most are: a weight for each of the four answers.
#[derive(Clone, Copy, Debug)]
struct Quad {
    columns: (u16, u16),
    /// The edge of each column; infinite if it has none.
    edges: (f32, f32),
    /// Weights, the second column's bins side by side.
    weights: [f32; 4],
}

/// A table of more edges, of a single column or of two.
#[derive(Clone, Copy, Debug)]
struct Table {
    columns: (u16, u16),
    /// First edge, and number of edges of the first and of the second column.
    edges: (u32, u8, u8),
    /// First weight.
    weights: u32,
}

/// An additive model: all edges and weights in one place each.
#[derive(Clone, Debug, Default)]
struct Tables {
    intercept: f32,
    /// The tables in the order in which they are summed up: runs of quads, each with the table after it.
    runs: Vec<(Vec<Quad>, Option<Table>)>,
    edges: Vec<f32>,
    weights: Vec<f32>,
}

/// Boosted trees, scored without going down any: each split of a tree takes out the leaves that rows on
/// its right side cannot end at, and what a row ends at is the first leaf left (Lucchese et al.,
/// QuickScorer, SIGIR 2015, section 3).
#[derive(Clone, Debug, Default)]
struct Forest {
    base: f32,
    /// One past the last split of each tree, and its first leaf.
    trees: Vec<(u32, u32)>,
    splits: Vec<Split>,
    /// Answers, those of a tree from left to right.
    leaves: Vec<f32>,
}

/// Leaves of a tree at most: one a bit.
const LEAVES: u32 = u64::BITS;

#[derive(Clone, Copy, Debug)]
struct Split {
    threshold: f32,
    column: u16,
    /// The leaves that are left for values above the threshold: all but those on its left side.
    right: u64,
}

/// The parts of a model, laid out.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    parts: Vec<(f32, Laid)>,
    /// The widest vectors that the processor has.
    arch: Arch,
    /// Columns that the laid-out parts ask for, which they know by their places here.
    asked: Vec<u16>,
}

/// Scores rows as they come.
#[derive(Debug)]
pub(crate) struct Scoring<'a> {
    compiled: &'a Compiled,
    batch: Batch,
    /// Rows in the batch.
    lanes: usize,
    /// Log odds of them by the parts that are not laid out.
    plain: Lanes,
    done: Vec<f32>,
}

#[derive(Clone, Debug)]
enum Laid {
    Tables(Tables),
    Forest(Forest),
    /// As it stands.
    Plain(Scorer),
}

impl Compiled {
    /// Lays out sound parts.
    pub fn new<'a>(parts: impl Iterator<Item = (f32, &'a Scorer)>) -> Self {
        let mut asked = Asked::default();
        let mut lay = |scorer: &Scorer| match scorer {
            Scorer::Additive(additive) => Tables::new(additive, &mut asked).map(Laid::Tables),
            Scorer::Trees(trees) => Forest::new(trees, &mut asked).map(Laid::Forest),
            Scorer::Linear(_) => None,
        };
        let parts = parts.map(|(share, scorer)| {
            let laid = lay(scorer).unwrap_or_else(|| Laid::Plain(scorer.clone()));
            (share, laid)
        });
        Self {
            parts: parts.collect(),
            arch: Arch::new(),
            asked: asked.columns,
        }
    }

    /// Begins to score rows.
    pub fn scoring(&self) -> Scoring<'_> {
        Scoring {
            compiled: self,
            batch: Batch {
                columns: vec![[0.0; LANES]; self.asked.len()],
            },
            lanes: 0,
            plain: [0.0; LANES],
            done: Vec::new(),
        }
    }
}

impl Scoring<'_> {
    /// Takes in the next row.
    pub fn push(&mut self, row: &[f32]) {
        self.batch.set(self.lanes, &self.compiled.asked, row);
        let plain = self.compiled.parts.iter().map(|(share, laid)| match laid {
            Laid::Plain(scorer) => share * scorer.log_odds(row),
            _ => 0.0,
        });
        if let Some(slot) = self.plain.get_mut(self.lanes) {
            *slot = plain.sum();
        }
        self.lanes += 1;
        if self.lanes == LANES {
            self.flush();
        }
    }

    /// Log odds of all rows.
    pub fn finish(mut self) -> Vec<f32> {
        self.flush();
        self.done
    }

    fn flush(&mut self) {
        let mut sums = self.plain;
        let Compiled { parts, arch, .. } = self.compiled;
        for (share, laid) in parts {
            let own = match laid {
                Laid::Tables(tables) => arch.dispatch(AtWidth(tables, &self.batch)),
                Laid::Forest(forest) => arch.dispatch(AtWidth(forest, &self.batch)),
                Laid::Plain(_) => continue,
            };
            for (sum, own) in sums.iter_mut().zip(own) {
                *sum += share * own;
            }
        }
        self.done.extend(sums.iter().take(self.lanes));
        self.lanes = 0;
    }
}

/// What scores a batch in the same way whatever the width of vectors.
trait Wide {
    fn log_odds(&self, batch: &Batch) -> Lanes;
}

/// A scorer and its batch, to be compiled for each width of vectors. No closure, as the compiler need
/// not inline one, and then compiles it for the narrowest.
struct AtWidth<'a, S>(&'a S, &'a Batch);

impl<S: Wide> NullaryFnOnce for AtWidth<'_, S> {
    type Output = Lanes;

    #[inline(always)]
    fn call(self) -> Lanes {
        self.0.log_odds(self.1)
    }
}

/// Columns asked for so far, by their places.
#[derive(Default)]
struct Asked {
    columns: Vec<u16>,
    places: FxHashMap<u16, u16>,
}

impl Asked {
    /// Place of a column.
    fn place(&mut self, column: u16) -> u16 {
        let columns = &mut self.columns;
        *self.places.entry(column).or_insert_with(|| {
            columns.push(column);
            // As many places as there are columns at most, so that they can be counted.
            (columns.len() - 1) as u16
        })
    }
}

impl Tables {
    /// `None` if the model is too large to be laid out.
    fn new(model: &Additive, asked: &mut Asked) -> Option<Self> {
        let mut tables = Self {
            intercept: model.intercept,
            ..Self::default()
        };
        let mut quads = Vec::new();
        for own in &model.step_functions {
            let place = asked.place(own.column);
            tables.push(&mut quads, (place, place), (&own.edges, &[]), &own.weights)?;
        }
        for own in &model.crosses {
            let places = (asked.place(own.columns.0), asked.place(own.columns.1));
            let edges = (own.edges.0.as_slice(), own.edges.1.as_slice());
            tables.push(&mut quads, places, edges, &own.weights)?;
        }
        tables.runs.push((quads, None));
        Some(tables)
    }

    fn push(
        &mut self,
        quads: &mut Vec<Quad>,
        columns: (u16, u16),
        (first, second): (&[f32], &[f32]),
        weights: &[f32],
    ) -> Option<()> {
        let edge = |edges: &[f32]| edges.first().copied().unwrap_or(f32::INFINITY);
        let quad = match (first.len(), second.len(), weights) {
            (0, 0, [a]) => Some([*a; 4]),
            (1, 0, [a, b]) => Some([*a, *a, *b, *b]),
            (0, 1, [a, b]) => Some([*a, *b, *a, *b]),
            (1, 1, [a, b, c, d]) => Some([*a, *b, *c, *d]),
            _ => None,
        };
        if let Some(weights) = quad {
            quads.push(Quad {
                columns,
                edges: (edge(first), edge(second)),
                weights,
            });
            return Some(());
        }
        let table = Table {
            columns,
            edges: (
                u32::try_from(self.edges.len()).ok()?,
                u8::try_from(first.len()).ok()?,
                u8::try_from(second.len()).ok()?,
            ),
            weights: u32::try_from(self.weights.len()).ok()?,
        };
        self.runs.push((std::mem::take(quads), Some(table)));
        self.edges.extend_from_slice(first);
        self.edges.extend_from_slice(second);
        self.weights.extend_from_slice(weights);
        Some(())
    }

    #[inline(always)]
    fn add_table(&self, sums: &mut Lanes, table: &Table, batch: &Batch) {
        let (start, first, second) = table.edges;
        let edges = self.edges.get(start as usize..).unwrap_or_default();
        let (own, rest) = edges
            .split_at_checked(usize::from(first))
            .unwrap_or_default();
        let mut cells = [0u32; LANES];
        count(own, batch.column(table.columns.0), &mut cells);
        if second > 0 {
            let other = rest.get(..usize::from(second)).unwrap_or_default();
            cells
                .iter_mut()
                .for_each(|cell| *cell *= u32::from(second) + 1);
            count(other, batch.column(table.columns.1), &mut cells);
        }
        let weights = self
            .weights
            .get(table.weights as usize..)
            .unwrap_or_default();
        for (sum, cell) in sums.iter_mut().zip(cells) {
            *sum += weights.get(cell as usize).copied().unwrap_or(0.0);
        }
    }
}

impl Wide for Tables {
    // Inlined where the width of vectors is known.
    #[inline(always)]
    fn log_odds(&self, batch: &Batch) -> Lanes {
        let mut sums = [self.intercept; LANES];
        for (quads, table) in &self.runs {
            sums = add_quads(sums, quads, batch);
            if let Some(table) = table {
                self.add_table(&mut sums, table, batch);
            }
        }
        sums
    }
}

/// Adds the weights of tables of four, one after the other, to each lane's sum. Weights are chosen and
/// not looked up, so that this is done for several lanes at once.
#[inline(always)]
fn add_quads(mut sums: Lanes, quads: &[Quad], batch: &Batch) -> Lanes {
    for quad in quads {
        let (a, b) = (batch.column(quad.columns.0), batch.column(quad.columns.1));
        let [low_low, low_high, high_low, high_high] = quad.weights;
        let (edge_a, edge_b) = quad.edges;
        for lane in 0..LANES {
            let is_high = edge_b < b[lane];
            let low = if is_high { low_high } else { low_low };
            let high = if is_high { high_high } else { high_low };
            sums[lane] += if edge_a < a[lane] { high } else { low };
        }
    }
    sums
}

/// Adds to each lane's cell the number of edges below its value.
#[inline(always)]
fn count(edges: &[f32], values: &Lanes, cells: &mut [u32; LANES]) {
    for edge in edges {
        for lane in 0..LANES {
            cells[lane] += u32::from(*edge < values[lane]);
        }
    }
}

impl Forest {
    /// `None` if a path does not end at a leaf of the list, or a tree has too many leaves.
    fn new(trees: &Trees, asked: &mut Asked) -> Option<Self> {
        let mut forest = Self {
            base: trees.base,
            ..Self::default()
        };
        for root in &trees.roots {
            let first = forest.leaves.len();
            // What is yet to be written, the leftmost last: nodes, and splits whose left side is.
            let mut next = vec![Step::Node(*root)];
            while let Some(step) = next.pop() {
                let leaves = u32::try_from(forest.leaves.len() - first).ok()?;
                match step {
                    Step::Node(at) => match trees.nodes.get(at as usize)? {
                        Node::Leaf { value } if leaves < LEAVES => forest.leaves.push(*value),
                        Node::Leaf { .. } => return None,
                        Node::Split {
                            column,
                            threshold,
                            left,
                            right,
                        } => {
                            let split = Split {
                                threshold: *threshold,
                                column: asked.place(*column),
                                right: u64::MAX,
                            };
                            let passed = Step::Left { split, leaves };
                            next.extend([Step::Node(*right), passed, Step::Node(*left)]);
                        }
                    },
                    Step::Left {
                        split,
                        leaves: before,
                    } => {
                        let below =
                            |leaves: u32| 1u64.checked_shl(leaves).unwrap_or(0).wrapping_sub(1);
                        let right = !(below(leaves) & !below(before));
                        forest.splits.push(Split { right, ..split });
                    }
                }
            }
            let end = u32::try_from(forest.splits.len()).ok()?;
            forest.trees.push((end, u32::try_from(first).ok()?));
        }
        Some(forest)
    }
}

/// A step of laying out a tree.
enum Step {
    Node(u32),
    /// Of this split the left side has been written; so many leaves stood before it.
    Left {
        split: Split,
        leaves: u32,
    },
}

impl Wide for Forest {
    #[inline(always)]
    fn log_odds(&self, batch: &Batch) -> Lanes {
        let mut sums = [self.base; LANES];
        let mut splits = self.splits.iter();
        let mut done = 0;
        for (end, first) in &self.trees {
            let mut left = [u64::MAX; LANES];
            for split in splits.by_ref().take((end - done) as usize) {
                // Read before the loop: within it the compiler would gather them for each lane.
                let Split {
                    threshold,
                    column,
                    right,
                } = *split;
                let values = *batch.column(column);
                for lane in 0..LANES {
                    // What is no number goes right, as it does down a tree.
                    let stays = values[lane] <= threshold;
                    left[lane] &= if stays { u64::MAX } else { right };
                }
            }
            done = *end;
            for (sum, left) in sums.iter_mut().zip(left) {
                let leaf = *first as usize + left.trailing_zeros() as usize;
                *sum += self.leaves.get(leaf).copied().unwrap_or(0.0);
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::{Cross, StepFunction};
    use trommel_features::{FeatureGroup, Schema};
    use trommel_html::{Engine, Limits, LolEngine};

    #[test]
    fn the_layout_changes_nothing() {
        let additive = Additive {
            intercept: -0.5,
            step_functions: vec![
                StepFunction {
                    column: 1,
                    edges: vec![0.0, 1.0, 2.5],
                    weights: vec![1.0, 2.0, 4.0, 8.0],
                },
                StepFunction {
                    column: 0,
                    edges: vec![],
                    weights: vec![0.25],
                },
            ],
            crosses: vec![
                Cross {
                    columns: (3, 2),
                    edges: (vec![0.1], vec![2.0]),
                    weights: vec![0.5, 0.125, 3.0, 5.0],
                },
                Cross {
                    columns: (3, 2),
                    edges: (vec![0.1], vec![2.0, 4.0]),
                    weights: vec![16.0, 32.0, 64.0, 128.0, 256.0, 512.0],
                },
                Cross {
                    columns: (2, 3),
                    edges: (vec![], vec![0.1]),
                    weights: vec![7.0, 9.0],
                },
            ],
        };
        let split = |column, threshold, left, right| Node::Split {
            column,
            threshold,
            left,
            right,
        };
        let trees = Trees {
            base: 0.5,
            nodes: vec![
                split(2, 3.0, 2, 1),
                split(3, 0.5, 4, 3),
                Node::Leaf { value: 1.0 },
                Node::Leaf { value: 2.0 },
                Node::Leaf { value: 4.0 },
                Node::Leaf { value: 8.0 },
            ],
            roots: vec![0, 5],
        };
        // More blocks than one batch holds, of one to five words, every third linked.
        let html: String = (0..40)
            .map(|at| {
                let words = "word ".repeat(at % 5 + 1);
                match at % 3 {
                    0 => format!("<p><a href=x>{words}</a>"),
                    _ => format!("<p>{words}"),
                }
            })
            .collect();
        let page = LolEngine.read(&html, &Limits::default());
        let rows = Schema::new(&[FeatureGroup::Shallow], &[], &[], &[]).rows(&page, None);
        let parts = [
            (0.5, Scorer::Additive(additive)),
            (2.0, Scorer::Trees(trees)),
        ];
        let parts_of = || parts.iter().map(|(share, scorer)| (*share, scorer));
        let compiled = Compiled::new(parts_of());
        let mut scoring = compiled.scoring();
        rows.iter().for_each(|row| scoring.push(row));
        let found = scoring.finish();
        let expected: Vec<f32> = rows
            .iter()
            .map(|row| {
                parts_of()
                    .map(|(share, own)| share * own.log_odds(row))
                    .sum()
            })
            .collect();
        assert_eq!((found.len(), &found), (40, &expected));
        assert!(expected.iter().any(|odds| *odds != expected[0]));
    }

    /// A tree with so many leaves, each split at another place than the one before.
    fn tree(leaves: u32) -> Trees {
        let mut nodes = Vec::new();
        // Each split takes some leaves to its left and the rest to its right.
        let mut open = vec![(0, leaves)];
        nodes.push(Node::Leaf { value: 0.0 });
        while let Some((at, leaves)) = open.pop() {
            if leaves == 1 {
                nodes[at] = Node::Leaf {
                    value: at as f32 * 0.37 - 5.0,
                };
                continue;
            }
            let left = 1 + at as u32 * 7 % (leaves - 1);
            let first = nodes.len() as u32;
            nodes.extend([Node::Leaf { value: 0.0 }, Node::Leaf { value: 0.0 }]);
            nodes[at] = Node::Split {
                column: (at % 3) as u16,
                threshold: (at * 13 % 29) as f32 / 29.0,
                left: first,
                right: first + 1,
            };
            open.push((first as usize, left));
            open.push((first as usize + 1, leaves - left));
        }
        Trees {
            base: 0.125,
            nodes,
            roots: vec![0],
        }
    }

    #[test]
    fn rows_end_at_the_leaves_that_the_way_down_leads_to() {
        for leaves in [1, 2, 3, 47, 63, 64, 65, 200] {
            let trees = tree(leaves);
            let is_laid_out = Forest::new(&trees, &mut Asked::default()).is_some();
            assert_eq!(is_laid_out, leaves <= LEAVES);
            let scorer = Scorer::Trees(trees);
            let compiled = Compiled::new([(1.0, &scorer)].into_iter());
            let mut scoring = compiled.scoring();
            let mut expected = Vec::new();
            for at in 0..300 {
                let value = |of: usize| match at * of % 41 {
                    40 => f32::NAN,
                    value => value as f32 / 40.0,
                };
                let row = [value(1), value(17), value(29)];
                scoring.push(&row);
                expected.push(scorer.log_odds(&row));
            }
            assert_eq!(scoring.finish(), expected, "{leaves} leaves");
            let different: std::collections::BTreeSet<u32> =
                expected.iter().map(|odds| odds.to_bits()).collect();
            assert!(different.len() as u32 >= leaves.min(5), "{leaves} leaves");
        }
    }
}
