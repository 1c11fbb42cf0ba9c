//! Errors of network sources, and URLs for display: without passwords and without the secrets of their queries.

use std::io;
use std::path::{Path, PathBuf};

/// Reason why bytes cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The address cannot be used.
    #[error("not a usable address: {0}")]
    Address(String),
    /// There is nothing at the address.
    #[error("not found")]
    NotFound,
    /// The server refuses.
    #[error("access denied (docs/configuration.md names the variables for credentials, and for none)")]
    Denied,
    /// The server sends the request on to a host that the user did not name.
    #[error("redirects to another host ({0}), which is asked only if you say so (run --follow-hosts)")]
    OtherHost(String),
    /// The server of a bucket sends the request on to another one.
    #[error("redirects to another server ({0}), which is not followed from a bucket")]
    OtherServer(String),
    /// The object is not the one that was begun.
    #[error("the object changed while it was read")]
    Changed,
    /// The server or the network failed, after all tries.
    #[error("{0}")]
    Failed(String),
    /// The server sends too slowly, in every try.
    #[error("fewer than {0} bytes a second")]
    TooSlow(u64),
    /// The server gives no parts of the object.
    #[error("the server gives no parts of it (ranges), which are needed here")]
    NoRanges,
    /// Reading was asked to end.
    #[error("stopped")]
    Stopped,
    /// A file cannot be read.
    #[error("{0}")]
    File(String),
    /// The program was built without network sources.
    #[error("this build reads no URLs (feature `remote`)")]
    NotBuilt,
}

impl From<SourceError> for io::Error {
    fn from(error: SourceError) -> Self {
        let kind = match error {
            SourceError::NotFound => io::ErrorKind::NotFound,
            SourceError::Denied => io::ErrorKind::PermissionDenied,
            SourceError::TooSlow(_) => io::ErrorKind::TimedOut,
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

/// An index of records that cannot be read, or names none that is wanted.
#[derive(Debug, thiserror::Error)]
#[error("{path}{line}: {what}")]
#[non_exhaustive]
pub struct RecordIndexError {
    /// The index.
    pub path: PathBuf,
    /// A colon and the number of a line or row, from 1, or nothing.
    pub line: String,
    /// The fault.
    pub what: String,
}

impl RecordIndexError {
    /// Names the file that an error is about.
    pub(crate) fn of<E: ToString>(path: &Path) -> impl Fn(E) -> Self {
        let path = path.to_owned();
        move |error| Self { path: path.clone(), line: String::new(), what: error.to_string() }
    }
}

/// The replacement of a secret.
const HIDDEN: &str = "REDACTED";
/// Names of query parameters that are secrets, in small letters.
const SECRET_NAMES: [&str; 9] = ["sig", "key", "apikey", "jwt", "pwd", "pass", "code", "policy", "key-pair-id"];
/// Parts of such names.
const SECRET_PARTS: [&str; 8] = ["signature", "token", "secret", "password", "passwd", "credential", "auth", "session"];
/// Ends of such names.
const SECRET_ENDS: [&str; 3] = ["-key", "_key", "keyid"];

/// The URL without user information. Values of query parameters that look like secrets (signatures, tokens,
/// keys, passwords) are replaced. Text that is not a URL is returned unchanged, except for the part before
/// an `@` in its authority.
pub fn redacted(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    // A parser of URLs takes a backslash for a slash; for what is hidden, the longer reading counts.
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (rest, None),
    };
    let mut shown = format!("{scheme}://{host}");
    match rest.split_once('?') {
        None => shown.push_str(rest),
        Some((path, query)) => {
            shown.push_str(path);
            shown.push('?');
            let parameters: Vec<String> = query.split('&').map(parameter).collect();
            shown.push_str(&parameters.join("&"));
        }
    }
    if fragment.is_some() {
        shown.push('#');
        shown.push_str(HIDDEN);
    }
    shown
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
}
