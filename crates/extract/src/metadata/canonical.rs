//! The address that a page names as its own.

use url::Url;

use super::sources::Sources;

/// `<link rel=canonical>`, else `og:url`, resolved against the page's URL; http and https only.
pub(super) fn canonical(sources: &Sources) -> Option<String> {
    let resolve = |text: &str| -> Option<String> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let url = match &sources.url {
            Some(base) => base.join(text).ok()?,
            None => Url::parse(text).ok()?,
        };
        // Generators write `file:` addresses, and paths without a host, of the machine that built the page.
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        is_web.then(|| url.into())
    };
    sources.page.head.canonical.as_deref().and_then(resolve).or_else(|| sources.metas(&["og:url"]).find_map(resolve))
}

#[cfg(test)]
mod tests {
    use super::super::tests::read_judged;
    use crate::Hints;

    fn of(html: &str, url: Option<&str>) -> Option<String> {
        let hints = Hints { url, ..Hints::default() };
        read_judged(html, &hints).1.canonical
    }

    #[test]
    fn addresses_are_made_absolute() {
        let link = "<link rel=canonical href='../c d?x=1#y'>";
        let base = Some("http://e.org/a/b");
        assert_eq!(of(link, base).as_deref(), Some("http://e.org/c%20d?x=1#y"));
        assert_eq!(of(link, None), None);
        let both = "<link rel=canonical href='javascript:x'><meta property=og:url content=https://e.org/z>";
        assert_eq!(of(both, base).as_deref(), Some("https://e.org/z"));
        assert_eq!(of("<link rel=canonical href=''>", base), None);
    }
}
