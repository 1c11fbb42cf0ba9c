//! A set of keys that forgets the oldest when its memory is full.

use std::{collections::HashSet, hash::Hash};

use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

/// Keys of documents in two generations, each a hash table that has its full size from the start. When the
/// younger is full, the older is forgotten and the younger takes its place. So at least the documents of
/// one whole generation are always remembered, and only their order decides which.
#[derive(Debug)]
pub(crate) struct Memory<K> {
    capacity: usize,
    old: Generation<K>,
    young: Generation<K>,
    forgotten: u64,
}

#[derive(Debug)]
struct Generation<K> {
    keys: HashSet<K, FxBuildHasher>,
    documents: u64,
}

/// The memory of a duplicate filter. A filter with the same settings continues from it exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryState<K> {
    old: Vec<K>,
    old_documents: u64,
    young: Vec<K>,
    young_documents: u64,
    forgotten: u64,
}

impl<K: Copy + Ord + Hash> Memory<K> {
    /// Creates a memory of at most `bytes` (which holds at least seven keys).
    pub(crate) fn new(bytes: u64) -> Self {
        // Tables have a power of two of places, each with a byte of its own, and fill seven eighths.
        let place = size_of::<K>() as u64 + 1;
        let places = (bytes / 2 / place).clamp(8, 1 << 40);
        let capacity = usize::try_from(1_u64 << places.ilog2()).unwrap_or(8) / 8 * 7;
        Self { capacity, old: Generation::new(0), young: Generation::new(capacity), forgotten: 0 }
    }

    /// Returns whether a document with this key is remembered. If it is, it is from now on as if it was new, so that
    /// what keeps coming is not forgotten.
    pub(crate) fn recall(&mut self, key: K) -> bool {
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

    /// Remembers one document by its keys.
    pub(crate) fn remember(&mut self, keys: &[K]) {
        self.make_room(keys.len());
        self.young.keys.extend(keys);
        self.young.documents += 1;
    }

    /// Documents forgotten because the memory was full.
    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Keys that a generation holds.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Bytes of all keys.
    pub(crate) fn bytes(&self) -> u64 {
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

    /// Returns the memory, in an order of its own.
    pub(crate) fn state(&self) -> MemoryState<K> {
        let sorted = |generation: &Generation<K>| {
            let mut keys: Vec<K> = generation.keys.iter().copied().collect();
            keys.sort_unstable();
            keys
        };
        MemoryState {
            old: sorted(&self.old),
            old_documents: self.old.documents,
            young: sorted(&self.young),
            young_documents: self.young.documents,
            forgotten: self.forgotten,
        }
    }

    /// Continues from the state of a memory of the same size.
    pub(crate) fn restore(&mut self, state: MemoryState<K>) {
        self.old = Generation::new(0);
        self.old.keys = state.old.into_iter().take(self.capacity).collect();
        self.old.documents = state.old_documents;
        self.young = Generation::new(self.capacity);
        let young = state.young.into_iter().take(self.capacity);
        self.young.keys.extend(young);
        self.young.documents = state.young_documents;
        self.forgotten = state.forgotten;
    }
}

impl<K> Generation<K> {
    fn new(capacity: usize) -> Self {
        Self { keys: HashSet::with_capacity_and_hasher(capacity, FxBuildHasher), documents: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten_at_the_bound() {
        // Two tables of sixteen places of nine bytes.
        let mut memory: Memory<u64> = Memory::new(2 * 16 * 9);
        assert_eq!(memory.capacity(), 14);
        for key in 0..28 {
            memory.remember(&[key]);
        }
        assert!((0..28).all(|key| memory.old.keys.contains(&key) || memory.young.keys.contains(&key)));
        assert_eq!(memory.forgotten(), 0);
        memory.remember(&[28]);
        assert_eq!(memory.forgotten(), 14);
        assert!(!memory.recall(0) && !memory.recall(13));
        assert!(memory.recall(14) && memory.recall(27) && memory.recall(28));
        assert!(memory.young.keys.capacity() >= 14 && memory.old.keys.capacity() == 14);
    }

    #[test]
    fn what_keeps_coming_is_kept() {
        let mut memory: Memory<u64> = Memory::new(2 * 8 * 9);
        memory.remember(&[1000]);
        for key in 0..200 {
            memory.remember(&[key]);
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
            whole.remember(&keys(step));
            first.remember(&keys(step));
        }
        let saved = rmp_serde::to_vec(&first.state()).unwrap();
        let mut second: Memory<u64> = Memory::new(500);
        second.restore(rmp_serde::from_slice(&saved).unwrap());
        for step in 40..80 {
            let key = step * 5 % 101;
            assert_eq!(whole.recall(key), second.recall(key), "{step}");
            whole.remember(&keys(step));
            second.remember(&keys(step));
        }
        assert_eq!(whole.state(), second.state());
        assert!(whole.forgotten() > 0);
    }
}
