//! Parquet: a row for each document, with the columns of FineWeb and more.
//!
//! The file is assembled from a spool. Documents are read back from our own files, and from others with some of the
//! columns.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::{fs::File, path::Path, thread};

use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row, reader::RowIter};
use parquet::{errors::ParquetError, schema::types::ColumnPath};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use trommel_text::keys::Key;

use crate::record_batch::{record_batch, schema};
use crate::{Assemble, COLUMNS, Column, Document, OptionalColumns, OutputError, RecordReader, create_new};

/// Documents in a row group.
const GROUP: usize = 4096;
/// Bytes of text at which a row group ends early.
const GROUP_BYTES: usize = 128 << 20;
/// Rows, and bytes of their texts, that are in memory at a time.
const PART: usize = 256;
const PART_BYTES: usize = 8 << 20;
/// Parts that wait to be written.
const PARTS_AHEAD: usize = 2;
/// zstd level.
const LEVEL: i32 = 3;
/// Columns whose values hardly repeat.
const UNREPEATED_COLUMNS: [&str; 5] = ["text", "id", "url", "title", "description"];

/// Assembles Parquet files from encoded documents. The bytes depend on the documents only.
#[derive(Clone, Copy, Debug)]
pub struct Parquet {
    /// The optional columns, which follow the usual ones.
    pub optional: OptionalColumns,
}

impl Parquet {
    /// Returns an assembler with the columns of an existing file, including its optional ones.
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

/// Bytes of the texts of a document.
fn size(record: &Document) -> usize {
    let blocks = record.blocks.iter().map(|block| block.text.len());
    let rows = record.tables.iter().flat_map(|table| &table.rows);
    let cells = rows.flatten().map(|cell| size_of::<String>() + cell.len());
    let posts = record.posts.iter().map(|post| post.text.len());
    let chunks = record.chunks.iter().map(|chunk| chunk.text.len());
    let parts = blocks.chain(cells).chain(posts).chain(chunks).sum::<usize>();
    record.text.len() + size_of_val(record.spans.as_slice()) + parts
}

/// The layout of a Parquet file: its columns and the size of its row groups.
pub(crate) struct Table<'a, R: 'static> {
    /// Name of the schema of a row.
    pub name: &'static str,
    pub columns: &'a [&'static Key<R>],
    /// Names of columns whose values hardly repeat, and which get no dictionary.
    pub unrepeated: &'static [&'static str],
    /// Maximum number of rows of a group.
    pub rows: usize,
}

impl<R: Send> Table<'_, R> {
    /// Writes rows to the Parquet file `target`. `size` is the number of bytes of a row; a group of rows ends early
    /// when the sum is large.
    pub fn write(
        &self,
        target: &Path,
        rows: impl Iterator<Item = Result<R, OutputError>>,
        size: impl Fn(&R) -> usize,
    ) -> Result<(), OutputError> {
        let options = ArrowWriterOptions::new()
            .with_properties(properties(self.unrepeated)?)
            .with_schema_root(self.name.to_owned())
            .with_skip_arrow_metadata(true);
        let file = create_new(target)?;
        let mut writer = ArrowWriter::try_new_with_options(file, schema(self.columns), options)?;
        let (sender, parts) = sync_channel::<(Vec<R>, bool)>(PARTS_AHEAD);
        let write = move || -> Result<(), OutputError> {
            for (rows, is_last) in parts {
                let rows: Vec<Option<&R>> = rows.iter().map(Some).collect();
                writer.write(&record_batch(self.columns, &rows).map_err(ParquetError::from)?)?;
                if is_last {
                    writer.flush()?;
                }
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

    /// Sends rows to who writes them, until there are no more or nobody takes them; true with the last of a group.
    fn send(
        &self,
        rows: impl Iterator<Item = Result<R, OutputError>>,
        size: impl Fn(&R) -> usize,
        sender: &SyncSender<(Vec<R>, bool)>,
    ) -> Result<(), OutputError> {
        let mut rows = rows.peekable();
        let (mut in_group, mut group_bytes) = (0, 0);
        while rows.peek().is_some() {
            let (mut part, mut bytes) = (Vec::new(), 0);
            while part.len() < PART.min(self.rows - in_group)
                && bytes < PART_BYTES
                && let Some(row) = rows.next().transpose()?
            {
                bytes += size(&row);
                part.push(row);
            }
            (in_group, group_bytes) = (in_group + part.len(), group_bytes + bytes);
            let is_last = in_group == self.rows || group_bytes >= GROUP_BYTES;
            if is_last {
                (in_group, group_bytes) = (0, 0);
            }
            // The writer knows why it takes no more.
            if sender.send((part, is_last)).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The storage of columns; the values of the named ones hardly repeat.
fn properties(single: &[&str]) -> Result<WriterProperties, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("trommel version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?));
    for column in single {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(*column), false);
    }
    Ok(properties.build())
}

/// Iterates over the rows of a Parquet file as documents.
pub(crate) struct Rows(RowIter<'static>);

impl Rows {
    /// Reads the rows of a Parquet file.
    ///
    /// # Errors
    /// If it is not a Parquet file.
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

/// The document of a row. Fields without a column, or with a value of another type, stay empty.
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
