//! The query of a request: settings of pages by name, and parameters of the request itself.

use std::{collections::BTreeMap, sync::Arc};

use axum::extract::{Query, rejection::QueryRejection};
use serde_json::Value;
use trommel::{Model, PartialSettings, Settings, fields, record::filters::Filters};

use crate::service::{answer::Refusal, app::App};

/// A query as axum reads it.
pub(crate) type ReadQuery = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// The choices of a request.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    settings: PartialSettings,
    parameters: BTreeMap<String, String>,
}

impl Choices {
    /// Reads a query. A parameter is one of `parameters`, or a setting by its name.
    ///
    /// # Errors
    /// If it is no query, has a parameter twice or an unknown one, or a value that is none of the setting's.
    pub(crate) fn read(query: ReadQuery, parameters: &[&str]) -> Result<Self, Refusal> {
        let wrong = |message: String| Refusal::BadRequest(message);
        let Query(pairs) = query.map_err(|rejection| wrong(rejection.body_text()))?;
        let mut choices = Self::default();
        let mut seen = Vec::new();
        for (name, value) in pairs {
            if seen.contains(&name) {
                return Err(wrong(format!("{name}: is there twice")));
            }
            seen.push(name.clone());
            if parameters.contains(&name.as_str()) {
                choices.parameters.insert(name, value);
                continue;
            }
            let known = fields().iter().find(|field| field.name == name);
            if known.is_some_and(|field| !field.is_of_requests()) {
                return Err(wrong(format!("{name}: is for the service to choose, not for a request")));
            }
            let set = choices.settings.set_text(&name, &value);
            set.map_err(|error| wrong(error.to_string()))?;
        }
        Ok(choices)
    }

    /// The value of a parameter that is no setting.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// Returns whether a parameter is `true`; without a value it is.
    ///
    /// # Errors
    /// If it is neither `true` nor `false`.
    pub(crate) fn is_set(&self, name: &str) -> Result<bool, Refusal> {
        match self.parameter(name) {
            None | Some("false") => Ok(false),
            Some("true" | "") => Ok(true),
            Some(other) => Err(Refusal::BadRequest(format!("{name}: {other:?} is neither true nor false"))),
        }
    }

    /// Makes one more choice, which wins.
    ///
    /// # Errors
    /// If it is none.
    pub(crate) fn choose(&mut self, name: &str, value: impl Into<Value>) -> Result<(), Refusal> {
        let set = self.settings.set(name, value);
        set.map_err(|error| Refusal::BadRequest(error.to_string()))
    }

    /// The name of the model that is asked for.
    pub(crate) fn model(&self) -> Option<&str> {
        self.settings.get("model").and_then(Value::as_str)
    }

    /// The settings of the request, over those of the service.
    ///
    /// # Errors
    /// If choices exclude each other, or filters name page types that the model does not tell.
    pub(crate) fn settings(&self, app: &App, model: &Model) -> Result<Settings, Refusal> {
        let wrong = |error: trommel::SettingsError| Refusal::BadRequest(error.to_string());
        let settings = self.settings.clone().over(app.settings.defaults.clone());
        let settings = settings.settings().map_err(wrong)?;
        settings.check_page_types(model).map_err(wrong)?;
        Ok(settings)
    }

    /// The filters of the request, whose settings these are, or else those of the service.
    pub(crate) fn filters(&self, app: &App, settings: &Settings) -> Arc<Filters> {
        match self.settings.get("filters") {
            Some(_) => Arc::new(Filters::new(&settings.filters)),
            None => app.settings.filters.clone(),
        }
    }
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
            assert_eq!(refused, Refusal::BadRequest(message.to_owned()));
        }
    }
}
