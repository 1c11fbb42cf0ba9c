//! String-length smoothing (named without constants by Rai and Chaudhary, Discovering Informative
//! Block Content), in the form of Arias, Deschacht and Moens, Language Independent Content Extraction
//! from Web Pages, DIR 2009: the lengths of the page's strings are smoothed, and the content grows
//! from the largest of them to both sides.
//!
//! A string is a block here. The mean of radius 2 is from the source. The content grows while the
//! smoothed length stays at or above c1, over gaps of up to c2 strings below it, and keeps the strings
//! from the first to the last above c1. The two constants are not given to us; ours are relative: c1
//! is the mean smoothed length of the page, c2 is 4.

use trommel_html::Page;

use crate::methods::method::{About, Method, MethodError};

/// Strings to each side in the mean.
const RADIUS: usize = 2;
/// Strings below the threshold that growth may step over (c2).
const GAP: usize = 4;

/// Grows the content from the longest strings.
#[derive(Clone, Copy, Debug, Default)]
pub struct StringLengthSmoothing;

/// Mean of each length and those up to [`RADIUS`] beside it; beyond the ends the lengths are zero.
fn smooth(lengths: &[f64]) -> Vec<f64> {
    (0..lengths.len())
        .map(|at| {
            let around = lengths.get(at.saturating_sub(RADIUS)..lengths.len().min(at + RADIUS + 1));
            around.unwrap_or_default().iter().sum::<f64>() / (2 * RADIUS + 1) as f64
        })
        .collect()
}

/// Number of strings of `beside` that belong to the content; these are the strings on one side of the largest, from it
/// outwards.
fn reach(beside: impl Iterator<Item = f64>, threshold: f64) -> usize {
    let (mut reach, mut gap) = (0, 0);
    for (at, length) in beside.enumerate() {
        if length >= threshold {
            reach = at + 1;
            gap = 0;
        } else {
            gap += 1;
            if gap > GAP {
                break;
            }
        }
    }
    reach
}

impl Method for StringLengthSmoothing {
    fn about(&self) -> &About {
        &About {
            name: "string-length-smoothing",
            line: "smoothed string lengths, grown from their maximum",
            citation: "named in Rai and Chaudhary, Discovering Informative Block Content; form of Arias, Deschacht and Moens, DIR 2009, with constants of ours",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let lengths: Vec<f64> = page.blocks.iter().map(|block| f64::from(block.chars)).collect();
        let smoothed = smooth(&lengths);
        let mut largest = (0, f64::NEG_INFINITY);
        for (at, length) in smoothed.iter().enumerate() {
            if *length > largest.1 {
                largest = (at, *length);
            }
        }
        let threshold = smoothed.iter().sum::<f64>() / smoothed.len().max(1) as f64;
        let (before, after) = smoothed.split_at_checked(largest.0).unwrap_or_default();
        let first = largest.0 - reach(before.iter().rev().copied(), threshold);
        let last = largest.0 + reach(after.iter().skip(1).copied(), threshold);
        Ok((0..smoothed.len()).map(|at| (first..=last).contains(&at)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn kept(lengths: &[usize]) -> String {
        let html: String = lengths.iter().map(|length| format!("<p>{}</p>", "x".repeat(*length))).collect();
        let kept = StringLengthSmoothing.extract(&ScanEngine.read(&html, &Limits::default())).unwrap();
        kept.into_iter().map(|kept| if kept { '#' } else { '.' }).collect()
    }

    #[test]
    fn content_grows_while_strings_stay_long() {
        // Sums of five: 3 4 44 83 123 123 123 84 45 5 5 5 4 3. Their mean is 654 / 14 = 46.7, so the third
        // (44) and the ninth (45) are below, and so is all beyond them.
        assert_eq!(kept(&[1, 1, 1, 1, 40, 40, 41, 1, 1, 1, 1, 1, 1, 1]), "...#####......");
    }

    #[test]
    fn a_gap_of_four_is_stepped_over_and_one_of_five_is_not() {
        assert_eq!(reach([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0].into_iter(), 1.0), 6);
        assert_eq!(reach([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0].into_iter(), 1.0), 1);
    }

    #[test]
    fn short_pages() {
        assert_eq!(kept(&[]), "");
        assert_eq!(kept(&[5]), "#");
    }
}
