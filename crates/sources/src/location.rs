//! Locations of archives as paths or URLs, the supported URL schemes, and URLs for display without secrets.

use std::fmt;
use std::path::{Path, PathBuf};

use url::Url;

/// Path of a file, or URL of an object. Displayed without secrets: see [`redacted`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// Path of a file.
    File(PathBuf),
    /// URL of an object, with one of the schemes of [`Scheme`](crate::Scheme).
    Url(String),
}

impl Location {
    /// Returns the location that an argument names: a URL or a path.
    pub fn new(argument: &str) -> Self {
        if is_url(argument) { Self::Url(argument.to_owned()) } else { Self::File(argument.into()) }
    }

    /// Returns the folder that holds the file or object, without the query of a URL.
    pub fn folder(&self) -> Self {
        match self {
            Self::File(file) => Self::File(file.parent().unwrap_or(Path::new("")).to_owned()),
            Self::Url(url) => {
                let path = url.split(['?', '#']).next().unwrap_or(url);
                Self::Url(path.rsplit_once('/').map_or(path, |(folder, _)| folder).to_owned())
            }
        }
    }

    /// Resolves a name against this location as the base. Returns a URL unchanged, and also an absolute path if the
    /// base is a local folder; any other name is placed below the base.
    pub fn join(&self, name: &str) -> Self {
        match self {
            _ if is_url(name) => Self::Url(name.to_owned()),
            Self::File(folder) => Self::File(folder.join(name)),
            Self::Url(base) => {
                let (base, name) = (base.trim_end_matches('/'), name.trim_start_matches('/'));
                Self::Url(format!("{base}/{name}"))
            }
        }
    }

    /// Resolves a name in an index against this location as the base, which the name must not leave. Returns `None` for
    /// `..`, for absolute paths if the base is a local folder, and for URLs outside of the base.
    pub fn join_below(&self, name: &str) -> Option<Self> {
        if name.split(['/', '\\']).any(|part| part == "..") {
            return None;
        }
        match (self, self.join(name)) {
            (Self::File(_), Self::File(path)) if Path::new(name).is_relative() => Some(Self::File(path)),
            // As the parser of URLs reads them: it takes a backslash for a slash, `%2e` for a dot, and
            // passes over tabs and line ends.
            (Self::Url(base), Self::Url(joined)) => {
                let (parsed, below) = (Url::parse(&joined).ok()?, Url::parse(base).ok()?);
                let folder = format!("{}/", below.path().trim_end_matches('/'));
                let is_below = parsed.scheme() == below.scheme()
                    && parsed.host_str() == below.host_str()
                    && parsed.port_or_known_default() == below.port_or_known_default()
                    && parsed.username() == below.username()
                    && parsed.path().starts_with(&folder);
                is_below.then_some(Self::Url(joined))
            }
            _ => None,
        }
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

/// Returns whether an argument is a URL rather than a path.
pub fn is_url(argument: &str) -> bool {
    argument
        .split_once("://")
        .is_some_and(|(scheme, _)| !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Supported scheme of URLs, such as `https` or `s3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Web servers: `http://` and `https://`.
    Http,
    /// Amazon S3 and servers with its protocol: `s3://BUCKET/KEY`.
    S3,
    /// Google Cloud Storage: `gs://BUCKET/KEY`.
    Google,
    /// Azure Blob Storage: `az://CONTAINER/KEY`.
    Azure,
    /// Hugging Face Hub: `hf://datasets/ORG/NAME[@REVISION]/PATH` and `hf://buckets/ORG/NAME/PATH`.
    Hub,
}

impl Scheme {
    /// List of the URL schemes that can be read, for messages.
    pub const READ: &str = "http(s)://, s3://, gs://, az:// and hf://";
    /// List of the URL schemes that can be written, for messages.
    pub const WRITTEN: &str = "s3://, gs:// and az://";

    /// Returns the scheme of a URL; `None` if the scheme is not supported.
    pub fn of(url: &str) -> Option<Self> {
        Some(match url.split_once("://")?.0 {
            "http" | "https" => Self::Http,
            "s3" | "s3a" => Self::S3,
            "gs" => Self::Google,
            "az" => Self::Azure,
            "hf" => Self::Hub,
            _ => return None,
        })
    }

    /// Returns whether URLs of this scheme may be folders and globs, which are resolved to the matching objects.
    pub fn is_listed(self) -> bool {
        self != Self::Http
    }

    /// Returns whether outputs can be written to URLs of this scheme.
    pub fn is_written(self) -> bool {
        matches!(self, Self::S3 | Self::Google | Self::Azure)
    }
}

/// Splits a URL into its bucket, container or repository, without a final slash, and the path inside. Returns `None` if
/// objects of the URL's scheme cannot be listed, or if the URL names no bucket.
pub fn split_container(url: &str) -> Option<(&str, &str)> {
    let scheme = Scheme::of(url).filter(|scheme| scheme.is_listed())?;
    let rest = url.split_once("://")?.1;
    let names: Vec<&str> = rest.split('/').collect();
    let count = match scheme {
        Scheme::Hub if !matches!(names.first(), Some(&("datasets" | "buckets"))) => return None,
        // A revision such as refs/pr/3 has slashes of its own.
        Scheme::Hub if names.get(2).is_some_and(|name| name.ends_with("@refs")) => 5,
        Scheme::Hub => 3,
        _ => 1,
    };
    let container = names.get(..count)?;
    if container.iter().any(|name| name.is_empty()) {
        return None;
    }
    let length = container.iter().map(|name| name.len() + 1).sum::<usize>() - 1;
    let (_, path) = rest.split_at_checked(length)?;
    Some((url.get(..url.len() - path.len())?, path.strip_prefix('/').unwrap_or(path)))
}

/// Text that replaces a secret in a URL for display.
const HIDDEN: &str = "REDACTED";
/// Names, in lower case, of query parameters whose values are secret.
const SECRET_NAMES: [&str; 9] = ["sig", "key", "apikey", "jwt", "pwd", "pass", "code", "policy", "key-pair-id"];
/// Words that mark a query parameter as secret if its lowercase name contains one of them.
const SECRET_PARTS: [&str; 8] = ["signature", "token", "secret", "password", "passwd", "credential", "auth", "session"];
/// Endings that mark a query parameter as secret if its lowercase name ends with one of them.
const SECRET_ENDS: [&str; 3] = ["-key", "_key", "keyid"];

/// Returns a URL without user information and secrets, for messages. Replaces fragments, and values of query parameters
/// whose names suggest secrets (signatures, tokens, keys, passwords). Text without `://` is returned unchanged.
pub fn redacted(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    // A parser of URLs takes a backslash for a slash; for what is hidden, the longer reading counts.
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(rest, _)| (rest, Some(HIDDEN)));
    let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
    let query: Option<Vec<String>> = query.map(|query| query.split('&').map(parameter).collect());
    let query = query.map_or_else(String::new, |query| format!("?{}", query.join("&")));
    let fragment = fragment.map_or_else(String::new, |hidden| format!("#{hidden}"));
    format!("{scheme}://{host}{path}{query}{fragment}")
}

fn parameter(parameter: &str) -> String {
    match parameter.split_once('=') {
        Some((name, value)) if is_secret(name) && !value.is_empty() => format!("{name}={HIDDEN}"),
        _ => parameter.to_owned(),
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.contains(&name.as_str())
        || SECRET_PARTS.iter().any(|part| name.contains(part))
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_and_the_rest_is_not() {
        for (url, shown) in [
            ("https://host/a.warc.gz", "https://host/a.warc.gz"),
            ("https://user:p%40ss@host:8080/a", "https://host:8080/a"),
            ("https://user:p@ss@host/a@b", "https://host/a@b"),
            ("s3://KEY:SECRET@bucket/key", "s3://bucket/key"),
            (
                "https://b.example.org/k?X-Amz-Algorithm=A&X-Amz-Credential=C%2F1&X-Amz-Date=D\
                 &X-Amz-Security-Token=T&X-Amz-Signature=S",
                "https://b.example.org/k?X-Amz-Algorithm=A&X-Amz-Credential=REDACTED&X-Amz-Date=D\
                 &X-Amz-Security-Token=REDACTED&X-Amz-Signature=REDACTED",
            ),
            (
                "https://h/k?AWSAccessKeyId=A&Signature=B&Expires=3",
                "https://h/k?AWSAccessKeyId=REDACTED&Signature=REDACTED&Expires=3",
            ),
            ("https://h/k?sv=1&se=2&sig=x%3D&design=2", "https://h/k?sv=1&se=2&sig=REDACTED&design=2"),
            (
                "https://h/k?Key-Pair-Id=A&Policy=B&api_key=C&token=D#access_token=E",
                "https://h/k?Key-Pair-Id=REDACTED&Policy=REDACTED&api_key=REDACTED\
                 &token=REDACTED#REDACTED",
            ),
            ("a/b.warc.gz", "a/b.warc.gz"),
            ("user:pw@host", "user:pw@host"),
        ] {
            assert_eq!(redacted(url), shown);
        }
    }

    #[test]
    fn names_of_an_index_stay_below_its_base() {
        let url = Location::new("https://data.example.org/x/");
        let folder = Location::new("crawl");
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
        let base = Location::new("https://data.example.org/x/");
        assert_eq!(base.join("a/b.gz"), url("https://data.example.org/x/a/b.gz"));
        assert_eq!(base.join("/a"), url("https://data.example.org/x/a"));
        assert_eq!(base.join("s3://b/k"), url("s3://b/k"));
        assert_eq!(Location::new("s3://b").join("k"), url("s3://b/k"));
        let beside = Location::File("x/list.txt".into()).folder();
        assert_eq!(beside.join("a"), Location::File("x/a".into()));
        assert_eq!(beside.join("/a"), Location::File("/a".into()));
        assert!(!is_url("://x") && !is_url("a b://x") && is_url("ftp://x"));
    }

    #[test]
    fn schemes_are_known_by_their_names() {
        for (url, scheme) in [
            ("http://h/a", Some(Scheme::Http)),
            ("https://h/a", Some(Scheme::Http)),
            ("s3a://b/k", Some(Scheme::S3)),
            ("gs://b/k", Some(Scheme::Google)),
            ("az://c/k", Some(Scheme::Azure)),
            ("hf://datasets/o/n/k", Some(Scheme::Hub)),
            ("ftp://h/a", None),
            ("hf:/x", None),
        ] {
            assert_eq!(Scheme::of(url), scheme, "{url}");
        }
    }

    #[test]
    fn containers_are_told_from_paths() {
        for (url, split) in [
            ("s3://b/k/l", Some(("s3://b", "k/l"))),
            ("gs://b/", Some(("gs://b", ""))),
            ("az://c", Some(("az://c", ""))),
            ("s3:///k", None),
            ("hf://datasets/o/n", Some(("hf://datasets/o/n", ""))),
            ("hf://datasets/o/n@v1/a/b.gz", Some(("hf://datasets/o/n@v1", "a/b.gz"))),
            ("hf://datasets/o/n@refs/pr/3/a/b.gz", Some(("hf://datasets/o/n@refs/pr/3", "a/b.gz"))),
            ("hf://buckets/o/n/a/", Some(("hf://buckets/o/n", "a/"))),
            ("hf://datasets/o", None),
            ("hf://datasets//n/a", None),
            ("hf://o/n/a", None),
            ("https://h/a", None),
        ] {
            assert_eq!(split_container(url), split, "{url}");
        }
    }
}
