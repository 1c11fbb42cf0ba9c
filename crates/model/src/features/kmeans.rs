//! k-means without randomness: the first centres come from a farthest-first traversal, and ties go to the first.

use crate::features::scratch::{Scratch, count_work};

/// Maximum number of rounds of k-means, after which the centres are final.
// A bound, so that time is linear in the points whatever they are; most pages take a few rounds.
const MAX_ROUNDS: usize = 50;
/// Distance below which all centres must move in a round for k-means to end, in the units of the points.
// In characters a tag, where differences of a thousandth decide nothing.
const TOLERANCE: f32 = 1e-3;

/// Chooses `k` centres: `first`, then repeatedly the point farthest from all centres so far, the first of equally far
/// ones. If all points are centres already, `first` is repeated. Time is `k` times the number of points.
#[inline(always)]
pub fn farthest_first<const D: usize>(points: &[[f32; D]], first: [f32; D], k: usize) -> Vec<[f32; D]> {
    let mut centres = vec![first; k.min(1)];
    let mut nearest = Scratch::filled(points.len(), f32::INFINITY);
    let mut last = first;
    while centres.len() < k {
        let mut best = (first, 0.0);
        for (point, nearest) in points.iter().zip(&mut nearest) {
            // Squares order points as distances do, without a root for each.
            *nearest = nearest.min(square(point, &last));
            if *nearest > best.1 {
                best = (*point, *nearest);
            }
        }
        last = best.0;
        centres.push(last);
    }
    centres
}

/// Returns the index of the centre nearest to `point`, the first of equally near ones; 0 without centres.
pub fn nearest_centre<const D: usize>(centres: &[[f32; D]], point: &[f32; D]) -> usize {
    let mut best = (0, f32::INFINITY);
    for (at, centre) in centres.iter().enumerate() {
        let distance = square(point, centre);
        if distance < best.1 {
            best = (at, distance);
        }
    }
    best.0
}

/// Runs k-means: moves each centre to the mean of its points until all centres nearly stand still, for at most 50
/// rounds. Returns the index of the centre of each point.
///
/// The first `fixed` centres are never moved. A centre that loses all its points stays where it is.
#[inline(always)]
pub fn kmeans<const D: usize>(points: &[[f32; D]], centres: &mut [[f32; D]], fixed: usize) -> Vec<usize> {
    let mut nearest = Nearest::new(points, centres, fixed);
    let mut sums = vec![([0.0f64; D], 0.0f64); centres.len()];
    for round in 0..MAX_ROUNDS {
        let is_same = !nearest.assign(centres);
        // In the first round nothing was assigned before, so equality would be chance.
        if is_same && round > 0 {
            // The same points give the same means: the centres stand still.
            return nearest.centres();
        }
        sums.fill(([0.0; D], 0.0));
        for (point, centre) in points.iter().zip(&nearest.assigned) {
            // Fixed centres have no use for their means.
            let centre = *centre as usize;
            if centre >= fixed
                && let Some((sum, count)) = sums.get_mut(centre)
            {
                for (sum, value) in sum.iter_mut().zip(point) {
                    *sum += f64::from(*value);
                }
                *count += 1.0;
            }
        }
        let mut shift = 0.0f32;
        for (centre, (sum, count)) in centres.iter_mut().zip(&sums).skip(fixed) {
            // A mean of no points would be NaN, and NaN would take over all later rounds.
            if *count > 0.0 {
                let moved = sum.map(|sum| (sum / *count) as f32);
                shift = shift.max(square(centre, &moved).sqrt());
                *centre = moved;
            }
        }
        if shift < TOLERANCE {
            break;
        }
    }
    nearest.assign(centres);
    nearest.centres()
}

/// Assignment of each point to its nearest centre, with buffers that are reused from round to round.
struct Nearest<const D: usize> {
    /// Coordinates of the points, one column per dimension, so that many points are compared at once.
    columns: [Scratch<f32>; D],
    assigned: Scratch<u32>,
    distances: Scratch<f32>,
    before: Scratch<u32>,
    /// Squared distance of each point to the centre that was measured last.
    new: Scratch<f32>,
    /// Squared distance of each point to the first centre, equal in all rounds; `None` if that centre is not fixed.
    to_first: Option<Scratch<f32>>,
}

impl<const D: usize> Nearest<D> {
    #[inline(always)]
    fn new(points: &[[f32; D]], centres: &[[f32; D]], fixed: usize) -> Self {
        let mut nearest = Self {
            columns: std::array::from_fn(|at| points.iter().map(|point| point[at]).collect()),
            assigned: Scratch::filled(points.len(), 0),
            distances: Scratch::filled(points.len(), 0.0),
            before: Scratch::filled(points.len(), 0),
            new: Scratch::filled(points.len(), 0.0),
            to_first: None,
        };
        if let Some(first) = centres.first().filter(|_| fixed > 0) {
            nearest.measure(first);
            // A point that is at no finite distance is nearer to none.
            let far = f32::INFINITY;
            let to_first = nearest.new.iter();
            let to_first = to_first.map(|new| if *new < far { *new } else { far });
            nearest.to_first = Some(to_first.collect());
        }
        nearest
    }

    /// Computes the squared distance of each point to a centre.
    #[inline(always)]
    fn measure(&mut self, centre: &[f32; D]) {
        let mut columns = self.columns.iter().zip(centre);
        if let Some((column, centre)) = columns.next() {
            for (distance, value) in self.new.iter_mut().zip(column) {
                *distance = (value - centre).powi(2);
            }
        }
        for (column, centre) in columns {
            for (distance, value) in self.new.iter_mut().zip(column) {
                *distance += (value - centre).powi(2);
            }
        }
    }

    /// Assigns every point to its nearest centre, as [`nearest_centre`] does; returns whether any assignment changed.
    #[inline(always)]
    fn assign(&mut self, centres: &[[f32; D]]) -> bool {
        count_work(self.assigned.len() * centres.len());
        std::mem::swap(&mut self.assigned, &mut self.before);
        self.assigned.fill(0);
        match &self.to_first {
            Some(to_first) => self.distances.copy_from_slice(to_first),
            None => self.distances.fill(f32::INFINITY),
        }
        let known = usize::from(self.to_first.is_some());
        for (at, centre) in (0u32..).zip(centres).skip(known) {
            self.measure(centre);
            let best = self.assigned.iter_mut().zip(&mut self.distances);
            for (new, (assigned, distance)) in self.new.iter().zip(best) {
                // Two selections in place of a branch: the compiler makes vectors of them.
                let is_nearer = new < distance;
                *assigned = if is_nearer { at } else { *assigned };
                *distance = if is_nearer { *new } else { *distance };
            }
        }
        self.assigned != self.before
    }

    fn centres(self) -> Vec<usize> {
        self.assigned.iter().map(|at| *at as usize).collect()
    }
}

#[inline(always)]
fn square<const D: usize>(a: &[f32; D], b: &[f32; D]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_spread_out() {
        let points = [[1.0], [0.0], [9.0], [5.0], [10.0]];
        assert_eq!(farthest_first(&points, [0.0], 3), [[0.0], [10.0], [5.0]]);
        assert_eq!(farthest_first(&[[2.0], [2.0]], [2.0], 3), [[2.0], [2.0], [2.0]]);
        assert!(farthest_first(&points, [0.0], 0).is_empty());
    }

    #[test]
    fn centres_move_to_means_but_fixed_ones_stay() {
        // 2 is nearer to 0 (2) than to 5.5 (3.5); 5, 6 and 9 make the rest: mean 20/3.
        let points = [[2.0], [5.0], [6.0], [9.0]];
        let mut centres = [[0.0], [5.5]];
        assert_eq!(kmeans(&points, &mut centres, 1), [0, 1, 1, 1]);
        assert_eq!(centres, [[0.0], [20.0 / 3.0]]);
        let mut centres = [[0.0], [5.5]];
        assert_eq!(kmeans(&points, &mut centres, 0), [0, 1, 1, 1]);
        assert_eq!(centres, [[2.0], [20.0 / 3.0]]);
        assert!(kmeans(&[], &mut centres, 0).is_empty());
        assert_eq!(centres, [[2.0], [20.0 / 3.0]]);
    }

    #[test]
    fn each_point_goes_to_the_nearest_centre_fixed_or_not() {
        // Numbers without order, and points at no finite distance.
        let value = |at: u32| (at.wrapping_mul(2_654_435_761) >> 20) as f32 / 64.0;
        let mut points: Vec<[f32; 2]> = (0..200).map(|at| [value(at), value(at + 999)]).collect();
        points.extend([[f32::NAN, 1.0], [f32::INFINITY, 2.0], [1.0, f32::MAX]]);
        for fixed in [0, 1, 3] {
            let centres = [[0.0, 0.0], [30.0, 10.0], [5.0, 50.0]];
            let mut nearest = Nearest::new(&points, &centres, fixed);
            assert!(nearest.assign(&centres));
            // The first centre stays where it is if it is fixed.
            let centres = [centres[0], [9.0, 9.0], [40.0, 40.0]];
            assert!(nearest.assign(&centres), "{fixed} fixed");
            assert!(!nearest.assign(&centres), "{fixed} fixed");
            let expected: Vec<usize> = points.iter().map(|point| nearest_centre(&centres, point)).collect();
            assert_eq!(nearest.centres(), expected, "{fixed} fixed");
            assert!((0..3).all(|centre| expected.contains(&centre)));
        }
    }
}
