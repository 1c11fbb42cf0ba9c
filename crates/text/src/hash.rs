//! Hashes that are the same on every machine and in every version.

/// FNV-1a of 64 bits (Fowler, Noll and Vo): part of the model file's meaning, so it never changes.
pub const fn hash(text: &[u8]) -> u64 {
    let mut hash = EMPTY_HASH;
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        hash = hash_step(hash, *byte);
        rest = after;
    }
    hash
}

/// [`hash`] of nothing.
pub const EMPTY_HASH: u64 = 0xcbf2_9ce4_8422_2325;

/// [`hash`] of what was hashed before and one byte.
#[inline]
pub const fn hash_step(before: u64, byte: u8) -> u64 {
    (before ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3)
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a bijection that spreads every bit.
pub fn mix(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
