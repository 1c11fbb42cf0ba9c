//! Tells by its first bytes what kind of document a payload is.

use crate::media::MediaType;

/// Tags that begin an HTML page, after WHATWG MIME sniffing and a few more that real pages begin
/// with. A tag must end there.
const TAGS: [&[u8]; 32] = [
    b"!doctype html", b"html", b"head", b"script", b"iframe", b"h1", b"div", b"font", b"table", b"a", b"style",
    b"title", b"b", b"body", b"br", b"p", b"h2", b"h3", b"meta", b"link", b"center", b"img", b"span", b"form",
    b"noscript", b"base", b"ul", b"frameset", b"section", b"article", b"main", b"header",
];

/// Bytes looked at.
const SNIFF: usize = 4096;

/// Tells HTML and XHTML from anything else by the first bytes.
pub(crate) fn sniff(body: &[u8]) -> MediaType {
    let mut rest = body.get(..SNIFF).unwrap_or(body);
    let utf16;
    if let [0xff, 0xfe, wide @ ..] | [0xfe, 0xff, wide @ ..] = rest {
        // The tags are ASCII: in UTF-16 every other byte of them is zero.
        utf16 = wide.iter().copied().filter(|b| *b != 0).collect::<Vec<u8>>();
        rest = &utf16;
    }
    rest = rest.strip_prefix(b"\xef\xbb\xbf").unwrap_or(rest);
    let mut xml = false;
    loop {
        rest = rest.trim_ascii_start();
        if let Some(comment) = rest.strip_prefix(b"<!--") {
            match memchr::memmem::find(comment, b"-->") {
                Some(end) => rest = comment.get(end + 3..).unwrap_or_default(),
                None => return MediaType::Html,
            }
        } else if rest.starts_with(b"<?") {
            xml |= rest.starts_with(b"<?xml");
            match memchr::memchr(b'>', rest) {
                Some(end) => rest = rest.get(end + 1..).unwrap_or_default(),
                None => break,
            }
        } else {
            break;
        }
    }
    let Some(tag) = rest.strip_prefix(b"<") else { return MediaType::Other(String::new()) };
    let begins = |name: &&[u8]| {
        tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && tag.get(name.len()).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'))
    };
    match (TAGS.iter().any(begins), xml) {
        (true, true) => MediaType::Xhtml,
        (true, false) => MediaType::Html,
        (false, true) => MediaType::Other("text/xml".into()),
        (false, false) => MediaType::Other(String::new()),
    }
}
