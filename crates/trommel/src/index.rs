//! Full-text index of documents, with BM25 search in title, headings and text, by Tantivy.
//!
//! [`IndexWriter`] writes documents into an index, also as the output of a run, and [`Index`] finds them.
//!
//! ```
//! use trommel::index::{DEFAULT_MEMORY, Index, IndexWriter, Search, foreign_syntax};
//! use trommel::{ErrorKind, Document};
//!
//! # fn main() -> trommel::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("index");
//! let document = |id: &str, text: &str| {
//!     Document { id: id.to_owned(), text: text.to_owned(), lang: Some("en".to_owned()), ..Document::default() }
//! };
//! let mut writer = IndexWriter::open(&path, DEFAULT_MEMORY)?;
//! writer.add(&document("a", "The mill stands by the river, and its wheels turn."))?;
//! writer.add(&document("b", "A bakery of the village."))?;
//! assert_eq!(writer.commit()?.added, 2);
//! // Later ones of the same id take the place of the earlier ones. The files are merged into one.
//! let mut writer = IndexWriter::in_order(&path, DEFAULT_MEMORY)?;
//! writer.add(&document("b", "The bakery of the village sells bread of the mill."))?;
//! assert_eq!(writer.commit_merged()?.replaced, 1);
//!
//! let index = Index::open(&path)?;
//! assert_eq!(index.documents(), 2);
//! assert!(index.longest_text() > 0);
//! assert_eq!(index.search("wheel", 10)?[0].document.id, "a");
//! let found = index.find(&Search { query: "mill -bakery", limit: 10, language: Some("en"), ..Search::default() })?;
//! assert_eq!((found.documents, found.hits[0].document.id.as_str()), (1, "a"));
//! assert_eq!(found.hits[0].snippet.parts()[1], ("mill", true));
//! assert!(index.get("b")?.unwrap().text.starts_with("The bakery"));
//!
//! assert_eq!(index.search("", 10).unwrap_err().kind(), ErrorKind::Query);
//! assert_eq!(foreign_syntax("mill AND title:river"), ["AND", "title:river"]);
//! # Ok(())
//! # }
//! ```

mod search;
mod tokenizer;
mod writer;

use std::path::{Path, PathBuf};
use std::{fs, io};

use tantivy::{TantivyError, directory::error::OpenReadError};
use trommel_record::{Assemble, OutputError, RecordReader};

use crate::Error;

pub use search::{Hit, Index, IndexedDocument, Search, SearchResults, Snippet, foreign_syntax};
pub use tokenizer::{ScriptTokenizer, TextTerms};
pub use writer::{CommittedIndex, DEFAULT_MEMORY, IndexWriter};

/// Name of the file in which Tantivy lists the files of an index.
const MANAGED: &str = ".managed.json";

/// Builder of a search index from a spool (temporary file of encoded documents). The result is a folder for
/// [`Index::open`](Index::open), with the documents in their order. Only the names of its files are random.
#[derive(Clone, Copy, Debug)]
pub struct Tantivy;

impl Assemble for Tantivy {
    fn assemble(&self, spool: &Path, target: &Path) -> Result<(), OutputError> {
        let index = |error: Error| OutputError::Index(Box::new(error));
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

/// Error in writing, opening or searching an index.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IndexError {
    /// A folder or file cannot be used as part of an index.
    #[error("{path}: {what}")]
    At {
        /// Path of the folder or file.
        path: PathBuf,
        /// Description of the fault.
        what: String,
    },
    /// The search query contains no word.
    #[error("the query has no word to look for")]
    EmptyQuery,
    /// Tantivy failed, for example because the index is damaged or the disk is full.
    #[error("index: {}", one_line(.0))]
    Tantivy(#[from] TantivyError),
}

impl IndexError {
    fn at(path: &Path, what: impl ToString) -> Self {
        Self::At { path: path.to_owned(), what: what.to_string() }
    }

    /// Makes the error that the index or one of its files is damaged.
    fn damaged(path: &Path, what: &str) -> Self {
        Self::at(path, format!("the index is damaged ({what}); make it anew"))
    }
}

impl From<TantivyError> for Error {
    fn from(error: TantivyError) -> Self {
        IndexError::from(error).into()
    }
}

/// Maximum number of characters of a Tantivy error message; some messages contain a whole file.
const MAX_MESSAGE_CHARS: usize = 200;

/// Returns the message of a Tantivy error in one line, shortened and without details of its code.
pub(crate) fn one_line(error: &TantivyError) -> String {
    let text = match error {
        TantivyError::IoError(source) => source.to_string(),
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(path)) => {
            format!("{} is missing", path.display())
        }
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath }) => {
            format!("{}: {io_error}", filepath.display())
        }
        TantivyError::OpenReadError(OpenReadError::IncompatibleIndex(_)) | TantivyError::IncompatibleIndex(_) => {
            "of another version".to_owned()
        }
        error => error.to_string(),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => format!("{} ...", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, *};

    #[test]
    fn a_spool_becomes_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // {"id": "a", "text": "mill"}
        let map = b"\x82\xA2id\xA1a\xA4text\xA4mill";
        std::fs::write(at("spool"), map).unwrap();
        Tantivy.assemble(&at("spool"), &at("x.tantivy")).unwrap();
        assert_eq!(Index::open(&at("x.tantivy")).unwrap().search("mills", 3).unwrap()[0].document.id, "a");
        assert_eq!(Tantivy.foreign(&at("x.tantivy")).unwrap(), None);
        std::fs::write(at("x.tantivy/notes.txt"), "mine").unwrap();
        let foreign = Tantivy.foreign(&at("x.tantivy")).unwrap();
        assert_eq!(foreign.as_deref(), Some(Path::new("notes.txt")));
        std::fs::write(at("spool"), &map[..9]).unwrap();
        assert!(Tantivy.assemble(&at("spool"), &at("y.tantivy")).is_err());
    }

    #[test]
    fn messages_are_one_line_without_internals() {
        let read = OpenReadError::wrap_io_error(io::Error::other("cut"), "a.store".into());
        assert_eq!(one_line(&TantivyError::from(read)), "a.store: cut");
        let missing = OpenReadError::FileDoesNotExist("meta.json".into());
        assert_eq!(one_line(&TantivyError::from(missing)), "meta.json is missing");
        let told = one_line(&TantivyError::InternalError("{\n  \"segments\": 7\n".repeat(99)));
        assert!(told.chars().count() < 210 && told.ends_with(" ...") && !told.contains('\n'));
    }
}
