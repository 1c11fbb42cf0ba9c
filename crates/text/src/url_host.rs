//! Finds the host in a URL.

/// Returns the host of a URL, unchanged, without scheme, user, port and the brackets of an IPv6 address. `None` if the
/// URL has no `://` or no host.
pub fn url_host(url: &str) -> Option<&str> {
    host_of_authority(url.split_once("://")?.1)
}

/// Returns the host at the start of `rest`, which is a URL without its scheme, or a host alone; `None` if it is empty.
pub fn host_of_authority(rest: &str) -> Option<&str> {
    // Browsers take a backslash for a slash.
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = match host.strip_prefix('[') {
        Some(literal) => literal.split(']').next()?,
        None => host.split(':').next()?,
    };
    Some(host).filter(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_of_a_url() {
        for (url, host) in [
            ("http://u:p@example.org:80/a?b", Some("example.org")),
            ("https://Example.org?x", Some("Example.org")),
            ("http://a.example\\@b.example/", Some("a.example")),
            ("http://[::1]:80/", Some("::1")),
            ("example.org/a", None),
            ("http:///x", None),
            ("http://[", None),
        ] {
            assert_eq!(url_host(url), host, "{url}");
        }
        assert_eq!(host_of_authority("example.org:8080"), Some("example.org"));
    }
}
