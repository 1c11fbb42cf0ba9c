//! Checks the bearer token of a request, and the host that the request names.
//!
//! Without a token, a browser on this machine would let in requests that a web page of another site may have sent.
//! They are refused.

use std::{fmt, fs, io, net::IpAddr, path::Path};

use axum::extract::Request;
use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, StatusCode, Uri, uri::Authority};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::service::listen::{ByUnixSocket, named};
use crate::service::{answer::Refusal, shared_state::App};

/// Minimum number of bytes of a token; shorter tokens can be guessed over the network.
const MIN_TOKEN_BYTES: usize = 16;

/// Paths that are answered without a token: health checks, and the static files of the web page.
pub(crate) const OPEN_PATHS: [&str; 7] =
    ["/healthz", "/readyz", "/", "/assets/app.css", "/assets/app.js", "/assets/viewer.css", "/assets/viewer.js"];

/// Checks whether a request may be answered, and returns a refusal if not. If the service has a token, the request must
/// bring it, unless its path `is_open`. Otherwise the request must name a served host and, unless its path is open, not
/// come from a page of another site. Unix sockets, which browsers do not reach, are exempt from that.
pub(crate) fn admitted(app: &App, request: &Request, is_open: bool) -> Result<(), Refusal> {
    let headers = request.headers();
    match &app.settings.token {
        Some(token) if is_open || token.is_in(headers) => Ok(()),
        Some(_) => Err(Refusal(StatusCode::UNAUTHORIZED, "a bearer token is needed".into())),
        None if request.extensions().get::<ByUnixSocket>().is_some() => Ok(()),
        None => {
            let guard = &app.settings.guard;
            let checked =
                if is_open { guard.host(request.uri(), headers) } else { guard.check(request.uri(), headers) };
            checked.map_err(|foreign| Refusal(StatusCode::FORBIDDEN, foreign.into()))
        }
    }
}

/// Secret token that requests must send as `Authorization: Bearer TOKEN`; only its SHA-256 digest is stored.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    /// Creates a token from a secret text.
    ///
    /// # Errors
    /// Fails if the secret is too short or not visible ASCII. The message does not contain the secret.
    pub fn new(secret: &str) -> io::Result<Self> {
        if secret.len() < MIN_TOKEN_BYTES {
            return Err(io::Error::other(format!("the token is shorter than {MIN_TOKEN_BYTES} characters")));
        }
        if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(io::Error::other("the token has characters other than visible ASCII"));
        }
        Ok(Self(digest(secret.as_bytes())))
    }

    /// Reads a token from a file, ignoring white space around the token.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or for the reasons of [`Token::new`].
    pub fn from_file(path: &Path) -> io::Result<Self> {
        let secret = fs::read_to_string(path).map_err(|error| named(path.display(), error))?;
        Self::new(secret.trim())
    }

    /// Returns whether the headers of a request contain the token, compared in constant time.
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        let Some(value) = headers.get(AUTHORIZATION) else { return false };
        let Some((scheme, given)) = value.as_bytes().split_at_checked(b"Bearer ".len()) else { return false };
        scheme.eq_ignore_ascii_case(b"Bearer ") && bool::from(self.0.ct_eq(&digest(given)))
    }
}

/// Returns the SHA-256 digest of a secret, whose comparison does not reveal the secret's length.
fn digest(secret: &[u8]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Name of the header in which browsers say whether a page of another site made the request.
const FETCH_SITE: &str = "sec-fetch-site";

/// Guard against requests that a web page of another site sends through a browser; holds the served host names.
#[derive(Clone, Debug, Default)]
pub struct HostGuard {
    names: Vec<String>,
}

impl HostGuard {
    /// Creates a guard that allows requests for IP addresses, `localhost` and these names. IP addresses are safe: in an
    /// attack by DNS rebinding, the browser sends the attacker's host name.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let names = names.into_iter().map(|name| bare(&name));
        Self { names: names.collect() }
    }

    /// Checks that a request names a served host, and that no page of another site sent it.
    ///
    /// # Errors
    /// Fails, with a message, if the request names another host or a page of another site sent it.
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), String> {
        const OF_OTHERS: &str = "pages of other sites are not served";
        self.host(uri, headers)?;
        let stated = headers.get(HOST).and_then(|host| Authority::try_from(host.as_bytes()).ok());
        let authority = uri.authority().or(stated.as_ref());
        for origin in headers.get_all(ORIGIN) {
            let origin = Uri::try_from(origin.as_bytes()).ok().filter(|origin| origin.scheme().is_some());
            if authority.is_none() || origin.as_ref().and_then(Uri::authority) != authority {
                return Err(OF_OTHERS.to_owned());
            }
        }
        let mut sites = headers.get_all(FETCH_SITE).iter();
        // `none`: a person typed the address.
        match sites.all(|site| site == "same-origin" || site == "none") {
            true => Ok(()),
            false => Err(OF_OTHERS.to_owned()),
        }
    }

    /// Checks that the service serves the host that a request names.
    ///
    /// # Errors
    /// Fails for any other host, whose name may have been made to mean this machine (DNS rebinding).
    pub fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), String> {
        // Browsers always name one. HTTP/2 names it in the URI.
        let stated = headers.get_all(HOST).iter();
        let stated = stated.map(|host| String::from_utf8_lossy(host.as_bytes()).into_owned());
        let all = uri.authority().map(Authority::to_string).into_iter();
        for host in all.chain(stated) {
            let named = host.parse::<Authority>();
            if !named.is_ok_and(|named| self.knows(named.host())) {
                let host: String = host.escape_debug().take(100).collect();
                return Err(format!("this host is not served: {host}"));
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

/// Returns a host name in lower case, without the final dot of the DNS root.
fn bare(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "correct-horse-battery";

    #[test]
    fn only_the_token_opens() {
        let token = Token::new(SECRET).unwrap();
        let opens = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, value.parse().unwrap());
            token.is_in(&headers)
        };
        assert!(opens(&format!("Bearer {SECRET}")) && opens(&format!("bearer {SECRET}")));
        for wrong in [
            SECRET.to_owned(),
            format!("Basic {SECRET}"),
            format!("Bearer {SECRET}x"),
            format!("Bearer {}", &SECRET[1..]),
            "Bearer ".to_owned(),
            "Bearer".to_owned(),
        ] {
            assert!(!opens(&wrong), "{wrong}");
        }
        assert!(!token.is_in(&HeaderMap::new()));
        assert!(!format!("{token:?}").contains("horse"));
    }

    #[test]
    fn what_cannot_be_a_token_is_refused_without_being_told() {
        for wrong in ["tiny-secret", "with spaces in the middle", "über-sechzehn-zeichen"] {
            let error = Token::new(wrong).unwrap_err().to_string();
            assert!(!error.contains(wrong), "{error}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, format!("{SECRET}\n")).unwrap();
        assert_eq!(Token::from_file(&path).unwrap().0, Token::new(SECRET).unwrap().0);
        assert!(Token::from_file(&folder.path().join("gone")).is_err());
    }

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
