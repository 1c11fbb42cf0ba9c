//! Chooses a form of the answer that the client accepts.

use http::{HeaderMap, header::ACCEPT};
use trommel::PageForm;

use crate::answer::Refusal;

/// The forms of a page, the one first that is given where a client accepts several alike.
const FORMS: [(&str, &str); 3] = [("application", "json"), ("text", "plain"), ("text", "markdown")];

/// The form that a client likes best.
///
/// # Errors
/// [`Refusal::NotAcceptable`] if it accepts none.
pub(crate) fn form(headers: &HeaderMap) -> Result<PageForm, Refusal> {
    let accept: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let accept = accept.join(",");
    let best = FORMS
        .iter()
        .enumerate()
        .map(|(at, form)| (at, quality(&accept, *form)))
        .filter(|(_, quality)| *quality > 0.0)
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    match best.ok_or(Refusal::NotAcceptable)?.0 {
        0 => Ok(PageForm::Json),
        1 => Ok(PageForm::Text),
        _ => Ok(PageForm::Markdown),
    }
}

/// The media type of a form.
pub(crate) fn media_type(form: PageForm) -> &'static str {
    match form {
        PageForm::Json => "application/json",
        PageForm::Text => "text/plain; charset=utf-8",
        PageForm::Markdown => "text/markdown; charset=utf-8",
    }
}

/// The client's preference for a type: the quality of the most exact range that holds it (RFC 9110,
/// 12.5.1).
fn quality(accept: &str, (kind, subtype): (&str, &str)) -> f32 {
    if accept.trim().is_empty() {
        return 1.0;
    }
    let ranges = accept.split(',').filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let (own_kind, own_subtype) = parts.next()?.split_once('/')?;
        let exact = match (own_kind, own_subtype) {
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
        form(&headers).ok()
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
        assert_eq!(form(&HeaderMap::new()), Ok(PageForm::Json));
    }
}
