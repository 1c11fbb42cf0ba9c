//! Writes documents to Parquet, a row for each document, with the columns of FineWeb and more.
//!
//! The file is assembled from a spool, a temporary file of encoded documents. Documents can be read back from these
//! files, and from files of other programs with some of the columns.

use std::sync::{Arc, mpsc};
use std::{fs::File, path::Path, thread};

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArrayType, DataType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::{Field, Row, reader::RowIter};
use parquet::schema::{parser::parse_message_type, types::ColumnPath};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use trommel_text::keys::{self, Key, Shape};

use crate::{Assemble, COLUMNS, Column, Document, OptionalColumns, OutputError, RecordReader, create_new};

/// Maximum number of documents in a row group of a Parquet file.
const GROUP: usize = 4096;
/// Number of bytes of text after which a row group of a Parquet file ends early.
// Two groups are in memory: one is read while the other is written.
const GROUP_BYTES: usize = 32 << 20;
/// Number of rows of a column whose values are in memory at a time.
const PART: usize = 256;
/// Level of zstd compression in Parquet files.
const LEVEL: i32 = 3;
/// Names of columns whose values hardly repeat, which are stored without a dictionary.
const UNREPEATED_COLUMNS: [&str; 5] = ["text", "id", "url", "title", "description"];

/// Assembler that writes encoded documents as a Parquet file. The bytes of the file depend only on the documents.
#[derive(Clone, Copy, Debug)]
pub struct Parquet {
    /// Optional columns of the file, such as blocks or spans, which follow the usual columns.
    pub optional: OptionalColumns,
}

impl Parquet {
    /// Returns an assembler with the columns of the Parquet file at `path`, including the optional ones.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not a Parquet file.
    pub fn like(path: &Path) -> Result<Self, OutputError> {
        let reader = SerializedFileReader::new(File::open(path)?)?;
        let schema = reader.metadata().file_metadata().schema();
        let has = |name: &str| schema.get_fields().iter().any(|field| field.name() == name);
        let optional = OptionalColumns::named(has);
        Ok(Self { optional })
    }

    fn columns(self) -> impl Iterator<Item = &'static Column> {
        COLUMNS.iter().copied().chain(self.optional.columns())
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

/// Returns the approximate number of bytes of a document's texts in memory.
fn size(record: &Document) -> usize {
    let blocks = record.blocks.iter().map(|block| block.text.len());
    let rows = record.tables.iter().flat_map(|table| &table.rows);
    let cells = rows.flatten().map(|cell| size_of::<String>() + cell.len());
    let posts = record.posts.iter().map(|post| post.text.len());
    let chunks = record.chunks.iter().map(|chunk| chunk.text.len());
    let parts = blocks.chain(cells).chain(posts).chain(chunks).sum::<usize>();
    record.text.len() + size_of_val(record.spans.as_slice()) + parts
}

/// Layout of a Parquet file: its columns and the size of its row groups.
pub(crate) struct Table<'a, R: 'static> {
    /// Name of the Parquet schema of a row.
    pub name: &'static str,
    pub columns: &'a [&'static Key<R>],
    /// Names of columns whose values hardly repeat, which are stored without a dictionary.
    pub unrepeated: &'static [&'static str],
    /// Maximum number of rows in a row group of the Parquet file.
    pub rows: usize,
}

impl<R: Send> Table<'_, R> {
    /// Writes rows to the Parquet file `target`. `size` returns the number of bytes of a row; a row group ends early
    /// when the sum of the sizes is large.
    pub fn write(
        &self,
        target: &Path,
        rows: impl Iterator<Item = Result<R, OutputError>>,
        size: impl Fn(&R) -> usize,
    ) -> Result<(), OutputError> {
        let schema: String = self.columns.iter().map(|column| declaration(&column.field, true)).collect();
        let schema = Arc::new(parse_message_type(&format!("message {} {{ {schema}}}", self.name))?);
        let mut writer = SerializedFileWriter::new(create_new(target)?, schema, properties(self.unrepeated)?)?;
        let (sender, groups) = mpsc::sync_channel::<Vec<R>>(0);
        let write = move || -> Result<(), OutputError> {
            for rows in groups {
                let mut group = writer.next_row_group()?;
                self.columns.iter().try_for_each(|column| write_column(column, &rows, &mut group))?;
                group.close()?;
            }
            Ok(writer.into_inner()?.sync_all()?)
        };
        // To read rows takes as long as to write columns, and one large file is made at the end of a run by one thread.
        thread::scope(|scope| {
            let writer = thread::Builder::new().name("parquet".to_owned()).spawn_scoped(scope, write)?;
            let read = self.send(rows, size, &sender);
            drop(sender);
            match writer.join() {
                Ok(written) => written.and(read),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    /// Sends groups of rows to the writing thread until there are no more rows, or the thread accepts no more.
    fn send(
        &self,
        rows: impl Iterator<Item = Result<R, OutputError>>,
        size: impl Fn(&R) -> usize,
        sender: &mpsc::SyncSender<Vec<R>>,
    ) -> Result<(), OutputError> {
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
            // The thread knows why it takes no more.
            if sender.send(group).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Returns the Parquet declaration of a column, or of a field in a structure. Lists are never null, and neither are the
/// fields of structures.
fn declaration(field: &keys::Field, is_nullable: bool) -> String {
    let name = field.name;
    let list =
        |element: &str| format!("required group {name} (LIST) {{ repeated group list {{ required {element} }} }} ");
    let scalar = |kind: &str, annotation: &str| {
        let presence = if is_nullable { "optional" } else { "required" };
        format!("{presence} {kind} {name}{annotation}; ")
    };
    let text = "binary element (STRING);";
    match field.shape {
        Shape::Text | Shape::Word | Shape::Address | Shape::Date => scalar("binary", " (STRING)"),
        Shape::Int => scalar("int32", ""),
        Shape::Long => scalar("int64", ""),
        Shape::Time => scalar("int64", " (TIMESTAMP(MILLIS,true))"),
        Shape::Number => scalar("float", ""),
        Shape::Boolean => scalar("boolean", ""),
        Shape::Texts => list(text),
        Shape::Rows => list(&format!("group element (LIST) {{ repeated group list {{ required {text} }} }}")),
        Shape::Objects(fields) => {
            let fields: String = fields().iter().map(|field| declaration(field, false)).collect();
            list(&format!("group element {{ {fields}}}"))
        }
        // Columns of their own have its parts.
        Shape::Object => String::new(),
    }
}

/// Row group of a Parquet file that is being written.
type Group<'a> = SerializedRowGroupWriter<'a, File>;

/// Writes the values of a column for all rows of a row group. The leaves of a column are the column itself, or the
/// fields of its structures.
fn write_column<R>(column: &Key<R>, rows: &[R], group: &mut Group<'_>) -> Result<(), ParquetError> {
    let leaves = match column.field.shape {
        Shape::Objects(fields) => fields().iter().enumerate().map(|(key, field)| (Some(key), field.shape)).collect(),
        shape => vec![(None, shape)],
    };
    for (key, shape) in leaves {
        match shape {
            Shape::Int => {
                let of = |value: &keys::Value<'_>| integer(value)?.try_into().ok();
                Leaf::<Int32Type>::new(of, 0, shape, key).write(column, rows, group)?;
            }
            Shape::Long | Shape::Time => Leaf::<Int64Type>::new(integer, 0, shape, key).write(column, rows, group)?,
            Shape::Number => {
                let of = |value: &keys::Value<'_>| {
                    if let keys::Value::Number(number) = value { Some(*number) } else { None }
                };
                Leaf::<FloatType>::new(of, 0.0, shape, key).write(column, rows, group)?;
            }
            Shape::Boolean => {
                let of =
                    |value: &keys::Value<'_>| if let keys::Value::Boolean(value) = value { Some(*value) } else { None };
                Leaf::<BoolType>::new(of, false, shape, key).write(column, rows, group)?;
            }
            _ => {
                let of = |value: &keys::Value<'_>| {
                    if let keys::Value::Text(text) = value { Some((&**text).into()) } else { None }
                };
                Leaf::<ByteArrayType>::new(of, "".into(), shape, key).write(column, rows, group)?;
            }
        }
    }
    Ok(())
}

fn integer(value: &keys::Value<'_>) -> Option<i64> {
    if let keys::Value::Integer(number) = value { Some(*number) } else { None }
}

/// Values of a leaf column with their repetition and definition levels (Melnik et al., "Dremel", VLDB 2010).
struct Leaf<T: DataType> {
    /// Function that converts a value to its Parquet type; returns `None` for a missing value.
    of: fn(&keys::Value<'_>) -> Option<T::T>,
    /// Value that replaces a missing value inside a list.
    empty: T::T,
    shape: Shape,
    /// Index of the field in the structure, for a column of structures; `None` for other columns.
    key: Option<usize>,
    values: Vec<T::T>,
    /// Definition level of each value, missing value and empty list: the number of lists around it. For a value that
    /// may be null, 1 if it is present.
    definitions: Vec<i16>,
    /// Repetition level of each value, missing value and empty list: the number of lists that it continues, 0 for a new
    /// row.
    repetitions: Vec<i16>,
    /// Number of lists around the next value to add.
    depth: i16,
    /// Repetition level of the next value to add.
    repetition: i16,
}

impl<T: DataType> Leaf<T> {
    fn new(of: fn(&keys::Value<'_>) -> Option<T::T>, empty: T::T, shape: Shape, key: Option<usize>) -> Self {
        let (values, definitions, repetitions) = (Vec::new(), Vec::new(), Vec::new());
        Self { of, empty, shape, key, values, definitions, repetitions, depth: 0, repetition: 0 }
    }

    /// Writes the values of all rows as the next leaf column of a row group.
    fn write<R>(mut self, column: &Key<R>, rows: &[R], group: &mut Group<'_>) -> Result<(), ParquetError> {
        let Some(mut writer) = group.next_column()? else { return Ok(()) };
        for rows in rows.chunks(PART) {
            for row in rows {
                self.repetition = 0;
                match (self.key, (column.value)(row)) {
                    (None, value) => self.add(&value),
                    (Some(key), keys::Value::Objects(list)) => {
                        self.list(0..list.count(), |leaf, object| leaf.add(&list.value(object, key)));
                    }
                    _ => self.list([], |_, ()| ()),
                }
            }
            writer.typed::<T>().write_batch(&self.values, Some(&self.definitions), Some(&self.repetitions))?;
            self.values.clear();
            self.definitions.clear();
            self.repetitions.clear();
        }
        writer.close()
    }

    /// Adds a value to the leaf column. A missing value becomes null in a column, and empty in a list.
    fn add(&mut self, value: &keys::Value<'_>) {
        let text = |leaf: &mut Self, text: &String| leaf.item(&keys::Value::Text(text.as_str().into()));
        match (self.shape, value) {
            (Shape::Texts, keys::Value::Texts(texts)) => self.list(*texts, text),
            (Shape::Rows, keys::Value::Rows(rows)) => self.list(*rows, |leaf, cells| leaf.list(cells, text)),
            (Shape::Texts | Shape::Rows, _) => self.list([], |_, ()| ()),
            _ if self.depth > 0 => self.item(value),
            _ => {
                let value = (self.of)(value);
                self.note_levels(value.is_some().into());
                self.values.extend(value);
            }
        }
    }

    fn item(&mut self, value: &keys::Value<'_>) {
        self.values.push((self.of)(value).unwrap_or_else(|| self.empty.clone()));
        self.note_levels(self.depth);
    }

    fn list<I>(&mut self, items: impl IntoIterator<Item = I>, add: impl Fn(&mut Self, I)) {
        let before = self.definitions.len();
        self.depth += 1;
        for item in items {
            add(self, item);
            self.repetition = self.depth;
        }
        self.depth -= 1;
        if self.definitions.len() == before {
            self.note_levels(self.depth);
        }
    }

    fn note_levels(&mut self, definition: i16) {
        self.definitions.push(definition);
        self.repetitions.push(self.repetition);
    }
}

/// Returns the Parquet settings of a file without dictionaries for the columns in `single`, whose values hardly repeat.
fn properties(single: &[&str]) -> Result<WriterPropertiesPtr, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("trommel version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?));
    for column in single {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(*column), false);
    }
    Ok(Arc::new(properties.build()))
}

/// Iterator over the rows of a Parquet file as documents.
pub(crate) struct Rows(RowIter<'static>);

impl Rows {
    /// Creates an iterator over the rows of a Parquet file.
    ///
    /// # Errors
    /// Fails if the file is not a Parquet file.
    pub(crate) fn new(file: File) -> Result<Self, ParquetError> {
        Ok(Self(RowIter::from_file_into(Box::new(SerializedFileReader::new(file)?))))
    }
}

impl Iterator for Rows {
    type Item = Result<Document, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next()?.map(record))
    }
}

/// Converts a row to a document. Keys without a column, or with a value of another type, stay empty.
fn record(row: Row) -> Document {
    let (mut keys, mut source) = (Map::new(), Map::new());
    for (name, field) in row.into_columns() {
        let value = match name.as_str() {
            "spans" => spans(&json(field)),
            _ => json(field),
        };
        match (name.as_str(), name.strip_prefix("source_")) {
            _ if value.is_null() => None,
            // As other programs name it.
            ("language", _) => keys.insert("lang".to_owned(), value),
            ("file_path", _) => source.insert("file".to_owned(), value),
            (_, Some(part)) => source.insert(part.to_owned(), value),
            _ => keys.insert(name, value),
        };
    }
    keys.insert("source".to_owned(), source.into());
    let whole = Value::Object(keys);
    Document::deserialize(&whole).unwrap_or_else(|_| {
        let keys = whole.as_object().into_iter().flatten();
        let read = keys.filter(|(key, value)| Document::deserialize(json!({ *key: value })).is_ok());
        let read = read.map(|(key, value)| (key.clone(), value.clone())).collect();
        Document::deserialize(Value::Object(read)).unwrap_or_default()
    })
}

/// Converts the spans of a row to the form that JSON has: a list of four integers for each span.
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
    use crate::record_id::tests::{full, record};
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
        record.author = vec!["A".into(), "B".into()];
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
        let shown = |wanted: &str| -> String {
            let mut columns = row.get_column_iter();
            let (_, field) = columns.find(|(name, _)| *name == wanted).unwrap();
            field.to_string()
        };
        assert_eq!(shown("author"), "[\"A\", \"B\"]");
        assert_eq!(shown("source_offset"), "812");
        assert_eq!(shown("lang"), "\"de\"");
        assert_eq!(shown("word_count"), "3");
        assert_eq!(shown("headings"), "[]");
        // A missing value of a column is null.
        assert_eq!(shown("blocked"), "null");
        assert_eq!(shown("published_at"), "null");
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
             link_density: 0.5, probability: 0.25, kept: true, role: \"body\", source: \"page\", decider: \"notes\"}, \
             {text: \"b\", start: 9, end: 12, tag: \"\", path: \"\", words: 0, link_density: 0E0, \
             probability: 0E0, kept: false, role: \"\", source: \"page\", decider: \"model\"}]",
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
