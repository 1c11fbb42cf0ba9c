//! Recognises texts that are nearly the same, by MinHash over shingles, in bands.

use trommel_text::{TextStats, mix, words::shingle};

/// Words of a shingle. This and the bands are those of FineWeb (Penedo et al. 2024, section 3.4):
/// pages that share three quarters of their shingles are found in most cases.
const SHINGLE: u32 = 5;
/// Keys of a text, one of which two texts must share.
pub(crate) const BANDS: usize = 14;
/// Minima that go into a key.
const ROWS: usize = 8;

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
