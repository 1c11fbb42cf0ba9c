//! Documents as Arrow record batches with the columns of the Parquet files, and pages from Arrow arrays.

mod capsule;

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
    TimestampMillisecondArray,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyCapsule};
use trommel::OutputRecord;
use trommel::record::{COLUMNS, Column, ColumnValue, FieldValue, OptionalColumns, Structures};

use crate::errors::told;

pub(crate) use capsule::arrays;

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

/// The zone of points in time.
const UTC: &str = "UTC";

/// The columns about a page without its record.
const OF_PAGES: [&str; 20] = [
    "text", "url", "language", "title", "author", "published", "modified", "site", "description", "canonical", "next",
    "lang_declared", "rights", "headings", "page_type", "confidence", "comments", "charset", "charset_source",
    "capped",
];

/// Columns of record batches.
pub(crate) struct ArrowColumns(Vec<&'static Column>);

impl ArrowColumns {
    /// The columns of documents of archives, as in Parquet files.
    pub(crate) fn of_documents(optional: OptionalColumns) -> Self {
        Self(COLUMNS.iter().chain(optional.columns()).collect())
    }

    /// The columns of pages that are no records.
    pub(crate) fn of_pages(optional: OptionalColumns) -> Self {
        let columns = COLUMNS.iter().filter(|column| OF_PAGES.contains(&column.name));
        Self(columns.chain(optional.columns()).collect())
    }

    /// A row for each document; nulls where there is none.
    ///
    /// # Errors
    /// `ValueError` if a column would be longer than 2 GiB.
    pub(crate) fn batch(&self, rows: &[Option<&OutputRecord>]) -> PyResult<RecordBatch> {
        let mut fields = Vec::with_capacity(self.0.len());
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.0.len());
        for column in &self.0 {
            let array = array(column, rows)?;
            fields.push(Field::new(column.name, data_type(column), true));
            arrays.push(array);
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(told)
    }
}

fn data_type(column: &Column) -> DataType {
    match column.value {
        ColumnValue::Text(_) => DataType::Utf8,
        ColumnValue::Int(_) => DataType::Int32,
        ColumnValue::Long(_) => DataType::Int64,
        ColumnValue::Time(_) => DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into())),
        ColumnValue::Float(_) => DataType::Float32,
        ColumnValue::List(_) => DataType::List(element(DataType::Utf8)),
        ColumnValue::Structures(schema) => DataType::List(element(DataType::Struct(structure_fields(schema)))),
    }
}

fn structure_fields(schema: &Structures) -> Fields {
    let texts = || DataType::List(element(DataType::Utf8));
    let fields = schema.fields.iter().map(|field| {
        let data_type = match field.value {
            FieldValue::Text(_) => DataType::Utf8,
            FieldValue::Long(_) => DataType::Int64,
            FieldValue::Float(_) => DataType::Float32,
            FieldValue::Bool(_) => DataType::Boolean,
            FieldValue::List(_) => texts(),
            FieldValue::Rows(_) => DataType::List(element(texts())),
        };
        Field::new(field.name, data_type, false)
    });
    fields.collect()
}

fn element(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new("element", data_type, false))
}

fn array(column: &Column, rows: &[Option<&OutputRecord>]) -> PyResult<ArrayRef> {
    let rows = rows.iter().copied();
    Ok(match column.value {
        ColumnValue::Text(value) => texts(rows.map(|row| row.and_then(value)))?,
        ColumnValue::Int(value) => Arc::new(rows.map(|row| row.and_then(value)).collect::<Int32Array>()),
        ColumnValue::Long(value) => Arc::new(rows.map(|row| row.and_then(value)).collect::<Int64Array>()),
        ColumnValue::Time(value) => {
            let times = rows.map(|row| row.and_then(value)).collect::<TimestampMillisecondArray>();
            Arc::new(times.with_timezone(UTC))
        }
        ColumnValue::Float(value) => Arc::new(rows.map(|row| row.and_then(value)).collect::<Float32Array>()),
        ColumnValue::List(value) => text_lists(rows.map(|row| row.map_or(&[][..], value)))?,
        ColumnValue::Structures(schema) => structures(rows.collect(), schema)?,
    })
}

/// Lists of structures, the fields of all elements one after the other.
fn structures(rows: Vec<Option<&OutputRecord>>, schema: &Structures) -> PyResult<ArrayRef> {
    let count = |row: &Option<&OutputRecord>| row.map_or(0, schema.count);
    let all: Vec<(&OutputRecord, usize)> =
        rows.iter().flatten().flat_map(|row| (0..(schema.count)(row)).map(move |at| (*row, at))).collect();
    let arrays = schema.fields.iter().map(|field| field_array(&field.value, &all));
    let arrays: Vec<ArrayRef> = arrays.collect::<PyResult<_>>()?;
    let fields = structure_fields(schema);
    let values = StructArray::try_new(fields.clone(), arrays, None).map_err(told)?;
    let lengths = rows.iter().map(count);
    list(element(DataType::Struct(fields)), lengths, Arc::new(values))
}

fn field_array(value: &FieldValue, all: &[(&OutputRecord, usize)]) -> PyResult<ArrayRef> {
    let all = all.iter().copied();
    Ok(match *value {
        FieldValue::Text(value) => texts(all.map(|(row, at)| Some(value(row, at))))?,
        FieldValue::Long(value) => {
            let values = all.map(|(row, at)| Some(i64::from(value(row, at))));
            Arc::new(values.collect::<Int64Array>())
        }
        FieldValue::Float(value) => {
            let values = all.map(|(row, at)| Some(value(row, at)));
            Arc::new(values.collect::<Float32Array>())
        }
        FieldValue::Bool(value) => {
            let values = all.map(|(row, at)| Some(value(row, at)));
            Arc::new(values.collect::<BooleanArray>())
        }
        FieldValue::List(value) => text_lists(all.map(|(row, at)| value(row, at)))?,
        FieldValue::Rows(value) => {
            let tables: Vec<&[Vec<String>]> = all.map(|(row, at)| value(row, at)).collect();
            let rows = tables.iter().flat_map(|rows| rows.iter().map(Vec::as_slice));
            let cells = text_lists(rows)?;
            let row = element(DataType::List(element(DataType::Utf8)));
            list(row, tables.iter().map(|rows| rows.len()), cells)?
        }
    })
}

/// Lists of texts.
fn text_lists<'a>(lists: impl Iterator<Item = &'a [String]>) -> PyResult<ArrayRef> {
    let lists: Vec<&[String]> = lists.collect();
    let all = lists.iter().flat_map(|list| list.iter());
    let values = texts(all.map(|text| Some(text.as_str())))?;
    list(element(DataType::Utf8), lists.iter().map(|list| list.len()), values)
}

fn texts<'a>(values: impl Iterator<Item = Option<&'a str>> + Clone) -> PyResult<ArrayRef> {
    let bytes: usize = values.clone().flatten().map(str::len).sum();
    // Offsets have 32 bits.
    if i32::try_from(bytes).is_err() {
        return Err(PyValueError::new_err("these pages are too long for one batch: give fewer at once"));
    }
    Ok(Arc::new(values.collect::<StringArray>()))
}

fn list(element: Arc<Field>, lengths: impl Iterator<Item = usize>, values: ArrayRef) -> PyResult<ArrayRef> {
    let mut offsets = vec![0_i32];
    let mut end = 0_usize;
    for length in lengths {
        end += length;
        let offset = i32::try_from(end);
        offsets.push(
            offset.map_err(|_| PyValueError::new_err("these pages are too long for one batch: give fewer at once"))?,
        );
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    ListArray::try_new(element, offsets, values, None).map(|list| Arc::new(list) as ArrayRef).map_err(told)
}
