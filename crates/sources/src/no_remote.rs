//! Objects behind URLs, in a program without network support: there are none.

use std::{ops::Range, path::Path};

use crate::{NetworkOptions, SourceError};

pub use std::io::{Empty as RemoteReader, Empty as SeekableObject};

/// A type without values, in place of remote objects.
#[derive(Debug)]
pub enum Remote {}

impl Remote {
    /// Always an error.
    ///
    /// # Errors
    /// [`SourceError::NotBuilt`].
    pub fn new(_: NetworkOptions) -> Result<Self, SourceError> {
        Err(SourceError::NotBuilt)
    }
}

/// Methods of a value that there is not.
macro_rules! absent {
    ($($visibility:vis fn $name:ident($($argument:ty),*) -> $result:ty;)+) => {
        #[allow(missing_docs, clippy::missing_errors_doc)]
        impl Remote {
            $($visibility fn $name(&self, $(_: $argument),*) -> $result {
                match *self {}
            })+
        }
    };
}

absent! {
    pub fn open(&str) -> Result<RemoteReader, SourceError>;
    pub fn open_at(&str, u64) -> Result<RemoteReader, SourceError>;
    pub fn seekable(&str) -> Result<SeekableObject, SourceError>;
    pub fn list(&str) -> Result<Vec<String>, SourceError>;
    pub fn upload(&Path, &str) -> Result<(), SourceError>;
    pub fn remove(&str) -> Result<(), SourceError>;
    pub(crate) fn fetch(Vec<(String, Range<u64>)>) -> std::iter::Empty<Result<Vec<u8>, SourceError>>;
}
