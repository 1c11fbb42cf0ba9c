//! Errors of writing an entry.

/// Reason why records cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The JSON writer refused the record.
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The MessagePack writer refused the record.
    #[error("MessagePack: {0}")]
    Msgpack(#[from] rmp_serde::encode::Error),
    /// The writer of the format, the compressor or the disk refused it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A spool cannot be read back.
    #[error("spool: {0}")]
    Spool(#[from] crate::ReadError),
    /// The Parquet writer refused a document.
    #[cfg(feature = "parquet")]
    #[error("Parquet: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// An index cannot be assembled.
    #[error("{0}")]
    Index(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A folder that would be replaced holds something else.
    #[error("{path}: holds {file}, which is not part of such an output; the folder is left as it is")]
    Foreign {
        /// The folder.
        path: std::path::PathBuf,
        /// The file at that place.
        file: std::path::PathBuf,
    },
    /// The format is never compressed this way.
    #[error("{format} cannot be compressed with {compression}")]
    Compression {
        /// The format.
        format: crate::Format,
        /// The compression asked for.
        compression: crate::Compression,
    },
}
