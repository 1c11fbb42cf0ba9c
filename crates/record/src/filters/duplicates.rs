//! Drops documents that repeat earlier documents of the run.
//!
//! The keys of a document are a hash of all words, and MinHash over shingles. The set of keys forgets the oldest
//! documents when its memory is full.

use std::{collections::HashSet, hash::Hash};

use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use trommel_text::{TextStats, mix, words::shingle};

use crate::filters::{DuplicateSettings, Reason};

/// Number of bytes of memory for the keys of captured pages: enough for 3.5 million pages.
const PAGES_MEMORY: u64 = 64 << 20;

/// Filters that drop documents that repeat earlier ones of the run, exactly or nearly. The filters must judge documents
/// in the order of the records.
#[derive(Debug, Default)]
pub struct Duplicates {
    exact: Option<Memory<u128>>,
    near: Option<Memory<u64>>,
    /// Keys of the pages from which a document was made, to drop a crawler's copies of them; `None` to keep the copies.
    copies: Option<Memory<u64>>,
}

/// Saved memory of [`Duplicates`], from which a resumed run continues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuplicatesState {
    exact: Option<MemoryState<u128>>,
    near: Option<MemoryState<u64>>,
    #[serde(default)]
    copies: Option<MemoryState<u64>>,
}

impl Duplicates {
    /// Creates the duplicate filters that the settings choose, with an empty memory.
    pub fn new(settings: &DuplicateSettings) -> Self {
        let memory = settings.memory.0;
        Self {
            exact: settings.exact.then(|| Memory::new(memory)),
            near: settings.near.then(|| Memory::new(memory)),
            copies: None,
        }
    }

    /// Adds a filter that drops a crawler's copy of a page if the capture of the page gave a document.
    pub fn with_copies(self) -> Self {
        Self { copies: Some(Memory::new(PAGES_MEMORY)), ..self }
    }

    /// Returns whether all duplicate filters are off.
    pub fn is_empty(&self) -> bool {
        self.exact.is_none() && self.near.is_none() && self.copies.is_none()
    }

    /// Returns the reason why a document is dropped as a duplicate; `None` if it is kept. A kept document is
    /// remembered.
    pub fn judge(&mut self, fingerprint: &Fingerprint) -> Option<Reason> {
        if let (Some(exact), Some(key)) = (&mut self.exact, fingerprint.exact)
            && exact.meet(&[key])
        {
            return Some(Reason::ExactDuplicate);
        }
        if let Some(near) = self.near.as_mut().filter(|_| !fingerprint.near.is_empty())
            && near.meet(&fingerprint.near)
        {
            return Some(Reason::NearDuplicate);
        }
        let (PageText::Captured(page) | PageText::Copied(page)) = fingerprint.page?;
        let is_known = self.copies.as_mut()?.meet(&[page]);
        // A page may be captured twice.
        matches!(fingerprint.page, Some(PageText::Copied(_)) if is_known).then_some(Reason::PageCopy)
    }

    /// Returns the number of documents that the exact or near filter (the larger count) forgot, for lack of memory.
    pub fn forgotten(&self) -> u64 {
        let exact = self.exact.as_ref().map_or(0, |memory| memory.forgotten);
        exact.max(self.near.as_ref().map_or(0, |memory| memory.forgotten))
    }

    /// Returns the approximate size of [`Duplicates::state`] in bytes.
    pub fn bytes(&self) -> u64 {
        let others = [&self.near, &self.copies].into_iter().flatten();
        self.exact.as_ref().map_or(0, Memory::bytes) + others.map(Memory::bytes).sum::<u64>()
    }

    /// Returns the memory of the filters, so that it can be saved.
    pub fn state(&self) -> DuplicatesState {
        DuplicatesState {
            exact: self.exact.as_ref().map(Memory::state),
            near: self.near.as_ref().map(Memory::state),
            copies: self.copies.as_ref().map(Memory::state),
        }
    }

    /// Replaces the memory of the filters by a saved one of filters with the same settings.
    pub fn restore(&mut self, state: DuplicatesState) {
        fn go_on<K: Copy + Ord + Hash>(memory: &mut Option<Memory<K>>, state: Option<MemoryState<K>>) {
            if let (Some(memory), Some(state)) = (memory, state) {
                memory.restore(state);
            }
        }
        go_on(&mut self.exact, state.exact);
        go_on(&mut self.near, state.near);
        go_on(&mut self.copies, state.copies);
    }

    /// Describes the exact and the near filter, one line each, with the minimum number of documents that it remembers.
    pub fn describe(&self) -> Vec<String> {
        let exact = self.exact.as_ref().map(|memory| ("exact", memory.capacity));
        let near = self.near.as_ref().map(|memory| ("near", memory.capacity / BANDS));
        let about = |(kind, least)| format!("{kind} duplicates: the last {least} documents or more are remembered");
        exact.into_iter().chain(near).map(about).collect()
    }
}

/// Fingerprint of a document's text, by which it is compared with others to find duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// Hash of the words in lower case; `None` without words or if exact duplicates are not compared.
    pub exact: Option<u128>,
    /// MinHash keys, of which near duplicates share at least one. The list is empty if near duplicates are not compared
    /// or the text is shorter than a shingle.
    pub near: Vec<u64>,
    /// Page to which the text belongs; `None` if copies of pages are not compared.
    pub page: Option<PageText>,
}

/// Source of a page's text (the capture or a crawler's copy), with a key of the page's URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageText {
    /// The text is that of the captured page; the number is the key of its URL.
    Captured(u64),
    /// The text is that of a crawler's copy of the page; the number is the key of the page's URL.
    Copied(u64),
}

/// Computes the key of a text for exact duplicates: the first half of the SHA-256 of its words in lower case.
/// Punctuation does not matter. Returns `None` for a text without words.
pub(crate) fn exact(stats: &TextStats<'_>) -> Option<u128> {
    if stats.words().is_empty() {
        return None;
    }
    Some(u128::from_be_bytes(*Sha256::digest(stats.lower()).first_chunk::<16>()?))
}

/// Keys of documents in two generations, each a hash table that has its full size from the start. When the younger
/// generation is full, the older one is forgotten and the younger one takes its place. So at least the documents of one
/// whole generation are remembered.
#[derive(Debug)]
struct Memory<K> {
    /// Maximum number of keys in a generation (half of the memory).
    capacity: usize,
    old: Generation<K>,
    young: Generation<K>,
    /// Number of documents forgotten because the memory was full.
    forgotten: u64,
}

#[derive(Debug)]
struct Generation<K> {
    keys: HashSet<K, FxBuildHasher>,
    documents: u64,
}

/// Saved memory of a duplicate filter, from which a filter with the same settings continues exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct MemoryState<K> {
    old: SavedGeneration<K>,
    young: SavedGeneration<K>,
    forgotten: u64,
}

/// Sorted keys of a generation (the older or the younger half of the memory), and the number of its documents.
type SavedGeneration<K> = (Vec<K>, u64);

impl<K: Copy + Ord + Hash> Memory<K> {
    /// Creates a memory of at most `bytes` bytes in two halves; each half has room for at least seven keys.
    fn new(bytes: u64) -> Self {
        // Tables have a power of two of places, each with a byte of its own, and fill seven eighths.
        let place = size_of::<K>() as u64 + 1;
        let places = (bytes / 2 / place).clamp(8, 1 << 40);
        let capacity = usize::try_from(1_u64 << places.ilog2()).unwrap_or(8) / 8 * 7;
        Self { capacity, old: Generation::new(0), young: Generation::new(capacity), forgotten: 0 }
    }

    /// Returns whether a document with one of these keys is remembered; if not, remembers the keys. Keys that are found
    /// count as new again, so that frequent ones are not forgotten.
    fn meet(&mut self, keys: &[K]) -> bool {
        // Every key is asked for, so that all that are found stay in memory.
        let is_known = keys.iter().fold(false, |found, key| self.recall(*key) | found);
        if !is_known {
            self.make_room(keys.len());
            self.young.keys.extend(keys);
            self.young.documents += 1;
        }
        is_known
    }

    fn recall(&mut self, key: K) -> bool {
        if self.young.keys.contains(&key) {
            return true;
        }
        if !self.old.keys.contains(&key) {
            return false;
        }
        self.make_room(1);
        self.young.keys.insert(key);
        true
    }

    /// Returns the number of bytes of all keys in the memory.
    fn bytes(&self) -> u64 {
        ((self.old.keys.len() + self.young.keys.len()) * size_of::<K>()) as u64
    }

    fn make_room(&mut self, keys: usize) {
        if self.young.keys.len() + keys > self.capacity {
            self.forgotten += self.old.documents;
            // The old table is given back before the new one is made: there are never three.
            self.old = Generation::new(0);
            let young = Generation::new(self.capacity);
            self.old = std::mem::replace(&mut self.young, young);
        }
    }

    /// Returns the contents of the memory with sorted keys, so that they can be saved.
    fn state(&self) -> MemoryState<K> {
        let sorted = |generation: &Generation<K>| {
            let mut keys: Vec<K> = generation.keys.iter().copied().collect();
            keys.sort_unstable();
            (keys, generation.documents)
        };
        MemoryState { old: sorted(&self.old), young: sorted(&self.young), forgotten: self.forgotten }
    }

    /// Replaces the contents of this memory by a saved one of the same size.
    fn restore(&mut self, state: MemoryState<K>) {
        let generation = |size, (keys, documents): SavedGeneration<K>| {
            let mut generation = Generation { documents, ..Generation::new(size) };
            generation.keys.extend(keys.into_iter().take(self.capacity));
            generation
        };
        self.old = generation(0, state.old);
        self.young = generation(self.capacity, state.young);
        self.forgotten = state.forgotten;
    }
}

impl<K> Generation<K> {
    fn new(capacity: usize) -> Self {
        Self { keys: HashSet::with_capacity_and_hasher(capacity, FxBuildHasher), documents: 0 }
    }
}

/// Number of words in a shingle, a phrase that MinHash compares. Like the numbers of bands and rows, it is that of
/// FineWeb (Penedo et al. 2024, section 3.4). Most pairs of pages that share three quarters of their shingles are
/// found.
const SHINGLE: u32 = 5;
/// Number of MinHash keys of a text; near duplicates share at least one.
const BANDS: usize = 14;
/// Number of MinHash minima that are combined into one key.
const ROWS: usize = 8;

/// Computes the keys of a text for near duplicates: MinHash (Broder 1997) over its shingles, with a key for each band.
/// Two texts whose sets of shingles have the Jaccard similarity `s` share a key with probability `1 - (1 - s^8)^14`:
/// .05 at .5, .77 at .75, .99 at .85.
pub(crate) fn near(stats: &TextStats<'_>) -> Vec<u64> {
    let words = stats.words();
    let mut minima = [u32::MAX; BANDS * ROWS];
    let mut at = 0;
    while let Some(phrase) = words.get(at..).and_then(|rest| shingle(rest, SHINGLE)) {
        at += 1;
        for (row, minimum) in (0u64..).zip(&mut minima) {
            // Multiply-shift (Dietzfelbinger et al. 1997) of a hash that is well mixed already.
            let (factor, term) = (mix(2 * row) | 1, mix(2 * row + 1));
            let hash = phrase.hash.wrapping_mul(factor).wrapping_add(term) >> 32;
            *minimum = (*minimum).min(hash as u32);
        }
    }
    if at == 0 {
        return Vec::new();
    }
    (0u64..)
        .zip(minima.chunks_exact(ROWS))
        .map(|(band, rows)| rows.iter().fold(mix(band), |key, &row| mix(key ^ u64::from(row))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::{FilterSettings, Filters};
    use trommel_text::{ByteSize, TextStats};

    fn settings(memory: u64) -> FilterSettings {
        FilterSettings {
            duplicates: DuplicateSettings { exact: true, near: true, memory: ByteSize(memory) },
            ..FilterSettings::default()
        }
    }

    fn text(number: u32) -> String {
        (0..100).map(|word| format!("w{} ", number * 100 + word)).collect()
    }

    #[test]
    fn case_and_punctuation_make_no_difference() {
        let of = |text: &str| exact(&TextStats::new(text));
        assert_eq!(of("The mill, by the river."), of("the MILL\nby — the river"));
        assert_eq!(of("我在湖南，开会。"), of("我在 湖南\n开会"));
        assert_ne!(of("a bc"), of("ab c"));
        assert_ne!(of("one two"), of("two one"));
        assert_eq!(of(" —… "), None);
    }

    #[test]
    fn copies_and_near_copies_are_dropped_once() {
        let filters = Filters::new(&settings(1 << 20));
        let mut duplicates = filters.duplicates();
        let mut judge = |text: &str| duplicates.judge(&filters.fingerprint(&TextStats::new(text)));
        assert_eq!(judge(&text(1)), None);
        assert_eq!(judge(&text(2)), None);
        assert_eq!(judge(&text(1).to_uppercase()), Some(Reason::ExactDuplicate));
        assert_eq!(judge(&format!("{} and one more line", text(2))), Some(Reason::NearDuplicate));
        // A text without words is no copy of another such.
        assert_eq!(judge(""), None);
        assert_eq!(judge("—"), None);
        let chinese = "我在湖南张家界开一个全省教学研究会议。按照惯例，会议安排了一天时间，让与会者去风景点游玩观赏。";
        assert_eq!(judge(chinese), None);
        assert_eq!(judge(&chinese.replace("，", " ")), Some(Reason::ExactDuplicate));
        assert_eq!(judge(&format!("{chinese}好")), Some(Reason::NearDuplicate));
    }

    #[test]
    fn a_saved_state_gives_the_verdicts_of_an_unbroken_run() {
        let filters = Filters::new(&settings(20_000));
        let fingerprints: Vec<Fingerprint> =
            (0..600).map(|step| filters.fingerprint(&TextStats::new(&text(step * step % 97)))).collect();
        let mut whole = filters.duplicates();
        let expected: Vec<_> = fingerprints.iter().map(|fingerprint| whole.judge(fingerprint)).collect();
        assert!(expected.contains(&Some(Reason::ExactDuplicate)));
        for cut in [1, 50, 333] {
            let mut first = filters.duplicates();
            let mut verdicts: Vec<_> =
                fingerprints.iter().take(cut).map(|fingerprint| first.judge(fingerprint)).collect();
            let saved = rmp_serde::to_vec(&first.state()).unwrap();
            let mut second = filters.duplicates();
            second.restore(rmp_serde::from_slice(&saved).unwrap());
            verdicts.extend(fingerprints.iter().skip(cut).map(|fingerprint| second.judge(fingerprint)));
            assert!(verdicts == expected, "{cut}");
            assert_eq!(second.state(), whole.state());
        }
    }

    #[test]
    fn copies_of_pages_are_for_those_that_gave_nothing() {
        let mut duplicates = Duplicates::new(&DuplicateSettings::default()).with_copies();
        assert!(!duplicates.is_empty());
        let of = |page| Fingerprint { page, ..Fingerprint::default() };
        for (page, reason) in [
            (None, None),
            (Some(PageText::Captured(1)), None),
            (Some(PageText::Captured(1)), None),
            (Some(PageText::Copied(1)), Some(Reason::PageCopy)),
            (Some(PageText::Copied(2)), None),
            (Some(PageText::Copied(2)), Some(Reason::PageCopy)),
        ] {
            assert_eq!(duplicates.judge(&of(page)), reason, "{page:?}");
        }
        let mut second = Duplicates::new(&DuplicateSettings::default()).with_copies();
        second.restore(duplicates.state());
        assert_eq!(second.judge(&of(Some(PageText::Copied(1)))), Some(Reason::PageCopy));
    }

    #[test]
    fn what_is_forgotten_is_counted() {
        let filters = Filters::new(&settings(5000));
        let mut duplicates = filters.duplicates();
        for number in 0..400 {
            assert_eq!(duplicates.judge(&filters.fingerprint(&TextStats::new(&text(number)))), None);
        }
        let forgotten = duplicates.forgotten();
        assert!(forgotten > 100, "{forgotten}");
        assert_eq!(duplicates.judge(&filters.fingerprint(&TextStats::new(&text(0)))), None);
        let last = duplicates.judge(&filters.fingerprint(&TextStats::new(&text(399))));
        assert_eq!(last, Some(Reason::ExactDuplicate));
    }

    #[test]
    fn the_oldest_are_forgotten_at_the_bound() {
        // Two tables of sixteen places of nine bytes.
        let mut memory: Memory<u64> = Memory::new(2 * 16 * 9);
        assert_eq!(memory.capacity, 14);
        for key in 0..28 {
            memory.meet(&[key]);
        }
        assert!((0..28).all(|key| memory.old.keys.contains(&key) || memory.young.keys.contains(&key)));
        assert_eq!(memory.forgotten, 0);
        memory.meet(&[28]);
        assert_eq!(memory.forgotten, 14);
        assert!(!memory.recall(0) && !memory.recall(13));
        assert!(memory.recall(14) && memory.recall(27) && memory.recall(28));
        assert!(memory.young.keys.capacity() >= 14 && memory.old.keys.capacity() == 14);
    }

    #[test]
    fn what_keeps_coming_is_kept() {
        let mut memory: Memory<u64> = Memory::new(2 * 8 * 9);
        memory.meet(&[1000]);
        for key in 0..200 {
            memory.meet(&[key]);
            assert!(memory.recall(1000), "{key}");
        }
        assert!(!memory.recall(0));
    }

    #[test]
    fn state_goes_on_exactly() {
        let mut whole: Memory<u64> = Memory::new(500);
        let mut first: Memory<u64> = Memory::new(500);
        let keys = |step: u64| [step * 7 % 31, step * 3 % 101];
        for step in 0..40 {
            whole.meet(&keys(step));
            first.meet(&keys(step));
        }
        let saved = rmp_serde::to_vec(&first.state()).unwrap();
        let mut second: Memory<u64> = Memory::new(500);
        second.restore(rmp_serde::from_slice(&saved).unwrap());
        for step in 40..80 {
            let key = step * 5 % 101;
            assert_eq!(whole.recall(key), second.recall(key), "{step}");
            whole.meet(&keys(step));
            second.meet(&keys(step));
        }
        assert_eq!(whole.state(), second.state());
        assert!(whole.forgotten > 0);
    }

    fn near_keys(text: &str) -> Vec<u64> {
        near(&TextStats::new(text))
    }

    fn shingled(words: impl Iterator<Item = u32>) -> String {
        words.map(|word| format!("w{word} ")).collect()
    }

    /// Returns the share of 300 pairs of texts that have a key in common, if `common` of their 200 shingles are common.
    fn found(common: u32) -> f64 {
        let pairs = 300;
        let found = (0..pairs)
            .filter(|pair| {
                // Two texts of 204 words, 200 shingles, that begin alike.
                let base = pair * 10_000;
                let one = near_keys(&shingled(base..base + 204));
                let same = base..base + common + 4;
                let other = near_keys(&shingled(same.chain(base + 5000..base + 5200 - common)));
                one.iter().zip(&other).any(|(a, b)| a == b)
            })
            .count();
        found as f64 / f64::from(pairs)
    }

    #[test]
    fn likely_where_similar_and_unlikely_where_not() {
        // Jaccard similarity j of c common of 200 shingles each: c / (400 - c).
        for (common, similarity) in [(60, 0.176), (133, 0.5), (171, 0.747), (184, 0.85)] {
            let expected = 1.0 - (1.0 - f64::powi(similarity, 8)).powi(14);
            let found = found(common);
            // Three standard errors of 300 pairs at most .087.
            assert!((found - expected).abs() < 0.09, "{common}: {found} {expected}");
        }
    }

    #[test]
    fn short_texts_have_no_keys() {
        assert!(near_keys("one two three four").is_empty());
        assert_eq!(near_keys("one two three four five").len(), BANDS);
        assert_eq!(near_keys("我在湖南张家界开一个").len(), BANDS);
    }
}
