//! Tags with the attributes that are needed, each lexed once.

use super::lex::{AttributeSpans, Markup, RawTag, markup_with};
use super::short_name::ShortName;
use super::tag::Tag;

/// Name of an attribute that something is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    Name,
    Property,
    Rel,
    Role,
    Size,
    Style,
    Title,
    Type,
    XmlLang,
}

impl Key {
    /// The key whose name in any case stands between two places; none of a name that nothing is read
    /// from. Told apart by length first.
    fn at(bytes: &[u8], place: (usize, usize)) -> Option<Self> {
        use Key::*;
        let Some(name) = ShortName::at(bytes, place) else {
            let long = bytes.get(place.0..place.1).unwrap_or_default();
            return match long.len() {
                10 if long.eq_ignore_ascii_case(b"http-equiv") => Some(HttpEquiv),
                11 if long.eq_ignore_ascii_case(b"aria-hidden") => Some(AriaHidden),
                _ => None,
            };
        };
        const fn short<const N: usize>(known: [(&[u8], Key); N]) -> [(ShortName, Key); N] {
            let mut short = [(ShortName(0), Id); N];
            let mut at = 0;
            while at < N {
                short[at] = (ShortName::of(known[at].0), known[at].1);
                at += 1;
            }
            short
        }
        const TWO: [(ShortName, Key); 1] = short([(b"id", Id)]);
        const THREE: [(ShortName, Key); 1] = short([(b"rel", Rel)]);
        const FOUR: [(ShortName, Key); 7] = short([
            (b"href", Href),
            (b"name", Name),
            (b"type", Type),
            (b"role", Role),
            (b"lang", Lang),
            (b"size", Size),
            (b"face", Face),
        ]);
        const FIVE: [(ShortName, Key); 4] = short([
            (b"class", Class),
            (b"style", Style),
            (b"title", Title),
            (b"color", Color),
        ]);
        const SIX: [(ShortName, Key); 1] = short([(b"hidden", Hidden)]);
        const SEVEN: [(ShortName, Key); 1] = short([(b"content", Content)]);
        const EIGHT: [(ShortName, Key); 5] = short([
            (b"property", Property),
            (b"itemprop", Itemprop),
            (b"datetime", Datetime),
            (b"encoding", Encoding),
            (b"xml:lang", XmlLang),
        ]);
        let known: &[(ShortName, Key)] = match place.1 - place.0 {
            2 => &TWO,
            3 => &THREE,
            4 => &FOUR,
            5 => &FIVE,
            6 => &SIX,
            7 => &SEVEN,
            8 => &EIGHT,
            _ => &[],
        };
        let found = known.iter().find(|(known, _)| *known == name);
        found.map(|(_, key)| *key)
    }
}

/// Where the value of an attribute stands, without its quotes.
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
    /// Bytes of one tag's attributes that are read.
    most: usize,
}

/// A tag as the builder takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagText<'a> {
    pub tag: Tag,
    /// As it stands.
    pub name: &'a [u8],
    pub raw: RawTag,
    /// Whether attributes reach beyond what is read.
    pub cut: bool,
    bytes: &'a [u8],
    places: &'a [ValuePlace],
}

impl TagLexer {
    /// A lexer that reads `most` bytes of one tag's attributes.
    pub fn new(most: usize) -> Self {
        Self {
            places: Vec::new(),
            most,
        }
    }

    /// Reads the markup at the `<` at `at`. A tag is then to be had from [`TagLexer::tag`].
    #[inline]
    pub fn markup(&mut self, bytes: &[u8], at: usize) -> Markup {
        let (places, most) = (&mut self.places, self.most);
        places.clear();
        markup_with(bytes, at, |start, spans: AttributeSpans| {
            let limit = start.saturating_add(most);
            if spans.name.1 <= limit
                && let Some(name) = Key::at(bytes, spans.name)
            {
                places.push(ValuePlace {
                    name,
                    start: spans.value.0.min(limit),
                    end: spans.value.1.min(limit),
                });
            }
        })
    }

    /// The tag read last.
    pub fn tag<'a>(&'a self, bytes: &'a [u8], raw: RawTag) -> TagText<'a> {
        let name = bytes.get(raw.name.0..raw.name.1).unwrap_or_default();
        TagText {
            tag: Tag::at(bytes, raw.name),
            name,
            raw,
            cut: raw.attributes.1 - raw.attributes.0 > self.most,
            bytes,
            places: &self.places,
        }
    }
}

impl<'a> TagText<'a> {
    /// Value of the first attribute of that name.
    pub fn value(&self, name: Key) -> Option<&'a [u8]> {
        self.places
            .iter()
            .find(|place| place.name == name)
            .map(|place| self.slice(place))
    }

    /// The attributes that are needed, in order.
    pub fn attributes(&self) -> impl Iterator<Item = (Key, &'a [u8])> {
        self.places
            .iter()
            .map(|place| (place.name, self.slice(place)))
    }

    fn slice(&self, place: &ValuePlace) -> &'a [u8] {
        self.bytes.get(place.start..place.end).unwrap_or_default()
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
        assert_eq!(tag.cut, raw.attributes.1 - raw.attributes.0 > most);
        tag.attributes()
            .map(|(name, value)| (name, String::from_utf8_lossy(value).into_owned()))
            .collect()
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
