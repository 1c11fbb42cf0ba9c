//! Writes each column of documents to a Parquet file.

use std::fs::File;

use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedRowGroupWriter;

use crate::OutputRecord;
use crate::columns::{Column, ColumnValue, FieldValue, StructureField, Structures};

/// A row group being written.
type Group<'a> = SerializedRowGroupWriter<'a, File>;

impl Column {
    /// Its declaration in a message type.
    pub(super) fn declaration(&self) -> String {
        let name = self.name;
        match self.value {
            ColumnValue::Text(_) => format!("optional binary {name} (STRING); "),
            ColumnValue::Int(_) => format!("optional int32 {name}; "),
            ColumnValue::Long(_) => format!("optional int64 {name}; "),
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
    pub(super) fn write(&self, rows: &[OutputRecord], group: &mut Group<'_>) -> Result<(), ParquetError> {
        match self.value {
            ColumnValue::Text(value) => {
                optional::<ByteArrayType, _>(group, rows, |record| value(record).map(ByteArray::from))
            }
            ColumnValue::Int(value) => optional::<Int32Type, _>(group, rows, value),
            ColumnValue::Long(value) => optional::<Int64Type, _>(group, rows, value),
            ColumnValue::Float(value) => optional::<FloatType, _>(group, rows, value),
            ColumnValue::List(value) => {
                let count = |record: &OutputRecord| value(record).len();
                lists::<ByteArrayType, _>(group, rows, count, |record, at| {
                    value(record).get(at).map_or("", String::as_str).into()
                })
            }
            ColumnValue::Structures(schema) => structures(group, rows, schema),
        }
    }
}

impl StructureField {
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
fn structures(group: &mut Group<'_>, rows: &[OutputRecord], schema: &Structures) -> Result<(), ParquetError> {
    let count = schema.count;
    for field in schema.fields {
        match field.value {
            FieldValue::Text(value) => {
                lists::<ByteArrayType, _>(group, rows, count, |record, at| value(record, at).into())
            }
            FieldValue::Long(value) => lists::<Int64Type, _>(group, rows, count, |record, at| value(record, at).into()),
            FieldValue::Float(value) => lists::<FloatType, _>(group, rows, count, value),
            FieldValue::Bool(value) => lists::<BoolType, _>(group, rows, count, value),
            FieldValue::List(value) => {
                let all = rows.iter().map(|row| (0..count(row)).map(|at| value(row, at).iter()));
                inner_lists(group, all)
            }
            FieldValue::Rows(value) => cells(group, rows, count, value),
        }?;
    }
    Ok(())
}

/// Writes a column of lists in lists. The definition level is 0 for an empty outer list, 1 for an empty
/// inner one, 2 for a text. The repetition level is 1 for the first text of an inner list after the first,
/// 2 for the others.
fn inner_lists<'a, Inner: Iterator<Item = &'a String>>(
    group: &mut Group<'_>,
    rows: impl Iterator<Item = impl Iterator<Item = Inner>>,
) -> Result<(), ParquetError> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for outer in rows {
        let mut level = 0;
        let mut is_empty = true;
        for inner in outer {
            is_empty = false;
            let before = values.len();
            for text in inner {
                values.push(ByteArray::from(text.as_str()));
                defined.push(2);
                repeated.push(level);
                level = 2;
            }
            if values.len() == before {
                defined.push(1);
                repeated.push(level);
            }
            level = 1;
        }
        if is_empty {
            defined.push(0);
            repeated.push(0);
        }
    }
    leaf::<ByteArrayType>(group, &values, &defined, Some(&repeated))
}

/// Writes the column of the cells of tables. The definition level is 1 for a table without rows, 2 for a
/// row without cells, 3 for a cell. The repetition level is 1 for the first cell of a table after the
/// first, 2 for the first of a row, 3 for the others.
fn cells(
    group: &mut Group<'_>,
    rows: &[OutputRecord],
    count: fn(&OutputRecord) -> usize,
    value: fn(&OutputRecord, usize) -> &[Vec<String>],
) -> Result<(), ParquetError> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for record in rows {
        let mut level = 0;
        let mut add = |definition: i16, value: Option<&String>, level: i16| {
            defined.push(definition);
            repeated.push(level);
            values.extend(value.map(|text| ByteArray::from(text.as_str())));
        };
        if count(record) == 0 {
            add(0, None, 0);
        }
        for table in 0..count(record) {
            let rows = value(record, table);
            if rows.is_empty() {
                add(1, None, level);
            }
            for row in rows {
                if row.is_empty() {
                    add(2, None, level);
                }
                for cell in row {
                    add(3, Some(cell), level);
                    level = 3;
                }
                level = 2;
            }
            level = 1;
        }
    }
    leaf::<ByteArrayType>(group, &values, &defined, Some(&repeated))
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
pub(crate) fn optional<T: DataType, R>(
    group: &mut Group<'_>,
    rows: &[R],
    value: impl Fn(&R) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = rows.iter().map(value).collect();
    let defined: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    leaf::<T>(group, &values, &defined, None)
}

/// Writes a column of lists: repetition level 1 for each element but the first; definition level 0 for
/// an empty list, 1 for an element.
pub(crate) fn lists<T: DataType, R>(
    group: &mut Group<'_>,
    rows: &[R],
    count: impl Fn(&R) -> usize,
    value: impl Fn(&R, usize) -> T::T,
) -> Result<(), ParquetError> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let count = count(row);
        if count == 0 {
            defined.push(0);
            repeated.push(0);
        }
        for at in 0..count {
            defined.push(1);
            repeated.push(i16::from(at > 0));
            values.push(value(row, at));
        }
    }
    leaf::<T>(group, &values, &defined, Some(&repeated))
}
