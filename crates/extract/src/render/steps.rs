//! Counts the steps of writing a document: bytes, runs, elements and blocks that are looked at.
//!
//! With any settings, the steps are proportional to the page. Should a page ask for many more, its marks, links and
//! images are left out from then on, and it is marked.

use std::cell::Cell;

/// Steps after which a page is written without marks.
// Far above those of real pages: a page of 10 MB takes less than half.
const MAX_STEPS: u64 = 1 << 28;

thread_local! {
    /// Steps of the document that this thread writes.
    // Beside what is written, and not handed through it: each of a dozen writers would have to carry it.
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

/// Begins a document.
pub(crate) fn begin() {
    TAKEN.set(0);
}

/// Counts steps; says whether there have not been too many.
pub(crate) fn take(steps: usize) -> bool {
    let all = TAKEN.get().saturating_add(steps as u64);
    TAKEN.set(all);
    all <= MAX_STEPS
}

/// Returns whether a document took too many.
pub(crate) fn are_too_many() -> bool {
    TAKEN.get() > MAX_STEPS
}

/// The steps that were taken.
#[cfg(test)]
pub(crate) fn taken() -> u64 {
    TAKEN.get()
}

/// Counts as many steps as are left before there are too many.
#[cfg(test)]
pub(crate) fn exhaust() {
    TAKEN.set(MAX_STEPS);
}
