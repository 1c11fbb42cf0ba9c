//! Converts rows to Arrow record batches, the tables of the Python module.

use std::{borrow::Cow, sync::Arc};

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Int32Array, Int64Array, ListArray, NullArray, RecordBatch, StringArray,
    StructArray, TimestampMillisecondArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use trommel_text::keys::{self, Key, Shape, Value};

/// Time zone of columns with points in time.
const UTC: &str = "UTC";

/// Returns the Arrow schema of the columns.
fn schema<R>(columns: &[&Key<R>]) -> SchemaRef {
    Arc::new(Schema::new(columns.iter().map(|column| field(&column.field, true)).collect::<Fields>()))
}

/// Converts rows to an Arrow record batch. A missing row has nulls and empty lists.
///
/// # Errors
/// Fails if a column would be longer than 2 GiB.
pub fn record_batch<R>(columns: &[&Key<R>], rows: &[Option<&R>]) -> Result<RecordBatch, ArrowError> {
    let arrays = columns.iter().map(|column| {
        let values = rows.iter().map(|row| row.map_or(Value::Missing, column.value));
        array(column.field.shape, values.collect(), true)
    });
    RecordBatch::try_new(schema(columns), arrays.collect::<Result<_, _>>()?)
}

/// Returns the Arrow field of a column, or of a field in a structure. Lists are never null, and neither are the fields
/// of structures.
fn field(key: &keys::Field, is_nullable: bool) -> Field {
    let data_type = data_type(key.shape);
    let is_list = matches!(data_type, DataType::List(_));
    Field::new(key.name, data_type, is_nullable && !is_list)
}

fn data_type(shape: Shape) -> DataType {
    match shape {
        Shape::Text | Shape::Word | Shape::Address | Shape::Date => DataType::Utf8,
        Shape::Int => DataType::Int32,
        Shape::Long => DataType::Int64,
        Shape::Time => DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into())),
        Shape::Number => DataType::Float32,
        Shape::Boolean => DataType::Boolean,
        Shape::Texts => list_of(DataType::Utf8),
        Shape::Rows => list_of(list_of(DataType::Utf8)),
        Shape::Objects(fields) => list_of(DataType::Struct(structure(&fields()))),
        // Columns of their own have its parts.
        Shape::Object => DataType::Null,
    }
}

fn structure(fields: &[keys::Field]) -> Fields {
    fields.iter().map(|key| field(key, false)).collect()
}

/// Converts values of one shape to an Arrow array. A missing text becomes empty if the column cannot be null.
fn array(shape: Shape, values: Vec<Value<'_>>, is_nullable: bool) -> Result<ArrayRef, ArrowError> {
    Ok(match shape {
        Shape::Text | Shape::Word | Shape::Address | Shape::Date => {
            texts(values.into_iter().map(|value| match value {
                Value::Text(text) => Some(text),
                _ => (!is_nullable).then_some(Cow::Borrowed("")),
            }))?
        }
        Shape::Int => {
            let numbers = values.iter().map(|value| i32::try_from(integer(value)?).ok());
            Arc::new(numbers.collect::<Int32Array>())
        }
        Shape::Long => Arc::new(values.iter().map(integer).collect::<Int64Array>()),
        Shape::Time => Arc::new(values.iter().map(integer).collect::<TimestampMillisecondArray>().with_timezone(UTC)),
        Shape::Number => Arc::new(
            values
                .iter()
                .map(|value| if let Value::Number(number) = value { Some(*number) } else { None })
                .collect::<Float32Array>(),
        ),
        Shape::Boolean => Arc::new(
            values
                .iter()
                .map(|value| if let Value::Boolean(value) = value { Some(*value) } else { None })
                .collect::<BooleanArray>(),
        ),
        Shape::Texts => {
            let lists = values.iter().map(|value| if let Value::Texts(texts) = value { *texts } else { &[] });
            text_lists(lists.collect())?
        }
        Shape::Rows => {
            let rows = values.iter().map(|value| if let Value::Rows(rows) = value { *rows } else { &[] });
            let tables: Vec<&[Vec<String>]> = rows.collect();
            let cells = text_lists(tables.iter().flat_map(|rows| rows.iter().map(Vec::as_slice)).collect())?;
            list(list_of(DataType::Utf8), tables.iter().map(|rows| rows.len()), cells)?
        }
        Shape::Objects(fields) => {
            let lists = values.iter().map(|value| if let Value::Objects(list) = value { Some(list) } else { None });
            let lists: Vec<_> = lists.collect();
            let lengths = lists.iter().map(|list| list.map_or(0, |list| list.count()));
            let fields = fields();
            let arrays = fields.iter().enumerate().map(|(key, field)| {
                let lists = lists.iter().flatten();
                let values = lists.flat_map(|list| (0..list.count()).map(move |object| list.value(object, key)));
                array(field.shape, values.collect(), false)
            });
            let fields = structure(&fields);
            let values = StructArray::try_new(fields.clone(), arrays.collect::<Result<_, _>>()?, None)?;
            list(DataType::Struct(fields), lengths, Arc::new(values))?
        }
        Shape::Object => Arc::new(NullArray::new(values.len())),
    })
}

fn integer(value: &Value<'_>) -> Option<i64> {
    if let Value::Integer(number) = value { Some(*number) } else { None }
}

fn list_of(data_type: DataType) -> DataType {
    DataType::List(element(data_type))
}

fn element(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new("element", data_type, false))
}

fn text_lists(lists: Vec<&[String]>) -> Result<ArrayRef, ArrowError> {
    let values = texts(lists.iter().flat_map(|list| list.iter()).map(|text| Some(text.into())))?;
    list(DataType::Utf8, lists.iter().map(|list| list.len()), values)
}

fn texts<'a>(values: impl Iterator<Item = Option<Cow<'a, str>>>) -> Result<ArrayRef, ArrowError> {
    let values: Vec<Option<Cow<'a, str>>> = values.collect();
    let bytes: usize = values.iter().flatten().map(|text| text.len()).sum();
    // Offsets have 32 bits.
    i32::try_from(bytes).map_err(|_| too_long())?;
    Ok(Arc::new(values.iter().map(Option::as_ref).collect::<StringArray>()))
}

fn list(of: DataType, lengths: impl Iterator<Item = usize>, values: ArrayRef) -> Result<ArrayRef, ArrowError> {
    i32::try_from(values.len()).map_err(|_| too_long())?;
    Ok(Arc::new(ListArray::try_new(element(of), OffsetBuffer::from_lengths(lengths), values, None)?))
}

fn too_long() -> ArrowError {
    ArrowError::InvalidArgumentError("these pages are too long for one batch: give fewer at once".to_owned())
}
