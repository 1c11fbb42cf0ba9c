//! Detects languages in Latin letters. The method and the result are those of the combined method of whatlang
//! 0.18. It is several times faster, because trigrams are looked up once instead of once for each language.
//!
//! The trigrams of the text, ranked by frequency, are compared with the ranked lists of each language (Cavnar
//! and Trenkle, 1994). The share of letters in the alphabet of the language is added. Alphabets and lists are
//! those of whatlang by Serhii Potapov (MIT licence).

use std::sync::LazyLock;

use rustc_hash::{FxBuildHasher, FxHashMap};

/// Table of languages, one line each: ISO 639-3 code, letters of the alphabet, 300 trigrams, most frequent first.
const LISTS_TSV: &str = include_str!("latin.tsv");

/// Number of trigrams listed per language. It is also the difference in rank counted for a trigram that is not listed.
const TRIGRAMS_PER_LANGUAGE: i32 = 300;
/// Maximum number of trigrams of a text that are compared, the most frequent ones.
const MAX_TRIGRAMS: usize = 600;
/// Confidence above which a detected language is reported (0 to 1).
const MIN_CONFIDENCE: f64 = 0.9;
/// Maximum number of languages: each has one bit in the bit set of a letter.
const LANGUAGES: usize = 64;

/// Look-up tables from trigrams and from letters to the languages that have them.
#[derive(Default)]
struct Lists {
    codes: Vec<&'static str>,
    /// Maps each trigram ([`key`]) to the languages that have it, each with the rank of the trigram in its list.
    trigrams: FxHashMap<u64, Vec<(u8, u16)>>,
    /// Maps each letter to the bit set of languages that use it.
    letters: FxHashMap<char, u64>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let mut lists = Lists::default();
    for (language, line) in (0..LANGUAGES as u8).zip(LISTS_TSV.lines()) {
        let mut fields = line.split('\t');
        lists.codes.push(fields.next().unwrap_or_default());
        for letter in fields.next().unwrap_or_default().chars() {
            *lists.letters.entry(letter).or_default() |= 1 << language;
        }
        let signs: Vec<char> = fields.next().unwrap_or_default().chars().collect();
        for (rank, signs) in (0..).zip(signs.as_chunks().0) {
            lists.trigrams.entry(key(*signs)).or_default().push((language, rank));
        }
    }
    lists
});

/// Returns a trigram as a 48-bit number that sorts like it. No list has characters of more than 16 bits.
fn key(signs: [char; 3]) -> u64 {
    signs.iter().fold(0, |key, sign| key << 16 | u64::from(*sign).min(0xFFFF))
}

/// Returns whether a text has more ASCII letters than characters beyond ASCII, so that its script is known to be Latin.
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

/// Detects the language of a text of at most 60,000 characters, most of them Latin letters, as an ISO 639-3 code.
/// `None` if the detection is not reliable.
pub(super) fn detect(text: &str) -> Option<&'static str> {
    let lists = &*LISTS;
    let found = TextProfile::of(text);
    let by_alphabet = alphabet_scores(lists, &found);
    let by_trigrams = trigram_scores(lists, &found.ranked);
    let share = (-(f64::from(found.letters) / 300.0) + 2.0 / 3.0).clamp(1.0 / 3.0, 2.0 / 3.0);
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
    best.filter(|_| confidence(first, second, found.ranked.len()) > MIN_CONFIDENCE)
}

fn confidence(first: f64, second: f64, compared: usize) -> f64 {
    if first == 0.0 || second == 0.0 {
        return first;
    }
    let sure = (3.0 / compared as f64) + 0.015;
    let rate = (first - second) / second;
    if rate > sure { 1.0 } else { rate / sure }
}

/// Returns the score of each language by the share of the text's letters that are in its alphabet, 0..=1.
fn alphabet_scores(lists: &Lists, found: &TextProfile) -> Vec<f64> {
    let mut sums = vec![0u32; lists.codes.len()];
    let plain = ('\0'..).zip(found.plain_letters).filter(|(_, count)| *count > 0);
    let other = found.other_letters.iter().map(|(letter, count)| (*letter, *count));
    for (letter, count) in plain.chain(other) {
        let languages = lists.letters.get(&letter).copied().unwrap_or(0);
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum += (languages >> at & 1) as u32 * count;
        }
    }
    let letters = found.letters;
    let scores = sums.into_iter().map(|sum| f64::from((2 * sum).saturating_sub(letters)) / f64::from(letters));
    scores.collect()
}

/// Frequencies of the letters of a text, and its most frequent trigrams.
struct TextProfile {
    /// Number of occurrences of each ASCII letter, indexed by its code.
    plain_letters: [u32; 128],
    other_letters: FxHashMap<char, u32>,
    letters: u32,
    /// Frequent trigrams ([`key`]) by falling frequency; equally frequent ones by falling key.
    ranked: Vec<u64>,
}

impl TextProfile {
    fn of(text: &str) -> Self {
        let mut found =
            Self { plain_letters: [0; 128], other_letters: FxHashMap::default(), letters: 0, ranked: Vec::new() };
        let mut counts: FxHashMap<u64, u64> = FxHashMap::with_capacity_and_hasher(1024, FxBuildHasher);
        let mut before: Option<(char, char)> = None;
        // The small letter of `Σ` depends on where it stands, and that of `İ` is two characters.
        for c in text.to_lowercase().chars().chain([' ']) {
            // Of ASCII all but letters say nothing about the language.
            let c = if c < '\x7f' && !c.is_ascii_alphabetic() { ' ' } else { c };
            if c != ' ' {
                found.letters += 1;
                match found.plain_letters.get_mut(c as usize) {
                    Some(count) => *count += 1,
                    None => *found.other_letters.entry(c).or_default() += 1,
                }
            }
            if let Some((a, b)) = before
                && !(b == ' ' && (a == ' ' || c == ' '))
            {
                *counts.entry(key([a, b, c])).or_default() += 1;
            }
            before = Some((before.map_or(' ', |(_, b)| b), c));
        }
        found.ranked.extend(counts.into_iter().map(|(key, count)| count << 48 | key));
        found.ranked.sort_unstable_by(|one, other| other.cmp(one));
        found.ranked.truncate(MAX_TRIGRAMS);
        found.ranked.iter_mut().for_each(|trigram| *trigram &= (1 << 48) - 1);
        found
    }
}

/// Returns the score of each language by its trigrams, 0..=1.
fn trigram_scores(lists: &Lists, ranked: &[u64]) -> Vec<f64> {
    const MOST: i32 = TRIGRAMS_PER_LANGUAGE * TRIGRAMS_PER_LANGUAGE;
    // At most as many ranks as trigrams are compared: the sums are small.
    let mut distances = [MOST; LANGUAGES];
    for (rank, trigram) in (0i32..).zip(ranked) {
        for (language, listed) in lists.trigrams.get(trigram).into_iter().flatten() {
            // The remainder is the number itself; it tells the compiler that it is in bounds.
            distances[usize::from(*language) % LANGUAGES] += (rank - i32::from(*listed)).abs() - TRIGRAMS_PER_LANGUAGE;
        }
    }
    // A short text cannot have all trigrams.
    let compared = ranked.len() as i32;
    let short = (TRIGRAMS_PER_LANGUAGE - compared).max(0);
    let most = f64::from(compared * TRIGRAMS_PER_LANGUAGE);
    let distances = distances.iter().take(lists.codes.len());
    let scores = distances.map(|distance| {
        let distance = (distance - short * TRIGRAMS_PER_LANGUAGE).clamp(0, MOST);
        (most - f64::from(distance)) / most
    });
    scores.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use whatlang::Detector;

    /// Returns the language that whatlang finds, if the detection is reliable.
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
        let places: usize = LISTS.trigrams.values().map(Vec::len).sum();
        assert_eq!(places, 37 * TRIGRAMS_PER_LANGUAGE as usize);
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
