//! Lexes tags of any form: the end of a tag, its name and its attributes (HTML standard, 13.2.5).
//!
//! Each tag is lexed once, with the attributes that are needed.

use super::tag::{NameTable, ShortName, Tag};

pub(crate) use super::tag::{Markup, RawTag};

/// Name of an attribute whose value is read when a page is parsed; other attributes are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Key {
    AriaHidden,
    Class,
    Color,
    Content,
    Datetime,
    Encoding,
    Face,
    Hidden,
    Href,
    HttpEquiv,
    Id,
    Itemprop,
    Lang,
    /// Attribute `data-mathml`.
    Mathml,
    Name,
    Property,
    Rel,
    Role,
    Size,
    Style,
    /// Attribute `data-tex`, `data-latex` or `data-math`.
    Tex,
    Title,
    Type,
    XmlLang,
}

impl Key {
    /// Returns the bit that stands for this attribute name in a bit set of names.
    #[inline(always)]
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// Returns the attribute name in the given byte range of `bytes`, in any case; `None` if it is one that is ignored.
    #[inline(always)]
    pub fn at(bytes: &[u8], place: (usize, usize)) -> Option<Self> {
        let len = place.1 - place.0;
        let Some(name) = ShortName::at(bytes, place) else {
            // Most long names are those of data.
            return match len {
                // The lengths of the five long names that are wanted; 41 % of attributes have names that nobody asks
                // for.
                9..=11 => Self::at_long(bytes, place),
                _ => None,
            };
        };
        SHORT_KEYS.get(name, len)
    }

    #[inline(never)]
    fn at_long(bytes: &[u8], place: (usize, usize)) -> Option<Self> {
        let long = bytes.get(place.0..place.1).unwrap_or_default();
        match long.len() {
            9 if long.eq_ignore_ascii_case(b"data-math") => Some(Key::Tex),
            10 if long.eq_ignore_ascii_case(b"data-latex") => Some(Key::Tex),
            10 if long.eq_ignore_ascii_case(b"http-equiv") => Some(Key::HttpEquiv),
            11 if long.eq_ignore_ascii_case(b"data-mathml") => Some(Key::Mathml),
            11 if long.eq_ignore_ascii_case(b"aria-hidden") => Some(Key::AriaHidden),
            _ => None,
        }
    }
}

/// Hash table of the attribute names of at most eight bytes. The factor was found by trial.
static SHORT_KEYS: NameTable<Option<Key>, 128, 0xCECD_E2A7_2010_922D> = NameTable::new(
    &[
        ("class", Some(Key::Class)),
        ("color", Some(Key::Color)),
        ("content", Some(Key::Content)),
        ("data-tex", Some(Key::Tex)),
        ("datetime", Some(Key::Datetime)),
        ("encoding", Some(Key::Encoding)),
        ("face", Some(Key::Face)),
        ("hidden", Some(Key::Hidden)),
        ("href", Some(Key::Href)),
        ("id", Some(Key::Id)),
        ("itemprop", Some(Key::Itemprop)),
        ("lang", Some(Key::Lang)),
        ("name", Some(Key::Name)),
        ("property", Some(Key::Property)),
        ("rel", Some(Key::Rel)),
        ("role", Some(Key::Role)),
        ("size", Some(Key::Size)),
        ("style", Some(Key::Style)),
        ("title", Some(Key::Title)),
        ("type", Some(Key::Type)),
        ("xml:lang", Some(Key::XmlLang)),
    ],
    None,
);

/// Attribute in a tag: its name, and the byte range of its value without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValuePlace {
    pub name: Key,
    pub start: u32,
    pub end: u32,
}

/// Placeholder for the position of an attribute value, which fills unused entries of a buffer.
pub(crate) const NO_PLACE: ValuePlace = ValuePlace { name: Key::Id, start: 0, end: 0 };

/// Lexer that can read tags of any form; it reuses its buffer from tag to tag.
#[derive(Debug)]
pub(crate) struct TagLexer {
    places: Vec<ValuePlace>,
    /// Maximum number of bytes of one tag's attributes that are read.
    most: usize,
}

/// Run of text between two tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRun {
    /// Byte offset after the run: that of the next `<`, or the end of the page.
    pub end: usize,
    /// True if the run is white space throughout (space, tab, line feed, carriage return, form feed).
    pub is_blank: bool,
    /// True if the run contains a `&`.
    pub has_reference: bool,
}

/// Start tag in brief: its byte range in the page, its tag, and the set of its attributes that are not ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagPlace {
    /// Byte offset of the tag's `<`.
    pub start: u32,
    pub name_end: u32,
    /// Byte offset after the tag's `>`.
    pub end: u32,
    /// Bit set of the attribute names ([`Key`]) that the tag has.
    pub keys: u32,
    pub tag: Tag,
    pub self_closing: bool,
    /// True if the tag ends directly after the `=` of an attribute, so that the value is missing (`<p a=>`).
    pub value_missing: bool,
    /// True if the attributes of the tag are too long, so that only their first bytes were read.
    pub cut: bool,
}

/// Start tag with its bytes and the values of its attributes, as the lexers give it to the builder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagText<'a> {
    pub tag: Tag,
    pub place: TagPlace,
    pub bytes: &'a [u8],
    /// Names and value positions of the tag's attributes that are not ignored, in the order of the tag.
    pub places: &'a [ValuePlace],
}

impl TagLexer {
    /// Creates a lexer that reads at most `most` bytes of the attributes of each tag.
    pub fn new(most: usize) -> Self {
        Self { places: Vec::new(), most }
    }

    /// Reads the markup whose `<` is at byte `at`. If it is a tag, [`TagLexer::tag`] then returns it.
    pub fn markup(&mut self, bytes: &[u8], at: usize) -> Markup {
        let (places, most) = (&mut self.places, self.most);
        places.clear();
        markup_with(bytes, at, |start, spans: AttributeSpans| {
            let limit = start.saturating_add(most);
            // Beyond the cap the tag is still read to its end, as a browser does; only its attributes are left out.
            if spans.name.1 <= limit
                && let Some(name) = Key::at(bytes, spans.name)
            {
                places.push(ValuePlace {
                    name,
                    start: spans.value.0.min(limit) as u32,
                    end: spans.value.1.min(limit) as u32,
                });
            }
        })
    }

    /// Returns the start tag that [`TagLexer::markup`] read last.
    pub fn tag<'a>(&'a self, bytes: &'a [u8], raw: RawTag) -> TagText<'a> {
        let place = TagPlace {
            start: raw.start as u32,
            name_end: raw.name.1 as u32,
            end: raw.end as u32,
            keys: self.places.iter().fold(0, |keys, place| keys | place.name.bit()),
            tag: Tag::at(bytes, raw.name),
            self_closing: raw.self_closing,
            value_missing: raw.value_missing,
            // What was not read may have held anything, so the element counts as named.
            cut: raw.attributes.1 - raw.attributes.0 > self.most,
        };
        TagText { tag: place.tag, place, bytes, places: &self.places }
    }
}

impl<'a> TagText<'a> {
    /// Returns the tag's name as it is written.
    pub fn name(&self) -> &'a [u8] {
        self.bytes.get(self.place.start as usize + 1..self.place.name_end as usize).unwrap_or_default()
    }

    /// Returns the length of the tag in bytes.
    pub fn len(&self) -> usize {
        (self.place.end - self.place.start) as usize
    }

    /// Returns whether the tag has an attribute with the name `name`.
    #[inline]
    pub fn has(&self, name: Key) -> bool {
        self.place.keys & name.bit() != 0
    }

    /// Returns the value of the tag's first attribute with the name `name`, with character references not decoded.
    #[inline]
    pub fn value(&self, name: Key) -> Option<&'a [u8]> {
        if self.has(name) { self.first_value(name) } else { None }
    }

    fn first_value(&self, name: Key) -> Option<&'a [u8]> {
        self.places.iter().find(|place| place.name == name).map(|place| self.slice(place))
    }

    /// Iterates over the class names in the tag's `class` attribute.
    pub fn classes(&self) -> impl Iterator<Item = &'a [u8]> {
        self.value(Key::Class).unwrap_or_default().split(u8::is_ascii_whitespace)
    }

    /// Returns whether the tag's `class` attribute has the class name `wanted`.
    pub fn has_class(&self, wanted: &[u8]) -> bool {
        self.classes().any(|name| name == wanted)
    }

    /// Iterates over the tag's attributes that are not ignored, in order, as pairs of name and value.
    pub fn attributes(&self) -> impl Iterator<Item = (Key, &'a [u8])> {
        self.places.iter().map(|place| (place.name, self.slice(place)))
    }

    /// Returns the decoded value of the attribute with the lower-case name `name`, also of attributes that the parser
    /// ignores.
    pub fn other_value(&self, name: &str) -> Option<String> {
        // Lexed again: these attributes are asked for on few elements, and keeping all would slow down every tag.
        let attributes = Attributes::new(self.attribute_bytes());
        let mut attributes = attributes.filter(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
        let (_, value) = attributes.next()?;
        Some(htmlize::unescape_attribute(String::from_utf8_lossy(value)).into_owned())
    }

    /// Returns the bytes of the tag's attributes as they are written.
    pub fn attribute_bytes(&self) -> &'a [u8] {
        self.bytes.get(self.place.name_end as usize..self.place.end as usize - 1).unwrap_or_default()
    }

    fn slice(&self, place: &ValuePlace) -> &'a [u8] {
        self.bytes.get(place.start as usize..place.end as usize).unwrap_or_default()
    }
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// Byte ranges of an attribute's name and of its value without quotes, each as its first byte and one past its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AttributeSpans {
    pub name: (usize, usize),
    pub value: (usize, usize),
}

/// Class of each byte by its role in a tag: white space 1, `/` 2, `>` 4, `=` 8, all others 0.
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

/// Returns the index of the first byte from `at` on whose class is in `mask`, or the length of `bytes`.
fn find_class(bytes: &[u8], at: usize, mask: u8) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let len = rest.iter().position(|&byte| CLASS[byte as usize] & mask != 0);
    at + len.unwrap_or(rest.len())
}

/// Reads the markup whose `<` is at byte `at`: a tag, other markup, or a part that is cut off.
pub(crate) fn markup(bytes: &[u8], at: usize) -> Markup {
    markup_with(bytes, at, |_, _| {})
}

/// Reads markup like [`markup`], and passes the end of the tag's name and the byte ranges of each attribute to `note`.
pub(super) fn markup_with(bytes: &[u8], at: usize, mut note: impl FnMut(usize, AttributeSpans)) -> Markup {
    let (name_at, is_end) = match name_start(bytes, at) {
        Ok(start) => start,
        Err(other) => return other,
    };
    let name = (name_at, find_class(bytes, name_at, 7));
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

/// Returns the index at which the name of the tag at byte `at` begins, and true if it is an end tag. If there is no
/// tag, the error is the other markup that begins there, such as a comment.
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

/// Iterator over the attributes of a tag as pairs of name and value, undecoded and without quotes.
/// Stops at the `>` that ends the tag, or at the end of the bytes.
#[derive(Clone, Debug)]
pub(crate) struct Attributes<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
    /// True if the byte before the current position is a `/` outside of an attribute value.
    pub(super) slash: bool,
    /// True if the latest attribute has a `=` without a value, as in `<p a=>`.
    pub(super) value_missing: bool,
    /// True if the latest attribute value has no closing quote.
    pub(super) open_quote: bool,
}

impl<'a> Attributes<'a> {
    /// Creates an iterator over the attributes in `bytes`, which start directly after a tag's name.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::from(bytes, 0)
    }

    /// Creates an iterator over the attributes in `bytes` from byte `at`, directly after the tag's name or an
    /// attribute.
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

    /// Returns the byte ranges of the next attribute; `None` at the end of the tag.
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
        self.at = find_class(self.bytes, start + 1, 15);
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

    fn read(html: &str, most: usize) -> Vec<(Key, String)> {
        let mut lexer = TagLexer::new(most);
        let Markup::Tag(raw) = lexer.markup(html.as_bytes(), 0) else {
            panic!("no tag");
        };
        let tag = lexer.tag(html.as_bytes(), raw);
        assert_eq!(tag.place.cut, raw.attributes.1 - raw.attributes.0 > most);
        tag.attributes().map(|(name, value)| (name, String::from_utf8_lossy(value).into_owned())).collect()
    }

    #[test]
    fn needed_attributes_are_kept_in_order() {
        assert_eq!(
            read("<p CLASS=a x=y id='b c' class=d hidden>", 100),
            [
                (Key::Class, "a".to_owned()),
                (Key::Id, "b c".to_owned()),
                (Key::Class, "d".to_owned()),
                (Key::Hidden, String::new())
            ]
        );
    }

    #[test]
    fn attributes_beyond_the_cap_are_not_read() {
        let html = "<p class=abcdef id=x>";
        assert_eq!(read(html, 10), [(Key::Class, "abc".to_owned())]);
        assert!(read(html, 5).is_empty());
    }

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
    fn what_is_not_a_tag() {
        assert_eq!(markup(b"<!doctype html>x", 0), Markup::Skip(15));
        assert_eq!(markup(b"< p>", 0), Markup::Skip(1));
        assert_eq!(markup(b"</>x", 0), Markup::Skip(3));
        assert_eq!(markup(b"<div class='", 0), Markup::Cut { quoted: true });
        assert_eq!(markup(b"<p a", 0), Markup::Cut { quoted: false });
    }
}
