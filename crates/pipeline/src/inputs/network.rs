//! The network, if this build supports it.

use std::{io::Read, ops::Range};

#[cfg(feature = "remote")]
use std::sync::OnceLock;

#[cfg(feature = "remote")]
use trommel_sources::Remote;
use trommel_sources::{FoundRecord, NetworkOptions, RecordSelection, SourceError};

/// Opens objects; the thread that waits for them starts with the first.
#[derive(Debug, Default)]
pub(crate) struct Network {
    #[cfg_attr(not(feature = "remote"), allow(dead_code))]
    options: NetworkOptions,
    #[cfg(feature = "remote")]
    // Most runs need no network, and start no thread for it.
    remote: OnceLock<Result<Remote, SourceError>>,
}

impl Network {
    pub(crate) fn new(options: NetworkOptions) -> Self {
        Self { options, ..Self::default() }
    }
}

#[cfg(feature = "remote")]
impl Network {
    fn remote(&self) -> Result<&Remote, SourceError> {
        let start = || Remote::new(self.options.clone()).map_err(|error| SourceError::Failed(error.to_string()));
        self.remote.get_or_init(start).as_ref().map_err(Clone::clone)
    }

    /// The bytes of an object.
    pub(crate) fn open(&self, url: &str) -> Result<impl Read + Send + use<>, SourceError> {
        self.remote()?.open(url)
    }

    /// The bytes of an object from `offset` on.
    pub(crate) fn open_at(&self, url: &str, offset: u64) -> Result<Box<dyn Read + Send>, SourceError> {
        Ok(Box::new(self.remote()?.open_at(url, offset)?))
    }

    /// The objects below a prefix of a bucket or repository.
    pub(crate) fn list(&self, url: &str) -> Result<Vec<String>, SourceError> {
        self.remote()?.list(url)
    }

    /// The records of a selection, from the row `from` on.
    pub(crate) fn read<'a>(
        &self,
        selection: &'a RecordSelection,
        from: usize,
    ) -> Result<impl Iterator<Item = FoundRecord> + use<'a>, SourceError> {
        Ok(selection.read(from, self.remote_of(selection)?))
    }

    /// Bytes of one archive of a selection, by its number.
    pub(crate) fn read_range(
        &self,
        selection: &RecordSelection,
        archive: usize,
        range: Range<u64>,
    ) -> Result<Vec<u8>, SourceError> {
        selection.read_range(archive, range, self.remote_of(selection)?)
    }

    fn remote_of(&self, selection: &RecordSelection) -> Result<Option<&Remote>, SourceError> {
        selection.is_remote().then(|| self.remote()).transpose()
    }
}

#[cfg(not(feature = "remote"))]
impl Network {
    /// Always an error.
    pub(crate) fn open(&self, _: &str) -> Result<impl Read + Send + use<>, SourceError> {
        Err::<std::io::Empty, _>(SourceError::NotBuilt)
    }

    /// Always an error.
    pub(crate) fn open_at(&self, _: &str, _: u64) -> Result<Box<dyn Read + Send>, SourceError> {
        Err(SourceError::NotBuilt)
    }

    /// Always an error.
    pub(crate) fn list(&self, _: &str) -> Result<Vec<String>, SourceError> {
        Err(SourceError::NotBuilt)
    }

    /// The records of a selection, from the row `from` on.
    pub(crate) fn read<'a>(
        &self,
        selection: &'a RecordSelection,
        from: usize,
    ) -> Result<impl Iterator<Item = FoundRecord> + use<'a>, SourceError> {
        Ok(selection.read(from))
    }

    /// Bytes of one archive of a selection, by its number.
    pub(crate) fn read_range(
        &self,
        selection: &RecordSelection,
        archive: usize,
        range: Range<u64>,
    ) -> Result<Vec<u8>, SourceError> {
        selection.read_range(archive, range)
    }
}
