//! Lexing of tags: where a tag ends, its name and its attributes (HTML standard, 13.2.5).

/// A tag found in the bytes of a page. All positions are indices into the bytes given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawTag {
    /// The `<`.
    pub start: usize,
    /// One past the `>`.
    pub end: usize,
    pub name: (usize, usize),
    /// From the end of the name to the `>`.
    pub attributes: (usize, usize),
    pub is_end: bool,
    pub self_closing: bool,
    /// Whether the `>` stands where an attribute's value was to begin (`<p a=>`).
    pub value_missing: bool,
}

/// What stands at a `<`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    Tag(RawTag),
    /// A doctype, bogus comment or stray `<`; reading goes on at this index.
    Skip(usize),
    /// The bytes end inside the markup.
    Cut,
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// Reads the markup at the `<` at `at`.
pub(crate) fn markup(bytes: &[u8], at: usize) -> Markup {
    let Some(&next) = bytes.get(at + 1) else {
        return Markup::Cut;
    };
    let is_end = next == b'/';
    let name_at = at + 1 + usize::from(is_end);
    match bytes.get(name_at) {
        None => return Markup::Cut,
        Some(c) if c.is_ascii_alphabetic() => {}
        Some(_) if is_end || next == b'!' || next == b'?' => {
            return match memchr::memchr(b'>', bytes.get(at..).unwrap_or_default()) {
                Some(end) => Markup::Skip(at + end + 1),
                None => Markup::Cut,
            };
        }
        Some(_) => return Markup::Skip(at + 1),
    }
    let rest = bytes.get(name_at..).unwrap_or_default();
    let Some(name_len) = rest
        .iter()
        .position(|&b| is_space(b) || b == b'/' || b == b'>')
    else {
        return Markup::Cut;
    };
    let name = (name_at, name_at + name_len);
    let mut attributes = Attributes {
        bytes,
        at: name.1,
        slash: false,
        value_missing: false,
    };
    while attributes.next().is_some() {}
    if bytes.get(attributes.at) != Some(&b'>') {
        return Markup::Cut;
    }
    Markup::Tag(RawTag {
        start: at,
        end: attributes.at + 1,
        name,
        attributes: (name.1, attributes.at),
        is_end,
        self_closing: attributes.slash,
        value_missing: attributes.value_missing,
    })
}

/// The attributes of a tag as (name, value) slices, values without their quotes and undecoded.
/// Stops at the `>` that ends the tag, or at the end of the bytes.
#[derive(Clone, Debug)]
pub(crate) struct Attributes<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether the last byte passed over was a `/` outside of a value.
    slash: bool,
    /// Whether the last attribute was cut at its `=`.
    value_missing: bool,
}

impl<'a> Attributes<'a> {
    /// The attributes in `bytes`, which start right behind a tag's name.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            slash: false,
            value_missing: false,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn slice(&self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.slash = false;
        while let Some(byte) = self.peek().filter(|&b| is_space(b) || b == b'/') {
            self.slash = byte == b'/';
            self.at += 1;
        }
        if self.peek()? == b'>' {
            return None;
        }
        let start = self.at;
        self.at += 1; // a name may start with `=`
        while self
            .peek()
            .is_some_and(|b| !(is_space(b) || matches!(b, b'/' | b'>' | b'=')))
        {
            self.at += 1;
        }
        let name = self.slice(start, self.at);
        self.skip_space();
        if self.peek() != Some(b'=') {
            return Some((name, &[]));
        }
        self.at += 1;
        self.skip_space();
        let value = match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                let from = self.at + 1;
                let rest = self.bytes.get(from..).unwrap_or_default();
                let end = from + memchr::memchr(quote, rest).unwrap_or(rest.len());
                self.at = (end + 1).min(self.bytes.len());
                self.slice(from, end)
            }
            Some(b'>') | None => {
                self.value_missing = true;
                &[]
            }
            Some(_) => {
                let from = self.at;
                while self.peek().is_some_and(|b| !is_space(b) && b != b'>') {
                    self.at += 1;
                }
                self.slice(from, self.at)
            }
        };
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(text: &str) -> Vec<(&str, &str)> {
        Attributes::new(text.as_bytes())
            .map(|(n, v)| {
                (
                    std::str::from_utf8(n).unwrap(),
                    std::str::from_utf8(v).unwrap(),
                )
            })
            .collect()
    }

    #[test]
    fn attributes_in_every_quoting() {
        assert_eq!(
            attributes(" a=1 b='x > y' c=\"q\"d  e = f/g hidden =odd=1 /"),
            [
                ("a", "1"),
                ("b", "x > y"),
                ("c", "q"),
                ("d", ""),
                ("e", "f/g"),
                ("hidden", "odd=1")
            ]
        );
        assert_eq!(attributes(" a=\"open"), [("a", "open")]);
        assert_eq!(attributes(" a=>rest"), [("a", "")]);
        assert_eq!(attributes(" =b=c"), [("=b", "c")]);
    }

    fn tag(text: &str) -> Option<(String, usize, bool, bool)> {
        match markup(text.as_bytes(), 0) {
            Markup::Tag(t) => Some((
                text[t.name.0..t.name.1].to_owned(),
                t.end,
                t.is_end,
                t.self_closing,
            )),
            _ => None,
        }
    }

    #[test]
    fn a_quoted_greater_than_does_not_end_a_tag() {
        assert_eq!(
            tag("<div title='a>b'>x"),
            Some(("div".into(), 17, false, false))
        );
        assert_eq!(tag("</p >"), Some(("p".into(), 5, true, false)));
        assert_eq!(tag("<br/>"), Some(("br".into(), 5, false, true)));
        assert_eq!(tag("<a href=x/>"), Some(("a".into(), 11, false, false)));
    }

    #[test]
    fn what_is_not_a_tag() {
        assert_eq!(markup(b"<!doctype html>x", 0), Markup::Skip(15));
        assert_eq!(markup(b"< p>", 0), Markup::Skip(1));
        assert_eq!(markup(b"</>x", 0), Markup::Skip(3));
        assert_eq!(markup(b"<div class='", 0), Markup::Cut);
        assert_eq!(markup(b"<", 0), Markup::Cut);
    }
}
