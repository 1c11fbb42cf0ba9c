//! An additive model laid out for scoring: all edges and weights in one place each, bins counted
//! without branches.

use crate::additive::Additive;

/// One table: of a single column, or of two.
#[derive(Clone, Copy, Debug)]
struct Table {
    columns: (u16, u16),
    /// First edge, and number of edges of the first and of the second column.
    edges: (u32, u8, u8),
    /// First weight.
    weights: u32,
}

/// An [`Additive`] model ready to score rows. It gives the same log odds up to the order of addition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compiled {
    intercept: f32,
    tables: Vec<Table>,
    edges: Vec<f32>,
    weights: Vec<f32>,
}

impl Compiled {
    /// Lays out a sound model; `None` if it is too large for that.
    pub fn new(model: &Additive) -> Option<Self> {
        let mut compiled = Self {
            intercept: model.intercept,
            ..Self::default()
        };
        for own in &model.steps {
            let columns = (own.column, own.column);
            compiled.push(columns, &own.edges, &[], &own.weights)?;
        }
        for own in &model.crosses {
            compiled.push(own.columns, &own.edges.0, &own.edges.1, &own.weights)?;
        }
        Some(compiled)
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

    /// Log odds of a row. A column that the row does not have is taken for 0.
    pub fn log_odds(&self, row: &[f32]) -> f32 {
        let value = |column: u16| row.get(usize::from(column)).copied().unwrap_or(0.0);
        let mut sum = self.intercept;
        for table in &self.tables {
            let (start, first, second) = table.edges;
            let edges = self.edges.get(start as usize..).unwrap_or_default();
            let (own, rest) = edges
                .split_at_checked(usize::from(first))
                .unwrap_or_default();
            let mut cell = bin(own, value(table.columns.0));
            if second > 0 {
                let other = rest.get(..usize::from(second)).unwrap_or_default();
                cell = cell * (usize::from(second) + 1) + bin(other, value(table.columns.1));
            }
            let at = table.weights as usize + cell;
            sum += self.weights.get(at).copied().unwrap_or(0.0);
        }
        sum
    }
}

/// Number of edges below a value: counting all of them is faster than a search that mispredicts.
fn bin(edges: &[f32], value: f32) -> usize {
    edges.iter().map(|edge| usize::from(*edge < value)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::{Cross, Steps};

    #[test]
    fn the_layout_changes_nothing() {
        let model = Additive {
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
                columns: (2, 0),
                edges: (vec![0.5], vec![-1.0, 1.0]),
                weights: vec![16.0, 32.0, 64.0, 128.0, 256.0, 512.0],
            }],
        };
        let compiled = Compiled::new(&model).unwrap();
        for a in [-2.0, -1.0, 0.0, 1.0, 1.5, f32::NAN] {
            for b in [-1.0, 0.0, 0.5, 3.0] {
                for c in [0.5, 0.6] {
                    let row = [a, b, c];
                    assert_eq!(compiled.log_odds(&row), model.log_odds(&row), "{row:?}");
                }
            }
        }
        assert_eq!(compiled.log_odds(&[]), model.log_odds(&[]));
    }
}
