//! Errors of reading, writing and merging a memory of sites.

/// Reason why a site memory cannot be read, written or merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SitesError {
    /// It is no such file, or a damaged one.
    #[error("not a site memory: {0}")]
    Read(#[from] rmp_serde::decode::Error),
    /// The first field says something else.
    #[error("not a site memory but {0:?}")]
    NotASiteMemory(String),
    /// Another version wrote it.
    #[error("site memory of version {found}, this program reads {known}")]
    Version {
        /// Version of the file.
        found: u32,
        /// Version that is read.
        known: u32,
    },
    /// The file has impossible values.
    #[error("damaged site memory: {0}")]
    Unsound(&'static str),
    /// It cannot be written.
    #[error("cannot write the site memory: {0}")]
    Write(#[from] rmp_serde::encode::Error),
    /// Their pages were judged by different models.
    #[error("judged by different models, {0} and {1}: build both with one model, or without")]
    Models(String, String),
}
