//! A record batch for Python.

use arrow_array::RecordBatch;
use pyo3::{prelude::*, types::PyCapsule};

use super::capsule;

/// Documents as rows. It supports the Arrow PyCapsule interface: `pyarrow.record_batch(batch)`,
/// `polars.DataFrame(batch)` and others take it without copies.
#[pyclass(frozen, name = "RecordBatch", module = "trommel_text")]
pub(crate) struct PyRecordBatch {
    batch: RecordBatch,
}

impl PyRecordBatch {
    pub(crate) fn new(batch: RecordBatch) -> Self {
        Self { batch }
    }
}

#[pymethods]
impl PyRecordBatch {
    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let schema = self.batch.schema();
        schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Returns the rows as a `pyarrow.RecordBatch`.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("record_batch", (slf,))
    }

    /// Returns the rows as dicts. Needs pyarrow.
    fn to_pylist<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_pyarrow(slf)?.call_method0("to_pylist")
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<RecordBatch of {} rows, {} columns>", self.batch.num_rows(), self.batch.num_columns())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.batch)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // A wish that need not be met, as the interface says.
        let _ = requested_schema;
        Ok((capsule::schema(py, &self.batch)?, capsule::array(py, &self.batch)?))
    }
}
