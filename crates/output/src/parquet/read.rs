//! Documents read back from Parquet: files of ours, and others with some of the columns.

use std::{fs::File, sync::Arc};

use parquet::{
    errors::ParquetError,
    file::reader::{FileReader, SerializedFileReader},
    record::{Field, Row, reader::RowIter},
    schema::types::Type,
};

use super::columns::BLOCKS;
use crate::{Source, Stored};

/// The rows of a file as documents, without their blocks.
pub(crate) struct Rows(RowIter<'static>);

impl Rows {
    /// The rows of a file.
    ///
    /// # Errors
    /// If it is no Parquet file.
    pub(crate) fn new(file: File) -> Result<Self, ParquetError> {
        let reader = SerializedFileReader::new(file)?;
        let schema = reader.metadata().file_metadata().schema();
        let columns = schema.get_fields().iter();
        let columns: Vec<Arc<Type>> = columns
            .filter(|column| column.name() != BLOCKS.name)
            .cloned()
            .collect();
        let projection = Type::group_type_builder(schema.name())
            .with_fields(columns)
            .build()?;
        let rows = RowIter::from_file_into(Box::new(reader)).project(Some(projection))?;
        Ok(Self(rows))
    }
}

impl Iterator for Rows {
    type Item = Result<Stored, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next()?.map(stored))
    }
}

/// The document of a row; what has no column, or a value of another type, is left as it is in a
/// document of which nothing is known.
fn stored(row: Row) -> Stored {
    let mut stored = Stored::default();
    let (mut file, mut offset, mut length, mut inner) = (None, None, None, 0);
    for (name, field) in row.into_columns() {
        match name.as_str() {
            "text" => stored.text = text(field).unwrap_or_default(),
            "id" => stored.id = text(field).unwrap_or_default(),
            "url" => stored.url = text(field),
            "date" => stored.date = text(field),
            "file_path" => file = text(field),
            "language" => stored.lang = text(field),
            "title" => stored.title = text(field),
            "author" => stored.metadata.author = list(&field),
            "published" => stored.metadata.published = text(field),
            "modified" => stored.metadata.modified = text(field),
            "site" => stored.metadata.site = text(field),
            "description" => stored.metadata.description = text(field),
            "canonical" => stored.metadata.canonical = text(field),
            "lang_declared" => stored.metadata.lang_declared = text(field),
            "headings" => stored.headings = list(&field),
            "page_type" => stored.page_type = text(field),
            "comments" => stored.comments = text(field),
            "charset" => stored.charset = text(field).unwrap_or_default(),
            "charset_source" => stored.charset_source = text(field).unwrap_or_default(),
            "truncated" => stored.truncated = text(field),
            "confidence" => {
                if let Field::Float(value) = field {
                    stored.confidence = value;
                }
            }
            "status" => stored.status = number(&field).and_then(|value| value.try_into().ok()),
            "source_offset" => offset = number(&field),
            "source_length" => length = number(&field),
            "source_inner" => inner = number(&field).unwrap_or(0),
            _ => {}
        }
    }
    if let (Some(file), Some(offset), Some(length)) = (file, offset, length) {
        stored.source = Some(Source {
            file: file.into(),
            offset,
            length,
            inner,
        });
    }
    stored
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
        Field::ListInternal(list) => {
            let elements = list.elements().iter().cloned();
            elements.filter_map(text).collect()
        }
        _ => Vec::new(),
    }
}
