//! Determines the media type of a payload (HTML, XHTML, text or another), from headers and from its first bytes.
//!
//! Binary payloads (PDF, images, archives) are recognised by their first bytes, regardless of their headers. The
//! patterns are those of the WHATWG standard MIME Sniffing (sections 6 and 7.1), and of office files, RTF and
//! further archives.

use crate::record::{Record, RecordType};
use crate::signature;

/// Media type of a payload: HTML, XHTML, or another type by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaType {
    /// Media type `text/html`.
    Html,
    /// Media type `application/xhtml+xml`, or a variant of it.
    Xhtml,
    /// Name of any other media type, in lower case without parameters; empty if the type is unknown.
    Other(String),
}

/// Header or bytes from which the media type of a payload was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeSource {
    /// WARC-Identified-Payload-Type, the media type that the crawler determined from the bytes.
    Identified,
    /// Content-Type header of the HTTP response.
    Http,
    /// Content-Type field of the WARC or ARC record.
    Record,
    /// First bytes of the body.
    Sniffed,
}

/// Returns the media type that a header of the record or of HTTP states, and which header it is. `status` and
/// `content_type` are those of the HTTP response.
pub(crate) fn stated(
    record: &Record,
    status: Option<u16>,
    content_type: Option<&str>,
) -> Option<(MediaType, TypeSource)> {
    let record_type = record.content_type().filter(|_| status.is_none()).filter(|kind| {
        let kind = kind.trim_start().to_ascii_lowercase();
        let wrapped = ["application/http", "application/warc-fields", "message/http"];
        !wrapped.iter().any(|wrapper| kind.starts_with(wrapper))
    });
    let record_type = record_type
        .filter(|_| matches!(record.kind, RecordType::Resource | RecordType::Response | RecordType::Conversion));
    [
        (record.identified_payload_type(), TypeSource::Identified),
        (content_type, TypeSource::Http),
        (record_type, TypeSource::Record),
    ]
    .into_iter()
    .find_map(|(value, source)| Some((parse(value?)?, source)))
}

/// Parses a media type; returns `None` if it is malformed or says nothing, such as `application/octet-stream`.
fn parse(value: &str) -> Option<MediaType> {
    let end = value.find([';', ',']).unwrap_or(value.len());
    let essence = value.get(..end)?.trim().trim_matches('"').trim().to_ascii_lowercase();
    let (major, minor) = essence.split_once('/')?;
    let token =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+%*".contains(&b));
    if !token(major) || !token(minor) {
        return None;
    }
    match essence.as_str() {
        "text/html" | "text/x-server-parsed-html" => Some(MediaType::Html),
        "application/xhtml+xml" | "text/xhtml" | "application/xhtml" | "application/vnd.wap.xhtml+xml" => {
            Some(MediaType::Xhtml)
        }
        "application/octet-stream"
        | "binary/octet-stream"
        | "unknown/unknown"
        | "application/unknown"
        | "content/unknown"
        | "application/x-unknown-content-type"
        | "*/*" => None,
        _ => Some(MediaType::Other(essence)),
    }
}

/// Names of tags that begin an HTML page: those of WHATWG MIME sniffing, and a few more that real pages begin with.
const TAGS: [&[u8]; 32] = [
    b"!doctype html", b"html", b"head", b"script", b"iframe", b"h1", b"div", b"font", b"table", b"a", b"style",
    b"title", b"b", b"body", b"br", b"p", b"h2", b"h3", b"meta", b"link", b"center", b"img", b"span", b"form",
    b"noscript", b"base", b"ul", b"frameset", b"section", b"article", b"main", b"header",
];

/// Names of tags that begin a whole HTML page. Other tags, such as `div`, may also begin a text such as Markdown.
const PAGE_TAGS: [&[u8]; 6] = [b"!doctype html", b"html", b"head", b"title", b"body", b"frameset"];

/// Number of bytes at the start of a body in which the first tag is searched.
const SNIFF: usize = 4096;

/// First tag of an HTML page, and two facts about the bytes before it.
struct FirstTag {
    /// Bytes after the `<` of the tag.
    tag: Vec<u8>,
    /// True if an XML declaration precedes the tag.
    xml: bool,
    /// True if the page begins with a comment that does not end within the searched bytes.
    is_comment: bool,
}

impl FirstTag {
    /// Finds the first tag of a body, if only comments, declarations and blanks precede it.
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

    /// Returns whether the tag's name is one of `names`; a longer name, such as `header` for `head`, does not count.
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

/// Determines from its first bytes whether a body is HTML, XHTML or something else.
pub(crate) fn sniff(body: &[u8]) -> MediaType {
    match FirstTag::of(body) {
        Some(first) if first.is_comment => MediaType::Html,
        Some(first) if first.is_one_of(&TAGS) => first.page(),
        Some(first) if first.xml => MediaType::Other("text/xml".into()),
        _ => MediaType::Other(String::new()),
    }
}

/// Returns HTML or XHTML if a text begins like a whole page, and `None` otherwise.
pub(crate) fn page_type(text: &[u8]) -> Option<MediaType> {
    FirstTag::of(text).filter(|first| first.is_one_of(&PAGE_TAGS)).map(|first| first.page())
}

/// Number of bytes at the start of a payload that the standard MIME Sniffing examines.
const HEAD_BYTES: usize = 1445;
/// Number of bytes at the start of a file in which the mail headers of an MHTML page are searched.
const MESSAGE_HEAD_BYTES: usize = 4096;

/// Returns the media type of a payload whose first bytes show that it is not a page; `None` if it may be a page. This
/// type overrides a type that the record, file or request states: see [`media_type`](crate::media_type).
pub fn binary_type(body: &[u8]) -> Option<String> {
    let head = body.get(..HEAD_BYTES).unwrap_or(body);
    if let Some((_, name)) = signature::MEDIA_TYPES.iter().find(|(start, _)| head.starts_with(start)) {
        return Some((*name).to_owned());
    }
    if head.starts_with(&signature::ZIP) {
        return Some(zipped(head));
    }
    if is_mhtml(body) {
        return Some("multipart/related".to_owned());
    }
    contained(head).or_else(|| is_binary(head).then_some("application/octet-stream")).map(str::to_owned)
}

/// Returns whether a body is MHTML, a page with its images in one file, as browsers save it. Such a file begins with
/// the headers of a message of type `multipart/related`.
fn is_mhtml(body: &[u8]) -> bool {
    let head = body.get(..MESSAGE_HEAD_BYTES).unwrap_or(body);
    for line in head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end) {
        let Some((name, value)) = line.iter().position(|byte| *byte == b':').and_then(|at| line.split_at_checked(at))
        else {
            // A long header goes on, or the head ends.
            match line.first() {
                Some(b' ' | b'\t') => continue,
                _ => return false,
            }
        };
        if name.eq_ignore_ascii_case(b"content-type") {
            let kind = value.get(1..).unwrap_or_default().trim_ascii_start();
            return kind.get(..17).is_some_and(|kind| kind.eq_ignore_ascii_case(b"multipart/related"));
        }
        if !name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b' ' | b'\t')) {
            return false;
        }
    }
    false
}

/// Returns the media type of a RIFF, AIFF or MP4 file, which names its format after the first bytes; `None` for others.
fn contained(head: &[u8]) -> Option<&'static str> {
    let name = |from: usize, to: usize| head.get(from..to).unwrap_or_default();
    match (name(0, 4), name(8, 12)) {
        (b"RIFF", b"WEBP") => Some("image/webp"),
        (b"RIFF", b"WAVE") => Some("audio/wave"),
        (b"RIFF", b"AVI ") => Some("video/avi"),
        (b"FORM", b"AIFF") => Some("audio/aiff"),
        _ if name(4, 8) == b"ftyp" => Some("video/mp4"),
        _ => None,
    }
}

/// Returns the media type of a ZIP file by its first entry. EPUB and OpenDocument begin with a file that holds their
/// type, Office Open XML with its list of parts.
fn zipped(head: &[u8]) -> String {
    let name = head.get(30..).unwrap_or_default();
    if let Some(content) = name.strip_prefix(b"mimetype") {
        let end =
            content.iter().position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'/' | b'.' | b'+' | b'-'));
        // The signature of the next member begins with a letter.
        let stated = content.get(..end.unwrap_or(content.len())).unwrap_or_default();
        let stated = stated.strip_suffix(b"PK").unwrap_or(stated);
        if let Ok(stated) = std::str::from_utf8(stated)
            && stated.starts_with("application/")
        {
            return stated.to_owned();
        }
    }
    if name.starts_with(b"[Content_Types].xml") || name.starts_with(b"_rels/.rels") {
        return "application/vnd.openxmlformats-officedocument".to_owned();
    }
    "application/zip".to_owned()
}

/// Returns whether bytes are binary data: more than 5% are control characters that text never contains. HTML is not
/// binary, and neither is UTF-16, which has a byte order mark or a zero next to a `<`.
fn is_binary(head: &[u8]) -> bool {
    let is_data = |byte: &&u8| matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    let data = head.iter().filter(is_data).count();
    let is_wide = || head.windows(2).any(|pair| matches!(pair, [b'<', 0] | [0, b'<']));
    let is_marked = matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let is_page = || matches!(sniff(head), MediaType::Html | MediaType::Xhtml);
    data * 20 > head.len() && !is_marked && !is_wide() && !is_page()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_whatever_they_are_called() {
        for (body, expected) in [
            (&b"%PDF-1.7\n%\xe2\xe3"[..], Some("application/pdf")),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", Some("image/jpeg")),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"\0\0\0\x20ftypisom", Some("video/mp4")),
            (
                b"PK\x03\x04\x14\0\x06\0\x08\0aaaabbbbccccdddd\x13\0\0\0[Content_Types].xml",
                Some("application/vnd.openxmlformats-officedocument"),
            ),
            (
                b"PK\x03\x04\x14\0\0\0\0\0aaaabbbbccccdddd\x08\0\0\0mimetypeapplication/epub+zipPK\x03\x04",
                Some("application/epub+zip"),
            ),
            (b"PK\x03\x04\x14\0\0\0\0\0aaaabbbbccccdddd\x05\0\0\0a.txt", Some("application/zip")),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Some("application/x-ole-storage")),
            (b"\x01\x02\x03\x04abcdefgh", Some("application/octet-stream")),
            (b"<!doctype html><p>GIF89a", None),
            (b"<!DOCTYPE html>\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", None),
            (b"<q\x01\x02\x03\x04abcdefgh", Some("application/octet-stream")),
            (
                b"From: <Saved>\r\nSubject: A\r\n mill: b\r\nContent-type: Multipart/related;\r\n\ttype=x",
                Some("multipart/related"),
            ),
            (b"Subject: mills\n\nContent-Type: multipart/related", None),
            (b"Content-Type: text/html\n\n<p>Content-Type: multipart/related", None),
            (b"<p>a\nContent-Type: multipart/related", None),
            (b"GIF is a format", None),
            (b"Plain words, sent as a page.", None),
            (b"<\0p\0>\0a\0", None),
            (b"\xfe\xff\0a\0b", None),
            // ISO-2022-JP begins its letters with an escape.
            (b"\x1b$B$\"\x1b(B", None),
            (b"", None),
        ] {
            assert_eq!(binary_type(body).as_deref(), expected, "{body:?}");
        }
    }
}
