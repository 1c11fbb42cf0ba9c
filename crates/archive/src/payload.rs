//! Returns the payload of a record, after undoing HTTP framing and content codings.

use std::borrow::Cow;

use crate::coding::{self, Coding, End, MAX_CODING_NAME, MAX_CODINGS, SILENT_ROUNDS};
use crate::media_type::{self, MediaType, TypeSource, binary_type, page_type, sniff};
use crate::record::{Record, RecordType};
use crate::{error::PayloadError, http, http::Headers};

/// Irregularity of an HTTP body that was decoded nevertheless.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadNote {
    /// A header names a coding that the body does not have; the body was left unchanged.
    #[error("header says {0}, body is not")]
    HeaderLied(Coding),
    /// The body has a coding that no header names; the coding was undone.
    #[error("body is {0}, no header says so")]
    Undeclared(Coding),
    /// The coded body is truncated or damaged; its decoded part was kept.
    #[error("{0} body cut")]
    BodyCut(Coding),
    /// A chunk of the body has a wrong size; the remaining bytes were all kept.
    #[error("wrong chunk sizes")]
    WrongChunks,
    /// The headers name more than eight codings; the innermost ones were not undone.
    #[error("too many codings")]
    TooManyCodings,
    /// A header names an unknown content coding; holds the first 32 characters of its name.
    #[error("unknown coding {0}")]
    UnknownCoding(String),
    /// The HTTP head has more than 64 KiB of fields; the fields after them were not read.
    #[error("HTTP head too long")]
    HeadTooLong,
    /// The decoded body exceeds [`PayloadOptions::max_payload`]; the rest was dropped.
    #[error("decoded body too long")]
    LimitHit,
}

/// Payload of a record: its HTTP status and headers, and its decoded body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payload<'a> {
    /// HTTP status code; `None` without a status line.
    pub status: Option<u16>,
    /// HTTP headers; empty if the record has none.
    pub headers: Headers,
    /// Decoded body; without codings, the bytes are borrowed from the record's block.
    pub body: Cow<'a, [u8]>,
    /// Codings of the body that were undone, the outermost first.
    pub codings: Vec<Coding>,
    /// Irregularities that were found while decoding the body.
    pub notes: Vec<PayloadNote>,
}

impl Payload<'_> {
    /// Returns the HTTP Content-Type header, unchanged; `None` if it is missing or empty.
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get("Content-Type").filter(|value| !value.is_empty())
    }

    /// Returns the `charset` parameter of the HTTP Content-Type header, without quotes.
    pub fn charset(&self) -> Option<&str> {
        self.content_type()?.split(';').skip(1).find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']).trim();
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
        })
    }
}

/// Limits on the decoding of payloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayloadOptions {
    /// Maximum number of bytes kept of a body after undoing each coding. Default 64 MiB.
    pub max_payload: u64,
}

impl Default for PayloadOptions {
    fn default() -> Self {
        PayloadOptions { max_payload: 64 * 1024 * 1024 }
    }
}

/// Decodes the payload of a record: splits HTTP headers from the body, and undoes the codings of the body.
///
/// A coding that a header names is undone only if the body really has it: many archives store a decoded body with its
/// old headers.
///
/// # Errors
/// Fails for records without a payload: warcinfo, request, metadata, continuation and unknown ones.
pub fn payload<'a>(record: &'a Record, options: &PayloadOptions) -> Result<Payload<'a>, PayloadError> {
    let http = match record.kind {
        RecordType::Response | RecordType::Revisit => true,
        RecordType::Resource | RecordType::Conversion => {
            record.content_type().is_some_and(|kind| kind.to_ascii_lowercase().starts_with("application/http"))
        }
        _ => return Err(PayloadError::NoPayload(record.kind.clone())),
    };
    let mut payload = Payload::default();
    let mut body = &*record.block;
    if http {
        let head = http::head(body);
        body = body.get(head.length..).unwrap_or_default();
        payload.status = head.status;
        payload.headers = head.headers;
        if head.is_cut {
            payload.notes.push(PayloadNote::HeadTooLong);
        }
    }
    payload.body = Cow::Borrowed(body);
    let limit = usize::try_from(options.max_payload).unwrap_or(usize::MAX);
    if http {
        for coding in declared(&payload.headers, &mut payload.notes) {
            undo(&mut payload, coding, limit);
        }
    }
    for _ in 0..SILENT_ROUNDS {
        if !payload.body.starts_with(&[0x1f, 0x8b, 8]) || !maybe_html(record, &payload) {
            break;
        }
        let before = payload.codings.len();
        undo(&mut payload, Coding::Gzip, limit);
        if payload.codings.len() == before {
            payload.notes.pop();
            break;
        }
        payload.notes.push(PayloadNote::Undeclared(Coding::Gzip));
    }
    if payload.body.len() > limit {
        match &mut payload.body {
            Cow::Borrowed(body) => *body = body.get(..limit).unwrap_or_default(),
            Cow::Owned(body) => body.truncate(limit),
        }
        payload.notes.push(PayloadNote::LimitHit);
    }
    Ok(payload)
}

/// Returns the codings that the headers name, in the order of undoing them; adds a note for each unknown name.
fn declared(headers: &Headers, notes: &mut Vec<PayloadNote>) -> Vec<Coding> {
    let of_header = |header| headers.all(header).flat_map(|value| value.split(',')).collect::<Vec<_>>();
    let names = ["Content-Encoding", "Transfer-Encoding"].into_iter().flat_map(of_header);
    let names: Vec<String> = names.map(|name| name.trim().trim_matches('"').to_ascii_lowercase()).collect();
    let mut names = names.iter().rev().filter(|name| !matches!(name.as_str(), "" | "identity" | "none"));
    let mut codings = Vec::new();
    for name in names.by_ref().take(MAX_CODINGS) {
        match name.as_str() {
            "chunked" => codings.push(Coding::Chunked),
            "gzip" | "x-gzip" => codings.push(Coding::Gzip),
            "deflate" => codings.push(Coding::Deflate),
            "br" => codings.push(Coding::Brotli),
            "zstd" => codings.push(Coding::Zstd),
            _ => notes.push(PayloadNote::UnknownCoding(name.chars().take(MAX_CODING_NAME).collect())),
        }
    }
    if names.next().is_some() {
        notes.push(PayloadNote::TooManyCodings);
    }
    codings
}

fn undo(payload: &mut Payload<'_>, coding: Coding, limit: usize) {
    if payload.body.trim_ascii().is_empty() {
        return;
    }
    let undone = match coding {
        Coding::Chunked => match coding::join(&payload.body) {
            Some(joined) => {
                if joined.wrong {
                    payload.notes.push(PayloadNote::WrongChunks);
                }
                if joined.cut {
                    payload.notes.push(PayloadNote::BodyCut(coding));
                }
                payload.body = joined.body.into();
                payload.codings.push(coding);
                return;
            }
            None => None,
        },
        Coding::Gzip => coding::gzip(&payload.body, limit),
        Coding::Deflate => coding::deflate(&payload.body, limit),
        Coding::Brotli => coding::brotli(&payload.body, limit),
        Coding::Zstd => coding::zstd(&payload.body, limit),
    };
    let Some((body, end)) = undone else { return payload.notes.push(PayloadNote::HeaderLied(coding)) };
    let note = match end {
        End::Whole => None,
        End::Limit => Some(PayloadNote::LimitHit),
        End::RanOut | End::Broken => Some(PayloadNote::BodyCut(coding)),
    };
    payload.body = body.into();
    payload.codings.push(coding);
    payload.notes.extend(note);
}

/// Determines the media type of a payload, and the source of the type. The first of these counts: the type that the
/// crawler found, the HTTP header, the record's Content-Type (if the block has no HTTP status), the first bytes. A type
/// without meaning (`application/octet-stream`, `unknown/unknown`) counts as missing. Two stated types are overridden
/// by the first bytes. HTML or plain text that begins like PDF, images, archives, office files or other data has their
/// type. Plain text that begins like a page is a page, unless the record is a conversion.
pub fn media_type(record: &Record, payload: &Payload) -> (MediaType, TypeSource) {
    let stated = media_type::stated(record, payload.status, payload.content_type());
    let is_plain = |kind: &MediaType| matches!(kind, MediaType::Other(name) if name == "text/plain");
    let is_text = |kind: &MediaType| matches!(kind, MediaType::Html | MediaType::Xhtml) || is_plain(kind);
    if stated.as_ref().is_none_or(|(kind, _)| is_text(kind))
        && let Some(name) = binary_type(&payload.body)
    {
        return (MediaType::Other(name), TypeSource::Sniffed);
    }
    match stated {
        Some((kind, source)) => {
            let is_page = is_plain(&kind) && record.kind != RecordType::Conversion;
            match page_type(&payload.body).filter(|_| is_page) {
                Some(page) => (page, TypeSource::Sniffed),
                None => (kind, source),
            }
        }
        None => (sniff(&payload.body), TypeSource::Sniffed),
    }
}

/// Returns whether the payload may be HTML: its stated media type is HTML or XHTML, or no type is stated.
fn maybe_html(record: &Record, payload: &Payload) -> bool {
    match media_type::stated(record, payload.status, payload.content_type()) {
        Some((kind, _)) => matches!(kind, MediaType::Html | MediaType::Xhtml),
        None => true,
    }
}
