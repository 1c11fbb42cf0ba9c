//! Applies the published rules of Gopher and C4 about the quality of a text.
//!
//! Rae et al., "Scaling Language Models: Methods, Analysis & Insights from Training Gopher" (2021), appendix A1.1,
//! "Quality Filtering" and "Repetition Removal" (table A1). In scripts without spaces a word is two characters, and
//! phrases are counted as in [`trommel_text::words`]. The rule on the mean length of words does not apply there,
//! because all words would have the same length.
//!
//! Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", JMLR 21 (2020),
//! section 2.2. C4 also removes lines from the text that it keeps; here lines only count toward the sentences. C4's
//! list of bad words and its rule on repeated spans of three sentences are left out.

use std::ops::RangeInclusive;

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_extract::Document;
use trommel_text::words::{is_unspaced, shingle};
use trommel_text::{TextStats, Word, half_words, mix};

use crate::filters::{Reason, TextRule};

/// Function that judges a document by the words of its text, and returns the reason to drop it.
type Judge = fn(&Document, &TextStats<'_>) -> Option<Reason>;

/// Rules on a text in the order in which they are applied, each with its description and its function.
pub(super) const RULES: [(TextRule, &str, Judge); 4] = [
    (
        TextRule::BlockPage,
        "no block page: captcha, access denied, consent, log-in form, not found, parked",
        // What the model takes the page for is no reason: it learned such pages from a few.
        |document, _| document.blocked.map(|_| Reason::BlockPage),
    ),
    (TextRule::C4, "C4: no curly bracket, no \"lorem ipsum\", 3 sentences or more in whole lines", |_, stats| {
        c4(stats)
    }),
    (
        TextRule::Gopher,
        "Gopher quality: 50 to 100000 words of 3 to 10 characters on average, symbols, bullets, ellipses, letters, \
         English stop words",
        gopher,
    ),
    (TextRule::GopherRepetition, "Gopher repetition: lines, paragraphs, phrases of 2 to 10 words", |_, stats| {
        repetition(stats)
    }),
];

/// Minimum and maximum number of words in a text; shorter and longer texts are dropped (Gopher).
const WORDS: (f64, f64) = (50.0, 100_000.0);
/// Minimum and maximum of the mean length of words, in characters; other texts are dropped (Gopher).
const WORD_LENGTH: RangeInclusive<f64> = 3.0..=10.0;
/// Maximum number of hashes, and of ellipses, for each word; texts with more are dropped (Gopher).
const SYMBOLS: f64 = 0.1;
/// Maximum share of lines that begin with a bullet, 0 to 1; texts with more are dropped (Gopher).
const BULLETS: f64 = 0.9;
/// Maximum share of lines that end with an ellipsis, 0 to 1; texts with more are dropped (Gopher).
const ELLIPSES: f64 = 0.3;
/// Minimum share of words that have a letter, 0 to 1; texts with a lower share are dropped (Gopher).
const LETTERS: f64 = 0.8;
/// Minimum number of different stop words in an English text; texts with fewer are dropped (Gopher).
const STOP_WORDS: u32 = 2;
/// English stop words, of which a text must have some (Gopher).
const STOPS: [&str; 8] = ["the", "be", "to", "of", "and", "that", "have", "with"];

/// Counts of words in a text that Gopher's quality rules use.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Number of words in scripts that put spaces between words.
    spaced: u32,
    /// Number of characters in the words of scripts that put spaces between words.
    spaced_chars: u64,
    /// Number of characters in scripts without spaces between words, such as Chinese.
    unspaced: u32,
    /// Number of words with a letter, in halves: a character of a script without spaces counts 1, any other word 2.
    pub(crate) lettered: u32,
    /// Bit set of the stop words that occur in the text, by their index in `STOPS`.
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

    /// Returns the mean number of characters of the words in scripts with spaces.
    pub(crate) fn mean_length(&self) -> f64 {
        self.spaced_chars as f64 / f64::from(self.spaced.max(1))
    }
}

/// Returns the number of hashes or of ellipses in a text, whichever is larger.
pub(crate) fn symbols(text: &str) -> usize {
    text.matches('#').count().max(text.matches("...").count() + text.matches('…').count())
}

/// Returns the share (0 to 1) of the non-empty lines that pass `test`.
pub(crate) fn share_of_lines(text: &str, test: fn(&str) -> bool) -> f64 {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines().filter(|line| test(line)).count() as f64 / lines().count().max(1) as f64
}

/// Returns the reason to drop a document by the quality rules of Gopher; `None` if it passes.
fn gopher(document: &Document, stats: &TextStats<'_>) -> Option<Reason> {
    let text = stats.text();
    let counts = Counts::of(stats);
    let count = f64::from(counts.half_words()) / 2.0;
    let is_of_spaced = counts.unspaced <= counts.spaced;
    let is_english = document.lang.as_deref() == Some("en");
    let faults = [
        (count < WORDS.0 || count > WORDS.1, Reason::GopherWords),
        (is_of_spaced && !WORD_LENGTH.contains(&counts.mean_length()), Reason::GopherWordLength),
        (symbols(text) as f64 > SYMBOLS * count, Reason::GopherSymbols),
        (share_of_lines(text, has_bullet) > BULLETS, Reason::GopherBullets),
        (share_of_lines(text, is_cut) > ELLIPSES, Reason::GopherEllipses),
        (f64::from(counts.lettered) < LETTERS * f64::from(counts.half_words()), Reason::GopherLetters),
        (is_english && counts.stops.count_ones() < STOP_WORDS, Reason::GopherStopWords),
    ];
    faults.into_iter().find_map(|(is_fault, reason)| is_fault.then_some(reason))
}

pub(crate) fn is_cut(line: &str) -> bool {
    line.ends_with("...") || line.ends_with('…')
}

pub(crate) fn has_bullet(line: &str) -> bool {
    line.starts_with(['•', '‣', '◦', '●', '○', '▪', '■', '·', '–']) || line.starts_with("- ") || line.starts_with("* ")
}

/// Maximum share of lines, or of paragraphs, that repeat earlier ones, 0 to 1; texts with more are dropped (Gopher).
const MAX_REPEATED_SHARE: f64 = 0.3;
/// Maximum share of the characters in repeated lines or paragraphs, 0 to 1; texts with more are dropped (Gopher).
const REPEATED_CHARS: f64 = 0.2;
/// Pairs: the length of a phrase in words, and the maximum share of a text's characters in its most frequent phrase of
/// that length (Gopher).
const TOP_PHRASE_SHARES: [(u32, f64); 3] = [(2, 0.20), (3, 0.18), (4, 0.16)];
/// Pairs: the length of a phrase in words, and the maximum share of a text's characters in repeated phrases of that
/// length (Gopher).
const PHRASES: [(u32, f64); 6] = [(5, 0.15), (6, 0.14), (7, 0.13), (8, 0.12), (9, 0.11), (10, 0.10)];

/// Returns the reason to drop a document by the repetition rules of Gopher; `None` if it passes.
fn repetition(stats: &TextStats<'_>) -> Option<Reason> {
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

/// Returns whether too many of the lines or paragraphs, by number or by characters, repeat an earlier one.
fn repeats<'a>(parts: impl Iterator<Item = &'a str>) -> bool {
    let [all, again, chars, chars_again] = repetitions(parts);
    again as f64 > MAX_REPEATED_SHARE * all as f64 || chars_again as f64 > REPEATED_CHARS * chars as f64
}

/// Returns the share (0 to 1) of the non-empty lines that repeat an earlier line.
pub(crate) fn repeated_lines(text: &str) -> f64 {
    let [all, again, ..] = repetitions(text.lines());
    again as f64 / all.max(1) as f64
}

/// Returns four counts of non-empty lines or paragraphs: all, those that repeat an earlier one, and the characters of
/// both.
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

/// Returns the number of characters in all occurrences of the most frequent repeated phrase of `length` words, or 0.
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

/// Returns the number of characters in phrases of `length` words that occurred before; no character is counted twice.
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

/// Minimum number of sentences on a page; pages with fewer are dropped (C4).
const SENTENCES: usize = 3;
/// Minimum number of words in a line; sentences in shorter lines do not count (C4).
const LINE_WORDS: u32 = 5;
/// Phrases of boilerplate, such as cookie notices; sentences in a line with one of these phrases do not count (C4).
const BOILERPLATE: [&str; 7] =
    ["javascript", "terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies"];
/// Closing quotation marks and brackets that may follow the final punctuation mark of a sentence.
const CLOSERS: [char; 13] = ['"', '\'', '”', '’', '»', '›', ')', ']', '」', '』', '）', '】', '》'];

/// Returns the reason to drop a document by the page rules of C4; `None` if it passes.
fn c4(stats: &TextStats<'_>) -> Option<Reason> {
    let text = stats.text();
    if text.contains('{') {
        return Some(Reason::C4CurlyBracket);
    }
    if has_filler(text) {
        return Some(Reason::C4LoremIpsum);
    }
    let mut count = 0;
    for line in text.lines().map(str::trim).filter(|line| is_whole(line, stats)) {
        count += sentences(line);
        if count >= SENTENCES {
            return None;
        }
    }
    Some(Reason::C4FewSentences)
}

fn has_filler(text: &str) -> bool {
    let filler = b"lorem ipsum";
    let mut parts = text.as_bytes().windows(filler.len());
    parts.any(|part| part.eq_ignore_ascii_case(filler))
}

/// Returns whether C4 would keep a line: it is long enough, ends with a sentence mark, and has no boilerplate phrase.
fn is_whole(line: &str, stats: &TextStats<'_>) -> bool {
    if line.ends_with("...") || !ends(line) || half_words(stats.words_in(line)) < 2 * LINE_WORDS {
        return false;
    }
    let lower = line.to_lowercase();
    !BOILERPLATE.iter().any(|words| lower.contains(words))
}

/// Returns whether a line ends with final punctuation or a closing quote (both count in C4), or in Thai or Lao, which
/// have no final punctuation.
fn ends(line: &str) -> bool {
    let bare = line.trim_end_matches(CLOSERS);
    let last = bare.chars().next_back();
    bare.len() < line.len() && line.ends_with(['"', '”', '»', '」', '』'])
        || last.is_some_and(|c| is_terminal(c) || is_unmarked(c))
}

/// Counts the sentences of a line that ends with a sentence: its sentence marks, with successive marks counted once. A
/// mark between letters or digits (3.5, example.org) does not count, except in scripts without spaces.
fn sentences(line: &str) -> usize {
    let mut count = 0;
    let mut after_mark = None;
    for c in line.chars() {
        match after_mark {
            Some(mark) if c.is_whitespace() || !is_ascii_mark(mark) && !is_terminal(c) => {
                count += 1;
                after_mark = None;
            }
            Some(_) if !is_terminal(c) && !CLOSERS.contains(&c) => after_mark = None,
            _ => {}
        }
        if is_terminal(c) {
            after_mark = Some(c);
        }
    }
    (count + usize::from(after_mark.is_some())).max(1)
}

fn is_ascii_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?')
}

/// Returns whether a character ends a sentence: Latin, CJK, Arabic, Urdu, Devanagari, Burmese, Khmer, Tibetan,
/// Ethiopic, Armenian.
fn is_terminal(c: char) -> bool {
    is_ascii_mark(c)
        || matches!(c, '。' | '！' | '？' | '｡' | '．' | '؟' | '۔' | '।' | '॥' | '။' | '។' | '៕' | '།' | '።' | '։')
}

/// Returns whether a character is Thai or Lao; both scripts end sentences with a space.
fn is_unmarked(c: char) -> bool {
    is_unspaced(c) && matches!(u32::from(c), 0x0E00..=0x0EFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(text: &str, lang: Option<&str>) -> Option<Reason> {
        let document = Document { text: text.to_owned(), lang: lang.map(str::to_owned), ..Document::default() };
        gopher(&document, &TextStats::new(text))
    }

    /// Returns a text of sixty words in lines of six words.
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

#[cfg(test)]
mod repetition_tests {
    use super::*;

    fn judge(text: &str) -> Option<Reason> {
        repetition(&TextStats::new(text))
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

#[cfg(test)]
mod c4_tests {
    use super::*;

    fn judge(text: &str) -> Option<Reason> {
        c4(&TextStats::new(text))
    }

    #[test]
    fn three_sentences_in_whole_lines() {
        assert_eq!(judge("One two three four five. Six! Seven?"), None);
        let few = Some(Reason::C4FewSentences);
        assert_eq!(judge("One two three four five. Six 3.5 at example.org."), few);
        assert_eq!(judge("Home\nOne. Two.\nThree four. Five."), few);
        assert_eq!(judge("One two three four five. Six. Seven. Eight..."), few);
        assert_eq!(judge("One two three four five. Six. Seven. Eight"), few);
        assert_eq!(judge("Please turn JavaScript on. Now. Here. Go."), few);
        assert_eq!(judge("This site uses cookies here. Yes. It does. Really."), few);
        assert_eq!(judge("He said: \"One two three. Four. Five.\""), None);
        assert_eq!(judge(""), few);
    }

    #[test]
    fn scripts_without_spaces() {
        assert_eq!(judge("我在湖南开会。会议安排了一天时间。让与会者游玩观赏。"), None);
        let few = Some(Reason::C4FewSentences);
        assert_eq!(judge("我在湖南开一个教学研究会议。会议安排了一天时间"), few);
        assert_eq!(judge("首页。关于。联系。"), few);
        let thai = "ผมชอบกินข้าวผัดกุ้ง\n".repeat(3);
        assert_eq!(judge(&thai), None);
    }

    #[test]
    fn code_and_filler() {
        let text = "One two three four five. Six! Seven?";
        assert_eq!(judge(&format!("{text} {{")), Some(Reason::C4CurlyBracket));
        assert_eq!(judge(&format!("{text} Lorem Ipsum dolor")), Some(Reason::C4LoremIpsum));
    }
}
