//! Keys by which duplicates are found: a hash of all words, and MinHash over shingles.

use sha2::{Digest, Sha256};
use trommel_text::shingle::shingle;
use trommel_text::{TextStats, mix};

/// Words of a shingle. This and the bands are those of FineWeb (Penedo et al. 2024, section 3.4):
/// pages that share three quarters of their shingles are found in most cases.
const SHINGLE: u32 = 5;
/// Keys of a text, one of which two texts must share.
pub(crate) const BANDS: usize = 14;
/// Minima that go into a key.
const ROWS: usize = 8;

/// The fingerprint of a text, for comparing it with others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// Hash of its words in lower case; none if it is not asked for or there is no word.
    pub(crate) exact: Option<u128>,
    /// A key a band; none if they are not asked for or there are fewer words than in a shingle.
    pub(crate) near: Vec<u64>,
    /// The page whose text it is, where copies of pages are compared.
    pub page: Option<PageText>,
}

/// A text of a page, by a key of its URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageText {
    /// Key of a captured page.
    Captured(u64),
    /// Key of a crawler's copy.
    Copied(u64),
}

impl Fingerprint {
    /// Hash of its words in lower case; none if it is not asked for or there is no word.
    pub fn exact(&self) -> Option<u128> {
        self.exact
    }

    /// Keys, one of which near duplicates have in common; none if they are not asked for or there are fewer
    /// words than in a shingle.
    pub fn near(&self) -> &[u64] {
        &self.near
    }
}

/// The words of a text in lower case, whatever stands between them: the first half of their SHA-256.
pub(crate) fn exact(stats: &TextStats<'_>) -> Option<u128> {
    if stats.words().is_empty() {
        return None;
    }
    Some(u128::from_be_bytes(*Sha256::digest(stats.lower()).first_chunk::<16>()?))
}

/// Locality-sensitive keys of a text: MinHash (Broder 1997) over its shingles, a key a band. Two texts
/// whose sets of shingles have the Jaccard similarity `s` share a key with probability
/// `1 - (1 - s^8)^14`: .05 at .5, .77 at .75, .99 at .85.
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

    fn near(text: &str) -> Vec<u64> {
        super::near(&TextStats::new(text))
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

    fn text(words: impl Iterator<Item = u32>) -> String {
        words.map(|word| format!("w{word} ")).collect()
    }

    /// Share of pairs with this share of common shingles that have a key in common.
    fn found(common: u32) -> f64 {
        let pairs = 300;
        let found = (0..pairs)
            .filter(|pair| {
                // Two texts of 204 words, 200 shingles, that begin alike.
                let base = pair * 10_000;
                let one = near(&text(base..base + 204));
                let same = base..base + common + 4;
                let other = near(&text(same.chain(base + 5000..base + 5200 - common)));
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
        assert!(near("one two three four").is_empty());
        assert_eq!(near("one two three four five").len(), BANDS);
        assert_eq!(near("我在湖南张家界开一个").len(), BANDS);
    }
}
