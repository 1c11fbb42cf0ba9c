//! A seekable object, for data at its end or in its middle.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::runtime::Handle;

use super::{Remote, object::Object};
use crate::{SourceError, StopFlag};

/// Bytes asked for at a time.
const BLOCK: u64 = 128 << 10;
/// Blocks that are kept.
const MAX_KEPT_BLOCKS: usize = 16;

/// The bytes of an object, of which those that are read are asked for, in blocks of 128 KiB. Copies have
/// places of their own and share what came. For reading on and on, [`Remote::open_at`] is faster.
#[derive(Clone)]
pub struct SeekableObject {
    shared: Arc<SharedBlocks>,
    at: u64,
}

struct SharedBlocks {
    object: Object,
    length: u64,
    handle: Handle,
    stop: StopFlag,
    /// Blocks by their number, those used last at the end.
    blocks: Mutex<VecDeque<(u64, Bytes)>>,
}

impl fmt::Debug for SeekableObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeekableObject").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Remote {
    /// Opens an object for seeking. It may be read as long as `self` is there.
    ///
    /// # Errors
    /// Like [`Remote::open`], and [`SourceError::NoRanges`] if the server gives it as a whole only.
    pub fn seekable(&self, url: &str) -> Result<SeekableObject, SourceError> {
        let mut object = self.object(url)?;
        let stop = self.options.stop.clone();
        let length = self.runtime.block_on(stop.unless(object.size()))??;
        if !object.knows_ranges() {
            return Err(SourceError::NoRanges);
        }
        Ok(SeekableObject {
            shared: Arc::new(SharedBlocks {
                object,
                length,
                handle: self.runtime.handle().clone(),
                stop,
                blocks: Mutex::default(),
            }),
            at: 0,
        })
    }
}

impl SharedBlocks {
    fn block(&self, number: u64) -> Result<Bytes, SourceError> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = blocks.iter().position(|(known, _)| *known == number)
            && let Some((_, block)) = blocks.remove(at)
        {
            blocks.push_back((number, block.clone()));
            return Ok(block);
        }
        let start = number.saturating_mul(BLOCK);
        let end = start.saturating_add(BLOCK).min(self.length);
        let read = self.object.clone().whole(start..end);
        let block: Bytes = self.handle.block_on(self.stop.unless(read))??.into();
        if blocks.len() == MAX_KEPT_BLOCKS {
            blocks.pop_front();
        }
        blocks.push_back((number, block.clone()));
        Ok(block)
    }
}

impl Read for SeekableObject {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.shared.length || buffer.is_empty() {
            return Ok(0);
        }
        let block = self.shared.block(self.at / BLOCK)?;
        let from = usize::try_from(self.at % BLOCK).unwrap_or(usize::MAX);
        let there = block.get(from..).unwrap_or_default();
        let count = there.len().min(buffer.len());
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for (to, byte) in buffer.iter_mut().zip(there) {
            *to = *byte;
        }
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for SeekableObject {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.shared.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
