//! The records that are copied for other tools: those that are not pages, and pages that are hard to extract.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use trommel_extract::Document;

/// A kind of payload whose records are kept in a file of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// A media type (`application/pdf`), its second part (`pdf`) or its first (`image`).
    pub kind: String,
    /// WARC file for the records, each in a gzip member.
    pub path: PathBuf,
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
    /// Returns whether records of this media type are kept here.
    pub(crate) fn keeps(&self, media_type: &str) -> bool {
        let (first, second) = media_type.split_once('/').unwrap_or((media_type, ""));
        [media_type, first, second].contains(&self.kind.as_str())
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
    /// Returns whether another extractor may do better on the page of a document. It would find nothing on a block
    /// page, such as a captcha.
    pub(crate) fn takes(&self, document: &Document) -> bool {
        document.confidence < self.below && document.blocked.is_none()
    }
}

impl fmt::Display for HardPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "confidence below {} to {}", self.below, self.path.display())
    }
}

/// The index of where the records of a file were, beside it: CDXJ.
pub(crate) fn index_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".cdxj");
    name.into()
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
