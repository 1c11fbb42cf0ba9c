//! Turns text into terms by script, so that documents and queries are treated alike even if their language is
//! unknown.

use std::mem;

use snowball_stemmers_rs::{Algorithm, Stemmer};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use trommel_text::words::is_unspaced;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Maximum bytes of a term; longer terms are not words and are left out.
const MAX_TERM: usize = 64;

/// Tokenizer that divides texts and queries into the terms of a search index, by the rules of each script:
///
/// - Scripts that divide words by spaces give runs of letters, digits and marks, in lower case. Latin, Greek, Arabic
///   and Hebrew letters lose their accents and points. The words are then stemmed by the most common language of the
///   script on the web (Latin: English, Cyrillic: Russian, Greek, Arabic). A word that ends with an ASCII letter keeps
///   `++` or `#` directly after it, as in `C++` and `F#`, and is then not stemmed.
/// - Han, Kana, Hangul, Thai, Lao, Khmer, Burmese and Tibetan give pairs of neighbouring characters; a character
///   without a neighbour is a term. In documents the last character of a run is a term as well, at the position of its
///   pair. So every character begins a term, and a query of one character finds each place of it. Tone marks and other
///   signs that are not letters are left out.
#[derive(Clone, Copy, Debug)]
pub struct ScriptTokenizer {
    /// True if the last of several Chinese or Thai characters is a term too, besides each pair of neighbours.
    has_run_ends: bool,
}

impl ScriptTokenizer {
    /// Tokenizer for the texts of documents.
    pub const DOCUMENT: Self = Self { has_run_ends: true };
    /// Tokenizer for search queries.
    pub const QUERY: Self = Self { has_run_ends: false };
}

impl Tokenizer for ScriptTokenizer {
    type TokenStream<'a> = TextTerms<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TextTerms<'a> {
        TextTerms { text, at: 0, before: None, has_run_ends: self.has_run_ends, token: Token::default() }
    }
}

/// Iterator over the terms of one text, in order.
#[derive(Debug)]
pub struct TextTerms<'a> {
    text: &'a str,
    /// Byte offset in the text from which the next term is searched.
    at: usize,
    /// Previous character, if its script is indexed in pairs of characters; its byte offset; true if a pair contains
    /// it.
    before: Option<(char, usize, bool)>,
    has_run_ends: bool,
    token: Token,
}

impl TextTerms<'_> {
    fn emit(&mut self, from: usize, to: usize) {
        self.token.offset_from = from;
        self.token.offset_to = to;
        self.token.position = self.token.position.wrapping_add(1);
    }

    /// Ends a run of characters that are indexed in pairs; returns whether the last one becomes a term of its own.
    fn end_run(&mut self) -> bool {
        let Some((c, from, is_paired)) = self.before.take() else { return false };
        if is_paired && !self.has_run_ends {
            return false;
        }
        self.token.text.clear();
        self.token.text.push(c);
        let position = self.token.position;
        self.emit(from, from + c.len_utf8());
        if is_paired {
            // Phrases count the steps from pair to pair.
            self.token.position = position;
        }
        true
    }

    /// Makes a term of the previous character and `c`, at byte `at`; returns false if there is no previous character.
    fn pair(&mut self, c: char, at: usize) -> bool {
        let Some((first, from, _)) = self.before.replace((c, at, false)) else { return false };
        self.before = Some((c, at, true));
        self.token.text.clear();
        self.token.text.extend([first, c]);
        self.emit(from, at + c.len_utf8());
        true
    }

    /// Reads the word that starts at byte `from` as the next term; returns false if the word is too long.
    fn word(&mut self, from: usize) -> bool {
        let rest = self.text.get(from..).unwrap_or_default();
        let length = rest.find(|c| !is_part(c) || is_paired(c)).unwrap_or(rest.len());
        let signs = signs(rest, length);
        let length = length + signs;
        self.at = from + length;
        let word = rest.get(..length).unwrap_or_default();
        let mut term = mem::take(&mut self.token.text);
        term.clear();
        if word.is_ascii() {
            term.push_str(word);
            term.make_ascii_lowercase();
        } else {
            fold(word, &mut term);
        }
        let fits = !term.is_empty() && term.len() <= MAX_TERM;
        if fits {
            if signs == 0 {
                stem(&mut term);
            }
            self.emit(from, from + length);
        }
        self.token.text = term;
        fits
    }
}

impl TokenStream for TextTerms<'_> {
    fn advance(&mut self) -> bool {
        loop {
            let at = self.at;
            let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) else { return self.end_run() };
            if is_paired(c) {
                self.at += c.len_utf8();
                // Signs are passed over without ending the run, punctuation of these scripts ends it.
                if c.is_alphanumeric() {
                    if self.pair(c, at) {
                        return true;
                    }
                } else if !is_combining_mark(c) && self.end_run() {
                    return true;
                }
            } else if self.end_run() {
                return true;
            } else if c.is_alphanumeric() {
                if self.word(at) {
                    return true;
                }
            } else {
                self.at += c.len_utf8();
            }
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

fn is_paired(c: char) -> bool {
    is_unspaced(c) || matches!(c, '\u{AC00}'..='\u{D7A3}')
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// Returns the character if a term is one character of a script indexed in pairs, such as Chinese; otherwise none.
pub(crate) fn is_lone(term: &str) -> Option<char> {
    let mut characters = term.chars();
    characters.next().filter(|&c| is_paired(c) && characters.next().is_none())
}

/// Returns the length in bytes of `++` or `#` after the word of `length` bytes at the start of `rest`; 0 if none.
fn signs(rest: &str, length: usize) -> usize {
    let (word, after) = rest.split_at_checked(length).unwrap_or_default();
    if !word.ends_with(|c: char| c.is_ascii_alphabetic()) {
        return 0;
    }
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphabetic() || "+#".contains(c));
    ["++", "#"].into_iter().find(|&sign| after.strip_prefix(sign).is_some_and(ends)).map_or(0, str::len)
}

/// Returns whether marks, such as accents, can be left out in the script of `c` without changing the word.
fn has_loose_marks(c: char) -> bool {
    matches!(u32::from(c),
        0x0041..=0x024F      // Latin
        | 0x0370..=0x03FF    // Greek
        | 0x0590..=0x06FF    // Hebrew, Arabic
        | 0x1E00..=0x1FFF    // Latin with marks, Greek with marks
        | 0xFB1D..=0xFDFF    // Hebrew and Arabic forms
        | 0xFE70..=0xFF5A) // Arabic forms, full-width Latin
}

fn fold(word: &str, term: &mut String) {
    for c in word.chars() {
        if has_loose_marks(c) {
            let parts = c.nfkd().filter(|&part| !is_combining_mark(part));
            term.extend(parts.flat_map(char::to_lowercase));
        } else if !(is_combining_mark(c) && term.chars().last().is_some_and(has_loose_marks)) {
            term.extend(c.to_lowercase().map(|c| if c == 'ё' { 'е' } else { c }));
        }
    }
}

fn stem(term: &mut String) {
    let algorithm = match term.chars().next() {
        Some('a'..='z') => Algorithm::English,
        Some('а'..='я') => Algorithm::Russian,
        Some('α'..='ω') => Algorithm::Greek,
        Some('\u{620}'..='\u{64A}') => Algorithm::Arabic,
        _ => return,
    };
    let stemmed = Stemmer::create(algorithm).stem(term);
    if stemmed != term.as_str() && !stemmed.is_empty() {
        *term = stemmed.into_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(String, usize, String)> {
        tokens_by(ScriptTokenizer::DOCUMENT, text)
    }

    fn tokens_by(mut tokenizer: ScriptTokenizer, text: &str) -> Vec<(String, usize, String)> {
        let mut stream = tokenizer.token_stream(text);
        let mut out = Vec::new();
        while let Some(token) = stream.next() {
            out.push((token.text.clone(), token.position, text[token.offset_from..token.offset_to].to_owned()));
        }
        out
    }

    fn terms(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|(term, ..)| term).collect()
    }

    #[test]
    fn words_are_folded_and_stemmed() {
        assert_eq!(terms("The Running dogs, 2nd"), ["the", "run", "dog", "2nd"]);
        assert_eq!(terms("Cafés Cafe\u{301}s ＡＢＣ"), ["cafe", "cafe", "abc"]);
        assert_eq!(terms("книгами ёлка Елка"), ["книг", "елк", "елк"]);
        assert_eq!(terms("हिन्दी"), ["हिन्दी"]);
        assert_eq!(terms(&"x".repeat(65)), [""; 0]);
    }

    #[test]
    fn languages_of_programs_keep_their_signs() {
        assert_eq!(terms("C++, C# and F#; Notepad++ c++17"), ["c++", "c#", "and", "f#", "notepad++", "c++", "17"]);
        assert_eq!(terms("page#part a+b 5# #tag C+++"), ["page", "part", "a", "b", "5", "tag", "c"]);
    }

    #[test]
    fn scripts_without_spaces_give_pairs() {
        assert_eq!(terms("東京都の水"), ["東京", "京都", "都の", "の水", "水"]);
        assert_eq!(terms("水。iPhone手机"), ["水", "iphon", "手机", "机"]);
        assert_eq!(terms("한국어 말"), ["한국", "국어", "어", "말"]);
        let query: Vec<String> =
            tokens_by(ScriptTokenizer::QUERY, "東京都 水").into_iter().map(|(term, ..)| term).collect();
        assert_eq!(query, ["東京", "京都", "水"]);
    }

    #[test]
    fn places_and_positions_follow_the_text() {
        let tokens = tokens("Zoë 東京都, a");
        let places: Vec<&str> = tokens.iter().map(|(.., place)| place.as_str()).collect();
        assert_eq!(places, ["Zoë", "東京", "京都", "都", "a"]);
        let positions: Vec<usize> = tokens.iter().map(|token| token.1).collect();
        assert_eq!(positions, [0, 1, 2, 2, 3]);
    }
}
