//! Detects languages in Latin letters. The method and the result are those of the combined method of whatlang
//! 0.18. It is several times faster, because trigrams are looked up once instead of once for each language.
//!
//! The trigrams of the text, ranked by frequency, are compared with the ranked lists of each language (Cavnar
//! and Trenkle, 1994). The share of letters in the alphabet of the language is added. Alphabets and lists are
//! those of whatlang by Serhii Potapov (MIT licence).

mod trigrams;

use std::{cell::RefCell, sync::LazyLock};

use rustc_hash::FxHashMap;

use trigrams::{Counts, PLAIN, Trigram, Trigrams, divides, key, plain_of};

/// A line a language: ISO 639-3 code, letters of its alphabet, its 300 trigrams, most frequent first.
const LISTS_TSV: &str = include_str!("latin.tsv");

/// Trigrams of a language, and the distance of one that a text does not have.
const TRIGRAMS_PER_LANGUAGE: u32 = 300;
/// Confidence above which a verdict stands.
const MIN_CONFIDENCE: f64 = 0.9;

/// The languages that have each trigram, and each letter.
struct Lists {
    codes: Vec<&'static str>,
    /// First place in `places` of each trigram of plain signs, and of the end.
    plain: Vec<u16>,
    /// Range in `places` of each other trigram, by its key.
    other: FxHashMap<u64, (u16, u16)>,
    /// Languages, with the rank of the trigram in each.
    places: Vec<LanguageRank>,
    /// Maps each letter to the bit set of languages that use it.
    letters: FxHashMap<char, u64>,
}

/// A language and the rank that a trigram has in it, in one number: both are looked at for each trigram of
/// a text in some five languages.
#[derive(Clone, Copy, Debug)]
struct LanguageRank(u16);

impl LanguageRank {
    const RANK_BITS: u32 = 9;

    fn new(language: u8, rank: u16) -> Self {
        Self(u16::from(language) << Self::RANK_BITS | rank)
    }

    #[inline]
    fn language(self) -> usize {
        usize::from(self.0 >> Self::RANK_BITS)
    }

    #[inline]
    fn rank(self) -> i32 {
        i32::from(self.0 & ((1 << Self::RANK_BITS) - 1))
    }
}

/// Maximum number of languages: each has a bit in the set of a letter.
const LANGUAGES: usize = 64;

static LISTS: LazyLock<Lists> = LazyLock::new(Lists::new);

impl Lists {
    fn new() -> Self {
        let mut lists = Self {
            codes: Vec::new(),
            plain: Vec::with_capacity(PLAIN + 1),
            other: FxHashMap::default(),
            places: Vec::new(),
            letters: FxHashMap::default(),
        };
        let mut plain: Vec<Vec<LanguageRank>> = vec![Vec::new(); PLAIN];
        let mut other: FxHashMap<u64, Vec<LanguageRank>> = FxHashMap::default();
        for (language, line) in (0..LANGUAGES as u8).zip(LISTS_TSV.lines()) {
            let mut fields = line.split('\t');
            lists.codes.push(fields.next().unwrap_or_default());
            for letter in fields.next().unwrap_or_default().chars() {
                *lists.letters.entry(letter).or_default() |= 1 << language;
            }
            let mut signs = fields.next().unwrap_or_default().chars();
            let mut rank = 0;
            while let (Some(a), Some(b), Some(c)) = (signs.next(), signs.next(), signs.next()) {
                let places = match plain_of([a, b, c]) {
                    Some(at) => plain.get_mut(at),
                    None => Some(other.entry(key([a, b, c])).or_default()),
                };
                places.into_iter().for_each(|all| all.push(LanguageRank::new(language, rank)));
                rank += 1;
            }
        }
        for places in plain {
            lists.plain.push(lists.places.len() as u16);
            lists.places.extend(places);
        }
        lists.plain.push(lists.places.len() as u16);
        for (key, places) in other {
            let start = lists.places.len() as u16;
            lists.places.extend(places);
            lists.other.insert(key, (start, lists.places.len() as u16));
        }
        lists
    }

    fn places(&self, trigram: &Trigram) -> &[LanguageRank] {
        let (from, to) = match trigram.plain {
            Some(at) => {
                let mark = |at: usize| self.plain.get(at).copied().unwrap_or_default();
                (mark(usize::from(at)), mark(usize::from(at) + 1))
            }
            None => self.other.get(&trigram.key).copied().unwrap_or_default(),
        };
        self.places.get(usize::from(from)..usize::from(to)).unwrap_or_default()
    }
}

/// Returns whether most letters of a text are those of ASCII, so that its script is known to be Latin.
pub(super) fn is_latin(text: &str) -> bool {
    let (mut letters, mut wide) = (0, 0);
    // Parts that a byte counts: so vectors of bytes are added up.
    for part in text.as_bytes().chunks(usize::from(u8::MAX)) {
        let (mut own_letters, mut own_wide) = (0u8, 0u8);
        for byte in part {
            own_letters += u8::from(byte.is_ascii_alphabetic());
            own_wide += u8::from(*byte >= 0xC0);
        }
        letters += usize::from(own_letters);
        wide += usize::from(own_wide);
    }
    letters > wide
}

/// ISO 639-3 code of the language of a text of at most 60,000 characters, most letters of which are
/// those of ASCII; none if that is not reliable.
pub(super) fn detect(text: &str) -> Option<&'static str> {
    let lists = &*LISTS;
    let found = COUNTS.with(|counts| match counts.try_borrow_mut() {
        Ok(mut counts) => TextProfile::of(text, &mut counts),
        Err(_) => TextProfile::of(text, &mut Counts::new()),
    });
    let letters = found.letters;
    let by_alphabet = alphabet_scores(lists, &found);
    let (by_trigrams, compared) = trigram_scores(lists, &found.ranked);
    let share = (-(f64::from(letters) / 300.0) + 2.0 / 3.0).clamp(1.0 / 3.0, 2.0 / 3.0);
    let rest = 1.0 - share;
    let (mut best, mut first, mut second) = (None, 0.0, 0.0);
    for ((code, a), t) in lists.codes.iter().zip(by_alphabet).zip(by_trigrams) {
        let score = a * share + t * rest;
        if score > first {
            (best, first, second) = (Some(*code), score, first);
        } else if score > second {
            second = score;
        }
    }
    best.filter(|_| confidence(first, second, compared) > MIN_CONFIDENCE)
}

fn confidence(first: f64, second: f64, compared: usize) -> f64 {
    if first == 0.0 || second == 0.0 {
        return first;
    }
    let sure = (3.0 / compared as f64) + 0.015;
    let rate = (first - second) / second;
    if rate > sure { 1.0 } else { rate / sure }
}

/// Score of each language by its alphabet, 0..=1.
fn alphabet_scores(lists: &Lists, found: &TextProfile) -> Vec<f64> {
    let mut sums = vec![0u32; lists.codes.len()];
    let plain = ('a'..='z').zip(found.plain_letters);
    let other = found.other_letters.iter();
    let all = plain.chain(other.map(|(letter, count)| (*letter, *count)));
    for (letter, count) in all.filter(|(_, count)| *count > 0) {
        let languages = lists.letters.get(&letter).copied().unwrap_or(0);
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum += (languages >> at & 1) as u32 * count;
        }
    }
    let letters = found.letters;
    let scores = sums.into_iter().map(|sum| f64::from((2 * sum).saturating_sub(letters)) / f64::from(letters));
    scores.collect()
}

thread_local! {
    static COUNTS: RefCell<Counts> = RefCell::new(Counts::new());
}

/// The letters and trigrams of a text.
#[derive(Debug, Default)]
struct TextProfile {
    /// The frequencies of `a` to `z`, and of the other letters.
    plain_letters: [u32; 26],
    other_letters: FxHashMap<char, u32>,
    letters: u32,
    /// The most frequent trigrams; of equally frequent ones the later first.
    ranked: Vec<Trigram>,
}

impl TextProfile {
    fn of(text: &str, counts: &mut Counts) -> Self {
        let mut found = Self::default();
        let mut trigrams = Trigrams::new(counts);
        if !text.is_ascii() && text.contains('Σ') {
            // The form of its small letter depends on where it stands.
            let lower = text.to_lowercase();
            lower.chars().for_each(|c| trigrams.add(found.letter(c)));
            found.ranked = trigrams.ranked();
            return found;
        }
        let mut signs = [0u32; 32];
        let mut rest = text;
        loop {
            let plain = trigrams.add_plain(rest.as_bytes(), &mut signs);
            rest = rest.get(plain..).unwrap_or_default();
            let mut chars = rest.chars();
            let Some(c) = chars.next() else { break };
            rest = chars.as_str();
            if c.is_ascii() {
                trigrams.add(found.letter(c.to_ascii_lowercase()));
            } else {
                c.to_lowercase().for_each(|c| trigrams.add(found.letter(c)));
            }
        }
        for (sum, sign) in found.plain_letters.iter_mut().zip(&signs[1..]) {
            *sum += sign;
            found.letters += sign;
        }
        found.ranked = trigrams.ranked();
        found
    }

    /// Counts a character if it is a letter; what divides words is given as a space.
    #[inline]
    fn letter(&mut self, c: char) -> char {
        match c {
            'a'..='z' => {
                if let Some(count) = self.plain_letters.get_mut(c as usize - 0x61) {
                    *count += 1;
                }
                self.letters += 1;
                c
            }
            c if divides(c) => ' ',
            c => {
                *self.other_letters.entry(c).or_default() += 1;
                self.letters += 1;
                c
            }
        }
    }
}

/// Score of each language by its trigrams, 0..=1, and the number of trigrams compared.
fn trigram_scores(lists: &Lists, ranked: &[Trigram]) -> (Vec<f64>, usize) {
    // At most as many ranks as trigrams are compared: the sums are small.
    let mut distances = [(TRIGRAMS_PER_LANGUAGE * TRIGRAMS_PER_LANGUAGE) as i32; LANGUAGES];
    for (rank, trigram) in (0i32..).zip(ranked) {
        for listed in lists.places(trigram) {
            // The remainder is the number itself; it tells the compiler that it is in bounds.
            let sum = &mut distances[listed.language() % LANGUAGES];
            *sum += (rank - listed.rank()).abs() - TRIGRAMS_PER_LANGUAGE as i32;
        }
    }
    // A short text cannot have all trigrams.
    let compared = ranked.len();
    let short = i64::from(TRIGRAMS_PER_LANGUAGE) - compared as i64;
    let most = (compared as i64 * i64::from(TRIGRAMS_PER_LANGUAGE)) as f64;
    let distances = distances.iter().take(lists.codes.len());
    let scores = distances.map(|distance| {
        let distance = i64::from(*distance) - short.max(0) * i64::from(TRIGRAMS_PER_LANGUAGE);
        let distance = distance.clamp(0, i64::from(TRIGRAMS_PER_LANGUAGE * TRIGRAMS_PER_LANGUAGE));
        (most - distance as f64) / most
    });
    (scores.collect(), compared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use whatlang::Detector;

    /// The language that whatlang finds.
    fn peer(text: &str) -> Option<&'static str> {
        let info = Detector::new().detect(text)?;
        info.is_reliable().then(|| info.lang().code())
    }

    const TEXTS: [&str; 8] = [
        "The quick brown fox jumps over the lazy dog, and nobody is surprised by what it did there.",
        "Der schnelle braune Fuchs springt über den faulen Hund, und niemand wundert sich darüber.",
        "Le renard brun saute par-dessus le chien paresseux — et personne ne s’en étonne plus.",
        "El zorro marrón salta sobre el perro perezoso y a nadie le sorprende lo que ha hecho.",
        "Szybki brązowy lis przeskakuje leniwego psa i nikogo to już wcale nie dziwi, naprawdę.",
        "Hızlı kahverengi tilki tembel köpeğin üzerinden atlar ve İstanbul'da kimse buna şaşırmaz.",
        "Con cáo nâu nhanh nhẹn nhảy qua con chó lười biếng và không ai ngạc nhiên về điều đó.",
        "A gyors barna róka átugrik a lusta kutya fölött, és ezen már senki sem lepődik meg.",
    ];

    #[test]
    fn the_lists_are_whole() {
        assert_eq!(LISTS.codes.len(), 37);
        assert_eq!(LISTS.places.len(), 37 * TRIGRAMS_PER_LANGUAGE as usize);
    }

    #[test]
    fn verdicts_are_those_of_whatlang() {
        let mut reliable = 0;
        for text in TEXTS {
            assert!(is_latin(text));
            assert_eq!(detect(text), peer(text), "{text}");
            reliable += usize::from(detect(text).is_some());
            // Beginnings, mixtures and repetitions.
            for end in (1..text.len()).filter(|end| text.is_char_boundary(*end)) {
                let part = &text[..end];
                assert_eq!(detect(part), peer(part), "{part}");
            }
            for other in TEXTS {
                let mixed = format!("{text} {other} {other} 日本 кот").repeat(3);
                assert_eq!(detect(&mixed), peer(&mixed), "{mixed}");
            }
        }
        assert!(reliable >= 6, "{reliable}");
        assert!(!is_latin("Съешь же ещё этих мягких булок, ok"));
        assert!(!is_latin(""));
    }

    proptest! {
        #[test]
        fn any_text_is_judged_alike(
            text in "[a-zA-Z]([a-eA-E ]{0,9}|[a-z]{1,9} |[éüßñİſΣłđơ’—\u{7f}.0-9 日я]{0,3}){0,40}"
        ) {
            if is_latin(&text) {
                prop_assert_eq!(detect(&text), peer(&text));
            }
        }
    }
}
