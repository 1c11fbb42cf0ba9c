//! Reads an element again at its start tag: its text, and attributes that the tables do not hold.

use super::pieces::{Piece, Pieces, TagPiece, part};
use crate::markup::strip_markup;
use crate::page::Element;

impl Element {
    /// Value of the element's first attribute of that (lower-case) name, its character references
    /// decoded. `html` is the decoded page that the element was read from; another text gives `None`
    /// or the attribute of another element.
    pub fn attribute(&self, html: &str, name: &str) -> Option<String> {
        self.first_attribute(html, &[name])
    }

    /// Like [`Element::attribute`], of the first of some names that the element has.
    pub fn first_attribute(&self, html: &str, names: &[&str]) -> Option<String> {
        // Tables and text could be of different pages; then no tag stands there.
        let tag = TagPiece::at(html, self.start as usize)?;
        let mut found: Option<&[u8]> = None;
        let mut wanted = names;
        for (key, value) in tag.attributes() {
            // From here on only an attribute named before this one replaces it.
            if let Some(at) = wanted.iter().position(|name| key.eq_ignore_ascii_case(name.as_bytes())) {
                found = Some(value);
                wanted = wanted.get(..at).unwrap_or_default();
            }
            if wanted.is_empty() {
                break;
            }
        }
        let value = found?;
        Some(htmlize::unescape_attribute(String::from_utf8_lossy(value)).into_owned())
    }

    /// First byte behind the element's start tag in the decoded page that it was read from.
    pub fn start_tag_end(&self, html: &str) -> Option<u32> {
        u32::try_from(TagPiece::at(html, self.start as usize)?.raw.end).ok()
    }
}

/// Plain text ([`strip_markup`]) of the element whose start tag stands at byte `start` of a decoded page: up
/// to its end tag, or as far as it reaches within `max_bytes` bytes. Empty where no element with content
/// stands.
pub fn element_text(html: &str, start: u32, max_bytes: usize) -> String {
    let rest = part(html, start, max_bytes).unwrap_or_default();
    let first = TagPiece::at(rest, 0).filter(|first| !first.raw.is_end && !first.tag.is_void());
    let Some(first) = first else { return String::new() };
    let mut depth = 1u32;
    let end = Pieces::new(rest, first.raw.end).find_map(|piece| match piece {
        Piece::Tag(found) if found.is_like(first.name) => {
            depth = if found.raw.is_end { depth - 1 } else { depth + 1 };
            (depth == 0).then_some(found.raw.start)
        }
        Piece::Cut(at) => Some(at),
        _ => None,
    });
    let end = end.unwrap_or(rest.len());
    strip_markup(rest.get(first.raw.end..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::element_text;
    use crate::{Engine, Limits, LolEngine};

    #[test]
    fn the_first_named_attribute_is_found_and_not_the_first_written() {
        let html = "<p b=1 c=2 b=3 a>x";
        let page = LolEngine.read(html, &Limits::default());
        for (names, value) in [(&["c", "b"][..], "2"), (&["b", "c"], "1"), (&["d", "a", "b"], "")] {
            assert_eq!(page.elements[0].first_attribute(html, names).as_deref(), Some(value), "{names:?}");
        }
        assert_eq!(page.elements[0].first_attribute(html, &["d"]), None);
    }

    #[test]
    fn attributes_are_found_at_their_element() {
        let html = "é<p title='a>b'><A HREF=\"?x=1&amp;y\" href=2>t</a>\
                    <noscript><ol start = 7><li>i</ol></noscript>";
        let page = LolEngine.read(html, &Limits::default());
        let read = |name: &str, key: &str| {
            let element = page.elements.iter().find(|e| page.name(e) == name).unwrap();
            element.attribute(html, key)
        };
        assert_eq!(read("p", "title").as_deref(), Some("a>b"));
        assert_eq!(read("a", "href").as_deref(), Some("?x=1&y"));
        assert_eq!(read("ol", "start").as_deref(), Some("7"));
        assert_eq!(read("li", "value"), None);
        assert_eq!(page.elements[0].attribute("x", "title"), None);
        let link = page.elements.iter().find(|e| page.name(e) == "a").unwrap();
        let end = link.start_tag_end(html).unwrap() as usize;
        assert!(html[end..].starts_with("t</a>"), "{}", &html[end..]);
        assert_eq!(link.start_tag_end("x"), None);
    }

    #[test]
    fn an_element_ends_at_its_own_end_tag() {
        let html = "<p>x <span a='>'>By <span>A &amp; <b>B</b></span>, C</span> d</p>";
        assert_eq!(element_text(html, 5, 1000), "By A & B, C");
        assert_eq!(element_text(html, 5, 30), "By A &");
        assert_eq!(element_text(html, 0, 1000), "x By A & B, C d");
        assert_eq!(element_text("<p>é", 0, 4), "");
        assert_eq!(element_text("<br>x", 0, 100), "");
        assert_eq!(element_text("x", 0, 100), "");
        assert_eq!(element_text("x", 9, 100), "");
    }
}
