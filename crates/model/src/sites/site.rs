//! The site that a page belongs to.

use std::borrow::Cow;

use trommel_text::url_host;

/// The site of a URL: its host in lower case, without `www.`, user, port and closing dot. None if the URL
/// has no host or only a placeholder (`.invalid`, RFC 2606).
pub fn site_of(url: &str) -> Option<Cow<'_, str>> {
    let host = url_host(url)?;
    let host = host.strip_suffix('.').unwrap_or(host);
    let host: Cow<'_, str> = match host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(host.to_ascii_lowercase()),
        false => Cow::Borrowed(host),
    };
    let host = match host {
        Cow::Borrowed(host) => Cow::Borrowed(host.strip_prefix("www.").unwrap_or(host)),
        Cow::Owned(host) => Cow::Owned(host.strip_prefix("www.").map_or(host.clone(), str::to_owned)),
    };
    let is_placeholder = host.ends_with(".invalid") || &*host == "invalid";
    // No host is longer (RFC 1035).
    let is_host = !host.is_empty() && host.len() <= 253 && !is_placeholder;
    is_host.then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_a_host() {
        let site = |url| site_of(url).map(Cow::into_owned);
        for (url, expected) in [
            ("https://example.org/a?b#c", Some("example.org")),
            ("http://u:p@WWW.Example.org.:8080/", Some("example.org")),
            ("http://www.example.org", Some("example.org")),
            ("https://news.example.org/", Some("news.example.org")),
            ("http://[2001:db8::1]:80/x", Some("2001:db8::1")),
            ("example.org/a", None),
            ("https:///a", None),
            ("https://set.invalid/1", None),
            ("", None),
        ] {
            assert_eq!(site(url).as_deref(), expected, "{url}");
        }
        assert_eq!(site(&format!("http://{}/", "a".repeat(254))), None);
    }
}
