//! Reads the facts that a request states about its page.

use axum::extract::{Query, rejection::QueryRejection};
use http::{HeaderMap, header::CONTENT_TYPE};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use trommel_extract::{CommentPolicy, ContentPolicy, HeadlinePolicy, Hints, Role, RoleSet};
use utoipa::{IntoParams, ToSchema};

use crate::answer::Refusal;

/// What a request says about its page in its query. `url`, `charset`, `date` and `status` may stand in
/// headers instead, as `X-Page-Url` and so on; the query wins.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// URL of the page.
    pub(crate) url: Option<String>,
    /// Charset that the server named. Without it, that of the request's Content-Type.
    pub(crate) charset: Option<String>,
    /// Time of the capture (ISO 8601): no date of the page is after it.
    pub(crate) date: Option<String>,
    /// HTTP status with which the page came: for filters.
    #[param(minimum = 100, maximum = 599)]
    pub(crate) status: Option<u16>,
    /// Name of a model that the service has.
    pub(crate) model: Option<String>,
    /// What becomes of readers' comments.
    #[param(inline)]
    pub(crate) comments: Option<Comments>,
    /// Whether the headline is part of the text.
    #[param(inline)]
    pub(crate) headline: Option<Headline>,
    /// Roles of blocks that are part of the text in any case, divided by commas: `review,notice`.
    #[serde(deserialize_with = "roles")]
    #[param(value_type = Option<String>)]
    pub(crate) include: Option<RoleSet>,
    /// Roles of blocks that are no part of the text, likewise.
    #[serde(deserialize_with = "roles")]
    #[param(value_type = Option<String>)]
    pub(crate) exclude: Option<RoleSet>,
    /// Whether Markdown has links.
    #[serde(default)]
    pub(crate) links: bool,
    /// Whether Markdown has images.
    #[serde(default)]
    pub(crate) images: bool,
}

/// Reads names of roles divided by commas.
fn roles<'de, D: Deserializer<'de>>(from: D) -> Result<Option<RoleSet>, D::Error> {
    let names = String::deserialize(from)?;
    let named = |name: &str| {
        let mut all = Role::ALL.into_iter();
        all.find(|role| role.name() == name)
            .ok_or_else(|| D::Error::custom(format!("unknown role {name:?}")))
    };
    let roles: Result<RoleSet, D::Error> = names.split(',').map(named).collect();
    roles.map(Some)
}

/// What becomes of readers' comments.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Comments {
    /// They are left out.
    Exclude,
    /// They are part of the text.
    Include,
    /// They are kept apart from the text.
    Separate,
}

/// Whether the headline is part of the text.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Headline {
    /// Where the model takes it for text.
    Auto,
    /// Always.
    Include,
    /// Never.
    Exclude,
}

/// What is known of the page of a request.
#[derive(Debug, Default)]
pub(crate) struct PageHints {
    pub(crate) url: Option<String>,
    pub(crate) charset: Option<String>,
    /// What the crawl's metadata says of an archived page.
    pub(crate) crawl_charset: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) status: Option<u16>,
}

impl PageQuery {
    /// The policy that is asked for, `usual` where nothing is.
    pub(crate) fn policy(&self, usual: ContentPolicy) -> ContentPolicy {
        ContentPolicy {
            comments: match self.comments {
                None => usual.comments,
                Some(Comments::Exclude) => CommentPolicy::Exclude,
                Some(Comments::Include) => CommentPolicy::Include,
                Some(Comments::Separate) => CommentPolicy::Separate,
            },
            headline: match self.headline {
                None => usual.headline,
                Some(Headline::Auto) => HeadlinePolicy::Auto,
                Some(Headline::Include) => HeadlinePolicy::Include,
                Some(Headline::Exclude) => HeadlinePolicy::Exclude,
            },
            articles: usual.articles,
            include: self.include.unwrap_or(usual.include),
            exclude: self.exclude.unwrap_or(usual.exclude),
        }
    }

    /// What the request says of its page, in its query or its headers.
    ///
    /// # Errors
    /// If a header is not ASCII, or a status is none.
    pub(crate) fn hints(&self, headers: &HeaderMap) -> Result<PageHints, Refusal> {
        let either = |query: &Option<String>, name: &'static str| match query {
            Some(value) => Ok(Some(value.clone())),
            None => text(headers, name).map(|value| value.map(str::to_owned)),
        };
        let status = match (self.status, text(headers, "x-page-status")?) {
            (Some(status), _) => Some(status),
            (None, Some(value)) => Some(value.trim().parse().unwrap_or_default()),
            (None, None) => None,
        };
        if status.is_some_and(|status| !(100..600).contains(&status)) {
            return Err(Refusal::BadRequest(
                "the status is no HTTP status".to_owned(),
            ));
        }
        let charset = match either(&self.charset, "x-page-charset")? {
            None => text(headers, CONTENT_TYPE.as_str())?.and_then(charset_of),
            some => some,
        };
        Ok(PageHints {
            url: either(&self.url, "x-page-url")?,
            charset,
            crawl_charset: None,
            date: either(&self.date, "x-page-date")?,
            status,
        })
    }
}

impl PageHints {
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
    value.transpose().map_err(|_| {
        Refusal::BadRequest(format!(
            "{name}: not ASCII; percent-encode it, or use the query"
        ))
    })
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

/// The query, or why it is none.
pub(crate) fn query<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Refusal> {
    match query {
        Ok(Query(query)) => Ok(query),
        Err(rejection) => Err(Refusal::BadRequest(rejection.body_text())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in all {
            headers.insert(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn the_query_wins_over_headers() {
        let headers = headers(&[
            ("x-page-url", "http://a/"),
            ("x-page-charset", "koi8-r"),
            ("x-page-status", "404"),
            ("content-type", "text/html; charset=\"utf-8\""),
        ]);
        let hints = PageQuery::default().hints(&headers).unwrap();
        assert_eq!(hints.url.as_deref(), Some("http://a/"));
        assert_eq!(
            (hints.charset.as_deref(), hints.status),
            (Some("koi8-r"), Some(404))
        );
        let query = PageQuery {
            url: Some("http://b/".into()),
            charset: Some("latin1".into()),
            status: Some(200),
            ..PageQuery::default()
        };
        let hints = query.hints(&headers).unwrap();
        assert_eq!(hints.url.as_deref(), Some("http://b/"));
        assert_eq!(
            (hints.charset.as_deref(), hints.status),
            (Some("latin1"), Some(200))
        );
    }

    #[test]
    fn the_content_type_is_the_last_source() {
        let of = |value| PageQuery::default().hints(&headers(&[("content-type", value)]));
        assert_eq!(
            of("text/html; Charset=x").unwrap().charset.as_deref(),
            Some("x")
        );
        assert_eq!(of("text/html").unwrap().charset, None);
        assert_eq!(of("text/html;charset=").unwrap().charset, None);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let mut bad = HeaderMap::new();
        bad.insert(
            "x-page-url",
            http::HeaderValue::from_bytes(b"http://\xff/").unwrap(),
        );
        assert!(PageQuery::default().hints(&bad).is_err());
        for status in ["99", "600", "x", "-1"] {
            let headers = headers(&[("x-page-status", status)]);
            assert!(PageQuery::default().hints(&headers).is_err(), "{status}");
        }
    }
}
