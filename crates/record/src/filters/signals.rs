//! Measures the quality of a text as numbers, for tables. The rules only compare such numbers with limits.

use trommel_text::TextStats;

use crate::filters::gopher::{Counts, has_bullet, share_of_lines, symbols};
use crate::filters::minhash;
use crate::filters::repetition::{repeated, repeated_lines};

/// Words of a phrase that counts as repeated.
const PHRASE: u32 = 5;

/// The measures of a text. Shares are in 0..=1; those of an empty text are 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextSignals {
    /// Words; in scripts without spaces two characters are one.
    pub words: u32,
    /// Mean number of characters of the words in scripts with spaces; 0 if there are none.
    pub word_length: f32,
    /// Share of the words that have a letter.
    pub lettered: f32,
    /// Hashes or ellipses, whichever are more, a word.
    pub symbols: f32,
    /// Share of the lines that begin with a bullet.
    pub bullets: f32,
    /// Share of the lines that end with an ellipsis.
    pub ellipses: f32,
    /// Share of the lines that repeat an earlier one.
    pub repeated_lines: f32,
    /// Share of the characters that stand in phrases of five words which came before.
    pub repeated_phrases: f32,
    /// Hash of the words in lower case; none if there are none.
    pub exact: Option<u128>,
    /// Keys, one of which near duplicates have in common; none if there are fewer than five words.
    pub near: Vec<u64>,
}

impl TextSignals {
    /// The measures of a text.
    pub fn of(stats: &TextStats<'_>) -> Self {
        let counts = Counts::of(stats);
        let half_words = f64::from(counts.half_words()).max(1.0);
        let chars: u64 = stats.words().iter().map(|word| u64::from(word.chars)).sum();
        Self {
            words: counts.half_words().div_ceil(2),
            word_length: counts.mean_length() as f32,
            lettered: (f64::from(counts.lettered) / half_words) as f32,
            symbols: (2.0 * symbols(stats.text()) as f64 / half_words) as f32,
            bullets: share_of_lines(stats.text(), has_bullet) as f32,
            ellipses: share_of_lines(stats.text(), |line| line.ends_with("...") || line.ends_with('…')) as f32,
            repeated_lines: repeated_lines(stats.text()) as f32,
            repeated_phrases: (repeated(stats.words(), PHRASE) as f64 / (chars as f64).max(1.0)) as f32,
            exact: minhash::exact(stats),
            near: minhash::near(stats),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_measured() {
        let text = "- The mill stands by the river\n- The mill stands by the river\nIt turns 12 # ...";
        let signals = TextSignals::of(&TextStats::new(text));
        assert_eq!(signals.words, 15);
        assert!((signals.bullets - 2.0 / 3.0).abs() < 1e-6, "{signals:?}");
        assert!((signals.ellipses - 1.0 / 3.0).abs() < 1e-6, "{signals:?}");
        assert!((signals.repeated_lines - 1.0 / 3.0).abs() < 1e-6, "{signals:?}");
        assert!((signals.lettered - 14.0 / 15.0).abs() < 1e-6, "{signals:?}");
        assert!((signals.symbols - 1.0 / 15.0).abs() < 1e-6, "{signals:?}");
        assert!((signals.word_length - 55.0 / 15.0).abs() < 1e-6, "{signals:?}");
        // The phrase of five words that comes again; the sixth word is left over.
        assert!((signals.repeated_phrases - 18.0 / 55.0).abs() < 1e-6, "{signals:?}");
        assert!(signals.exact.is_some() && signals.near.len() == 14);
        assert_eq!(TextSignals::of(&TextStats::new("")), TextSignals::default());
    }
}
