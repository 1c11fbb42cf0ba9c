//! Worlds: what a page could be like if the log odds of its blocks err together.
//!
//! Errors of a model are shared: a kind of card is content on a page as a whole or not at all. A world
//! adds to the log odds of every block an error of the page, one of its field and one of the section it
//! stands in, and takes most blocks for decided. A choice is judged by its mean F1 over the worlds. The
//! errors are fixed numbers, so the same page has the same worlds.

use std::sync::LazyLock;

use trommel_text::SplitMix64;

use crate::layout::{Layout, Place};

/// Number of worlds.
pub(crate) const WORLDS: usize = 32;
/// Rows of errors; fields and sections beyond it share theirs.
const ROWS: usize = 512;

type Worlds = [f32; WORLDS];

/// Errors of mean 0 and deviation 1.
static ERRORS: LazyLock<Vec<Worlds>> = LazyLock::new(|| {
    let mut random = SplitMix64::new(1);
    // The sum of twelve uniform numbers is nearly normal, and the same on every machine.
    let mut error = || {
        let sum: u64 = (0..12).map(|_| random.next_u64() >> 40).sum();
        sum as f32 / (1u64 << 24) as f32 - 6.0
    };
    (0..ROWS)
        .map(|_| {
            let mut row = [0.0; WORLDS];
            row.fill_with(&mut error);
            row
        })
        .collect()
});

const NO_ERRORS: Worlds = [0.0; WORLDS];

/// What the worlds say of prefixes of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Prefix {
    /// Blocks of the best prefix.
    pub len: usize,
    /// Its mean F1, 0..=1.
    pub f1: f32,
}

/// The prefix of the blocks in `order` with the highest mean F1 over the worlds of these log odds; nothing
/// is worth 1 in a world without content.
pub(crate) fn best_prefix(odds: &[f32], layout: &Layout, order: &[u32]) -> Prefix {
    let errors = &*ERRORS;
    let row = |at: usize| errors.get(at % ROWS).unwrap_or(&NO_ERRORS);
    let of_page = row(0);
    let mut hits: Vec<Worlds> = Vec::with_capacity(order.len());
    let mut all = NO_ERRORS;
    for at in order {
        let place = layout.blocks.get(*at as usize).copied().unwrap_or_default();
        let odds = odds.get(*at as usize).copied().unwrap_or_default();
        let Place {
            words,
            field,
            section,
        } = place;
        let of_field = row(1 + field as usize);
        // So that sections seldom share a row with fields of the same number.
        let of_section = row(255 + section.wrapping_mul(7) as usize);
        let words = words as f32;
        let mut hit = NO_ERRORS;
        let errors = of_page.iter().zip(of_field).zip(of_section);
        for ((hit, all), ((page, field), section)) in hit.iter_mut().zip(&mut all).zip(errors) {
            *hit = words * (0.5 + odds + page + field + section).clamp(0.0, 1.0);
            *all += *hit;
        }
        hits.push(hit);
    }
    let without = all.iter().filter(|all| **all < 1.0).count();
    let mut best = Prefix {
        len: 0,
        f1: without as f32 / WORLDS as f32,
    };
    let (mut hit, mut size) = (NO_ERRORS, 0.0f32);
    for (rank, (at, own)) in order.iter().zip(&hits).enumerate() {
        size += layout
            .blocks
            .get(*at as usize)
            .map_or(0.0, |place| place.words as f32);
        let mut sum = 0.0;
        for ((hit, own), all) in hit.iter_mut().zip(own).zip(&all) {
            *hit += own;
            sum += *hit / (size + all).max(1e-6);
        }
        let mean = 2.0 * sum / WORLDS as f32;
        if mean > best.f1 + 1e-6 {
            best = Prefix {
                len: rank + 1,
                f1: mean,
            };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(blocks: &[(u32, u32)]) -> Layout {
        let blocks = blocks.iter().map(|(words, field)| Place {
            words: *words,
            field: *field,
            section: 0,
        });
        Layout {
            blocks: blocks.collect(),
            fields: 8,
        }
    }

    fn best(odds: &[f32], layout: &Layout) -> Prefix {
        let mut order: Vec<u32> = (0..odds.len() as u32).collect();
        order.sort_by(|a, b| odds[*b as usize].total_cmp(&odds[*a as usize]));
        best_prefix(odds, layout, &order)
    }

    #[test]
    fn errors_are_normal() {
        let all: Vec<f64> = ERRORS.iter().flatten().map(|own| f64::from(*own)).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / all.len() as f64;
        assert!(
            mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03,
            "{mean} {variance}"
        );
        assert_eq!(ERRORS[3][5], ERRORS.get(3).unwrap()[5]);
    }

    #[test]
    fn a_doubtful_field_is_left_out_beside_sure_content() {
        // 100 sure words, and 300 doubtful ones that are content together or not at all.
        let odds = [6.0, -0.6, -0.6, -0.6];
        let together = best(&odds, &layout(&[(100, 0), (100, 1), (100, 1), (100, 1)]));
        assert_eq!(together.len, 1);
        assert!(together.f1 > 0.5 && together.f1 < 1.0);
    }

    #[test]
    fn nothing_is_a_choice() {
        let none = best(&[-4.0, -5.0], &layout(&[(10, 0), (10, 1)]));
        assert_eq!(none.len, 0);
        assert!(none.f1 > 0.8, "{none:?}");
        let some = best(&[4.0, -5.0], &layout(&[(10, 0), (10, 1)]));
        assert_eq!(some.len, 1);
        assert_eq!(best(&[], &layout(&[])), Prefix { len: 0, f1: 1.0 });
    }
}
