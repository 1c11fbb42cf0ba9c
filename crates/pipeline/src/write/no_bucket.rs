//! Outputs in buckets, in a program without network support.

use std::{io, path::Path};

use trommel_output::{Disk, DiskFile};
use trommel_sources::{NetworkOptions, SourceError, is_url};

use crate::{
    counts::summary::Summary,
    error::BucketError,
    plan::{Plan, existing::Existing, output::Destination},
};

/// None: there is no value of it.
#[derive(Debug)]
pub enum Bucket {}

impl Bucket {
    /// None: the outputs are on this machine.
    ///
    /// # Errors
    /// If the outputs of the plan are in a bucket.
    pub fn take(plan: &mut Plan, _: NetworkOptions, _: Existing) -> Result<Option<Self>, BucketError> {
        match &plan.output.destination {
            Destination::Folder(path) | Destination::File(path) if is_url(&path.to_string_lossy()) => {
                Err(BucketError::Answer { url: path.to_string_lossy().into_owned(), source: SourceError::NotBuilt })
            }
            _ => Ok(None),
        }
    }

    /// Nothing to name.
    pub fn name(&self, _: &mut Summary) {
        match *self {}
    }
}

impl Disk for Bucket {
    fn open(&self, _: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        match *self {}
    }

    fn create(&self, _: &Path) -> io::Result<Box<dyn DiskFile>> {
        match *self {}
    }

    fn append(&self, _: &Path, _: u64) -> io::Result<Box<dyn DiskFile>> {
        match *self {}
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        match *self {}
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        match *self {}
    }
}
