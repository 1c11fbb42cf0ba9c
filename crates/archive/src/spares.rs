//! Reuses the buffers of finished blocks.

/// Buffers kept, and the bytes of the largest.
const MAX_BUFFERS: usize = 8;
const MAX_BUFFER_BYTES: usize = 4 * 1024 * 1024;
/// Buffers up to this size are as good as of the same size.
const MIN_BUFFER_BYTES: usize = 16 * 1024;

/// Empty buffers.
#[derive(Debug, Default)]
pub(crate) struct Spares(Vec<Vec<u8>>);

impl Spares {
    /// Takes a buffer that is done with; the largest are kept.
    pub(crate) fn put(&mut self, mut buffer: Vec<u8>) {
        if !(1..=MAX_BUFFER_BYTES).contains(&buffer.capacity()) {
            return;
        }
        buffer.clear();
        if self.0.len() < MAX_BUFFERS {
            self.0.push(buffer);
        } else if let Some(least) = self.0.iter_mut().min_by_key(|spare| spare.capacity())
            && least.capacity() < buffer.capacity()
        {
            *least = buffer;
        }
    }

    /// Takes the smallest free buffer that has room for this many bytes and is not far too large.
    pub(crate) fn take(&mut self, bytes: usize) -> Option<Vec<u8>> {
        let most = bytes.max(MIN_BUFFER_BYTES).saturating_mul(4);
        let fitting = self.0.iter().enumerate();
        let (at, _) = fitting
            .filter(|(_, spare)| (bytes..=most).contains(&spare.capacity()))
            .min_by_key(|(_, spare)| spare.capacity())?;
        Some(self.0.swap_remove(at))
    }

    /// Such a buffer, or a new one with a capacity that fits many others as well.
    pub(crate) fn take_or_new(&mut self, bytes: usize) -> Vec<u8> {
        let new = || Vec::with_capacity(bytes.next_power_of_two());
        self.take(bytes).unwrap_or_else(new)
    }
}
