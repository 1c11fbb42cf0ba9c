//! Reads settings from Python keywords, dicts and configuration files.

use std::sync::{Arc, Mutex, PoisonError};
use std::{collections::BTreeMap, path::PathBuf, str::FromStr};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use pyo3::{prelude::*, pybacked::PyBackedBytes};
use serde_json::Value;
use trommel::run::{NetworkOptions, load_config};
use trommel::{Field, Kind, Model, PartialSettings, fields};

use crate::errors::{ModelError, raised};
use crate::values;

/// Cache of the built-in models in use, by name, so that repeated calls do not load a model again.
static MODELS: Mutex<BTreeMap<String, Arc<Model>>> = Mutex::new(BTreeMap::new());

/// Returns the names of the built-in models; the first is the default.
#[pyfunction]
pub(crate) fn models() -> Vec<&'static str> {
    Model::builtin_names().collect()
}

/// Model with the name by which another process can load it.
#[derive(Clone)]
pub(crate) struct NamedModel {
    /// Name of a built-in model, or path of a model file; `bytes` for a model that was passed as bytes.
    pub(crate) name: String,
    pub(crate) model: Arc<Model>,
}

impl NamedModel {
    /// Loads a built-in model by name, or a model file by path; an empty name loads the default model. A built-in model
    /// is read only once in a process.
    ///
    /// # Errors
    /// Raises `ModelError` if there is no such model, or if it cannot be read.
    pub(crate) fn open(name: &str) -> PyResult<Self> {
        let name = match name {
            "" => Model::builtin_names().next().unwrap_or_default(),
            name => name,
        };
        let mut read = MODELS.lock().unwrap_or_else(PoisonError::into_inner);
        let model = match read.get(name) {
            Some(model) => model.clone(),
            None => {
                let model = Model::open(name).map_err(|error| ModelError::new_err(error.to_string()))?;
                let model = Arc::new(model);
                // A file may be written anew; what is built in stays as it is.
                if Model::builtin_names().any(|known| known == name) {
                    read.insert(name.to_owned(), model.clone());
                }
                model
            }
        };
        Ok(Self { name: name.to_owned(), model })
    }

    /// Returns whether the model is built in, so that other processes can load it by name.
    pub(crate) fn is_builtin(&self) -> bool {
        Model::builtin_names().any(|known| known == self.name)
    }
}

/// Converts the name, the path or the bytes of a model.
impl<'a, 'py> FromPyObject<'a, 'py> for NamedModel {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = given.extract::<PyBackedBytes>() {
            let model = Model::from_bytes(&bytes).map_err(|error| ModelError::new_err(error.to_string()))?;
            return Ok(Self { name: "bytes".to_owned(), model: Arc::new(model) });
        }
        if let Ok(name) = given.extract::<String>() {
            return Self::open(&name);
        }
        let path: PathBuf = given.extract()?;
        Self::open(&path.to_string_lossy())
    }
}

/// Function that returns whether a Python function accepts a setting as a keyword.
pub(crate) type Scope = fn(&Field) -> bool;

/// Returns whether functions that return documents accept a setting: every setting except those of output files.
pub(crate) fn of_documents(field: &Field) -> bool {
    field.part() != "output"
}

/// Model and settings that the keywords of a Python call choose.
#[derive(Clone, Default)]
pub(crate) struct Keywords {
    pub(crate) chosen: PartialSettings,
    /// Loaded model; `None` for the default model.
    pub(crate) model: Option<NamedModel>,
}

impl Keywords {
    /// Reads the keywords of a Python call; keywords with the value `None` are ignored.
    ///
    /// # Errors
    /// Raises `TypeError` for an unknown keyword or a value of the wrong type, `ValueError` for an invalid value, and
    /// `ModelError` if the model cannot be read.
    pub(crate) fn read(
        model: Option<&Bound<'_, PyAny>>,
        choices: Option<&Bound<'_, PyDict>>,
        scope: Scope,
    ) -> PyResult<Self> {
        let mut keywords = Self::default();
        if let Some(model) = model.filter(|model| !model.is_none()) {
            keywords.model = Some(model.extract()?);
        }
        for (name, value) in choices.into_iter().flatten() {
            let name: String = name.extract()?;
            if value.is_none() {
                continue;
            }
            if name == "model" {
                keywords.model = Some(value.extract()?);
                continue;
            }
            let known = fields().iter().find(|field| field.name == name);
            let is_here = known.map_or(name == "markdown", scope);
            if !is_here {
                return Err(unknown(&name, scope));
            }
            let set = match as_json(&name, &value)? {
                // Engines that know nothing but text give numbers and truths as text.
                Value::String(text) => keywords.chosen.set_text(&name, &text),
                value => keywords.chosen.set(&name, value),
            };
            set.map_err(raised)?;
        }
        Ok(keywords)
    }
}

fn unknown(name: &str, scope: Scope) -> PyErr {
    let known = fields().iter().filter(|field| scope(field));
    let known: Vec<&str> = known.map(|field| field.name.as_str()).collect();
    PyTypeError::new_err(format!("unknown keyword {name:?}, expected one of {}, markdown", known.join(", ")))
}

/// Converts a Python value to JSON: a text, number, bool, path, or list of names. `name` is the keyword in errors.
fn as_json(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_instance_of::<PyBool>() {
        return Ok(value.extract::<bool>()?.into());
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(value.extract::<i64>()?.into());
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(value.extract::<f64>()?.into());
    }
    if value.is_instance_of::<PyString>() {
        return Ok(value.extract::<String>()?.into());
    }
    if value.hasattr("__fspath__")? {
        let path: PathBuf = value.extract()?;
        return Ok(path.to_string_lossy().into_owned().into());
    }
    let wrong = || {
        let kind = value.get_type().name();
        let kind = kind.map_or_else(|_| "this".to_owned(), |kind| kind.to_string());
        PyTypeError::new_err(format!("{name}: expected a text, a number, a bool or a list of names, not {kind}"))
    };
    let items = value.try_iter().map_err(|_| wrong())?;
    let items = items.map(|item| item?.extract::<String>().map(Value::from));
    let items: PyResult<Vec<Value>> = items.collect();
    Ok(items.map_err(|_| wrong())?.into())
}

/// Configuration that a Python caller passes: the path or URL of a file, or a dict with the keys of such a file.
#[derive(Clone, Default)]
pub(crate) struct ConfigArgument(pub(crate) PartialSettings);

impl<'a, 'py> FromPyObject<'a, 'py> for ConfigArgument {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(dict) = given.cast::<PyDict>() {
            let dumps = given.py().import("json")?.getattr("dumps")?;
            let json: String = dumps.call1((dict,))?.extract()?;
            let settings = PartialSettings::from_json(&json);
            return settings.map(Self).map_err(|error| PyValueError::new_err(format!("config: {error}")));
        }
        let path: PathBuf = given.extract()?;
        let settings = given.py().detach(|| load_config(&path, &NetworkOptions::default()));
        settings.map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// Raises `ValueError` if the dict or file is not a valid configuration.
#[pyfunction]
pub(crate) fn check_config(config: ConfigArgument) {
    // Reading it was the check.
    drop(config);
}

/// Raises the error that `read_warc` would raise for the keywords `choices`.
#[pyfunction]
#[pyo3(signature = (**choices))]
pub(crate) fn check_choices(choices: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    Keywords::read(None, choices, of_documents).map(drop)
}

/// Returns all settings as a list of dicts with `name`, `part`, `doc`, `kind` of the values, `values` (if they are
/// names) and `default`.
#[pyfunction]
pub(crate) fn settings(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let all = fields().iter().map(|field| {
        let values: Vec<&str> = match &field.kind {
            Kind::OneOf(values) | Kind::ListOf(values) => values.iter().map(|value| value.name.as_str()).collect(),
            _ => Vec::new(),
        };
        let kind = match &field.kind {
            Kind::Switch => "switch",
            Kind::OneOf(_) => "name",
            Kind::ListOf(_) | Kind::Texts => "list",
            Kind::Integer => "integer",
            Kind::Number => "number",
            Kind::Bytes => "bytes",
            _ => "text",
        };
        serde_json::json!({
            "name": field.name, "part": field.part(), "doc": field.doc, "kind": kind, "values": values,
            "default": field.default,
        })
    });
    values::object(py, &all.collect::<Vec<Value>>())
}

/// Parses the name of an enum variant, such as that of a format, for the keyword `key`.
///
/// # Errors
/// Raises `ValueError` that states the keyword, the invalid value and the valid values.
pub(crate) fn named<T: FromStr + strum::VariantNames>(key: &str, name: &str) -> PyResult<T> {
    name.parse().map_err(|_| {
        PyValueError::new_err(format!("{key}: unknown value {name:?}, expected {}", T::VARIANTS.join(", ")))
    })
}
