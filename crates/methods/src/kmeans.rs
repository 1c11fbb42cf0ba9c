//! k-means, the same on every run.

/// Rounds after which clustering stops.
const ROUNDS: usize = 50;
/// Largest squared shift of a centre at which clustering stops.
const TOLERANCE: f64 = 1e-12;

/// Squared distance of two points.
pub(crate) fn square<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The cluster of each point, `0..k`.
///
/// Seeds are farthest first: the point nearest to the origin, then `k - 1` times the point farthest
/// from all seeds so far, the first of equals. Points that are fewer than `k`, or alike, leave
/// clusters empty; an empty cluster keeps its centre.
pub(crate) fn kmeans<const D: usize>(points: &[[f64; D]], k: usize) -> Vec<usize> {
    let mut centres = seeds(points, k);
    let mut of = nearest(points, &centres);
    for _ in 0..ROUNDS {
        let mut sums = vec![([0.0; D], 0.0f64); centres.len()];
        for (point, of) in points.iter().zip(&of) {
            if let Some((sum, count)) = sums.get_mut(*of) {
                for (sum, value) in sum.iter_mut().zip(point) {
                    *sum += value;
                }
                *count += 1.0;
            }
        }
        let mut shift = 0.0f64;
        for (centre, (sum, count)) in centres.iter_mut().zip(sums) {
            if count > 0.0 {
                let moved = sum.map(|value| value / count);
                shift = shift.max(square(centre, &moved));
                *centre = moved;
            }
        }
        of = nearest(points, &centres);
        if shift < TOLERANCE {
            break;
        }
    }
    of
}

fn seeds<const D: usize>(points: &[[f64; D]], k: usize) -> Vec<[f64; D]> {
    let origin = [0.0; D];
    let Some(first) = points.iter().min_by(|a, b| square(a, &origin).total_cmp(&square(b, &origin))) else {
        return Vec::new();
    };
    let mut centres = vec![*first];
    let mut distances: Vec<f64> = points.iter().map(|point| square(point, first)).collect();
    while centres.len() < k {
        let mut best = (origin, 0.0);
        for (point, distance) in points.iter().zip(&distances) {
            if *distance > best.1 {
                best = (*point, *distance);
            }
        }
        if best.1 == 0.0 {
            break;
        }
        centres.push(best.0);
        for (distance, point) in distances.iter_mut().zip(points) {
            *distance = distance.min(square(point, &best.0));
        }
    }
    centres
}

/// The nearest centre of each point, the first of equals.
fn nearest<const D: usize>(points: &[[f64; D]], centres: &[[f64; D]]) -> Vec<usize> {
    points
        .iter()
        .map(|point| {
            let mut best = (0, f64::INFINITY);
            for (at, centre) in centres.iter().enumerate() {
                let distance = square(point, centre);
                if distance < best.1 {
                    best = (at, distance);
                }
            }
            best.0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_heaps_are_three_clusters() {
        let points = [[0.0, 1.0], [9.0, 9.0], [0.1, 1.0], [5.0, 0.0], [9.1, 9.0], [5.0, 0.2]];
        assert_eq!(kmeans(&points, 3), [0, 1, 0, 2, 1, 2]);
    }

    #[test]
    fn centres_move_to_the_means() {
        // Seeds 0 and 10; 4.2 starts with 0. Means (0 + 4.2) / 2 = 2.1 and (6 + 7 + 10) / 3 = 7.67: 4.2 is
        // 2.1 and 3.47 away, so it stays.
        assert_eq!(kmeans(&[[0.0], [4.2], [6.0], [7.0], [10.0]], 2), [0, 0, 1, 1, 1]);
        // Seeds 0 and 10: 4.9 starts with 0. Means (0 + 0 + 0 + 4.9) / 4 = 1.225 and (6 + 10) / 2 = 8:
        // 3.675 to 3.1, so 4.9 changes over.
        assert_eq!(kmeans(&[[0.0], [0.0], [0.0], [4.9], [6.0], [10.0]], 2), [0, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn few_points_leave_clusters_empty() {
        assert!(kmeans::<2>(&[], 3).is_empty());
        assert_eq!(kmeans(&[[2.0], [2.0]], 3), [0, 0]);
    }
}
