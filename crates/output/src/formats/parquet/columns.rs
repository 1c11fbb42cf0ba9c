//! Writes each column of documents to a Parquet file.

use std::fs::File;

use parquet::{
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type},
    errors::ParquetError,
    file::writer::SerializedRowGroupWriter,
};

use trommel_extract::{Post, TextSpan};

use crate::{
    OutputBlock, OutputRecord,
    columns::{Column, ColumnValue},
};

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
            ColumnValue::Blocks => format!(
                "required group {name} (LIST) {{ repeated group list {{ required group element {{ \
                 required binary text (STRING); required int64 start; required int64 end; \
                 required binary tag (STRING); required binary path (STRING); \
                 required int64 words; required float link_density; required float probability; \
                 required boolean kept; required binary role (STRING); \
                 required binary source (STRING); required binary by (STRING); }} }} }} "
            ),
            ColumnValue::Spans => format!(
                "required group {name} (LIST) {{ repeated group list {{ required group element {{ \
                 required int64 start; required int64 chars; required int64 byte; \
                 required int64 bytes; }} }} }} "
            ),
            ColumnValue::Tables => format!(
                "required group {name} (LIST) {{ repeated group list {{ required group element {{ \
                 required binary caption (STRING); required int64 header_rows; \
                 required group rows (LIST) {{ repeated group list {{ \
                 required group element (LIST) {{ repeated group list {{ \
                 required binary element (STRING); }} }} }} }} }} }} }} "
            ),
            ColumnValue::Posts => format!(
                "required group {name} (LIST) {{ repeated group list {{ required group element {{ \
                 required binary author (STRING); required binary published (STRING); \
                 required binary text (STRING); }} }} }} "
            ),
        }
    }

    /// Writes the values of `rows`.
    pub(super) fn write(
        &self,
        rows: &[OutputRecord],
        group: &mut Group<'_>,
    ) -> Result<(), ParquetError> {
        match self.value {
            ColumnValue::Text(value) => {
                optional::<ByteArrayType>(group, rows, |record| value(record).map(ByteArray::from))
            }
            ColumnValue::Int(value) => optional::<Int32Type>(group, rows, value),
            ColumnValue::Long(value) => optional::<Int64Type>(group, rows, value),
            ColumnValue::Float(value) => optional::<FloatType>(group, rows, value),
            ColumnValue::List(value) => {
                lists::<ByteArrayType, _>(group, rows, value, |element| element.as_str().into())
            }
            ColumnValue::Blocks => blocks(group, rows),
            ColumnValue::Spans => spans(group, rows),
            ColumnValue::Tables => tables(group, rows),
            ColumnValue::Posts => posts(group, rows),
        }
    }
}

/// Writes the columns of the blocks' fields.
fn blocks(group: &mut Group<'_>, rows: &[OutputRecord]) -> Result<(), ParquetError> {
    let text = |group: &mut Group<'_>, value: fn(&OutputBlock) -> &str| {
        lists::<ByteArrayType, _>(group, rows, |row| &row.blocks, |block| value(block).into())
    };
    let long = |group: &mut Group<'_>, value: fn(&OutputBlock) -> u32| {
        lists::<Int64Type, _>(group, rows, |row| &row.blocks, |block| value(block).into())
    };
    let float = |group: &mut Group<'_>, value: fn(&OutputBlock) -> f32| {
        lists::<FloatType, _>(group, rows, |row| &row.blocks, value)
    };
    text(group, |block| &block.text)?;
    long(group, |block| block.start)?;
    long(group, |block| block.end)?;
    text(group, |block| &block.tag)?;
    text(group, |block| &block.path)?;
    long(group, |block| block.words)?;
    float(group, |block| block.link_density)?;
    float(group, |block| block.probability)?;
    lists::<BoolType, _>(group, rows, |row| &row.blocks, |block| block.kept)?;
    text(group, |block| &block.role)?;
    text(group, |block| &block.source)?;
    text(group, |block| &block.by)
}

/// Writes the columns of the spans' fields.
fn spans(group: &mut Group<'_>, rows: &[OutputRecord]) -> Result<(), ParquetError> {
    let mut long = |value: fn(&TextSpan) -> u32| {
        lists::<Int64Type, _>(group, rows, |row| &row.spans, |span| value(span).into())
    };
    long(|span| span.start)?;
    long(|span| span.chars)?;
    long(|span| span.byte)?;
    long(|span| span.bytes)
}

/// Writes the columns of the tables' fields.
fn tables(group: &mut Group<'_>, rows: &[OutputRecord]) -> Result<(), ParquetError> {
    lists::<ByteArrayType, _>(
        group,
        rows,
        |row| &row.tables,
        |own| own.caption.as_str().into(),
    )?;
    lists::<Int64Type, _>(group, rows, |row| &row.tables, |own| own.header_rows.into())?;
    cells(group, rows)
}

/// Writes the columns of the posts' fields.
fn posts(group: &mut Group<'_>, rows: &[OutputRecord]) -> Result<(), ParquetError> {
    let mut text = |value: fn(&Post) -> &str| {
        lists::<ByteArrayType, _>(group, rows, |row| &row.posts, |post| value(post).into())
    };
    text(|post| post.author.as_deref().unwrap_or_default())?;
    text(|post| post.published.as_deref().unwrap_or_default())?;
    text(|post| &post.text)
}

/// Writes the column of the tables' cells: definition level 1 for a table without rows, 2 for a row without
/// cells, 3 for a cell; repetition level 1 for the first of a table but the first, 2 of a row, 3 for the others.
fn cells(group: &mut Group<'_>, rows: &[OutputRecord]) -> Result<(), ParquetError> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for record in rows {
        let mut level = 0;
        let mut add = |definition: i16, value: Option<&String>, level: i16| {
            defined.push(definition);
            repeated.push(level);
            values.extend(value.map(|text| ByteArray::from(text.as_str())));
        };
        if record.tables.is_empty() {
            add(0, None, 0);
        }
        for table in &record.tables {
            if table.rows.is_empty() {
                add(1, None, level);
            }
            for row in &table.rows {
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
        let column = writer.typed::<T>();
        column.write_batch(values, Some(defined), repeated)?;
        writer.close()?;
    }
    Ok(())
}

/// Writes a column that may be null: definition level 1 where there is a value, else 0.
fn optional<T: DataType>(
    group: &mut Group<'_>,
    rows: &[OutputRecord],
    value: impl Fn(&OutputRecord) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = rows.iter().map(value).collect();
    let defined: Vec<i16> = values
        .iter()
        .map(|value| i16::from(value.is_some()))
        .collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    leaf::<T>(group, &values, &defined, None)
}

/// Writes a column of lists: repetition level 1 for each element but the first; definition level 0 for
/// an empty list, 1 for an element.
fn lists<T: DataType, E>(
    group: &mut Group<'_>,
    rows: &[OutputRecord],
    list: impl Fn(&OutputRecord) -> &[E],
    value: impl Fn(&E) -> T::T,
) -> Result<(), ParquetError> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let list = list(row);
        if list.is_empty() {
            defined.push(0);
            repeated.push(0);
        }
        for (at, element) in list.iter().enumerate() {
            defined.push(1);
            repeated.push(i16::from(at > 0));
            values.push(value(element));
        }
    }
    leaf::<T>(group, &values, &defined, Some(&repeated))
}
