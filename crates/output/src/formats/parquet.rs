//! Parquet: a row a document, with the columns of FineWeb and more, assembled from a spool.

mod columns;
mod read;

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use parquet::{
    basic::{Compression, ZstdLevel},
    errors::ParquetError,
    file::{
        properties::{WriterProperties, WriterPropertiesPtr},
        writer::SerializedFileWriter,
    },
    schema::{parser::parse_message_type, types::ColumnPath},
};

use crate::{Assemble, BLOCKS, COLUMNS, Column, OutputError, OutputRecord, RecordReader};
pub(crate) use read::Rows;

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
pub struct Parquet {
    /// Whether there is a column with the blocks of the pages.
    pub blocks: bool,
}

impl Parquet {
    fn columns(self) -> impl Iterator<Item = &'static Column> {
        COLUMNS.iter().chain(self.blocks.then_some(&BLOCKS))
    }

    fn write_group(
        self,
        writer: &mut SerializedFileWriter<File>,
        rows: &[OutputRecord],
    ) -> Result<(), ParquetError> {
        let mut group = writer.next_row_group()?;
        for column in self.columns() {
            column.write(rows, &mut group)?;
        }
        group.close()?;
        Ok(())
    }
}

impl Assemble for Parquet {
    fn assemble(&self, spool: &Path, target: &Path) -> Result<(), OutputError> {
        let schema: String = self.columns().map(Column::declaration).collect();
        let schema = parse_message_type(&format!("message document {{ {schema} }}"))?;
        let file = File::create(target)?;
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), properties()?)?;
        let (mut group, mut bytes) = (Vec::new(), 0);
        for record in RecordReader::open(spool)? {
            let record = record?;
            let blocks = record.blocks.iter().map(|block| block.text.len());
            bytes += record.text.len() + blocks.sum::<usize>();
            group.push(record);
            if group.len() == GROUP || bytes >= GROUP_BYTES {
                self.write_group(&mut writer, &group)?;
                group.clear();
                bytes = 0;
            }
        }
        if !group.is_empty() {
            self.write_group(&mut writer, &group)?;
        }
        Ok(writer.into_inner()?.sync_all()?)
    }

    /// The output is a file: no folder is one.
    fn foreign(&self, _: &Path) -> io::Result<Option<PathBuf>> {
        Err(io::ErrorKind::IsADirectory.into())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Encode, Msgpack,
        record::tests::{full, record},
    };
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

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
        let parquet = Parquet { blocks: false };
        parquet.assemble(&at("spool"), &at("a.parquet")).unwrap();
        parquet.assemble(&at("spool"), &at("b.parquet")).unwrap();
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
        assert_eq!(row.get_string(0).unwrap(), &record.text);
        assert_eq!(row.get_list(10).unwrap().len(), 2);
        assert_eq!(row.get_long(26).unwrap(), 812);
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
    fn blocks_are_lists() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut spool = Vec::new();
        for record in [record(), full()] {
            Msgpack.record(&record, &mut spool).unwrap();
        }
        std::fs::write(at("spool"), &spool).unwrap();
        let parquet = Parquet { blocks: true };
        parquet.assemble(&at("spool"), &at("x.parquet")).unwrap();
        let reader = SerializedFileReader::new(File::open(at("x.parquet")).unwrap()).unwrap();
        let rows = reader.get_row_iter(None).unwrap();
        let blocks: Vec<String> = rows
            .map(|row| {
                let row = row.unwrap();
                let (name, blocks) = row.get_column_iter().last().unwrap();
                assert_eq!(name, "blocks");
                blocks.to_string()
            })
            .collect();
        let expected = [
            "[]",
            "[{text: \"a\", start: 3, end: 9, tag: \"p\", path: \"article>p\", words: 1, \
             link_density: 0.5, probability: 0.25, kept: true, role: \"body\", source: \"page\"}, \
             {text: \"b\", start: 9, end: 12, tag: \"\", path: \"\", words: 0, link_density: 0E0, \
             probability: 0E0, kept: false, role: \"\", source: \"\"}]",
        ];
        assert_eq!(blocks, expected);
    }

    #[test]
    fn a_cut_spool_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("spool");
        std::fs::write(&spool, [0x81, 0xA2]).unwrap();
        let target = folder.path().join("a.parquet");
        let parquet = Parquet { blocks: true };
        assert!(parquet.assemble(&spool, &target).is_err());
        // No documents make a file without rows.
        std::fs::write(&spool, []).unwrap();
        parquet.assemble(&spool, &target).unwrap();
        let reader = SerializedFileReader::new(File::open(&target).unwrap()).unwrap();
        assert_eq!(reader.num_row_groups(), 0);
    }
}
