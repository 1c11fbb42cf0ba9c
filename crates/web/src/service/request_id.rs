//! Ids of requests, for logs.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use http::{HeaderMap, HeaderValue};

/// The header that carries the name.
pub(crate) const REQUEST_ID: &str = "x-request-id";
/// Maximum bytes of a request id that is accepted.
const MAX_ID_BYTES: usize = 128;

/// Names requests that come without a name.
pub(crate) struct RequestIds {
    start: u64,
    next: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new() -> Self {
        Self {
            // Another one in each process.
            start: RandomState::new().hash_one(0),
            next: AtomicU64::new(0),
        }
    }

    /// The id that a request brings, or a new one.
    pub(crate) fn of(&self, headers: &HeaderMap) -> HeaderValue {
        if let Some(given) = headers.get(REQUEST_ID)
            && given.len() <= MAX_ID_BYTES
            && !given.is_empty()
            && given.as_bytes().iter().all(u8::is_ascii_graphic)
        {
            return given.clone();
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:016x}-{number:x}", self.start);
        HeaderValue::from_str(&id).unwrap_or_else(|_| HeaderValue::from_static("-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_taken_over_or_made() {
        let ids = RequestIds::new();
        let of = |value: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_bytes(value).unwrap());
            ids.of(&headers)
        };
        assert_eq!(of(b"crawl-7/page-9"), "crawl-7/page-9");
        let made = ids.of(&HeaderMap::new());
        assert_ne!(made, ids.of(&HeaderMap::new()));
        for bad in [b"".as_slice(), b"with space", b"\xff", &[b'x'; 200]] {
            assert_ne!(of(bad).as_bytes(), bad);
        }
    }
}
