//! Passes arrays by pointer, without copies, through the Arrow PyCapsule interface.
//!
//! This is the only module here with `unsafe`. It relies on a promise of the interface: a capsule with one of
//! its three names points to the C structure of that name. The receiver moves it out and releases it.
#![allow(unsafe_code)]

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray, ffi_stream::ArrayStreamReader, make_array};
use pyo3::{prelude::*, types::PyCapsule};

use crate::errors::told;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Exports the schema of a batch as an Arrow PyCapsule.
pub(super) fn schema<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(batch.schema().as_ref()).map_err(told)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Exports the columns of a batch as an Arrow PyCapsule with one array of structures.
pub(super) fn array<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyCapsule>> {
    let rows = StructArray::from(batch.clone());
    PyCapsule::new_with_value(py, FFI_ArrowArray::new(&rows.to_data()), ARRAY)
}

/// Returns the Arrow arrays in a Python object; `None` if it is not an Arrow array, chunked array or series.
pub(crate) fn arrays(given: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    if given.hasattr("__arrow_c_array__")? {
        let capsules = given.call_method0("__arrow_c_array__")?;
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = capsules.extract()?;
        return taken(&schema, &array).map(|array| Some(vec![array]));
    }
    if given.hasattr("__arrow_c_stream__")? {
        let capsule = given.call_method0("__arrow_c_stream__")?;
        return chunks(capsule.cast::<PyCapsule>()?).map(Some);
    }
    Ok(None)
}

fn taken(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<ArrayRef> {
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast();
    let array = array.pointer_checked(Some(ARRAY))?.cast();
    // SAFETY: The names were checked, so these point to the structures of those names, which are moved out:
    // what stays behind is marked as released.
    let (schema, array) =
        unsafe { (FFI_ArrowSchema::from_raw(schema.as_ptr()), FFI_ArrowArray::from_raw(array.as_ptr())) };
    // SAFETY: Both come from one call of a producer, so the array has the type that the schema says.
    let data = unsafe { from_ffi(array, &schema) };
    data.map(make_array).map_err(told)
}

fn chunks(capsule: &Bound<'_, PyCapsule>) -> PyResult<Vec<ArrayRef>> {
    let stream = capsule.pointer_checked(Some(STREAM))?.cast();
    // SAFETY: As above; the stream is released when it is dropped.
    let stream = unsafe { ArrayStreamReader::from_raw(stream.as_ptr()) };
    let stream = stream.map_err(told)?;
    stream.collect::<Result<_, _>>().map_err(told)
}
