//! Splits an HTTP message into status, headers and body. Named fields, also those of a WARC record, are read leniently.

use memchr::{memchr, memrchr};

/// Maximum number of bytes of HTTP header fields that are read; later fields are ignored. Browsers and servers refuse
/// longer headers, but an archived record may have them.
const MAX_FIELDS: usize = 64 * 1024;

/// Head of an HTTP message: its status and headers, before the body.
#[derive(Default)]
pub(crate) struct MessageHead {
    pub(crate) status: Option<u16>,
    pub(crate) headers: Headers,
    /// Length of the head in bytes, which is the offset of the body in the message.
    pub(crate) length: usize,
    /// True if the header fields exceed the maximum number of bytes, so that the last ones are left out.
    pub(crate) is_cut: bool,
}

impl MessageHead {
    /// Returns whether this message is skipped if another HTTP message follows it in the same block. That holds for
    /// status 100 to 199, for HTML, and for messages without a Content-Type, such as redirects. Text of other types may
    /// itself begin with a status line.
    fn precedes_answer(&self) -> bool {
        let is_interim = matches!(self.status, Some(100..200));
        is_interim || self.headers.get("Content-Type").is_none_or(|kind| kind.to_ascii_lowercase().contains("html"))
    }
}

/// Reads the status line and headers at the start of a record's block. If messages such as `100 Continue` precede the
/// answer, returns the head of the last message. If there is neither status line nor header, returns an empty head: the
/// whole block is the body.
pub(crate) fn head(block: &[u8]) -> MessageHead {
    let mut from = 0;
    loop {
        let message = block.get(from..).unwrap_or_default();
        let blank = message.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let message = message.get(blank..).unwrap_or_default();
        let first = if begins_message(message) { answer_head(message) } else { bare_head(message) };
        let head = match first {
            Some(head) => MessageHead { length: from + blank + head.length, ..head },
            None => return MessageHead { length: from, ..MessageHead::default() },
        };
        let rest = block.get(head.length..).unwrap_or_default().trim_ascii_start();
        if !begins_message(rest) || status(rest).is_none() || !head.precedes_answer() {
            return head;
        }
        from = head.length;
    }
}

/// Returns the number of bytes by which an HTTP body is shorter than its Content-Length. Returns `None` without a
/// status line or Content-Length, for a body with transfer codings, or if the body is longer.
pub(crate) fn missing_bytes(block: &[u8]) -> Option<u64> {
    if !begins_message(block) {
        return None;
    }
    let head = head(block);
    if head.headers.get("Transfer-Encoding").is_some() {
        return None;
    }
    let stated: u64 = head.headers.get("Content-Length")?.parse().ok()?;
    stated.checked_sub((block.len() - head.length.min(block.len())) as u64)
}

/// Returns the body of an HTTP response that was stored in a file with its headers. Without headers, returns all bytes.
pub fn http_body(bytes: &[u8]) -> &[u8] {
    match begins_message(bytes) && status(bytes).is_some() {
        true => bytes.get(head(bytes).length..).unwrap_or_default(),
        false => bytes,
    }
}

fn begins_message(bytes: &[u8]) -> bool {
    bytes.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"))
}

fn answer_head(message: &[u8]) -> Option<MessageHead> {
    let line = memchr(b'\n', message).map_or(message.len(), |end| end + 1);
    let (first, rest) = message.split_at(line);
    let status = status(first);
    // Some clients leave out the blank line between an interim response and the answer.
    let length = end_of_fields(rest, matches!(status, Some(100..200)));
    let fields = rest.get(..length).unwrap_or_default();
    let read = match fields.get(..MAX_FIELDS) {
        Some(read) if fields.len() > MAX_FIELDS => read.get(..memrchr(b'\n', read).unwrap_or(0)).unwrap_or_default(),
        _ => fields,
    };
    let (headers, _) = Headers::parse(read);
    Some(MessageHead { status, headers, length: line + length, is_cut: read.len() < fields.len() })
}

/// Reads the head of an HTTP message that has lost its status line.
fn bare_head(message: &[u8]) -> Option<MessageHead> {
    let length = end_of_fields(message.get(..MAX_FIELDS).unwrap_or(message), false);
    let fields = message.get(..length).unwrap_or_default();
    let is_head = fields.ends_with(b"\n") && looks_like_fields(fields);
    is_head.then(|| MessageHead { headers: Headers::parse(fields).0, length, ..MessageHead::default() })
}

/// Returns the length in bytes of the header lines with the blank line that ends them; all bytes if no blank line
/// follows. With `until_message`, the header lines also end before the status line of another message.
fn end_of_fields(bytes: &[u8], until_message: bool) -> usize {
    let mut at = 0;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        if until_message && begins_message(rest) {
            return at;
        }
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

/// Parses the HTTP status code in the first line, after the version; returns `None` if it is missing or below 100.
fn status(message: &[u8]) -> Option<u16> {
    let line = message.split(|b| *b == b'\n').next()?;
    let word = line.split(u8::is_ascii_whitespace).skip(1).find(|word| !word.is_empty())?;
    let digits = word.get(..3)?;
    std::str::from_utf8(digits).ok()?.parse().ok().filter(|code| *code >= 100)
}

/// Returns whether every line is a header field, and at least one field has a name that begins with `Content-`.
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

/// Named header fields of HTTP or WARC, in their order. Names are compared without regard to case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// Creates an empty list of header fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the value of the first header field called `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the values of all header fields called `name`, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.0.iter().filter(move |(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Returns all header fields as pairs of name and value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns the number of header fields.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no header field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a header field at the end of the list.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }

    /// Parses field lines (without the version or status line); the returned bool is true if a line broke the grammar.
    /// Lines end in LF or CRLF. A line that begins with a blank continues the value before it. Bytes that are not UTF-8
    /// are read as Latin-1, field by field.
    pub(crate) fn parse(bytes: &[u8]) -> (Headers, bool) {
        let mut fields: Vec<(String, String)> = Vec::with_capacity(16);
        let mut odd = false;
        for line in bytes.split(|&b| b == b'\n') {
            let line = line.trim_ascii_end();
            if line.is_empty() {
                continue;
            }
            if matches!(line.first(), Some(b' ' | b'\t')) {
                match fields.last_mut() {
                    Some((_, value)) => {
                        if !value.is_empty() {
                            value.push(' ');
                        }
                        value.push_str(&text(line.trim_ascii()));
                    }
                    None => odd = true,
                }
                continue;
            }
            match memchr::memchr(b':', line) {
                Some(colon) if colon > 0 => {
                    let (name, value) = line.split_at(colon);
                    let trimmed = name.trim_ascii();
                    odd |= trimmed.len() != name.len() || !trimmed.iter().all(|b| b.is_ascii_graphic());
                    fields.push((text(trimmed), text(value.get(1..).unwrap_or_default().trim_ascii())));
                }
                _ => {
                    odd = true;
                    if let Some((_, value)) = fields.last_mut() {
                        value.push_str(&text(line.trim_ascii()));
                    }
                }
            }
        }
        (Headers(fields), odd)
    }
}

impl FromIterator<(String, String)> for Headers {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(fields: I) -> Self {
        Headers(fields.into_iter().collect())
    }
}

/// Decodes bytes as UTF-8, or as Latin-1 if they are not valid UTF-8.
pub(crate) fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&b| char::from(b)).collect(),
    }
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

    #[test]
    fn the_answer_is_the_last_message() {
        let page = (Some(200), 1, &b"<p>x"[..]);
        for before in [
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 103 Early Hints\nLink: </a.css>\nContent-Type: text/plain\n\n",
            "HTTP/1.1 100 Continue\r\n",
            "HTTP/1.0 200 Connection established\r\nProxy-Agent: a\r\n\r\n\r\nHTTP/1.1 100 \r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Type: text/HTML\r\n\r\n",
        ] {
            let block = format!("{before}HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x");
            assert_eq!(split(block.as_bytes()), page, "{before}");
        }
        let trace = b"HTTP/1.1 200 OK\nContent-Type: text/plain\n\nHTTP/1.1 200 OK\n\n";
        assert_eq!(split(trace), (Some(200), 1, &b"HTTP/1.1 200 OK\n\n"[..]));
        let about = b"HTTP/1.1 200 OK\n\nHTTP/1.1 is a protocol\n\n";
        assert_eq!(split(about), (Some(200), 0, &b"HTTP/1.1 is a protocol\n\n"[..]));
        assert_eq!(split(b"HTTP/1.1 100 Continue\n\n"), (Some(100), 0, &b""[..]));
    }

    #[test]
    fn of_a_long_head_the_first_fields_are_read() {
        let fields = "Set-Cookie: a=b\r\n".repeat(MAX_FIELDS / 16);
        let block = format!("HTTP/1.1 200 OK\r\nA: b\r\n{fields}C: d\r\n\r\nbody");
        let head = head(block.as_bytes());
        assert!(head.is_cut && head.headers.len() < MAX_FIELDS / 16);
        assert_eq!(head.headers.get("a"), Some("b"));
        assert_eq!(head.headers.get("c"), None);
        assert_eq!(&block[head.length..], "body");
    }

    #[test]
    fn bytes_that_a_body_lacks() {
        let missing = |head: &str| missing_bytes(format!("HTTP/1.1 200 OK\r\n{head}\r\n12345").as_bytes());
        assert_eq!(missing("Content-Length: 5\r\n"), Some(0));
        assert_eq!(missing("Content-Length: 8\r\n"), Some(3));
        assert_eq!(missing("Content-Length: 4\r\n"), None);
        assert_eq!(missing("Content-Length: 8\r\nTransfer-Encoding: chunked\r\n"), None);
        assert_eq!(missing(""), None);
        assert_eq!(missing_bytes(b"Content-Length: 8\r\n\r\n"), None);
    }

    #[test]
    fn folds_and_forgives() {
        let (headers, odd) = Headers::parse(
            b"WARC-Type: response\r\nContent-Length : 12\nX: one\r\n  two\r\n\tthree\r\nlatin: caf\xe9\n",
        );
        assert!(odd);
        assert_eq!(headers.len(), 4);
        assert_eq!(headers.get("warc-type"), Some("response"));
        assert_eq!(headers.get("CONTENT-LENGTH"), Some("12"));
        assert_eq!(headers.get("x"), Some("one two three"));
        assert_eq!(headers.get("latin"), Some("café"));
    }

    #[test]
    fn a_line_without_colon_continues_the_value() {
        let (headers, odd) = Headers::parse(b"Set-Cookie: a=b; path\n=/x\nServer: s\n");
        assert!(odd);
        assert_eq!(headers.get("set-cookie"), Some("a=b; path=/x"));
        assert_eq!(headers.get("server"), Some("s"));
    }

    #[test]
    fn clean_headers_are_not_odd() {
        let (headers, odd) = Headers::parse("A: 1\r\nB: Ü\r\nA: 2\r\n".as_bytes());
        assert!(!odd);
        assert_eq!(headers.get("b"), Some("Ü"));
        assert_eq!(headers.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(headers.iter().next(), Some(("A", "1")));
    }
}
