//! Where a page says that it goes on.

use crate::markup::Tag;
use crate::markup::lex::{Attributes, Markup, markup};

/// Bytes of a tag in which its `rel` is looked for.
const REACH: usize = 2048;

/// The address, as it stands, of the first `link` or `a` with `rel="next"`.
pub fn next_page(html: &str) -> Option<String> {
    let bytes = html.as_bytes();
    memchr::memmem::find_iter(bytes, b"next").find_map(|at| {
        let from = at.saturating_sub(REACH);
        let lt = from + memchr::memrchr(b'<', bytes.get(from..at)?)?;
        let Markup::Tag(tag) = markup(bytes, lt) else {
            return None;
        };
        let name = Tag::from_name(bytes.get(tag.name.0..tag.name.1)?);
        if tag.is_end || !matches!(name, Tag::A | Tag::Link) {
            return None;
        }
        let attributes = bytes.get(tag.attributes.0..tag.attributes.1)?;
        let value = |wanted: &[u8]| {
            let mut attributes = Attributes::new(attributes);
            attributes
                .find(|(key, _)| key.eq_ignore_ascii_case(wanted))
                .map(|(_, value)| value)
        };
        let mut words = value(b"rel")?.split(|byte| byte.is_ascii_whitespace());
        if !words.any(|word| word.eq_ignore_ascii_case(b"next")) {
            return None;
        }
        let href = String::from_utf8_lossy(value(b"href")?);
        Some(htmlize::unescape_attribute(href.trim()).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_link_to_the_next_page() {
        let html = "next <a class=next href=/x>next</a> <link rel='prefetch next' href='/p?a=1&amp;b=2'>\
            <a rel=next href=/3>";
        assert_eq!(next_page(html).as_deref(), Some("/p?a=1&b=2"));
        assert_eq!(
            next_page("<a rel=nextpage href=/x>next</a><a rel=next>"),
            None
        );
    }
}
