//! Lexes tags: the end of a tag, its name and its attributes (HTML standard, 13.2.5).

/// A tag found in the bytes of a page. All positions are indices into the bytes given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawTag {
    /// The `<`.
    pub start: usize,
    /// One past the `>`.
    pub end: usize,
    pub name: (usize, usize),
    /// Range of the attributes, from the end of the name to the `>`.
    pub attributes: (usize, usize),
    pub is_end: bool,
    pub self_closing: bool,
    /// True if the `>` stands where an attribute's value was to begin (`<p a=>`).
    pub value_missing: bool,
}

/// The kind of markup at a `<`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    Tag(RawTag),
    /// A doctype, bogus comment or stray `<`; reading goes on at this index.
    Skip(usize),
    /// The bytes end inside the markup; `quoted` tells whether inside a quoted value.
    Cut {
        quoted: bool,
    },
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// The place of an attribute: its name, and its value without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AttributeSpans {
    pub name: (usize, usize),
    pub value: (usize, usize),
}

/// The class of each byte in a tag: white space 1, `/` 2, `>` 4, `=` 8.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    class[b' ' as usize] = 1;
    class[b'\t' as usize] = 1;
    class[b'\n' as usize] = 1;
    class[b'\r' as usize] = 1;
    class[0x0C] = 1;
    class[b'/' as usize] = 2;
    class[b'>' as usize] = 4;
    class[b'=' as usize] = 8;
    class
};

/// Index of the first byte from `at` on that is of a class in `mask`, or the length.
fn find_class(bytes: &[u8], at: usize, mask: u8) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let len = rest.iter().position(|&byte| CLASS[byte as usize] & mask != 0);
    at + len.unwrap_or(rest.len())
}

/// Like [`find_class`], for names. Most end within eight bytes. These are examined in one step, because a
/// processor cannot predict the end of a loop over them.
#[inline]
fn name_end(bytes: &[u8], at: usize, mask: u8) -> usize {
    let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) else {
        return find_class(bytes, at, mask);
    };
    let stops = stops(u64::from_le_bytes(*eight));
    if stops == 0 {
        return find_class(bytes, at + 8, mask);
    }
    let place = stops.trailing_zeros() as usize / 8;
    // The quick test takes control characters for ends as well; the table decides.
    let found = eight.get(place).copied().unwrap_or_default();
    if CLASS[usize::from(found)] & mask != 0 {
        return at + place;
    }
    find_class(bytes, at + place + 1, mask)
}

/// Sets the highest bit of each byte that may be of a [`CLASS`], and of no byte before the first such;
/// control characters may be of none.
fn stops(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    const LOW: u64 = 0x7F * ONES;
    let low = bytes & LOW;
    let is_beyond = |least: u8| low + u64::from(0x80 - least) * ONES;
    let differs = |from: u8| (low ^ (u64::from(from) * ONES)) + LOW;
    let goes_on = is_beyond(b'!') & differs(b'/') & differs(b'>') & differs(b'=');
    !(goes_on | bytes) & HIGH
}

/// Reads the markup at the `<` at `at`.
pub(crate) fn markup(bytes: &[u8], at: usize) -> Markup {
    markup_with(bytes, at, |_, _| {})
}

/// Like [`markup`], and gives the end of the tag's name and the place of each attribute to `note`.
pub(super) fn markup_with(bytes: &[u8], at: usize, mut note: impl FnMut(usize, AttributeSpans)) -> Markup {
    let (name_at, is_end) = match name_start(bytes, at) {
        Ok(start) => start,
        Err(other) => return other,
    };
    let name = (name_at, name_end(bytes, name_at, 7));
    let mut attributes = Attributes::from(bytes, name.1);
    while let Some(spans) = attributes.next_spans() {
        note(name.1, spans);
    }
    if bytes.get(attributes.at) != Some(&b'>') {
        return Markup::Cut { quoted: attributes.open_quote };
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

/// The beginning of the name of the tag at the `<` at `at`, and whether it is an end tag; else the other
/// markup there.
fn name_start(bytes: &[u8], at: usize) -> Result<(usize, bool), Markup> {
    let Some(&next) = bytes.get(at + 1) else { return Err(Markup::Cut { quoted: false }) };
    let is_end = next == b'/';
    let name_at = at + 1 + usize::from(is_end);
    match bytes.get(name_at) {
        None => Err(Markup::Cut { quoted: false }),
        Some(c) if c.is_ascii_alphabetic() => Ok((name_at, is_end)),
        // The standard calls `</3`, `<!x` and `<?x` bogus comments, which end at the first `>`.
        Some(_) if is_end || next == b'!' || next == b'?' => {
            match memchr::memchr(b'>', bytes.get(at..).unwrap_or_default()) {
                Some(end) => Err(Markup::Skip(at + end + 1)),
                None => Err(Markup::Cut { quoted: false }),
            }
        }
        // `a < b`: a sign of the text.
        Some(_) => Err(Markup::Skip(at + 1)),
    }
}

/// The attributes of a tag as (name, value) slices, values without their quotes and undecoded.
/// Stops at the `>` that ends the tag, or at the end of the bytes.
#[derive(Clone, Debug)]
pub(crate) struct Attributes<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
    /// True if the last byte passed over was a `/` outside of a value.
    pub(super) slash: bool,
    /// True if the last attribute was cut at its `=`.
    pub(super) value_missing: bool,
    /// True if the last value was cut before its closing quote.
    pub(super) open_quote: bool,
}

impl<'a> Attributes<'a> {
    /// The attributes in `bytes`, which start directly after a tag's name.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::from(bytes, 0)
    }

    /// Iterates over the attributes from a place directly after a tag's name or an attribute.
    pub(super) fn from(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, slash: false, value_missing: false, open_quote: false }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// The place of the next attribute.
    // Not inlined into the loop over tags, where few attributes are read so.
    #[inline(never)]
    pub(super) fn next_spans(&mut self) -> Option<AttributeSpans> {
        self.slash = false;
        while let Some(byte) = self.peek().filter(|&b| CLASS[b as usize] & 3 != 0) {
            self.slash = byte == b'/';
            self.at += 1;
        }
        if self.peek()? == b'>' {
            return None;
        }
        let start = self.at;
        // A name may start with `=`.
        self.at = name_end(self.bytes, start + 1, 15);
        let name = (start, self.at);
        self.skip_space();
        if self.peek() != Some(b'=') {
            return Some(AttributeSpans { name, value: (name.1, name.1) });
        }
        self.at += 1;
        self.skip_space();
        let value = match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                let from = self.at + 1;
                let rest = self.bytes.get(from..).unwrap_or_default();
                let end = memchr::memchr(quote, rest);
                self.open_quote = end.is_none();
                let end = from + end.unwrap_or(rest.len());
                self.at = (end + 1).min(self.bytes.len());
                (from, end)
            }
            Some(b'>') | None => {
                self.value_missing = true;
                (self.at, self.at)
            }
            Some(_) => {
                let from = self.at;
                self.at = find_class(self.bytes, from, 5);
                (from, self.at)
            }
        };
        Some(AttributeSpans { name, value })
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let spans = self.next_spans()?;
        let slice = |(start, end)| self.bytes.get(start..end).unwrap_or_default();
        Some((slice(spans.name), slice(spans.value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(text: &str) -> Vec<(&str, &str)> {
        Attributes::new(text.as_bytes())
            .map(|(n, v)| (std::str::from_utf8(n).unwrap(), std::str::from_utf8(v).unwrap()))
            .collect()
    }

    #[test]
    fn attributes_in_every_quoting() {
        assert_eq!(
            attributes(" a=1 b='x > y' c=\"q\"d  e = f/g hidden =odd=1 /"),
            [("a", "1"), ("b", "x > y"), ("c", "q"), ("d", ""), ("e", "f/g"), ("hidden", "odd=1")]
        );
        assert_eq!(attributes(" a=\"open"), [("a", "open")]);
        assert_eq!(attributes(" a=>rest"), [("a", "")]);
        assert_eq!(attributes(" =b=c"), [("=b", "c")]);
    }

    fn tag(text: &str) -> Option<(String, usize, bool, bool)> {
        match markup(text.as_bytes(), 0) {
            Markup::Tag(t) => Some((text[t.name.0..t.name.1].to_owned(), t.end, t.is_end, t.self_closing)),
            _ => None,
        }
    }

    #[test]
    fn a_quoted_greater_than_does_not_end_a_tag() {
        assert_eq!(tag("<div title='a>b'>x"), Some(("div".into(), 17, false, false)));
        assert_eq!(tag("</p >"), Some(("p".into(), 5, true, false)));
        assert_eq!(tag("<br/>"), Some(("br".into(), 5, false, true)));
        assert_eq!(tag("<a href=x/>"), Some(("a".into(), 11, false, false)));
    }

    #[test]
    fn the_end_of_a_name_is_found_in_one_step_as_in_a_loop() {
        for byte in 0..=255u8 {
            for length in 0..12 {
                let mut bytes = vec![b'n'; length];
                bytes.push(byte);
                bytes.extend_from_slice(b"a\xC3\x01b= />x");
                for mask in [7, 15] {
                    let expected = find_class(&bytes, 0, mask);
                    assert_eq!(name_end(&bytes, 0, mask), expected, "{byte} at {length}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_a_tag() {
        assert_eq!(markup(b"<!doctype html>x", 0), Markup::Skip(15));
        assert_eq!(markup(b"< p>", 0), Markup::Skip(1));
        assert_eq!(markup(b"</>x", 0), Markup::Skip(3));
        assert_eq!(markup(b"<div class='", 0), Markup::Cut { quoted: true });
        assert_eq!(markup(b"<p a", 0), Markup::Cut { quoted: false });
    }
}
