//! Chooses a form of the answer that the client accepts.

use http::{HeaderMap, header::ACCEPT};
use trommel::PageForm;

use crate::service::answer::Refusal;

/// The forms of a page with their media types, the one first that is given where a client accepts several alike.
const FORMS: [(PageForm, &str); 3] = [
    (PageForm::Json, "application/json"),
    (PageForm::Text, "text/plain; charset=utf-8"),
    (PageForm::Markdown, "text/markdown; charset=utf-8"),
];

/// The form that a client likes best, and its media type.
///
/// # Errors
/// [`Refusal::NotAcceptable`] if it accepts none.
pub(crate) fn form(headers: &HeaderMap) -> Result<(PageForm, &'static str), Refusal> {
    let accept: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let accept = accept.join(",");
    let qualities = FORMS.into_iter().rev().map(|form| (quality(&accept, form.1), form));
    let accepted = qualities.filter(|(quality, _)| *quality > 0.0);
    // Of several that are alike, the last, which is the first of the table.
    let best = accepted.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, form)| form).ok_or(Refusal::NotAcceptable)
}

/// The client's preference for a type: the quality of the most exact range that holds it (RFC 9110,
/// 12.5.1).
fn quality(accept: &str, media_type: &str) -> f32 {
    let bare_type = media_type.split(';').next().unwrap_or_default();
    let Some((kind, subtype)) = bare_type.split_once('/').filter(|_| !accept.trim().is_empty()) else { return 1.0 };
    let ranges = accept.split(',').filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let accepted = parts.next()?.split_once('/')?;
        let exact = match accepted {
            ("*", "*") => 0,
            (accepted, "*") if accepted.eq_ignore_ascii_case(kind) => 1,
            (accepted, sub) if accepted.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) => 2,
            _ => return None,
        };
        let quality = parts
            .filter_map(|part| part.split_once('='))
            .find(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
            .map_or(1.0, |(_, value)| value.trim().parse().unwrap_or(0.0));
        Some((exact, f32::clamp(quality, 0.0, 1.0)))
    });
    ranges.max_by_key(|(exact, _)| *exact).map_or(0.0, |(_, quality)| quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(accept: &str) -> Option<PageForm> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, accept.parse().unwrap());
        form(&headers).ok().map(|(form, _)| form)
    }

    #[test]
    fn the_best_form_is_given() {
        let markdown = Some(PageForm::Markdown);
        for (accept, given) in [
            ("", Some(PageForm::Json)),
            ("*/*", Some(PageForm::Json)),
            ("text/plain", Some(PageForm::Text)),
            ("text/*", Some(PageForm::Text)),
            ("Text/Markdown", markdown),
            ("text/*;q=.5, text/markdown", markdown),
            ("text/plain; q=0.5, application/json;q=0.4", Some(PageForm::Text)),
            ("text/plain;q=0, */*;q=0.1", Some(PageForm::Json)),
            ("application/json;q=0, text/*", Some(PageForm::Text)),
            ("image/png", None),
            ("text/plain;q=x", None),
            ("nonsense", None),
        ] {
            assert_eq!(accepted(accept), given, "{accept}");
        }
        assert_eq!(form(&HeaderMap::new()), Ok(FORMS[0]));
    }
}
