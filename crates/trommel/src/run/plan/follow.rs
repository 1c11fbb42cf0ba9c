//! The inputs that are followed while they grow, and the time limits.

use std::time::Duration;

use trommel_sources::{is_url, redacted};

/// The inputs to follow, and the time limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follow {
    /// Files, which need not be there yet, folders, globs, named pipes, and `-` for standard input.
    pub arguments: Vec<String>,
    /// Time without new data after which everything is written out.
    pub idle: Duration,
    /// Time without anything new after which the run ends; none: it goes on until it is stopped.
    pub until_idle: Option<Duration>,
}

/// Something that does not grow as files do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}: only files, folders, globs and pipes can be followed")]
pub struct FollowError(String);

impl Follow {
    /// Usual value of [`Follow::idle`].
    // A compromise: outputs are not cut at each pause of a crawler, and readers do not wait long for what came.
    pub const IDLE: Duration = Duration::from_secs(2);

    /// Follows the arguments until the run is stopped.
    ///
    /// # Errors
    /// If an argument is a URL or a manifest.
    pub fn new(arguments: &[String]) -> Result<Self, FollowError> {
        let is_fixed = |argument: &&String| is_url(argument) || argument.starts_with('@');
        match arguments.iter().find(is_fixed) {
            Some(argument) => Err(FollowError(redacted(argument))),
            None => Ok(Self { arguments: arguments.to_vec(), idle: Self::IDLE, until_idle: None }),
        }
    }
}
