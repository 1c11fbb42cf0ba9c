//! Errors of settings.

/// Reason why settings cannot be used. Each is one line that names the choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// There is no choice of that name.
    #[error("unknown key {key:?}{hint}")]
    Unknown {
        /// The name as it was given, with its parts (`filters.min_word`).
        key: String,
        /// The nearest name, or the names there are.
        hint: String,
    },
    /// The value is none of the choice's.
    #[error("{key}: {message}")]
    Invalid {
        /// The choice (`text.math`).
        key: String,
        /// The fault.
        message: String,
    },
    /// Two choices exclude each other.
    #[error("{key}: {message}")]
    Conflict {
        /// The choice that cannot be.
        key: String,
        /// The reason, and a remedy.
        message: String,
    },
    /// The text is not JSON or TOML at all.
    #[error("{0}")]
    Syntax(String),
}

impl SettingsError {
    pub(super) fn invalid(key: &str, message: String) -> Self {
        Self::Invalid { key: key.to_owned(), message }
    }

    pub(super) fn conflict(key: &str, message: &str) -> Self {
        Self::Conflict { key: key.to_owned(), message: message.to_owned() }
    }

    /// The choice that the error is about; none if the text could not be read at all.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Unknown { key, .. } | Self::Invalid { key, .. } | Self::Conflict { key, .. } => Some(key),
            Self::Syntax(_) => None,
        }
    }
}
