//! The columns of a Parquet file: name, type, and where the value stands in a document.

use std::fs::File;

use parquet::{
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type},
    errors::ParquetError,
    file::writer::SerializedRowGroupWriter,
};
use trommel_text::words;

use crate::{OutputBlock, OutputRecord, RecordSource};

/// A row group being written.
type Group<'a> = SerializedRowGroupWriter<'a, File>;

/// A column and how its values are taken from a document.
pub(super) struct Column {
    pub(super) name: &'static str,
    value: Value,
}

/// The value of a column, none where the document has none.
enum Value {
    Text(fn(&OutputRecord) -> Option<&str>),
    List(fn(&OutputRecord) -> &[String]),
    Int(fn(&OutputRecord) -> Option<i32>),
    Long(fn(&OutputRecord) -> Option<i64>),
    Float(fn(&OutputRecord) -> Option<f32>),
    Blocks,
}

/// All blocks of the page, kept or not: only where they are asked for.
pub(super) const BLOCKS: Column = column("blocks", Value::Blocks);

/// The columns in order: first those of FineWeb, then ours. FineWeb's `language_score` is null, as our
/// detector gives none; its `token_count` is the number of words here.
pub(super) const COLUMNS: [Column; 31] = [
    text("text", |record| Some(&record.text)),
    text("id", |record| Some(&record.id)),
    text("dump", dump),
    text("url", |record| record.url.as_deref()),
    text("date", |record| record.date.as_deref()),
    text("file_path", |record| {
        record.source.as_ref().map(|source| &*source.file)
    }),
    text("language", |record| record.lang.as_deref()),
    column("language_score", Value::Float(|_| None)),
    column(
        "token_count",
        Value::Long(|record| Some(i64::from(words::count(&record.text)))),
    ),
    text("title", |record| record.title.as_deref()),
    column("author", Value::List(|record| &record.metadata.author)),
    text("published", |record| record.metadata.published.as_deref()),
    text("modified", |record| record.metadata.modified.as_deref()),
    text("site", |record| record.metadata.site.as_deref()),
    text("description", |record| {
        record.metadata.description.as_deref()
    }),
    text("canonical", |record| record.metadata.canonical.as_deref()),
    text("lang_declared", |record| {
        record.metadata.lang_declared.as_deref()
    }),
    column("headings", Value::List(|record| &record.headings)),
    text("page_type", |record| record.page_type.as_deref()),
    column("confidence", Value::Float(|record| Some(record.confidence))),
    text("comments", |record| record.comments.as_deref()),
    text("charset", |record| Some(&record.charset)),
    text("charset_source", |record| Some(&record.charset_source)),
    column("status", Value::Int(|record| record.status.map(i32::from))),
    text("truncated", |record| record.truncated.as_deref()),
    long("source_offset", |record| {
        i64::try_from(record.source.as_ref()?.offset).ok()
    }),
    long("source_length", |record| {
        i64::try_from(record.source.as_ref()?.length).ok()
    }),
    long("source_inner", |record| {
        i64::try_from(record.source.as_ref()?.inner).ok()
    }),
    text("source_name", |record| {
        record.source.as_ref().map(RecordSource::name)
    }),
    text("capped", |record| filled(&record.capped)),
    text("notes", |record| filled(&record.notes)),
];

fn filled(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

const fn column(name: &'static str, value: Value) -> Column {
    Column { name, value }
}

const fn text(name: &'static str, value: fn(&OutputRecord) -> Option<&str>) -> Column {
    column(name, Value::Text(value))
}

const fn long(name: &'static str, value: fn(&OutputRecord) -> Option<i64>) -> Column {
    column(name, Value::Long(value))
}

/// The crawl that Common Crawl's paths name (`CC-MAIN-2024-22`).
fn dump(record: &OutputRecord) -> Option<&str> {
    let file = &*record.source.as_ref()?.file;
    let name = file.get(file.find("CC-MAIN-")?..)?.get(..15)?;
    let (year, week) = name.strip_prefix("CC-MAIN-")?.split_once('-')?;
    let digits =
        |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(year, 4) && digits(week, 2)).then_some(name)
}

impl Column {
    /// Its declaration in a message type.
    pub(super) fn declaration(&self) -> String {
        let name = self.name;
        match self.value {
            Value::Text(_) => format!("optional binary {name} (STRING); "),
            Value::Int(_) => format!("optional int32 {name}; "),
            Value::Long(_) => format!("optional int64 {name}; "),
            Value::Float(_) => format!("optional float {name}; "),
            Value::List(_) => format!(
                "required group {name} (LIST) {{ \
                 repeated group list {{ required binary element (STRING); }} }} "
            ),
            Value::Blocks => format!(
                "required group {name} (LIST) {{ repeated group list {{ required group element {{ \
                 required binary text (STRING); required int64 start; required int64 end; \
                 required binary tag (STRING); required binary path (STRING); \
                 required int64 words; required float link_density; required float probability; \
                 required boolean kept; required binary role (STRING); \
                 required binary source (STRING); }} }} }} "
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
            Value::Text(value) => {
                optional::<ByteArrayType>(group, rows, |record| value(record).map(ByteArray::from))
            }
            Value::Int(value) => optional::<Int32Type>(group, rows, value),
            Value::Long(value) => optional::<Int64Type>(group, rows, value),
            Value::Float(value) => optional::<FloatType>(group, rows, value),
            Value::List(value) => {
                lists::<ByteArrayType, _>(group, rows, value, |element| element.as_str().into())
            }
            Value::Blocks => blocks(group, rows),
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
    text(group, |block| &block.source)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crawl_is_read_off_the_path() {
        let dump_of = |file: &str| {
            let record = OutputRecord {
                source: Some(RecordSource {
                    file: file.into(),
                    offset: 0,
                    length: 0,
                    inner: 0,
                }),
                ..OutputRecord::default()
            };
            dump(&record).map(str::to_owned)
        };
        let path = "crawl-data/CC-MAIN-2024-22/segments/1/warc/CC-MAIN-20240517233122-x.warc.gz";
        assert_eq!(dump_of(path).as_deref(), Some("CC-MAIN-2024-22"));
        assert_eq!(dump_of("CC-MAIN-20240517233122-x.warc.gz"), None);
        assert_eq!(dump_of("a.warc.gz"), None);
    }
}
