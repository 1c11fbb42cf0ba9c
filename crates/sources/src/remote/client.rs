//! The HTTP client of the stores. It follows no redirect by itself.

use std::{str::FromStr, time::Duration};

use jiff::{Span, SpanRelativeTo};
use object_store::{ClientConfigKey, ClientOptions, client::HttpClient};
use reqwest::{Certificate, Client, NoProxy, Proxy, redirect::Policy};

use crate::NetworkOptions;

/// Length of an object whose server does not say it.
pub(super) const UNKNOWN_LENGTH: u64 = 1 << 62;

/// Creates a client with the options of a store, which come from the environment as well. That of `object_store`
/// follows redirects, with all its headers, to any host that a server names.
pub(super) fn client(options: &ClientOptions, network: &NetworkOptions) -> object_store::Result<HttpClient> {
    let failed = |error: reqwest::Error| object_store::Error::Generic { store: "network", source: Box::new(error) };
    let mut builder = Client::builder()
        .redirect(Policy::none())
        .user_agent(text(options, ClientConfigKey::UserAgent).unwrap_or(USER_AGENT.to_owned()))
        .https_only(!is_set(options, ClientConfigKey::AllowHttp));
    if let Some(proxy) = text(options, ClientConfigKey::ProxyUrl) {
        let mut proxy = Proxy::all(proxy).map_err(failed)?;
        if let Some(hosts) = text(options, ClientConfigKey::ProxyExcludes) {
            proxy = proxy.no_proxy(NoProxy::from_string(&hosts));
        }
        if let Some(pem) = text(options, ClientConfigKey::ProxyCaCertificate) {
            let certificate = Certificate::from_pem(pem.as_bytes()).map_err(failed)?;
            builder = builder.tls_certs_merge([certificate]);
        }
        builder = builder.proxy(proxy);
    }
    if is_set(options, ClientConfigKey::AllowInvalidCertificates) {
        builder = builder.tls_danger_accept_invalid_certs(true);
    }
    if is_set(options, ClientConfigKey::Http1Only) {
        builder = builder.http1_only();
    }
    if let Some(time) = time(options, ClientConfigKey::ConnectTimeout) {
        builder = builder.connect_timeout(time);
    }
    if let Some(time) = time(options, ClientConfigKey::Timeout) {
        builder = builder.timeout(time);
    }
    if let Some(time) = time(options, ClientConfigKey::PoolIdleTimeout) {
        builder = builder.pool_idle_timeout(time);
    }
    if let Some(most) = parsed(options, ClientConfigKey::PoolMaxIdlePerHost) {
        builder = builder.pool_max_idle_per_host(most);
    }
    // A reader that is slow must not look like a server that is: only silence counts.
    builder = builder.read_timeout(network.idle);
    #[cfg(test)]
    for (host, address) in &network.addresses {
        builder = builder.resolve(host, *address);
    }
    Ok(HttpClient::new(builder.build().map_err(failed)?))
}

/// The name of this program for servers.
const USER_AGENT: &str = concat!("trommel/", env!("CARGO_PKG_VERSION"));

fn text(options: &ClientOptions, key: ClientConfigKey) -> Option<String> {
    options.get_config_value(&key)
}

fn parsed<T: FromStr>(options: &ClientOptions, key: ClientConfigKey) -> Option<T> {
    text(options, key)?.parse().ok()
}

fn is_set(options: &ClientOptions, key: ClientConfigKey) -> bool {
    parsed(options, key).unwrap_or(false)
}

/// A time such as `30s`.
fn time(options: &ClientOptions, key: ClientConfigKey) -> Option<Duration> {
    let span: Span = parsed(options, key)?;
    span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?.try_into().ok()
}
