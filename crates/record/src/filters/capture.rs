//! Facts about a page that are known before its text is extracted.

/// Facts about a capture that filters look at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capture<'a> {
    /// HTTP status code; none where the record holds no HTTP response.
    pub status: Option<u16>,
    /// Media type in lower case without parameters (`text/html`).
    pub media_type: &'a str,
    /// Values of the `X-Robots-Tag` headers.
    pub robots: &'a [&'a str],
}
