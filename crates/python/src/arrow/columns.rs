//! From documents to Arrow columns: those of the Parquet files, by the same table.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Int32Array, Int64Array, ListArray, RecordBatch,
    StringArray, StructArray,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields, Schema};
use pyo3::{exceptions::PyValueError, prelude::*};
use trommel::{
    DocumentTable, OutputRecord, Post, TextSpan,
    output::{COLUMNS, Column, ColumnValue, OptionalColumns, OutputBlock},
};

use crate::errors::TrommelError;

/// What is known of a page without its record.
const OF_PAGES: [&str; 19] = [
    "text", "url", "language", "title", "author", "published", "modified", "site", "description",
    "canonical", "next", "lang_declared", "headings", "page_type", "confidence", "comments",
    "charset", "charset_source", "capped",
];

/// Columns of record batches.
pub(crate) struct ArrowColumns(Vec<&'static Column>);

impl ArrowColumns {
    /// Those of documents of archives: the columns of Parquet files.
    pub(crate) fn of_documents(optional: OptionalColumns) -> Self {
        Self(COLUMNS.iter().chain(optional.columns()).collect())
    }

    /// Those of pages that are no records.
    pub(crate) fn of_pages(optional: OptionalColumns) -> Self {
        let columns = COLUMNS
            .iter()
            .filter(|column| OF_PAGES.contains(&column.name));
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
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
            .map_err(|error| TrommelError::new_err(error.to_string()))
    }
}

fn data_type(column: &Column) -> DataType {
    match column.value {
        ColumnValue::Text(_) => DataType::Utf8,
        ColumnValue::Int(_) => DataType::Int32,
        ColumnValue::Long(_) => DataType::Int64,
        ColumnValue::Float(_) => DataType::Float32,
        ColumnValue::List(_) => DataType::List(element(DataType::Utf8)),
        ColumnValue::Blocks => DataType::List(element(DataType::Struct(block_fields()))),
        ColumnValue::Spans => DataType::List(element(DataType::Struct(span_fields()))),
        ColumnValue::Tables => DataType::List(element(DataType::Struct(table_fields()))),
        ColumnValue::Posts => DataType::List(element(DataType::Struct(post_fields()))),
    }
}

fn element(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new("element", data_type, false))
}

fn post_fields() -> Fields {
    let names = ["author", "published", "text"];
    names
        .map(|name| Field::new(name, DataType::Utf8, false))
        .into_iter()
        .collect()
}

fn block_fields() -> Fields {
    let field = |(name, data_type)| Field::new(name, data_type, false);
    [
        ("text", DataType::Utf8),
        ("start", DataType::Int64),
        ("end", DataType::Int64),
        ("tag", DataType::Utf8),
        ("path", DataType::Utf8),
        ("words", DataType::Int64),
        ("link_density", DataType::Float32),
        ("probability", DataType::Float32),
        ("kept", DataType::Boolean),
        ("role", DataType::Utf8),
        ("source", DataType::Utf8),
        ("by", DataType::Utf8),
    ]
    .map(field)
    .into_iter()
    .collect()
}

fn span_fields() -> Fields {
    ["start", "chars", "byte", "bytes"]
        .map(|name| Field::new(name, DataType::Int64, false))
        .into_iter()
        .collect()
}

fn table_fields() -> Fields {
    let row = DataType::List(element(DataType::Utf8));
    let rows = DataType::List(element(row));
    [
        ("caption", DataType::Utf8),
        ("header_rows", DataType::Int64),
        ("rows", rows),
    ]
    .map(|(name, data_type)| Field::new(name, data_type, false))
    .into_iter()
    .collect()
}

fn array(column: &Column, rows: &[Option<&OutputRecord>]) -> PyResult<ArrayRef> {
    let rows = rows.iter().copied();
    Ok(match column.value {
        ColumnValue::Text(value) => texts(rows.map(|row| row.and_then(value)))?,
        ColumnValue::Int(value) => {
            Arc::new(rows.map(|row| row.and_then(value)).collect::<Int32Array>())
        }
        ColumnValue::Long(value) => {
            Arc::new(rows.map(|row| row.and_then(value)).collect::<Int64Array>())
        }
        ColumnValue::Float(value) => Arc::new(
            rows.map(|row| row.and_then(value))
                .collect::<Float32Array>(),
        ),
        ColumnValue::List(value) => {
            let lists: Vec<&[String]> = rows.map(|row| row.map_or(&[][..], value)).collect();
            let values = texts(
                lists
                    .iter()
                    .flat_map(|list| list.iter())
                    .map(|text| Some(text.as_str())),
            )?;
            list(
                element(DataType::Utf8),
                lists.iter().map(|list| list.len()),
                values,
            )?
        }
        ColumnValue::Blocks => structures(
            rows.map(|row| row.map_or(&[][..], |row| row.blocks.as_slice())),
            block_fields(),
            block_columns,
        )?,
        ColumnValue::Spans => structures(
            rows.map(|row| row.map_or(&[][..], |row| row.spans.as_slice())),
            span_fields(),
            span_columns,
        )?,
        ColumnValue::Tables => structures(
            rows.map(|row| row.map_or(&[][..], |row| row.tables.as_slice())),
            table_fields(),
            table_columns,
        )?,
        ColumnValue::Posts => structures(
            rows.map(|row| row.map_or(&[][..], |row| row.posts.as_slice())),
            post_fields(),
            post_columns,
        )?,
    })
}

/// Lists of structures: of all elements one after the other `columns` makes the arrays of the fields.
fn structures<'a, T: 'a>(
    lists: impl Iterator<Item = &'a [T]>,
    fields: Fields,
    columns: fn(&[&T]) -> PyResult<Vec<ArrayRef>>,
) -> PyResult<ArrayRef> {
    let lists: Vec<&[T]> = lists.collect();
    let all: Vec<&T> = lists.iter().flat_map(|list| list.iter()).collect();
    let values = StructArray::try_new(fields.clone(), columns(&all)?, None)
        .map_err(|error| TrommelError::new_err(error.to_string()))?;
    let lengths = lists.iter().map(|list| list.len());
    list(element(DataType::Struct(fields)), lengths, Arc::new(values))
}

fn texts<'a>(values: impl Iterator<Item = Option<&'a str>> + Clone) -> PyResult<ArrayRef> {
    let bytes: usize = values.clone().flatten().map(str::len).sum();
    // Offsets have 32 bits.
    if i32::try_from(bytes).is_err() {
        return Err(PyValueError::new_err(
            "these pages are too long for one batch: give fewer at once",
        ));
    }
    Ok(Arc::new(values.collect::<StringArray>()))
}

fn list(
    element: Arc<Field>,
    lengths: impl Iterator<Item = usize>,
    values: ArrayRef,
) -> PyResult<ArrayRef> {
    let mut offsets = vec![0_i32];
    let mut end = 0_usize;
    for length in lengths {
        end += length;
        let offset = i32::try_from(end);
        offsets.push(offset.map_err(|_| {
            PyValueError::new_err("these pages are too long for one batch: give fewer at once")
        })?);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    ListArray::try_new(element, offsets, values, None)
        .map(|list| Arc::new(list) as ArrayRef)
        .map_err(|error| TrommelError::new_err(error.to_string()))
}

fn block_columns(blocks: &[&OutputBlock]) -> PyResult<Vec<ArrayRef>> {
    let text =
        |value: fn(&OutputBlock) -> &str| texts(blocks.iter().map(move |block| Some(value(block))));
    let long = |value: fn(&OutputBlock) -> u32| -> ArrayRef {
        Arc::new(
            blocks
                .iter()
                .map(|block| Some(i64::from(value(block))))
                .collect::<Int64Array>(),
        )
    };
    let float = |value: fn(&OutputBlock) -> f32| -> ArrayRef {
        Arc::new(
            blocks
                .iter()
                .map(|block| Some(value(block)))
                .collect::<Float32Array>(),
        )
    };
    Ok(vec![
        text(|block| &block.text)?,
        long(|block| block.start),
        long(|block| block.end),
        text(|block| &block.tag)?,
        text(|block| &block.path)?,
        long(|block| block.words),
        float(|block| block.link_density),
        float(|block| block.probability),
        Arc::new(
            blocks
                .iter()
                .map(|block| Some(block.kept))
                .collect::<BooleanArray>(),
        ),
        text(|block| &block.role)?,
        text(|block| &block.source)?,
        text(|block| &block.by)?,
    ])
}

fn span_columns(spans: &[&TextSpan]) -> PyResult<Vec<ArrayRef>> {
    let long = |value: fn(&TextSpan) -> u32| -> ArrayRef {
        let values = spans.iter().map(|span| Some(i64::from(value(span))));
        Arc::new(values.collect::<Int64Array>())
    };
    Ok(vec![
        long(|span| span.start),
        long(|span| span.chars),
        long(|span| span.byte),
        long(|span| span.bytes),
    ])
}

fn post_columns(posts: &[&Post]) -> PyResult<Vec<ArrayRef>> {
    let text = |value: fn(&Post) -> &str| texts(posts.iter().map(move |post| Some(value(post))));
    Ok(vec![
        text(|post| post.author.as_deref().unwrap_or_default())?,
        text(|post| post.published.as_deref().unwrap_or_default())?,
        text(|post| &post.text)?,
    ])
}

fn table_columns(tables: &[&DocumentTable]) -> PyResult<Vec<ArrayRef>> {
    let header_rows = tables.iter().map(|own| Some(i64::from(own.header_rows)));
    let rows: Vec<&Vec<String>> = tables.iter().flat_map(|own| &own.rows).collect();
    let cells = texts(
        rows.iter()
            .flat_map(|row| row.iter())
            .map(|cell| Some(cell.as_str())),
    )?;
    let cell = element(DataType::Utf8);
    let row = element(DataType::List(cell.clone()));
    let rows = list(cell, rows.iter().map(|row| row.len()), cells)?;
    Ok(vec![
        texts(tables.iter().map(|own| Some(own.caption.as_str())))?,
        Arc::new(header_rows.collect::<Int64Array>()),
        list(row, tables.iter().map(|own| own.rows.len()), rows)?,
    ])
}
