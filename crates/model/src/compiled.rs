//! Scorers laid out for speed. Rows are scored in batches turned on their side, so that a feature's
//! values of all rows lie next to each other: bins are then counted for all of them at once, and what
//! is looked up is looked up while it is in the cache. The log odds are the same as one row at a time.

use crate::additive::Additive;
use crate::file::Scorer;
use crate::trees::{Node, Trees};

/// Rows of a batch.
const LANES: usize = 16;

/// A column's values in the rows of a batch.
type Lanes = [f32; LANES];

/// The rows of a batch, column by column.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    columns: Vec<Lanes>,
}

impl Batch {
    /// Takes in a row.
    fn set(&mut self, lane: usize, row: &[f32]) {
        self.columns.resize(row.len(), [0.0; LANES]);
        for (column, value) in self.columns.iter_mut().zip(row) {
            if let Some(slot) = column.get_mut(lane) {
                *slot = *value;
            }
        }
    }

    fn column(&self, column: u16) -> &Lanes {
        const ZEROS: Lanes = [0.0; LANES];
        self.columns.get(usize::from(column)).unwrap_or(&ZEROS)
    }
}

/// One table of an additive model: of a single column, or of two.
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
    tables: Vec<Table>,
    edges: Vec<f32>,
    weights: Vec<f32>,
}

/// Boosted trees: the left child of a node is the next one.
#[derive(Clone, Debug, Default)]
struct Forest {
    base: f32,
    nodes: Vec<Flat>,
    roots: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Flat {
    /// Threshold, or the answer of a leaf.
    value: f32,
    /// Node for larger values; 0 for a leaf.
    right: u32,
    column: u16,
}

/// The parts of a model, laid out.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    parts: Vec<(f32, Laid)>,
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
        let lay = |scorer: &Scorer| match scorer {
            Scorer::Additive(additive) => Tables::new(additive).map(Laid::Tables),
            Scorer::Trees(trees) => Forest::new(trees).map(Laid::Forest),
            Scorer::Linear(_) => None,
        };
        let parts = parts.map(|(share, scorer)| {
            let laid = lay(scorer).unwrap_or_else(|| Laid::Plain(scorer.clone()));
            (share, laid)
        });
        Self {
            parts: parts.collect(),
        }
    }

    /// Begins to score rows.
    pub fn scoring(&self) -> Scoring<'_> {
        Scoring {
            compiled: self,
            batch: Batch::default(),
            lanes: 0,
            plain: [0.0; LANES],
            done: Vec::new(),
        }
    }
}

impl Scoring<'_> {
    /// Takes in the next row.
    pub fn push(&mut self, row: &[f32]) {
        self.batch.set(self.lanes, row);
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
        for (share, laid) in &self.compiled.parts {
            let own = match laid {
                Laid::Tables(tables) => tables.log_odds(&self.batch),
                Laid::Forest(forest) => forest.log_odds(&self.batch, self.lanes),
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

impl Tables {
    /// `None` if the model is too large to be laid out.
    fn new(model: &Additive) -> Option<Self> {
        let mut tables = Self {
            intercept: model.intercept,
            ..Self::default()
        };
        for own in &model.steps {
            let columns = (own.column, own.column);
            tables.push(columns, &own.edges, &[], &own.weights)?;
        }
        for own in &model.crosses {
            tables.push(own.columns, &own.edges.0, &own.edges.1, &own.weights)?;
        }
        Some(tables)
    }

    fn push(
        &mut self,
        columns: (u16, u16),
        first: &[f32],
        second: &[f32],
        weights: &[f32],
    ) -> Option<()> {
        self.tables.push(Table {
            columns,
            edges: (
                u32::try_from(self.edges.len()).ok()?,
                u8::try_from(first.len()).ok()?,
                u8::try_from(second.len()).ok()?,
            ),
            weights: u32::try_from(self.weights.len()).ok()?,
        });
        self.edges.extend_from_slice(first);
        self.edges.extend_from_slice(second);
        self.weights.extend_from_slice(weights);
        Some(())
    }

    fn log_odds(&self, batch: &Batch) -> Lanes {
        let mut sums = [self.intercept; LANES];
        for table in &self.tables {
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
        sums
    }
}

/// Adds to each lane's cell the number of edges below its value.
fn count(edges: &[f32], values: &Lanes, cells: &mut [u32; LANES]) {
    for edge in edges {
        for (cell, value) in cells.iter_mut().zip(values) {
            *cell += u32::from(*edge < *value);
        }
    }
}

impl Forest {
    /// `None` if a path does not end at a leaf of the list.
    fn new(trees: &Trees) -> Option<Self> {
        let mut forest = Self {
            base: trees.base,
            ..Self::default()
        };
        for root in &trees.roots {
            forest.roots.push(u32::try_from(forest.nodes.len()).ok()?);
            // Nodes yet to be written, with the node whose right child each is.
            let mut next: Vec<(u32, Option<usize>)> = vec![(*root, None)];
            while let Some((at, parent)) = next.pop() {
                let place = forest.nodes.len();
                if let Some(parent) = parent.and_then(|parent| forest.nodes.get_mut(parent)) {
                    parent.right = u32::try_from(place).ok()?;
                }
                match trees.nodes.get(at as usize)? {
                    Node::Leaf { value } => forest.nodes.push(Flat {
                        value: *value,
                        right: 0,
                        column: 0,
                    }),
                    Node::Split {
                        column,
                        threshold,
                        left,
                        right,
                    } => {
                        forest.nodes.push(Flat {
                            value: *threshold,
                            right: 0,
                            column: *column,
                        });
                        next.push((*right, Some(place)));
                        next.push((*left, None));
                    }
                }
            }
        }
        Some(forest)
    }

    fn log_odds(&self, batch: &Batch, lanes: usize) -> Lanes {
        let mut sums = [self.base; LANES];
        for root in &self.roots {
            for (lane, sum) in sums.iter_mut().enumerate().take(lanes) {
                let mut at = *root as usize;
                while let Some(node) = self.nodes.get(at) {
                    if node.right == 0 {
                        *sum += node.value;
                        break;
                    }
                    let value = batch.column(node.column).get(lane).copied().unwrap_or(0.0);
                    // Kept as a choice of numbers, not of ways: the way is hard to predict.
                    let left = at + 1;
                    at = if value <= node.value {
                        left
                    } else {
                        node.right as usize
                    };
                }
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::{Cross, Steps};
    use trommel_features::{Group, Schema};
    use trommel_html::{Engine, Limits, LolEngine};

    #[test]
    fn the_layout_changes_nothing() {
        let additive = Additive {
            intercept: -0.5,
            steps: vec![
                Steps {
                    column: 1,
                    edges: vec![0.0, 1.0, 2.5],
                    weights: vec![1.0, 2.0, 4.0, 8.0],
                },
                Steps {
                    column: 0,
                    edges: vec![],
                    weights: vec![0.25],
                },
            ],
            crosses: vec![Cross {
                columns: (3, 2),
                edges: (vec![0.1], vec![2.0, 4.0]),
                weights: vec![16.0, 32.0, 64.0, 128.0, 256.0, 512.0],
            }],
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
        let rows = Schema::new(&[Group::Shallow], &[], &[], &[]).rows(&page, None);
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
}
