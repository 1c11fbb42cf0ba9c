//! Problem details (RFC 9457): the reason why a request failed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a request was not done (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// The status in words.
    pub title: String,
    /// The status.
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// The fault, in a sentence.
    pub detail: String,
}
