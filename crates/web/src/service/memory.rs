//! The memory that requests use: their bodies, the work on them, and their answers.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::service::{answer::Refusal, pressure::Pressure};

/// Bytes that are counted as one.
const UNIT: u64 = 1 << 10;

/// Memory of one kind, of which requests take shares.
#[derive(Debug)]
pub(crate) struct Memory {
    free: Arc<Semaphore>,
    all: u64,
    pressure: Arc<Pressure>,
}

/// A share of the memory, which is free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    permit: OwnedSemaphorePermit,
    /// Bytes that were asked for.
    bytes: u64,
}

impl Memory {
    pub(crate) fn new(bytes: u64, pressure: Arc<Pressure>) -> Self {
        let units = usize::try_from(bytes / UNIT).unwrap_or(usize::MAX);
        let units = units.min(Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(units)), all: bytes / UNIT * UNIT, pressure }
    }

    /// All of it.
    pub(crate) fn all(&self) -> u64 {
        self.all
    }

    /// Takes a share of `bytes`, if they are free.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if they are not.
    pub(crate) fn share(&self, bytes: u64) -> Result<Share, Refusal> {
        let taken = units(bytes).and_then(|units| {
            let free = self.free.clone();
            free.try_acquire_many_owned(units).ok()
        });
        match taken {
            Some(permit) => Ok(Share { permit, bytes }),
            None => Err(self.refuse()),
        }
    }

    /// Takes a share of `bytes` as soon as they are free.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if they are not in time, or never can be.
    pub(crate) async fn share_within(&self, bytes: u64, time: Duration) -> Result<Share, Refusal> {
        if let Ok(share) = self.share(bytes) {
            return Ok(share);
        }
        let units = units(bytes).filter(|_| bytes <= self.all);
        let units = units.ok_or_else(|| self.refuse())?;
        let mut waiting = std::pin::pin!(self.free.clone().acquire_many_owned(units));
        let mut left = time;
        while !left.is_zero() {
            // Whoever holds it is to know that it is waited for.
            self.pressure.rise();
            let step = left.min(Duration::from_secs(1));
            left -= step;
            match timeout(step, &mut waiting).await {
                Ok(Ok(permit)) => return Ok(Share { permit, bytes }),
                Ok(Err(_)) => break,
                Err(_) => {}
            }
        }
        Err(self.refuse())
    }

    /// Adds `bytes` to a share.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if they are not free.
    pub(crate) fn grow(&self, share: &mut Share, bytes: u64) -> Result<(), Refusal> {
        let more = (share.bytes + bytes).div_ceil(UNIT) - share.permit.num_permits() as u64;
        if more > 0 {
            share.permit.merge(self.share(more * UNIT)?.permit);
        }
        share.bytes += bytes;
        Ok(())
    }

    fn refuse(&self) -> Refusal {
        self.pressure.rise();
        Refusal::Busy
    }
}

impl Share {
    /// Returns all but `bytes` of the share.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        let kept = units(bytes).unwrap_or(u32::MAX) as usize;
        let spare = self.permit.num_permits().saturating_sub(kept);
        drop(self.permit.split(spare));
        self.bytes = self.bytes.min(bytes);
    }

    /// Bytes that hold the share until the last of them is sent.
    pub(crate) fn around(mut self, bytes: Vec<u8>) -> Bytes {
        self.shrink(bytes.capacity() as u64);
        Bytes::from_owner(HeldBytes { bytes, _share: self })
    }
}

fn units(bytes: u64) -> Option<u32> {
    u32::try_from(bytes.div_ceil(UNIT)).ok()
}

struct HeldBytes {
    bytes: Vec<u8>,
    _share: Share,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(kilobytes: u64) -> Memory {
        Memory::new(kilobytes << 10, Arc::new(Pressure::new()))
    }

    #[test]
    fn shares_grow_shrink_and_come_back() {
        let memory = memory(100);
        let mut share = memory.share(0).unwrap();
        for _ in 0..100 {
            memory.grow(&mut share, 600).unwrap();
        }
        assert_eq!(memory.free.available_permits(), 100 - 59);
        assert!(!memory.pressure.is_high());
        assert_eq!(memory.grow(&mut share, 42 << 10), Err(Refusal::Busy));
        assert!(memory.pressure.is_high());
        share.shrink(10 << 10);
        assert_eq!(memory.free.available_permits(), 90);
        let mut all = memory.share(90 << 10).unwrap();
        assert!(memory.share(1).is_err());
        all.shrink(u64::MAX);
        assert!(memory.share(1).is_err());
        drop((share, all));
        assert_eq!(memory.free.available_permits(), 100);
    }

    #[test]
    fn what_is_sent_holds_its_share_until_it_is_gone() {
        let memory = memory(100);
        let sent = memory.share(80 << 10).unwrap().around(vec![b'x'; 20 << 10]);
        assert_eq!(memory.free.available_permits(), 80);
        let rest = sent.slice(19 << 10..);
        drop(sent);
        assert_eq!((rest.len(), memory.free.available_permits()), (1 << 10, 80));
        drop(rest);
        assert_eq!(memory.free.available_permits(), 100);
    }

    #[tokio::test]
    async fn a_share_is_waited_for() {
        let memory = memory(100);
        let first = memory.share(60 << 10).unwrap();
        let short = Duration::from_millis(20);
        assert!(memory.share_within(50 << 10, short).await.is_err());
        assert!(memory.share_within(1 << 40, short).await.is_err());
        let long = Duration::from_secs(20);
        let (second, ()) = tokio::join!(memory.share_within(50 << 10, long), async {
            tokio::time::sleep(short).await;
            drop(first);
        });
        drop(second.unwrap());
        assert_eq!(memory.free.available_permits(), 100);
    }
}
