//! The table of annotations.

use std::path::Path;

use trommel_text::keys::Keyed as _;

use crate::{Annotation, Assemble, OutputError, formats::parquet::Table, open_plain, reader::next_map};

/// Rows in a row group.
const GROUP: usize = 65_536;
/// Columns whose values hardly repeat.
const UNREPEATED_COLUMNS: [&str; 4] = ["url", "content_digest", "warc_record_id", "exact_key"];

/// Assembles tables of annotations. The bytes depend on the annotations only.
#[derive(Clone, Debug, Default)]
pub struct AnnotationTable {
    /// The base of relative archive names, as in the index of a crawl: a folder or the start of URLs.
    pub base: Option<String>,
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
        let mut spool = open_plain(spool)?;
        let mut number = 0;
        let rows = std::iter::from_fn(|| next_map::<Annotation>(&mut spool, &mut number).transpose());
        let rows = rows.map(|row| {
            let mut row = row?;
            self.relative(&mut row);
            Ok(row)
        });
        let columns: Vec<_> = Annotation::KEYS.iter().collect();
        let table = Table { name: "annotation", columns: &columns, unrepeated: &UNREPEATED_COLUMNS, rows: GROUP };
        table.write(target, rows, |_| 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Annotations, Encode, record_id::tests::full};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use std::fs::File;

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
        assert_eq!(shown(0, "warc_record_id"), format!("{:?}", annotation.warc_record_id));
        assert_eq!(shown(0, "words"), annotation.words.to_string());
        assert_eq!(shown(0, "near_keys"), format!("{:?}", annotation.near_keys));
        // A spool that is cut is an error, and not a shorter table.
        std::fs::write(at("cut"), &spool[..spool.len() - 3]).unwrap();
        assert!(table.assemble(&at("cut"), &at("b.parquet")).is_err());
    }
}
