//! Tags with the attributes that are needed, each lexed once.

use crate::lex::{Markup, RawTag, Spans, markup_with};
use crate::tag::Tag;

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
    /// The name in any case; none of a name that nothing is read from. Told apart by length first.
    fn of(name: &[u8]) -> Option<Self> {
        use Key::*;
        let among = |known: &[(&str, Key)]| {
            known
                .iter()
                .find(|(text, _)| name.eq_ignore_ascii_case(text.as_bytes()))
                .map(|(_, name)| *name)
        };
        match name.len() {
            2 => among(&[("id", Id)]),
            3 => among(&[("rel", Rel)]),
            4 => among(&[
                ("href", Href),
                ("name", Name),
                ("type", Type),
                ("role", Role),
                ("lang", Lang),
                ("size", Size),
                ("face", Face),
            ]),
            5 => among(&[
                ("class", Class),
                ("style", Style),
                ("title", Title),
                ("color", Color),
            ]),
            6 => among(&[("hidden", Hidden)]),
            7 => among(&[("content", Content)]),
            8 => among(&[
                ("property", Property),
                ("itemprop", Itemprop),
                ("datetime", Datetime),
                ("encoding", Encoding),
                ("xml:lang", XmlLang),
            ]),
            10 => among(&[("http-equiv", HttpEquiv)]),
            11 => among(&[("aria-hidden", AriaHidden)]),
            _ => None,
        }
    }
}

/// Where the value of an attribute stands, without its quotes.
#[derive(Clone, Copy, Debug)]
struct Place {
    name: Key,
    start: usize,
    end: usize,
}

/// Reads tags; its buffer serves one tag after the other.
#[derive(Debug)]
pub(crate) struct TagLexer {
    places: Vec<Place>,
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
    places: &'a [Place],
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
    pub fn markup(&mut self, bytes: &[u8], at: usize) -> Markup {
        let (places, most) = (&mut self.places, self.most);
        places.clear();
        markup_with(bytes, at, |start, spans: Spans| {
            let limit = start.saturating_add(most);
            if spans.name.1 <= limit
                && let Some(name) = bytes.get(spans.name.0..spans.name.1).and_then(Key::of)
            {
                places.push(Place {
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
            tag: Tag::from_name(name),
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

    fn slice(&self, place: &Place) -> &'a [u8] {
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
