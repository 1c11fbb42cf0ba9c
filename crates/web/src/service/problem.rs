//! Problem details (RFC 9457): the reason why a request failed.

use serde::{Deserialize, Serialize};

/// Reason why a request was not done (RFC 9457).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The status in words.
    pub title: String,
    /// The status.
    pub status: u16,
    /// The fault, in a sentence.
    pub detail: String,
}
