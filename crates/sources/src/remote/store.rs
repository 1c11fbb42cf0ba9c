//! The store behind each URL, opened by the variables of the environment, and buckets as a whole.
//!
//! Objects of a bucket are listed and written.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use ::http::HeaderValue;
use data_encoding::BASE64;
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::{
    ClientConfigKey, ClientOptions, MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig, path,
};
use percent_encoding::percent_decode_str;
use url::Url;

use super::hub::{Names, Repository};
use super::object::{one_line, source_error};
use super::requests::RetryingConnector;
use super::{Remote, hub};
use crate::{NetworkOptions, Scheme, SourceError, split_container};

/// Longer than any run: stores end requests after 30 s otherwise, however well the bytes come.
const NO_TIMEOUT: &str = "30days";

fn address(what: &dyn fmt::Display) -> SourceError {
    SourceError::Address(what.to_string())
}

/// The key of the store of a URL, and the path in the store.
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
        let (name, variable) = (parsed.scheme(), scheme.key_variable());
        return Err(address(&format!("credentials of {name}:// are taken from the environment ({variable})")));
    }
    let (container, path) =
        split_container(url).ok_or_else(|| address(&format!("names no {}", container_of(scheme))))?;
    Ok((container.to_owned(), path::Path::parse(path).map_err(|error| address(&error))?))
}

fn container_of(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::Hub => "hf://datasets/ORG/NAME or hf://buckets/ORG/NAME",
        Scheme::Azure => "container",
        Scheme::Http | Scheme::S3 | Scheme::Google => "bucket",
    }
}

/// The store that [`split`] names.
pub(super) fn open(key: &str, options: &NetworkOptions) -> Result<Arc<dyn ObjectStore>, SourceError> {
    let plain = RetryingConnector { options: options.clone(), authorization: None, sends_on: false };
    // The client repeats requests itself.
    let no_retries = RetryConfig { max_retries: 0, ..RetryConfig::default() };
    let name = key.split_once("://").map_or(key, |(_, name)| name);
    let failed = |error: object_store::Error| address(&one_line(&error));
    Ok(match Scheme::of(key) {
        Some(Scheme::S3) => {
            let builder = AmazonS3Builder::from_env()
                .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), NO_TIMEOUT)
                .with_bucket_name(name)
                .with_http_connector(plain)
                .with_retry(no_retries);
            Arc::new(builder.build().map_err(failed)?)
        }
        Some(Scheme::Google) => {
            let builder = GoogleCloudStorageBuilder::from_env()
                .with_config(GoogleConfigKey::Client(ClientConfigKey::Timeout), NO_TIMEOUT)
                .with_bucket_name(name)
                .with_http_connector(plain)
                .with_retry(no_retries);
            Arc::new(builder.build().map_err(failed)?)
        }
        Some(Scheme::Azure) => {
            let builder = MicrosoftAzureBuilder::from_env()
                .with_config(AzureConfigKey::Client(ClientConfigKey::Timeout), NO_TIMEOUT)
                .with_container_name(name)
                .with_http_connector(plain)
                .with_retry(no_retries);
            Arc::new(builder.build().map_err(failed)?)
        }
        Some(Scheme::Hub) => {
            let files = hub::Repository::new(key)?.files();
            http(&files, hub::connector(options)?, no_retries).map_err(failed)?
        }
        Some(Scheme::Http) | None => {
            let (url, authorization) = without_user(key);
            http(&url, RetryingConnector { authorization, ..plain }, no_retries).map_err(failed)?
        }
    })
}

fn http(url: &str, connector: RetryingConnector, retries: RetryConfig) -> object_store::Result<Arc<dyn ObjectStore>> {
    let client = ClientOptions::new().with_allow_http(true).with_timeout_disabled();
    let builder =
        HttpBuilder::new().with_url(url).with_client_options(client).with_http_connector(connector).with_retry(retries);
    Ok(Arc::new(builder.build()?))
}

/// A URL without user and password, and these as a header.
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

/// Bytes of a part of an object that is written. An object has at most 10,000 of them.
const PART: u64 = 16 << 20;
const MAX_PARTS: u64 = 9_000;

impl Remote {
    /// The objects below a prefix such as `s3://BUCKET/PREFIX/`, as URLs in the order of their names.
    ///
    /// # Errors
    /// If the address is none of a scheme that is listed, or the bucket is not listed.
    pub fn list(&self, url: &str) -> Result<Vec<String>, SourceError> {
        let Some((container, prefix)) = split_container(url) else {
            return Err(SourceError::Address("it cannot be listed".to_owned()));
        };
        let names = if Scheme::of(url) == Some(Scheme::Hub) {
            let repository = Repository::new(container)?;
            self.wait(repository.list(prefix, &self.0.options))??
        } else {
            let (_, store, prefix) = self.place(url)?;
            let prefix = Some(prefix).filter(|prefix| !prefix.as_ref().is_empty());
            let found = async {
                let mut names = Names::default();
                let mut objects = store.list(prefix.as_ref());
                while let Some(object) = objects.try_next().await.map_err(|error| source_error(&error))? {
                    names.add(format!("{container}/{}", object.location))?;
                }
                Ok(names)
            };
            self.wait(found)??
        };
        Ok(names.in_order())
    }

    /// Writes a file to a URL such as `s3://BUCKET/KEY`, in parts if it is large; the object is there once it is whole.
    ///
    /// # Errors
    /// If the address is none, the file cannot be read, or the bucket does not take it; of an object
    /// that was begun nothing stays.
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

    /// Removes the object at a URL such as `s3://BUCKET/KEY`.
    ///
    /// # Errors
    /// If the address is none, or the bucket refuses.
    pub fn remove(&self, url: &str) -> Result<(), SourceError> {
        check_is_written(url)?;
        let (_, store, path) = self.place(url)?;
        self.wait(remove(&*store, &path))?
    }
}

async fn remove(store: &dyn ObjectStore, path: &path::Path) -> Result<(), SourceError> {
    match store.delete(path).await {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(source_error(&error)),
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
