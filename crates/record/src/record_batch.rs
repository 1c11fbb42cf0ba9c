//! Rows as Arrow record batches: the one form from which Parquet files and the tables of Python are made.

use std::fmt::Debug;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
    TimestampMillisecondArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef, TimeUnit};

use crate::OutputRecord;

/// The zone of points in time.
const UTC: &str = "UTC";

/// A column and how its values are taken from a row.
#[derive(Debug)]
pub struct Column<R: 'static = OutputRecord> {
    /// Its name.
    pub name: &'static str,
    value: ColumnValue<R>,
}

/// The value of a column in a row. Lists are never null.
#[derive(Debug)]
pub(crate) enum ColumnValue<R: 'static> {
    Text(fn(&R) -> Option<&str>),
    Int(fn(&R) -> Option<i32>),
    Long(fn(&R) -> Option<i64>),
    /// Milliseconds since 1970.
    Time(fn(&R) -> Option<i64>),
    Float(fn(&R) -> Option<f32>),
    Bool(fn(&R) -> bool),
    List(fn(&R) -> &[String]),
    /// Rows of cells.
    Rows(fn(&R) -> &[Vec<String>]),
    Structures(&'static dyn Structures<R>),
}

/// The lists of structures of rows.
pub(crate) trait Structures<R>: Debug + Sync {
    /// The fields of a structure, none of which is null.
    fn fields(&self) -> Fields;

    /// The lists of these rows.
    fn array(&self, rows: &[Option<&R>]) -> Result<ArrayRef, ArrowError>;
}

/// Structures made of the items of a list.
#[derive(Debug)]
pub(crate) struct ListOf<R: 'static, T: 'static> {
    pub(crate) items: fn(&R) -> &[T],
    /// The fields that an item has.
    pub(crate) fields: &'static [Column<T>],
    /// The fields that all items of a row have from it.
    pub(crate) of_row: &'static [Column<R>],
}

impl<R: Debug, T: Debug> Structures<R> for ListOf<R, T> {
    fn fields(&self) -> Fields {
        let own = self.fields.iter().map(|column| column.field(false));
        own.chain(self.of_row.iter().map(|column| column.field(false))).collect()
    }

    fn array(&self, rows: &[Option<&R>]) -> Result<ArrayRef, ArrowError> {
        let all = rows.iter().flatten().flat_map(|row| (self.items)(row).iter().map(move |item| (*row, item)));
        let (rows_of_items, items): (Vec<Option<&R>>, Vec<Option<&T>>) =
            all.map(|(row, item)| (Some(row), Some(item))).unzip();
        let own = self.fields.iter().map(|column| column.array(&items));
        let arrays = own.chain(self.of_row.iter().map(|column| column.array(&rows_of_items)));
        let fields = self.fields();
        let values = StructArray::try_new(fields.clone(), arrays.collect::<Result<_, _>>()?, None)?;
        let lengths = rows.iter().map(|row| row.map_or(0, |row| (self.items)(row).len()));
        list(DataType::Struct(fields), lengths, Arc::new(values))
    }
}

impl<R> Column<R> {
    pub(crate) const fn new(name: &'static str, value: ColumnValue<R>) -> Self {
        Self { name, value }
    }

    fn field(&self, is_nullable: bool) -> Field {
        let data_type = match self.value {
            ColumnValue::Text(_) => DataType::Utf8,
            ColumnValue::Int(_) => DataType::Int32,
            ColumnValue::Long(_) => DataType::Int64,
            ColumnValue::Time(_) => DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into())),
            ColumnValue::Float(_) => DataType::Float32,
            ColumnValue::Bool(_) => DataType::Boolean,
            ColumnValue::List(_) => list_of(DataType::Utf8),
            ColumnValue::Rows(_) => list_of(list_of(DataType::Utf8)),
            ColumnValue::Structures(structures) => list_of(DataType::Struct(structures.fields())),
        };
        let is_list = matches!(data_type, DataType::List(_));
        Field::new(self.name, data_type, is_nullable && !is_list)
    }

    fn array(&self, rows: &[Option<&R>]) -> Result<ArrayRef, ArrowError> {
        let all = rows.iter().copied();
        Ok(match self.value {
            ColumnValue::Text(value) => texts(all.map(|row| row.and_then(value)))?,
            ColumnValue::Int(value) => Arc::new(all.map(|row| row.and_then(value)).collect::<Int32Array>()),
            ColumnValue::Long(value) => Arc::new(all.map(|row| row.and_then(value)).collect::<Int64Array>()),
            ColumnValue::Time(value) => {
                let times = all.map(|row| row.and_then(value)).collect::<TimestampMillisecondArray>();
                Arc::new(times.with_timezone(UTC))
            }
            ColumnValue::Float(value) => Arc::new(all.map(|row| row.and_then(value)).collect::<Float32Array>()),
            ColumnValue::Bool(value) => Arc::new(all.map(|row| row.map(value)).collect::<BooleanArray>()),
            ColumnValue::List(value) => text_lists(all.map(|row| row.map_or(&[][..], value)))?,
            ColumnValue::Rows(value) => {
                let tables: Vec<&[Vec<String>]> = all.map(|row| row.map_or(&[][..], value)).collect();
                let cells = text_lists(tables.iter().flat_map(|rows| rows.iter().map(Vec::as_slice)))?;
                list(list_of(DataType::Utf8), tables.iter().map(|rows| rows.len()), cells)?
            }
            ColumnValue::Structures(structures) => structures.array(rows)?,
        })
    }
}

/// The schema of columns.
pub(crate) fn schema<R>(columns: &[&Column<R>]) -> SchemaRef {
    Arc::new(Schema::new(columns.iter().map(|column| column.field(true)).collect::<Fields>()))
}

/// The columns of rows; of a row that is missing they have nulls and empty lists.
///
/// # Errors
/// If a column would be longer than 2 GiB.
pub fn record_batch<R>(columns: &[&Column<R>], rows: &[Option<&R>]) -> Result<RecordBatch, ArrowError> {
    let arrays = columns.iter().map(|column| column.array(rows));
    RecordBatch::try_new(schema(columns), arrays.collect::<Result<_, _>>()?)
}

fn list_of(data_type: DataType) -> DataType {
    DataType::List(element(data_type))
}

fn element(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new("element", data_type, false))
}

fn text_lists<'a>(lists: impl Iterator<Item = &'a [String]>) -> Result<ArrayRef, ArrowError> {
    let lists: Vec<&[String]> = lists.collect();
    let all = lists.iter().flat_map(|list| list.iter());
    let values = texts(all.map(|text| Some(text.as_str())))?;
    list(DataType::Utf8, lists.iter().map(|list| list.len()), values)
}

fn texts<'a>(values: impl Iterator<Item = Option<&'a str>> + Clone) -> Result<ArrayRef, ArrowError> {
    let bytes: usize = values.clone().flatten().map(str::len).sum();
    // Offsets have 32 bits.
    i32::try_from(bytes).map_err(|_| too_long())?;
    Ok(Arc::new(values.collect::<StringArray>()))
}

fn list(of: DataType, lengths: impl Iterator<Item = usize>, values: ArrayRef) -> Result<ArrayRef, ArrowError> {
    i32::try_from(values.len()).map_err(|_| too_long())?;
    Ok(Arc::new(ListArray::try_new(element(of), OffsetBuffer::from_lengths(lengths), values, None)?))
}

fn too_long() -> ArrowError {
    ArrowError::InvalidArgumentError("these pages are too long for one batch: give fewer at once".to_owned())
}
