//! Opens the store behind each URL, and lists, uploads and removes objects in buckets.
//!
//! Credentials and endpoints come from environment variables.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::{collections::BTreeSet, fmt, io, sync::Arc, time::Duration};

use ::http::HeaderValue;
use data_encoding::BASE64;
use futures_util::TryStreamExt;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::{ClientOptions, MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig, path};
use percent_encoding::percent_decode_str;
use url::Url;

use super::hub::{Repository, add};
use super::object::{one_line, source_error};
use super::requests::{Redirects, RetryingConnector};
use super::{Remote, hub};
use crate::{NetworkOptions, Scheme, SourceError, split_container};

fn address(what: &dyn fmt::Display) -> SourceError {
    SourceError::Address(what.to_string())
}

/// Splits a URL into the key of its store (an origin, bucket or repository) and the path of the object in the store.
pub(super) fn split(url: &str) -> Result<(String, path::Path), SourceError> {
    let parsed = Url::parse(url).map_err(|error| address(&error))?;
    let Some(scheme) = Scheme::of(url) else { return Err(address(&format!("{}:// is not read", parsed.scheme()))) };
    if scheme == Scheme::Http {
        let origin = parsed.origin().ascii_serialization();
        // Stores rewrite some characters of paths; such a URL, or one with a query, is given whole to a store of its
        // own.
        let path = path::Path::parse(parsed.path()).ok();
        return Ok(match path.filter(|path| format!("{origin}/{path}") == url) {
            Some(path) => (origin, path),
            None => (url.to_owned(), path::Path::default()),
        });
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(address(&format!("credentials of {}:// are taken from the environment", parsed.scheme())));
    }
    let what = match scheme {
        Scheme::Hub => "names no hf://datasets/ORG/NAME or hf://buckets/ORG/NAME",
        _ => "names no bucket",
    };
    let (container, path) = split_container(url).ok_or_else(|| address(&what))?;
    Ok((container.to_owned(), path::Path::parse(path).map_err(|error| address(&error))?))
}

/// Opens an object store by its key: an origin, a bucket or a repository, as [`split`] returns it.
pub(super) fn open(key: &str, options: &NetworkOptions) -> Result<Arc<dyn ObjectStore>, SourceError> {
    let plain = RetryingConnector { options: options.clone(), authorization: None, redirects: Redirects::SameServer };
    // The client repeats requests itself.
    let no_retries = RetryConfig { max_retries: 0, ..RetryConfig::default() };
    let name = key.split_once("://").map_or(key, |(_, name)| name);
    let failed = |error: object_store::Error| address(&one_line(&error));
    macro_rules! bucket {
        ($builder:expr) => {
            Arc::new($builder.with_http_connector(plain).with_retry(no_retries).build().map_err(failed)?)
        };
    }
    Ok(match Scheme::of(key) {
        Some(Scheme::S3) => bucket!(AmazonS3Builder::from_env().with_bucket_name(name)),
        Some(Scheme::Google) => bucket!(GoogleCloudStorageBuilder::from_env().with_bucket_name(name)),
        Some(Scheme::Azure) => bucket!(MicrosoftAzureBuilder::from_env().with_container_name(name)),
        Some(Scheme::Hub) => {
            let files = hub::Repository::new(key)?.files();
            http(&files, hub::connector(options)?, no_retries).map_err(failed)?
        }
        Some(Scheme::Http) | None => {
            let (url, authorization) = without_user(key);
            let redirects = if options.follow_hosts { Redirects::Anywhere } else { Redirects::SameHost };
            http(&url, RetryingConnector { authorization, redirects, ..plain }, no_retries).map_err(failed)?
        }
    })
}

fn http(url: &str, connector: RetryingConnector, retries: RetryConfig) -> object_store::Result<Arc<dyn ObjectStore>> {
    let builder = HttpBuilder::new().with_url(url).with_client_options(ClientOptions::new().with_allow_http(true));
    Ok(Arc::new(builder.with_http_connector(connector).with_retry(retries).build()?))
}

/// Returns a URL without user and password, and these as the value of an `Authorization` header.
fn without_user(url: &str) -> (String, Option<HeaderValue>) {
    let Ok(mut parsed) = Url::parse(url) else { return (url.to_owned(), None) };
    if parsed.username().is_empty() && parsed.password().is_none() {
        return (url.to_owned(), None);
    }
    let mut user: Vec<u8> = percent_decode_str(parsed.username()).collect();
    user.push(b':');
    user.extend(percent_decode_str(parsed.password().unwrap_or_default()));
    let header = HeaderValue::try_from(format!("Basic {}", BASE64.encode(&user))).ok();
    let header = header.map(|mut header| {
        header.set_sensitive(true);
        header
    });
    // Neither fails for a URL with a host.
    match parsed.set_username("").and(parsed.set_password(None)) {
        Ok(()) => (parsed.into(), header),
        Err(()) => (url.to_owned(), header),
    }
}

/// Minimum number of bytes in a part of an uploaded object. Stores accept at most 10,000 parts of an object.
const PART: u64 = 16 << 20;
const MAX_PARTS: u64 = 9_000;

impl Remote {
    /// Lists the objects below a prefix such as `s3://BUCKET/PREFIX/`, as URLs in the order of their names.
    ///
    /// # Errors
    /// Fails if the URL has a scheme without lists, or if the bucket cannot be listed.
    pub fn list(&self, url: &str) -> Result<Vec<String>, SourceError> {
        let Some((container, prefix)) = split_container(url) else {
            return Err(SourceError::Address("it cannot be listed".to_owned()));
        };
        let names = if Scheme::of(url) == Some(Scheme::Hub) {
            let repository = Repository::new(container)?;
            self.wait(repository.list(prefix, &self.0.options))??
        } else {
            let (_, store, prefix) = self.place(url)?;
            self.wait(names(&*store, container, &prefix, 2 * self.0.options.retry_for))??
        };
        Ok(names.into_iter().collect())
    }

    /// Uploads a file to a URL such as `s3://BUCKET/KEY`, in parts if it is large. The object appears when it is
    /// complete.
    ///
    /// # Errors
    /// Fails if the URL is invalid, the file cannot be read, or the bucket refuses it. Parts of an incomplete object
    /// are removed.
    pub fn upload(&self, file: &Path, url: &str) -> Result<(), SourceError> {
        check_is_written(url)?;
        let (_, store, path) = self.place(url)?;
        let read = |error: io::Error| SourceError::File(error.to_string());
        let mut file = File::open(file).map_err(read)?;
        let length = file.metadata().map_err(read)?.len();
        let part = PART.max(length.div_ceil(MAX_PARTS));
        if length <= part {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(read)?;
            let put = self.wait(store.put(&path, PutPayload::from(bytes)))?;
            return put.map(drop).map_err(|error| source_error(&error));
        }
        let begin = self.wait(store.put_multipart(&path))?;
        let mut upload = begin.map_err(|error| source_error(&error))?;
        let sent = self.wait(parts(&mut *upload, &mut file, part)).and_then(|sent| sent);
        if sent.is_err() {
            // What was sent takes room, unseen, until it is given up; the first error is the one to tell.
            let _ = self.runtime()?.block_on(upload.abort());
        }
        sent
    }

    /// Removes the object at a URL such as `s3://BUCKET/KEY`; succeeds if there is none.
    ///
    /// # Errors
    /// Fails if the URL is invalid, or if the bucket refuses.
    pub fn remove(&self, url: &str) -> Result<(), SourceError> {
        check_is_written(url)?;
        let (_, store, path) = self.place(url)?;
        match self.wait(store.delete(&path))? {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(source_error(&error)),
        }
    }
}

/// Lists the URLs of the objects in a container below a prefix. Fails if the next name takes longer than `patience`,
/// because a store may return endless pages without a name.
pub(super) async fn names(
    store: &dyn ObjectStore,
    container: &str,
    prefix: &path::Path,
    patience: Duration,
) -> Result<BTreeSet<String>, SourceError> {
    let mut names = BTreeSet::new();
    let mut objects = store.list(Some(prefix).filter(|prefix| !prefix.as_ref().is_empty()));
    loop {
        let next = tokio::time::timeout(patience, objects.try_next()).await;
        let silent = |_| SourceError::Failed(format!("a list without a name for {} s", patience.as_secs()));
        match next.map_err(silent)?.map_err(|error| source_error(&error))? {
            Some(object) => add(&mut names, format!("{container}/{}", object.location))?,
            None => return Ok(names),
        }
    }
}

async fn parts(upload: &mut dyn MultipartUpload, file: &mut File, part: u64) -> Result<(), SourceError> {
    loop {
        let mut bytes = Vec::new();
        file.take(part).read_to_end(&mut bytes).map_err(|error| SourceError::File(error.to_string()))?;
        if bytes.is_empty() {
            break;
        }
        upload.put_part(PutPayload::from(bytes)).await.map_err(|error| source_error(&error))?;
    }
    upload.complete().await.map(drop).map_err(|error| source_error(&error))
}

fn check_is_written(url: &str) -> Result<(), SourceError> {
    match Scheme::of(url).is_some_and(Scheme::is_written) {
        true => Ok(()),
        false => Err(SourceError::Address(format!("only {} are written", Scheme::WRITTEN))),
    }
}
