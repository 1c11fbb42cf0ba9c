//! Inflates an archive without reading its records, as a lower bound for the time of reading.

use crate::gzip::header_length;
use crate::inflate::{Inflate, InflateResult};

/// Inflates all gzip members of `stored`, one in `plain` after another, and gives the sum of their
/// plain bytes. `plain` grows to the largest member. Checksums are not looked at. None if the bytes
/// are not whole gzip members from first to last.
pub fn inflate_members(stored: &[u8], plain: &mut Vec<u8>) -> Option<u64> {
    let mut inflate = Inflate::new()?;
    let mut rest = stored;
    let mut total = 0;
    while !rest.is_empty() {
        rest = rest.get(header_length(rest)?..)?;
        let (read, made) = loop {
            match inflate.run(rest, plain, usize::MAX) {
                InflateResult::Whole { read, made } => break (read, made),
                InflateResult::Full => plain.reserve((plain.capacity() * 2).max(1 << 20)),
                InflateResult::Bad => return None,
            }
        };
        total += made as u64;
        rest = rest.get(read + 8..)?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::gzip_member;

    #[test]
    fn sums_members_and_refuses_what_is_none() {
        let long = vec![b'a'; 3_000_000];
        let mut stored = gzip_member(b"abc", 6).unwrap();
        stored.extend(gzip_member(&long, 6).unwrap());
        let mut plain = Vec::new();
        assert_eq!(inflate_members(&stored, &mut plain), Some(3_000_003));
        let cut = &stored[..stored.len() - 20];
        assert_eq!(inflate_members(cut, &mut plain), None);
        assert_eq!(inflate_members(b"WARC/1.0\r\n", &mut plain), None);
    }
}
