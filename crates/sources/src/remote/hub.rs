//! Finds and lists the files of datasets and buckets on the Hugging Face Hub.
//!
//! Files come from `ENDPOINT/.../resolve/...`, which redirects to the host that stores them. Lists come in pages, and
//! the `Link` header of each page names the next. A list that repeats a name or is too long is refused.

use std::collections::BTreeSet;
use std::env;

use ::http::header::LINK;
use ::http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use object_store::ClientOptions;
use object_store::client::{HttpConnector, HttpError, HttpRequestBody};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Deserialize;
use url::Url;

use super::requests::{Redirects, RetryingConnector, causes, innermost};
use crate::{NetworkOptions, SourceError};

/// URL of the Hugging Face Hub, unless the variable `HF_ENDPOINT` names another.
const ENDPOINT: &str = "https://huggingface.co";
/// Characters that are percent-encoded in a segment of a path: all but letters, digits and `-_.~`.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Repository on the Hugging Face Hub: a dataset at a revision, or a bucket.
#[derive(Debug)]
pub(super) struct Repository {
    endpoint: Url,
    /// Percent-encoded name of the repository: `datasets/ORG/NAME` or `buckets/ORG/NAME`.
    name: String,
    /// Revision as a path segment with a leading slash, such as `/main`; empty for buckets.
    revision: String,
    /// URL of the repository as the user wrote it, such as `hf://datasets/ORG/NAME@REVISION`.
    container: String,
}

/// Entry of a list of files on the Hub: the type (`file` or another) and the path.
#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    path: String,
}

impl Repository {
    /// Parses the URL of a repository, such as `hf://datasets/ORG/NAME@REVISION`. The endpoint is that of the variable
    /// `HF_ENDPOINT`, or the default.
    pub(super) fn new(container: &str) -> Result<Self, SourceError> {
        let endpoint = env::var("HF_ENDPOINT").ok().filter(|endpoint| !endpoint.is_empty());
        Self::at(endpoint.as_deref().unwrap_or(ENDPOINT), container)
    }

    fn at(endpoint: &str, container: &str) -> Result<Self, SourceError> {
        let parsed = Url::parse(endpoint).ok().filter(|url| ["http", "https"].contains(&url.scheme()));
        let endpoint = parsed.ok_or_else(|| SourceError::Address("HF_ENDPOINT is no http(s):// URL".to_owned()))?;
        let place = container.strip_prefix("hf://").unwrap_or(container);
        let (name, revision) = place.split_once('@').unwrap_or((place, "main"));
        let is_bucket = name.starts_with("buckets/");
        if is_bucket && place.contains('@') {
            return Err(SourceError::Address("buckets have no revisions".to_owned()));
        }
        let segments: Vec<String> = name.split('/').map(segment).collect();
        let revision = percent_decode_str(revision).decode_utf8_lossy();
        Ok(Self {
            endpoint,
            name: segments.join("/"),
            revision: if is_bucket { String::new() } else { format!("/{}", segment(&revision)) },
            container: container.to_owned(),
        })
    }

    /// Returns the base URL of the files of the repository.
    pub(super) fn files(&self) -> String {
        let endpoint = self.endpoint.as_str().trim_end_matches('/');
        format!("{endpoint}/{}/resolve{}", self.name, self.revision)
    }

    /// Returns the URL of the first page of the list of all files below a prefix.
    fn tree(&self, prefix: &str) -> String {
        let endpoint = self.endpoint.as_str().trim_end_matches('/');
        let below = if prefix.is_empty() { String::new() } else { format!("/{}", segment(prefix)) };
        format!("{endpoint}/api/{}/tree{}{below}?recursive=true", self.name, self.revision)
    }

    /// Lists the files below a prefix, as `hf://` URLs.
    pub(super) async fn list(&self, prefix: &str, options: &NetworkOptions) -> Result<BTreeSet<String>, SourceError> {
        let folder = prefix.trim_end_matches('/');
        let client = connector(options)?.connect(&ClientOptions::new().with_allow_http(true));
        let client = client.map_err(|error| SourceError::Failed(error.to_string()))?;
        let mut found = BTreeSet::new();
        let mut next = Some(self.tree(folder));
        while let Some(page) = next.take() {
            let request = Request::builder().method(Method::GET).uri(page).body(HttpRequestBody::empty());
            let request = request.map_err(|error| SourceError::Address(error.to_string()))?;
            let response = client.execute(request).await.map_err(|error| failed(&error))?;
            let code = response.headers().get("x-error-code");
            match response.status() {
                status if status.is_success() => {}
                // A folder that is not there, in a repository that is.
                StatusCode::NOT_FOUND if code.is_some_and(|code| code == "EntryNotFound") => break,
                StatusCode::NOT_FOUND => return Err(SourceError::NotFound),
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(SourceError::Denied),
                status => return Err(SourceError::Failed(format!("the hub answers {status}"))),
            }
            next = self.next_page(response.headers())?;
            let body = response.into_body().bytes().await.map_err(|error| failed(&error))?;
            let entries: Vec<Entry> = serde_json::from_slice(&body)
                .map_err(|error| SourceError::Failed(format!("a list that is none: {error}")))?;
            // The list of a bucket goes by the beginnings of names.
            let is_below =
                |path: &str| folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
            let files = entries.into_iter().filter(|entry| entry.kind == "file" && is_below(&entry.path));
            for entry in files {
                add(&mut found, format!("{}/{}", self.container, entry.path))?;
            }
        }
        Ok(found)
    }

    /// Returns the URL of the next page of a list, from its `Link` header; `None` after the last. Fails if the page is
    /// not on the endpoint, because requests carry the token.
    fn next_page(&self, headers: &HeaderMap) -> Result<Option<String>, SourceError> {
        let links = headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok());
        let mut links = links.flat_map(|value| value.split(','));
        let next = links.find_map(|link| {
            let (target, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
            let is_next = parameters.split(';').any(|part| matches!(part.trim(), "rel=\"next\"" | "rel=next"));
            is_next.then(|| target.to_owned())
        });
        let Some(next) = next else { return Ok(None) };
        let url = self.endpoint.join(&next).map_err(|error| SourceError::Failed(error.to_string()))?;
        if url.origin() != self.endpoint.origin() {
            return Err(SourceError::OtherHost(url.host_str().unwrap_or_default().to_owned()));
        }
        Ok(Some(url.into()))
    }
}

/// Creates a connector for requests to the Hub, with the token of the variable `HF_TOKEN` if it is set.
pub(super) fn connector(options: &NetworkOptions) -> Result<RetryingConnector, SourceError> {
    let token = env::var("HF_TOKEN").ok().map(|token| token.trim().to_owned()).filter(|token| !token.is_empty());
    let authorization = token.map(|token| {
        let header = HeaderValue::try_from(format!("Bearer {token}"));
        let mut header = header.map_err(|_| SourceError::Address("HF_TOKEN is no token".to_owned()))?;
        header.set_sensitive(true);
        Ok(header)
    });
    let redirects = Redirects::Anywhere;
    Ok(RetryingConnector { authorization: authorization.transpose()?, redirects, options: options.clone() })
}

/// Converts an HTTP error to the [`SourceError`] that it wraps, or else to a failure with its message.
fn failed(error: &HttpError) -> SourceError {
    let wrapped = causes(error).find_map(|cause| cause.downcast_ref::<SourceError>());
    wrapped.cloned().unwrap_or_else(|| SourceError::Failed(innermost(error)))
}

fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// Maximum number of names in a list of files; more are an error. The names take a few hundred megabytes.
const MAX_NAMES: usize = 2 << 20;

/// Adds the name of an object to the names listed so far.
///
/// # Errors
/// Fails if the name is listed already, because the list may then be endless, or if there are too many names.
pub(super) fn add(names: &mut BTreeSet<String>, name: String) -> Result<(), SourceError> {
    let what = match (names.len() < MAX_NAMES, names.insert(name)) {
        (true, true) => return Ok(()),
        (false, _) => format!("a list of more than {MAX_NAMES} names"),
        (_, false) => "a list that repeats itself".to_owned(),
    };
    Err(SourceError::Failed(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_lists_have_the_addresses_of_the_hub() {
        let hub = |container: &str| Repository::at("https://hub.example.org/", container).unwrap();
        let set = hub("hf://datasets/o/n");
        assert_eq!(set.files(), "https://hub.example.org/datasets/o/n/resolve/main");
        assert_eq!(set.tree("a/b c"), "https://hub.example.org/api/datasets/o/n/tree/main/a%2Fb%20c?recursive=true");
        let request = hub("hf://datasets/o/n@refs/pr/3");
        assert_eq!(request.files(), "https://hub.example.org/datasets/o/n/resolve/refs%2Fpr%2F3");
        assert_eq!(hub("hf://datasets/o/n@refs%2Fpr%2F3").files(), request.files());
        assert!(hub("hf://datasets/o/n@~parquet").files().ends_with("/resolve/~parquet"));
        let bucket = hub("hf://buckets/o/n");
        assert_eq!(bucket.files(), "https://hub.example.org/buckets/o/n/resolve");
        assert_eq!(bucket.tree(""), "https://hub.example.org/api/buckets/o/n/tree?recursive=true");
        assert!(Repository::at("https://h", "hf://buckets/o/n@main").is_err());
        assert!(Repository::at("ftp://h", "hf://datasets/o/n").is_err());
    }

    #[test]
    fn the_next_page_is_on_the_same_server() {
        let set = Repository::at("https://hub.example.org", "hf://datasets/o/n").unwrap();
        let next = |link: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(LINK, HeaderValue::from_str(link).unwrap());
            set.next_page(&headers)
        };
        assert_eq!(next("<https://hub.example.org/x?cursor=2>; rel=\"next\""), {
            Ok(Some("https://hub.example.org/x?cursor=2".to_owned()))
        });
        assert_eq!(next("</x>; rel=\"prev\", </y>; rel=\"next\""), Ok(Some("https://hub.example.org/y".to_owned())));
        assert_eq!(next("</x>; rel=\"prev\""), Ok(None));
        for other in ["https://other.example.org/x", "http://hub.example.org/x", "https://hub.example.org:8/x"] {
            let error = next(&format!("<{other}>; rel=\"next\"")).unwrap_err();
            assert!(matches!(error, SourceError::OtherHost(_)), "{error}");
        }
    }

    #[test]
    fn a_list_has_an_end() {
        let mut names = BTreeSet::new();
        let error = (0..5000).find_map(|at| add(&mut names, format!("s3://b/{}", at % 7)).err());
        assert_eq!(error.unwrap().to_string(), "a list that repeats itself");
        assert_eq!(names.len(), 7);
    }
}
