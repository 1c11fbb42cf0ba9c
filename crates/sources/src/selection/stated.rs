//! Keeps the URLs and digests that an index states, and compares records with them.

use url::Url;

/// Bytes of the URLs and digests of an index that are kept; records beyond them are not compared.
// A quarter of a gigabyte are two million records; an index of more is rarely taken as a whole.
const MAX_BYTES: usize = 256 << 20;
/// Characters of a URL or digest in messages.
const MAX_SHOWN: usize = 300;

/// The URL and the digest that an index states for a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatedRecord<'a> {
    /// URL of the page.
    pub url: Option<&'a str>,
    /// Digest of the payload, with or without the name of its algorithm before a colon.
    pub digest: Option<&'a str>,
}

/// The number of a record of which nothing is stated.
pub(super) const NOTHING: u32 = u32::MAX;

/// URLs and digests, by numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Statements {
    text: String,
    /// First byte of a URL, of the digest behind it, and one past the last of that.
    places: Vec<[usize; 3]>,
}

impl Statements {
    /// Keeps what is stated about a record; gives its number.
    pub(super) fn add(&mut self, url: Option<&str>, digest: Option<&str>) -> u32 {
        let (url, digest) = (url.unwrap_or_default(), digest.filter(|digest| *digest != "-").unwrap_or_default());
        let is_full = self.text.len() + url.len() + digest.len() > MAX_BYTES;
        let Some(number) = u32::try_from(self.places.len()).ok().filter(|number| *number != NOTHING) else {
            return NOTHING;
        };
        if is_full || url.is_empty() && digest.is_empty() {
            return NOTHING;
        }
        let start = self.text.len();
        self.text.push_str(url);
        let middle = self.text.len();
        self.text.push_str(digest);
        self.places.push([start, middle, self.text.len()]);
        number
    }

    pub(super) fn get(&self, number: u32) -> StatedRecord<'_> {
        let Some(&[start, middle, end]) = self.places.get(number as usize) else { return StatedRecord::default() };
        let text = |from, to| self.text.get(from..to).filter(|text: &&str| !text.is_empty());
        StatedRecord { url: text(start, middle), digest: text(middle, end) }
    }
}

impl StatedRecord<'_> {
    /// Describes how a record differs from these values; `None` if it does not. `urls` are all URLs of the record, its
    /// own first.
    pub fn difference(&self, urls: &[&str], digest: Option<&str>) -> Option<String> {
        let other_url = self.url.zip(urls.first()).filter(|(stated, _)| !urls.iter().any(|url| is_same(stated, url)));
        let other_digest = self.digest.zip(digest).filter(|(stated, found)| is_other_digest(stated, found));
        let pairs = [("URL", other_url.map(|(stated, found)| (stated, *found))), ("digest", other_digest)];
        let differences = pairs.into_iter().filter_map(|(what, pair)| {
            let (stated, found) = pair?;
            Some(format!("{what} {}, expected {}", shown(found), shown(stated)))
        });
        let differences: Vec<String> = differences.collect();
        (!differences.is_empty()).then(|| differences.join("; "))
    }
}

/// Returns whether two URLs are the same, but for their writing and a fragment.
fn is_same(one: &str, other: &str) -> bool {
    let parsed = |url: &str| {
        let mut url = Url::parse(url).ok()?;
        url.set_fragment(None);
        Some(url)
    };
    one == other || parsed(one).is_some_and(|one| parsed(other) == Some(one))
}

/// Returns whether two digests are of one algorithm and form, and differ.
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
        let stated = StatedRecord { url: Some("http://a.example/x"), digest: Some("AB2C") };
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
        let named = StatedRecord { url: None, digest: Some("sha-256:00") };
        assert_eq!(named.difference(&["http://c/"], Some("sha1:11")), None);
        assert_eq!(named.difference(&[], Some("sha256:01")).as_deref(), Some("digest sha256:01, expected sha-256:00"));
        let long = "x".repeat(MAX_SHOWN + 1);
        let message = StatedRecord { url: Some("http://a/"), digest: None }.difference(&[&long], None).unwrap();
        assert_eq!(message, format!("URL {}..., expected http://a/", "x".repeat(MAX_SHOWN)));
    }

    #[test]
    fn statements_are_found_by_their_numbers() {
        let mut statements = Statements::default();
        assert_eq!(statements.add(Some("u"), Some("d")), 0);
        assert_eq!(statements.add(None, Some("-")), NOTHING);
        assert_eq!(statements.add(None, Some("e")), 1);
        assert_eq!(statements.get(0), StatedRecord { url: Some("u"), digest: Some("d") });
        assert_eq!(statements.get(1), StatedRecord { url: None, digest: Some("e") });
        assert_eq!(statements.get(NOTHING), StatedRecord::default());
        assert_eq!(statements.add(Some(&"x".repeat(MAX_BYTES)), None), NOTHING);
    }
}
