//! The names by which links refer to places on a page.

use super::pieces::TagPiece;
use crate::markup::Tag;
use crate::page::Page;

/// The elements that have one of the names that are `wanted`, by `id` or as named anchors, in the order of
/// the page. `html` is the decoded page that the tables were read from.
pub fn anchors(page: &Page, html: &str, wanted: impl Fn(&str) -> bool) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for (at, element) in page.elements.iter().enumerate() {
        // Few have a name, and only their tags are read again.
        if !element.is_named {
            continue;
        }
        let Some(tag) = TagPiece::at(html, element.start as usize) else { continue };
        for (name, value) in tag.attributes() {
            let is_name =
                name.eq_ignore_ascii_case(b"id") || element.tag == Tag::A && name.eq_ignore_ascii_case(b"name");
            if !is_name {
                continue;
            }
            let value = htmlize::unescape_attribute(String::from_utf8_lossy(value));
            if wanted(&value) {
                found.push((value.into_owned(), at as u32));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::anchors;
    use crate::{Engine, Limits, LolEngine};

    #[test]
    fn places_are_found_by_id_and_name() {
        let html = "<p id=a>x<a name='b&amp;c'></a><div id=b name=z>y<span id=z>";
        let page = LolEngine.read(html, &Limits::default());
        let found = anchors(&page, html, |name| name != "b");
        let found: Vec<(&str, &str)> =
            found.iter().map(|(name, at)| (name.as_str(), page.elements[*at as usize].tag.name())).collect();
        assert_eq!(found, [("a", "p"), ("b&c", "a"), ("z", "span")]);
        // Attributes beyond what is read of a tag.
        let long = format!("<p title='{}' id=far>x", "t".repeat(70 << 10));
        let page = LolEngine.read(&long, &Limits::default());
        assert_eq!(anchors(&page, &long, |_| true), [("far".to_owned(), 0)]);
    }
}
