//! Additive models laid out as a series of questions, each asked about many blocks at once.
//!
//! A step function is a sum: one weight if the value is above its first edge, another if it is above the
//! second, and so on. A cross is the same for its rows and columns, with a weight for each pair of edges that
//! are both exceeded. So a model is a sum over questions (is the value of a column above an edge?) and pairs
//! of them. Many tables ask the same questions; here each is asked once.
//!
//! Weights are whole multiples of [`UNIT`](crate::additive::UNIT), so sums are whole numbers and the same in
//! any order.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use trommel_text::vectors::{ByteTask, Compare, Vectors};

use crate::additive::{Additive, UNIT};
use crate::features::{LANES, Lanes, Scratch};

/// A question (is the value above an edge?) with the weight that a yes adds.
#[derive(Clone, Debug)]
struct Question {
    edge: f32,
    // 16 bits hold twice as many lanes in a vector as 32; sums that could overflow begin a new run.
    weight: i16,
    /// Index at which the answer is stored for pairs with later questions; [`NOT_READ`] if there is no such pair.
    answer: u32,
    /// Pairs of this question with earlier ones, each with a weight that is added if both are answered yes.
    pairs: Vec<Pair>,
}

/// Weight that is added if both this question and an earlier one are answered yes.
#[derive(Clone, Copy, Debug)]
struct Pair {
    earlier: u32,
    weight: i16,
}

/// Value of `Question::answer` if the question is in no pair with a later one, so that its answer is not stored.
const NOT_READ: u32 = u32::MAX;

/// Questions whether one column's values exceed an edge, by ascending edge; once all answers are no, the rest are too.
#[derive(Clone, Debug)]
struct Run {
    slot: u16,
    questions: Vec<Question>,
    /// True if the 16-bit sums are added to the 32-bit totals after these questions, before they can overflow.
    ends_group: bool,
}

/// An additive model, laid out for computing the log odds of a batch of blocks at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Planes {
    intercept: i32,
    runs: Vec<Run>,
    /// Number of questions whose answers are stored because a pair with a later question needs them.
    answers: usize,
}

/// Sort key of a question (is a column's value above an edge?): column index, and edge as bits that sort alike.
type Key = (u16, u32);

const SIGN: u32 = 1 << 31;

fn key(slot: u16, edge: f32) -> Key {
    let bits = edge.to_bits();
    (slot, if bits & SIGN == 0 { bits | SIGN } else { !bits })
}

fn edge((_, bits): Key) -> f32 {
    f32::from_bits(if bits & SIGN == 0 { !bits } else { bits ^ SIGN })
}

/// Weights of questions (is a value above an edge?) and of pairs of questions, as whole numbers of [`UNIT`].
#[derive(Default)]
struct Summands {
    intercept: i64,
    single: BTreeMap<Key, i64>,
    paired: FxHashMap<(Key, Key), i64>,
}

/// Maximum sum of absolute weights (in whole units) that is certain to fit into 16 bits.
const MAX_GROUP_SUM: i64 = i16::MAX as i64;
/// Maximum integer up to which an `f32` holds every integer exactly.
// f32 has a mantissa of 24 bits. The sums become f32 at the end, and must do so without rounding.
const MAX_EXACT: u32 = 1 << 24;

/// Returns a weight as a number of units ([`UNIT`]); `None` if that is no whole number or exceeds [`MAX_EXACT`].
fn units(weight: f32) -> Option<i64> {
    let units = weight / UNIT;
    (units.fract() == 0.0 && units.abs() <= MAX_EXACT as f32).then_some(units as i64)
}

impl Summands {
    /// Adds a table of weights: one row per bin of the first column, one cell per bin of the second. Returns `None` if
    /// a weight is no whole number of units.
    fn add(&mut self, slots: (u16, u16), edges: (&[f32], &[f32]), weights: &[f32]) -> Option<()> {
        let units: Vec<i64> = weights.iter().map(|weight| units(*weight)).collect::<Option<_>>()?;
        let width = edges.1.len() + 1;
        let at = |row: usize, column: usize| units.get(row * width + column).copied();
        for row in 0..=edges.0.len() {
            for column in 0..width {
                let first = row.checked_sub(1).and_then(|row| edges.0.get(row));
                let second = column.checked_sub(1).and_then(|column| edges.1.get(column));
                let cell = at(row, column)?;
                let left = || at(row, column - 1);
                let above = || at(row - 1, column);
                match (first, second) {
                    (None, None) => self.intercept += cell,
                    (Some(edge), None) => self.add_single(key(slots.0, *edge), cell - above()?),
                    (None, Some(edge)) => self.add_single(key(slots.1, *edge), cell - left()?),
                    (Some(first), Some(second)) => {
                        // The pair adds only what neither of its edges explains alone.
                        let both = cell - above()? - left()? + at(row - 1, column - 1)?;
                        self.add_pair(key(slots.0, *first), key(slots.1, *second), both);
                    }
                }
            }
        }
        Some(())
    }

    fn add_single(&mut self, question: Key, units: i64) {
        *self.single.entry(question).or_default() += units;
    }

    fn add_pair(&mut self, first: Key, second: Key, units: i64) {
        // A cross of a column with itself can pair an edge with itself: both are passed wherever one is.
        if first == second {
            self.add_single(first, units);
        } else if units != 0 {
            // A pair needs the answers of both its questions, also where neither has a weight alone.
            self.add_single(first, 0);
            self.add_single(second, 0);
            let key = (first.min(second), first.max(second));
            *self.paired.entry(key).or_default() += units;
        }
    }
}

impl Planes {
    /// Lays out an additive model. Returns `None` if a weight is no whole multiple of a unit or the sums may exceed the
    /// integers that are exact as `f32`.
    pub fn new(model: &Additive) -> Option<Self> {
        let mut summands = Summands { intercept: units(model.intercept)?, ..Summands::default() };
        for step in &model.step_functions {
            summands.add((step.column, step.column), (&step.edges, &[]), &step.weights)?;
        }
        for cross in &model.crosses {
            let edges = (cross.edges.0.as_slice(), cross.edges.1.as_slice());
            summands.add(cross.columns, edges, &cross.weights)?;
        }
        summands.laid_out()
    }

    /// Returns the log odds of each block of a batch.
    pub fn log_odds(&self, vectors: Vectors, columns: &[Lanes]) -> Lanes {
        vectors.run(Sum { planes: self, columns })
    }
}

impl Summands {
    fn laid_out(self) -> Option<Planes> {
        let mut with_earlier: FxHashMap<Key, Vec<(Key, i64)>> = FxHashMap::default();
        let mut answers: FxHashMap<Key, u32> = FxHashMap::default();
        for ((earlier, later), units) in self.paired {
            if units != 0 {
                with_earlier.entry(later).or_default().push((earlier, units));
                answers.insert(earlier, NOT_READ);
            }
        }
        let mut planes = Planes { intercept: i32::try_from(self.intercept).ok()?, ..Planes::default() };
        // All that may add up, the intercept with it: a sum of units is then exact as a number of 32 bits.
        let mut rest = u64::from(MAX_EXACT.checked_sub(planes.intercept.unsigned_abs())?);
        let mut bound = 0i64;
        // The map is sorted, so the earlier question of each pair has its place already.
        for (key, weight) in self.single {
            let pairs = with_earlier.remove(&key).unwrap_or_default();
            let mut terms: Vec<(Option<u32>, i64)> = vec![(None, weight)];
            for (earlier, units) in pairs {
                terms.push((Some(*answers.get(&earlier)?), units));
            }
            // The hash map gave the pairs in any order; the laid-out model must not depend on it.
            terms.sort_unstable();
            let mut most = 0;
            for (_, units) in &terms {
                rest = rest.checked_sub(units.unsigned_abs())?;
                most += units.abs();
            }
            // A question stays whole if it fits into a group by itself: asking it twice costs a comparison.
            if bound + most > MAX_GROUP_SUM && bound > 0 {
                planes.end_group();
                bound = 0;
            }
            let unasked = Question { edge: edge(key), weight: 0, answer: NOT_READ, pairs: Vec::new() };
            let mut question = unasked.clone();
            if let Some(answer) = answers.get_mut(&key) {
                *answer = planes.answers as u32;
                question.answer = *answer;
                planes.answers += 1;
            }
            for (earlier, mut units) in terms {
                loop {
                    let room = MAX_GROUP_SUM - bound;
                    let taken = units.clamp(-room, room) as i16;
                    match earlier {
                        None => question.weight = taken,
                        Some(earlier) => question.pairs.push(Pair { earlier, weight: taken }),
                    }
                    bound += i64::from(taken).abs();
                    units -= i64::from(taken);
                    if units == 0 {
                        break;
                    }
                    // What 16 bits do not hold is asked for once more in the next group.
                    planes.push(key.0, std::mem::replace(&mut question, unasked.clone()));
                    planes.end_group();
                    bound = 0;
                }
            }
            planes.push(key.0, question);
        }
        planes.end_group();
        Some(planes)
    }
}

impl Planes {
    fn push(&mut self, slot: u16, question: Question) {
        match self.runs.last_mut() {
            Some(run) if run.slot == slot && !run.ends_group => run.questions.push(question),
            _ => self.runs.push(Run { slot, questions: vec![question], ends_group: false }),
        }
    }

    fn end_group(&mut self) {
        if let Some(run) = self.runs.last_mut() {
            run.ends_group = true;
        }
    }
}

/// Task that computes an additive model's log odds for a batch of blocks, compiled for each width of vectors.
struct Sum<'a> {
    planes: &'a Planes,
    columns: &'a [Lanes],
}

const ZEROS: Lanes = [0.0; LANES];

impl ByteTask for Sum<'_> {
    type Output = Lanes;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> Lanes {
        let Self { planes, columns } = self;
        let none = form.above(&ZEROS, 0.0);
        // Not cleared: every answer is written before a later pair reads it.
        let mut answers = Scratch::stale(planes.answers, none);
        let answers = answers.as_mut_slice();
        let mut totals = [planes.intercept; LANES];
        let mut sums = form.in_all(0);
        for run in &planes.runs {
            let lanes = columns.get(usize::from(run.slot)).unwrap_or(&ZEROS);
            // The highest number in a column: no lane is above an edge from there on. Columns of pages and of kinds
            // of elements have 0 in most batches.
            let highest = form.highest(lanes);
            let mut questions = run.questions.iter();
            for question in questions.by_ref() {
                if question.edge >= highest {
                    if let Some(answer) = answers.get_mut(question.answer as usize) {
                        *answer = none;
                    }
                    break;
                }
                let chosen = form.above(lanes, question.edge);
                let mut inner = form.in_all(question.weight);
                for pair in &question.pairs {
                    if let Some(earlier) = answers.get(pair.earlier as usize) {
                        inner = form.add(inner, *earlier, pair.weight);
                    }
                }
                sums = form.add_sums(sums, chosen, inner);
                if let Some(answer) = answers.get_mut(question.answer as usize) {
                    *answer = chosen;
                }
            }
            for question in questions {
                if let Some(answer) = answers.get_mut(question.answer as usize) {
                    *answer = none;
                }
            }
            if run.ends_group {
                // The bound on the weights of a group guarantees that 16 bits have not overflowed until here.
                form.pour(sums, &mut totals);
                sums = form.in_all(0);
            }
        }
        let mut odds = ZEROS;
        for (odds, total) in odds.iter_mut().zip(totals) {
            *odds = total as f32 * UNIT;
        }
        odds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::{Cross, StepFunction};
    use crate::compiled::Compiled;
    use crate::file::Scorer;

    /// Returns a pseudorandom number from 0 to below `below`, and advances `state`.
    fn drawn(state: &mut u64, below: usize) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*state >> 33) as usize % below
    }

    fn edges(state: &mut u64, most: usize) -> Vec<f32> {
        let mut edges: Vec<f32> = (0..drawn(state, most + 1)).map(|_| drawn(state, 9) as f32 - 4.0).collect();
        edges.sort_by(f32::total_cmp);
        edges.dedup();
        edges
    }

    fn weights(state: &mut u64, len: usize) -> Vec<f32> {
        (0..len).map(|_| (drawn(state, 2001) as f32 - 1000.0) * UNIT).collect()
    }

    /// Returns a random model of many tables over five columns, so that tables share questions.
    fn model(state: &mut u64) -> Additive {
        let step_functions = (0..20).map(|at| {
            let edges = edges(state, 4);
            StepFunction { column: at % 5, weights: weights(state, edges.len() + 1), edges }
        });
        let step_functions = step_functions.collect();
        let crosses = (0..60).map(|at| {
            let edges = (edges(state, 3), edges(state, 3));
            Cross {
                columns: (at % 5, at / 5 % 5),
                weights: weights(state, (edges.0.len() + 1) * (edges.1.len() + 1)),
                edges,
            }
        });
        Additive { intercept: -3.0, crosses: crosses.collect(), step_functions }
    }

    #[test]
    fn planes_add_up_to_the_tables() {
        let mut state = 7;
        for _ in 0..10 {
            let model = model(&mut state);
            let planes = Planes::new(&model).unwrap();
            // Sums that one number of 16 bits would not hold.
            let groups = planes.runs.iter().filter(|run| run.ends_group).count();
            assert!(groups > 1, "{groups}");
            let rows: Vec<[f32; 5]> = (0..200)
                .map(|_| {
                    std::array::from_fn(|_| match drawn(&mut state, 40) {
                        39 => f32::NAN,
                        38 => f32::INFINITY,
                        37 => f32::NEG_INFINITY,
                        value => value as f32 / 4.0 - 4.75,
                    })
                })
                .collect();
            let scorer = Scorer::Additive(model.clone());
            let compiled = Compiled::new(&[(1.0, scorer)], &[], 5, [], None).unwrap();
            let found = compiled.of_rows(&rows);
            let expected: Vec<f32> = rows.iter().map(|row| model.log_odds(row)).collect();
            assert_eq!(found, expected);
            // And each form by itself.
            let columns: Vec<Lanes> = (0..5).map(|column| std::array::from_fn(|lane| rows[lane][column])).collect();
            for vectors in Vectors::available() {
                let found = planes.log_odds(vectors, &columns);
                assert_eq!(found[..], expected[..LANES], "{vectors:?}");
            }
        }
    }

    #[test]
    fn questions_are_asked_once() {
        let cross =
            |columns, weights: [f32; 4]| Cross { columns, edges: (vec![1.0], vec![2.0]), weights: weights.to_vec() };
        let model = Additive {
            crosses: vec![
                cross((0, 1), [0.0, 1.0, 1.0, 2.0]),
                cross((0, 1), [0.0, 0.0, 0.0, 0.5]),
                cross((0, 2), [0.0, 0.0, 0.25, 0.25]),
            ],
            ..Additive::default()
        };
        let planes = Planes::new(&model).unwrap();
        let questions = planes.runs.iter().flat_map(|run| run.questions.iter().map(|question| (run.slot, question)));
        let weights: Vec<(u16, f32)> =
            questions.clone().map(|(slot, question)| (slot, f32::from(question.weight) * UNIT)).collect();
        // The first table and the last are sums of their sides, so only the second is a pair.
        assert_eq!(weights, [(0, 1.25), (1, 1.0), (2, 0.0)]);
        let pairs: Vec<Pair> = questions.flat_map(|(_, question)| question.pairs.clone()).collect();
        assert_eq!(pairs.len(), 1);
        assert_eq!(f32::from(pairs[0].weight) * UNIT, 0.5);
        assert_eq!(planes.answers, 1, "only the answer that the pair reads is kept");
    }

    #[test]
    fn weights_beyond_16_bits_are_divided() {
        let of = |weight: f32| Additive {
            step_functions: vec![StepFunction { column: 0, edges: vec![0.0], weights: vec![0.0, weight] }],
            ..Additive::default()
        };
        // Steps of 5 log odds up and down on one column, all of them paired with one question of the other.
        let steps = 120;
        let side =
            |lower: f32, upper: f32| (0..=steps).flat_map(move |at| [0.0, if at % 2 == 0 { lower } else { upper }]);
        let paired = Additive {
            intercept: 1.0,
            step_functions: vec![],
            crosses: vec![Cross {
                columns: (1, 0),
                edges: ((0..steps).map(|at| at as f32).collect(), vec![0.0]),
                weights: side(-2.5, 2.5).collect(),
            }],
        };
        let rows: Vec<[f32; 2]> = (0..LANES).map(|at| [(at % 3) as f32 - 1.0, at as f32 * 2.0 - 3.5]).collect();
        for model in [of(7.5), of(8.0), of(-3000.0), paired] {
            let planes = Planes::new(&model).unwrap();
            let columns: Vec<Lanes> = (0..2).map(|column| std::array::from_fn(|lane| rows[lane][column])).collect();
            let expected: Vec<f32> = rows.iter().map(|row| model.log_odds(row)).collect();
            for vectors in Vectors::available() {
                assert_eq!(planes.log_odds(vectors, &columns)[..], expected[..]);
            }
        }
        assert!(Planes::new(&of(4097.0)).is_none(), "no longer exact");
    }

    #[test]
    fn weights_are_whole_units_once_rounded() {
        let of = |weight: f32| Additive { intercept: weight, ..Additive::default() };
        assert!(Planes::new(&of(UNIT / 2.0)).is_none());
        let mut rounded = of(UNIT * 10.6);
        rounded.round();
        assert_eq!(rounded, of(UNIT * 11.0));
        assert!(Planes::new(&rounded).is_some());
    }
}
