//! Worlds: possible versions of a page in which the log odds of its blocks err together.
//!
//! The errors of a model are shared: a kind of card is content on a whole page or nowhere on it. A world adds
//! three errors to the log odds of every block: one of the page, one of its field and one of its section. It
//! then takes most blocks for decided. A choice is judged by its mean F1 over the worlds. The errors are
//! fixed numbers, so the same page always has the same worlds.
//!
//! Errors are bounded, so most blocks of a page are content in no world. A bound finds these blocks, and the
//! sums leave them out. This changes no number: they would add 0, and a longer prefix with the same hits has
//! no higher F1.

use crate::features::Scratch;
use trommel_text::SplitMix64;

use crate::layout::{Layout, LayoutBlock};

/// Number of worlds.
// 128 worlds moved no set by more than another drawing of the errors did, at four times the cost.
pub(crate) const WORLDS: usize = 32;
/// Rows of errors; fields and sections beyond it share theirs.
// 64 KB of errors, made once. Pages with more fields use rows twice, so that some of their fields err alike.
const ROWS: usize = 512;

type Worlds = [f32; WORLDS];

/// Errors of mean 0 and deviation 1.
// Drawn by the compiler: at the start of a run they took as many instructions as choosing on some thirty pages.
#[allow(long_running_const_eval)]
static ERRORS: Errors = Errors::drawn();

/// The errors of pages, fields and sections.
struct Errors {
    rows: [Worlds; ROWS],
    /// The highest error of each row.
    highest: [f32; ROWS],
    /// Log odds below which a block is content in no world.
    least: f32,
}

impl Errors {
    const fn drawn() -> Self {
        // The seed is fixed; another one moves listings and collections by .01 to .02, which is chance.
        let mut random = SplitMix64::new(1);
        let mut errors = Self { rows: [NO_ERRORS; ROWS], highest: [f32::MIN; ROWS], least: 0.0 };
        let mut of_any = f32::MIN;
        let mut row = 0;
        while row < ROWS {
            let mut world = 0;
            while world < WORLDS {
                let error = error(&mut random);
                errors.rows[row][world] = error;
                if error > errors.highest[row] {
                    errors.highest[row] = error;
                }
                world += 1;
            }
            // A bound over all rows, because fields and sections may use any of them.
            if errors.highest[row] > of_any {
                of_any = errors.highest[row];
            }
            row += 1;
        }
        errors.least = -0.5 - errors.highest[0] - 2.0 * of_any - ROUNDING_SLACK;
        errors
    }
}

/// The sum of twelve uniform numbers, which is nearly normal, and the same on every machine.
const fn error(random: &mut SplitMix64) -> f32 {
    let mut sum = 0;
    let mut drawn = 0;
    while drawn < 12 {
        sum += random.next_u64() >> 40;
        drawn += 1;
    }
    sum as f32 / (1u64 << 24) as f32 - 6.0
}

const NO_ERRORS: Worlds = [0.0; WORLDS];
/// More than rounding can do to a sum of log odds and errors.
// The bounds are summed in another order than the exact values, so the last bits may differ.
const ROUNDING_SLACK: f32 = 0.01;

/// Log odds below which a block is content in no world: it need not be in the order that
/// [`best_prefix`] is given.
pub(crate) fn least_odds() -> f32 {
    ERRORS.least
}

/// The result of the worlds for prefixes of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Prefix {
    /// Blocks of the best prefix.
    pub len: usize,
    /// Its mean F1, 0..=1.
    pub f1: f32,
}

/// The contribution of a block to the hits of each world.
struct Hit {
    rank: usize,
    /// Words of the blocks up to it, itself included.
    size: f32,
    of_world: Worlds,
}

/// The prefix of the blocks in `order` with the highest mean F1 over the worlds. `odds` gives the log odds
/// of each block. Keeping nothing is worth 1 in a world without content.
pub(crate) fn best_prefix(odds: impl Fn(u32) -> f32, layout: &Layout, order: &[u32]) -> Prefix {
    let errors = &ERRORS;
    let row = |at: usize| errors.rows.get(at % ROWS).unwrap_or(&NO_ERRORS);
    let highest = |at: usize| errors.highest.get(at % ROWS).copied().unwrap_or(0.0);
    // The page uses the first row alone, which is why the rows of fields begin at 1.
    let (of_page, highest_of_page) = (row(0), highest(0));
    let mut hits: Scratch<Hit> = Scratch::with_capacity(0);
    let mut all = NO_ERRORS;
    let mut size = 0.0f32;
    for (rank, at) in order.iter().enumerate() {
        let place = layout.blocks.get(*at as usize).copied().unwrap_or_default();
        let odds = odds(*at);
        let LayoutBlock { words, field, section } = place;
        let words = words as f32;
        size += words;
        let of_field = 1 + field as usize;
        // So that sections seldom share a row with fields of the same number.
        let of_section = 255 + section.wrapping_mul(7) as usize;
        let bound = 0.5 + odds + highest_of_page + highest(of_field) + highest(of_section);
        if bound < -ROUNDING_SLACK {
            continue;
        }
        let (of_field, of_section) = (row(of_field), row(of_section));
        let mut hit = NO_ERRORS;
        let errors = of_page.iter().zip(of_field).zip(of_section);
        for ((hit, all), ((page, field), section)) in hit.iter_mut().zip(&mut all).zip(errors) {
            // Not the logistic function: a cut-off line has its slope in the middle, and vectors compute it.
            *hit = words * (0.5 + odds + page + field + section).clamp(0.0, 1.0);
            *all += *hit;
        }
        hits.push(Hit { rank, size, of_world: hit });
    }
    // Less than a word is no content: clamped lines leave fractions of words behind.
    let without = all.iter().filter(|all| **all < 1.0).count();
    let mut best = Prefix { len: 0, f1: without as f32 / WORLDS as f32 };
    let mut hit = NO_ERRORS;
    for ranked in &hits {
        // Apart from the sum, whose order counts: divisions then are made several at a time.
        let mut shares = NO_ERRORS;
        for world in 0..WORLDS {
            hit[world] += ranked.of_world[world];
            shares[world] = hit[world] / (ranked.size + all[world]).max(1e-6);
        }
        let sum = shares.iter().fold(0.0, |sum, share| sum + share);
        let mean = 2.0 * sum / WORLDS as f32;
        // Sums of f32 differ in the last bits by their order; a choice must not hang on those.
        if mean > best.f1 + 1e-6 {
            best = Prefix { len: ranked.rank + 1, f1: mean };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(blocks: &[(u32, u32)]) -> Layout {
        let blocks = blocks.iter().map(|(words, field)| LayoutBlock { words: *words, field: *field, section: 0 });
        Layout { blocks: blocks.collect(), fields: 8 }
    }

    fn best(odds: &[f32], layout: &Layout) -> Prefix {
        let mut order: Vec<u32> = (0..odds.len() as u32).collect();
        order.sort_by(|a, b| odds[*b as usize].total_cmp(&odds[*a as usize]));
        let found = best_prefix(|at| odds[at as usize], layout, &order);
        assert_eq!(found, plainly(odds, layout, &order));
        found
    }

    /// The same with every block looked at in every world.
    fn plainly(odds: &[f32], layout: &Layout, order: &[u32]) -> Prefix {
        let row = |at: usize| ERRORS.rows[at % ROWS];
        let hits: Vec<Worlds> = order
            .iter()
            .map(|at| {
                let place = layout.blocks[*at as usize];
                let field = row(1 + place.field as usize);
                let section = row(255 + place.section.wrapping_mul(7) as usize);
                std::array::from_fn(|world| {
                    let error = row(0)[world];
                    let share = 0.5 + odds[*at as usize] + error + field[world] + section[world];
                    place.words as f32 * share.clamp(0.0, 1.0)
                })
            })
            .collect();
        let mut all = NO_ERRORS;
        for hit in &hits {
            (0..WORLDS).for_each(|world| all[world] += hit[world]);
        }
        let without = all.iter().filter(|all| **all < 1.0).count();
        let mut best = Prefix { len: 0, f1: without as f32 / WORLDS as f32 };
        let (mut hit, mut size) = (NO_ERRORS, 0.0);
        for (rank, row) in hits.iter().enumerate() {
            size += layout.blocks[order[rank] as usize].words as f32;
            let mut sum = 0.0;
            for world in 0..WORLDS {
                hit[world] += row[world];
                sum += hit[world] / (size + all[world]).max(1e-6);
            }
            let mean = 2.0 * sum / WORLDS as f32;
            if mean > best.f1 + 1e-6 {
                best = Prefix { len: rank + 1, f1: mean };
            }
        }
        best
    }

    #[test]
    fn what_is_content_in_no_world_changes_nothing() {
        let mut random = SplitMix64::new(7);
        let mut below = |most: u64| (random.next_u64() >> 33) % most;
        for _ in 0..300 {
            let blocks: Vec<(u32, u32)> = (0..1 + below(60)).map(|_| (below(90) as u32, below(9) as u32)).collect();
            let odds: Vec<f32> = (blocks.iter().map(|_| below(3000) as f32 / 100.0 - 24.0)).collect();
            let all = best(&odds, &layout(&blocks));
            // Those below the least of all worlds may be left out of the order.
            let mut order: Vec<u32> = (0..odds.len() as u32).collect();
            order.retain(|at| odds[*at as usize] >= least_odds());
            order.sort_by(|a, b| odds[*b as usize].total_cmp(&odds[*a as usize]));
            let some = best_prefix(|at| odds[at as usize], &layout(&blocks), &order);
            assert_eq!(some, all);
        }
        assert!(least_odds() > -16.0, "{}", least_odds());
    }

    #[test]
    fn errors_are_normal() {
        let rows = &ERRORS.rows;
        let all: Vec<f64> = rows.iter().flatten().map(|value| f64::from(*value)).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / all.len() as f64;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        assert!(rows.iter().flatten().all(|value| *value <= 6.0));
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
