//! Reads the words of an element's attributes into the table of words.
//!
//! Most elements repeat the `class` of an earlier one, so the words of a class attribute are split once and kept.

use std::{hash::Hasher, ops::Range};

use rustc_hash::{FxHashMap, FxHasher};
use trommel_text::hash;

use super::notation::{Marks, is_out_of_sight};
use super::{Builder, attribute_values, blocks::narrow};
use crate::limits::Caps;
use crate::page::{Attribute, AttributeWord};

impl Builder {
    /// Copies the words of an earlier element's attributes (`class`, `id`) to the latest element, up to the cap on
    /// words.
    pub(super) fn copy_words(&mut self, (start, count): (u32, u16)) {
        let page = &mut self.page;
        let room = self.limits.words.saturating_sub(page.attribute_words.len());
        let count = usize::from(count);
        if count > room {
            page.capped.insert(Caps::WORDS);
        }
        let start = start as usize;
        page.attribute_words.extend_from_within(start..start + count.min(room));
    }

    /// Reads the words of a class attribute and returns the hash of its value.
    /// If an earlier element has the same class and this one has no words yet, no words are written. The range of the
    /// earlier element's words is returned instead.
    #[inline(always)]
    pub(super) fn read_class(&mut self, value: &[u8], first: usize) -> (u64, Option<(u32, u16)>) {
        let key = key(value);
        if self.page.attribute_words.len() == first
            && let Some(key) = key
            && let Some(class) = self.classes.get(key, value)
        {
            // As many steps as reading would have taken: the cap on steps must not depend on what is remembered.
            self.steps += u64::from(class.steps);
            self.marks |= class.marks;
            return (class.hash, Some(class.words));
        }
        (self.read_other_class(value, key, first), None)
    }

    /// Returns [`Marks::UNSEEN`] if a class value hides its element from view, otherwise no marks.
    // Here and not at the element: a class is read once, and has its marks from then on.
    fn mark_of_unseen(&self, value: &[u8]) -> Marks {
        let may_hide = self.marks.contains(Marks::HIDDEN);
        if may_hide && is_out_of_sight(value) { Marks::UNSEEN } else { Marks::empty() }
    }

    /// Reads a class value that is not in the cache, or whose element already has words of other attributes; returns
    /// its hash.
    #[inline(never)]
    fn read_other_class(&mut self, value: &[u8], key: Option<u64>, first: usize) -> u64 {
        let element_words = self.page.attribute_words.get(first..).unwrap_or_default();
        let is_second = element_words.iter().any(|word| word.attribute == Attribute::Class);
        let before = element_words.len();
        let value_hash = key.unwrap_or_else(|| hash(value));
        let Some(key) = key.filter(|_| !is_second) else {
            self.read_words(Attribute::Class, value, first);
            self.marks |= self.mark_of_unseen(value);
            return value_hash;
        };
        if before > 0
            && let Some(class) = self.classes.get(key, value)
        {
            let room = self.limits.words.saturating_sub(self.page.attribute_words.len());
            let count = usize::from(class.words.1);
            if before + count <= self.limits.element_words && count <= room {
                self.steps += u64::from(class.steps) + u64::from(class.given) * before as u64;
                self.copy_words(class.words);
                self.marks |= class.marks;
                return value_hash;
            }
        }
        let steps = self.steps;
        let start = self.page.attribute_words.len();
        let given = self.read_words(Attribute::Class, value, first);
        let of_names = self.style_sheets.marks_of_class(self.vectors, value) | self.mark_of_unseen(value);
        self.marks |= of_names;
        let class = ClassReading {
            hash: value_hash,
            words: (narrow(start), (self.page.attribute_words.len() - start) as u16),
            given,
            marks: self.marks & Marks::OF_CLASS | of_names,
            // Without the part that depends on the words before, which the next element may not have.
            steps: (self.steps - steps - u64::from(given) * before as u64) as u16,
        };
        let len = self.page.attribute_words.len();
        // There would have been room for more: none was left out.
        if len - first < self.limits.element_words && len < self.limits.words {
            self.classes.set(key, value, class);
        }
        value_hash
    }

    /// Reads the words of an attribute's value and stores each once; returns their number with repetitions.
    pub(super) fn read_words(&mut self, attribute: Attribute, value: &[u8], first: usize) -> u16 {
        let words = &mut self.page.attribute_words;
        let (limits, steps) = (&self.limits, &mut self.steps);
        let mut marks = Marks::empty();
        let mut given = 0u32;
        let mut is_capped = false;
        // One bit a word by its hash: only words whose bit is set can have been given before. Most such words are the
        // last of that bit again.
        let is_second = words.get(first..).is_some_and(|words| words.iter().any(|word| word.attribute == attribute));
        let mut seen = if is_second { u64::MAX } else { 0 };
        let mut last_of_bit = [0u8; 64];
        attribute_values::split(self.vectors, value, &mut self.word_text, |word| {
            given += 1;
            marks |= Marks::of_word(word.hash);
            let before = words.len().saturating_sub(first);
            *steps += before as u64;
            let place = (word.hash >> 58) as usize;
            let bit = 1 << place;
            if seen & bit != 0 {
                let element_words = words.get(first..).unwrap_or_default();
                let is_it = |known: &AttributeWord| known.hash == word.hash && known.attribute == attribute;
                let last = element_words.get(usize::from(last_of_bit[place]));
                if last.is_some_and(is_it) || element_words.iter().any(is_it) {
                    return;
                }
            }
            seen |= bit;
            if before >= limits.element_words || words.len() >= limits.words {
                is_capped = true;
                return;
            }
            last_of_bit[place] = before as u8;
            words.push(AttributeWord { hash: word.hash, start: word.start as u32, len: word.len as u16, attribute });
        });
        if is_capped {
            self.page.capped.insert(Caps::WORDS);
        }
        // Ids are unique: of their words only those of page numbers are marks.
        self.marks |= if attribute == Attribute::Class { marks } else { marks & Marks::PAGE_ROW };
        given.min(u32::from(u16::MAX)) as u16
    }
}

/// Maximum number of class values that are remembered for one page.
// A value that is not remembered is read again, which costs time and changes nothing.
const MAX_VALUES: usize = 1024;
const MAX_VALUE_BYTES: usize = 255;

/// Result of reading the value of a class attribute, which is the same for every element with that value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClassReading {
    /// Hash of the attribute value ([`key`]).
    pub hash: u64,
    /// Range of the value's words in the page's table of words: index of the first, and number.
    pub words: (u32, u16),
    /// Number of words in the value, with repeated ones counted.
    pub given: u16,
    /// Properties that the words and names of the class give to an element, such as hidden or struck out.
    pub marks: Marks,
    /// Number of work steps that reading the value took.
    pub steps: u16,
}

/// Cache of the results of reading class values of the page, limited in size so that look-ups stay fast.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    /// Maps the hash of a class value ([`key`]) to the value's byte range in `texts` and the result of reading it.
    readings: FxHashMap<u64, (Range<usize>, ClassReading)>,
    /// Bytes of all remembered class values, concatenated.
    texts: Vec<u8>,
}

/// Returns the hash of a class value, or `None` for values that are too long or empty to be remembered.
pub(super) fn key(value: &[u8]) -> Option<u64> {
    if value.is_empty() || value.len() > MAX_VALUE_BYTES {
        return None;
    }
    let mut hasher = FxHasher::default();
    hasher.write(value);
    Some(hasher.finish())
}

impl Classes {
    /// Empties the cache of class values but keeps its memory.
    pub fn forget(&mut self) {
        self.readings.clear();
        self.texts.clear();
    }

    /// Returns the remembered result of reading the class value `value` with the hash `key`.
    pub fn get(&self, key: u64, value: &[u8]) -> Option<ClassReading> {
        let (place, class) = self.readings.get(&key)?;
        // Compared in full: two values of one hash would otherwise share their words on a hostile page.
        (self.texts.get(place.clone())? == value).then_some(*class)
    }

    /// Remembers the result of reading a class value, unless the cache is full.
    pub fn set(&mut self, key: u64, value: &[u8], class: ClassReading) {
        if self.readings.len() < MAX_VALUES {
            let start = self.texts.len();
            self.texts.extend_from_slice(value);
            self.readings.insert(key, (start..self.texts.len(), class));
        }
    }
}
