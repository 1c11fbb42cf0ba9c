//! The command `trommel`: the program, in a process of Python.

use std::{ffi::OsString, process};

use pyo3::prelude::*;

/// Runs the program `trommel` with these arguments, the first of which is its name, and ends the process.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) {
    // Python has nothing to do at the end, and must not turn a signal that the program obeyed into an exception.
    py.detach(|| process::exit(i32::from(trommel_cli::main(arguments).code())))
}
