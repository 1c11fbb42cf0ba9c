//! Undoes the content codings of HTTP bodies (gzip, deflate, brotli, zstd) and `Transfer-Encoding: chunked`, leniently.
//!
//! Each coding is tried within bounds, and its result is used only if the coding fits.

use std::{io, io::Read};

use flate2::{Decompress, FlushDecompress, Status};
use memchr::memchr;

use crate::signature;

/// Maximum number of content and transfer codings that are undone for one body; further ones are left. A hostile header
/// may name any number, and each costs time to decode.
pub(crate) const MAX_CODINGS: usize = 8;
/// Maximum number of characters kept of the name of an unknown content coding; the rest is dropped.
pub(crate) const MAX_CODING_NAME: usize = 32;
/// Maximum number of gzip layers that are undone although no HTTP header names them.
pub(crate) const SILENT_ROUNDS: usize = 2;

trommel_text::named! {
    /// Content coding or transfer coding of an HTTP body.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Coding {
        /// Chunks of `Transfer-Encoding: chunked`.
        Chunked = "chunked",
        /// Content coding `gzip` or `x-gzip`.
        Gzip = "gzip",
        /// Content coding `deflate`, with or without a zlib header.
        Deflate = "deflate",
        /// Content coding `br` (Brotli).
        Brotli = "br",
        /// Content coding `zstd` (Zstandard).
        Zstd = "zstd",
    }
}

/// Maximum number of bytes read from a decoder at a time.
const CHUNK: usize = 64 * 1024;

/// Maximum length in bytes of compressed data that may decode to an empty body. Longer data that decodes to nothing is
/// taken to be in another coding.
const EMPTY: usize = 8;

/// Decoded bytes of a body, and the way in which its coded bytes ended.
pub(crate) type Decoded = (Vec<u8>, End);

/// The way in which the coded bytes of a body ended: complete, over the limit, too early, or damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Whole,
    /// The decoded body exceeds the maximum length.
    Limit,
    /// The coded bytes ended too early: the end of the body is missing.
    RanOut,
    Broken,
}

/// Decodes a gzip body of one or several members, up to `limit` bytes; returns `None` if it is not gzip.
pub(crate) fn gzip(coded: &[u8], limit: usize) -> Option<Decoded> {
    let mut body = Vec::new();
    let mut rest = coded;
    while rest.starts_with(&signature::GZIP_DEFLATE) {
        let Some(length) = crate::gzip::header_length(rest) else { break };
        let member = rest.get(length..).unwrap_or_default();
        let (used, end) = inflate(member, false, &mut body, limit);
        if end != End::Whole {
            // The magic number says what it is, even if nothing can be decoded.
            return Some((body, end));
        }
        // The trailer is passed unread: a wrong checksum would change nothing.
        rest = member.get(used.saturating_add(8)..).unwrap_or_default();
    }
    (rest.len() < coded.len()).then_some((body, End::Whole))
}

/// Decodes a body in zlib, or in raw deflate as old servers send it. Returns `None` if it is neither.
pub(crate) fn deflate(coded: &[u8], limit: usize) -> Option<Decoded> {
    let is_zlib = matches!(coded, [first, second, ..]
        if first & 0x0f == 8 && u16::from_be_bytes([*first, *second]) % 31 == 0);
    if is_zlib {
        let mut body = Vec::new();
        let (_, end) = inflate(coded, true, &mut body, limit);
        // Two bytes of a zlib header may be chance: nothing decoded, not zlib.
        if !body.is_empty() {
            return Some((body, end));
        }
    }
    let mut body = Vec::new();
    let (used, end) = inflate(coded, false, &mut body, limit);
    guess((body, end), coded, coded.len() - used)
}

/// Appends the decoded bytes of a deflate stream to `body` until it has `limit` bytes. Returns the number of coded
/// bytes used, and how they ended.
fn inflate(coded: &[u8], zlib: bool, body: &mut Vec<u8>, limit: usize) -> (usize, End) {
    let mut inflate = Decompress::new(zlib);
    let used = |inflate: &Decompress| usize::try_from(inflate.total_in()).unwrap_or(0).min(coded.len());
    loop {
        let start = body.len();
        // One byte over the limit tells whether it was hit or just reached.
        let room = CHUNK.max(start).min(limit.saturating_add(1).saturating_sub(start));
        body.resize(start.saturating_add(room), 0);
        let (read, made) = (inflate.total_in(), inflate.total_out());
        let input = coded.get(used(&inflate)..).unwrap_or_default();
        let output = body.get_mut(start..).unwrap_or_default();
        let status = inflate.decompress(input, output, FlushDecompress::None);
        let made = usize::try_from(inflate.total_out() - made).unwrap_or(0);
        body.truncate(start.saturating_add(made));
        if body.len() > limit {
            body.truncate(limit);
            return (used(&inflate), End::Limit);
        }
        match status {
            Ok(Status::StreamEnd) => return (used(&inflate), End::Whole),
            Ok(_) if made > 0 || inflate.total_in() > read => {}
            Ok(_) if used(&inflate) == coded.len() => return (coded.len(), End::RanOut),
            Ok(_) | Err(_) => return (used(&inflate), End::Broken),
        }
    }
}

/// Decodes a Brotli body, up to `limit` bytes; returns `None` if it is not Brotli.
pub(crate) fn brotli(coded: &[u8], limit: usize) -> Option<Decoded> {
    let mut rest = coded;
    let decoded = read(brotli_decompressor::Decompressor::new(&mut rest, CHUNK), limit);
    guess(decoded, coded, rest.len())
}

/// Decodes a zstd body of one or several frames, up to `limit` bytes; returns `None` if it is not zstd.
pub(crate) fn zstd(coded: &[u8], limit: usize) -> Option<Decoded> {
    if !coded.starts_with(&signature::ZSTD) && !signature::is_skippable(coded) {
        return None;
    }
    Some(read(zstd::stream::read::Decoder::with_buffer(coded).ok()?, limit))
}

/// Returns the decoded body, or `None` if the bytes were probably not in this coding, which has no signature. An
/// incomplete body is kept if most of it was decoded and its coded bytes do not look like text.
fn guess((body, end): Decoded, coded: &[u8], left: usize) -> Option<Decoded> {
    let used = coded.len().saturating_sub(left);
    let is_it = match end {
        // Damage can look like an early end.
        End::Whole => !(body.is_empty() && coded.len() > EMPTY || is_text(coded) && left > 2),
        End::Limit => true,
        End::RanOut | End::Broken => {
            let enough = body.len() >= coded.len() / 2 && (end == End::RanOut || used >= coded.len() / 2);
            !is_text(coded) && !body.is_empty() && enough
        }
    };
    is_it.then_some((body, end))
}

/// Returns whether the first 512 bytes look like text, with no control characters except white space and escape.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.get(..512).unwrap_or(bytes).iter().any(|b| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
}

fn read(mut decoder: impl Read, limit: usize) -> Decoded {
    let mut body = Vec::new();
    loop {
        let start = body.len();
        if start >= limit {
            // One byte more tells whether the limit was hit or just reached.
            return (body, if matches!(decoder.read(&mut [0; 1]), Ok(0)) { End::Whole } else { End::Limit });
        }
        body.resize(start.saturating_add(CHUNK.max(start)).min(limit), 0);
        let result = loop {
            match decoder.read(body.get_mut(start..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        match result {
            Ok(0) => {
                body.truncate(start);
                return (body, End::Whole);
            }
            Ok(read) => body.truncate(start.saturating_add(read)),
            Err(error) => {
                body.truncate(start);
                let ran_out = error.kind() == io::ErrorKind::UnexpectedEof;
                return (body, if ran_out { End::RanOut } else { End::Broken });
            }
        }
    }
}

/// Maximum length in bytes of the line that states the size of an HTTP chunk, with its extensions.
const MAX_LINE: usize = 256;

/// Body joined from the chunks of HTTP's chunked transfer coding.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JoinedBody {
    pub(crate) body: Vec<u8>,
    /// True if a chunk of the body does not have the size that the line before it states.
    pub(crate) wrong: bool,
    /// True if the last chunk of the body is missing or incomplete.
    pub(crate) cut: bool,
}

/// Joins the chunks of a body in HTTP's chunked transfer coding; returns `None` if the body begins without a chunk.
pub(crate) fn join(coded: &[u8]) -> Option<JoinedBody> {
    let (size, data) = size_line(coded)?;
    if !fits(coded, data, size) || size == 0 && !is_end(coded.get(data..)?) {
        return None;
    }
    let mut joined = JoinedBody { body: Vec::with_capacity(coded.len()), wrong: false, cut: false };
    let mut at = 0;
    loop {
        let rest = coded.get(at..).unwrap_or_default();
        // Not `trim_ascii`: going through the blanks at the end for each chunk is quadratic.
        if rest.trim_ascii_start().is_empty() {
            joined.cut = true;
            return Some(joined);
        }
        let Some((size, data)) = size_line(rest) else {
            // The chunk before had a wrong size: what follows is its data, up to the next size
            // line that fits.
            joined.wrong = true;
            let (data, next) = next_chunk(rest);
            joined.body.extend_from_slice(rest.get(..data).unwrap_or(rest));
            match next {
                Some(line) => at += line,
                None => return Some(joined),
            }
            continue;
        };
        if size == 0 {
            let tail = rest.get(data..).unwrap_or_default();
            if !is_end(tail) {
                joined.wrong = true;
                joined.body.extend_from_slice(tail);
            }
            return Some(joined);
        }
        let end = data.saturating_add(size);
        if end > rest.len() {
            // Cut body, or a size that is too large: both end here.
            joined.cut = true;
            joined.body.extend_from_slice(rest.get(data..).unwrap_or_default());
            return Some(joined);
        }
        joined.body.extend_from_slice(rest.get(data..end).unwrap_or_default());
        at += end;
        let after = coded.get(at..).unwrap_or_default();
        at += line_end(after);
    }
}

/// Returns whether `tail`, the bytes after the last HTTP chunk, holds only trailer fields and blank lines.
fn is_end(tail: &[u8]) -> bool {
    tail.split(|&b| b == b'\n').all(|line| {
        let name = line.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
        line.trim_ascii().is_empty() || name > 0 && line.get(name) == Some(&b':')
    })
}

/// Returns the length in bytes (1 or 2) of the line end at the start of `bytes`, or 0 if there is none.
fn line_end(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    }
}

/// Parses the line before an HTTP chunk; returns the size of the data in bytes and the index at which the data begins.
fn size_line(bytes: &[u8]) -> Option<(usize, usize)> {
    let line = bytes.get(..MAX_LINE).unwrap_or(bytes);
    let end = memchr(b'\n', line)?;
    let line = line.get(..end)?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let rest = line.get(digits..)?.trim_ascii_start();
    if !(1..=15).contains(&digits) || !(rest.is_empty() || rest.starts_with(b";")) {
        return None;
    }
    let size = usize::from_str_radix(std::str::from_utf8(line.get(..digits)?).ok()?, 16).ok()?;
    Some((size, end + 1))
}

/// Returns whether a line end or the end of the body follows the `size` bytes of chunk data at offset `data`.
fn fits(bytes: &[u8], data: usize, size: usize) -> bool {
    let end = data.saturating_add(size);
    size == 0 || end >= bytes.len() || line_end(bytes.get(end..).unwrap_or_default()) > 0
}

/// Returns the index in `bytes` at which the data of an HTTP chunk with a wrong size ends, and the index of the next
/// valid size line, if there is one.
fn next_chunk(bytes: &[u8]) -> (usize, Option<usize>) {
    let mut at = 0;
    while let Some(end) = memchr(b'\n', bytes.get(at..).unwrap_or_default()) {
        let newline = at + end;
        at = newline + 1;
        let rest = bytes.get(at..).unwrap_or_default();
        if let Some((size, data)) = size_line(rest)
            && fits(rest, data, size)
            && (size > 0 || rest.get(data..).is_some_and(|rest| line_end(rest) > 0 || rest.is_empty()))
        {
            let before = bytes.get(..newline).unwrap_or_default();
            let data = before.strip_suffix(b"\r").unwrap_or(before).len();
            return (data, Some(at));
        }
    }
    (bytes.len(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(body: &[u8]) -> Option<JoinedBody> {
        Some(JoinedBody { body: body.to_vec(), wrong: false, cut: false })
    }

    #[test]
    fn good_chunks() {
        assert_eq!(join(b"4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\nTrailer: a\r\n\r\n"), whole(b"Wikipedia"));
        assert_eq!(join(b"4  \nWiki\n0\n\n"), whole(b"Wiki"));
        assert_eq!(join(b"00000a\r\n0123456789\r\n0\r\n\r\n"), whole(b"0123456789"));
        assert_eq!(join(b"0\r\n\r\n"), whole(b""));
    }

    #[test]
    fn no_chunks() {
        assert_eq!(join(b"<html>"), None);
        assert_eq!(join(b"beef\nis what this text, not chunked, is about"), {
            // All of it could be the head of one cut chunk.
            Some(JoinedBody { body: b"is what this text, not chunked, is about".to_vec(), wrong: false, cut: true })
        });
        assert_eq!(join(b"5\r\nnot a chunk of five"), None);
        assert_eq!(join(b"ffffffffffffffffffff\r\nabc"), None);
    }

    #[test]
    fn cut_chunks_keep_their_bytes() {
        let cut = |body: &[u8]| Some(JoinedBody { body: body.to_vec(), wrong: false, cut: true });
        assert_eq!(join(b"4\r\nWiki\r\nff\r\npedia"), cut(b"Wikipedia"));
        assert_eq!(join(b"4\r\nWiki\r\n"), cut(b"Wiki"));
    }

    #[test]
    fn wrong_sizes_lose_nothing() {
        let wrong = |body: &[u8]| Some(JoinedBody { body: body.to_vec(), wrong: true, cut: false });
        assert_eq!(join(b"4\r\nWiki\r\n3\r\npedia!\r\n2\r\nab\r\n0\r\n\r\n"), wrong(b"Wikipedia!ab"));
        assert_eq!(join(b"4\r\nWiki\r\nand plain text"), wrong(b"Wikiand plain text"));
    }
}
