//! Copies records for other tools: those that are not pages, and pages that are hard to extract.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::json;
use trommel_archive::Record;
use trommel_extract::Document;

use crate::write::quarantine::record_member;

/// A kind of payload whose records are kept in a file of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// A media type (`application/pdf`), its second part (`pdf`) or its first (`image`).
    pub kind: String,
    /// WARC file for the records, each in a gzip member.
    pub path: PathBuf,
}

/// A record that is set aside.
#[derive(Debug)]
pub(crate) struct AsideRecord {
    /// The number of the plan's file that takes it.
    pub(crate) place: usize,
    /// The record as a gzip member.
    pub(crate) member: Vec<u8>,
    /// Its line in the index.
    pub(crate) line: Vec<u8>,
}

/// An option that names no kind and file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?}: expected KIND=FILE.warc.gz, such as pdf=pdfs.warc.gz")]
pub struct SetAsideError(String);

impl FromStr for SetAside {
    type Err = SetAsideError;

    fn from_str(text: &str) -> Result<Self, SetAsideError> {
        text.split_once('=')
            .filter(|(kind, path)| !kind.is_empty() && path.ends_with(".warc.gz"))
            .map(|(kind, path)| Self { kind: kind.to_ascii_lowercase(), path: path.into() })
            .ok_or_else(|| SetAsideError(text.to_owned()))
    }
}

impl fmt::Display for SetAside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.kind, self.path.display())
    }
}

impl SetAside {
    /// Whether records of this media type are kept here.
    fn keeps(&self, media_type: &str) -> bool {
        let (first, second) = media_type.split_once('/').unwrap_or((media_type, ""));
        [media_type, first, second].contains(&self.kind.as_str())
    }

    /// The copy of a record if one of `all` takes its kind.
    pub(crate) fn of(all: &[Self], record: &Record, id: &str, media_type: &str) -> Option<AsideRecord> {
        // The first that takes it: a record is kept once.
        let place = all.iter().position(|set_aside| set_aside.keeps(media_type))?;
        AsideRecord::new(place, record, id, media_type)
    }
}

/// The file for pages of low confidence.
#[derive(Clone, Debug, PartialEq)]
pub struct HardPages {
    /// WARC file for the records, each in a gzip member.
    pub path: PathBuf,
    /// Documents with a lower confidence (0..=1) are copied.
    pub below: f32,
}

impl HardPages {
    /// Whether another extractor may do better on the page of a document. What stands in place of a page, such as a
    /// captcha, has nothing that it could find.
    pub(crate) fn takes(&self, document: &Document) -> bool {
        document.confidence < self.below && document.blocked.is_none()
    }
}

impl fmt::Display for HardPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "confidence below {} to {}", self.below, self.path.display())
    }
}

impl AsideRecord {
    /// The copy of a record for the file of that number.
    pub(crate) fn new(place: usize, record: &Record, id: &str, media_type: &str) -> Option<Self> {
        let member = record_member(record, id).ok()?;
        Some(Self { place, member, line: line(record, media_type) })
    }
}

/// The index of where the records of a file were, beside it: CDXJ.
pub(crate) fn index_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".cdxj");
    name.into()
}

/// The place of a record as a line of CDXJ. The sort key is the unchanged URL and the date.
fn line(record: &Record, media_type: &str) -> Vec<u8> {
    let digits = |date: &str| -> String {
        let digits = date.chars().filter(char::is_ascii_digit);
        digits.take(14).collect()
    };
    let date = record.date().map(digits).unwrap_or_default();
    let url = record.url().unwrap_or("-");
    let key: String = url.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    let mut fields = json!({
        "url": url,
        "mime": media_type,
        "filename": &*record.place.file,
        "offset": record.place.offset.to_string(),
        "length": record.place.length.to_string(),
    });
    if record.place.inner > 0 {
        // Otherwise `--select` would take the first record of the gzip member.
        fields["inner"] = record.place.inner.to_string().into();
    }
    let mut line = Vec::new();
    // Writing to memory cannot fail.
    let _ = writeln!(line, "{key} {date} {fields}");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_types_or_parts_of_them() {
        let kept: SetAside = "PDF=x/pdfs.warc.gz".parse().unwrap();
        assert_eq!(index_of(&kept.path), Path::new("x/pdfs.warc.gz.cdxj"));
        assert_eq!(kept.to_string(), "pdf=x/pdfs.warc.gz");
        assert!(kept.keeps("application/pdf") && !kept.keeps("image/png"));
        let images: SetAside = "image=i.warc.gz".parse().unwrap();
        assert!(images.keeps("image/png") && !images.keeps("application/pdf"));
        for text in ["pdf", "pdf=", "=x.warc.gz", "pdf=x.pdf"] {
            assert!(text.parse::<SetAside>().is_err(), "{text}");
        }
    }
}
