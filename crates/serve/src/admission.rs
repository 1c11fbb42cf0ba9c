//! Bounds the requests that are taken in, and the bytes of theirs that are held.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use trommel_metrics::Metrics;

use crate::{ServiceLimits, answer::Refusal};

/// Lets requests in as long as there is room to wait, and pages to be judged as workers are free.
#[derive(Debug)]
pub(crate) struct Admission {
    workers: Arc<Semaphore>,
    inside: AtomicUsize,
    most: usize,
    held: AtomicU64,
    most_held: u64,
    metrics: Arc<Metrics>,
}

/// A request that was let in. Its place and its bytes are free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    admission: Arc<Admission>,
    held: u64,
}

impl Admission {
    pub(crate) fn new(limits: &ServiceLimits, metrics: Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self {
            workers: Arc::new(Semaphore::new(limits.jobs.get())),
            inside: AtomicUsize::new(0),
            most: limits.jobs.get().saturating_add(limits.queue),
            held: AtomicU64::new(0),
            most_held: limits.max_memory,
            metrics,
        })
    }

    /// Takes a request in.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if there is no room.
    pub(crate) fn enter(self: &Arc<Self>) -> Result<Ticket, Refusal> {
        let before = self.inside.fetch_add(1, Ordering::Relaxed);
        let ticket = Ticket {
            admission: self.clone(),
            held: 0,
        };
        // Dropping the ticket takes the count back.
        if before >= self.most {
            return Err(Refusal::Busy);
        }
        self.metrics.queue(before + 1);
        Ok(ticket)
    }

    /// Whether another request would be let in.
    pub(crate) fn has_room(&self) -> bool {
        self.inside.load(Ordering::Relaxed) < self.most
    }

    /// Waits for a free worker; it is free again when the permit is dropped. None when the service is
    /// gone.
    pub(crate) async fn worker(&self) -> Option<OwnedSemaphorePermit> {
        self.workers.clone().acquire_owned().await.ok()
    }
}

impl Ticket {
    /// Counts bytes that the request brought.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if all requests together hold too much.
    pub(crate) fn hold(&mut self, bytes: u64) -> Result<(), Refusal> {
        self.held += bytes;
        let all = self.admission.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        // A request alone is bounded by the limit of its body.
        if all > self.admission.most_held && all > self.held {
            return Err(Refusal::Busy);
        }
        Ok(())
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let admission = &self.admission;
        admission.held.fetch_sub(self.held, Ordering::Relaxed);
        let before = admission.inside.fetch_sub(1, Ordering::Relaxed);
        admission.metrics.queue(before.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    #[test]
    fn places_and_bytes_are_counted_and_given_back() {
        let limits = ServiceLimits {
            jobs: NonZeroUsize::MIN,
            queue: 1,
            max_memory: 100,
            ..ServiceLimits::default()
        };
        let admission = Admission::new(&limits, Arc::default());
        let mut first = admission.enter().unwrap();
        let mut second = admission.enter().unwrap();
        assert!(!admission.has_room() && admission.enter().is_err());
        first.hold(150).unwrap();
        assert!(second.hold(1).is_err());
        drop(first);
        second.hold(1).unwrap();
        drop(admission.enter().unwrap());
        drop(second);
        assert_eq!(admission.inside.load(Ordering::Relaxed), 0);
        assert_eq!(admission.held.load(Ordering::Relaxed), 0);
    }
}
