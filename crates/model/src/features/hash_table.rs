//! A table of values by hashes.

use crate::features::scratch::Scratch;

/// Values by hashes, most often asked for hashes that it does not have: one look into memory tells. Each hash stands
/// at the place that it says or at the next free one behind. No hash is 0.
#[derive(Clone, Debug)]
pub(crate) struct HashTable<V: 'static> {
    /// 0 where there is none.
    hashes: Scratch<u64>,
    values: Scratch<V>,
    len: usize,
}

impl<V: Copy + Default + 'static> Default for HashTable<V> {
    fn default() -> Self {
        Self { hashes: Scratch::default(), values: Scratch::default(), len: 0 }
    }
}

impl<V: Copy + Default + 'static> HashTable<V> {
    /// The number of hashes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Makes room for `more` further values.
    pub fn reserve(&mut self, more: usize) {
        // Half empty at least, so that a search ends after one or two places; a power of two makes the place a mask.
        let places = (2 * (self.len + more)).next_power_of_two();
        if places <= self.hashes.len() {
            return;
        }
        let larger =
            Self { hashes: Scratch::filled(places, 0), values: Scratch::filled(places, V::default()), len: self.len };
        let Self { hashes, values, .. } = std::mem::replace(self, larger);
        for (hash, value) in hashes.iter().zip(&values).filter(|(hash, _)| **hash != 0) {
            let place = self.place(*hash);
            if let (Some(to), Some(at)) = (self.hashes.get_mut(place), self.values.get_mut(place)) {
                (*to, *at) = (*hash, *value);
            }
        }
    }

    /// The value of a hash, which is that of the default if it was not there; there must be room for it.
    #[inline]
    pub fn entry(&mut self, hash: u64) -> Option<&mut V> {
        let place = self.place(hash);
        let known = self.hashes.get_mut(place)?;
        self.len += usize::from(*known == 0);
        *known = hash;
        self.values.get_mut(place)
    }

    /// The value of a hash, if it is there.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<V> {
        let last = self.hashes.len().wrapping_sub(1);
        let mut at = hash as usize & last;
        loop {
            match self.hashes.get(at) {
                None | Some(0) => return None,
                Some(known) if *known == hash => return self.values.get(at).copied(),
                // Half of the places are free, so that this ends.
                Some(_) => at = (at + 1) & last,
            }
        }
    }

    /// Slot of a hash: the one that holds it, or the one for inserting it.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        let last = self.hashes.len().wrapping_sub(1);
        let mut at = hash as usize & last;
        while self.hashes.get(at).is_some_and(|known| *known != 0 && *known != hash) {
            at = (at + 1) & last;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_with_their_hashes_while_the_table_grows() {
        let mut table: HashTable<u32> = HashTable::default();
        assert_eq!((table.get(7), table.len()), (None, 0));
        // Hashes that all say the same place, and others.
        let hashes =
            (1..200u64).map(|at| if at % 2 == 0 { at << 32 | 5 } else { trommel_text::hash(&at.to_le_bytes()) });
        for (number, hash) in (1u32..).zip(hashes.clone()) {
            table.reserve(1);
            let value = table.entry(hash).unwrap();
            assert_eq!(*value, 0);
            *value = number;
        }
        for (number, hash) in (1u32..).zip(hashes) {
            assert_eq!(table.get(hash), Some(number));
            assert_eq!(table.entry(hash), Some(&mut number.clone()));
        }
        assert_eq!((table.len(), table.get(5)), (199, None));
    }
}
