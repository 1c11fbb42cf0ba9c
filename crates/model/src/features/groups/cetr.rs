//! Computes tag ratios: CETR on blocks (Weninger, Hsu and Han, WWW 2010; as used by Peters and Lecocq, WWW 2013,
//! section 3.2).
//!
//! The ratio of a block is its characters divided by its tags. Two values are smoothed along the page: the
//! ratio, and the absolute difference between it and the mean of the next three. k-means in that plane, with
//! one centre fixed at the origin, gives the verdict of the whole algorithm.

use trommel_html::Page;
use trommel_text::vectors::{ByteTask, Compare, Vectors};

use crate::features::columns::RequestedColumns;
use crate::features::facts::PageFacts;
use crate::features::groups::Fill;
use crate::features::kmeans::{farthest_first, kmeans};
use crate::features::scratch::Scratch;

pub(super) const NAMES: [&str; 3] = ["tag_ratio.smoothed", "tag_ratio.derivative", "tag_ratio.cluster"];

/// Index in [`NAMES`] of the feature that states whether clustering finds the block to be content.
const CLUSTER: usize = 2;

/// Number of following blocks whose mean ratio is subtracted from a block's ratio to give the derivative.
// As in the paper, as are the deviation of the kernel, the three clusters and the centre at the origin.
const BLOCKS_AHEAD: usize = 3;
/// Weights of a Gaussian of standard deviation 1, cut at four deviations, from the middle outwards.
const KERNEL: [f32; 5] = [0.398_943, 0.241_971, 0.053_991, 0.004_432, 0.000_134];

pub(super) fn cetr<'a>(facts: &'a PageFacts<'a>, asked: RequestedColumns<'_>) -> Fill<'a> {
    // Clustering is the dear part, and models need not ask for its verdict.
    let ratios = features(facts.page, asked.any([CLUSTER]));
    Box::new(move |_, out| {
        for column in 0..NAMES.len() {
            out.put(|at| ratios.get(at).map_or(0.0, |ratios| ratios[column]));
        }
    })
}

/// Returns the tag-ratio features of each block: the smoothed ratio (characters per tag), its smoothed absolute
/// derivative, and 1 if clustering finds the block to be content, otherwise 0.
pub fn tag_ratios(page: &Page) -> Vec<[f32; 3]> {
    features(page, true)
}

/// Returns the tag-ratio features of each block; without clustering, the third is 0 for all.
fn features(page: &Page, with_clusters: bool) -> Vec<[f32; 3]> {
    Vectors::default().run(Ratios { page, with_clusters })
}

/// Task that computes the tag-ratio features of a page with vector instructions, eight blocks at once, not four.
struct Ratios<'a> {
    page: &'a Page,
    with_clusters: bool,
}

impl ByteTask for Ratios<'_> {
    type Output = Vec<[f32; 3]>;

    #[inline(always)]
    fn run<C: Compare>(self, _: C) -> Self::Output {
        let ratios = text_to_tag_ratios(self.page);
        let x = smooth(&ratios);
        let y = smooth(&derivative(&ratios));
        let points = x.iter().zip(&y);
        let points: Scratch<[f32; 2]> = points.map(|(x, y)| [*x, *y]).collect();
        let mut features: Vec<[f32; 3]> = points.iter().map(|[x, y]| [*x, *y, 0.0]).collect();
        if self.with_clusters {
            for (row, is_content) in features.iter_mut().zip(cluster(&points)) {
                row[CLUSTER] = f32::from(u8::from(is_content));
            }
        }
        features
    }
}

/// Returns for each block its number of characters per tag, counting its tags and those before it (at least 1).
pub fn text_to_tag_ratios(page: &Page) -> Vec<f32> {
    page.blocks
        .iter()
        .map(|block| {
            let tags = block.tags_before.saturating_add(block.tags_inside);
            // A block without tags would have an infinite ratio.
            block.chars as f32 / tags.max(1) as f32
        })
        .collect()
}

/// Returns the absolute difference of each value from the mean of the next three, or of fewer at the end. The last of
/// three or more values is compared with the mean of itself and the one before.
#[inline(always)]
fn derivative(ratios: &[f32]) -> Scratch<f32> {
    let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
    let mut derivative: Scratch<f32> = Scratch::with_capacity(ratios.len());
    // Away from the end there are always as many.
    derivative.extend(ratios.windows(BLOCKS_AHEAD + 1).map(|window| match window {
        [ratio, next @ ..] => (mean(next) - ratio).abs(),
        [] => 0.0,
    }));
    for at in derivative.len()..ratios.len() {
        let ratio = ratios.get(at).copied().unwrap_or_default();
        let next = ratios.get(at + 1..).unwrap_or_default();
        derivative.push(if !next.is_empty() {
            (mean(next) - ratio).abs()
        } else if at >= 2 {
            (mean(ratios.get(at - 1..).unwrap_or_default()) - ratio).abs()
        } else {
            0.0
        });
    }
    derivative
}

/// Smooths a series with a Gaussian kernel; the ends are mirrored (`b a | a b c`).
#[inline(always)]
fn smooth(series: &[f32]) -> Scratch<f32> {
    let n = series.len() as isize;
    let mirrored = |at: isize| {
        let mut at = at.rem_euclid(2 * n.max(1));
        if at >= n {
            at = 2 * n - 1 - at;
        }
        usize::try_from(at).ok().and_then(|at| series.get(at)).copied().unwrap_or_default()
    };
    let reach = KERNEL.len() - 1;
    (0..n)
        .map(|at| {
            // Away from the ends nothing is mirrored.
            let middle = at as usize;
            // Near the start the difference wraps to a huge index, for which `get` gives nothing.
            let around = series.get(middle.wrapping_sub(reach)..);
            if let Some(around) = around.and_then(|around| around.first_chunk()) {
                return smoothed(around);
            }
            KERNEL
                .iter()
                .zip(0isize..)
                .map(
                    |(weight, off)| {
                        if off == 0 {
                            weight * mirrored(at)
                        } else {
                            weight * (mirrored(at - off) + mirrored(at + off))
                        }
                    },
                )
                .sum()
        })
        .collect()
}

/// Returns the smoothed value in the middle of a window as wide as the kernel.
#[inline(always)]
fn smoothed(around: &[f32; 2 * KERNEL.len() - 1]) -> f32 {
    const MIDDLE: usize = KERNEL.len() - 1;
    let mut sum = KERNEL[0] * around[MIDDLE];
    for off in 1..KERNEL.len() {
        sum += KERNEL[off] * (around[MIDDLE - off] + around[MIDDLE + off]);
    }
    sum
}

/// Clusters points by k-means with three centres; returns for each point whether its centre is not the fixed origin.
///
/// The two free centres start at the point farthest from the origin and at the point farthest from
/// both, so the result is the same on every run.
#[inline(always)]
fn cluster(points: &[[f32; 2]]) -> Vec<bool> {
    let mut centres = farthest_first(points, [0.0; 2], 3);
    kmeans(points, &mut centres, 1).into_iter().map(|centre| centre > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn smoothing_keeps_a_constant_and_spreads_a_peak() {
        for value in &smooth(&[2.0; 7]) {
            assert!((value - 2.0).abs() < 1e-4, "{value}");
        }
        let peak = smooth(&[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        assert!((peak[4] - 0.398_94).abs() < 1e-4 && (peak[3] - 0.241_97).abs() < 1e-4);
        // One value mirrors onto itself.
        assert!((smooth(&[3.0])[0] - 3.0).abs() < 1e-4);
    }

    #[test]
    fn the_derivative_looks_three_ahead() {
        assert_eq!(*derivative(&[1.0, 2.0, 3.0, 7.0, 5.0]), [3.0, 3.0, 3.0, 2.0, 1.0]);
        assert_eq!(*derivative(&[4.0]), [0.0]);
    }

    #[test]
    fn far_points_are_content_and_the_origin_is_not() {
        let points = [[0.1, 0.0], [0.2, 0.1], [40.0, 5.0], [60.0, 30.0], [0.0, 0.2]];
        assert_eq!(cluster(&points), [false, false, true, true, false]);
        assert!(cluster(&[]).is_empty());
        assert_eq!(cluster(&[[0.0, 0.0]]), [false]);
    }

    #[test]
    fn prose_stands_out_from_a_menu() {
        let menu = "<li><a href=x>go</a></li>".repeat(8);
        let prose = format!("<p>{}</p>", "plain words in a sentence ".repeat(12)).repeat(6);
        let page = ScanEngine.read(&format!("<ul>{menu}</ul>{prose}<ul>{menu}</ul>"), &Limits::default());
        let verdicts: Vec<f32> = tag_ratios(&page).iter().map(|r| r[2]).collect();
        assert!(verdicts[9..13].iter().all(|v| *v == 1.0), "{verdicts:?}");
        assert!(verdicts[..6].iter().chain(&verdicts[17..]).all(|v| *v == 0.0), "{verdicts:?}");
    }
}
