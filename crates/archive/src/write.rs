//! Writes WARC records, plain or each as its own gzip member.

use std::io::{self, Write};

use crate::inflate::append_member;

/// Writes one WARC record: version line, fields in the order given, blank line, block, two line ends.
///
/// `version` is `1.0`, `1.1` or another, with or without `WARC/` before it. If `headers` has no Content-Length, it is
/// added as the last field.
///
/// # Errors
/// Fails if `out` fails. The error is `InvalidInput` for an empty field name, for a colon or line end in a name, for a
/// line end in a value, or for a Content-Length that is not the length of the block.
pub fn write_record(out: &mut impl Write, version: &str, headers: &[(&str, &str)], block: &[u8]) -> io::Result<()> {
    let invalid = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, what.to_owned()));
    let mut head = Vec::with_capacity(512);
    write!(head, "WARC/{}\r\n", version.strip_prefix("WARC/").unwrap_or(version))?;
    let mut stated = false;
    for (name, value) in headers {
        if name.is_empty() || name.contains([':', '\r', '\n']) || value.contains(['\r', '\n']) {
            return invalid("a field name or value of a WARC record holds a line end");
        }
        if name.eq_ignore_ascii_case("Content-Length") {
            if value.parse() != Ok(block.len()) {
                return invalid("Content-Length of a WARC record is not its block's length");
            }
            stated = true;
        }
        write!(head, "{name}: {value}\r\n")?;
    }
    if !stated {
        write!(head, "Content-Length: {}\r\n", block.len())?;
    }
    head.extend_from_slice(b"\r\n");
    out.write_all(&head)?;
    out.write_all(block)?;
    out.write_all(b"\r\n\r\n")
}

/// Compresses bytes to one gzip member without name and time, so that equal bytes give equal members. `level` is the
/// compression level, 0 to 9.
///
/// # Errors
/// Fails if memory runs out.
pub fn gzip_member(plain: &[u8], level: u32) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    if append_member(plain, level, &mut out) { Ok(out) } else { Err(io::ErrorKind::OutOfMemory.into()) }
}

/// Writes WARC records to an output, each in its own gzip member.
#[derive(Debug)]
pub struct GzMembers<W> {
    out: W,
    level: u32,
    offset: u64,
    plain: Vec<u8>,
}

impl<W: Write> GzMembers<W> {
    /// Creates a writer of gzip members to `out` with compression level 0 to 9.
    pub fn new(out: W, level: u32) -> Self {
        GzMembers { out, level, offset: 0, plain: Vec::new() }
    }

    /// Writes one record with [`write_record`]; returns the byte offset and the length of its gzip member.
    ///
    /// # Errors
    /// Like [`write_record`].
    pub fn write_record(&mut self, version: &str, headers: &[(&str, &str)], block: &[u8]) -> io::Result<(u64, u64)> {
        self.plain.clear();
        write_record(&mut self.plain, version, headers, block)?;
        let member = gzip_member(&self.plain, self.level)?;
        self.out.write_all(&member)?;
        let place = (self.offset, member.len() as u64);
        self.offset += place.1;
        Ok(place)
    }

    /// Returns the output after all members were written to it (not flushed).
    pub fn into_inner(self) -> W {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_exact() {
        let mut out = Vec::new();
        write_record(&mut out, "1.0", &[("WARC-Type", "metadata"), ("A", "b")], b"xyz").unwrap();
        assert_eq!(
            out.escape_ascii().to_string(),
            "WARC/1.0\\r\\nWARC-Type: metadata\\r\\nA: b\\r\\nContent-Length: 3\\r\\n\\r\\nxyz\\r\\n\\r\\n"
        );
        let mut stated = Vec::new();
        let headers = [("Content-Length", "3"), ("WARC-Type", "metadata")];
        write_record(&mut stated, "WARC/1.1", &headers, b"xyz").unwrap();
        assert!(stated.starts_with(b"WARC/1.1\r\nContent-Length: 3\r\nWARC-Type"));
    }

    #[test]
    fn line_ends_in_fields_are_refused() {
        for header in [("A", "b\r\nC: d"), ("A\n", "b"), ("", "b"), ("Content-Length", "4")] {
            let error = write_record(&mut Vec::new(), "1.0", &[header], b"xyz").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{header:?}");
        }
    }

    #[test]
    fn members_tell_their_place() {
        let mut members = GzMembers::new(Vec::new(), 6);
        let first = members.write_record("1.0", &[("A", "1")], b"one").unwrap();
        let second = members.write_record("1.0", &[("A", "2")], b"two").unwrap();
        let out = members.into_inner();
        assert_eq!(first.0 + first.1, second.0);
        assert_eq!(second.0 + second.1, out.len() as u64);
        assert_eq!(out[4..8], [0; 4], "mtime must be 0");
        assert_eq!(out[second.0 as usize..][..3], [0x1f, 0x8b, 8]);
    }
}
