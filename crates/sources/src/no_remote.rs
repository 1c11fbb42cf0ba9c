//! Replaces the network client in builds without network support; every request fails.

use std::{ops::Range, path::Path};

use crate::{NetworkOptions, SourceError};

pub use std::io::Empty as RemoteReader;

/// Stand-in for the network client in builds without network support: requests fail with [`SourceError::NotBuilt`].
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
    /// Creates the stand-in; the options have no effect.
    pub fn new(_: NetworkOptions) -> Self {
        Self
    }

    /// Returns `None`, because the length of an object is unknown without a network.
    pub fn length(&self, _: &str) -> Option<u64> {
        None
    }

    pub(crate) fn fetch(&self, _: Vec<(String, Range<u64>)>) -> std::iter::Empty<Result<Vec<u8>, SourceError>> {
        std::iter::empty()
    }
}
