//! Writes each column of documents to a Parquet file.

use std::fs::File;

use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedRowGroupWriter;

use crate::parquet_columns::{Column, ColumnValue, FieldValue, StructureField, Structures};

/// A row group being written.
type Group<'a> = SerializedRowGroupWriter<'a, File>;

impl<R> Column<R> {
    /// Its declaration in a message type.
    pub(super) fn declaration(&self) -> String {
        let name = self.name;
        match self.value {
            ColumnValue::Text(_) => format!("optional binary {name} (STRING); "),
            ColumnValue::Int(_) => format!("optional int32 {name}; "),
            ColumnValue::Long(_) => format!("optional int64 {name}; "),
            ColumnValue::Time(_) => format!("optional int64 {name} (TIMESTAMP(MILLIS,true)); "),
            ColumnValue::Float(_) => format!("optional float {name}; "),
            ColumnValue::List(_) => format!(
                "required group {name} (LIST) {{ \
                 repeated group list {{ required binary element (STRING); }} }} "
            ),
            ColumnValue::Structures(schema) => {
                let fields: String = schema.fields.iter().map(StructureField::declaration).collect();
                format!(
                    "required group {name} (LIST) {{ repeated group list {{ \
                     required group element {{ {fields} }} }} }} "
                )
            }
        }
    }

    /// Writes the values of `rows`.
    pub(super) fn write(&self, rows: &[R], group: &mut Group<'_>) -> Result<(), ParquetError> {
        match self.value {
            ColumnValue::Text(value) => {
                optional::<ByteArrayType, _>(group, rows, |record| value(record).map(ByteArray::from))
            }
            ColumnValue::Int(value) => optional::<Int32Type, _>(group, rows, value),
            ColumnValue::Long(value) | ColumnValue::Time(value) => optional::<Int64Type, _>(group, rows, value),
            ColumnValue::Float(value) => optional::<FloatType, _>(group, rows, value),
            ColumnValue::List(value) => {
                let count = |record: &R| value(record).len();
                lists::<ByteArrayType, _>(group, rows, count, |record, at| {
                    value(record).get(at).map_or("", String::as_str).into()
                })
            }
            ColumnValue::Structures(schema) => structures(group, rows, schema),
        }
    }
}

impl<R> StructureField<R> {
    /// Its declaration in a message type.
    fn declaration(&self) -> String {
        let name = self.name;
        let texts = "repeated group list { required binary element (STRING); }";
        match self.value {
            FieldValue::Text(_) => format!("required binary {name} (STRING); "),
            FieldValue::Long(_) => format!("required int64 {name}; "),
            FieldValue::Float(_) => format!("required float {name}; "),
            FieldValue::Bool(_) => format!("required boolean {name}; "),
            FieldValue::List(_) => format!("required group {name} (LIST) {{ {texts} }} "),
            FieldValue::Rows(_) => format!(
                "required group {name} (LIST) {{ repeated group list {{ \
                 required group element (LIST) {{ {texts} }} }} }} "
            ),
        }
    }
}

/// Writes the columns of the fields of structures.
fn structures<R>(group: &mut Group<'_>, rows: &[R], schema: &Structures<R>) -> Result<(), ParquetError> {
    let count = schema.count;
    for field in schema.fields {
        match field.value {
            FieldValue::Text(value) => {
                lists::<ByteArrayType, _>(group, rows, count, |record, at| value(record, at).into())
            }
            FieldValue::Long(value) => lists::<Int64Type, _>(group, rows, count, |record, at| value(record, at).into()),
            FieldValue::Float(value) => lists::<FloatType, _>(group, rows, count, value),
            FieldValue::Bool(value) => lists::<BoolType, _>(group, rows, count, value),
            FieldValue::List(value) => Leaves::write(group, rows, |leaves: &mut Leaves<ByteArrayType>, row| {
                leaves.list(0..count(row), |leaves, at| {
                    leaves.list(value(row, at), |leaves, text| leaves.add(text.as_str().into()));
                });
            }),
            FieldValue::Rows(value) => Leaves::write(group, rows, |leaves: &mut Leaves<ByteArrayType>, row| {
                leaves.list(0..count(row), |leaves, at| {
                    leaves.list(value(row, at), |leaves, cells| {
                        leaves.list(cells, |leaves, cell| leaves.add(cell.as_str().into()));
                    });
                });
            }),
        }?;
    }
    Ok(())
}

/// The values of a column of lists, which may lie in each other, with their levels.
struct Leaves<T: DataType> {
    values: Vec<T::T>,
    /// Definition levels: the number of lists around a value, or around an empty list.
    defined: Vec<i16>,
    /// Repetition levels: the number of lists around what goes on; 0 where a row begins.
    repeated: Vec<i16>,
    depth: i16,
    goes_on: i16,
}

impl<T: DataType> Leaves<T> {
    /// Writes the column whose lists `add` adds for each row.
    fn write<R>(group: &mut Group<'_>, rows: &[R], add: impl Fn(&mut Self, &R)) -> Result<(), ParquetError> {
        let (values, defined, repeated) = (Vec::new(), Vec::new(), Vec::new());
        let mut leaves = Self { values, defined, repeated, depth: 0, goes_on: 0 };
        for row in rows {
            leaves.goes_on = 0;
            add(&mut leaves, row);
        }
        leaf::<T>(group, &leaves.values, &leaves.defined, Some(&leaves.repeated))
    }

    fn list<I>(&mut self, items: impl IntoIterator<Item = I>, add: impl Fn(&mut Self, I)) {
        let before = self.defined.len();
        self.depth += 1;
        for item in items {
            add(self, item);
            self.goes_on = self.depth;
        }
        self.depth -= 1;
        if self.defined.len() == before {
            self.note_levels();
        }
    }

    fn add(&mut self, value: T::T) {
        self.values.push(value);
        self.note_levels();
    }

    fn note_levels(&mut self) {
        self.defined.push(self.depth);
        self.repeated.push(self.goes_on);
    }
}

/// Writes the values of one leaf, the next of the row group.
fn leaf<T: DataType>(
    group: &mut Group<'_>,
    values: &[T::T],
    defined: &[i16],
    repeated: Option<&[i16]>,
) -> Result<(), ParquetError> {
    if let Some(mut writer) = group.next_column()? {
        writer.typed::<T>().write_batch(values, Some(defined), repeated)?;
        writer.close()?;
    }
    Ok(())
}

/// Writes a column that may be null: definition level 1 where there is a value, else 0.
fn optional<T: DataType, R>(
    group: &mut Group<'_>,
    rows: &[R],
    value: impl Fn(&R) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = rows.iter().map(value).collect();
    let defined: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    leaf::<T>(group, &values, &defined, None)
}

/// Writes a column of lists.
fn lists<T: DataType, R>(
    group: &mut Group<'_>,
    rows: &[R],
    count: impl Fn(&R) -> usize,
    value: impl Fn(&R, usize) -> T::T,
) -> Result<(), ParquetError> {
    Leaves::<T>::write(group, rows, |leaves, row| {
        leaves.list(0..count(row), |leaves, at| leaves.add(value(row, at)));
    })
}
