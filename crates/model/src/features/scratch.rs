//! Vectors for temporary use whose memory the thread keeps and reuses.
//!
//! Every page needs the same vectors, with a number for each element or block. An allocator hands out memory in
//! turn, so it has left the caches since its last use. The memory of the vector dropped last is still in them.
//!
//! In tests work is counted: elements and attribute words visited, bytes and words of text read, columns written,
//! distances of points, levels climbed. If a pass climbs or compares more than a fixed number of times for a row,
//! the work grows faster than the page.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

use rustc_hash::FxHashMap;

/// Maximum number of spare vectors per item type that a thread keeps for reuse; further ones are freed.
// Bounds what a thread keeps; the bytes below release what one huge page needed.
const MAX_KEPT: usize = 16;
const MAX_KEPT_BYTES: usize = 4 << 20;

thread_local! {
    /// Spare vectors by the type of their items, each entry a `Vec<Vec<T>>`.
    // By thread, so that no lock is taken and memory stays in the caches of one core.
    static SPARE_VECTORS: RefCell<FxHashMap<TypeId, Box<dyn Any>>> = RefCell::default();
}

/// A vector for temporary use that reuses memory of the thread. Only [`Scratch::stale`] leaves old contents in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scratch<T: 'static>(Vec<T>);

/// Runs a task on the spare vectors of a type; returns `None` if the thread ends or the vectors are in use.
fn with_spare<T: 'static, R>(task: impl FnOnce(&mut Vec<Vec<T>>) -> R) -> Option<R> {
    SPARE_VECTORS
        .try_with(|spare| {
            // Dropping a value that holds such vectors comes back here: then memory is simply not kept.
            let mut spare = spare.try_borrow_mut().ok()?;
            let vectors = spare.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(Vec::<Vec<T>>::new()));
            vectors.downcast_mut().map(task)
        })
        .ok()
        .flatten()
}

impl<T: 'static> Scratch<T> {
    /// Creates an empty vector with room for `capacity` items.
    pub fn with_capacity(capacity: usize) -> Self {
        let mut vector = with_spare(Vec::pop).flatten().unwrap_or_default();
        // Values that own memory must be dropped by their owner, not by whoever comes next.
        vector.clear();
        vector.reserve(capacity);
        Self(vector)
    }

    /// Creates a vector of `len` items, which hold `value` or older contents of the memory. The caller must write each
    /// before reading it.
    pub fn stale(len: usize, value: T) -> Self
    where
        T: Copy,
    {
        let mut vector = with_spare(Vec::pop).flatten().unwrap_or_default();
        vector.resize(len, value);
        Self(vector)
    }

    /// Creates a vector of `len` copies of `value`.
    pub fn filled(len: usize, value: T) -> Self
    where
        T: Clone,
    {
        let mut scratch = Self::with_capacity(len);
        scratch.resize(len, value);
        scratch
    }
}

impl<T: 'static> Default for Scratch<T> {
    /// Creates an empty vector without allocated memory.
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: 'static> Drop for Scratch<T> {
    fn drop(&mut self) {
        let mut vector = std::mem::take(&mut self.0);
        if std::mem::needs_drop::<T>() {
            vector.clear();
        }
        let bytes = vector.capacity().saturating_mul(size_of::<T>());
        if bytes == 0 || bytes > MAX_KEPT_BYTES {
            return;
        }
        with_spare(|spare| {
            if spare.len() < MAX_KEPT {
                spare.push(vector);
            }
        });
    }
}

impl<T: 'static> Deref for Scratch<T> {
    type Target = Vec<T>;

    #[inline]
    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: 'static> DerefMut for Scratch<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T: 'static> FromIterator<T> for Scratch<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let values = values.into_iter();
        let mut scratch = Self::with_capacity(values.size_hint().0);
        scratch.extend(values);
        scratch
    }
}

impl<'a, T: 'static> IntoIterator for &'a Scratch<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T: 'static> IntoIterator for &'a mut Scratch<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

#[cfg(test)]
std::thread_local! {
    static WORK: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Adds units of work to the thread's counter in tests; does nothing otherwise.
#[inline(always)]
pub(crate) fn count_work(units: usize) {
    #[cfg(test)]
    WORK.with(|sum| sum.set(sum.get() + units as u64));
    let _ = units;
}

/// Returns how many units of work (such as visited elements) a task counts on this thread.
#[cfg(test)]
pub(crate) fn work_of(task: impl FnOnce()) -> u64 {
    WORK.with(|sum| sum.set(0));
    task();
    WORK.with(std::cell::Cell::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Item type that only this test uses, so that no other test touches its spare vectors.
    #[derive(Clone, Debug, PartialEq)]
    struct Own(u8);

    #[test]
    fn memory_serves_again_and_holds_nothing() {
        let mut first = Scratch::filled(1000, Own(7));
        first.push(Own(8));
        let (place, capacity) = (first.as_ptr(), first.capacity());
        drop(first);
        let second: Scratch<Own> = Scratch::with_capacity(10);
        assert_eq!((second.as_ptr(), second.capacity(), second.len()), (place, capacity, 0));
        // While one is in use, another has memory of its own.
        let third: Scratch<Own> = (0..5).map(Own).collect();
        assert_ne!(third.as_ptr(), place);
        assert_eq!(*third, (0..5).map(Own).collect::<Vec<_>>());
    }

    #[test]
    fn stale_memory_is_filled_where_it_is_new() {
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct Plain(u8);
        drop(Scratch::filled(3, Plain(1)));
        assert_eq!(*Scratch::stale(5, Plain(2)), [1, 1, 1, 2, 2].map(Plain));
        assert_eq!(*Scratch::stale(2, Plain(3)), [1, 1].map(Plain));
        assert_eq!(*Scratch::filled(2, Plain(4)), [4, 4].map(Plain));
    }

    #[test]
    fn what_is_unusually_large_is_given_back() {
        #[derive(Clone)]
        struct Large([u8; 1024]);
        drop(Scratch::filled(5000, Large([1; 1024])));
        assert_eq!(with_spare::<Large, _>(|spare| spare.len()), Some(0));
        drop(Scratch::filled(50, Large([1; 1024])));
        assert_eq!(with_spare::<Large, _>(|spare| spare.len()), Some(1));
        let scratch = Scratch::filled(1, Large([2; 1024]));
        assert_eq!(scratch[0].0[0], 2);
    }
}
