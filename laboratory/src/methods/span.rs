//! Runs of blocks with the greatest sum of scores.

use std::ops::Range;

use trommel_html::Page;

/// Summand of a block in the sum of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    /// Score of the block itself.
    pub score: f64,
    /// Score of what stands between the block before and this one; it counts where a run holds both.
    pub gap: f64,
}

/// Blocks scored by words (1 each) and tags (`tag` each).
pub(crate) fn word_units(page: &Page, tag: f64) -> Vec<Unit> {
    page.blocks
        .iter()
        .map(|block| Unit {
            score: f64::from(block.words) + tag * f64::from(block.tags_inside),
            gap: tag * f64::from(block.tags_before),
        })
        .collect()
}

/// The run with the greatest sum above zero (Kadane's algorithm); of equal runs the first, of equal
/// starts the later one. `None` where no run is above zero.
pub(crate) fn best_run(units: &[Unit]) -> Option<Range<usize>> {
    let mut best: Option<(f64, Range<usize>)> = None;
    let (mut sum, mut start) = (0.0, 0);
    for (at, unit) in units.iter().enumerate() {
        let before = sum + unit.gap;
        if at == 0 || before <= 0.0 {
            (sum, start) = (unit.score, at);
        } else {
            sum = before + unit.score;
        }
        if sum > best.as_ref().map_or(0.0, |(sum, _)| *sum) {
            best = Some((sum, start..at + 1));
        }
    }
    best.map(|(_, run)| run)
}

/// A run of [`maximal_runs`] as it grows: the sums before and after it, and where to look on.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    left: f64,
    right: f64,
    start: usize,
    end: usize,
    /// The nearest candidate before it with a smaller `left`.
    smaller: Option<usize>,
}

/// All maximal runs with their sums, in order: the best run, then the best of what is left on either
/// side of it, and so on, as long as sums are above zero (Ruzzo and Tompa, A linear time algorithm for
/// finding all maximal scoring subsequences, ISMB 1999). Gaps must not be above zero.
pub(crate) fn maximal_runs(units: &[Unit]) -> Vec<(f64, Range<usize>)> {
    let mut runs: Vec<Candidate> = Vec::new();
    let mut sum = 0.0;
    for (at, unit) in units.iter().enumerate() {
        sum += if at == 0 { 0.0 } else { unit.gap };
        let left = sum;
        sum += unit.score;
        if unit.score <= 0.0 {
            continue;
        }
        let mut run = Candidate { left, right: sum, start: at, end: at + 1, smaller: None };
        loop {
            let mut next = runs.len().checked_sub(1);
            while let Some(before) = next.and_then(|at| runs.get(at)) {
                if before.left < run.left {
                    break;
                }
                next = before.smaller;
            }
            run.smaller = next;
            match next.and_then(|at| runs.get(at).map(|before| (at, *before))) {
                Some((at, before)) if before.right < run.right => {
                    (run.left, run.start) = (before.left, before.start);
                    runs.truncate(at);
                }
                _ => break,
            }
        }
        runs.push(run);
    }
    runs.into_iter().map(|run| (run.right - run.left, run.start..run.end)).collect()
}

/// For each of `len` blocks, true if it lies in one of the runs.
pub(crate) fn mark(len: usize, runs: impl IntoIterator<Item = Range<usize>>) -> Vec<bool> {
    let mut kept = vec![false; len];
    for run in runs {
        if let Some(part) = kept.get_mut(run) {
            part.fill(true);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(values: &[(f64, f64)]) -> Vec<Unit> {
        values.iter().map(|&(gap, score)| Unit { score, gap }).collect()
    }

    #[test]
    fn the_best_run_bridges_gaps_that_pay() {
        // Sums that end at each block: 4, 4-5<0 so 3, 3-2+6=7, 7-8<0 so 6.
        let row = units(&[(-9.0, 4.0), (-5.0, 3.0), (-2.0, 6.0), (-8.0, 6.0)]);
        assert_eq!(best_run(&row), Some(1..3));
        // The gap before the first block is outside of every run.
        assert_eq!(best_run(&row[..1]), Some(0..1));
        assert_eq!(best_run(&units(&[(0.0, 0.0), (-1.0, -2.0)])), None);
        assert_eq!(best_run(&[]), None);
        // Equal runs: the first.
        assert_eq!(best_run(&units(&[(0.0, 2.0), (-3.0, 2.0)])), Some(0..1));
    }

    #[test]
    fn maximal_runs_are_all_found() {
        // The example of Ruzzo and Tompa: 4 -5 3 -3 1 2 -2 2 -2 1 5 gives [4], [3], [1 2 -2 2 -2 1 5].
        let row = units(&[(0.0, 4.0), (-5.0, 3.0), (-3.0, 1.0), (0.0, 2.0), (-2.0, 2.0), (-2.0, 1.0), (0.0, 5.0)]);
        assert_eq!(maximal_runs(&row), [(4.0, 0..1), (3.0, 1..2), (7.0, 2..7)]);
        assert!(maximal_runs(&units(&[(0.0, -1.0)])).is_empty());
    }

    #[test]
    fn the_best_run_is_among_the_maximal_ones() {
        // A fixed sequence of 400 scores from a linear congruence.
        let mut state = 7u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % most) as f64
        };
        let row: Vec<Unit> = (0..400).map(|_| Unit { score: next(9) - 1.0, gap: -next(9) }).collect();
        let runs = maximal_runs(&row);
        let most = runs.iter().map(|(sum, _)| *sum).fold(0.0, f64::max);
        let best = best_run(&row).unwrap();
        let sum = |run: Range<usize>| {
            let scores: f64 = row[run.clone()].iter().map(|unit| unit.score).sum();
            scores + row[run.start + 1..run.end].iter().map(|unit| unit.gap).sum::<f64>()
        };
        assert_eq!(sum(best), most);
        assert!(runs.windows(2).all(|pair| pair[0].1.end <= pair[1].1.start));
        assert!(runs.iter().all(|(value, run)| sum(run.clone()) == *value));
    }

    #[test]
    fn marks_cover_the_runs() {
        assert_eq!(mark(4, [0..1, 2..4]), [true, false, true, true]);
        assert!(mark(0, None).is_empty());
    }
}
