//! Reads Parquet indexes with the columns of Common Crawl's URL index.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{fs::File, path::Path};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use parquet::schema::types::Type;

use super::{IndexEntry, TakeLine};
use crate::{RecordIndexError, StatedRecord};

/// Columns that every Parquet index must have: archive, offset and length of each record.
const COLUMNS: [&str; 3] = ["warc_filename", "warc_record_offset", "warc_record_length"];
/// Optional columns. `warc_record_inner`, which only `trommel annotate` writes, is the offset in a decompressed member.
const OTHERS: [&str; 3] = ["url", "content_digest", "warc_record_inner"];

/// Reads an index in Parquet and passes every row to `each`. A panic of the Parquet library on a damaged file becomes
/// an error about that file.
pub(crate) fn read(path: &Path, each: &mut TakeLine<'_>) -> Result<(), RecordIndexError> {
    catch_unwind(AssertUnwindSafe(|| rows(path, each))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let what = format!("is damaged ({})", text.unwrap_or("no message").escape_debug());
        Err(RecordIndexError::of(path)(what))
    })
}

fn rows(path: &Path, each: &mut TakeLine<'_>) -> Result<(), RecordIndexError> {
    let failed = RecordIndexError::of(path);
    let file = File::open(path).map_err(RecordIndexError::of(path))?;
    let reader = SerializedFileReader::new(file).map_err(&failed)?;
    let schema = reader.metadata().file_metadata().schema();
    let fields = schema.get_fields();
    if let Some(missing) = COLUMNS.iter().find(|name| !fields.iter().any(|field| field.name() == **name)) {
        return Err(RecordIndexError::of(path)(format!("no column {missing}")));
    }
    let is_wanted = |name: &str| COLUMNS.contains(&name) || OTHERS.contains(&name);
    let columns = fields.iter().filter(|field| is_wanted(field.name())).cloned().collect();
    let projection = Type::group_type_builder(schema.name()).with_fields(columns).build().map_err(&failed)?;
    let rows = reader.get_row_iter(Some(projection)).map_err(&failed)?;
    for (at, row) in rows.enumerate() {
        each(at + 1, entry(&row.map_err(&failed)?))?;
    }
    Ok(())
}

fn entry(row: &Row) -> Result<IndexEntry, String> {
    let column = |wanted: &str| row.get_column_iter().find(|(name, _)| *name == wanted).map(|(_, field)| field);
    let wrong = |name: &str| format!("{name} is {}", column(name).unwrap_or(&Field::Null));
    let number = |name: &str| column(name).and_then(number).ok_or_else(|| wrong(name));
    let text = |name: &str| column(name).and_then(text);
    Ok(IndexEntry {
        file: text("warc_filename").ok_or_else(|| wrong("warc_filename"))?,
        offset: number("warc_record_offset")?,
        length: number("warc_record_length")?,
        inner: match column("warc_record_inner") {
            None | Some(Field::Null) => 0,
            Some(_) => number("warc_record_inner")?,
        },
        stated: StatedRecord { url: text("url"), digest: text("content_digest").filter(|digest| digest != "-") },
    })
}

fn text(field: &Field) -> Option<String> {
    match field {
        Field::Str(text) => Some(text.clone()),
        Field::Bytes(bytes) => bytes.as_utf8().ok().map(str::to_owned),
        _ => None,
    }
}

fn number(field: &Field) -> Option<u64> {
    match *field {
        Field::Int(number) => number.try_into().ok(),
        Field::Long(number) => number.try_into().ok(),
        Field::UInt(number) => Some(number.into()),
        Field::ULong(number) => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    const COLUMNS: &str = "message m { required binary url (UTF8); required binary content_digest (UTF8); \
         required binary warc_filename (UTF8); required int32 warc_record_offset; required int64 warc_record_length; }";

    fn written(message: &str, fill: bool) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let schema = Arc::new(parse_message_type(message).unwrap());
        let properties = Arc::new(WriterProperties::builder().build());
        let mut writer = SerializedFileWriter::new(file.reopen().unwrap(), schema, properties).unwrap();
        if fill {
            let mut group = writer.next_row_group().unwrap();
            let mut text = |values: &[&str]| {
                let values: Vec<ByteArray> = values.iter().map(|&text| text.into()).collect();
                let mut column = group.next_column().unwrap().unwrap();
                column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
                column.close().unwrap();
            };
            text(&["http://a/", "http://b/"]);
            text(&["AB", "CD"]);
            text(&["x.warc.gz", "y.warc.gz"]);
            let mut column = group.next_column().unwrap().unwrap();
            let typed = column.typed::<Int32Type>();
            typed.write_batch(&[5, 6], None, None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(&[70, 80], None, None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
        }
        writer.close().unwrap();
        file
    }

    #[test]
    fn columns_are_found_by_name() {
        let file = written(COLUMNS, true);
        let mut rows = Vec::new();
        let mut each = |_, row: Result<IndexEntry, String>| {
            rows.push(row.unwrap());
            Ok(())
        };
        crate::index::read(file.path(), &mut each).unwrap();
        let row = |url: &str, digest: &str, file: &str, offset, length| IndexEntry {
            stated: StatedRecord { url: Some(url.to_owned()), digest: Some(digest.to_owned()) },
            file: file.to_owned(),
            offset,
            length,
            ..IndexEntry::default()
        };
        assert_eq!(rows, [row("http://a/", "AB", "x.warc.gz", 5, 70), row("http://b/", "CD", "y.warc.gz", 6, 80)]);
    }

    #[test]
    fn a_missing_column_is_named() {
        let file = written("message m { required binary warc_filename (UTF8); }", false);
        let error = read(file.path(), &mut |_, _| Ok(())).unwrap_err().to_string();
        assert!(error.ends_with("no column warc_record_offset"), "{error}");
    }

    /// Checks that reading a file with any byte changed gives an error or rows, but no panic.
    #[test]
    fn a_damaged_file_is_an_error_never_a_panic() {
        let file = written(COLUMNS, true);
        let whole = std::fs::read(file.path()).unwrap();
        let (mut errors, mut rounds) = (0, 0);
        for at in 0..whole.len() {
            for value in [0, 0x7f, 0xff, whole[at] ^ 1, whole[at] ^ 0x20] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                std::fs::write(file.path(), bytes).unwrap();
                rounds += 1;
                errors += usize::from(crate::index::read(file.path(), &mut |_, _| Ok(())).is_err());
            }
        }
        assert!(errors * 5 > rounds, "{errors} of {rounds}");
    }
}
