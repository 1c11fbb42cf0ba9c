//! The named fields of a WARC record or an HTTP message, read leniently.

/// Named fields in their order. Names are compared without regard to case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// No field.
    pub fn new() -> Self {
        Self::default()
    }

    /// Value of the first field of this name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Values of all fields of this name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.0.iter().filter(move |(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// All fields as (name, value), in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a field at the end.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }

    /// Reads field lines (without the version or status line). Lines end in LF or CRLF. A line that
    /// begins with a blank continues the value before it. Bytes that are not UTF-8 are read as
    /// Latin-1, a field at a time. The second value tells whether a line broke the grammar.
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

/// UTF-8 if it is, else Latin-1.
pub(crate) fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&b| char::from(b)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
