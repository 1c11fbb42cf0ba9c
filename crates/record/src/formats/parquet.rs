//! Parquet: a row for each document, with the columns of FineWeb and more.
//!
//! The file is assembled from a spool. Documents are read back from our own files, and from others with some of the
//! columns.

use std::{fs::File, path::Path, sync::Arc};

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type};
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::{Field, Row};
use parquet::schema::{parser::parse_message_type, types::ColumnPath};
use parquet::{errors::ParquetError, record::reader::RowIter};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use crate::parquet_columns::{ColumnValue, FieldValue, StructureField, Structures};
use crate::{Assemble, COLUMNS, Column, OptionalColumns, OutputError, OutputRecord, RecordReader, create_new};

/// Documents in a row group.
const GROUP: usize = 4096;
/// Bytes of text at which a row group ends early.
const GROUP_BYTES: usize = 128 << 20;
/// zstd level.
const LEVEL: i32 = 3;
/// Columns whose values hardly repeat.
const UNREPEATED_COLUMNS: [&str; 5] = ["text", "id", "url", "title", "description"];

/// Assembles Parquet files. The bytes depend on the documents only.
#[derive(Clone, Copy, Debug)]
pub struct Parquet {
    /// The columns that follow the usual ones.
    pub optional: OptionalColumns,
}

impl Parquet {
    /// The columns with which this file was assembled, including the optional ones that it has.
    ///
    /// # Errors
    /// If it cannot be read or is no Parquet file.
    pub fn like(path: &Path) -> Result<Self, OutputError> {
        let reader = SerializedFileReader::new(File::open(path)?)?;
        let schema = reader.metadata().file_metadata().schema();
        let has = |name: &str| schema.get_fields().iter().any(|field| field.name() == name);
        let optional = OptionalColumns::named(has);
        Ok(Self { optional })
    }

    fn columns(self) -> impl Iterator<Item = &'static Column> {
        COLUMNS.iter().chain(self.optional.columns())
    }
}

impl Assemble for Parquet {
    fn assemble(&self, spool: &Path, target: &Path) -> Result<(), OutputError> {
        let rows = RecordReader::open(spool)?.map(|record| Ok(record?));
        let columns: Vec<&Column> = self.columns().collect();
        Table { name: "document", columns: &columns, unrepeated: &UNREPEATED_COLUMNS, rows: GROUP }
            .write(target, rows, size)
    }
}

/// Bytes of the texts of a document.
fn size(record: &OutputRecord) -> usize {
    let blocks = record.blocks.iter().map(|block| block.text.len());
    let rows = record.tables.iter().flat_map(|table| &table.rows);
    let cells = rows.flatten().map(|cell| size_of::<String>() + cell.len());
    let posts = record.posts.iter().map(|post| post.text.len());
    let chunks = record.chunks.iter().map(|chunk| chunk.text.len());
    let parts = blocks.chain(cells).chain(posts).chain(chunks).sum::<usize>();
    record.text.len() + size_of_val(record.spans.as_slice()) + parts
}

/// A table.
pub(crate) struct Table<'a, R: 'static> {
    /// Name of its rows.
    pub name: &'static str,
    pub columns: &'a [&'static Column<R>],
    /// Columns whose values hardly repeat.
    pub unrepeated: &'static [&'static str],
    /// Maximum rows of a group.
    pub rows: usize,
}

impl<R> Table<'_, R> {
    /// Writes rows to the file `target`. A group ends early where the sizes of its rows are many bytes.
    pub fn write(
        &self,
        target: &Path,
        rows: impl Iterator<Item = Result<R, OutputError>>,
        size: impl Fn(&R) -> usize,
    ) -> Result<(), OutputError> {
        let schema: String = self.columns.iter().map(|column| column.declaration()).collect();
        let schema = parse_message_type(&format!("message {} {{ {schema} }}", self.name))?;
        let file = create_new(target)?;
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), properties(self.unrepeated)?)?;
        let mut rows = rows.peekable();
        while rows.peek().is_some() {
            let (mut group, mut bytes) = (Vec::new(), 0);
            while group.len() < self.rows
                && bytes < GROUP_BYTES
                && let Some(row) = rows.next().transpose()?
            {
                bytes += size(&row);
                group.push(row);
            }
            let mut columns = writer.next_row_group()?;
            for column in self.columns {
                column.write(&group, &mut columns)?;
            }
            columns.close()?;
        }
        Ok(writer.into_inner()?.sync_all()?)
    }
}

/// The storage of columns; the values of the named ones hardly repeat.
fn properties(single: &[&str]) -> Result<WriterPropertiesPtr, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("trommel version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?));
    for column in single {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(*column), false);
    }
    Ok(Arc::new(properties.build()))
}

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
    let (mut keys, mut source) = (Map::new(), Map::new());
    for (name, field) in row.into_columns() {
        let value = match name.as_str() {
            "spans" => spans(&json(field)),
            _ => json(field),
        };
        match (name.as_str(), name.strip_prefix("source_")) {
            _ if value.is_null() => None,
            ("language", _) => keys.insert("lang".to_owned(), value),
            ("file_path", _) => source.insert("file".to_owned(), value),
            (_, Some(part)) => source.insert(part.to_owned(), value),
            _ => keys.insert(name, value),
        };
    }
    keys.insert("source".to_owned(), source.into());
    let whole = Value::Object(keys);
    OutputRecord::deserialize(&whole).unwrap_or_else(|_| {
        let keys = whole.as_object().into_iter().flatten();
        let read = keys.filter(|(key, value)| OutputRecord::deserialize(json!({ *key: value })).is_ok());
        let read = read.map(|(key, value)| (key.clone(), value.clone())).collect();
        OutputRecord::deserialize(Value::Object(read)).unwrap_or_default()
    })
}

/// Spans as JSON has them: lists.
fn spans(columns: &Value) -> Value {
    let spans = columns.as_array().into_iter().flatten();
    spans.map(|span| ["start", "chars", "byte", "bytes"].map(|name| span[name].clone())).collect()
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
        Field::Int(value) => value.into(),
        Field::Long(value) => value.into(),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{full, record};
    use crate::{Encode, Msgpack};
    use parquet::record::RowAccessor;

    fn all() -> OptionalColumns {
        OptionalColumns::named(|_| true)
    }

    #[test]
    fn rows_have_columns_and_bytes_repeat() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut record = record();
        record.metadata.author = vec!["A".into(), "B".into()];
        let mut spool = Vec::new();
        for _ in 0..GROUP + 1 {
            Msgpack.record(&record, &mut spool).unwrap();
        }
        std::fs::write(at("spool"), &spool).unwrap();
        let parquet = Parquet { optional: OptionalColumns::default() };
        parquet.assemble(&at("spool"), &at("a.parquet")).unwrap();
        parquet.assemble(&at("spool"), &at("b.parquet")).unwrap();
        let bytes = std::fs::read(at("a.parquet")).unwrap();
        assert_eq!(bytes, std::fs::read(at("b.parquet")).unwrap());
        let reader = SerializedFileReader::new(File::open(at("a.parquet")).unwrap()).unwrap();
        assert_eq!(reader.num_row_groups(), 2);
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), GROUP + 1);
        let row = &rows[GROUP];
        assert_eq!(row.get_string(0).unwrap(), &record.text);
        assert_eq!(row.get_list(10).unwrap().len(), 2);
        assert_eq!(row.get_long(28).unwrap(), 812);
        let shown = |wanted: &str| -> String {
            let mut columns = row.get_column_iter();
            let (_, field) = columns.find(|(name, _)| *name == wanted).unwrap();
            field.to_string()
        };
        assert_eq!(shown("language"), "\"de\"");
        assert_eq!(shown("language_score"), "null");
        assert_eq!(shown("word_count"), "3");
        assert_eq!(shown("headings"), "[]");
    }

    #[test]
    fn optional_columns_are_lists() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut spool = Vec::new();
        for record in [record(), full()] {
            Msgpack.record(&record, &mut spool).unwrap();
        }
        std::fs::write(at("spool"), &spool).unwrap();
        let parquet = Parquet { optional: all() };
        parquet.assemble(&at("spool"), &at("x.parquet")).unwrap();
        let reader = SerializedFileReader::new(File::open(at("x.parquet")).unwrap()).unwrap();
        assert_eq!(Parquet::like(&at("x.parquet")).unwrap().optional, all());
        let rows = reader.get_row_iter(None).unwrap();
        let lists: Vec<Vec<(String, String)>> = rows
            .map(|row| {
                let row = row.unwrap();
                let columns = row.get_column_iter().skip(COLUMNS.len());
                columns.map(|(name, list)| (name.clone(), list.to_string())).collect()
            })
            .collect();
        let shown = |name: &str, list: &str| (name.to_owned(), list.to_owned());
        assert_eq!(lists[0], ["blocks", "spans", "tables", "posts", "chunks"].map(|name| shown(name, "[]")));
        let expected = [
            "[{text: \"a\", start: 3, end: 9, tag: \"p\", path: \"article>p\", words: 1, \
             link_density: 0.5, probability: 0.25, kept: true, role: \"body\", source: \"page\", by: \"notes\"}, \
             {text: \"b\", start: 9, end: 12, tag: \"\", path: \"\", words: 0, link_density: 0E0, \
             probability: 0E0, kept: false, role: \"\", source: \"page\", by: \"model\"}]",
            "[{start: 0, chars: 5, byte: 3, bytes: 6}, {start: 6, chars: 7, byte: 20, bytes: 30}]",
            "[{caption: \"K\", header_rows: 1, rows: [[\"x\", \"y\"], [\"\", \"1\"]]}, \
             {caption: \"\", header_rows: 0, rows: [[\"z\"]]}]",
            "[{author: \"Ann\", published: \"2024-05-17\", text: \"t\"}, \
             {author: \"\", published: \"\", text: \"u\"}]",
            "[{id: \"1f\", text: \"t\", headings: [\"H\", \"I\"], roles: [\"body\"], first_block: 1, \
             last_block: 2, start: 0, chars: 1, byte: 3, bytes: 6, title: \"Titel\", url: \"http://example.com/\"}, \
             {id: \"\", text: \"u\", headings: [], roles: [], first_block: 0, last_block: 0, start: 0, chars: 0, \
             byte: 0, bytes: 0, title: \"Titel\", url: \"http://example.com/\"}]",
        ];
        let expected = ["blocks", "spans", "tables", "posts", "chunks"]
            .into_iter()
            .zip(expected)
            .map(|(name, list)| shown(name, list));
        assert_eq!(lists[1], expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_cut_spool_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("spool");
        std::fs::write(&spool, [0x81, 0xA2]).unwrap();
        let target = folder.path().join("a.parquet");
        let parquet = Parquet { optional: all() };
        assert!(parquet.assemble(&spool, &target).is_err());
        // No documents make a file without rows.
        std::fs::write(&spool, []).unwrap();
        parquet.assemble(&spool, &target).unwrap();
        let reader = SerializedFileReader::new(File::open(&target).unwrap()).unwrap();
        assert_eq!(reader.num_row_groups(), 0);
    }
}
