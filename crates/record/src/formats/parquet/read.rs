//! Reads documents from Parquet: our own files, and others with some of the columns.

use std::fs::File;

use parquet::errors::ParquetError;
use parquet::file::reader::SerializedFileReader;
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};

use serde::de::DeserializeOwned;
use serde_json::Value;
use trommel_extract::TextSpan;

use crate::{OutputRecord, RecordSource};

/// The rows of a file as records.
pub(crate) struct Rows(RowIter<'static>);

impl Rows {
    /// The rows of a file.
    ///
    /// # Errors
    /// If it is not a Parquet file.
    pub(crate) fn new(file: File) -> Result<Self, ParquetError> {
        Ok(Self(RowIter::from_file_into(Box::new(SerializedFileReader::new(file)?))))
    }
}

impl Iterator for Rows {
    type Item = Result<OutputRecord, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next()?.map(record))
    }
}

/// The document of a row. Fields without a column, or with a value of another type, stay empty.
fn record(row: Row) -> OutputRecord {
    let mut record = OutputRecord::default();
    let (mut file, mut offset, mut length, mut inner) = (None, None, None, 0);
    for (name, field) in row.into_columns() {
        match name.as_str() {
            "text" => record.text = text(field).unwrap_or_default(),
            "id" => record.id = text(field).unwrap_or_default(),
            "url" => record.url = text(field),
            "date" => record.date = text(field),
            "file_path" => file = text(field),
            "language" => record.lang = text(field),
            "title" => record.title = text(field),
            "author" => record.metadata.author = list(&field),
            "published" => record.metadata.published = text(field),
            "modified" => record.metadata.modified = text(field),
            "site" => record.metadata.site = text(field),
            "description" => record.metadata.description = text(field),
            "canonical" => record.metadata.canonical = text(field),
            "next" => record.metadata.next = text(field),
            "lang_declared" => record.metadata.lang_declared = text(field),
            "headings" => record.headings = list(&field),
            "page_type" => record.page_type = text(field),
            "blocked" => record.blocked = text(field).unwrap_or_default(),
            "comments" => record.comments = text(field),
            "charset" => record.charset = text(field).unwrap_or_default(),
            "charset_source" => record.charset_source = text(field).unwrap_or_default(),
            "truncated" => record.truncated = text(field),
            "confidence" => {
                if let Field::Float(value) = field {
                    record.confidence = value;
                }
            }
            "status" => record.status = number(&field).and_then(|value| value.try_into().ok()),
            "capped" => record.capped = text(field).unwrap_or_default(),
            "notes" => record.notes = text(field).unwrap_or_default(),
            "by" => record.by = text(field).unwrap_or_default(),
            "blocks" => record.blocks = structures(field),
            "spans" => record.spans = elements(field).iter().filter_map(span).collect(),
            "tables" => record.tables = structures(field),
            "posts" => record.posts = structures(field),
            "chunks" => record.chunks = structures(field),
            "source_offset" => offset = number(&field),
            "source_length" => length = number(&field),
            "source_inner" => inner = number(&field).unwrap_or(0),
            _ => {}
        }
    }
    if let (Some(file), Some(offset), Some(length)) = (file, offset, length) {
        record.source = Some(RecordSource { file: file.into(), offset, length, inner });
    }
    record
}

fn text(field: Field) -> Option<String> {
    match field {
        Field::Str(text) => Some(text),
        _ => None,
    }
}

fn number(field: &Field) -> Option<u64> {
    match *field {
        Field::Int(value) => value.try_into().ok(),
        Field::Long(value) => value.try_into().ok(),
        _ => None,
    }
}

fn list(field: &Field) -> Vec<String> {
    match field {
        Field::ListInternal(list) => list.elements().iter().cloned().filter_map(text).collect(),
        _ => Vec::new(),
    }
}

/// Structures whose fields have the names of the columns.
fn structures<T: DeserializeOwned>(field: Field) -> Vec<T> {
    elements(field).into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect()
}

fn elements(field: Field) -> Vec<Value> {
    match json(field) {
        Value::Array(elements) => elements,
        _ => Vec::new(),
    }
}

/// A span, which JSON has as a list.
fn span(element: &Value) -> Option<TextSpan> {
    let part = |name: &str| element.get(name)?.as_u64()?.try_into().ok();
    Some(TextSpan { start: part("start")?, chars: part("chars")?, byte: part("byte")?, bytes: part("bytes")? })
}

fn json(field: Field) -> Value {
    match field {
        Field::Str(text) => text.into(),
        Field::Bool(value) => value.into(),
        Field::Float(value) => value.into(),
        Field::Group(row) => {
            let fields = row.into_columns().into_iter();
            Value::Object(fields.map(|(name, field)| (name, json(field))).collect())
        }
        Field::ListInternal(list) => Value::Array(list.elements().iter().cloned().map(json).collect()),
        field => number(&field).map_or(Value::Null, Value::from),
    }
}
