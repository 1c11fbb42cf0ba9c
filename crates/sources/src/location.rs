//! The location of an archive.

use std::fmt;
use std::path::{Path, PathBuf};

use url::Url;

use crate::redacted;

/// A file or an object. Displayed without secrets: see [`redacted`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// A file.
    File(PathBuf),
    /// An object behind one of the schemes of [`Scheme`](crate::Scheme).
    Url(String),
}

/// The base of names in manifests and indexes.
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
        if is_url(argument) { Self::Url(argument.to_owned()) } else { Self::Folder(argument.into()) }
    }

    /// The location that a name stands for: a URL or absolute path unchanged, any other name below the base.
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

    /// The location that a name of an index stands for, which must lie below the base. None for `..`, absolute
    /// paths, other hosts and other schemes.
    pub fn join_below(&self, name: &str) -> Option<Location> {
        if name.split(['/', '\\']).any(|part| part == "..") {
            return None;
        }
        match (self, self.join(name)) {
            (Self::Folder(_), Location::File(path)) if Path::new(name).is_relative() => Some(Location::File(path)),
            // As the parser of URLs reads them: it takes a backslash for a slash, `%2e` for a dot, and
            // passes over tabs and line ends.
            (Self::Url(base), Location::Url(joined)) => {
                let (parsed, below) = (Url::parse(&joined).ok()?, Url::parse(base).ok()?);
                let folder = format!("{}/", below.path().trim_end_matches('/'));
                let is_below = parsed.scheme() == below.scheme()
                    && parsed.host_str() == below.host_str()
                    && parsed.port_or_known_default() == below.port_or_known_default()
                    && parsed.username() == below.username()
                    && parsed.path().starts_with(&folder);
                is_below.then_some(Location::Url(joined))
            }
            _ => None,
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

/// Returns whether an argument is a URL rather than a path.
pub fn is_url(argument: &str) -> bool {
    argument
        .split_once("://")
        .is_some_and(|(scheme, _)| !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_an_index_stay_below_its_base() {
        let url = Base::new("https://data.example.org/x/");
        let folder = Base::new("crawl");
        for name in ["a.gz", "a/b..gz", "a/./b.gz"] {
            assert!(url.join_below(name).is_some() && folder.join_below(name).is_some(), "{name}");
        }
        for name in ["../a", "a/../../b", "..\\a", "s3://b/k", "file:///etc/passwd", "http://127.0.0.1/"] {
            assert_eq!(url.join_below(name), None, "{name}");
            assert_eq!(folder.join_below(name), None, "{name}");
        }
        assert_eq!(folder.join_below("/etc/passwd"), None);
        for name in ["%2e%2e/a", ".%2E/a", ".\t./a", "a/%2e%2e/%2e%2e/b", "https://data.example.org/y/a"] {
            assert_eq!(url.join_below(name), None, "{name}");
        }
        let same = "https://data.example.org/x/a";
        assert_eq!(url.join_below(same), Some(Location::Url(same.to_owned())));
    }

    #[test]
    fn names_are_joined_to_their_base() {
        let url = |url: &str| Location::Url(url.to_owned());
        let base = Base::new("https://data.example.org/x/");
        assert_eq!(base.join("a/b.gz"), url("https://data.example.org/x/a/b.gz"));
        assert_eq!(base.join("/a"), url("https://data.example.org/x/a"));
        assert_eq!(base.join("s3://b/k"), url("s3://b/k"));
        assert_eq!(Base::new("s3://b").join("k"), url("s3://b/k"));
        let beside = Base::beside(Path::new("x/list.txt"));
        assert_eq!(beside.join("a"), Location::File("x/a".into()));
        assert_eq!(beside.join("/a"), Location::File("/a".into()));
        assert!(!is_url("://x") && !is_url("a b://x") && is_url("ftp://x"));
    }
}
