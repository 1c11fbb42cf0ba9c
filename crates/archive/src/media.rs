//! The kind of document a payload is: HTML, XHTML, text or something else.

use crate::{record::Record, record::RecordType};

/// A media type, as far as extraction cares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaType {
    /// text/html.
    Html,
    /// application/xhtml+xml and its variants.
    Xhtml,
    /// Any other, in lower case without parameters; empty if nothing tells.
    Other(String),
}

/// The source of the media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeSource {
    /// WARC-Identified-Payload-Type: the crawler looked at the bytes.
    Identified,
    /// HTTP Content-Type.
    Http,
    /// Content-Type of the record.
    Record,
    /// The first bytes.
    Sniffed,
}

/// The media type that some header states: `status` and `content_type` are those of HTTP.
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

/// Reads a media type; None if it is malformed or says nothing.
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
