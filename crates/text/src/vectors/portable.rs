//! Compares 64 bytes in ordinary registers, for processors without the wider ones.

use super::{Compare, SMALL};

/// Eight bytes a step in an ordinary register.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Portable {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW: u64 = 0x7F * Self::ONES;
    const HIGH: u64 = !Self::LOW;

    /// The highest bit of each of eight bytes that is `byte`, which is ASCII; the others are 0.
    #[inline(always)]
    fn equal_eight(eight: u64, byte: u8) -> u64 {
        let differs = eight ^ (u64::from(byte) * Self::ONES);
        !(((differs & Self::LOW) + Self::LOW) | differs) & Self::HIGH
    }

    /// The highest bit of each of eight bytes from `first` to `last`, both ASCII; the others are 0.
    #[inline(always)]
    fn range_eight(eight: u64, first: u8, last: u8) -> u64 {
        let low = eight & Self::LOW;
        let from_first = low + (0x80 - u64::from(first)) * Self::ONES;
        let past_last = low + (0x7F - u64::from(last)) * Self::ONES;
        from_first & !past_last & !eight & Self::HIGH
    }

    /// Brings the highest bit of each byte together.
    #[inline(always)]
    fn gather(high: u64) -> u64 {
        (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }

    #[inline(always)]
    fn each(bytes: [u64; 8], find: impl Fn(u64) -> u64) -> u64 {
        let mut mask = 0;
        for (at, eight) in bytes.into_iter().enumerate() {
            mask |= Self::gather(find(eight)) << (8 * at);
        }
        mask
    }
}

impl Compare for Portable {
    type Bytes = [u64; 8];

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> Self::Bytes {
        let mut all = [0; 8];
        for (to, from) in all.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *to = u64::from_le_bytes(*from);
        }
        all
    }

    #[inline(always)]
    fn store(self, bytes: Self::Bytes) -> [u8; 64] {
        let mut all = [0; 64];
        for (to, from) in all.as_chunks_mut::<8>().0.iter_mut().zip(bytes) {
            *to = from.to_le_bytes();
        }
        all
    }

    #[inline(always)]
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64 {
        Self::each(bytes, |eight| Self::equal_eight(eight, byte))
    }

    #[inline(always)]
    fn range(self, bytes: Self::Bytes, first: u8, last: u8) -> u64 {
        Self::each(bytes, |eight| Self::range_eight(eight, first, last))
    }

    #[inline(always)]
    fn wide(self, bytes: Self::Bytes) -> u64 {
        Self::each(bytes, |eight| eight & Self::HIGH)
    }

    #[inline(always)]
    fn lower(self, bytes: Self::Bytes) -> Self::Bytes {
        bytes.map(|eight| eight | Self::range_eight(eight, b'A', b'Z') >> 2)
    }

    #[inline(always)]
    fn space(self, bytes: Self::Bytes) -> u64 {
        Self::each(bytes, |eight| {
            Self::equal_eight(eight, b' ')
                | Self::equal_eight(eight, b'\t')
                | Self::equal_eight(eight, b'\n')
                | Self::equal_eight(eight, 0x0C)
                | Self::equal_eight(eight, b'\r')
        })
    }

    #[inline(always)]
    fn name_end(self, bytes: Self::Bytes) -> u64 {
        let others = Self::each(bytes, |eight| {
            Self::equal_eight(eight, b'/') | Self::equal_eight(eight, b'>') | Self::equal_eight(eight, b'=')
        });
        self.space(bytes) | others
    }

    #[inline(always)]
    fn word(self, bytes: Self::Bytes) -> u64 {
        Self::each(bytes, |eight| {
            let small = eight | (u64::from(SMALL) * Self::ONES);
            Self::range_eight(small, b'a', b'z') | Self::range_eight(eight, b'0', b'9') | Self::equal_eight(eight, b'_')
        })
    }

    #[inline(always)]
    fn at_most(self, numbers: &[f32; 64], most: f32) -> u64 {
        let mut mask = 0;
        for (at, number) in numbers.iter().enumerate() {
            mask |= u64::from(*number <= most) << at;
        }
        mask
    }
}
