//! Reads an element again at its start tag: its text, and attributes that the tables do not hold.

use crate::markup::lex::{Attributes, Markup, RawTag, markup};
use crate::markup::{Tag, strip_markup};
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
        let bytes = html.as_bytes();
        let at = self.start as usize;
        // Tables and text could be of different pages; then no tag stands there.
        if bytes.get(at) != Some(&b'<') {
            return None;
        }
        let Markup::Tag(tag) = markup(bytes, at) else { return None };
        let attributes = bytes.get(tag.attributes.0..tag.attributes.1)?;
        let mut found: Option<&[u8]> = None;
        let mut wanted = names;
        for (key, value) in Attributes::new(attributes) {
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
        let at = self.start as usize;
        let bytes = html.as_bytes();
        if bytes.get(at) != Some(&b'<') {
            return None;
        }
        match markup(bytes, at) {
            Markup::Tag(tag) => u32::try_from(tag.end).ok(),
            _ => None,
        }
    }
}

/// Plain text ([`strip_markup`]) of the element whose start tag stands at byte `start` of a decoded page: up
/// to its end tag, or as far as it reaches within `max_bytes` bytes. Empty where no element with content
/// stands.
pub fn element_text(html: &str, start: u32, max_bytes: usize) -> String {
    let Some(rest) = html.get(start as usize..) else { return String::new() };
    let mut len = max_bytes.min(rest.len());
    while !rest.is_char_boundary(len) {
        len -= 1;
    }
    let rest = rest.get(..len).unwrap_or_default();
    let bytes = rest.as_bytes();
    let Markup::Tag(first) = markup(bytes, 0) else { return String::new() };
    let name = |raw: &RawTag| bytes.get(raw.name.0..raw.name.1).unwrap_or_default();
    if first.is_end || Tag::from_name(name(&first)).is_void() {
        return String::new();
    }
    let (mut at, mut depth) = (first.end, 1u32);
    let mut end = rest.len();
    while let Some(found) = memchr::memchr(b'<', bytes.get(at..).unwrap_or_default()) {
        match markup(bytes, at + found) {
            Markup::Tag(raw) => {
                if name(&raw).eq_ignore_ascii_case(name(&first)) {
                    depth = if raw.is_end { depth - 1 } else { depth + 1 };
                }
                if depth == 0 {
                    end = raw.start;
                    break;
                }
                at = raw.end;
            }
            Markup::Skip(end) => at = end,
            Markup::Cut { .. } => {
                end = at + found;
                break;
            }
        }
    }
    strip_markup(rest.get(first.end..end).unwrap_or_default())
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
