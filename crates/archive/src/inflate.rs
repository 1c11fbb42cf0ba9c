//! Inflates raw deflate streams, and makes gzip members, each in one call of libdeflate.
//!
//! This module has all `unsafe` code of the library. No safe wrapper reports where the deflate stream ended, and the
//! place of the next member depends on it.
#![allow(unsafe_code)]

use std::ptr::NonNull;

use libdeflate_sys as sys;

/// Result of inflating a deflate stream in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InflateResult {
    /// The stream ended after `read` compressed bytes and gave `made` decompressed bytes.
    Whole { read: usize, made: usize },
    /// The stream has more decompressed bytes than the buffer has room for.
    Full,
    /// The stream is damaged, or needs more compressed bytes.
    Bad,
}

/// Decompressor of deflate streams that are completely in memory.
pub(crate) struct Inflate(NonNull<sys::libdeflate_decompressor>);

// SAFETY: the decompressor is memory of its own, without ties to a thread, and is used through
// `&mut` only.
unsafe impl Send for Inflate {}

impl Inflate {
    /// Creates a decompressor; returns `None` if memory runs out.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: has no preconditions; null is told by `NonNull::new`.
        NonNull::new(unsafe { sys::libdeflate_alloc_decompressor() }).map(Inflate)
    }

    /// Inflates the stream at the start of `stored` into `plain`, up to the capacity of `plain` or `most` bytes. The
    /// old contents of `plain` are replaced; it is empty if the stream is incomplete or longer.
    pub(crate) fn run(&mut self, stored: &[u8], plain: &mut Vec<u8>, most: usize) -> InflateResult {
        plain.clear();
        let room = plain.spare_capacity_mut();
        let (mut read, mut made) = (0, 0);
        // SAFETY: the decompressor is alive until `drop`; both pointers go with the lengths of their
        // slices, which libdeflate neither reads nor writes past, and the room is only written to; the last
        // two are live locals.
        let result = unsafe {
            sys::libdeflate_deflate_decompress_ex(
                self.0.as_ptr(),
                stored.as_ptr().cast(),
                stored.len(),
                room.as_mut_ptr().cast(),
                room.len().min(most),
                &raw mut read,
                &raw mut made,
            )
        };
        match result {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => {
                // SAFETY: libdeflate has written so many bytes to the room, whose length it does not pass.
                unsafe { plain.set_len(made) };
                InflateResult::Whole { read, made }
            }
            sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => InflateResult::Full,
            _ => InflateResult::Bad,
        }
    }
}

impl Drop for Inflate {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, freed only here.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

/// Appends `plain`, compressed as one gzip member without name and time, to `out`; returns false if memory ran out.
/// `level` is the compression level, 0 to 9.
pub(crate) fn append_member(plain: &[u8], level: u32, out: &mut Vec<u8>) -> bool {
    // SAFETY: has no preconditions; null is told by `NonNull::new`.
    let compressor = NonNull::new(unsafe { sys::libdeflate_alloc_compressor(level.min(9) as i32) });
    let Some(compressor) = compressor else { return false };
    // SAFETY: the compressor is alive.
    let bound = unsafe { sys::libdeflate_gzip_compress_bound(compressor.as_ptr(), plain.len()) };
    out.reserve(bound);
    let room = out.spare_capacity_mut();
    // SAFETY: the compressor is alive until it is freed below, and both pointers go with the lengths of their slices;
    // libdeflate writes so many bytes to the room as it says.
    unsafe {
        let made = sys::libdeflate_gzip_compress(
            compressor.as_ptr(),
            plain.as_ptr().cast(),
            plain.len(),
            room.as_mut_ptr().cast(),
            room.len(),
        );
        sys::libdeflate_free_compressor(compressor.as_ptr());
        out.set_len(out.len() + made);
        made > 0
    }
}

/// Computes the CRC-32 checksum of bytes as gzip defines it.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    // SAFETY: the pointer goes with the length of its slice, which is only read.
    unsafe { sys::libdeflate_crc32(0, bytes.as_ptr().cast(), bytes.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_end_of_the_stream_and_what_is_missing() {
        // A stored block, `abc`, and bytes of the next member.
        let stored = [1, 3, 0, 0xfc, 0xff, b'a', b'b', b'c', 0x1f, 0x8b];
        let mut inflate = Inflate::new().unwrap();
        let whole = InflateResult::Whole { read: 8, made: 3 };
        let mut plain = Vec::with_capacity(4);
        plain.push(b'x');
        assert_eq!(inflate.run(&stored, &mut plain, 9), whole);
        assert_eq!(plain, b"abc");
        assert_eq!(inflate.run(&stored, &mut plain, 2), InflateResult::Full);
        assert_eq!(plain, b"");
        assert_eq!(inflate.run(&stored[..7], &mut plain, 9), InflateResult::Bad);
        assert_eq!(inflate.run(&[], &mut plain, 9), InflateResult::Bad);
        let mut empty = Vec::new();
        assert_eq!(inflate.run(&stored, &mut empty, 9), InflateResult::Full);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
