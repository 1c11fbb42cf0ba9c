//! The quality rules of Gopher.
//!
//! Rae et al., "Scaling Language Models: Methods, Analysis & Insights from Training Gopher" (2021), appendix
//! A1.1, "Quality Filtering". In scripts without spaces a word is two characters. The rule on the mean length
//! of words does not apply there, because it would say nothing.

use trommel_extract::Document;
use trommel_text::TextStats;

use crate::filters::{Filter, Reason};

/// Bounds of the number of words.
const WORDS: (u32, u32) = (50, 100_000);
/// Bounds of the mean length of words, in characters.
const WORD_LENGTH: (f64, f64) = (3.0, 10.0);
/// Maximum number of hashes, and of ellipses, for each word.
const SYMBOLS: f64 = 0.1;
/// Maximum share of lines that begin with a bullet.
const BULLETS: f64 = 0.9;
/// Maximum share of lines that end with an ellipsis.
const ELLIPSES: f64 = 0.3;
/// Minimum share of words with a letter.
const LETTERS: f64 = 0.8;
/// Minimum number of different stop words in an English text.
const STOP_WORDS: usize = 2;
/// The stop words.
const STOPS: [&str; 8] = ["the", "be", "to", "of", "and", "that", "have", "with"];

/// The rules; see the module.
#[derive(Debug)]
pub(crate) struct Gopher;

/// The counts that the rules read.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Words in spaced scripts, and their characters.
    spaced: u32,
    spaced_chars: u64,
    /// Characters of scripts without spaces.
    unspaced: u32,
    /// Half words with a letter.
    pub(crate) lettered: u32,
    /// Bits of the stop words seen.
    stops: u8,
}

impl Counts {
    pub(crate) fn of(stats: &TextStats<'_>) -> Self {
        let mut counts = Self::default();
        for (word, lower) in stats.words().iter().zip(stats.lower().split(' ')) {
            if word.has_letter {
                counts.lettered += word.half_words;
            }
            if word.half_words == 1 {
                counts.unspaced += 1;
                continue;
            }
            counts.spaced += 1;
            counts.spaced_chars += u64::from(word.chars);
            if let Some(at) = STOPS.iter().position(|stop| *stop == lower) {
                counts.stops |= 1 << at;
            }
        }
        counts
    }

    pub(crate) fn half_words(&self) -> u32 {
        2 * self.spaced + self.unspaced
    }

    /// Mean number of characters of the words in spaced scripts.
    pub(crate) fn mean_length(&self) -> f64 {
        self.spaced_chars as f64 / f64::from(self.spaced.max(1))
    }
}

/// Hashes or ellipses, whichever are more.
pub(crate) fn symbols(text: &str) -> usize {
    text.matches('#').count().max(text.matches("...").count() + text.matches('…').count())
}

/// Share of the lines that are not empty for which a test holds.
pub(crate) fn share_of_lines(text: &str, test: fn(&str) -> bool) -> f64 {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines().filter(|line| test(line)).count() as f64 / lines().count().max(1) as f64
}

impl Filter for Gopher {
    fn describe(&self) -> String {
        format!(
            "Gopher quality: {} to {} words of {} to {} characters on average, symbols, bullets, \
             ellipses, letters, English stop words",
            WORDS.0, WORDS.1, WORD_LENGTH.0, WORD_LENGTH.1
        )
    }

    fn document(&self, document: &Document, stats: &TextStats<'_>) -> Option<Reason> {
        let text = stats.text();
        let counts = Counts::of(stats);
        let count = f64::from(counts.half_words()) / 2.0;
        if count < f64::from(WORDS.0) || count > f64::from(WORDS.1) {
            return Some(Reason::GopherWords);
        }
        let bounds = WORD_LENGTH.0..=WORD_LENGTH.1;
        if counts.unspaced <= counts.spaced && !bounds.contains(&counts.mean_length()) {
            return Some(Reason::GopherWordLength);
        }
        if symbols(text) as f64 > SYMBOLS * count {
            return Some(Reason::GopherSymbols);
        }
        if share_of_lines(text, has_bullet) > BULLETS {
            return Some(Reason::GopherBullets);
        }
        if share_of_lines(text, |line| line.ends_with("...") || line.ends_with('…')) > ELLIPSES {
            return Some(Reason::GopherEllipses);
        }
        if f64::from(counts.lettered) < LETTERS * f64::from(counts.half_words()) {
            return Some(Reason::GopherLetters);
        }
        let english = document.lang.as_deref() == Some("en");
        (english && (counts.stops.count_ones() as usize) < STOP_WORDS).then_some(Reason::GopherStopWords)
    }
}

pub(crate) fn has_bullet(line: &str) -> bool {
    line.starts_with(['•', '‣', '◦', '●', '○', '▪', '■', '·', '–']) || line.starts_with("- ") || line.starts_with("* ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(text: &str, lang: Option<&str>) -> Option<Reason> {
        let document = Document { text: text.to_owned(), lang: lang.map(str::to_owned), ..Document::default() };
        Gopher.document(&document, &TextStats::new(text))
    }

    /// Sixty words in lines of six.
    fn prose() -> String {
        "The mill stands by that river\n".repeat(10)
    }

    #[test]
    fn prose_stays() {
        assert_eq!(judge(&prose(), Some("en")), None);
        let chinese = "我在湖南张家界开一个全省教学研究会议。".repeat(6);
        assert_eq!(judge(&chinese, Some("zh")), None);
        let thai = "ผมชอบกินข้าวผัดกุ้งมากๆ ".repeat(6);
        assert_eq!(judge(&thai, Some("th")), None);
    }

    #[test]
    fn each_rule_alone() {
        for (text, reason) in [
            ("The mill of".to_owned(), Reason::GopherWords),
            ("我在湖南张家界。".to_owned(), Reason::GopherWords),
            ("a b ".repeat(50), Reason::GopherWordLength),
            ("internationalization ".repeat(60), Reason::GopherWordLength),
            (format!("{}{}", prose(), "# ".repeat(7)), Reason::GopherSymbols),
            (format!("{}{}", prose(), "what... ".repeat(8)), Reason::GopherSymbols),
            (prose().lines().map(|line| format!("- {line}\n")).collect(), Reason::GopherBullets),
            (
                prose()
                    .lines()
                    .enumerate()
                    .map(|(at, line)| format!("{line}{}\n", if at % 2 == 0 { "…" } else { "" }))
                    .collect(),
                Reason::GopherEllipses,
            ),
            ("the mill of 1234 5678 ".repeat(20), Reason::GopherLetters),
            ("mill river wheel ".repeat(20), Reason::GopherStopWords),
        ] {
            assert_eq!(judge(&text, Some("en")), Some(reason), "{text}");
        }
    }

    #[test]
    fn stop_words_are_english_only() {
        let text = "Mühle Fluss Wehr ".repeat(20);
        assert_eq!(judge(&text, Some("de")), None);
        assert_eq!(judge(&text, None), None);
    }
}
