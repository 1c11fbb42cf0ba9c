//! Where an archive is.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::redacted;

/// A file or an object. Displayed without secrets: see [`redacted`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// A file.
    File(PathBuf),
    /// An object: `http://`, `https://` or `s3://`.
    Url(String),
}

/// What names in manifests and indexes are relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// A folder.
    Folder(PathBuf),
    /// The start of URLs.
    Url(String),
}

impl Base {
    /// The base that an argument stands for.
    pub fn new(argument: &str) -> Self {
        if is_url(argument) {
            Self::Url(argument.to_owned())
        } else {
            Self::Folder(argument.into())
        }
    }

    /// Where a name stands for: a URL or absolute path as it is, any other below the base.
    pub fn join(&self, name: &str) -> Location {
        match self {
            _ if is_url(name) => Location::Url(name.to_owned()),
            Self::Folder(folder) => Location::File(folder.join(name)),
            Self::Url(base) => {
                let (base, name) = (base.trim_end_matches('/'), name.trim_start_matches('/'));
                Location::Url(format!("{base}/{name}"))
            }
        }
    }

    /// The folder of a manifest or index.
    pub fn beside(file: &Path) -> Self {
        Self::Folder(file.parent().unwrap_or(Path::new("")).to_owned())
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.write_str(&path.to_string_lossy()),
            Self::Url(url) => f.write_str(&redacted(url)),
        }
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => f.write_str(&path.to_string_lossy()),
            Self::Url(url) => f.write_str(&redacted(url)),
        }
    }
}

/// Whether an argument is a URL rather than a path.
pub fn is_url(argument: &str) -> bool {
    argument.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_to_their_base() {
        let url = |url: &str| Location::Url(url.to_owned());
        let base = Base::new("https://data.example.org/x/");
        assert_eq!(
            base.join("a/b.gz"),
            url("https://data.example.org/x/a/b.gz")
        );
        assert_eq!(base.join("/a"), url("https://data.example.org/x/a"));
        assert_eq!(base.join("s3://b/k"), url("s3://b/k"));
        assert_eq!(Base::new("s3://b").join("k"), url("s3://b/k"));
        let beside = Base::beside(Path::new("x/list.txt"));
        assert_eq!(beside.join("a"), Location::File("x/a".into()));
        assert_eq!(beside.join("/a"), Location::File("/a".into()));
        assert!(!is_url("://x") && !is_url("a b://x") && is_url("ftp://x"));
    }
}
