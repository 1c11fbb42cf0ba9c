//! Objects behind URLs, in a program without network support: there are none.

use std::{ops::Range, path::Path};

use crate::{NetworkOptions, SourceError};

pub use std::io::Empty as RemoteReader;

/// Takes the place of the network in builds without it: every method returns [`SourceError::NotBuilt`].
#[derive(Clone, Debug)]
pub struct Remote;

macro_rules! absent {
    ($(fn $name:ident($($argument:ty),*) -> $result:ty;)+) => {
        #[allow(missing_docs, clippy::missing_errors_doc)]
        impl Remote {
            $(pub fn $name(&self, $(_: $argument),*) -> Result<$result, SourceError> {
                Err(SourceError::NotBuilt)
            })+
        }
    };
}

absent! {
    fn open(&str) -> RemoteReader;
    fn seekable(&str) -> RemoteReader;
    fn list(&str) -> Vec<String>;
    fn upload(&Path, &str) -> ();
    fn remove(&str) -> ();
}

impl Remote {
    /// Creates the missing network; the options have no effect.
    pub fn new(_: NetworkOptions) -> Self {
        Self
    }

    /// Returns no length, because the object cannot be asked for.
    pub fn length(&self, _: &str) -> Option<u64> {
        None
    }

    pub(crate) fn fetch(&self, _: Vec<(String, Range<u64>)>) -> std::iter::Empty<Result<Vec<u8>, SourceError>> {
        std::iter::empty()
    }
}
