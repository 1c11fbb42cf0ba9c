//! The query of a request: settings of pages by name, and parameters of the request itself.

use std::collections::BTreeMap;

use axum::extract::{Query, rejection::QueryRejection};
use serde_json::Value;
use trommel::{Kind, Model, PartialSettings, Settings, fields};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Required, Schema};

use crate::{answer::Refusal, app::App};

/// A query as axum reads it.
pub(crate) type ReadQuery = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// A parameter of a request beside settings.
pub(crate) struct RouteParameter {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) kind: ParameterKind,
}

/// The kind of values of such a parameter.
#[derive(Clone, Copy)]
pub(crate) enum ParameterKind {
    Text,
    Switch,
    /// A whole number from the first to the second.
    Number(i64, i64),
}

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
    pub(crate) fn read(query: ReadQuery, parameters: &[RouteParameter]) -> Result<Self, Refusal> {
        let wrong = |message: String| Refusal::BadRequest(message);
        let Query(pairs) = query.map_err(|rejection| wrong(rejection.body_text()))?;
        let mut choices = Self::default();
        let mut seen = Vec::new();
        for (name, value) in pairs {
            if seen.contains(&name) {
                return Err(wrong(format!("{name}: is there twice")));
            }
            seen.push(name.clone());
            if parameters.iter().any(|parameter| parameter.name == name) {
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

    /// Whether a parameter is `true`; without a value it is.
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
        let settings = self.settings.clone().over(app.defaults.clone());
        let settings = settings.settings().map_err(wrong)?;
        settings.check_page_types(model).map_err(wrong)?;
        Ok(settings)
    }

    /// Whether the request has filters of its own.
    pub(crate) fn has_filters(&self) -> bool {
        self.settings.get("filters").is_some()
    }
}

/// The parameters of a request in its description: its own, and the settings.
pub(crate) fn described(parameters: &[RouteParameter]) -> Vec<Parameter> {
    let parameter = |name: &str, doc: &str, schema: Schema| {
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Query)
            .required(Required::False)
            .description(Some(doc))
            .schema(Some(RefOr::T(schema)))
            .build()
    };
    let of_route = parameters.iter().map(|route_parameter| {
        let schema = ObjectBuilder::new();
        let schema = match route_parameter.kind {
            ParameterKind::Text => schema.schema_type(Type::String),
            ParameterKind::Switch => schema.schema_type(Type::Boolean),
            ParameterKind::Number(least, most) => {
                schema.schema_type(Type::Integer).minimum(Some(least as f64)).maximum(Some(most as f64))
            }
        };
        parameter(route_parameter.name, route_parameter.doc, schema.build().into())
    });
    let settings = fields().iter().filter(|field| field.is_of_requests());
    let settings = settings.map(|field| parameter(&field.name, &field.doc, schema(&field.kind)));
    of_route.chain(settings).collect()
}

fn schema(kind: &Kind) -> Schema {
    let of = |value_type: Type| ObjectBuilder::new().schema_type(value_type);
    let names = |values: &[trommel::Value]| values.iter().map(|value| value.name.clone()).collect();
    let one_of = |names: Vec<String>| of(Type::String).enum_values(Some(names)).build();
    match kind {
        Kind::Switch => of(Type::Boolean).build().into(),
        Kind::OneOf(values) => one_of(names(values)).into(),
        Kind::Integer => of(Type::Integer).minimum(Some(0.0)).build().into(),
        Kind::Number => of(Type::Number).build().into(),
        // Divided by commas.
        Kind::ListOf(values) => ArrayBuilder::new().items(one_of(names(values))).build().into(),
        Kind::Texts => ArrayBuilder::new().items(of(Type::String).build()).build().into(),
        _ => of(Type::String).build().into(),
    }
}

/// Declares a type that describes the query of a request with these parameters of its own.
macro_rules! query_parameters {
    ($(#[$doc:meta])* $name:ident, $parameters:expr) => {
        $(#[$doc])*
        pub(crate) struct $name;

        impl utoipa::IntoParams for $name {
            fn into_params(
                _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                $crate::choices::described(&$parameters)
            }
        }
    };
}
pub(crate) use query_parameters;

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: [RouteParameter; 1] = [RouteParameter { name: "url", doc: "URL", kind: ParameterKind::Text }];

    fn read(pairs: &[(&str, &str)]) -> Result<Choices, Refusal> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Choices::read(Ok(Query(pairs.collect())), &OWN)
    }

    #[test]
    fn a_query_is_read() {
        let choices =
            read(&[("url", "http://a/"), ("include", "review,notice"), ("links", "true"), ("min_words", "5")]);
        let choices = choices.unwrap();
        assert_eq!(choices.parameter("url"), Some("http://a/"));
        assert!(choices.has_filters());
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
