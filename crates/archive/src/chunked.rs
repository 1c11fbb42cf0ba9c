//! Recognises and removes the chunks of `Transfer-Encoding: chunked`, leniently.

use memchr::memchr;

/// Maximum length of a size line, with its extensions.
const MAX_LINE: usize = 256;

/// A body put together out of chunks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JoinedBody {
    pub(crate) body: Vec<u8>,
    /// A chunk size was wrong.
    pub(crate) wrong: bool,
    /// The last chunk is missing or not whole.
    pub(crate) cut: bool,
}

/// Puts the chunks together. None if the body does not begin with a chunk.
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
            let next = next_chunk(rest);
            joined.body.extend_from_slice(rest.get(..next.data).unwrap_or(rest));
            match next.line {
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

/// Returns whether only trailer fields and blank lines follow the last chunk.
fn is_end(tail: &[u8]) -> bool {
    tail.split(|&b| b == b'\n').all(|line| {
        let name = line.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
        line.trim_ascii().is_empty() || name > 0 && line.get(name) == Some(&b':')
    })
}

/// Length of the line end the bytes begin with, or 0.
fn line_end(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    }
}

/// Reads a size line: the size and where the data begins.
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

/// Returns whether a chunk of this size is followed by a line end or the end of the body.
fn fits(bytes: &[u8], data: usize, size: usize) -> bool {
    let end = data.saturating_add(size);
    size == 0 || end >= bytes.len() || line_end(bytes.get(end..).unwrap_or_default()) > 0
}

/// The end of the data of a chunk with a wrong size, and the start of the next size line.
struct NextChunk {
    data: usize,
    line: Option<usize>,
}

fn next_chunk(bytes: &[u8]) -> NextChunk {
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
            return NextChunk { data, line: Some(at) };
        }
    }
    NextChunk { data: bytes.len(), line: None }
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
