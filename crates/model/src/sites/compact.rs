//! Whole numbers that need no room beside small ones.

use std::hash::{Hash, Hasher};

/// A number of 64 bits that may stand at any multiple of four bytes. Among numbers of 32 bits a `u64` would
/// leave four bytes unused, in entries of which a memory holds millions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Compact64([u32; 2]);

impl Compact64 {
    /// The number.
    pub fn get(self) -> u64 {
        u64::from(self.0[0]) << 32 | u64::from(self.0[1])
    }

    /// The number and another one, the largest there is where the sum has no room.
    pub fn plus(self, more: u64) -> Self {
        self.get().saturating_add(more).into()
    }
}

impl From<u64> for Compact64 {
    fn from(number: u64) -> Self {
        Self([(number >> 32) as u32, number as u32])
    }
}

impl Hash for Compact64 {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.get().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, u64::from(u32::MAX), 1 << 32, 0x0123_4567_89ab_cdef, u64::MAX] {
            assert_eq!(Compact64::from(number).get(), number);
        }
        let sum = Compact64::from(u64::from(u32::MAX)).plus(1);
        assert_eq!((sum.get(), sum.plus(u64::MAX).get()), (1 << 32, u64::MAX));
        assert_eq!(size_of::<(u32, Compact64)>(), 12);
    }
}
