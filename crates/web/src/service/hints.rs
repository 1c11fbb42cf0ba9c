//! Reads the facts that a request states about its page.

use http::{HeaderMap, header::CONTENT_TYPE};
use trommel::Hints;

use crate::service::answer::Refusal;
use crate::service::choices::Choices;

/// Parameters about the page of a request. They may stand in headers instead, as `X-Page-Url` and so on; the query
/// wins.
pub(crate) const OF_PAGE: [&str; 4] = ["url", "charset", "date", "status"];

/// Facts about the page of a request.
#[derive(Debug, Default)]
pub(crate) struct PageHints {
    pub(crate) url: Option<String>,
    pub(crate) charset: Option<String>,
    /// The charset in the crawl's metadata of an archived page.
    pub(crate) crawl_charset: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) status: Option<u16>,
}

impl PageHints {
    /// The facts about its page that the request states, in its query or its headers.
    ///
    /// # Errors
    /// If a header is not ASCII, or a status is none.
    pub(crate) fn read(choices: &Choices, headers: &HeaderMap) -> Result<Self, Refusal> {
        let either = |name: &str, header: &'static str| match choices.parameter(name) {
            Some(value) => Ok(Some(value.to_owned())),
            None => text(headers, header).map(|value| value.map(str::to_owned)),
        };
        let status = either("status", "x-page-status")?;
        let status = status.map(|value| value.trim().parse().unwrap_or_default());
        if status.is_some_and(|status| !(100..600).contains(&status)) {
            return Err(Refusal::BadRequest("the status is no HTTP status".to_owned()));
        }
        let charset = match either("charset", "x-page-charset")? {
            None => text(headers, CONTENT_TYPE.as_str())?.and_then(charset_of),
            some => some,
        };
        Ok(Self {
            url: either("url", "x-page-url")?,
            charset,
            crawl_charset: None,
            date: either("date", "x-page-date")?,
            status,
        })
    }

    pub(crate) fn hints(&self) -> Hints<'_> {
        Hints {
            url: self.url.as_deref(),
            http_charset: self.charset.as_deref(),
            crawl_charset: self.crawl_charset.as_deref(),
            date: self.date.as_deref(),
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a str>, Refusal> {
    let value = headers.get(name).map(|value| value.to_str());
    value
        .transpose()
        .map_err(|_| Refusal::BadRequest(format!("{name}: not ASCII; percent-encode it, or use the query")))
}

/// The charset of a media type.
fn charset_of(media_type: &str) -> Option<String> {
    let mut parameters = media_type.split(';').skip(1);
    parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"');
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::extract::Query;

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in all {
            headers.insert(*name, value.parse().unwrap());
        }
        headers
    }

    fn hints(query: &[(&str, &str)], headers: &HeaderMap) -> Result<PageHints, Refusal> {
        let pairs = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let choices = Choices::read(Ok(Query(pairs.collect())), &OF_PAGE)?;
        PageHints::read(&choices, headers)
    }

    #[test]
    fn the_query_wins_over_headers() {
        let headers = headers(&[
            ("x-page-url", "http://a/"),
            ("x-page-charset", "koi8-r"),
            ("x-page-status", "404"),
            ("content-type", "text/html; charset=\"utf-8\""),
        ]);
        let by_headers = hints(&[], &headers).unwrap();
        assert_eq!(by_headers.url.as_deref(), Some("http://a/"));
        assert_eq!((by_headers.charset.as_deref(), by_headers.status), (Some("koi8-r"), Some(404)));
        let query = [("url", "http://b/"), ("charset", "latin1"), ("status", "200")];
        let by_query = hints(&query, &headers).unwrap();
        assert_eq!(by_query.url.as_deref(), Some("http://b/"));
        assert_eq!((by_query.charset.as_deref(), by_query.status), (Some("latin1"), Some(200)));
    }

    #[test]
    fn the_content_type_is_the_last_source() {
        let of = |value| hints(&[], &headers(&[("content-type", value)]));
        assert_eq!(of("text/html; Charset=x").unwrap().charset.as_deref(), Some("x"));
        assert_eq!(of("text/html").unwrap().charset, None);
        assert_eq!(of("text/html;charset=").unwrap().charset, None);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let mut bad = HeaderMap::new();
        bad.insert("x-page-url", http::HeaderValue::from_bytes(b"http://\xff/").unwrap());
        assert!(hints(&[], &bad).is_err());
        for status in ["99", "600", "x", "-1"] {
            assert!(hints(&[], &headers(&[("x-page-status", status)])).is_err(), "{status}");
            assert!(hints(&[("status", status)], &HeaderMap::new()).is_err(), "{status}");
        }
    }
}
