//! The rules of C4 that judge whole pages.
//!
//! Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", JMLR
//! 21 (2020), section 2.2. C4 also removes lines from the text that it keeps; here lines only count toward
//! the sentences. This filter leaves out its list of bad words and its rule on repeated spans of three
//! sentences.

use trommel_extract::Document;
use trommel_text::words::is_unspaced;
use trommel_text::{TextStats, half_words};

use crate::filters::{Filter, Reason};

/// Minimum sentences of a page.
const SENTENCES: usize = 3;
/// Minimum words of a line that counts.
const LINE_WORDS: u32 = 5;
/// Lines with one of these do not count: warnings about scripts, and notes on policies.
const BOILERPLATE: [&str; 7] =
    ["javascript", "terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies"];
/// Characters that may follow a terminal mark within its sentence.
const CLOSERS: [char; 13] = ['"', '\'', '”', '’', '»', '›', ')', ']', '」', '』', '）', '】', '》'];

/// The rules; see the module.
#[derive(Debug)]
pub(crate) struct C4;

impl Filter for C4 {
    fn describe(&self) -> String {
        format!("C4: no curly bracket, no \"lorem ipsum\", {SENTENCES} sentences or more in whole lines")
    }

    fn document(&self, _: &Document, stats: &TextStats<'_>) -> Option<Reason> {
        let text = stats.text();
        if text.contains('{') {
            return Some(Reason::C4CurlyBracket);
        }
        if has_filler(text) {
            return Some(Reason::C4LoremIpsum);
        }
        let mut count = 0;
        for line in text.lines().map(str::trim) {
            if is_whole(line, stats) {
                count += sentences(line);
            }
            if count >= SENTENCES {
                return None;
            }
        }
        Some(Reason::C4FewSentences)
    }
}

fn has_filler(text: &str) -> bool {
    let filler = b"lorem ipsum";
    let mut parts = text.as_bytes().windows(filler.len());
    parts.any(|part| part.eq_ignore_ascii_case(filler))
}

/// Returns whether a line would be kept: long enough, ended by a terminal mark, no boilerplate.
fn is_whole(line: &str, stats: &TextStats<'_>) -> bool {
    if line.ends_with("...") || !ends(line) || half_words(stats.words_in(line)) < 2 * LINE_WORDS {
        return false;
    }
    let lower = line.to_lowercase();
    !BOILERPLATE.iter().any(|words| lower.contains(words))
}

/// Returns whether a line ends with a terminal mark or a closing quote (both count in C4), or in a script that knows no
/// such marks.
fn ends(line: &str) -> bool {
    let bare = line.trim_end_matches(CLOSERS);
    let last = bare.chars().next_back();
    bare.len() < line.len() && line.ends_with(['"', '”', '»', '」', '』'])
        || last.is_some_and(|c| is_terminal(c) || is_unmarked(c))
}

/// Sentences of a line that ends as one: its terminal marks, runs counted once. A mark between letters
/// or digits (3.5, example.org) is none, except in scripts without spaces.
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

/// Marks that end a sentence: Latin, CJK, Arabic, Urdu, Devanagari, Burmese, Khmer, Tibetan, Ethiopic,
/// Armenian.
fn is_terminal(c: char) -> bool {
    is_ascii_mark(c)
        || matches!(c, '。' | '！' | '？' | '｡' | '．' | '؟' | '۔' | '।' | '॥' | '။' | '។' | '៕' | '།' | '።' | '։')
}

/// Thai and Lao, which end sentences with a space.
fn is_unmarked(c: char) -> bool {
    is_unspaced(c) && matches!(u32::from(c), 0x0E00..=0x0EFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(text: &str) -> Option<Reason> {
        let document = Document { text: text.to_owned(), ..Document::default() };
        C4.document(&document, &TextStats::new(text))
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
