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
