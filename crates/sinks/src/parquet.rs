//! Parquet: a row a document, with the columns of FineWeb and more, assembled from a spool.

mod columns;

use std::{fs::File, path::Path, sync::Arc};

use parquet::{
    basic::{Compression, ZstdLevel},
    errors::ParquetError,
    file::{
        properties::{WriterProperties, WriterPropertiesPtr},
        writer::SerializedFileWriter,
    },
    schema::{parser::parse_message_type, types::ColumnPath},
};

use crate::{Assemble, SinkError, Stored, StoredReader};
use columns::COLUMNS;

/// Documents in a row group.
const GROUP: usize = 4096;
/// Bytes of text at which a row group ends early.
const GROUP_BYTES: usize = 128 << 20;
/// zstd level.
const LEVEL: i32 = 3;
/// Columns whose values hardly repeat.
const SINGLE: [&str; 5] = ["text", "id", "url", "title", "description"];

/// Assembles Parquet files. The bytes depend on the documents only.
#[derive(Clone, Copy, Debug)]
pub struct Parquet;

impl Assemble for Parquet {
    fn assemble(&self, spool: &Path, target: &Path) -> Result<(), SinkError> {
        let schema: String = COLUMNS.iter().map(columns::Column::declaration).collect();
        let schema = parse_message_type(&format!("message document {{ {schema} }}"))?;
        let file = File::create(target)?;
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), properties()?)?;
        let (mut group, mut bytes) = (Vec::new(), 0);
        for stored in StoredReader::open(spool)? {
            let stored = stored?;
            bytes += stored.text.len();
            group.push(stored);
            if group.len() == GROUP || bytes >= GROUP_BYTES {
                write_group(&mut writer, &group)?;
                group.clear();
                bytes = 0;
            }
        }
        if !group.is_empty() {
            write_group(&mut writer, &group)?;
        }
        Ok(writer.into_inner()?.sync_all()?)
    }
}

fn properties() -> Result<WriterPropertiesPtr, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("trommel version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?));
    for column in SINGLE {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(column), false);
    }
    Ok(Arc::new(properties.build()))
}

fn write_group(
    writer: &mut SerializedFileWriter<File>,
    rows: &[Stored],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for column in &COLUMNS {
        if let Some(mut writer) = group.next_column()? {
            column.write(rows, &mut writer)?;
            writer.close()?;
        }
    }
    group.close()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Encode, Msgpack,
        jsonl::tests::{document, entry, source},
    };
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    #[test]
    fn documents_read_back_and_bytes_repeat() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (source, mut document) = (source(0), document());
        document.metadata.author = vec!["A".into(), "B".into()];
        let mut spool = Vec::new();
        for _ in 0..GROUP + 1 {
            Msgpack
                .entry(&entry(&source, &document), &mut spool)
                .unwrap();
        }
        std::fs::write(at("spool"), &spool).unwrap();
        Parquet.assemble(&at("spool"), &at("a.parquet")).unwrap();
        Parquet.assemble(&at("spool"), &at("b.parquet")).unwrap();
        let bytes = std::fs::read(at("a.parquet")).unwrap();
        assert_eq!(bytes, std::fs::read(at("b.parquet")).unwrap());
        let reader = SerializedFileReader::new(File::open(at("a.parquet")).unwrap()).unwrap();
        assert_eq!(reader.num_row_groups(), 2);
        let rows: Vec<_> = reader
            .get_row_iter(None)
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(rows.len(), GROUP + 1);
        let row = &rows[GROUP];
        assert_eq!(row.get_string(0).unwrap(), &document.text);
        assert_eq!(row.get_list(10).unwrap().len(), 2);
        assert_eq!(row.get_long(25).unwrap(), 812);
        let shown = |wanted: &str| -> String {
            let mut columns = row.get_column_iter();
            let (_, field) = columns.find(|(name, _)| *name == wanted).unwrap();
            field.to_string()
        };
        assert_eq!(shown("language"), "\"de\"");
        assert_eq!(shown("language_score"), "null");
        assert_eq!(shown("token_count"), "3");
        assert_eq!(shown("headings"), "[]");
    }

    #[test]
    fn a_cut_spool_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("spool");
        std::fs::write(&spool, [0x81, 0xA2]).unwrap();
        let target = folder.path().join("a.parquet");
        assert!(Parquet.assemble(&spool, &target).is_err());
        // No documents make a file without rows.
        std::fs::write(&spool, []).unwrap();
        Parquet.assemble(&spool, &target).unwrap();
        let reader = SerializedFileReader::new(File::open(&target).unwrap()).unwrap();
        assert_eq!(reader.num_row_groups(), 0);
    }
}
