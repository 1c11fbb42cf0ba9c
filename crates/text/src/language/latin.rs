//! Languages in Latin letters: the combined method of whatlang 0.18 with the same result, several
//! times faster because trigrams are looked up once and not once a language.
//!
//! The text's trigrams, ranked by how often they occur, are compared with the ranked lists of each
//! language (Cavnar and Trenkle, 1994); to that comes the share of letters that the language's
//! alphabet has. Alphabets and lists are those of whatlang by Serhii Potapov (MIT licence).

use std::cell::RefCell;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A line a language: ISO 639-3 code, letters of its alphabet, its 300 trigrams, most frequent first.
const LISTS: &str = include_str!("latin.tsv");

/// Trigrams of a language, and the distance of one that a text does not have.
const LISTED: u32 = 300;
/// Most frequent trigrams of a text that are compared.
const COMPARED: usize = 600;
/// Confidence above which a verdict stands.
const RELIABLE: f64 = 0.9;

/// Values of three signs of five bits: the space and `a` to `z`.
const PLAIN: usize = 1 << 15;

/// What languages have each trigram, and each letter.
struct Lists {
    codes: Vec<&'static str>,
    /// First place in `places` of each trigram of [`plain`] signs, and of the end.
    plain: Vec<u16>,
    /// Range in `places` of each other trigram, by its [`key`].
    other: FxHashMap<u64, (u16, u16)>,
    /// Languages, with the rank of the trigram in each.
    places: Vec<ListedAt>,
    /// By letter: a bit for each language that has it.
    letters: FxHashMap<char, u64>,
}

/// A language and the rank that a trigram has in it, in one number: both are looked at for each trigram of
/// a text in some five languages.
#[derive(Clone, Copy, Debug)]
struct ListedAt(u16);

impl ListedAt {
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

/// Most languages: each has a bit among those of a letter.
const LANGUAGES: usize = 64;

static READY: LazyLock<Lists> = LazyLock::new(Lists::new);

/// Sign of five bits of a letter `a` to `z` or of what divides words; none for other letters.
#[inline]
fn plain(c: char) -> Option<usize> {
    match SIGNS.get(c as usize) {
        Some(sign) if *sign < 32 => Some(usize::from(*sign)),
        _ => None,
    }
}

/// The signs of ASCII characters, 32 for those that have none.
const SIGNS: [u8; 128] = {
    let mut signs = [32; 128];
    let mut at = 0;
    while at < 128 {
        let byte = at as u8;
        if byte.is_ascii_lowercase() {
            signs[at] = byte - 0x60;
        } else if divides(byte as char) {
            signs[at] = 0;
        }
        at += 1;
    }
    signs
};

/// The signs of plain characters, capital letters as small ones.
static SIGNS_OF_ANY_CASE: [u8; 0x7F] = {
    let mut signs = [0; 0x7F];
    let mut at = 0;
    while at < 0x7F {
        let byte = at as u8;
        if byte.is_ascii_alphabetic() {
            signs[at] = byte.to_ascii_lowercase() - 0x60;
        }
        at += 1;
    }
    signs
};

/// Signs that say nothing about the language: of ASCII all but letters.
const fn divides(c: char) -> bool {
    c < '\x7f' && !c.is_ascii_alphabetic()
}

/// A trigram as a number, in the order of trigrams.
fn key(signs: [char; 3]) -> u64 {
    signs.iter().fold(0, |key, c| key << 21 | u64::from(*c))
}

/// The same for a trigram of plain signs.
fn key_of_plain(at: usize) -> u64 {
    let sign = |shift: usize| match at >> shift & 31 {
        0 => u64::from(b' '),
        letter => 0x60 + letter as u64,
    };
    sign(10) << 42 | sign(5) << 21 | sign(0)
}

fn plain_of(signs: [char; 3]) -> Option<usize> {
    let [a, b, c] = signs;
    Some(plain(a)? << 10 | plain(b)? << 5 | plain(c)?)
}

impl Lists {
    fn new() -> Self {
        let mut lists = Self {
            codes: Vec::new(),
            plain: Vec::with_capacity(PLAIN + 1),
            other: FxHashMap::default(),
            places: Vec::new(),
            letters: FxHashMap::default(),
        };
        let mut plain: Vec<Vec<ListedAt>> = vec![Vec::new(); PLAIN];
        let mut other: FxHashMap<u64, Vec<ListedAt>> = FxHashMap::default();
        for (language, line) in (0..LANGUAGES as u8).zip(LISTS.lines()) {
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
                places
                    .into_iter()
                    .for_each(|all| all.push(ListedAt::new(language, rank)));
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

    fn places(&self, trigram: &Trigram) -> &[ListedAt] {
        let (from, to) = match trigram.plain {
            Some(at) => {
                let mark = |at: usize| self.plain.get(at).copied().unwrap_or_default();
                (mark(usize::from(at)), mark(usize::from(at) + 1))
            }
            None => self.other.get(&trigram.key).copied().unwrap_or_default(),
        };
        self.places
            .get(usize::from(from)..usize::from(to))
            .unwrap_or_default()
    }
}

/// A trigram of a text and how often it occurs there.
#[derive(Clone, Copy, Debug, Default)]
struct Trigram {
    key: u64,
    plain: Option<u16>,
    count: u16,
}

/// Whether most letters of a text are those of ASCII, so that its script is known to be Latin.
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
    let lists = &*READY;
    let found = COUNTS.with(|counts| match counts.try_borrow_mut() {
        Ok(mut counts) => Found::of(text, &mut counts),
        Err(_) => Found::of(text, &mut Counts::new()),
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
    best.filter(|_| confidence(first, second, compared) > RELIABLE)
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
fn alphabet_scores(lists: &Lists, found: &Found) -> Vec<f64> {
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
    let scores = sums
        .into_iter()
        .map(|sum| f64::from((2 * sum).saturating_sub(letters)) / f64::from(letters));
    scores.collect()
}

/// How often each trigram of plain signs occurs, and a bit for each that does. Between texts all is 0, so
/// that a text takes time for its own trigrams only.
struct Counts {
    counts: Box<[u16; PLAIN]>,
    seen: Box<[u64; PLAIN / 64]>,
}

impl Counts {
    fn new() -> Self {
        Self {
            counts: Box::new([0; PLAIN]),
            seen: Box::new([0; PLAIN / 64]),
        }
    }

    #[inline]
    fn add(&mut self, at: usize) {
        // The remainder is the number itself; it tells the compiler that it is in bounds.
        let at = at % PLAIN;
        self.counts[at] = self.counts[at].saturating_add(1);
        self.seen[at / 64] |= 1 << (at % 64);
    }

    /// The trigrams in their order, with keys if others stand beside them; all is 0 again.
    fn take(&mut self, keys: bool) -> Vec<Trigram> {
        // Three spaces are no trigram.
        self.counts[0] = 0;
        self.seen[0] &= !1;
        let mut all = Vec::with_capacity(2048);
        for (word, bits) in self.seen.iter_mut().enumerate() {
            let mut bits = std::mem::take(bits);
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let count = self.counts.get_mut(at);
                all.push(Trigram {
                    key: if keys { key_of_plain(at) } else { 0 },
                    plain: u16::try_from(at).ok(),
                    count: count.map(std::mem::take).unwrap_or_default(),
                });
            }
        }
        all
    }
}

thread_local! {
    static COUNTS: RefCell<Counts> = RefCell::new(Counts::new());
}

/// What a text is made of.
#[derive(Debug, Default)]
struct Found {
    /// How often `a` to `z` occur, and the other letters.
    plain_letters: [u32; 26],
    other_letters: FxHashMap<char, u32>,
    letters: u32,
    /// The most frequent trigrams; of equally frequent ones the later first.
    ranked: Vec<Trigram>,
}

impl Found {
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

/// The trigrams of a text as its characters come.
struct Trigrams<'a> {
    counts: &'a mut Counts,
    other: Vec<u64>,
    /// The two characters before.
    last: (char, char),
    /// Place of both if they are plain signs, and how many plain ones stand before.
    place: usize,
    run: u32,
    is_first: bool,
}

impl<'a> Trigrams<'a> {
    fn new(counts: &'a mut Counts) -> Self {
        Self {
            counts,
            other: Vec::new(),
            last: (' ', ' '),
            place: 0,
            run: 0,
            is_first: true,
        }
    }

    /// Adds bytes of plain signs, in capital or small letters, up to the first that is none, if the two
    /// characters before are plain as well; gives their number. `signs` counts them.
    fn add_plain(&mut self, bytes: &[u8], signs: &mut [u32; 32]) -> usize {
        if self.run < 2 {
            return 0;
        }
        let mut place = self.place;
        let mut added = 0;
        for byte in bytes {
            let sign = match SIGNS_OF_ANY_CASE.get(usize::from(*byte)) {
                Some(sign) => usize::from(*sign) % 32,
                None => break,
            };
            signs[sign] += 1;
            // Where words end no processor foresees: what stands between them is counted as three spaces,
            // which no text has.
            let is_gap = place & 31 == 0 && (place == 0 || sign == 0);
            self.counts.add(if is_gap { 0 } else { place << 5 | sign });
            place = (place << 5 | sign) & 0x3FF;
            added += 1;
        }
        if added > 0 {
            let char_of = |sign: usize| match sign {
                0 => ' ',
                letter => char::from(0x60 + letter as u8),
            };
            self.place = place;
            self.last = (char_of(place >> 5), char_of(place & 31));
        }
        added
    }

    #[inline]
    fn add(&mut self, c: char) {
        let (a, b) = self.last;
        let sign = plain(c);
        if std::mem::take(&mut self.is_first) {
            (self.place, self.run) = sign.map_or((0, 0), |sign| (sign, 2));
        } else {
            if !(b == ' ' && (a == ' ' || c == ' ')) {
                match sign.filter(|_| self.run >= 2) {
                    Some(sign) => self.counts.add(self.place << 5 | sign),
                    None => self.other.push(key([a, b, c])),
                }
            }
            (self.place, self.run) = match sign {
                Some(sign) => ((self.place << 5 | sign) & 0x3FF, self.run + 1),
                None => (0, 0),
            };
        }
        self.last = (b, c);
    }

    /// The most frequent ones; of equally frequent ones the later first.
    fn ranked(mut self) -> Vec<Trigram> {
        if self.is_first {
            self.add(' ');
        }
        self.add(' ');
        let mut other = self.other;
        let mut all = self.counts.take(!other.is_empty());
        if !other.is_empty() {
            other.sort_unstable();
            all.extend(other.chunk_by(|a, b| a == b).map(|same| Trigram {
                key: same.first().copied().unwrap_or_default(),
                plain: None,
                count: u16::try_from(same.len()).unwrap_or(u16::MAX),
            }));
            all.sort_by_key(|trigram| trigram.key);
        }
        by_count(&all)
    }
}

/// Sorts trigrams that stand in their order by falling count, then against their order, and keeps the
/// first ones.
fn by_count(all: &[Trigram]) -> Vec<Trigram> {
    let most = all.iter().map(|trigram| trigram.count).max().unwrap_or(0);
    // Place of the first trigram of each count.
    let mut starts = vec![0usize; usize::from(most) + 2];
    for trigram in all {
        if let Some(slot) = starts.get_mut(usize::from(trigram.count)) {
            *slot += 1;
        }
    }
    let mut sum = 0;
    for slot in starts.iter_mut().rev() {
        (*slot, sum) = (sum, sum + *slot);
    }
    let mut sorted = vec![Trigram::default(); all.len()];
    for trigram in all.iter().rev() {
        if let Some(place) = starts.get_mut(usize::from(trigram.count)) {
            if let Some(slot) = sorted.get_mut(*place) {
                *slot = *trigram;
            }
            *place += 1;
        }
    }
    sorted.truncate(COMPARED);
    sorted
}

/// Score of each language by its trigrams, 0..=1, and the number of trigrams compared.
fn trigram_scores(lists: &Lists, ranked: &[Trigram]) -> (Vec<f64>, usize) {
    // At most as many ranks as trigrams are compared: the sums are small.
    let mut distances = [(LISTED * LISTED) as i32; LANGUAGES];
    for (rank, trigram) in (0i32..).zip(ranked) {
        for listed in lists.places(trigram) {
            // The remainder is the number itself; it tells the compiler that it is in bounds.
            let sum = &mut distances[listed.language() % LANGUAGES];
            *sum += (rank - listed.rank()).abs() - LISTED as i32;
        }
    }
    // A short text cannot have all trigrams.
    let compared = ranked.len();
    let short = i64::from(LISTED) - compared as i64;
    let most = (compared as i64 * i64::from(LISTED)) as f64;
    let distances = distances.iter().take(lists.codes.len());
    let scores = distances.map(|distance| {
        let distance = i64::from(*distance) - short.max(0) * i64::from(LISTED);
        let distance = distance.clamp(0, i64::from(LISTED * LISTED));
        (most - distance as f64) / most
    });
    (scores.collect(), compared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use whatlang::Detector;

    /// What whatlang finds.
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
        assert_eq!(READY.codes.len(), 37);
        assert_eq!(READY.places.len(), 37 * LISTED as usize);
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
