//! Short names of elements and attributes as numbers, so that one comparison distinguishes them.

/// A name of at most [`ShortName::MAX_BYTES`] bytes in lower case: its bytes, the first lowest, filled up with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortName(pub u64);

/// All bits of the first byte, of the first two and so on.
const MASKS: [u64; ShortName::MAX_BYTES] = {
    let mut masks = [u64::MAX; ShortName::MAX_BYTES];
    let mut at = 0;
    while at < masks.len() {
        masks[at] >>= 64 - 8 * (at + 1);
        at += 1;
    }
    masks
};

/// The lowest bit of every byte.
const ONES: u64 = 0x0101_0101_0101_0101;

impl ShortName {
    // All but four of the known names fit into a machine word, so comparing a name is one instruction.
    pub const MAX_BYTES: usize = 8;

    /// The name in these bytes, which are at most eight and in lower case.
    pub const fn of(bytes: &[u8]) -> Self {
        let mut name = 0;
        let mut at = 0;
        while at < bytes.len() {
            name |= (bytes[at] as u64) << (8 * at);
            at += 1;
        }
        Self(name)
    }

    /// The name, in any case, between two places in `bytes`; none if it is longer or empty.
    #[inline(always)]
    pub fn at(bytes: &[u8], (start, end): (usize, usize)) -> Option<Self> {
        let len = end.wrapping_sub(start);
        if !(1..=Self::MAX_BYTES).contains(&len) {
            return None;
        }
        // Mostly there are more bytes behind, so that all are to be had in one step.
        let whole = bytes.get(start..).and_then(|rest| rest.first_chunk());
        match whole {
            Some(eight) => Some(Self::of_first(u64::from_le_bytes(*eight), len)),
            None => Some(Self::of_first(Self::of_last(bytes, start, end)?, len)),
        }
    }

    /// The name, in any case, of the first `len` of these eight bytes.
    #[inline(always)]
    pub fn of_first(eight: u64, len: usize) -> Self {
        // From a table, as shifting the mask into place takes more instructions.
        let mask = MASKS[len.wrapping_sub(1) % Self::MAX_BYTES];
        let name = eight & mask;
        // Where every byte has the bit of lower case, as in most names, none is a capital letter.
        const LOWER: u64 = 0x20 * ONES;
        if !name & LOWER & mask == 0 { Self(name) } else { Self(lower(name)) }
    }

    /// The bytes of a name near the end of all.
    #[cold]
    #[inline(never)]
    fn of_last(bytes: &[u8], start: usize, end: usize) -> Option<u64> {
        Some(Self::of(bytes.get(start..end)?).0)
    }
}

/// Eight bytes in lower case: the bit of lower case is set in each that is A to Z.
const fn lower(bytes: u64) -> u64 {
    let low = bytes & (0x7F * ONES);
    // The highest bit of each byte tells whether it is at least `A`, and beyond `Z`.
    let from_a = low + (0x80 - b'A' as u64) * ONES;
    let beyond_z = low + (0x7F - b'Z' as u64) * ONES;
    // Bytes beyond ASCII are left as they are: names are compared by ASCII case only.
    let upper = (from_a ^ beyond_z) & !bytes & (0x80 * ONES);
    bytes | upper >> 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_lowered_as_the_standard_library_does() {
        for byte in 0..=255u8 {
            for place in 0..8 {
                let mut bytes = *b"AzZa@[`{";
                bytes[place] = byte;
                let expected = ShortName::of(&bytes.to_ascii_lowercase());
                assert_eq!(ShortName::at(&bytes, (0, 8)), Some(expected), "{byte} at {place}");
            }
        }
    }

    #[test]
    fn names_are_the_same_wherever_they_stand() {
        let bytes = b"<Div class=X>";
        assert_eq!(ShortName::at(bytes, (1, 4)), Some(ShortName::of(b"div")));
        // Fewer than eight bytes behind.
        assert_eq!(ShortName::at(bytes, (11, 12)), Some(ShortName::of(b"x")));
        assert_eq!(ShortName::at(bytes, (5, 5)), None);
        assert_eq!(ShortName::at(b"blockquote", (0, 10)), None);
    }
}
