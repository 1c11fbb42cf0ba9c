//! Draws the page as a row of bars.

use crate::viewer::escape::WordCount;
use crate::viewer::view::Row;

/// Bars of a strip; where a page has more blocks, a bar stands for several that follow each other.
pub const BARS: usize = 800;
/// The length of the longest, as `strip.svg` has it.
const HALF_HEIGHT: f64 = 50.0;

/// A run of blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Index of its first block.
    pub first: usize,
    /// Number of its blocks.
    pub blocks: usize,
    /// Its words.
    pub words: u64,
    /// Mean probability of its words; of its blocks, if it has no words.
    pub probability: f64,
    /// True if at least half of its words (blocks, if it has no words) are kept.
    pub kept: bool,
}

/// At most `most` bars for the blocks in order.
pub fn bars(rows: &[Row], most: usize) -> Vec<Bar> {
    let run = rows.len().div_ceil(most.max(1)).max(1);
    rows.chunks(run)
        .enumerate()
        .map(|(at, rows)| {
            let words: u64 = rows.iter().map(|row| u64::from(row.words)).sum();
            let weight = |row: &Row| match words {
                0 => 1.0,
                _ => f64::from(row.words),
            };
            let all: f64 = rows.iter().map(weight).sum();
            let likely: f64 = rows.iter().map(|row| weight(row) * f64::from(row.probability)).sum();
            let kept: f64 = rows.iter().filter(|row| row.kept).map(weight).sum();
            Bar { first: at * run, blocks: rows.len(), words, probability: likely / all, kept: kept * 2.0 >= all }
        })
        .collect()
}

/// Words of the bar that has most.
pub fn most_words(bars: &[Bar]) -> u64 {
    bars.iter().map(|bar| bar.words).max().unwrap_or(0)
}

/// The length of a bar. It grows with the square root, so that short blocks beside a long one are seen.
pub fn height(words: &u64, most: &u64) -> f64 {
    let share = *words as f64 / (*most).max(1) as f64;
    (share.sqrt() * HALF_HEIGHT).max(2.0)
}

impl Bar {
    /// Its words, with their unit.
    pub fn word_count(&self) -> WordCount {
        WordCount(self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(words: u32, probability: f32) -> Row<'static> {
        Row { words, probability, kept: probability > 0.5, ..Row::default() }
    }

    #[test]
    fn few_blocks_have_a_bar_each() {
        let all = bars(&[row(4, 0.25), row(0, 0.75)], BARS);
        let bar = |first, words, probability, kept| Bar { first, blocks: 1, words, probability, kept };
        assert_eq!(all, [bar(0, 4, 0.25, false), bar(1, 0, 0.75, true)]);
        assert!(bars(&[], BARS).is_empty());
    }

    #[test]
    fn many_blocks_share_bars() {
        let rows = [row(1, 0.0), row(3, 1.0), row(0, 0.0), row(0, 0.5), row(7, 0.25)];
        let all = bars(&rows, 3);
        assert_eq!(all.len(), 3);
        assert_eq!(all[0], Bar { first: 0, blocks: 2, words: 4, probability: 0.75, kept: true });
        assert_eq!((all[1].probability, all[1].kept), (0.25, false));
        assert_eq!((all[2].first, all[2].blocks), (4, 1));
        let many: Vec<Row> = (0..100_000).map(|_| row(1, 0.5)).collect();
        assert_eq!(bars(&many, BARS).len(), BARS);
    }
}
