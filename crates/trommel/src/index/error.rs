//! Errors of writing and searching an index.

use std::path::PathBuf;

use tantivy::{TantivyError, directory::error::OpenReadError};

/// Reason why an index cannot be written or searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The folder cannot be read or made.
    #[error("{path}: {source}")]
    Io {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// There is no index in the folder.
    #[error("{0}: no index here")]
    NoIndex(PathBuf),
    /// The folder holds something else.
    #[error("{0}: is neither empty nor an index")]
    NotEmpty(PathBuf),
    /// The index was made with other fields, by another version of the program or by another program.
    #[error("{0}: the index has other fields; make it anew")]
    OtherFields(PathBuf),
    /// Another program is writing the index.
    #[error("{0}: the index is being written by another program")]
    Locked(PathBuf),
    /// A query without a word to look for.
    #[error("the query has no word to look for")]
    EmptyQuery,
    /// A file of the index, or the index as a whole, is not as it was written.
    #[error("{path}: the index is damaged ({what}); make it anew")]
    Damaged {
        /// The file, or the folder.
        path: PathBuf,
        /// The fault.
        what: String,
    },
    /// The index is damaged, or the disk full.
    #[error("index: {}", one_line(.0))]
    Tantivy(#[from] TantivyError),
}

/// Characters of a message of the library: some hold a whole file.
const MAX_MESSAGE_CHARS: usize = 200;

/// The error of the library, in one line without its internals.
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
    use super::*;
    use std::io::Error;

    #[test]
    fn messages_are_one_line_without_internals() {
        let read = OpenReadError::wrap_io_error(Error::other("cut"), "a.store".into());
        assert_eq!(one_line(&TantivyError::from(read)), "a.store: cut");
        let missing = OpenReadError::FileDoesNotExist("meta.json".into());
        assert_eq!(one_line(&TantivyError::from(missing)), "meta.json is missing");
        let told = one_line(&TantivyError::InternalError("{\n  \"segments\": 7\n".repeat(99)));
        assert!(told.chars().count() < 210 && told.ends_with(" ...") && !told.contains('\n'));
    }
}
