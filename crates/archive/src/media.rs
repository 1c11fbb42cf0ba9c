//! The kind of document a payload is: HTML, XHTML, text or something else.

use crate::{record::Record, record::RecordType};

/// A media type, with the distinctions that matter for extraction.
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
