//! Reads the options of a request: settings by name, facts about its page, and the form of the answer.

use std::{collections::BTreeMap, sync::Arc};

use axum::{extract::Query, extract::rejection::QueryRejection};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use trommel::{Model, OwnedHints, PageForm, PartialSettings, Settings, fields, record::filters::Filters};

use crate::{service::answer::Refusal, service::shared_state::App};

/// Query of a request as `axum` reads it: names and values of parameters, or the fault.
pub(crate) type ReadQuery = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// Choices that a request makes in its query: parameters, and settings that override those of the service.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    settings: PartialSettings,
    parameters: BTreeMap<String, String>,
}

impl Choices {
    /// Reads the query of a request. Each parameter must be one of `parameters`, or the name of a setting.
    ///
    /// # Errors
    /// Fails if the query is malformed, has a parameter twice or an unknown one, or has a value that its setting does
    /// not allow.
    pub(crate) fn read(query: ReadQuery, parameters: &[&str]) -> Result<Self, Refusal> {
        let Query(pairs) = query.map_err(|rejection| Refusal::bad(rejection.body_text()))?;
        let mut choices = Self::default();
        let mut seen = Vec::new();
        for (name, value) in pairs {
            if seen.contains(&name) {
                return Err(Refusal::bad(format!("{name}: is there twice")));
            }
            seen.push(name.clone());
            if parameters.contains(&name.as_str()) {
                choices.parameters.insert(name, value);
                continue;
            }
            let known = fields().iter().find(|field| field.name == name);
            if known.is_some_and(|field| !field.is_of_requests()) {
                return Err(Refusal::bad(format!("{name}: is for the service to choose, not for a request")));
            }
            choices.settings.set_text(&name, &value).map_err(Refusal::bad)?;
        }
        Ok(choices)
    }

    /// Returns the value of a query parameter that is not a setting; `None` if the query does not have it.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// Returns whether a query parameter is `true`, or is there without a value.
    ///
    /// # Errors
    /// Fails if the value is neither `true` nor `false`.
    pub(crate) fn is_set(&self, name: &str) -> Result<bool, Refusal> {
        match self.parameter(name) {
            None | Some("false") => Ok(false),
            Some("true" | "") => Ok(true),
            Some(other) => Err(Refusal::bad(format!("{name}: {other:?} is neither true nor false"))),
        }
    }

    /// Sets one setting of the request, and replaces an earlier choice of it.
    ///
    /// # Errors
    /// Fails if there is no such setting, or the value is invalid.
    pub(crate) fn choose(&mut self, name: &str, value: impl Into<Value>) -> Result<(), Refusal> {
        self.settings.set(name, value).map_err(Refusal::bad)
    }

    /// Returns the name of the model that the request chooses; `None` for the default model.
    pub(crate) fn model(&self) -> Option<&str> {
        self.settings.get("model").and_then(Value::as_str)
    }

    /// Returns all settings of the request: its choices, and the defaults of the service for the rest.
    ///
    /// # Errors
    /// Fails if choices exclude each other, or if filters name page types that the model does not recognise.
    pub(crate) fn settings(&self, app: &App, model: &Model) -> Result<Settings, Refusal> {
        let settings = self.settings.clone().over(app.settings.defaults.clone());
        let settings = settings.settings().map_err(Refusal::bad)?;
        settings.check_page_types(model).map_err(Refusal::bad)?;
        Ok(settings)
    }

    /// Returns the filters for the request: those of `settings` if it chooses filters, otherwise those of the service.
    pub(crate) fn filters(&self, app: &App, settings: &Settings) -> Arc<Filters> {
        match self.settings.get("filters") {
            Some(_) => Arc::new(Filters::new(&settings.filters)),
            None => app.settings.filters.clone(),
        }
    }
}

/// Names of the query parameters about the page of a request. Headers such as `X-Page-Url` may have the values instead;
/// the query takes precedence.
pub(crate) const OF_PAGE: [&str; 4] = ["url", "charset", "date", "status"];

/// Facts that a request states about its page: hints such as URL and charset, and the HTTP status.
#[derive(Debug, Default)]
pub(crate) struct PageHints {
    pub(crate) hints: OwnedHints,
    pub(crate) status: Option<u16>,
}

impl PageHints {
    /// Reads the facts about the page of a request, from its query or its headers.
    ///
    /// # Errors
    /// Fails if a header is not ASCII, or the status is not an HTTP status.
    pub(crate) fn read(choices: &Choices, headers: &HeaderMap) -> Result<Self, Refusal> {
        let either = |name: &str, header: &'static str| match choices.parameter(name) {
            Some(value) => Ok(Some(value.to_owned())),
            None => text(headers, header).map(|value| value.map(str::to_owned)),
        };
        let status = either("status", "x-page-status")?;
        let status = status.map(|value| value.trim().parse().unwrap_or_default());
        if status.is_some_and(|status| !(100..600).contains(&status)) {
            return Err(Refusal::bad("the status is no HTTP status"));
        }
        let http_charset = match either("charset", "x-page-charset")? {
            None => text(headers, CONTENT_TYPE.as_str())?.and_then(charset_of),
            some => some,
        };
        let (url, date) = (either("url", "x-page-url")?, either("date", "x-page-date")?);
        Ok(Self { hints: OwnedHints { url, http_charset, crawl_charset: None, date }, status })
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a str>, Refusal> {
    let value = headers.get(name).map(|value| value.to_str());
    value.transpose().map_err(|_| Refusal::bad(format!("{name}: not ASCII; percent-encode it, or use the query")))
}

/// Returns the charset that a media type names, such as `utf-8` in `text/html; charset=utf-8`.
fn charset_of(media_type: &str) -> Option<String> {
    let mut parameters = media_type.split(';').skip(1);
    parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"');
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    })
}

/// Forms of answers with their media types; the first is preferred if a client accepts several alike.
const FORMS: [(PageForm, &str); 3] = [
    (PageForm::Json, "application/json"),
    (PageForm::Text, "text/plain; charset=utf-8"),
    (PageForm::Markdown, "text/markdown; charset=utf-8"),
];

/// Returns the form of answer that a client prefers by its `Accept` header, and the media type of that form.
///
/// # Errors
/// Fails if the client accepts none of the forms.
pub(crate) fn form(headers: &HeaderMap) -> Result<(PageForm, &'static str), Refusal> {
    let accept: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let accept = accept.join(",");
    let qualities = FORMS.into_iter().rev().map(|form| (quality(&accept, form.1), form));
    let accepted = qualities.filter(|(quality, _)| *quality > 0.0);
    // Of several that are alike, the last, which is the first of the table.
    let best = accepted.max_by(|a, b| a.0.total_cmp(&b.0));
    let offer = "answers are application/json, text/plain or text/markdown";
    best.map(|(_, form)| form).ok_or(Refusal(StatusCode::NOT_ACCEPTABLE, offer.into()))
}

/// Returns the client's preference for a media type (0 to 1): the quality of the most specific range in `accept` that
/// includes the type (RFC 9110, 12.5.1). 1 if `accept` is empty.
fn quality(accept: &str, media_type: &str) -> f32 {
    let bare_type = media_type.split(';').next().unwrap_or_default();
    let Some((kind, subtype)) = bare_type.split_once('/').filter(|_| !accept.trim().is_empty()) else { return 1.0 };
    let ranges = accept.split(',').filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let accepted = parts.next()?.split_once('/')?;
        let exact = match accepted {
            ("*", "*") => 0,
            (accepted, "*") if accepted.eq_ignore_ascii_case(kind) => 1,
            (accepted, sub) if accepted.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) => 2,
            _ => return None,
        };
        let quality = parts
            .filter_map(|part| part.split_once('='))
            .find(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
            .map_or(1.0, |(_, value)| value.trim().parse().unwrap_or(0.0));
        Some((exact, f32::clamp(quality, 0.0, 1.0)))
    });
    ranges.max_by_key(|(exact, _)| *exact).map_or(0.0, |(_, quality)| quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Choices, Refusal> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Choices::read(Ok(Query(pairs.collect())), &["url"])
    }

    #[test]
    fn a_query_is_read() {
        let choices =
            read(&[("url", "http://a/"), ("include", "review,notice"), ("links", "true"), ("min_words", "5")]);
        let choices = choices.unwrap();
        assert_eq!(choices.parameter("url"), Some("http://a/"));
        let settings = choices.settings.settings().unwrap();
        assert_eq!(settings.content.include.iter().count(), 2);
        assert!(settings.text.links);
        assert_eq!(settings.filters.min_words, Some(5));
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for (pairs, message) in [
            (&[("link", "true")][..], "unknown key \"link\", did you mean \"links\"?"),
            (&[("url", "a"), ("url", "b")], "url: is there twice"),
            (&[("sites", "/etc/passwd")], "sites: is for the service to choose, not for a request"),
            (&[("duplicates_memory", "9T")], "duplicates_memory: is for the service to choose, not for a request"),
        ] {
            let refused = read(pairs).unwrap_err();
            assert_eq!(refused, Refusal::bad(message));
        }
    }

    fn accepted(accept: &str) -> Option<PageForm> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, accept.parse().unwrap());
        form(&headers).ok().map(|(form, _)| form)
    }

    #[test]
    fn the_best_form_is_given() {
        let markdown = Some(PageForm::Markdown);
        for (accept, given) in [
            ("", Some(PageForm::Json)),
            ("*/*", Some(PageForm::Json)),
            ("text/plain", Some(PageForm::Text)),
            ("text/*", Some(PageForm::Text)),
            ("Text/Markdown", markdown),
            ("text/*;q=.5, text/markdown", markdown),
            ("text/plain; q=0.5, application/json;q=0.4", Some(PageForm::Text)),
            ("text/plain;q=0, */*;q=0.1", Some(PageForm::Json)),
            ("application/json;q=0, text/*", Some(PageForm::Text)),
            ("image/png", None),
            ("text/plain;q=x", None),
            ("nonsense", None),
        ] {
            assert_eq!(accepted(accept), given, "{accept}");
        }
        assert_eq!(form(&HeaderMap::new()), Ok(FORMS[0]));
    }
}

#[cfg(test)]
mod hints_tests {
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
        assert_eq!(by_headers.hints.url.as_deref(), Some("http://a/"));
        assert_eq!((by_headers.hints.http_charset.as_deref(), by_headers.status), (Some("koi8-r"), Some(404)));
        let query = [("url", "http://b/"), ("charset", "latin1"), ("status", "200")];
        let by_query = hints(&query, &headers).unwrap();
        assert_eq!(by_query.hints.url.as_deref(), Some("http://b/"));
        assert_eq!((by_query.hints.http_charset.as_deref(), by_query.status), (Some("latin1"), Some(200)));
    }

    #[test]
    fn the_content_type_is_the_last_source() {
        let of = |value| hints(&[], &headers(&[("content-type", value)]));
        assert_eq!(of("text/html; Charset=x").unwrap().hints.http_charset.as_deref(), Some("x"));
        assert_eq!(of("text/html").unwrap().hints.http_charset, None);
        assert_eq!(of("text/html;charset=").unwrap().hints.http_charset, None);
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
