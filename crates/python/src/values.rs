//! Converts values between Rust and Python: lists of names and paths, and objects through JSON.

use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use serde::Serialize;

use crate::errors::told;

/// List of names that a Python caller passes as a list, or as one text separated by commas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(pub(crate) Vec<String>);

impl<'a, 'py> FromPyObject<'a, 'py> for Names {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = given.cast::<PyString>() {
            let text: String = text.extract()?;
            let names = text.split(',').map(str::trim);
            let names = names.filter(|name| !name.is_empty()).map(str::to_owned);
            return Ok(Self(names.collect()));
        }
        let Ok(items) = given.try_iter() else { return Err(wrong(&given)) };
        let names = items.map(|item| {
            let item = item?;
            item.extract::<String>().map_err(|_| wrong(&item))
        });
        names.collect::<PyResult<_>>().map(Self)
    }
}

fn wrong(other: &Bound<'_, PyAny>) -> PyErr {
    let kind = other.get_type().name();
    let kind = kind.map_or_else(|_| "this".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("expected names, as a list of str or one str with commas, not {kind}"))
}

/// List of paths that a Python caller passes as one path or as a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths(pub(crate) Vec<PathBuf>);

impl<'a, 'py> FromPyObject<'a, 'py> for Paths {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let is_one =
            given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>() || given.hasattr("__fspath__")?;
        if is_one {
            return Ok(Self(vec![given.extract()?]));
        }
        let Ok(items) = given.try_iter() else {
            let kind = given.get_type().name()?;
            return Err(PyTypeError::new_err(format!("expected a path or a list of paths, not {kind}")));
        };
        items.map(|item| item?.extract()).collect::<PyResult<_>>().map(Self)
    }
}

/// Converts a value through JSON to a Python object such as a dict, list or str.
///
/// # Errors
/// Fails only if memory runs out.
pub(crate) fn object<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    parsed(py, &serde_json::to_string(value).map_err(told)?)
}

/// Parses JSON text into a Python object.
///
/// # Errors
/// Fails if the text is not valid JSON.
pub(crate) fn parsed<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}
