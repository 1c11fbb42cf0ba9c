//! A record of an archive, and its place in the file.

use std::{fmt, sync::Arc};

use crate::{buffer::RecordBlock, http::Headers};

/// Location of a record in its archive file.
///
/// In a plain file it extends from the record's header to the blank lines that end the record; in a compressed file it
/// covers the members that hold the record. If one member holds several records, `length` counts the stored bytes
/// decoded when the record was returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Name of the archive file.
    pub file: Arc<str>,
    /// Byte offset in the stored (compressed) archive file of the record, or of the member that holds it.
    pub offset: u64,
    /// Number of stored (compressed) bytes that the record takes.
    pub length: u64,
    /// Byte offset of the record in the decompressed bytes of its member; 0 if the record begins the member.
    pub inner: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.offset)?;
        if self.inner > 0 {
            write!(f, "+{}", self.inner)?;
        }
        Ok(())
    }
}

/// Type of an archive record, as WARC-Type states it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RecordType {
    /// `warcinfo`: facts about the archive file and the crawl.
    Warcinfo,
    /// `response`: a server's response with its protocol headers.
    Response,
    /// `resource`: a file without protocol headers.
    Resource,
    /// `request`: a crawler's request with its protocol headers.
    Request,
    /// `metadata`: facts about another record.
    Metadata,
    /// `revisit`: a capture whose content is stored in an earlier record.
    Revisit,
    /// `conversion`: a record made from another one, such as its text (WET).
    Conversion,
    /// `continuation`: a further segment of a record that is split into segments.
    Continuation,
    /// Any other record type, unchanged; empty if the record states no type.
    Unknown(String),
}

impl RecordType {
    /// Names of the record types in WARC, each with its type.
    const NAMES: [(&'static str, RecordType); 8] = [
        ("warcinfo", RecordType::Warcinfo),
        ("response", RecordType::Response),
        ("resource", RecordType::Resource),
        ("request", RecordType::Request),
        ("metadata", RecordType::Metadata),
        ("revisit", RecordType::Revisit),
        ("conversion", RecordType::Conversion),
        ("continuation", RecordType::Continuation),
    ];

    /// Parses the name of a record type in WARC, without regard to case.
    pub fn parse(name: &str) -> Self {
        let known = Self::NAMES.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        known.map_or_else(|| RecordType::Unknown(name.to_owned()), |(_, kind)| kind)
    }

    /// Returns the name of the record type in WARC.
    pub fn as_str(&self) -> &str {
        match self {
            RecordType::Unknown(name) => name,
            known => Self::NAMES.iter().find(|(_, kind)| kind == known).map_or("", |(name, _)| name),
        }
    }
}

impl fmt::Display for RecordType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// File format of the archive from which a record was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveFormat {
    /// The WARC format, version 0.17 to 1.1.
    Warc,
    /// The ARC format, version 1 or 2.
    Arc,
}

/// Irregularity of a record that was read nevertheless.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Note {
    /// The block ends before its stated length.
    #[error("block cut: {got} of {expected} bytes")]
    BlockCut {
        /// Stated length of the block in bytes.
        expected: u64,
        /// Number of bytes that the block really has.
        got: u64,
    },
    /// The block goes on after its stated length; the bytes up to the next record were added.
    #[error("block longer than stated: {got} for {expected} bytes")]
    BlockExtended {
        /// Stated length of the block in bytes.
        expected: u64,
        /// Number of bytes that the block really has.
        got: u64,
    },
    /// The block is longer than [`ReadOptions::max_record`](crate::ReadOptions::max_record); the
    /// rest was skipped.
    #[error("block too long: {kept} of {length} bytes kept")]
    BlockTooLong {
        /// Length of the block in bytes: the stated one, or the real one if none is stated.
        length: u64,
        /// Number of bytes of the block that were kept.
        kept: u64,
    },
    /// The header of the record violates the WARC grammar but was read.
    #[error("header breaks the grammar")]
    LenientHeader,
    /// The Content-Length is missing or unusable: the block extends to the next record or to the end of the member.
    #[error("no usable Content-Length")]
    MissingContentLength,
    /// The WARC-Date of the record is not a date of the calendar.
    #[error("WARC-Date is no date")]
    WrongDate,
    /// The record was split into this number of segments; their blocks were joined.
    #[error("joined of {0} segments")]
    SegmentsJoined(u64),
    /// The record was split into segments, of which only this number were found, counted from the first one on.
    #[error("in segments, of which only the first {0} were found")]
    SegmentsMissing(u64),
    /// The checksum or length of the compressed member is wrong; the block may be altered.
    #[error("wrong checksum")]
    Checksum,
    /// The compressed member is damaged before its end; the end of the block may be altered.
    #[error("damaged compressed member")]
    DamagedMember,
    /// The record has no content; its block was taken from the earlier, equal capture at this place.
    #[error("revisit with the content of {0}")]
    Resolved(Place),
}

/// A record of an archive: its place, header fields and block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Place of the record in its archive file.
    pub place: Place,
    /// File format of the archive.
    pub format: ArchiveFormat,
    /// Type of the record.
    pub kind: RecordType,
    /// Named fields of the record's header. For ARC they are made from the header line: WARC-Target-URI, WARC-Date,
    /// WARC-IP-Address, Content-Type and Content-Length.
    pub headers: Headers,
    /// Bytes of the record after its header, up to [`ReadOptions::max_record`](crate::ReadOptions::max_record) of them.
    pub block: RecordBlock,
    /// Irregularities that were found while reading the record.
    pub notes: Vec<Note>,
}

impl Record {
    fn field(&self, name: &str) -> Option<&str> {
        self.headers.get(name).filter(|value| !value.is_empty())
    }

    /// Returns the value of a header field without angle brackets; `None` if the value is missing or empty.
    fn bracketed(&self, name: &str) -> Option<&str> {
        let value = self.field(name).map(without_brackets);
        value.filter(|value| !value.is_empty())
    }

    /// Returns the WARC-Record-ID without its angle brackets; `None` if it is missing or empty.
    pub fn id(&self) -> Option<&str> {
        self.bracketed("WARC-Record-ID")
    }

    /// Returns the WARC-Target-URI without the angle brackets that some WARC 1.0 files have.
    pub fn url(&self) -> Option<&str> {
        self.bracketed("WARC-Target-URI")
    }

    /// Returns the WARC-Date unchanged; `None` if it is missing or is not a date.
    pub fn date(&self) -> Option<&str> {
        self.field("WARC-Date").filter(|date| is_date(date))
    }

    /// Returns the Content-Type field of the record's header, the media type of the block.
    pub fn content_type(&self) -> Option<&str> {
        self.field("Content-Type")
    }

    /// Returns the WARC-Identified-Payload-Type: the media type that the crawler determined.
    pub fn identified_payload_type(&self) -> Option<&str> {
        self.field("WARC-Identified-Payload-Type")
    }

    /// Returns the WARC-Payload-Digest, with the name of its algorithm: `sha1:...`.
    pub fn payload_digest(&self) -> Option<&str> {
        self.field("WARC-Payload-Digest")
    }

    /// Returns WARC-Truncated: the reason why the crawler kept only a part of the record.
    pub fn truncated(&self) -> Option<&str> {
        self.field("WARC-Truncated")
    }

    /// Returns the first WARC-Concurrent-To, without angle brackets: the id of a record of the same capture.
    pub fn concurrent_to(&self) -> Option<&str> {
        self.bracketed("WARC-Concurrent-To")
    }

    /// Returns WARC-Refers-To without angle brackets: the id of the record to which this record relates.
    pub fn refers_to(&self) -> Option<&str> {
        self.bracketed("WARC-Refers-To")
    }

    /// Returns the WARC-Profile of a revisit record, without angle brackets.
    pub fn profile(&self) -> Option<&str> {
        self.bracketed("WARC-Profile")
    }

    /// Returns the WARC-Segment-Number, the number of a segment of a split record, from 1.
    pub fn segment_number(&self) -> Option<u64> {
        self.field("WARC-Segment-Number")?.parse().ok()
    }

    /// Returns the WARC-Segment-Origin-ID without angle brackets: the id of the first segment's record.
    pub fn segment_origin(&self) -> Option<&str> {
        self.bracketed("WARC-Segment-Origin-ID")
    }
}

/// Returns whether a text is a date of the calendar, optionally followed by a time: `2014`, `2014-01`,
/// `2014-01-03T03:03:21Z`.
fn is_date(text: &str) -> bool {
    let (date, time) = text.split_once(['T', 't', ' ']).unwrap_or((text, ""));
    let number = |text: &str, digits| (text.len() == digits).then(|| text.parse::<u32>().ok())?;
    let mut parts = date.splitn(3, '-');
    let year = parts.next().and_then(|year| number(year, 4));
    let month = parts.next().map_or(Some(1), |month| number(month, 2));
    let day = parts.next().map_or(Some(1), |day| number(day, 2));
    let (Some(year), Some(month), Some(day)) = (year, month, day) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    // A second of 60 is a leap second.
    let mut time = time.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let within = [24, 60, 61]
        .into_iter()
        .all(|end| time.next().is_none_or(|part| number(part, 2).is_some_and(|part| part < end)));
    (1..=days).contains(&day) && within
}

/// Removes blanks and one pair of angle brackets around `value`.
fn without_brackets(value: &str) -> &str {
    let value = value.trim();
    value.strip_prefix('<').map_or(value, |inner| inner.strip_suffix('>').unwrap_or(inner)).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(fields: &[(&str, &str)]) -> Record {
        Record {
            place: Place { file: "f".into(), offset: 7, length: 1, inner: 0 },
            format: ArchiveFormat::Warc,
            kind: RecordType::Response,
            headers: fields.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect(),
            block: RecordBlock::default(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn identifiers_lose_their_brackets() {
        let record = record(&[
            ("WARC-Record-ID", " <urn:uuid:1> "),
            ("warc-target-uri", "<http://a/?x=<y>>"),
            ("WARC-Concurrent-To", "urn:uuid:2"),
            ("WARC-Truncated", ""),
            ("WARC-Refers-To", "< >"),
            ("WARC-Segment-Number", "2"),
        ]);
        assert_eq!(record.id(), Some("urn:uuid:1"));
        assert_eq!(record.url(), Some("http://a/?x=<y>"));
        assert_eq!(record.concurrent_to(), Some("urn:uuid:2"));
        assert_eq!(record.truncated(), None);
        assert_eq!(record.refers_to(), None);
        assert_eq!(record.segment_number(), Some(2));
        assert_eq!(record.place.to_string(), "f:7");
    }

    #[test]
    fn only_dates_of_the_calendar_are_dates() {
        let dates = "2014 2014-01 2014-01-03 2014-01-03T03:03Z 2014-01-03T03:03:21Z 2016-02-29T23:59:60.123456Z \
                     2009-03-05T08:43:19-0800 2009-03-05T08:43:19+05:30";
        let others = "2009-03-65T08:43:19-0800 2014-13-01 2014-00-01 2015-02-29T00:00:00Z 2014-01-00 14-01-03 x 2014-1-3 \
                      2014-01-03T24:00:00Z 2014-01-03T03:60:00Z 20140103030321 0 2014-01-03T3:3:3Z ----";
        for (text, is_date) in dates.split(' ').map(|d| (d, true)).chain(others.split(' ').map(|d| (d, false))) {
            assert_eq!(record(&[("WARC-Date", text)]).date().is_some(), is_date, "{text}");
        }
    }

    #[test]
    fn types_are_read_without_case() {
        assert_eq!(RecordType::parse("WarcInfo"), RecordType::Warcinfo);
        assert_eq!(RecordType::parse("continuation").as_str(), "continuation");
        assert_eq!(RecordType::parse("x-new"), RecordType::Unknown("x-new".into()));
    }
}
