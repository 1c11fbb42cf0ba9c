//! Attributes that are not in the tables, read again from the page on request.

use crate::lex::{Attributes, Markup, markup};
use crate::table::Element;

impl Element {
    /// Value of the element's first attribute of that (lower-case) name, its character references
    /// decoded. `html` is the decoded page that the element was read from; another text gives `None`
    /// or the attribute of another element.
    pub fn attribute(&self, html: &str, name: &str) -> Option<String> {
        let bytes = html.as_bytes();
        let at = self.start as usize;
        if bytes.get(at) != Some(&b'<') {
            return None;
        }
        let Markup::Tag(tag) = markup(bytes, at) else {
            return None;
        };
        let attributes = bytes.get(tag.attributes.0..tag.attributes.1)?;
        let (_, value) = Attributes::new(attributes)
            .find(|(key, _)| key.eq_ignore_ascii_case(name.as_bytes()))?;
        Some(htmlize::unescape_attribute(String::from_utf8_lossy(value)).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Limits, LolEngine};

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
    }
}
