//! The error type of the whole library: its kind for programs, and a message of one line for people.

use std::{error, fmt, io};

/// An error of any function of this crate. `?` also converts the errors of the modules `archive`, `extract`, `learn`
/// and `record`, and [`io::Error`], so one return type serves a whole program.
///
/// [`Error::kind`] tells a program how to react. The message is one line that names the setting, file or URL.
///
/// ```
/// use trommel::{ErrorKind, Extractor, Settings};
///
/// fn extractor(settings: &str) -> trommel::Result<Extractor> {
///     Extractor::new(&Settings::from_json(settings)?)
/// }
///
/// let error = extractor(r#"{"link": true}"#).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Setting);
/// assert_eq!(error.to_string(), "unknown key \"link\", did you mean \"links\"?");
/// assert_eq!(extractor(r#"{"model": "fest"}"#).unwrap_err().kind(), ErrorKind::Model);
/// ```
pub struct Error {
    kind: ErrorKind,
    source: Box<dyn error::Error + Send + Sync>,
}

/// Result of a function that may fail with the crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Kind of an [`Error`], by which a program decides how to react.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A setting, argument or name has an invalid value, or excludes another setting.
    Setting,
    /// A model does not exist, cannot be read or cannot be used.
    Model,
    /// A site memory (counts of blocks that recur on a site) cannot be read, written or used.
    Sites,
    /// An archive, record index, list or labelled page cannot be found, read or understood.
    Input,
    /// An output cannot be written.
    Output,
    /// An output exists already, or another run is writing it.
    Exists,
    /// A run cannot continue an earlier one, because its settings, inputs or files differ.
    Resume,
    /// A server or the network fails, refuses or is too slow.
    Network,
    /// A search index cannot be written, or is damaged or absent.
    Index,
    /// A search query contains no word.
    Query,
    /// A run was stopped from outside, such as by Ctrl-C.
    Stopped,
    /// The function that takes a run's documents returned an error.
    Caller,
    /// The operating system failed or refused, outside of inputs and outputs.
    System,
    /// The counts of a run contradict one another: a defect of this library.
    Defect,
}

impl Error {
    /// Makes an error of the kind `kind` from the error or message that caused it.
    pub(crate) fn new(kind: ErrorKind, source: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Self { kind, source: source.into() }
    }

    /// Returns the kind of the error, by which a program decides how to react.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the kind of the [`io::Error`] behind this error; none if no I/O error caused it.
    #[cfg(feature = "run")]
    pub(crate) fn system_kind(&self) -> Option<io::ErrorKind> {
        let own = self.source.downcast_ref::<io::Error>();
        let cause = || self.source.source()?.downcast_ref::<io::Error>();
        own.or_else(cause).map(io::Error::kind)
    }

    /// Returns whether a run ended with this error before it changed any file.
    pub fn is_refusal(&self) -> bool {
        matches!(self.kind, ErrorKind::Setting | ErrorKind::Exists | ErrorKind::Resume)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.source.source()
    }
}

/// Implements `From<E>` for [`Error`] for each listed error type `E`; the function after `=>` gives the kind.
macro_rules! kinds {
    ($($(#[$condition:meta])* $error:ty => $kind:expr;)+) => {
        $(
            $(#[$condition])*
            impl From<$error> for Error {
                fn from(error: $error) -> Self {
                    let kind: fn(&$error) -> ErrorKind = $kind;
                    Self::new(kind(&error), error)
                }
            }
        )+
    };
}

kinds! {
    io::Error => |_| ErrorKind::System;
    crate::settings::SettingsError => |_| ErrorKind::Setting;
    crate::ByteSizeError => |_| ErrorKind::Setting;
    crate::ChunkSizeError => |_| ErrorKind::Setting;
    crate::HintError => |_| ErrorKind::Setting;
    crate::SelectorError => |_| ErrorKind::Setting;
    crate::ShareError => |_| ErrorKind::Setting;
    crate::ModelError => |_| ErrorKind::Model;
    trommel_model::sites::SitesError => |_| ErrorKind::Sites;
    crate::record::OutputError => |_| ErrorKind::Output;
    crate::record::ReadError => |_| ErrorKind::Input;
    #[cfg(feature = "storage")]
    crate::record::dedup::DedupError => |_| ErrorKind::Input;
    #[cfg(feature = "archive")]
    crate::archive::ArchiveError => |_| ErrorKind::Input;
    #[cfg(feature = "archive")]
    crate::archive::PayloadError => |_| ErrorKind::Input;
    #[cfg(feature = "learn")]
    crate::learn::LearnError => |error| match error {
        crate::learn::LearnError::Model(_) => ErrorKind::Model,
        _ => ErrorKind::Input,
    };
    #[cfg(feature = "run")]
    crate::archive::wacz::WaczError => |_| ErrorKind::Input;
    #[cfg(feature = "run")]
    trommel_sources::SourceError => |_| ErrorKind::Network;
    #[cfg(feature = "run")]
    trommel_sources::RecordIndexError => |_| ErrorKind::Input;
    #[cfg(feature = "run")]
    crate::run::SumMismatch => |_| ErrorKind::Defect;
    #[cfg(feature = "index")]
    crate::index::IndexError => |error| match error {
        crate::index::IndexError::EmptyQuery => ErrorKind::Query,
        _ => ErrorKind::Index,
    };
}
