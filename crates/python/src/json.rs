//! Values as objects of Python, by way of JSON.

use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::told;

/// The dict, list or text that a value is in JSON.
///
/// # Errors
/// Only if memory runs out.
pub(crate) fn object<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    parsed(py, &serde_json::to_string(value).map_err(told)?)
}

/// The object that a text in JSON stands for.
///
/// # Errors
/// If it is no JSON.
pub(crate) fn parsed<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}
