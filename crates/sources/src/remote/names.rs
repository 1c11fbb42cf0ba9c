//! The names in a list of objects, as far as it has an end.

use std::collections::BTreeSet;

use crate::SourceError;

/// Bytes of all names: some two million.
const MAX_BYTES: usize = 256 << 20;
/// Names that may come again. Stores name each object once; one that gives the same page again and again has no end.
const MAX_REPEATED: usize = 100;

/// The names of objects, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: BTreeSet<String>,
    bytes: usize,
    repeated: usize,
}

impl Names {
    /// Adds a name.
    ///
    /// # Errors
    /// If the list repeats itself, or has too many names.
    pub(super) fn add(&mut self, name: String) -> Result<(), SourceError> {
        let bytes = name.len();
        if self.names.insert(name) {
            self.bytes += bytes;
        } else {
            self.repeated += 1;
        }
        let what = match (self.bytes > MAX_BYTES, self.repeated > MAX_REPEATED) {
            (false, false) => return Ok(()),
            (true, _) => format!("a list of more than {} names", self.names.len()),
            (_, true) => "a list that repeats itself".to_owned(),
        };
        Err(SourceError::Failed(what))
    }

    /// All of them, sorted.
    pub(super) fn in_order(self) -> Vec<String> {
        self.names.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_an_end() {
        let mut names = Names::default();
        let error = (0..5000).find_map(|at| names.add(format!("s3://b/{}", at % 7)).err());
        assert_eq!(error.unwrap().to_string(), "a list that repeats itself");
        assert_eq!(names.in_order().len(), 7);
        let mut names = Names { bytes: MAX_BYTES - 7, ..Names::default() };
        assert!(names.add("s3://b/".to_owned()).is_ok());
        let error = names.add("s3://b/1".to_owned()).unwrap_err();
        assert_eq!(error.to_string(), "a list of more than 2 names");
    }
}
