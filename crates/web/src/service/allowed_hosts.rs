//! Refuses requests that a web page of another site may have sent. Without a token, a browser on this machine
//! would let them in.

use std::net::IpAddr;

use http::header::{HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Uri};

/// The header in which browsers say whose page asks.
const FETCH_SITE: &str = "sec-fetch-site";

/// The hosts that requests may name, and the pages that may send them.
#[derive(Clone, Debug, Default)]
pub struct HostGuard {
    names: Vec<String>,
}

/// Reason why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Foreign {
    /// It names a host that may have been made to mean this machine (DNS rebinding).
    #[error("this host is not served: {0}")]
    Host(String),
    /// A page of another site sent it.
    #[error("pages of other sites are not served")]
    Page,
}

impl HostGuard {
    /// Lets through requests for IP addresses, `localhost` and these names. An address cannot be a rebound
    /// name, as a browser says the name that it was given.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let names = names.into_iter().map(|name| bare(&name));
        Self { names: names.collect() }
    }

    /// Checks that a request may be answered.
    ///
    /// # Errors
    /// If it names another host, or a page of another site sent it.
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Foreign> {
        self.host(uri, headers)?;
        let authority = uri.authority().map(|authority| authority.as_str().as_bytes());
        let authority = authority.or_else(|| headers.get(HOST).map(HeaderValue::as_bytes));
        for origin in headers.get_all(ORIGIN) {
            if !equal(behind_scheme(origin.as_bytes()), authority) {
                return Err(Foreign::Page);
            }
        }
        let mut sites = headers.get_all(FETCH_SITE).iter();
        // `none`: a person typed the address.
        if sites.all(|site| site == "same-origin" || site == "none") { Ok(()) } else { Err(Foreign::Page) }
    }

    /// Checks that the host which a request names may be served.
    ///
    /// # Errors
    /// [`Foreign::Host`] if not.
    pub fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Foreign> {
        // Browsers always name one. HTTP/2 names it in the URI.
        let stated = headers.get_all(HOST).iter();
        let stated = stated.map(|host| String::from_utf8_lossy(host.as_bytes()).into_owned());
        let all = uri.authority().map(Authority::to_string).into_iter();
        for host in all.chain(stated) {
            let named = host.parse::<Authority>();
            if !named.is_ok_and(|named| self.knows(named.host())) {
                return Err(Foreign::Host(host.escape_debug().take(100).collect()));
            }
        }
        Ok(())
    }

    fn knows(&self, host: &str) -> bool {
        let host = bare(host);
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        address.unwrap_or(&host).parse::<IpAddr>().is_ok() || host == "localhost" || self.names.contains(&host)
    }
}

/// A name in lower case, without the dot of the root.
fn bare(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

/// The part behind `://`.
fn behind_scheme(origin: &[u8]) -> Option<&[u8]> {
    let at = origin.windows(3).position(|three| three == b"://")?;
    origin.get(at + 3..)
}

fn equal(one: Option<&[u8]>, other: Option<&[u8]>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one.eq_ignore_ascii_case(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in all {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn checked(all: &[(&'static str, &str)]) -> bool {
        let guard = HostGuard::new(["extractor.Internal".to_owned()]);
        guard.check(&Uri::from_static("/extract"), &headers(all)).is_ok()
    }

    #[test]
    fn only_names_of_this_service_are_answered() {
        for host in [
            "localhost", "LOCALHOST:8642", "localhost.:1", "127.0.0.1:80", "[::1]:8642", "10.1.2.3",
            "extractor.internal:8642",
        ] {
            assert!(checked(&[("host", host)]), "{host}");
        }
        for host in [
            "evil.example", "evil.example:8642", "localhost.evil.example", "127.0.0.1.evil.example",
            "localhost@evil.example", "", "a b", "extractor.internal.evil",
        ] {
            assert!(!checked(&[("host", host)]), "{host}");
        }
        assert!(!checked(&[("host", "localhost"), ("host", "evil.example")]));
        assert!(checked(&[]), "no browser leaves it out");
        let rebound = Uri::from_static("http://evil.example/extract");
        let guard = HostGuard::default();
        assert!(guard.check(&rebound, &HeaderMap::new()).is_err());
        assert!(guard.check(&rebound, &headers(&[("host", "localhost")])).is_err());
    }

    #[test]
    fn only_pages_of_this_service_ask() {
        let asks = |name, value| checked(&[("host", "localhost:8642"), (name, value)]);
        assert!(asks("origin", "http://localhost:8642") && asks("origin", "https://LOCALHOST:8642"));
        assert!(asks("sec-fetch-site", "same-origin") && asks("sec-fetch-site", "none"));
        for origin in [
            "https://evil.example", "http://localhost:3000", "http://localhost", "null", "",
            "http://localhost:8642.evil.example", "http://127.0.0.1:8642",
        ] {
            assert!(!asks("origin", origin), "{origin}");
        }
        for site in ["cross-site", "same-site", ""] {
            assert!(!asks("sec-fetch-site", site), "{site}");
        }
        let both = [("origin", "http://localhost"), ("origin", "http://evil.example")];
        assert!(!checked(&[("host", "localhost"), both[0], both[1]]));
        assert!(!checked(&[("origin", "http://localhost")]), "of no host");
    }
}
