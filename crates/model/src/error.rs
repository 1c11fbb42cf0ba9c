//! Errors of reading and using a model.

/// Reason why a model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file cannot be read.
    #[error("model {path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The bytes of a file are no model.
    #[error("model {path}: {source}")]
    File {
        /// The file.
        path: String,
        /// The fault of the model.
        source: Box<ModelError>,
    },
    /// There is no such model.
    #[error("unknown model {wanted}: neither a file nor a built-in model ({builtin})")]
    Unknown {
        /// The requested name.
        wanted: String,
        /// Names of the built-in models.
        builtin: String,
    },
    /// The bytes are not laid out like a model file.
    #[error("not a trommel model file: {0}")]
    Format(#[from] rmp_serde::decode::Error),
    /// The zstd frame of a model file is damaged, or cannot be written.
    #[error("the zstd frame of the model file: {0}")]
    Zstd(#[source] std::io::Error),
    /// The model cannot be written.
    #[error("cannot write the model: {0}")]
    Write(#[from] rmp_serde::encode::Error),
    /// MessagePack of another kind.
    #[error("not a trommel model file: its format is {format:?}")]
    NotAModel {
        /// The format that the file names.
        format: String,
    },
    /// Written by another version of the program.
    #[error("the model is of version {version}, this program reads version {known}")]
    Version {
        /// Its version.
        version: u32,
        /// The one that is read.
        known: u32,
    },
    /// It uses a feature that this program cannot compute.
    #[error("the model uses the feature {feature}, which this program does not know")]
    UnknownFeature {
        /// The feature.
        feature: String,
    },
    /// A part holds numbers that are not finite or beyond all log odds, or asks columns or nodes that do not
    /// exist.
    #[error("the model is damaged: its {part} part does not add up")]
    Unsound {
        /// Kind of the part.
        part: &'static str,
    },
}
