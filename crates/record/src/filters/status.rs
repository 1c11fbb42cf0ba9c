//! Filters records by HTTP status and media type, before their text is read.

use crate::filters::{Capture, Filter, Reason, StatusRange};

/// Keeps pages of some HTTP statuses. A record that holds no HTTP response has none and stays.
#[derive(Debug)]
pub(crate) struct Statuses(pub(crate) Vec<StatusRange>);

impl Filter for Statuses {
    fn describe(&self) -> String {
        let ranges: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        format!("HTTP status: {}", ranges.join(", "))
    }

    fn capture(&self, capture: &Capture<'_>) -> Option<Reason> {
        let status = capture.status?;
        (!self.0.iter().any(|range| range.contains(status))).then_some(Reason::HttpStatus)
    }
}

/// Keeps pages of some media types.
#[derive(Debug)]
pub(crate) struct MediaTypes(pub(crate) Vec<String>);

impl Filter for MediaTypes {
    fn describe(&self) -> String {
        format!("media type: {}", self.0.join(", "))
    }

    fn capture(&self, capture: &Capture<'_>) -> Option<Reason> {
        let wanted = self.0.iter().any(|known| known.eq_ignore_ascii_case(capture.media_type));
        (!wanted).then_some(Reason::MediaType)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_by_code_and_class() {
        let filter = Statuses(vec!["2xx".parse().unwrap(), "404".parse().unwrap()]);
        let judge = |status| filter.capture(&Capture { status, ..Capture::default() });
        for kept in [Some(200), Some(299), Some(404), None] {
            assert_eq!(judge(kept), None, "{kept:?}");
        }
        for dropped in [199, 301, 403, 500] {
            assert_eq!(judge(Some(dropped)), Some(Reason::HttpStatus), "{dropped}");
        }
        assert_eq!(filter.describe(), "HTTP status: 2xx, 404");
    }

    #[test]
    fn media_types() {
        let filter = MediaTypes(vec!["Text/HTML".into()]);
        let judge = |media_type| filter.capture(&Capture { media_type, ..Capture::default() });
        assert_eq!(judge("text/html"), None);
        assert_eq!(judge("application/xhtml+xml"), Some(Reason::MediaType));
    }
}
