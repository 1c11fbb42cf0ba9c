//! The table of annotations.

use std::fs::File;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::formats::parquet::{lists, optional, properties};
use crate::{Annotation, Assemble, OutputError, ReadError, create_new, open_plain};

/// Rows in a row group.
const GROUP: usize = 65_536;
/// Columns whose values hardly repeat.
const UNREPEATED_COLUMNS: [&str; 5] = ["url_surtkey", "url", "content_digest", "warc_record_id", "exact_key"];

/// Assembles tables of annotations. The bytes depend on the annotations only.
#[derive(Clone, Debug, Default)]
pub struct AnnotationTable {
    /// The base of relative archive names, as in the index of a crawl: a folder or the start of URLs.
    pub base: Option<String>,
}

/// A column: its name, and its type with where its values stand.
type Column = (&'static str, Value);

enum Value {
    Text(fn(&Annotation) -> Option<&str>),
    /// Milliseconds since 1970.
    Time(fn(&Annotation) -> Option<i64>),
    Int(fn(&Annotation) -> Option<i32>),
    Long(fn(&Annotation) -> Option<i64>),
    Float(fn(&Annotation) -> f32),
    List(fn(&Annotation) -> &[String]),
}

static COLUMNS: [Column; 29] = [
    ("url_surtkey", Value::Text(|row| Some(&row.url_surtkey))),
    ("url", Value::Text(|row| row.url.as_deref())),
    ("url_host_name", Value::Text(|row| row.url_host_name.as_deref())),
    ("fetch_time", Value::Time(|row| row.fetch_time)),
    ("fetch_status", Value::Int(|row| row.fetch_status)),
    ("content_digest", Value::Text(|row| row.content_digest.as_deref())),
    ("content_truncated", Value::Text(|row| row.content_truncated.as_deref())),
    ("warc_filename", Value::Text(|row| row.warc_filename.as_deref())),
    ("warc_record_offset", Value::Long(|row| row.warc_record_offset)),
    ("warc_record_length", Value::Long(|row| row.warc_record_length)),
    ("warc_record_inner", Value::Long(|row| row.warc_record_inner)),
    ("warc_record_id", Value::Text(|row| Some(&row.warc_record_id))),
    ("language", Value::Text(|row| row.language.as_deref())),
    ("page_type", Value::Text(|row| row.page_type.as_deref())),
    ("confidence", Value::Float(|row| row.confidence)),
    ("block_reason", Value::Text(|row| row.block_reason.as_deref())),
    ("links", Value::Int(|row| Some(row.links))),
    ("chars", Value::Int(|row| Some(row.chars))),
    ("lines", Value::Int(|row| Some(row.lines))),
    ("words", Value::Int(|row| Some(row.words))),
    ("word_length", Value::Float(|row| row.word_length)),
    ("share_of_letters", Value::Float(|row| row.share_of_letters)),
    ("symbols_per_word", Value::Float(|row| row.symbols_per_word)),
    ("share_of_bullets", Value::Float(|row| row.share_of_bullets)),
    ("share_of_ellipses", Value::Float(|row| row.share_of_ellipses)),
    ("share_of_repeated_lines", Value::Float(|row| row.share_of_repeated_lines)),
    ("share_of_repeated_phrases", Value::Float(|row| row.share_of_repeated_phrases)),
    ("exact_key", Value::Text(|row| row.exact_key.as_deref())),
    ("near_keys", Value::List(|row| &row.near_keys)),
];

fn declaration((name, value): &Column) -> String {
    match value {
        Value::Text(_) => format!("optional binary {name} (STRING); "),
        Value::Time(_) => format!("optional int64 {name} (TIMESTAMP(MILLIS,true)); "),
        Value::Int(_) => format!("optional int32 {name}; "),
        Value::Long(_) => format!("optional int64 {name}; "),
        Value::Float(_) => format!("optional float {name}; "),
        Value::List(_) => {
            format!("required group {name} (LIST) {{ repeated group list {{ required binary element (STRING); }} }} ")
        }
    }
}

impl AnnotationTable {
    fn relative(&self, row: &mut Annotation) {
        let base = self.base.as_deref().map(|base| base.trim_end_matches('/'));
        let below = base.zip(row.warc_filename.as_deref()).and_then(|(base, name)| name.strip_prefix(base));
        if let Some(below) = below.and_then(|rest| rest.strip_prefix('/')) {
            row.warc_filename = Some(below.to_owned());
        }
    }
}

impl Assemble for AnnotationTable {
    fn assemble(&self, spool: &Path, target: &Path) -> Result<(), OutputError> {
        let schema: String = COLUMNS.iter().map(declaration).collect();
        let schema = parse_message_type(&format!("message annotation {{ {schema} }}"))?;
        let file = create_new(target)?;
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), properties(&UNREPEATED_COLUMNS)?)?;
        let mut spool = open_plain(spool)?;
        let (mut group, mut number) = (Vec::new(), 0);
        while !spool.fill_buf()?.is_empty() {
            number += 1;
            let row = rmp_serde::decode::from_read(&mut spool);
            let mut row: Annotation = row.map_err(|source| ReadError::Msgpack { number, source })?;
            self.relative(&mut row);
            group.push(row);
            if group.len() == GROUP {
                write(&mut writer, &group)?;
                group.clear();
            }
        }
        if !group.is_empty() {
            write(&mut writer, &group)?;
        }
        Ok(writer.into_inner()?.sync_all()?)
    }

    /// The output is a file: no folder is one.
    fn foreign(&self, _: &Path) -> io::Result<Option<PathBuf>> {
        Err(io::ErrorKind::IsADirectory.into())
    }
}

fn write(writer: &mut SerializedFileWriter<File>, rows: &[Annotation]) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (_, value) in &COLUMNS {
        match value {
            Value::Text(value) => {
                optional::<ByteArrayType, _>(&mut group, rows, |row| value(row).map(ByteArray::from))?;
            }
            Value::Int(value) => optional::<Int32Type, _>(&mut group, rows, value)?,
            Value::Time(value) | Value::Long(value) => optional::<Int64Type, _>(&mut group, rows, value)?,
            Value::Float(value) => optional::<FloatType, _>(&mut group, rows, |row| Some(value(row)))?,
            Value::List(value) => lists::<ByteArrayType, _>(
                &mut group,
                rows,
                |row| value(row).len(),
                |row, at| value(row).get(at).map_or("", String::as_str).into(),
            )?,
        }
    }
    group.close()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Annotations, Encode, record::tests::full};
    use parquet::file::reader::{FileReader, SerializedFileReader};

    #[test]
    fn rows_have_the_names_of_the_crawls_index() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut record = full();
        let mut spool = Vec::new();
        for file in ["https://data.example.org/c/a.warc.gz", "other/b.warc.gz"] {
            record.source.as_mut().unwrap().file = file.into();
            Annotations.record(&record, &mut spool).unwrap();
        }
        std::fs::write(at("spool"), &spool).unwrap();
        let table = AnnotationTable { base: Some("https://data.example.org/".to_owned()) };
        table.assemble(&at("spool"), &at("a.parquet")).unwrap();
        let reader = SerializedFileReader::new(File::open(at("a.parquet")).unwrap()).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        let shown = |row: usize, wanted: &str| {
            let mut columns = rows[row].get_column_iter();
            columns.find(|(name, _)| *name == wanted).unwrap().1.to_string()
        };
        assert_eq!(rows.len(), 2);
        assert_eq!(shown(0, "warc_filename"), "\"c/a.warc.gz\"");
        assert_eq!(shown(1, "warc_filename"), "\"other/b.warc.gz\"");
        let annotation = Annotation::from(&record);
        assert_eq!(shown(0, "url_surtkey"), format!("{:?}", annotation.url_surtkey));
        assert_eq!(shown(0, "words"), annotation.words.to_string());
        assert_eq!(shown(0, "near_keys"), format!("{:?}", annotation.near_keys));
        // A spool that is cut is an error, and not a shorter table.
        std::fs::write(at("cut"), &spool[..spool.len() - 3]).unwrap();
        assert!(table.assemble(&at("cut"), &at("b.parquet")).is_err());
    }
}
