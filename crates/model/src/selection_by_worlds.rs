//! Chooses the blocks to keep, given their probabilities, and groups the blocks that belong together.
//!
//! The decision about one block informs the decision about the others of its group. A choice is judged by its mean
//! F1 over worlds: possible versions of a page in which the log odds of its blocks err together. Of each field some
//! blocks are judged by themselves. The blocks of a field are rows of one template. Where the model is sure of the
//! longest of them, the others are what it is: half of the blocks need no features of their own.

use serde::{Deserialize, Serialize};
use trommel_html::{NONE, Page};
use trommel_text::SplitMix64;

use crate::features::Scratch;

/// Rule that chooses main text among blocks by their probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// All blocks with at least this probability.
    Threshold(f32),
    /// The most probable blocks, as many as maximise expected word F1: 2 Σ p w / (Σ w + Σ over all blocks of p w). Here
    /// p is a block's probability and w its number of words; the other sums are over the kept blocks.
    #[default]
    ExpectedF1,
    /// The most probable blocks by expected word F1, after the log odds of every block are multiplied by this factor.
    /// Expected F1 takes blocks for independent, but a list of links is content as a whole or not at all. With sharper
    /// probabilities (above 1), many doubtful blocks together weigh less.
    SharpF1(f32),
    /// The most probable blocks, as many as have the highest mean word F1 over worlds: random draws of which blocks are
    /// content. A world adds random errors to the log odds, times this factor: one for the page, one for each field
    /// (the blocks with the same path of names and classes) and one for each section. Keeping nothing is one of the
    /// choices, and is worth 1 in a world without content.
    Worlds(f32),
}

/// Chosen blocks of a page, and the expected quality of the choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// One flag per block, true if it is kept.
    pub kept: Vec<bool>,
    /// Expected word F1 of the kept blocks, 0..=1; 0 for a page without blocks. If [`Selection::Worlds`] keeps nothing,
    /// the share of random draws without content.
    pub expected_f1: f32,
}

impl Selection {
    /// Returns the selection with its factor multiplied by `sharpness` if it is [`Selection::Worlds`], else unchanged.
    pub fn sharpened(self, sharpness: f32) -> Self {
        match self {
            Selection::Worlds(base) => Selection::Worlds(base * sharpness),
            other => other,
        }
    }

    /// Chooses the blocks to keep, given the probability (0..=1) of each.
    pub fn choose(&self, probabilities: &[f32], layout: &Layout) -> Choice {
        let weighed = weighed(probabilities, layout);
        let mut kept = vec![false; probabilities.len()];
        let mut of_nothing = 0.0;
        match self {
            Selection::Threshold(threshold) => {
                for (keep, p) in kept.iter_mut().zip(probabilities) {
                    *keep = p >= threshold;
                }
            }
            Selection::ExpectedF1 => best_expected(&weighed, &mut kept),
            Selection::SharpF1(sharpness) => {
                let sharp: Vec<(f64, f64)> = weighed
                    .iter()
                    .map(|(p, w)| {
                        // A probability of 1 has no odds; 1e-9 is far beyond what f32 can tell from 1.
                        let odds = (p / (1.0 - p).max(1e-9)).powf(f64::from(*sharpness));
                        (odds / (1.0 + odds), *w)
                    })
                    .collect();
                best_expected(&sharp, &mut kept);
            }
            Selection::Worlds(sharpness) => {
                // What is content in no world need not be sorted.
                // .1 more than the bound: the way through probabilities and back rounds.
                let least = f64::from((least_odds() - 0.1) / sharpness);
                let least = (1.0 / (1.0 + (-least).exp())) as f32;
                // Log odds are not told apart below a least probability.
                let is_told = *sharpness > 0.0 && least > MIN_PROBABILITY;
                let some = (0u32..).zip(probabilities).filter(|(_, p)| !(is_told && **p < least));
                let order = sorted(some.map(|(at, p)| u64::from(!p.to_bits()) << 32 | u64::from(at)).collect());
                let order: Vec<u32> = order.into_iter().map(|key| key as u32).collect();
                let odds = |at: u32| {
                    let p = probabilities.get(at as usize).copied().unwrap_or_default();
                    sharpness * log_odds(p)
                };
                let best = best_in_worlds(odds, layout, &order);
                // Confidence in "nothing" is the share of worlds without content: expected F1 of nothing is always 0.
                if best.len == 0 && !probabilities.is_empty() {
                    of_nothing = f64::from(best.f1);
                }
                keep(&mut kept, order.iter().take(best.len).map(|at| *at as usize));
            }
        }
        Choice { expected_f1: expected_f1(&weighed, &kept).max(of_nothing) as f32, kept }
    }
}

/// Returns the probability and the number of words of each block; a block without a place in `layout` has 0 words.
pub(crate) fn weighed(probabilities: &[f32], layout: &Layout) -> Vec<(f64, f64)> {
    let words = layout.blocks.iter().map(|place| place.words);
    probabilities.iter().zip(words.chain(std::iter::repeat(0))).map(|(p, w)| (f64::from(*p), f64::from(w))).collect()
}

/// Returns the expected word F1 of the kept blocks, given the probability and the number of words of each block; 0 if
/// there are no words.
pub(crate) fn expected_f1(weighed: &[(f64, f64)], kept: &[bool]) -> f64 {
    let (hit, size) = weighed
        .iter()
        .zip(kept)
        .filter(|(_, kept)| **kept)
        .fold((0.0, 0.0), |(hit, size), ((p, w), _)| (hit + p * w, size + w));
    let all = size + expected(weighed);
    if all > 0.0 { 2.0 * hit / all } else { 0.0 }
}

/// Returns the expected number of words of content, given the probability and the number of words of each block.
fn expected(weighed: &[(f64, f64)]) -> f64 {
    weighed.iter().map(|(p, w)| p * w).sum()
}

/// Sets `kept` for the most probable blocks, as many as make expected F1 highest, given the probability and the number
/// of words of each block.
fn best_expected(weighed: &[(f64, f64)], kept: &mut [bool]) {
    let all = expected(weighed);
    let probabilities = (0u32..).zip(weighed).map(|(at, (p, _))| (at, *p));
    let places: Vec<usize> = most_probable_first(probabilities).map(|at| at as usize).collect();
    let (mut hit, mut size, mut best, mut best_len) = (0.0, 0.0, 0.0, 0);
    for (rank, at) in places.iter().enumerate() {
        let (p, w) = weighed.get(*at).copied().unwrap_or_default();
        hit += p * w;
        size += w;
        // Given how many are kept, the most probable ones have the highest expected F1, so prefixes are enough.
        let f1 = 2.0 * hit / (size + all);
        // Strictly more, so that blocks without words do not lengthen the choice.
        if f1 > best {
            (best, best_len) = (f1, rank + 1);
        }
    }
    keep(kept, places.into_iter().take(best_len));
}

/// Returns the indices of the blocks by falling probability, equally probable ones in page order.
fn most_probable_first(blocks: impl Iterator<Item = (u32, f64)>) -> impl Iterator<Item = u32> {
    // A number that sorts as both do is compared in one step, without a branch. The bits of what is not
    // negative rise with it.
    let order = sorted(blocks.map(|(at, p)| u128::from(!p.to_bits()) << 64 | u128::from(at)).collect());
    order.into_iter().map(|key| key as u32)
}

fn sorted<T: Ord>(mut order: Vec<T>) -> Vec<T> {
    order.sort_unstable_by(|a, b| {
        #[cfg(test)]
        tests::COMPARISONS.with(|sum| sum.set(sum.get() + 1));
        a.cmp(b)
    });
    order
}

fn keep(kept: &mut [bool], places: impl Iterator<Item = usize>) {
    for at in places {
        if let Some(keep) = kept.get_mut(at) {
            *keep = true;
        }
    }
}

/// Minimum to which a probability, and its distance from 1, is raised before its log odds are taken.
// Numbers of f32 near 1 are 6e-8 apart: a smaller bound could round to 1, whose log odds are infinite.
const MIN_PROBABILITY: f32 = 1e-7;

/// Returns the log odds of a probability, limited to about -16 to 16.
fn log_odds(p: f32) -> f32 {
    let p = p.clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
    (p / (1.0 - p)).ln()
}

/// Number of worlds (random draws of which blocks are content) over which the quality of a choice is averaged.
// 128 worlds moved no set by more than another drawing of the errors did, at four times the cost.
pub(crate) const WORLDS: usize = 32;
/// Number of rows of random errors, for the page and its fields and sections (groups of blocks), which may share rows.
// 64 KB of errors, made once. Pages with more fields use rows twice, so that some of their fields err alike.
const ROWS: usize = 512;

type Worlds = [f32; WORLDS];

/// Random errors of log odds for each world (random draw of which blocks are content): mean 0, standard deviation 1.
// Drawn by the compiler: at the start of a run they took as many instructions as choosing on some thirty pages.
#[allow(long_running_const_eval)]
static ERRORS: Errors = Errors::drawn();

/// Errors of log odds for each random draw of content: one row for the page, and one for each group of alike blocks.
struct Errors {
    rows: [Worlds; ROWS],
    /// Highest random error of each row.
    highest: [f32; ROWS],
    /// Log odds below which a block is content in none of the random draws.
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

/// Returns the sum of twelve uniform random numbers less 6, which is nearly normal, and the same on every machine.
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
/// Upper bound on the rounding error of a sum of log odds and random errors.
// The bounds are summed in another order than the exact values, so the last bits may differ.
const ROUNDING_SLACK: f32 = 0.01;

/// Returns the log odds below which a block is content in none of the random draws. Such a block need not be in the
/// order that [`best_in_worlds`] takes.
pub(crate) fn least_odds() -> f32 {
    ERRORS.least
}

/// Best number of blocks to keep from the start of an order of blocks, by the mean F1 over random draws of content.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Prefix {
    /// Number of blocks to keep from the start of the order.
    pub len: usize,
    /// Mean F1 over the random draws if these blocks are kept, 0..=1.
    pub f1: f32,
}

/// Number of words of content that a kept block adds in each world (random draw of which blocks are content).
struct Hit {
    rank: usize,
    /// Number of words in all blocks of the order up to and including this one.
    size: f32,
    of_world: Worlds,
}

/// Returns the first blocks of `order` whose keeping has the highest mean F1 over worlds (random draws of content).
/// `odds` returns the log odds of each block. Keeping nothing is worth 1 in a world without content.
pub(crate) fn best_in_worlds(odds: impl Fn(u32) -> f32, layout: &Layout, order: &[u32]) -> Prefix {
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

/// Number of words of each block of a page, its field (blocks with the same path of names and classes) and its section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub(crate) blocks: Vec<LayoutBlock>,
    /// Number of fields (all blocks with the same path of names and classes are one field) on the page.
    pub(crate) fields: u32,
}

/// Number of words of a block, its field (all blocks with the same path of names and classes) and its section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LayoutBlock {
    pub words: u32,
    /// Number of the block's field (all blocks with the same path of names and classes), in page order.
    pub field: u32,
    /// Index of the element two levels above the block's container, or [`NONE`].
    pub section: u32,
}

impl Layout {
    /// Computes the number of words, the field and the section of each block of a page.
    pub fn of(page: &Page) -> Self {
        let index = page.fields();
        let around = |element: u32| page.element(element).map(|element| element.parent);
        let blocks = page.blocks.iter().zip(&index.of_block);
        let blocks = blocks.map(|(block, field)| {
            let container = page.container(block).map(|(at, _)| at);
            // Parts that are content as a whole, such as a card in a grid, begin above the block's own container.
            let section = container.and_then(around).and_then(around);
            LayoutBlock { words: block.words, field: *field, section: section.unwrap_or(NONE) }
        });
        Self { blocks: blocks.collect(), fields: index.fields }
    }

    /// Iterates over the field number of each block, equal for blocks with the same path of names and classes.
    pub(crate) fn fields(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().map(|place| place.field)
    }

    /// Adds blocks with these numbers of words, none of them in a group (field or section) with another block.
    pub(crate) fn push(&mut self, words: &[u32]) {
        for words in words {
            // Counted down from the top, where no element of a page has its number.
            self.blocks.push(LayoutBlock { words: *words, field: self.fields, section: NONE - 1 - self.fields });
            self.fields += 1;
        }
    }

    /// Moves the log odds of each block towards the mean over all blocks with the same path of names and classes, which
    /// gets the weight `share` (0 to 1). In the mean, blocks count by the square roots of their words.
    pub fn pool(&self, odds: &mut [f32], share: f32) {
        if share == 0.0 {
            return;
        }
        let mut sums = Scratch::filled(self.fields as usize, (0.0f32, 0.0f32));
        for (place, odds) in self.blocks.iter().zip(odds.iter()) {
            if let Some(sum) = sums.get_mut(place.field as usize) {
                // So that fields without words have a mean as well.
                // With the square root, one long block does not outvote all short ones of its field.
                let weight = (place.words as f32).sqrt() + 0.01;
                sum.0 += weight * odds;
                sum.1 += weight;
            }
        }
        for (place, odds) in self.blocks.iter().zip(odds) {
            if let Some((sum, weight)) = sums.get(place.field as usize) {
                *odds += share * (sum / weight - *odds);
            }
        }
    }
}

/// Absolute log odds of the longest of several blocks with the same classes below which the others are judged too.
// With 1 a set of court rulings loses .007 of F1 by `fast`, with 2 it loses .006 by `lite`, and with 2.5 agendas lose .005
// by `best`; with 3 no set loses .0005 (docs/decisions/speed.md).
const DOUBT: f32 = 3.0;

/// Representative of each field (all blocks with the same path of names and classes): its longest block.
pub(crate) struct Representatives<'l> {
    layout: &'l Layout,
    of_field: Vec<u32>,
}

impl<'l> Representatives<'l> {
    pub fn of(layout: &'l Layout) -> Self {
        let mut of_field: Vec<Option<(u32, u32)>> = vec![None; layout.fields as usize];
        for (block, place) in (0..).zip(&layout.blocks) {
            if let Some(longest) = of_field.get_mut(place.field as usize) {
                // Of equal ones the last.
                *longest = (*longest).max(Some((place.words, block)));
            }
        }
        Self { layout, of_field: of_field.into_iter().flatten().map(|(_, block)| block).collect() }
    }

    /// Returns the indices of the longest block of each field (the blocks with the same path of names and classes) and
    /// of the first block of the page, ascending.
    pub fn list(&self) -> Vec<u32> {
        let mut list = self.of_field.clone();
        list.extend(self.layout.blocks.first().map(|_| 0));
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Iterates over the blocks for which a longer one with the same names and classes stands, except the page's first.
    pub fn others(&self) -> impl Iterator<Item = (u32, u32)> {
        let all = (0..).zip(self.layout.fields());
        let all = all.filter_map(|(block, field)| Some((block, *self.of_field.get(field as usize)?)));
        // The first is judged in any case.
        all.filter(|(block, longest)| block != longest && *block != 0)
    }
}

impl Layout {
    /// Sets the log odds of each block to those of the longest block with the same path of names and classes, unless
    /// these are close to 0. Does nothing if `share`, the weight of the mean over such blocks, is 0.
    pub fn represent(&self, odds: &mut [f32], share: f32) {
        // The paper judges every block by itself.
        if share == 0.0 {
            return;
        }
        for (block, longest) in Representatives::of(self).others() {
            let of_longest = odds.get(longest as usize).copied().filter(|odds| !is_in_doubt(*odds));
            if let (Some(odds), Some(of_longest)) = (odds.get_mut(block as usize), of_longest) {
                *odds = of_longest;
            }
        }
    }
}

/// Returns whether log odds of the longest of several alike blocks are NaN, or too close to 0 to hold for the others.
pub(crate) fn is_in_doubt(odds: f32) -> bool {
    odds.is_nan() || odds.abs() < DOUBT
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    impl Layout {
        /// Creates a layout of blocks with these numbers of words, each in a field and a section of its own.
        pub(crate) fn of_words(words: &[u32]) -> Self {
            let mut layout = Self::default();
            layout.push(words);
            layout
        }
    }

    #[test]
    fn a_threshold_keeps_what_reaches_it() {
        let choice = Selection::Threshold(0.5).choose(&[0.5, 0.49, 0.9], &Layout::of_words(&[10, 10, 10]));
        assert_eq!(choice.kept, [true, false, true]);
        assert!((choice.expected_f1 - 2.0 * 14.0 / (20.0 + 18.9)).abs() < 1e-6);
    }

    #[test]
    fn expected_f1_is_highest_for_the_choice() {
        let (p, w) = ([0.9, 0.45, 0.3, 0.05], [100, 40, 30, 200]);
        let choice = Selection::ExpectedF1.choose(&p, &Layout::of_words(&w));
        let all: f32 = p.iter().zip(w).map(|(p, w)| p * w as f32).sum();
        let mut best = 0.0f32;
        for set in 0..16u32 {
            let chosen = |at: usize| set >> at & 1 == 1;
            let hit: f32 = (0..4).filter(|at| chosen(*at)).map(|at| p[at] * w[at] as f32).sum();
            let size: f32 = (0..4).filter(|at| chosen(*at)).map(|at| w[at] as f32).sum();
            best = best.max(2.0 * hit / (size + all));
        }
        assert!((choice.expected_f1 - best).abs() < 1e-5, "{} {best}", choice.expected_f1);
        assert_eq!(choice.kept, [true, true, false, false]);
    }

    std::thread_local! {
        /// Number of comparisons in sorting, the one part of scoring and choosing that is not a fixed number of steps
        /// per block. Rows are scored by tables and trees of the model's own size.
        pub(super) static COMPARISONS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }

    #[test]
    fn a_choice_takes_no_more_comparisons_than_sorting() {
        let orders: [fn(u32, u32) -> f32; 6] = [
            |_, _| 0.5,
            |at, of| at as f32 / of as f32,
            |at, of| 1.0 - at as f32 / of as f32,
            |at, of| (at % 1000).min(of - at) as f32 / of as f32,
            |at, _| (at % 2) as f32,
            |at, _| (at.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32,
        ];
        for of in [1 << 14, 1 << 15, 1 << 16, 1 << 18] {
            for order in orders {
                let probabilities: Vec<f32> = (0..of).map(|at| order(at, of)).collect();
                COMPARISONS.with(|sum| sum.set(0));
                Selection::ExpectedF1.choose(&probabilities, &Layout::of_words(&vec![7; of as usize]));
                let taken = COMPARISONS.with(std::cell::Cell::get);
                assert!(taken <= 2 * u64::from(of * of.ilog2()), "{taken} for {of}");
            }
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(Selection::ExpectedF1.choose(&[], &Layout::default()), Choice::default());
        assert_eq!(Selection::ExpectedF1.choose(&[0.0], &Layout::of_words(&[3])).kept, [false]);
    }

    #[test]
    fn sharp_probabilities_leave_doubtful_crowds_out() {
        // One block of sure content against many doubtful ones.
        let probabilities = [0.95, 0.4, 0.4, 0.4, 0.4, 0.4];
        let words = Layout::of_words(&[100; 6]);
        let plain = Selection::ExpectedF1.choose(&probabilities, &words);
        let sharp = Selection::SharpF1(3.0).choose(&probabilities, &words);
        assert!(plain.kept.iter().all(|kept| *kept));
        assert_eq!(sharp.kept, [true, false, false, false, false, false]);
        let same = Selection::SharpF1(1.0).choose(&probabilities, &words);
        assert_eq!(same.kept, plain.kept);
        // The expectation is always that of the probabilities as they are.
        assert!((sharp.expected_f1 - 2.0 * 95.0 / (100.0 + 295.0)).abs() < 1e-5);
    }

    #[test]
    fn worlds_alone_are_sharpened() {
        assert_eq!(Selection::Worlds(1.2).sharpened(0.5), Selection::Worlds(0.6));
        for other in [Selection::ExpectedF1, Selection::SharpF1(1.4), Selection::Threshold(0.5)] {
            assert_eq!(other.sharpened(0.5), other);
        }
    }

    #[test]
    fn worlds_choose_nothing_with_a_confidence() {
        let words = Layout::of_words(&[30, 20]);
        let nothing = Selection::Worlds(1.2).choose(&[0.01, 0.02], &words);
        assert_eq!(nothing.kept, [false, false]);
        assert!(nothing.expected_f1 > 0.5, "{nothing:?}");
        let some = Selection::Worlds(1.2).choose(&[0.99, 0.02], &words);
        assert_eq!(some.kept, [true, false]);
        assert!(some.expected_f1 > 0.9, "{some:?}");
        assert_eq!(Selection::Worlds(1.2).choose(&[], &Layout::default()), Choice::default());
    }

    fn layout(blocks: &[(u32, u32)]) -> Layout {
        let blocks = blocks.iter().map(|(words, field)| LayoutBlock { words: *words, field: *field, section: 0 });
        Layout { blocks: blocks.collect(), fields: 8 }
    }

    fn best(odds: &[f32], layout: &Layout) -> Prefix {
        let mut order: Vec<u32> = (0..odds.len() as u32).collect();
        order.sort_by(|a, b| odds[*b as usize].total_cmp(&odds[*a as usize]));
        let found = best_in_worlds(|at| odds[at as usize], layout, &order);
        assert_eq!(found, plainly(odds, layout, &order));
        found
    }

    /// Returns the best prefix as [`best_in_worlds`] does, but computes every block in every world.
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
            let some = best_in_worlds(|at| odds[at as usize], &layout(&blocks), &order);
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

    #[test]
    fn blocks_know_their_section() {
        let page =
            ScanEngine.read("<article><div><p>one</p><p>two three</p></div></article><p>four</p>", &Limits::default());
        let layout = Layout::of(&page);
        let place = |at: usize| layout.blocks[at];
        assert_eq!((place(0).words, place(1).words), (1, 2));
        assert_eq!((place(0).field, place(1).field, place(2).field), (0, 0, 1));
        assert_eq!(page.elements[place(0).section as usize].tag, trommel_html::Tag::Article);
        assert_eq!(place(0).section, place(1).section);
        assert_ne!(place(0).section, place(2).section);
        assert_eq!(Layout::of(&Page::default()), Layout::default());
    }

    #[test]
    fn log_odds_are_drawn_towards_those_of_the_field() {
        let page = ScanEngine.read("<ul><li>one</li><li>one two three four</li></ul><p>five</p>", &Limits::default());
        let layout = Layout::of(&page);
        let mut odds = [3.0, -3.0, 1.0];
        layout.pool(&mut odds, 0.5);
        // Weights 1 and 2.
        let mean = (3.0 * 1.01 - 3.0 * 2.01) / 3.02;
        assert!((odds[0] - (3.0 + mean) / 2.0).abs() < 1e-6, "{odds:?}");
        assert!((odds[1] - (-3.0 + mean) / 2.0).abs() < 1e-6, "{odds:?}");
        assert_eq!(odds[2], 1.0);
        let mut alone = [3.0, -3.0, 1.0];
        layout.pool(&mut alone, 0.0);
        assert_eq!(alone, [3.0, -3.0, 1.0]);
    }

    #[test]
    fn the_longest_of_a_field_stands_for_it() {
        let html = "<p>a b<ul><li>one<li>one two three<li>one two</ul><p>a b c<h2>x</h2>";
        let page = ScanEngine.read(html, &Limits::default());
        let layout = Layout::of(&page);
        let found = Representatives::of(&layout);
        assert_eq!(found.list(), [0, 2, 4, 5]);
        assert_eq!(found.others().collect::<Vec<_>>(), [(1, 2), (3, 2)]);
        let none = Layout::of(&trommel_html::Page::default());
        assert!(Representatives::of(&none).list().is_empty());
        assert!(is_in_doubt(-2.9) && is_in_doubt(f32::NAN) && !is_in_doubt(3.0) && !is_in_doubt(-3.0));
    }
}
