//! How pages of archives are extracted: an extractor, or a configuration and single choices that win over it.

use std::path::PathBuf;

use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use trommel::{Role, RoleSet};
use trommel_pipeline::{Config, TextForm};

use crate::extractor::PyExtractor;

/// Keys of a configuration that say how pages are extracted.
const OF_PAGES: [&str; 10] = [
    "model", "text", "blocks", "spans", "tables", "comments", "headline", "articles", "include",
    "exclude",
];

/// A configuration as callers give it: the path of a file, or a dict with the keys of one.
#[derive(Default)]
pub(crate) struct GivenConfig {
    pub(crate) config: Config,
    /// Names of the keys that were given.
    keys: Vec<String>,
}

impl<'a, 'py> FromPyObject<'a, 'py> for GivenConfig {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let wrong = |error: String| PyValueError::new_err(error);
        if let Ok(dict) = given.cast::<PyDict>() {
            let json: String = given
                .py()
                .import("json")?
                .call_method1("dumps", (dict,))?
                .extract()?;
            let config: Config =
                serde_json::from_str(&json).map_err(|error| wrong(format!("config: {error}")))?;
            if let Some(message) = config.contradiction() {
                return Err(wrong(format!("config: {message}")));
            }
            let keys = dict.keys().iter().map(|key| key.to_string()).collect();
            return Ok(Self { config, keys });
        }
        let path: PathBuf = given.extract()?;
        let config = Config::load(&path).map_err(|error| wrong(error.to_string()))?;
        let keys = Config::keys(&path).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { config, keys })
    }
}

/// Raises `ValueError` if a dict is no configuration, or names a file that is none.
#[pyfunction]
pub(crate) fn check_config(config: GivenConfig) {
    // Reading it was the check.
    drop(config);
}

/// The extractor: the one that was given, or one by the configuration, over which single choices win. Beside an
/// extractor neither may say anything of pages: it would have no effect.
///
/// # Errors
/// `ValueError` naming what is said twice; `TypeError` for a choice that there is not.
pub(crate) fn chosen_extractor(
    py: Python<'_>,
    extractor: Option<&Bound<'_, PyExtractor>>,
    given: &GivenConfig,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyExtractor> {
    let choices = choices.filter(|choices| !choices.is_empty());
    if let Some(extractor) = extractor {
        let of_pages = |key: &&String| OF_PAGES.contains(&key.as_str());
        let twice = match (choices, given.keys.iter().find(of_pages)) {
            (Some(choices), _) => Some(choices.keys().get_item(0)?.to_string()),
            (None, Some(key)) => Some(format!("{key} of config")),
            (None, None) => None,
        };
        return match twice {
            None => Ok(extractor.get().clone()),
            Some(name) => Err(PyValueError::new_err(format!(
                "{name} and extractor: an extractor has its own choices; give one of the two"
            ))),
        };
    }
    let keywords = keywords(py, &given.config)?;
    if let Some(choices) = choices {
        keywords.update(choices.as_mapping())?;
    }
    let made = py
        .get_type::<PyExtractor>()
        .call((), Some(&keywords))?
        .cast_into::<PyExtractor>()?;
    Ok(made.get().clone())
}

/// What a configuration says of pages, as keywords of an extractor.
fn keywords<'py>(py: Python<'py>, config: &Config) -> PyResult<Bound<'py, PyDict>> {
    // A key that is new is to be put here or there.
    let Config {
        model,
        text,
        blocks,
        spans,
        tables,
        comments,
        headline,
        articles,
        include,
        exclude,
        // Of runs.
        jobs: _,
        format: _,
        compress: _,
        split_size: _,
        max_record: _,
        max_payload: _,
        max_memory: _,
        filters: _,
        // Of `sites`.
        site_memory: _,
        sites: _,
    } = config;
    let names = |roles: &RoleSet| roles.iter().map(Role::name).collect::<Vec<_>>();
    let keywords = PyDict::new(py);
    if let Some(model) = model {
        keywords.set_item("model", model)?;
    }
    keywords.set_item("markdown", *text == Some(TextForm::Markdown))?;
    keywords.set_item("blocks", blocks)?;
    keywords.set_item("spans", spans)?;
    keywords.set_item("tables", tables)?;
    keywords.set_item("comments", comments.to_string())?;
    keywords.set_item("headline", headline.to_string())?;
    keywords.set_item("articles", articles.to_string())?;
    keywords.set_item("include", names(include))?;
    keywords.set_item("exclude", names(exclude))?;
    Ok(keywords)
}
