//! Problem details (RFC 9457): the reason why a request failed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{
    IntoResponses, ToSchema,
    openapi::{Content, Ref, RefOr, Response, ResponseBuilder},
};

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

const NO_TOKEN: (u16, &str) = (401, "The bearer token is missing or wrong");
const FOREIGN: (u16, &str) = (403, "Without a token: another host is asked for, or a page of another site asks");
const NO_ROOM: (u16, &str) = (429, "No room; ask again after Retry-After");
const ENCODED: (u16, &str) = (415, "The body has a Content-Encoding");
const NO_PAGE: (u16, &str) = (415, "The body has a Content-Encoding, or is no page by its bytes (PDF, images ...)");

/// Refusals, as the description of the service lists them, of everything behind the bearer token.
pub(crate) struct CommonRefusals;

/// Refusals of requests that make the service work.
pub(crate) struct WorkRefusals;

/// Refusals of requests with an archive.
pub(crate) struct ArchiveRefusals;

/// Refusals of requests with a page.
pub(crate) struct PageRefusals;

impl IntoResponses for CommonRefusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        responses(&[NO_TOKEN, FOREIGN])
    }
}

impl IntoResponses for WorkRefusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        responses(&[NO_TOKEN, FOREIGN, NO_ROOM])
    }
}

impl IntoResponses for ArchiveRefusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        responses(&[NO_TOKEN, FOREIGN, FOREIGN, (408, "The archive did not begin in time"), ENCODED, NO_ROOM])
    }
}

impl IntoResponses for PageRefusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        responses(&[
            NO_TOKEN,
            FOREIGN,
            FOREIGN,
            (408, "The body came too slowly"),
            (413, "The page is too long, or needs too much memory"),
            NO_PAGE,
            NO_ROOM,
            (500, "A fault of the program"),
        ])
    }
}

fn responses(refusals: &[(u16, &str)]) -> BTreeMap<String, RefOr<Response>> {
    let response = |description: &str| {
        let schema = Ref::from_schema_name(Problem::name());
        ResponseBuilder::new()
            .description(description)
            .content("application/problem+json", Content::new(Some(schema)))
            .build()
    };
    refusals.iter().map(|(status, description)| (status.to_string(), response(description).into())).collect()
}
