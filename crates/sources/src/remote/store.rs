//! The store behind each URL, opened by the variables of the environment.

use std::{fmt, sync::Arc};

use ::http::HeaderValue;
use data_encoding::BASE64;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{ClientConfigKey, ClientOptions, ObjectStore, RetryConfig};
use percent_encoding::percent_decode_str;
use url::Url;

use super::{hub, object::one_line, retry::RetryingConnector};
use crate::{NetworkOptions, Scheme, SourceError, split_container};

/// Longer than any run: stores end requests after 30 s otherwise, however well the bytes come.
const NO_TIMEOUT: &str = "30days";

fn address(what: &dyn fmt::Display) -> SourceError {
    SourceError::Address(what.to_string())
}

/// The key of the store of a URL, and the path in the store.
pub(super) fn split(url: &str) -> Result<(String, Path), SourceError> {
    let parsed = Url::parse(url).map_err(|error| address(&error))?;
    let Some(scheme) = Scheme::of(url) else { return Err(address(&format!("{}:// is not read", parsed.scheme()))) };
    if scheme == Scheme::Http {
        let origin = parsed.origin().ascii_serialization();
        // Stores rewrite some characters of paths; such a URL, or one with a query, is given whole to a store of its
        // own.
        let path = Path::parse(parsed.path()).ok();
        return Ok(match path.filter(|path| format!("{origin}/{path}") == url) {
            Some(path) => (origin, path),
            None => (url.to_owned(), Path::default()),
        });
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        let (name, variable) = (parsed.scheme(), scheme.key_variable());
        return Err(address(&format!("credentials of {name}:// are taken from the environment ({variable})")));
    }
    let (container, path) =
        split_container(url).ok_or_else(|| address(&format!("names no {}", container_of(scheme))))?;
    Ok((container.to_owned(), Path::parse(path).map_err(|error| address(&error))?))
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
