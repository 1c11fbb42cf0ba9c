//! The network, if this build supports it.

use std::{io::Read, ops::Range, sync::OnceLock};

use trommel_sources::{FoundRecord, NetworkOptions, RecordSelection, Remote, SourceError};

/// Opens objects; the thread that waits for them starts with the first.
#[derive(Debug, Default)]
pub(crate) struct Network {
    options: NetworkOptions,
    // Most runs need no network, and start no thread for it.
    remote: OnceLock<Result<Remote, SourceError>>,
}

impl Network {
    pub(crate) fn new(options: NetworkOptions) -> Self {
        Self { options, ..Self::default() }
    }

    fn remote(&self) -> Result<&Remote, SourceError> {
        self.remote.get_or_init(|| Remote::new(self.options.clone())).as_ref().map_err(Clone::clone)
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
        match selection.is_remote().then(|| self.remote()).transpose() {
            // The records in files are read all the same.
            Err(SourceError::NotBuilt) => Ok(None),
            remote => remote,
        }
    }
}
