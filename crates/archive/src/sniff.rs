//! Tells by its first bytes what kind of document a payload is.

use crate::media::MediaType;

/// Tags that begin an HTML page, after WHATWG MIME sniffing and a few more that real pages begin
/// with. A tag must end there.
const TAGS: [&[u8]; 32] = [
    b"!doctype html", b"html", b"head", b"script", b"iframe", b"h1", b"div", b"font", b"table", b"a", b"style",
    b"title", b"b", b"body", b"br", b"p", b"h2", b"h3", b"meta", b"link", b"center", b"img", b"span", b"form",
    b"noscript", b"base", b"ul", b"frameset", b"section", b"article", b"main", b"header",
];

/// The tags that begin a whole page. Other texts, such as Markdown, may begin with the remaining ones.
const PAGE_TAGS: [&[u8]; 6] = [b"!doctype html", b"html", b"head", b"title", b"body", b"frameset"];

/// Bytes looked at.
const SNIFF: usize = 4096;

/// The first tag of a page, and two facts about the bytes before it.
struct FirstTag {
    /// The bytes behind its `<`.
    tag: Vec<u8>,
    /// True if an XML declaration stands before it.
    xml: bool,
    /// True if it is a comment that does not end within the bytes that are looked at.
    is_comment: bool,
}

impl FirstTag {
    /// Finds the first tag, if only comments, declarations and blanks come before it.
    fn of(body: &[u8]) -> Option<Self> {
        let head = body.get(..SNIFF).unwrap_or(body);
        let head = match head {
            // The tags are ASCII: in UTF-16 every other byte of them is zero.
            [0xff, 0xfe, wide @ ..] | [0xfe, 0xff, wide @ ..] => wide.iter().copied().filter(|b| *b != 0).collect(),
            _ => head.to_owned(),
        };
        let mut rest = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
        let mut xml = false;
        loop {
            rest = rest.trim_ascii_start();
            if let Some(comment) = rest.strip_prefix(b"<!--") {
                match memchr::memmem::find(comment, b"-->") {
                    Some(end) => rest = comment.get(end + 3..).unwrap_or_default(),
                    None => return Some(Self { tag: Vec::new(), xml, is_comment: true }),
                }
            } else if rest.starts_with(b"<?") {
                xml |= rest.starts_with(b"<?xml");
                match memchr::memchr(b'>', rest) {
                    Some(end) => rest = rest.get(end + 1..).unwrap_or_default(),
                    None => return Some(Self { tag: rest.to_owned(), xml, is_comment: false }),
                }
            } else {
                return rest.strip_prefix(b"<").map(|tag| Self { tag: tag.to_owned(), xml, is_comment: false });
            }
        }
    }

    /// Returns whether it is one of these tags, and ends there.
    fn is_one_of(&self, names: &[&[u8]]) -> bool {
        names.iter().any(|name| {
            self.tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
                && self.tag.get(name.len()).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'))
        })
    }

    fn page(&self) -> MediaType {
        if self.xml { MediaType::Xhtml } else { MediaType::Html }
    }
}

/// Tells HTML and XHTML from anything else by the first bytes.
pub(crate) fn sniff(body: &[u8]) -> MediaType {
    match FirstTag::of(body) {
        Some(first) if first.is_comment => MediaType::Html,
        Some(first) if first.is_one_of(&TAGS) => first.page(),
        Some(first) if first.xml => MediaType::Other("text/xml".into()),
        _ => MediaType::Other(String::new()),
    }
}

/// The type of a text that begins as a whole page.
pub(crate) fn page_type(text: &[u8]) -> Option<MediaType> {
    FirstTag::of(text).filter(|first| first.is_one_of(&PAGE_TAGS)).map(|first| first.page())
}
