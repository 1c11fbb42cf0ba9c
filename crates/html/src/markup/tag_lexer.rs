//! Lexes each tag once, with the attributes that are needed.

use super::byte_masks::MaskWindow;
use super::lex::{AttributeSpans, Attributes, Markup, RawTag, markup_by_masks};
use super::short_name::ShortName;
use super::tag::Tag;
use trommel_text::vectors::Vectors;

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
    /// The key whose name in any case stands between two places; none of a name that nothing is read
    /// from.
    #[inline(always)]
    fn at(bytes: &[u8], place: (usize, usize)) -> Option<Self> {
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

/// By this factor, found by trying many, no two names share a slot.
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
#[derive(Clone, Copy, Debug)]
struct ValuePlace {
    name: Key,
    start: usize,
    end: usize,
}

/// Reads tags; its buffer serves one tag after the other.
#[derive(Debug)]
pub(crate) struct TagLexer {
    places: Vec<ValuePlace>,
    window: MaskWindow,
    /// Bytes of one tag's attributes that are read.
    most: usize,
}

/// A run of text between tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRun {
    /// One past its last byte: the `<` of what follows, or the end.
    pub end: usize,
    /// Whether it is white space throughout (as between attributes).
    pub is_blank: bool,
    /// Whether a `&` stands in it.
    pub has_reference: bool,
}

/// A tag as the builder takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagText<'a> {
    pub tag: Tag,
    pub raw: RawTag,
    /// Whether attributes reach beyond what is read.
    pub cut: bool,
    bytes: &'a [u8],
    places: &'a [ValuePlace],
}

impl TagLexer {
    /// A lexer that reads `most` bytes of one tag's attributes.
    pub fn new(most: usize, vectors: Vectors) -> Self {
        Self { places: Vec::new(), window: MaskWindow::new(vectors), most }
    }

    /// Forgets the bytes it was given before: the next are others.
    pub fn forget(&mut self) {
        self.window.forget();
    }

    /// The text that stands from `at` on, up to the next `<` or the end.
    #[inline(always)]
    pub fn text_run(&mut self, bytes: &[u8], at: usize) -> TextRun {
        // Tags often stand side by side.
        if bytes.get(at) == Some(&b'<') {
            return TextRun { end: at, is_blank: true, has_reference: false };
        }
        // Mostly there is only white space between them.
        let (masks, index) = self.window.masks(bytes, at / 64);
        let text = !masks.space[index] >> (at % 64);
        if text != 0 {
            let end = at + text.trailing_zeros() as usize;
            if bytes.get(end) == Some(&b'<') {
                return TextRun { end, is_blank: true, has_reference: false };
            }
        }
        self.long_run(bytes, at)
    }

    /// The same of text that is more than a few bytes of white space.
    #[inline(never)]
    fn long_run(&mut self, bytes: &[u8], at: usize) -> TextRun {
        let mut run = TextRun { end: bytes.len(), is_blank: true, has_reference: false };
        let mut at = at;
        while at < bytes.len() {
            let (masks, index) = self.window.masks(bytes, at / 64);
            let shift = at % 64;
            let less = masks.less[index] >> shift;
            let mut ahead = u64::MAX >> shift;
            if less != 0 {
                // The bits below the lowest.
                ahead = (less ^ (less - 1)) >> 1;
            } else if bytes.len() - at < 64 - shift {
                ahead &= (1 << (bytes.len() - at)) - 1;
            }
            run.is_blank &= !(masks.space[index] >> shift) & ahead == 0;
            run.has_reference |= (masks.ampersand[index] >> shift) & ahead != 0;
            if less != 0 {
                run.end = at + less.trailing_zeros() as usize;
                break;
            }
            at = (at | 63) + 1;
        }
        run
    }

    /// The place of the name of an end tag whose `</` stands at `at`, with a letter behind it, and the place
    /// behind the tag. None in the rare case that the tag holds more than the name.
    #[inline]
    pub fn plain_end_tag(&mut self, bytes: &[u8], at: usize) -> Option<((usize, usize), usize)> {
        let end = self.window.find(bytes, at + 2, |masks| &masks.name_end);
        (bytes.get(end) == Some(&b'>')).then_some(((at + 2, end), end + 1))
    }

    /// Reads the markup at the `<` at `at`. A tag is then to be had from [`TagLexer::tag`].
    #[inline]
    pub fn markup(&mut self, bytes: &[u8], at: usize) -> Markup {
        let (places, window, most) = (&mut self.places, &mut self.window, self.most);
        places.clear();
        markup_by_masks(bytes, at, window, |start, spans: AttributeSpans| {
            let limit = start.saturating_add(most);
            // Beyond the cap the tag is still read to its end, as a browser does; only its attributes are left out.
            if spans.name.1 <= limit
                && let Some(name) = Key::at(bytes, spans.name)
            {
                places.push(ValuePlace { name, start: spans.value.0.min(limit), end: spans.value.1.min(limit) });
            }
        })
    }

    /// The tag read last.
    // Inlined: otherwise its many parts would be written twice for every tag.
    #[inline(always)]
    pub fn tag<'a>(&'a self, bytes: &'a [u8], raw: RawTag) -> TagText<'a> {
        TagText {
            tag: Tag::at(bytes, raw.name),
            raw,
            // What was not read may have held anything, so the element counts as named.
            cut: raw.attributes.1 - raw.attributes.0 > self.most,
            bytes,
            places: &self.places,
        }
    }
}

impl<'a> TagText<'a> {
    /// The name as it stands.
    pub fn name(&self) -> &'a [u8] {
        self.bytes.get(self.raw.name.0..self.raw.name.1).unwrap_or_default()
    }

    /// Value of the first attribute of that name.
    pub fn value(&self, name: Key) -> Option<&'a [u8]> {
        self.places.iter().find(|place| place.name == name).map(|place| self.slice(place))
    }

    /// Whether it has attributes that are needed.
    pub fn has_attributes(&self) -> bool {
        !self.places.is_empty()
    }

    /// The attributes that are needed, in order.
    pub fn attributes(&self) -> impl Iterator<Item = (Key, &'a [u8])> {
        self.places.iter().map(|place| (place.name, self.slice(place)))
    }

    /// Value of the attribute of that (lower-case) name, whatever it is, its references decoded.
    pub fn other_value(&self, name: &str) -> Option<String> {
        let (start, end) = self.raw.attributes;
        // Lexed again: these attributes are asked for on few elements, and keeping all would slow down every tag.
        let attributes = Attributes::new(self.bytes.get(start..end)?);
        let mut attributes = attributes.filter(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
        let (_, value) = attributes.next()?;
        Some(htmlize::unescape_attribute(String::from_utf8_lossy(value)).into_owned())
    }

    /// The attributes as they stand.
    pub fn attribute_bytes(&self) -> &'a [u8] {
        let (start, end) = self.raw.attributes;
        self.bytes.get(start..end).unwrap_or_default()
    }

    fn slice(&self, place: &ValuePlace) -> &'a [u8] {
        self.bytes.get(place.start..place.end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str, most: usize) -> Vec<(Key, String)> {
        let mut lexer = TagLexer::new(most, Vectors::default());
        let Markup::Tag(raw) = lexer.markup(html.as_bytes(), 0) else {
            panic!("no tag");
        };
        let tag = lexer.tag(html.as_bytes(), raw);
        assert_eq!(tag.cut, raw.attributes.1 - raw.attributes.0 > most);
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
