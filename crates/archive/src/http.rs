//! Splits an HTTP message into status, headers and body.

use memchr::memchr;

use crate::headers::Headers;

/// Longest header block looked for where no status line announces one.
const MAX_BARE_HEADER: usize = 64 * 1024;

/// The part of a message before its body.
pub(crate) struct MessageHead {
    pub(crate) status: Option<u16>,
    pub(crate) headers: Headers,
    /// The first byte of the body.
    pub(crate) length: usize,
}

/// Reads status line and headers. A block that has neither is all body.
pub(crate) fn head(block: &[u8]) -> MessageHead {
    let blank = block.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
    let message = block.get(blank..).unwrap_or_default();
    if message.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/")) {
        let line = memchr(b'\n', message).map_or(message.len(), |end| end + 1);
        let (first, rest) = message.split_at(line);
        let length = end_of_fields(rest);
        let (headers, _) = Headers::parse(rest.get(..length).unwrap_or_default());
        return MessageHead { status: status(first), headers, length: blank + line + length };
    }
    let length = end_of_fields(message.get(..MAX_BARE_HEADER).unwrap_or(message));
    let fields = message.get(..length).unwrap_or_default();
    if fields.ends_with(b"\n") && looks_like_fields(fields) {
        let (headers, _) = Headers::parse(fields);
        return MessageHead { status: None, headers, length: blank + length };
    }
    MessageHead { status: None, headers: Headers::new(), length: 0 }
}

/// Length of the field lines with the blank line that ends them; all bytes if there is none.
fn end_of_fields(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        // Some writers double the carriage return.
        let returns = rest.iter().take_while(|b| **b == b'\r').count();
        if rest.get(returns) == Some(&b'\n') {
            return at + returns + 1;
        }
        match memchr(b'\n', rest) {
            Some(end) => at += end + 1,
            None => return bytes.len(),
        }
    }
}

/// The first number of three digits after the version.
fn status(line: &[u8]) -> Option<u16> {
    let word = line.split(u8::is_ascii_whitespace).skip(1).find(|word| !word.is_empty())?;
    let digits = word.get(..3)?;
    std::str::from_utf8(digits).ok()?.parse().ok().filter(|code| *code >= 100)
}

/// Whether every line is a field, and one of them is a field of HTTP entities.
fn looks_like_fields(fields: &[u8]) -> bool {
    let mut entity = false;
    for line in fields.split(|&b| b == b'\n') {
        let line = line.trim_ascii_end();
        if line.is_empty() || matches!(line.first(), Some(b' ' | b'\t')) {
            continue;
        }
        let Some(colon) = memchr(b':', line) else { return false };
        let name = line.get(..colon).unwrap_or_default();
        if name.is_empty() || !name.iter().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(b)) {
            return false;
        }
        entity |= name.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"content-"));
    }
    entity
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(block: &[u8]) -> (Option<u16>, usize, &[u8]) {
        let head = head(block);
        (head.status, head.headers.len(), &block[head.length..])
    }

    #[test]
    fn messages_in_every_shape() {
        assert_eq!(split(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody"), (Some(200), 1, &b"body"[..]));
        assert_eq!(split(b"http/2 404\nA: b\n\nbody"), (Some(404), 1, &b"body"[..]));
        assert_eq!(split(b"\r\nHTTP/1.0  301  Moved\r\n\r\n"), (Some(301), 0, &b""[..]));
        assert_eq!(split(b"HTTP/1.1 abc\r\nA: b"), (None, 1, &b""[..]));
        assert_eq!(split(b"HTTP/1.1 200"), (Some(200), 0, &b""[..]));
        assert_eq!(split(b"<html>a: b\r\n\r\nc"), (None, 0, &b"<html>a: b\r\n\r\nc"[..]));
        assert_eq!(split(b"Content-Type: text/html\r\nX: y\r\n\r\n<p>"), (None, 2, &b"<p>"[..]));
        assert_eq!(split(b"note: x\r\n\r\n<p>"), (None, 0, &b"note: x\r\n\r\n<p>"[..]));
        assert_eq!(split(b""), (None, 0, &b""[..]));
    }
}
