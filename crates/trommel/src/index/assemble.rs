//! Writes an index as the output of a run.

use std::path::{Path, PathBuf};
use std::{fs, io};

use trommel_record::{Assemble, OutputError, RecordReader};

use crate::index::{DEFAULT_MEMORY, IndexError, IndexWriter};

/// The file in which Tantivy lists the files of an index.
const MANAGED: &str = ".managed.json";

/// Assembles an index from a spool: a folder that [`Index::open`](crate::index::Index::open) takes. The
/// documents keep their order and are in one segment. The names of its files are random, as Tantivy has
/// it; all else depends on the documents only.
#[derive(Clone, Copy, Debug)]
pub struct Tantivy;

impl Assemble for Tantivy {
    fn assemble(&self, spool: &Path, target: &Path) -> Result<(), OutputError> {
        let index = |error: IndexError| OutputError::Index(Box::new(error));
        let mut writer = IndexWriter::in_order(target, DEFAULT_MEMORY).map_err(index)?;
        for stored in RecordReader::open(spool)? {
            writer.add(&stored?).map_err(index)?;
        }
        let written = writer.commit_merged().map_err(index)?;
        if written.replaced > 0 {
            tracing::warn!(
                "{}: documents that another of the same id took the place of: {}",
                target.display(),
                written.replaced
            );
        }
        Ok(())
    }

    fn foreign(&self, target: &Path) -> io::Result<Option<PathBuf>> {
        // Tantivy lists all that it wrote in a file of its own.
        let managed = match fs::read(target.join(MANAGED)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let managed: Vec<PathBuf> = serde_json::from_slice(&managed).unwrap_or_default();
        for entry in fs::read_dir(target)? {
            let name = PathBuf::from(entry?.file_name());
            let is_ours = managed.contains(&name)
                || [MANAGED, "meta.json", ".tantivy-writer.lock", ".tantivy-meta.lock"]
                    .iter()
                    .any(|known| name == Path::new(known));
            if !is_ours {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Index;

    #[test]
    fn a_spool_becomes_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // {"id": "a", "text": "mill"}
        let map = b"\x82\xA2id\xA1a\xA4text\xA4mill";
        std::fs::write(at("spool"), map).unwrap();
        Tantivy.assemble(&at("spool"), &at("x.tantivy")).unwrap();
        assert_eq!(Index::open(&at("x.tantivy")).unwrap().search("mills", 3).unwrap()[0].id, "a");
        assert_eq!(Tantivy.foreign(&at("x.tantivy")).unwrap(), None);
        std::fs::write(at("x.tantivy/notes.txt"), "mine").unwrap();
        let foreign = Tantivy.foreign(&at("x.tantivy")).unwrap();
        assert_eq!(foreign.as_deref(), Some(Path::new("notes.txt")));
        std::fs::write(at("spool"), &map[..9]).unwrap();
        assert!(Tantivy.assemble(&at("spool"), &at("y.tantivy")).is_err());
    }
}
