//! An additive model as tables that many blocks look into at once.

use pulp::{Arch, Simd, WithSimd};
use trommel_features::{LANES, Lanes};

use super::Asked;
use crate::additive::Additive;

/// A table of one edge a column, as most are: a weight for each of the four answers.
#[derive(Clone, Copy, Debug)]
struct Quad {
    slots: (u16, u16),
    /// The edge of each column; infinite if it has none.
    edges: (f32, f32),
    /// Weights, the second column's bins side by side.
    weights: [f32; 4],
}

/// A table of more edges, of a single column or of two.
#[derive(Clone, Copy, Debug)]
struct ManyEdged {
    slots: (u16, u16),
    /// First edge, and number of edges of the first and of the second column.
    edges: (u32, u8, u8),
    /// First weight.
    weights: u32,
}

/// An additive model: all edges and weights in one place each.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    intercept: f32,
    /// The tables in the order in which they are summed up: runs of quads, each with the table after it.
    runs: Vec<(Vec<Quad>, Option<ManyEdged>)>,
    edges: Vec<f32>,
    weights: Vec<f32>,
}

impl Tables {
    /// `None` if the model is too large to be laid out.
    pub fn new(model: &Additive, asked: &mut Asked) -> Option<Self> {
        let mut tables = Self {
            intercept: model.intercept,
            ..Self::default()
        };
        let mut quads = Vec::new();
        for own in &model.step_functions {
            let slot = asked.slot(own.column);
            tables.push(&mut quads, (slot, slot), (&own.edges, &[]), &own.weights)?;
        }
        for own in &model.crosses {
            let slots = (asked.slot(own.columns.0), asked.slot(own.columns.1));
            let edges = (own.edges.0.as_slice(), own.edges.1.as_slice());
            tables.push(&mut quads, slots, edges, &own.weights)?;
        }
        tables.runs.push((quads, None));
        Some(tables)
    }

    fn push(
        &mut self,
        quads: &mut Vec<Quad>,
        slots: (u16, u16),
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
                slots,
                edges: (edge(first), edge(second)),
                weights,
            });
            return Some(());
        }
        let table = ManyEdged {
            slots,
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

    /// Log odds of each lane.
    pub fn log_odds(&self, arch: Arch, columns: &[Lanes]) -> Lanes {
        arch.dispatch(Sum {
            tables: self,
            columns,
        })
    }
}

/// The sum over all tables, compiled for each width of vectors.
struct Sum<'a> {
    tables: &'a Tables,
    columns: &'a [Lanes],
}

const ZEROS: Lanes = [0.0; LANES];

impl WithSimd for Sum<'_> {
    type Output = Lanes;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Lanes {
        let Self { tables, columns } = self;
        let mut sums = [tables.intercept; LANES];
        let column = |slot: u16| columns.get(usize::from(slot)).unwrap_or(&ZEROS);
        for (quads, table) in &tables.runs {
            for quad in quads {
                let (a, b) = (column(quad.slots.0), column(quad.slots.1));
                add_quad(simd, quad, a, b, &mut sums);
            }
            if let Some(table) = table {
                let (a, b) = (column(table.slots.0), column(table.slots.1));
                tables.add_many_edged(simd, table, a, b, &mut sums);
            }
        }
        sums
    }
}

/// Adds the weights of a table to each lane's sum. Weights are chosen and not looked up, so that this is
/// done for a vector of lanes at once.
#[inline(always)]
fn add_quad<S: Simd>(simd: S, quad: &Quad, a: &Lanes, b: &Lanes, sums: &mut Lanes) {
    let edges = (simd.splat_f32s(quad.edges.0), simd.splat_f32s(quad.edges.1));
    let [low_low, low_high, high_low, high_high] = quad.weights;
    let (low_low, low_high) = (simd.splat_f32s(low_low), simd.splat_f32s(low_high));
    let (high_low, high_high) = (simd.splat_f32s(high_low), simd.splat_f32s(high_high));
    let (a, b) = (S::as_simd_f32s(a).0, S::as_simd_f32s(b).0);
    for ((sum, a), b) in S::as_mut_simd_f32s(sums).0.iter_mut().zip(a).zip(b) {
        let is_high = simd.less_than_f32s(edges.1, *b);
        let low = simd.select_f32s(is_high, low_high, low_low);
        let high = simd.select_f32s(is_high, high_high, high_low);
        let is_high = simd.less_than_f32s(edges.0, *a);
        *sum = simd.add_f32s(*sum, simd.select_f32s(is_high, high, low));
    }
}

impl Tables {
    /// Adds the weights of a table of many edges, again by choosing: from low to high each edge that a
    /// value is above takes the place of what was chosen before.
    #[inline(always)]
    fn add_many_edged<S: Simd>(
        &self,
        simd: S,
        table: &ManyEdged,
        a: &Lanes,
        b: &Lanes,
        sums: &mut Lanes,
    ) {
        let (start, first, second) = table.edges;
        let edges = self.edges.get(start as usize..).unwrap_or_default();
        let (own, rest) = edges
            .split_at_checked(usize::from(first))
            .unwrap_or_default();
        let other = rest.get(..usize::from(second)).unwrap_or_default();
        let weights = self.weights.get(table.weights as usize..);
        let weights = weights.unwrap_or_default();
        // Vectors stand in the innermost loops, so that an edge is read once for all lanes.
        let (mut chosen, mut of_bin) = ([0.0; LANES], [0.0; LANES]);
        let bins = weights.chunks_exact(other.len() + 1);
        let bins = bins.zip(std::iter::once(f32::NEG_INFINITY).chain(own.iter().copied()));
        for (at, (weights, edge)) in bins.enumerate() {
            if let Some((lowest, weights)) = weights.split_first() {
                of_bin.fill(*lowest);
                for (edge, weight) in other.iter().zip(weights) {
                    choose_above(simd, *edge, b, simd.splat_f32s(*weight), &mut of_bin);
                }
            }
            if at == 0 {
                chosen = of_bin;
            } else {
                choose_lanes_above(simd, edge, a, &of_bin, &mut chosen);
            }
        }
        let chosen = S::as_simd_f32s(&chosen).0;
        for (sum, chosen) in S::as_mut_simd_f32s(sums).0.iter_mut().zip(chosen) {
            *sum = simd.add_f32s(*sum, *chosen);
        }
    }
}

/// Puts a weight in the place of what was chosen for each lane whose value is above an edge.
#[inline(always)]
fn choose_above<S: Simd>(simd: S, edge: f32, values: &Lanes, weight: S::f32s, chosen: &mut Lanes) {
    let edge = simd.splat_f32s(edge);
    let values = S::as_simd_f32s(values).0;
    for (chosen, value) in S::as_mut_simd_f32s(chosen).0.iter_mut().zip(values) {
        let is_above = simd.less_than_f32s(edge, *value);
        *chosen = simd.select_f32s(is_above, weight, *chosen);
    }
}

/// The same with a weight of its own for each lane.
#[inline(always)]
fn choose_lanes_above<S: Simd>(
    simd: S,
    edge: f32,
    values: &Lanes,
    weights: &Lanes,
    chosen: &mut Lanes,
) {
    let edge = simd.splat_f32s(edge);
    let (values, weights) = (S::as_simd_f32s(values).0, S::as_simd_f32s(weights).0);
    let all = S::as_mut_simd_f32s(chosen).0.iter_mut();
    for ((chosen, value), weight) in all.zip(values).zip(weights) {
        let is_above = simd.less_than_f32s(edge, *value);
        *chosen = simd.select_f32s(is_above, *weight, *chosen);
    }
}
