//! Finds the prose of a page and the distance of each block to it: the verdicts of cheap whole-page methods
//! as features.
//!
//! The *top* is the element with the most prose directly inside it; a grandparent gets half (the candidate of
//! Readability). The intervals are those of BTE (Finn, Kushmerick and Smyth, 2001) and of maximum subsequence
//! segmentation (Pasternack and Roth, WWW 2009).

use trommel_html::{NONE, Page};

use super::elements::{ElementFacts, PROSE_DENSITY};
use super::paths::Meeting;
use super::shape::{Shape, Sums};
use crate::features::log::{flag, log};
use crate::features::scratch::Scratch;

/// Names of the features about a block's place relative to prose that [`Prose::features`] returns.
pub(crate) const PROSE_NAMES: [&str; 19] = [
    "prose.log_own", "prose.inside", "prose.before", "prose.after", "prose.up", "prose.down", "prose.meeting_density",
    "prose.log_blocks_away", "prose.words_away", "prose.in_bte", "prose.in_segment", "prose.page_log_words",
    "prose.page_share", "prose.top_share", "prose.top_log_words", "prose.top_density", "prose.second",
    "prose.page_log_blocks", "prose.log_longest",
];

/// Distribution of prose (running text) over the blocks and elements of a page.
#[derive(Debug, Default)]
pub(crate) struct Prose {
    block_words: Scratch<u32>,
    page_words: u32,
    /// Number of words in prose on the page.
    pub total: u32,
    /// Index in `Paths` of the element with the most prose directly inside it, or [`NONE`].
    top: u32,
    /// Index in the page's table of the element with the most prose directly inside it, or [`NONE`].
    pub top_element: u32,
    meetings: Scratch<Meeting>,
    top_depth: u16,
    /// Index in `Paths` just past the last element inside the element with the most prose.
    top_end: u32,
    /// Index of the first block in the element with the most prose, and one past the last; both 0 without prose.
    top_blocks: (usize, usize),
    /// Number of words of the page before the element with the most prose, and up to its end.
    words_around_top: [u32; 2],
    /// Number of words of the page before each block, and as the last entry the number of all words.
    words_before: Scratch<u32>,
    bte: (usize, usize),
    segment: (usize, usize),
    /// Share of prose in the words of the element with the most prose directly inside it (0 to 1).
    top_density: f32,
    /// Features of the whole page: log of its number of words in prose, and their share of all words. For the element
    /// with the most prose: its share of the page's prose, and log of its words in prose. Then prose of the second such
    /// element relative to the first, log of the number of blocks with prose, and log of the most words in one.
    of_page: [f32; 7],
}

/// Returns the number of words before each block, followed by the number of all words; and the latter also by itself.
fn words_before(page: &Page) -> (Scratch<u32>, u32) {
    let mut words_before = Scratch::with_capacity(page.blocks.len() + 1);
    let mut words = 0;
    for block in &page.blocks {
        // One more than blocks, so that words up to the end are found without a special case.
        words_before.push(words);
        words += block.words;
    }
    words_before.push(words);
    (words_before, words)
}

impl Prose {
    pub fn new(page: &Page, shapes: &[Shape], elements: &ElementFacts) -> Self {
        let ElementFacts { paths, sums, containers, .. } = elements;
        let block_words: Scratch<u32> =
            page.blocks.iter().zip(shapes).map(|(block, shape)| shape.prose_words(block)).collect();
        // In halves of a word, so that a grandparent's half is a whole number.
        let mut direct = Scratch::filled(paths.len(), 0u32);
        for (block, prose) in page.blocks.iter().zip(&block_words) {
            let Some((container, _)) = page.container(block).filter(|_| *prose > 0) else { continue };
            // As in Readability, the score goes to the parent of a paragraph: paragraphs of one text are siblings.
            let around = paths.parent(paths.around(container));
            if let Some(sum) = direct.get_mut(around as usize) {
                *sum += 2 * prose;
                if let Some(sum) = direct.get_mut(paths.parent(around) as usize) {
                    *sum += prose;
                }
            }
        }
        // Of equal sums the first element, which is also the outer one.
        let best =
            (0u32..).zip(&direct).filter(|(_, prose)| **prose > 0).max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(&a.0)));
        let top = best.map_or(NONE, |(at, _)| at);
        let range = |at: u32| (at, paths.ends.get(at as usize).copied().unwrap_or(at));
        let (first, end) = range(top);
        let second = (0u32..)
            .zip(&direct)
            .filter(|(at, prose)| {
                let (own_first, own_end) = range(*at);
                // Only elements beside the top count as a rival; those inside or around it share its prose.
                **prose > 0 && (own_end <= first || own_first >= end)
            })
            .map(|(_, prose)| *prose)
            .max()
            .unwrap_or(0);
        let is_in_top = |place: &u32| (first..end).contains(place) && top != NONE;
        let from = paths.blocks.iter().position(is_in_top);
        let to = paths.blocks.iter().rposition(is_in_top);
        let (words_before, words) = words_before(page);
        let bte = best_interval(page.blocks.iter().map(|block| {
            // BTE: words count for an interval, tags against it.
            let tags = i64::from(block.tags_before + block.tags_inside);
            i64::from(block.words) - tags
        }));
        let segment = best_interval(page.blocks.iter().zip(&block_words).map(|(block, prose)| {
            // The constant makes a gap between paragraphs cost something: an interval bridges only gaps that prose
            // outweighs.
            2 * i64::from(*prose) - 3 * i64::from(block.link_words) - i64::from(block.tags_before) - 6
        }));
        let top_blocks = from.zip(to).map_or((0, 0), |(from, to)| (from, to + 1));
        let words_before_block = |at: usize| words_before.get(at).copied().unwrap_or(0);
        let total: u32 = block_words.iter().sum();
        let in_top = sums.get(top as usize).map_or(0, |sum| sum.prose);
        let blocks = block_words.iter().filter(|prose| **prose > 0).count();
        Self {
            top_end: end,
            words_around_top: [words_before_block(top_blocks.0), words_before_block(top_blocks.1)],
            top_density: containers.of(top)[PROSE_DENSITY],
            of_page: [
                log(total),
                Sums::share(total, words),
                Sums::share(in_top, total),
                log(in_top),
                second as f32 / best.map_or(1, |(_, prose)| *prose).max(1) as f32,
                log(blocks),
                log(block_words.iter().copied().max().unwrap_or(0)),
            ],
            meetings: paths.meetings(page, top),
            top_blocks,
            page_words: words,
            total,
            block_words,
            top,
            top_element: paths.elements.get(top as usize).copied().unwrap_or(NONE),
            top_depth: paths.depth(page, top),
            words_before,
            bte,
            segment,
        }
    }

    /// Returns the features of block `at` about its place relative to the prose, except those for each level above it.
    #[inline(always)]
    pub fn features(&self, elements: &ElementFacts, at: usize) -> [f32; PROSE_NAMES.len()] {
        let (Some(meeting), Some(prose_words), Some(before), Some(after)) =
            (self.meetings.get(at), self.block_words.get(at), self.words_before.get(at), self.words_before.get(at + 1))
        else {
            return [0.0; PROSE_NAMES.len()];
        };
        let (from, to) = self.top_blocks;
        let has_top = from < to;
        let is_inside = has_top && (self.top..self.top_end).contains(&elements.paths.of_block(at));
        let [words_to, words_from] = self.words_around_top;
        let is_behind = at >= to && has_top;
        let (blocks_away, words_away) = if at < from {
            (from - at, words_to - after)
        } else if is_behind {
            (at + 1 - to, before - words_from)
        } else {
            (0, 0)
        };
        let [page_log, page_share, top_share, top_log, second, page_blocks, longest] = self.of_page;
        [
            log(*prose_words),
            flag(is_inside),
            flag(at < from),
            flag(is_behind),
            log(meeting.up),
            log(self.top_depth.saturating_sub(meeting.depth)),
            elements.containers.of(meeting.place)[PROSE_DENSITY],
            log(blocks_away),
            Sums::share(words_away, self.page_words),
            flag((self.bte.0..self.bte.1).contains(&at)),
            flag((self.segment.0..self.segment.1).contains(&at)),
            page_log,
            page_share,
            top_share,
            top_log,
            self.top_density,
            second,
            page_blocks,
            longest,
        ]
    }
}

/// Returns the run of values with the highest sum: first index, and one past the last. (0, 0) if none is above 0.
fn best_interval(values: impl Iterator<Item = i64>) -> (usize, usize) {
    let (mut best, mut best_sum) = ((0, 0), 0);
    let (mut start, mut sum) = (0, 0);
    for (at, value) in values.enumerate() {
        // Kadane's algorithm: a run that sums to nothing cannot begin the best interval.
        if sum <= 0 {
            (start, sum) = (at, 0);
        }
        sum += value;
        if sum > best_sum {
            (best, best_sum) = ((start, at + 1), sum);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_run_is_found() {
        assert_eq!(best_interval([-1, 3, -1, 2, -9, 3].into_iter()), (1, 4));
        assert_eq!(best_interval([-1, 0].into_iter()), (0, 0));
    }
}
