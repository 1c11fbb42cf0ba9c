//! Filters records by their URLs, before anything of them is read.

mod hosts;

use serde::{Deserialize, Serialize};

use crate::filters::{Filter, Reason};

pub use hosts::Hosts;

/// A pattern of URLs: `*` stands for any characters, `?` for any single one. Without `://` it is compared with URLs
/// without their scheme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UrlPattern(String);

impl UrlPattern {
    /// The pattern that is written so.
    pub fn new(pattern: &str) -> Self {
        Self(pattern.to_owned())
    }

    /// Returns whether it stands for this URL.
    pub fn matches(&self, url: &str) -> bool {
        let compared = match self.0.contains("://") {
            true => url,
            false => url.split_once("://").map_or(url, |(_, rest)| rest),
        };
        is_match(self.0.as_bytes(), compared.as_bytes())
    }
}

/// Returns whether a pattern with `*` and `?` is all of a text. Takes time of the product of both lengths at most.
fn is_match(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    // The last `*`, and the end of what it stands for.
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(seen) {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, seen));
                at += 1;
            }
            // A whole character, not one of its bytes.
            Some(b'?') => {
                at += 1;
                seen += 1;
                while text.get(seen).is_some_and(|byte| byte & 0xC0 == 0x80) {
                    seen += 1;
                }
            }
            Some(wanted) if wanted == byte => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((begin, end)) = star else { return false };
                star = Some((begin, end + 1));
                (at, seen) = (begin + 1, end + 1);
            }
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

/// Keeps records by patterns of their URLs, and by lists of hosts. A record without a URL is of no pattern and no host.
#[derive(Debug)]
pub(crate) struct Addresses {
    pub(crate) patterns: Vec<UrlPattern>,
    pub(crate) kept: Hosts,
    pub(crate) dropped: Hosts,
}

impl Addresses {
    pub(crate) fn is_bounded(&self) -> bool {
        !self.patterns.is_empty() || !self.kept.is_empty() || !self.dropped.is_empty()
    }
}

impl Filter for Addresses {
    fn describe(&self) -> String {
        let patterns = self.patterns.iter().map(|pattern| pattern.0.clone());
        let kept = self.kept.given().iter().map(|host| format!("on {host}"));
        let dropped = self.dropped.given().iter().map(|host| format!("not on {host}"));
        format!("URL: {}", patterns.chain(kept).chain(dropped).collect::<Vec<_>>().join(", "))
    }

    fn url(&self, url: Option<&str>) -> Option<Reason> {
        let url = url.unwrap_or_default();
        if !self.patterns.is_empty() && !self.patterns.iter().any(|pattern| pattern.matches(url)) {
            return Some(Reason::Url);
        }
        let is_wanted = (self.kept.is_empty() || self.kept.contain(url)) && !self.dropped.contain(url);
        (!is_wanted).then_some(Reason::Host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_whole_urls() {
        let matches = |pattern: &str, url: &str| UrlPattern::new(pattern).matches(url);
        for (pattern, url) in [
            ("http://a.example/", "http://a.example/"),
            ("*", "http://a.example/"),
            ("*/blog/*", "http://a.example/de/blog/1?x=2"),
            ("a.example/*", "https://a.example/x"),
            ("https://a.example/*", "https://a.example/x"),
            ("http://a.example/page?id=*", "http://a.example/page?id=7"),
            ("*/m?hle", "http://a.example/mühle"),
            ("*a*b*", "http://x/aab"),
        ] {
            assert!(matches(pattern, url), "{pattern} {url}");
        }
        for (pattern, url) in [
            ("a.example", "http://a.example/"),
            ("https://a.example/*", "http://a.example/x"),
            ("*/blog/", "http://a.example/blog/1"),
            ("*/Blog/*", "http://a.example/blog/1"),
            ("", "http://a.example/"),
            ("*/m?hle", "http://a.example/mhle"),
        ] {
            assert!(!matches(pattern, url), "{pattern} {url}");
        }
        assert!(!is_match("*a".repeat(50).as_bytes(), "a".repeat(40_000).as_bytes().get(..49).unwrap()));
    }

    #[test]
    fn patterns_and_hosts_are_both_asked() {
        let hosts = |names: &[&str]| Hosts::of(names.iter().map(|&name| name.to_owned()).collect()).unwrap();
        let filter = Addresses {
            patterns: vec![UrlPattern::new("*/a/*"), UrlPattern::new("*/b/*")],
            kept: hosts(&["one.example", "two.example"]),
            dropped: hosts(&["ads.one.example"]),
        };
        assert_eq!(filter.url(Some("http://www.one.example/a/1")), None);
        assert_eq!(filter.url(Some("http://two.example/b/1")), None);
        assert_eq!(filter.url(Some("http://one.example/c/1")), Some(Reason::Url));
        assert_eq!(filter.url(Some("http://three.example/a/1")), Some(Reason::Host));
        assert_eq!(filter.url(Some("http://x.ads.one.example/a/1")), Some(Reason::Host));
        assert_eq!(filter.url(None), Some(Reason::Url));
        assert_eq!(filter.describe(), "URL: */a/*, */b/*, on one.example, on two.example, not on ads.one.example");
        let only_dropped = Addresses { patterns: Vec::new(), kept: Hosts::default(), dropped: hosts(&["b.example"]) };
        assert_eq!(only_dropped.url(None), None);
        assert_eq!(only_dropped.url(Some("http://b.example")), Some(Reason::Host));
    }
}
