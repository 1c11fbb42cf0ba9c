//! Turns faults of the search library into errors, and finds damaged files before the library reads them.

use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tantivy::{Index, TantivyError};

use crate::index::error::{IndexError, one_line};

/// The result of `work`. Tantivy trusts what it wrote. On other bytes it may panic; that becomes an error
/// of the index at `path`.
pub(crate) fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, IndexError>) -> Result<T, IndexError> {
    // Nothing is changed by searching that could be left half done.
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(IndexError::Damaged { path: path.to_owned(), what: message(&*panic) }))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let words: Vec<&str> = text.unwrap_or("no message").split_whitespace().collect();
    words.join(" ")
}

/// Compares all files of the index in the folder `path` with the checksums in them.
pub(crate) fn check(index: &Index, path: &Path) -> Result<(), IndexError> {
    let io = |source| IndexError::Io { path: path.to_owned(), source };
    let segments = index.searchable_segment_metas()?;
    let ids: Vec<String> = segments.iter().map(|segment| segment.id().uuid_string()).collect();
    for entry in fs::read_dir(path).map_err(io)? {
        let name = entry.map_err(io)?.file_name();
        let name = name.to_string_lossy();
        // Others are of segments that were merged and not removed yet.
        let stem = name.split('.').next().unwrap_or_default();
        if !ids.iter().any(|id| id == stem) {
            continue;
        }
        let damaged = |what: String| IndexError::Damaged { path: path.join(&*name), what };
        match index.directory().validate_checksum(Path::new(&*name)) {
            Ok(true) => {}
            Ok(false) => return Err(damaged("its bytes are not those that were written".into())),
            Err(error) => return Err(damaged(one_line(&TantivyError::from(error)))),
        }
    }
    Ok(())
}
