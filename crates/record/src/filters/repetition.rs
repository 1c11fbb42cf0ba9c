//! The repetition rules of Gopher.
//!
//! Rae et al., "Scaling Language Models: Methods, Analysis & Insights from Training Gopher" (2021),
//! appendix A1.1, "Repetition Removal", table A1. Phrases are counted as in [`trommel_text::shingle`]: in scripts
//! without spaces a word is two characters.

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_extract::Document;

use trommel_text::shingle::shingle;
use trommel_text::{TextStats, Word, mix};

use crate::filters::{Filter, Reason};

/// Maximum share of lines, and of paragraphs, that repeat earlier ones.
const MAX_REPEATED_SHARE: f64 = 0.3;
/// Maximum share of the characters in repeated lines or paragraphs.
const REPEATED_CHARS: f64 = 0.2;
/// Words of a phrase, and the most of the characters that the most frequent such phrase may hold.
const TOP_PHRASE_SHARES: [(u32, f64); 3] = [(2, 0.20), (3, 0.18), (4, 0.16)];
/// Words of a phrase, and the most of the characters that phrases which came before may hold.
const PHRASES: [(u32, f64); 6] = [(5, 0.15), (6, 0.14), (7, 0.13), (8, 0.12), (9, 0.11), (10, 0.10)];

/// The rules; see the module.
#[derive(Debug)]
pub(crate) struct Repetition;

impl Filter for Repetition {
    fn describe(&self) -> String {
        "Gopher repetition: lines, paragraphs, phrases of 2 to 10 words".to_owned()
    }

    fn document(&self, _: &Document, stats: &TextStats<'_>) -> Option<Reason> {
        let text = stats.text();
        if repeats(text.lines()) {
            return Some(Reason::GopherLines);
        }
        if repeats(text.split("\n\n")) {
            return Some(Reason::GopherParagraphs);
        }
        let words = stats.words();
        let chars: u64 = words.iter().map(|word| u64::from(word.chars)).sum();
        let is_over = |held: u64, most: f64| held as f64 > most * chars as f64;
        if TOP_PHRASE_SHARES.iter().any(|&(length, most)| is_over(top(words, length), most)) {
            return Some(Reason::GopherTopPhrase);
        }
        PHRASES.iter().any(|&(length, most)| is_over(repeated(words, length), most)).then_some(Reason::GopherPhrases)
    }
}

/// Returns whether too many of the parts, by number or by characters, repeat an earlier one.
fn repeats<'a>(parts: impl Iterator<Item = &'a str>) -> bool {
    let [all, again, chars, chars_again] = repetitions(parts);
    again as f64 > MAX_REPEATED_SHARE * all as f64 || chars_again as f64 > REPEATED_CHARS * chars as f64
}

/// Share of the lines that repeat an earlier one.
pub(crate) fn repeated_lines(text: &str) -> f64 {
    let [all, again, ..] = repetitions(text.lines());
    again as f64 / all.max(1) as f64
}

/// Number of the parts and of those that repeat an earlier one, and their characters.
fn repetitions<'a>(parts: impl Iterator<Item = &'a str>) -> [u64; 4] {
    let mut seen = FxHashSet::default();
    let (mut all, mut again, mut chars, mut chars_again) = (0u64, 0u64, 0u64, 0u64);
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        let length = part.chars().count() as u64;
        let repeated = u64::from(!seen.insert(mix(trommel_text::hash(part.as_bytes()))));
        all += 1;
        chars += length;
        again += repeated;
        chars_again += repeated * length;
    }
    [all, again, chars, chars_again]
}

/// Characters that the most frequent phrase holds, if it comes twice or more.
fn top(words: &[Word], length: u32) -> u64 {
    let mut counts: FxHashMap<u64, (u64, u32)> = FxHashMap::default();
    for at in 0..words.len() {
        let Some(phrase) = words.get(at..).and_then(|rest| shingle(rest, length)) else { break };
        counts.entry(phrase.hash).or_insert((0, phrase.chars)).0 += 1;
    }
    counts
        .into_values()
        .filter(|&(count, _)| count > 1)
        .map(|(count, chars)| count * u64::from(chars))
        .max()
        .unwrap_or(0)
}

/// Characters of the phrases that came before, none counted twice.
pub(crate) fn repeated(words: &[Word], length: u32) -> u64 {
    let mut seen = FxHashSet::default();
    let (mut at, mut chars) = (0, 0);
    while let Some(phrase) = words.get(at..).and_then(|rest| shingle(rest, length)) {
        if seen.insert(phrase.hash) {
            at += 1;
        } else {
            chars += u64::from(phrase.chars);
            at += phrase.words;
        }
    }
    chars
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(text: &str) -> Option<Reason> {
        let document = Document { text: text.to_owned(), ..Document::default() };
        Repetition.document(&document, &TextStats::new(text))
    }

    #[test]
    fn prose_stays() {
        let english = "The mill stands by the river, and its wheel has turned there for two hundred \
                       years. Nobody knows who built it, though a stone over the door bears a date.";
        assert_eq!(judge(english), None);
        let chinese = "我在湖南张家界开一个全省教学研究会议。按照惯例，会议安排了一天时间，让与会者去风景点游玩观赏。";
        assert_eq!(judge(chinese), None);
        assert_eq!(judge(""), None);
    }

    #[test]
    fn lines_and_paragraphs() {
        assert_eq!(judge("one two\none two\nthree four"), Some(Reason::GopherLines));
        let paragraphs = format!("{}\n\nx\n\nx", "a b c d e f g h\nk l m n o p q\nr s t u v w");
        assert_eq!(judge(&paragraphs), Some(Reason::GopherParagraphs));
    }

    #[test]
    fn phrases() {
        let top = "new york a1 new york b2 new york c3 new york d4 new york e5";
        assert_eq!(judge(top), Some(Reason::GopherTopPhrase));
        let words: Vec<String> = (0..40).map(|at| format!("w{at}")).collect();
        let text = format!("{} {}", words.join(" "), words.get(..12).unwrap().join(" "));
        assert_eq!(judge(&text), Some(Reason::GopherPhrases));
        let chinese = "我在湖南张家界开一个全省教学研究会议。我在湖南张家界开一个全省教学研究会议。";
        assert_eq!(judge(chinese), Some(Reason::GopherTopPhrase));
    }

    #[test]
    fn counts_of_characters() {
        let stats = TextStats::new("a b a b a b");
        assert_eq!(top(stats.words(), 2), 6);
        assert_eq!(repeated(stats.words(), 2), 4);
        assert_eq!(top(TextStats::new("a b c").words(), 2), 0);
    }
}
