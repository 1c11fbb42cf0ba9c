//! Errors of writing a report.

use trommel_learn::LearnError;

/// Reason why a report cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QualityError {
    /// A labelled set cannot be read.
    #[error(transparent)]
    Set(#[from] LearnError),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Judged pages of different runs cannot stand side by side.
    #[error("{first} and {other} have judged no page in common")]
    Unlike {
        /// Name of a model.
        first: String,
        /// Name of another.
        other: String,
    },
    /// There is nothing to report.
    #[error("no judged pages")]
    Nothing,
    /// Judged pages are set beside a model of another training.
    #[error("the judged pages of {judged} are not those of the model {model}: {set} differs")]
    OtherModel {
        /// Name in the file of judged pages.
        judged: String,
        /// Name of the model.
        model: String,
        /// The first set whose pages or F1 differ.
        set: String,
    },
    /// A model was trained on a set that it should be tested by.
    #[error("{model} was trained on {set}, so it cannot be tested by it")]
    Trained {
        /// Name of the model.
        model: String,
        /// Name of the set.
        set: String,
    },
}
