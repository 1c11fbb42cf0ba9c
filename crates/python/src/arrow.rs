//! Converts documents to Arrow record batches with the columns of the Parquet files.

mod capsule;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use pyo3::exceptions::{PyImportError, PyValueError};
use pyo3::{prelude::*, types::PyCapsule};
use trommel::Document;
use trommel::record::{COLUMNS, Column, OptionalColumns, record_batch};
use trommel_text::keys::Keyed as _;

use crate::errors::told;

pub(crate) use capsule::arrays;

/// Documents as the rows of a table. It supports the Arrow PyCapsule interface: `pyarrow.record_batch(batch)`,
/// `polars.DataFrame(batch)` and others take it without copies.
#[pyclass(frozen, name = "RecordBatch", module = "trommel_text")]
pub(crate) struct PyRecordBatch(pub(crate) RecordBatch);

#[pymethods]
impl PyRecordBatch {
    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let schema = self.0.schema();
        schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Returns the rows as a `pyarrow.RecordBatch`.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let pyarrow = slf.py().import("pyarrow").map_err(|_| PyImportError::new_err(WITHOUT_ARROW))?;
        pyarrow.call_method1("record_batch", (slf,))
    }

    /// Returns the rows as dicts. Needs pyarrow.
    fn to_pylist<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_pyarrow(slf)?.call_method0("to_pylist")
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<RecordBatch of {} rows, {} columns>", self.0.num_rows(), self.0.num_columns())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.0)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // A wish that need not be met, as the interface says.
        let _ = requested_schema;
        Ok((capsule::schema(py, &self.0)?, capsule::array(py, &self.0)?))
    }
}

/// Number of bytes of text after which a record batch ends early.
pub(crate) const BATCH_BYTES: usize = 64 << 20;

const WITHOUT_ARROW: &str = "this needs pyarrow: pip install 'trommel_text[arrow]'; read_documents needs none";

/// Keys of documents that describe a record in an archive, so that tables of single pages lack these columns.
const OF_RECORDS: [&str; 7] = ["id", "date", "blocked", "status", "truncated", "notes", "extractor"];

/// List of the columns of a record batch for Python.
pub(crate) struct ArrowColumns(Vec<&'static Column>);

impl ArrowColumns {
    /// Returns the columns for documents of archives, as in Parquet files.
    pub(crate) fn of_documents(optional: OptionalColumns) -> Self {
        Self(COLUMNS.iter().copied().chain(optional.columns()).collect())
    }

    /// Returns the columns for single pages, without columns about a record.
    pub(crate) fn of_pages(optional: OptionalColumns) -> Self {
        let is_key = |name| Document::KEYS.iter().any(|key| key.field.name == name);
        let names = |column: &&Column| is_key(column.field.name) && !OF_RECORDS.contains(&column.field.name);
        let columns = COLUMNS.iter().copied().filter(names);
        Self(columns.chain(optional.columns()).collect())
    }

    /// Creates a record batch with a row for each document, and a row of nulls for each missing document.
    ///
    /// # Errors
    /// Raises `ValueError` if a column would be longer than 2 GiB.
    pub(crate) fn batch(&self, rows: &[Option<&Document>]) -> PyResult<RecordBatch> {
        record_batch(&self.0, rows).map_err(|error| match error {
            ArrowError::InvalidArgumentError(why) => PyValueError::new_err(why),
            error => told(error),
        })
    }
}
