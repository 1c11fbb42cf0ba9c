//! Facts about a page from outside its bytes: URL, charset, date of the capture.

use trommel_html::charset;
use trommel_text::url_host;

use crate::metadata::date_parser::is_date;

/// Facts about a page from outside its bytes. All of them may be missing.
///
/// ```
/// use trommel_extract::Hints;
///
/// let hints = Hints {
///     url: Some("https://example.org/a"),
///     http_charset: Some("utf-8"),
///     ..Hints::default()
/// };
/// assert_eq!(hints.charset().host, Some("example.org"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints<'a> {
    /// URL of the page.
    pub url: Option<&'a str>,
    /// Value of the `charset` parameter of the HTTP Content-Type header.
    pub http_charset: Option<&'a str>,
    /// Value of the field `charset-detected` in the crawl's metadata record.
    pub crawl_charset: Option<&'a str>,
    /// Time of the capture; dates more than a day later are not taken for those of the page.
    pub date: Option<&'a str>,
}

/// Error for a hint that a person gave and that has no meaning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HintError {
    /// Name that is not the name of an encoding.
    #[error("charset: {0:?} is no encoding, expected a name such as \"utf-8\" or \"windows-1252\"")]
    Charset(String),
    /// Text that is not a date.
    #[error("date: {0:?} is no date, expected one such as \"2024-05-01\" or \"2024-05-01T12:00:00Z\"")]
    Date(String),
}

impl<'a> Hints<'a> {
    /// Checks hints that a person gave. Meaningless hints from servers and archives are ignored instead.
    ///
    /// # Errors
    /// Returns an error for the name of an unknown encoding, and for a text that is not a date.
    pub fn check(&self) -> Result<(), HintError> {
        let charset = self.http_charset.filter(|label| !charset::is_label(label));
        let date = self.date.filter(|date| !is_date(date));
        match (charset, date) {
            (Some(label), _) => Err(HintError::Charset(label.to_owned())),
            (None, Some(date)) => Err(HintError::Date(date.to_owned())),
            (None, None) => Ok(()),
        }
    }

    /// Returns the hints that help to detect the encoding of the page.
    pub fn charset(&self) -> charset::CharsetHints<'a> {
        charset::CharsetHints { http: self.http_charset, crawl: self.crawl_charset, host: self.url.and_then(url_host) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_that_say_nothing_are_refused() {
        let check = |http_charset, date| {
            let hints = Hints { http_charset, date, ..Hints::default() };
            hints.check().map_err(|error| error.to_string())
        };
        for charset in ["utf-8", "UTF8", " Latin1", "\"koi8-r\"", "utf-16le", "shift_jis"] {
            assert_eq!(check(Some(charset), None), Ok(()), "{charset}");
        }
        for date in ["2024-05-01", "2024-05-01T12:00:00Z", "1 May 2024", "2024-05-01 12:00+02:00"] {
            assert_eq!(check(None, Some(date)), Ok(()), "{date}");
        }
        for charset in ["klingon", "", "utf8mb4"] {
            let error = check(Some(charset), None).unwrap_err();
            assert!(error.contains(&format!("{charset:?} is no encoding")), "{error}");
        }
        for date in ["yesterday", "", "2024-13-45"] {
            let error = check(None, Some(date)).unwrap_err();
            assert!(error.contains(&format!("{date:?} is no date")), "{error}");
        }
    }
}
