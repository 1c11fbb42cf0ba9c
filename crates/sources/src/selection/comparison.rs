//! Compares the URLs and digests that an index states with those of the records.

use url::Url;

/// Maximum number of characters of a URL or digest in messages.
const MAX_SHOWN: usize = 300;

/// URL and digest that an index states for a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatedRecord {
    /// URL of the record.
    pub url: Option<String>,
    /// Digest of the payload, optionally preceded by the name of its algorithm and a colon.
    pub digest: Option<String>,
}

impl StatedRecord {
    pub(super) fn bytes(&self) -> usize {
        [&self.url, &self.digest].into_iter().flatten().map(String::len).sum()
    }

    /// Describes how a record's URL and digest differ from the stated ones; `None` if they agree. `urls` are all URLs
    /// of the record, its main URL first.
    pub fn difference(&self, urls: &[&str], digest: Option<&str>) -> Option<String> {
        let stated = (self.url.as_deref(), self.digest.as_deref());
        let other_url = stated.0.zip(urls.first().copied());
        let other_url = other_url.filter(|(stated, _)| !urls.iter().any(|url| is_same(stated, url)));
        let other_digest = stated.1.zip(digest).filter(|(stated, found)| is_other_digest(stated, found));
        let differences = [("URL", other_url), ("digest", other_digest)].into_iter().filter_map(|(what, pair)| {
            let (stated, found) = pair?;
            Some(format!("{what} {}, expected {}", shown(found), shown(stated)))
        });
        let differences: Vec<String> = differences.collect();
        (!differences.is_empty()).then(|| differences.join("; "))
    }
}

/// Returns whether two URLs are equal after normalization and without their fragments.
fn is_same(one: &str, other: &str) -> bool {
    let parsed = |url: &str| {
        let mut url = Url::parse(url).ok()?;
        url.set_fragment(None);
        Some(url)
    };
    one == other || parsed(one).is_some_and(|one| parsed(other) == Some(one))
}

/// Returns whether two digests of the same algorithm and length differ. Digests that cannot be compared count as equal.
fn is_other_digest(one: &str, other: &str) -> bool {
    let parts = |digest: &str| -> (String, String) {
        let (algorithm, value) = digest.split_once(':').unwrap_or(("", digest));
        (algorithm.trim().replace('-', "").to_ascii_lowercase(), value.trim().to_owned())
    };
    let ((algorithm, value), (other_algorithm, other_value)) = (parts(one), parts(other));
    let is_one_algorithm = algorithm == other_algorithm || algorithm.is_empty() || other_algorithm.is_empty();
    // Hexadecimal digits and base 32 are of different lengths, and are not compared.
    is_one_algorithm && value.len() == other_value.len() && !value.eq_ignore_ascii_case(&other_value)
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default().escape_debug()),
        None => text.escape_debug().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_compared_with_what_is_stated() {
        let stated = |url: Option<&str>, digest: Option<&str>| StatedRecord {
            url: url.map(str::to_owned),
            digest: digest.map(str::to_owned),
        };
        let named = stated(None, Some("sha-256:00"));
        let long_url = stated(Some("http://a/"), None);
        let stated = stated(Some("http://a.example/x"), Some("AB2C"));
        for (url, digest, expected) in [
            ("http://a.example/x", Some("sha1:AB2C"), None),
            ("HTTP://A.example:80/x#y", Some("sha1:ab2c"), None),
            ("http://a.example/x", None, None),
            ("http://a.example/x", Some("md5:ABCDEF"), None),
            ("http://b.example/\n", None, Some("URL http://b.example/\\n, expected http://a.example/x")),
            ("http://a.example/x", Some("sha1:AB2D"), Some("digest sha1:AB2D, expected AB2C")),
            (
                "https://a.example/x",
                Some("AB2D"),
                Some("URL https://a.example/x, expected http://a.example/x; digest AB2D, expected AB2C"),
            ),
        ] {
            assert_eq!(stated.difference(&[url], digest).as_deref(), expected, "{url} {digest:?}");
        }
        assert_eq!(stated.difference(&["urn:text:x", "http://a.example/x"], None), None);
        assert_eq!(stated.difference(&[], None), None);
        assert_eq!(named.difference(&["http://c/"], Some("sha1:11")), None);
        assert_eq!(named.difference(&[], Some("sha256:01")).as_deref(), Some("digest sha256:01, expected sha-256:00"));
        let long = "x".repeat(MAX_SHOWN + 1);
        let message = long_url.difference(&[&long], None).unwrap();
        assert_eq!(message, format!("URL {}..., expected http://a/", "x".repeat(MAX_SHOWN)));
    }
}
