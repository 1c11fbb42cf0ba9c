//! Caches the class attributes of the page, because most elements repeat one.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::notes::Marks;

/// Values that are remembered at a time, and the bytes of the longest.
// A value that loses its slot to another is read again, which costs time and changes nothing.
const SLOTS: usize = 1024;
const MAX_VALUE_BYTES: usize = 255;

/// The result of reading a class attribute, regardless of the rest of the element.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClassReading {
    /// The hash of [`ClassKey`].
    pub hash: u64,
    /// First of its words in the page's table, and their number.
    pub words: (u32, u16),
    /// Words before those given twice were left out.
    pub given: u16,
    /// The notation that its words state.
    pub marks: Marks,
    /// Steps that finding those took.
    pub steps: u16,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    /// Place and length of the value among the texts.
    value: (u32, u8),
    class: ClassReading,
}

/// A table with one place for each value, which the value that came last holds: nothing that a page
/// does makes a look-up slow.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    slots: Vec<Slot>,
    /// Number of the page and a part of the hash of each slot's value: small enough for the processor's cache.
    // With the number of the page in each key, forgetting a page needs no clearing of the table.
    keys: Vec<(u32, u32)>,
    /// The values in the order in which they came, adjacent in memory.
    texts: Vec<u8>,
    /// Number of the page.
    page: u32,
}

/// The key of a remembered value.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassKey {
    /// Hash of the value, which the place comes from.
    pub hash: u64,
}

/// The key of a value; none if it is not remembered.
pub(super) fn key(value: &[u8]) -> Option<ClassKey> {
    if value.is_empty() || value.len() > MAX_VALUE_BYTES {
        return None;
    }
    let mut hasher = FxHasher::default();
    hasher.write(value);
    Some(ClassKey { hash: hasher.finish() })
}

impl ClassKey {
    fn slot(self) -> usize {
        self.hash as usize % SLOTS
    }

    /// The part of the key that the slot does not imply.
    fn rest(self) -> u32 {
        (self.hash >> 32) as u32
    }
}

impl Classes {
    /// Forgets all values, but keeps their memory.
    pub fn forget(&mut self) {
        self.page = self.page.wrapping_add(1);
        self.texts.clear();
        if self.page == 0 {
            // Numbers come again: a value could seem to be of the page at hand.
            self.slots.clear();
            self.keys.clear();
        }
    }

    /// The reading of the value with this key.
    pub fn get(&self, key: ClassKey, value: &[u8]) -> Option<ClassReading> {
        if self.keys.get(key.slot()) != Some(&(self.page, key.rest())) {
            return None;
        }
        let slot = self.slots.get(key.slot())?;
        let (start, len) = (slot.value.0 as usize, usize::from(slot.value.1));
        let stored = self.texts.get(start..start + len)?;
        // Compared in full: two values of one hash would otherwise share their words on a hostile page.
        (stored == value).then_some(slot.class)
    }

    /// Remembers a value.
    pub fn set(&mut self, key: ClassKey, value: &[u8], class: ClassReading) {
        if self.slots.is_empty() {
            self.slots.resize_with(SLOTS, Slot::default);
            self.keys.resize(SLOTS, (0, 0));
        }
        let at = key.slot();
        if let (Some(slot), Some(stored)) = (self.slots.get_mut(at), self.keys.get_mut(at)) {
            *stored = (self.page, key.rest());
            // No longer than the longest that has a key; a page's values are no longer than the page.
            slot.value = (self.texts.len() as u32, value.len() as u8);
            self.texts.extend_from_slice(value);
            slot.class = class;
        }
    }
}
