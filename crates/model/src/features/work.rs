//! Counts work, in tests only: elements and attribute words visited, bytes and words of text read, columns
//! written, distances of points, levels climbed. If a pass climbs or compares more than a fixed number of
//! times for a row, the work grows faster than the page.

#[cfg(test)]
std::thread_local! {
    static WORK: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts work; does nothing outside of tests.
#[inline(always)]
pub(crate) fn count_work(units: usize) {
    #[cfg(test)]
    WORK.with(|sum| sum.set(sum.get() + units as u64));
    let _ = units;
}

/// The work that something takes on this thread.
#[cfg(test)]
pub(crate) fn work_of(task: impl FnOnce()) -> u64 {
    WORK.with(|sum| sum.set(0));
    task();
    WORK.with(std::cell::Cell::get)
}
