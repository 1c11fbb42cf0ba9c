//! Lexes each tag once, with the attributes that are needed.

use super::lex::{AttributeSpans, Attributes, Markup, RawTag, markup_with};
use super::short_name::ShortName;
use super::tag::Tag;

/// Name of an attribute that something is read from.
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
    /// `data-mathml`
    Mathml,
    Name,
    Property,
    Rel,
    Role,
    Size,
    Style,
    /// `data-tex`, `data-latex` or `data-math`
    Tex,
    Title,
    Type,
    XmlLang,
}

impl Key {
    /// The bit of the key in a set of them.
    #[inline(always)]
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// The key whose name in any case stands between two places; none of a name that nothing is read
    /// from.
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
        let (known, known_len, key) = KEYS_BY_SLOT[key_slot(name) % KEY_SLOTS];
        // A name may end with bytes of 0, which short ones are filled up with.
        if known == name && usize::from(known_len) == len { key } else { None }
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

/// The keys of at most eight bytes, by their names.
const SHORT_KEYS: [(&[u8], Key); 21] = [
    (b"class", Key::Class),
    (b"color", Key::Color),
    (b"content", Key::Content),
    (b"data-tex", Key::Tex),
    (b"datetime", Key::Datetime),
    (b"encoding", Key::Encoding),
    (b"face", Key::Face),
    (b"hidden", Key::Hidden),
    (b"href", Key::Href),
    (b"id", Key::Id),
    (b"itemprop", Key::Itemprop),
    (b"lang", Key::Lang),
    (b"name", Key::Name),
    (b"property", Key::Property),
    (b"rel", Key::Rel),
    (b"role", Key::Role),
    (b"size", Key::Size),
    (b"style", Key::Style),
    (b"title", Key::Title),
    (b"type", Key::Type),
    (b"xml:lang", Key::XmlLang),
];

/// Slots of the table of names: a power of two, well over twice the number of names.
const KEY_SLOTS: usize = 128;

/// Slot of a name. The factor was found by trial, so that no two names share a slot.
const fn key_slot(name: ShortName) -> usize {
    (name.0.wrapping_mul(0xCECD_E2A7_2010_922D) >> (64 - KEY_SLOTS.trailing_zeros())) as usize
}

/// The short keys and the lengths of their names at the slots of these.
static KEYS_BY_SLOT: [(ShortName, u8, Option<Key>); KEY_SLOTS] = {
    let mut slots = [(ShortName(0), 0, None); KEY_SLOTS];
    let mut at = 0;
    while at < SHORT_KEYS.len() {
        let name = ShortName::of(SHORT_KEYS[at].0);
        // Does not compile where two names share a slot: then another factor is to be found.
        assert!(slots[key_slot(name)].2.is_none());
        slots[key_slot(name)] = (name, SHORT_KEYS[at].0.len() as u8, Some(SHORT_KEYS[at].1));
        at += 1;
    }
    slots
};

/// The place of the value of an attribute, without its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValuePlace {
    pub name: Key,
    pub start: u32,
    pub end: u32,
}

/// No value.
pub(crate) const NO_PLACE: ValuePlace = ValuePlace { name: Key::Id, start: 0, end: 0 };

/// Reads tags in the general way; its buffer serves one tag after the other.
#[derive(Debug)]
pub(crate) struct TagLexer {
    places: Vec<ValuePlace>,
    /// Bytes of one tag's attributes that are read.
    most: usize,
}

/// A run of text between tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRun {
    /// One past its last byte: the `<` of what follows, or the end.
    pub end: usize,
    /// True if it is white space throughout (as between attributes).
    pub is_blank: bool,
    /// True if a `&` stands in it.
    pub has_reference: bool,
}

/// The place of a start tag in a text, and what its name and attributes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagPlace {
    /// The `<`.
    pub start: u32,
    pub name_end: u32,
    /// One past the `>`.
    pub end: u32,
    /// A bit for each [`Key`] that one of its attributes has.
    pub keys: u32,
    pub tag: Tag,
    pub self_closing: bool,
    /// True if the `>` stands where an attribute's value was to begin (`<p a=>`).
    pub value_missing: bool,
    /// True if attributes reach beyond what is read.
    pub cut: bool,
}

/// A start tag as the builder takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagText<'a> {
    pub tag: Tag,
    pub place: TagPlace,
    pub bytes: &'a [u8],
    /// Values of the attributes that are needed, in order.
    pub places: &'a [ValuePlace],
}

impl TagLexer {
    /// A lexer that reads `most` bytes of one tag's attributes.
    pub fn new(most: usize) -> Self {
        Self { places: Vec::new(), most }
    }

    /// Reads the markup at the `<` at `at`. A tag is then to be had from [`TagLexer::place`].
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

    /// The tag read last.
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
    /// The name as it stands.
    pub fn name(&self) -> &'a [u8] {
        self.bytes.get(self.place.start as usize + 1..self.place.name_end as usize).unwrap_or_default()
    }

    /// The number of its bytes.
    pub fn len(&self) -> usize {
        (self.place.end - self.place.start) as usize
    }

    /// Returns whether it has an attribute of that name.
    #[inline]
    pub fn has(&self, name: Key) -> bool {
        self.place.keys & name.bit() != 0
    }

    /// Value of the first attribute of that name.
    #[inline]
    pub fn value(&self, name: Key) -> Option<&'a [u8]> {
        if self.has(name) { self.first_value(name) } else { None }
    }

    fn first_value(&self, name: Key) -> Option<&'a [u8]> {
        self.places.iter().find(|place| place.name == name).map(|place| self.slice(place))
    }

    /// The attributes that are needed, in order.
    pub fn attributes(&self) -> impl Iterator<Item = (Key, &'a [u8])> {
        self.places.iter().map(|place| (place.name, self.slice(place)))
    }

    /// Value of the attribute of that (lower-case) name, whatever it is, its references decoded.
    pub fn other_value(&self, name: &str) -> Option<String> {
        // Lexed again: these attributes are asked for on few elements, and keeping all would slow down every tag.
        let attributes = Attributes::new(self.attribute_bytes());
        let mut attributes = attributes.filter(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
        let (_, value) = attributes.next()?;
        Some(htmlize::unescape_attribute(String::from_utf8_lossy(value)).into_owned())
    }

    /// The attributes as they stand.
    pub fn attribute_bytes(&self) -> &'a [u8] {
        self.bytes.get(self.place.name_end as usize..self.place.end as usize - 1).unwrap_or_default()
    }

    fn slice(&self, place: &ValuePlace) -> &'a [u8] {
        self.bytes.get(place.start as usize..place.end as usize).unwrap_or_default()
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
}
