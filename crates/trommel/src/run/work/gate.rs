//! Bounds the work between the reader and the writer.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Lets tasks in while both their number and their bytes are within bounds. A task larger than all
/// the bytes goes in alone.
#[derive(Debug)]
pub(crate) struct Gate {
    tasks: usize,
    bytes: u64,
    inside: Mutex<Occupancy>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Occupancy {
    tasks: usize,
    bytes: u64,
    closed: bool,
}

impl Gate {
    /// Creates a gate for a maximum number of tasks and bytes.
    pub(crate) fn new(tasks: usize, bytes: u64) -> Self {
        Self { tasks, bytes, inside: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Occupancy> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for a task of `bytes`. False if the gate has been closed.
    pub(crate) fn enter(&self, bytes: u64) -> bool {
        let mut inside = self.lock();
        loop {
            if inside.closed {
                return false;
            }
            let fits = inside.tasks < self.tasks && inside.bytes.saturating_add(bytes) <= self.bytes;
            // Alone even if it is too large: it would otherwise wait forever.
            if fits || inside.tasks == 0 {
                inside.tasks += 1;
                inside.bytes = inside.bytes.saturating_add(bytes);
                return true;
            }
            inside = self.changed.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits as in [`enter`](Self::enter) and leaves when the result is dropped.
    pub(crate) fn hold(&self, bytes: u64) -> GatePass<'_> {
        // A closed gate holds nothing: the run is ending, and nobody counts any more.
        let entered = self.enter(bytes);
        GatePass { gate: entered.then_some(self), bytes }
    }

    /// Releases the places of `tasks` finished tasks with `bytes` in total.
    pub(crate) fn leave(&self, tasks: usize, bytes: u64) {
        let mut inside = self.lock();
        inside.tasks = inside.tasks.saturating_sub(tasks);
        inside.bytes = inside.bytes.saturating_sub(bytes);
        // Who waits with many bytes may not fit where another does.
        self.changed.notify_all();
    }

    /// Tasks inside.
    pub(crate) fn inside(&self) -> usize {
        self.lock().tasks
    }

    /// Returns whether nothing is let in any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Lets nothing in any more.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

/// A place inside a gate.
#[derive(Debug)]
pub(crate) struct GatePass<'a> {
    gate: Option<&'a Gate>,
    bytes: u64,
}

impl Drop for GatePass<'_> {
    fn drop(&mut self) {
        if let Some(gate) = self.gate {
            gate.leave(1, self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn the_number_is_bounded() {
        let gate = Gate::new(3, 100);
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        assert!(gate.enter(1));
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        gate.leave(1, 1);
                    }
                });
            }
        });
        assert!((1..=3).contains(&most.into_inner()));
    }

    #[test]
    fn a_large_task_goes_alone() {
        let gate = Gate::new(10, 100);
        assert!(gate.enter(500));
        thread::scope(|scope| {
            let second = scope.spawn(|| gate.enter(1));
            thread::sleep(Duration::from_millis(20));
            assert!(!second.is_finished());
            gate.leave(1, 500);
            assert!(second.join().unwrap());
        });
    }

    #[test]
    fn closing_wakes_who_waits() {
        let gate = Gate::new(1, 1);
        assert!(gate.enter(1));
        thread::scope(|scope| {
            let second = scope.spawn(|| gate.enter(1));
            thread::sleep(Duration::from_millis(20));
            gate.close();
            assert!(!second.join().unwrap());
        });
        assert!(!gate.enter(0));
    }
}
