//! Facts about a page from outside its bytes: URL, charset, date of the capture.

use trommel_html::charset;

/// What is known about a page from outside its bytes. All of it may be missing.
///
/// ```
/// use trommel_extract::Hints;
///
/// let hints = Hints {
///     url: Some("https://example.org/a"),
///     http_charset: Some("utf-8"),
///     ..Hints::default()
/// };
/// assert_eq!(hints.charset().host, Some("example.org"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints<'a> {
    /// URL of the page.
    pub url: Option<&'a str>,
    /// `charset` parameter of the HTTP Content-Type header.
    pub http_charset: Option<&'a str>,
    /// `charset-detected` of the crawl's metadata record.
    pub crawl_charset: Option<&'a str>,
    /// Time of the capture: no date of the page is after it.
    pub date: Option<&'a str>,
}

impl<'a> Hints<'a> {
    /// Those of the hints that help to find the encoding of the page.
    pub fn charset(&self) -> charset::CharsetHints<'a> {
        charset::CharsetHints {
            http: self.http_charset,
            crawl: self.crawl_charset,
            host: self.url.and_then(host),
        }
    }
}

/// Host of a URL, without port and user.
fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    host.split(':').next().filter(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_of_a_url() {
        assert_eq!(host("http://u:p@example.org:80/a?b"), Some("example.org"));
        assert_eq!(host("https://example.org?x"), Some("example.org"));
        assert_eq!(host("example.org/a"), None);
        assert_eq!(host("http:///x"), None);
    }
}
