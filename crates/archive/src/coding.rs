//! Undoes content codings. Each is tried within bounds, and its result is used only if the coding fits.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress, Status};

use crate::{gzip, signature};

/// Bytes read from a decoder at a time.
const CHUNK: usize = 64 * 1024;

/// Maximum bytes of the encoding of an empty body.
const EMPTY: usize = 8;

/// Result of undoing a coding.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CodingResult {
    /// Decoded to its end.
    Whole(Vec<u8>),
    /// Decoded up to a cut or damage.
    Cut(Vec<u8>),
    /// Decoded up to the limit.
    Limit(Vec<u8>),
    /// The body does not have this coding.
    Not,
}

/// gzip, one member or several.
pub(crate) fn gzip(coded: &[u8], limit: usize) -> CodingResult {
    let mut body = Vec::new();
    let mut rest = coded;
    while rest.starts_with(&signature::GZIP_DEFLATE) {
        let Some(length) = gzip::header_length(rest) else { break };
        let member = rest.get(length..).unwrap_or_default();
        let (used, end) = inflate(member, false, &mut body, limit);
        match end {
            End::Whole => {}
            End::Limit => return CodingResult::Limit(body),
            // The magic number says what it is, even if nothing can be decoded.
            End::RanOut | End::Broken => return CodingResult::Cut(body),
        }
        // The trailer is passed unread: a wrong checksum would change nothing.
        rest = member.get(used.saturating_add(8)..).unwrap_or_default();
    }
    if rest.len() == coded.len() { CodingResult::Not } else { CodingResult::Whole(body) }
}

/// zlib, or raw deflate as old servers send it.
pub(crate) fn deflate(coded: &[u8], limit: usize) -> CodingResult {
    let zlib = matches!(coded, [first, second, ..]
        if first & 0x0f == 8 && u16::from_be_bytes([*first, *second]) % 31 == 0);
    for zlib in [true, false].into_iter().skip(usize::from(!zlib)) {
        let mut body = Vec::new();
        let (used, end) = inflate(coded, zlib, &mut body, limit);
        // Two bytes of a zlib header may be chance: nothing decoded, not zlib.
        let nothing = zlib && body.is_empty();
        let outcome = match end {
            End::Whole => Outcome::Whole(body),
            End::Limit => Outcome::Limit(body),
            End::RanOut => Outcome::Failed(body, true),
            End::Broken => Outcome::Failed(body, false),
        };
        let undone = match zlib {
            true if nothing => CodingResult::Not,
            true => outcome.trusted(),
            false => guess(outcome, coded, coded.len() - used),
        };
        match undone {
            CodingResult::Not => {}
            undone => return undone,
        }
    }
    CodingResult::Not
}

/// The way in which a deflate stream ended.
enum End {
    Whole,
    Limit,
    RanOut,
    Broken,
}

/// Appends the plain bytes of a deflate stream to `body`, up to `limit` bytes in all; returns the
/// coded bytes used.
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

/// brotli.
pub(crate) fn brotli(coded: &[u8], limit: usize) -> CodingResult {
    let mut rest = coded;
    let outcome = read(brotli_decompressor::Decompressor::new(&mut rest, CHUNK), limit);
    guess(outcome, coded, rest.len())
}

/// zstd, one frame or several.
pub(crate) fn zstd(coded: &[u8], limit: usize) -> CodingResult {
    if !coded.starts_with(&signature::ZSTD) && !signature::is_skippable(coded) {
        return CodingResult::Not;
    }
    match zstd::stream::read::Decoder::with_buffer(coded) {
        Ok(decoder) => read(decoder, limit).trusted(),
        Err(_) => CodingResult::Not,
    }
}

enum Outcome {
    Whole(Vec<u8>),
    /// The bytes decoded before, and whether the coded bytes just ended.
    Failed(Vec<u8>, bool),
    Limit(Vec<u8>),
}

impl Outcome {
    /// The result for codings with a magic number. The number proves the coding even if nothing can be decoded.
    fn trusted(self) -> CodingResult {
        match self {
            Outcome::Whole(body) => CodingResult::Whole(body),
            Outcome::Failed(body, _) => CodingResult::Cut(body),
            Outcome::Limit(body) => CodingResult::Limit(body),
        }
    }
}

/// The result for codings that any bytes may resemble for a while. A body that does not decode to its end
/// is kept if most of it decoded and it did not look like text before.
fn guess(outcome: Outcome, coded: &[u8], left: usize) -> CodingResult {
    let used = coded.len().saturating_sub(left);
    match outcome {
        // Damage can look like an early end.
        Outcome::Whole(body) if body.is_empty() && coded.len() > EMPTY => CodingResult::Not,
        Outcome::Whole(_) if is_text(coded) && left > 2 => CodingResult::Not,
        Outcome::Whole(body) => CodingResult::Whole(body),
        Outcome::Limit(body) => CodingResult::Limit(body),
        Outcome::Failed(body, ran_out) => {
            let enough = body.len() >= coded.len() / 2 && (ran_out || used >= coded.len() / 2);
            if is_text(coded) || body.is_empty() || !enough { CodingResult::Not } else { CodingResult::Cut(body) }
        }
    }
}

/// Returns whether the head of the bytes has no control byte that text does not have.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.get(..512).unwrap_or(bytes).iter().any(|b| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
}

fn read(mut decoder: impl Read, limit: usize) -> Outcome {
    let mut body = Vec::new();
    loop {
        let start = body.len();
        if start >= limit {
            // One byte more tells whether the limit was hit or just reached.
            return match decoder.read(&mut [0; 1]) {
                Ok(0) => Outcome::Whole(body),
                _ => Outcome::Limit(body),
            };
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
                return Outcome::Whole(body);
            }
            Ok(read) => body.truncate(start.saturating_add(read)),
            Err(error) => {
                body.truncate(start);
                return Outcome::Failed(body, error.kind() == io::ErrorKind::UnexpectedEof);
            }
        }
    }
}
