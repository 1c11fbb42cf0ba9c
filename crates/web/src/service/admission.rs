//! Bounds the number of accepted requests, and their memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use trommel::metrics::Metrics;

use crate::service::{ServiceLimits, answer::Refusal, memory::Memory, pressure::Pressure};

/// Lets requests in as long as there is room to wait, and pages to be judged as workers are free.
#[derive(Debug)]
pub(crate) struct Admission {
    workers: Arc<Semaphore>,
    inside: AtomicUsize,
    most: usize,
    /// Memory for bodies that have not been judged yet: a quarter.
    pub(crate) bodies: Memory,
    /// Memory for reading the archives of batches: a quarter.
    pub(crate) batches: Memory,
    /// Memory for work and then for its answer until it is sent: a half, so that no number of bodies keeps one
    /// of them from being judged.
    pub(crate) work: Memory,
    pressure: Arc<Pressure>,
    metrics: Arc<Metrics>,
}

/// The place of a request that was let in, free again when it is dropped. A request takes it when its body has
/// come: who sends slowly keeps nobody out.
#[derive(Debug)]
pub(crate) struct Permit {
    admission: Arc<Admission>,
}

impl Admission {
    pub(crate) fn new(limits: &ServiceLimits, metrics: Arc<Metrics>) -> Arc<Self> {
        let pressure = Arc::new(Pressure::new());
        Arc::new(Self {
            workers: Arc::new(Semaphore::new(limits.jobs.get())),
            inside: AtomicUsize::new(0),
            most: limits.jobs.get().saturating_add(limits.queue),
            bodies: Memory::new(limits.max_memory / 4, pressure.clone()),
            batches: Memory::new(limits.max_memory / 4, pressure.clone()),
            work: Memory::new(limits.max_memory / 2, pressure.clone()),
            pressure,
            metrics,
        })
    }

    /// Takes a request in.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if there is no room.
    pub(crate) fn enter(self: &Arc<Self>) -> Result<Permit, Refusal> {
        let before = self.inside.fetch_add(1, Ordering::Relaxed);
        let place = Permit { admission: self.clone() };
        // Dropping the place takes the count back.
        if before >= self.most {
            return Err(Refusal::Busy);
        }
        self.metrics.queue(before + 1);
        Ok(place)
    }

    /// Returns whether another request would be let in.
    pub(crate) fn has_room(&self) -> bool {
        self.inside.load(Ordering::Relaxed) < self.most
    }

    /// The pressure, which is high while others wait for room.
    pub(crate) fn pressure(&self) -> Arc<Pressure> {
        self.pressure.clone()
    }

    /// Waits for a free worker; it is free again when the permit is dropped. None when the service is
    /// gone.
    pub(crate) async fn worker(&self) -> Option<OwnedSemaphorePermit> {
        self.workers.clone().acquire_owned().await.ok()
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let admission = &self.admission;
        let before = admission.inside.fetch_sub(1, Ordering::Relaxed);
        admission.metrics.queue(before.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    #[test]
    fn places_are_counted_and_given_back() {
        let limits = ServiceLimits { jobs: NonZeroUsize::MIN, queue: 1, ..ServiceLimits::default() };
        let admission = Admission::new(&limits, Arc::default());
        let first = admission.enter().unwrap();
        let second = admission.enter().unwrap();
        assert!(!admission.has_room() && admission.enter().is_err());
        drop(first);
        drop(admission.enter().unwrap());
        drop(second);
        assert_eq!(admission.inside.load(Ordering::Relaxed), 0);
    }
}
