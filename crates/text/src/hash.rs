//! Computes hashes of texts and words, and random numbers, that are the same on every machine.

/// Returns the FNV-1a hash of a text, 64 bits (Fowler, Noll and Vo). Files hold values made from it: it never changes.
pub const fn hash(text: &[u8]) -> u64 {
    let mut hash = EMPTY_HASH;
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        hash = hash_step(hash, *byte);
        rest = after;
    }
    hash
}

/// FNV-1a hash ([`hash`]) of an empty text, to be continued byte by byte.
pub const EMPTY_HASH: u64 = 0xcbf2_9ce4_8422_2325;

/// Returns the hash of a text that is one byte longer, given the [`hash`] of the text before it.
#[inline]
pub const fn hash_step(before: u64, byte: u8) -> u64 {
    (before ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3)
}

/// Returns the hash of a word, eight bytes at a step. It is for use in memory, not for files, and may change.
pub const fn word_hash(word: &[u8]) -> u64 {
    let mut hash = 0;
    let mut rest = word;
    while let Some((eight, after)) = rest.split_first_chunk::<8>() {
        hash = word_hash_step(hash, u64::from_le_bytes(*eight));
        rest = after;
    }
    if rest.is_empty() {
        return hash;
    }
    let mut last = 0;
    let mut at = rest.len();
    while at > 0 {
        at -= 1;
        last = last << 8 | rest[at] as u64;
    }
    word_hash_step(hash, last)
}

/// Returns the [`word_hash`] continued with up to eight more bytes, the first in the lowest bits, padded with 0.
#[inline(always)]
pub const fn word_hash_step(before: u64, bytes: u64) -> u64 {
    let mixed = (before ^ bytes).wrapping_mul(GOLDEN_GAMMA);
    mixed ^ (mixed >> 32)
}

/// Increment of the state of SplitMix64 for each number: the golden ratio, made odd.
pub const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes the bits of a number by the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a bijection that
/// spreads every bit.
pub const fn mix(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(GOLDEN_GAMMA);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Generator of random numbers, SplitMix64: the same seed gives the same numbers on every machine. Not for secrets.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates a generator from a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next random number.
    pub const fn next_u64(&mut self) -> u64 {
        let number = mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_length_have_hashes_of_their_own() {
        let letters = b"abcdefghabcdefghabcdefgh";
        let mut all: Vec<u64> = (0..=letters.len()).map(|len| word_hash(&letters[..len])).collect();
        assert_eq!(all[3], word_hash_step(0, u64::from_le_bytes(*b"abc\0\0\0\0\0")));
        assert_eq!(all[16], word_hash_step(all[8], u64::from_le_bytes(*b"abcdefgh")));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), letters.len() + 1);
    }

    #[test]
    fn published_values() {
        // Of the FNV reference vectors, and of the generator in the reference source of xoshiro.
        assert_eq!(hash(b""), EMPTY_HASH);
        assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8);
        let mut numbers = SplitMix64::new(0);
        assert_eq!(numbers.next_u64(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(numbers.next_u64(), 0x6e78_9e6a_a1b9_65f4);
    }
}
