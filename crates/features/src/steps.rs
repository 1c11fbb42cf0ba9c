//! Steps of work, counted in tests only: elements and tokens passed over, bytes and words of text looked
//! at, columns written, distances of points, levels climbed. A pass that climbs or compares more than a
//! fixed number of times a row would show as steps that grow faster than the page.

#[cfg(test)]
std::thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts steps; does nothing outside of tests.
#[inline(always)]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.with(|sum| sum.set(sum.get() + steps as u64));
    let _ = steps;
}

/// The steps that something takes on this thread.
#[cfg(test)]
pub(crate) fn steps_of(work: impl FnOnce()) -> u64 {
    STEPS.with(|sum| sum.set(0));
    work();
    STEPS.with(std::cell::Cell::get)
}
