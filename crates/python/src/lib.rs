//! Python module `trommel_text`. `python/trommel_text/__init__.py` defines its public part.
//!
//! No thread outlives a call, so programs may fork. Long work releases the interpreter.

mod arrow;
mod document;
mod documents;
mod errors;
mod evaluation;
mod extractor;
mod inputs;
mod interpreter;
mod pages;
mod run;
mod session;
mod settings;
#[cfg(feature = "train")]
mod training;
mod values;

#[cfg(feature = "command")]
use std::{ffi::OsString, process};

use pyo3::prelude::*;

/// The compiled part of `trommel_text`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::arrow::PyRecordBatch;
    #[pymodule_export]
    use crate::document::{PyBlock, PyChunk, PyDocument, PyPost, PyTable};
    #[pymodule_export]
    use crate::documents::{ArchiveDocuments, DocumentBatches, document_schema, read_documents, read_warc};
    #[pymodule_export]
    use crate::errors::{ArchiveError, ModelError, RunError, TrommelError};
    #[pymodule_export]
    use crate::evaluation::evaluate;
    #[pymodule_export]
    use crate::extractor::{Inspection, PyDocuments, PyExtractor, extract, extract_batch, inspect};
    #[pymodule_export]
    use crate::run::run;
    #[pymodule_export]
    use crate::session::PySession;
    #[pymodule_export]
    use crate::settings::{check_choices, check_config, models, settings};
    #[cfg(feature = "train")]
    #[pymodule_export]
    use crate::training::train;

    use super::*;

    /// Runs the program `trommel` with these arguments, the first of which is its name, and ends the process.
    #[cfg(feature = "command")]
    #[pyfunction]
    fn command(py: Python<'_>, arguments: Vec<OsString>) {
        // Python has nothing to do at the end, and must not turn a signal that the program obeyed into an exception.
        py.detach(|| process::exit(i32::from(trommel_cli::main(arguments).code())))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Of faults that have no place.
        let error = module.py().get_type::<ArchiveError>();
        error.setattr("file", module.py().None())?;
        error.setattr("offset", module.py().None())?;
        crate::document::add_attributes(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
