//! Recognises records that are no captures of pages: a crawler's own notes and copies, and texts for programs, such as
//! robots.txt and ads.txt.

use trommel_archive::Record;

/// Record that the crawler made itself, not a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CrawlerRecord<'a> {
    /// Copy of a page, as text or as the browser's document, with the URL of the page.
    Copy(&'a str),
    /// Note of the crawler, such as a log, its arguments, a list or a picture of a page.
    Note,
}

/// Names before the page's URL in the URLs of copies, as in `urn:text:https://...` or `dom:https://...`.
const COPIES: [&str; 4] = ["text", "textfinal", "dom", "onreadydom"];
/// Names in the URLs of crawlers' notes about a page, as in `urn:pageinfo:https://...`.
const NOTES: [&str; 4] = ["pageinfo", "view", "fullpage", "thumbnail"];
/// Schemes of page URLs; other names before a second URL, such as `screenshot:https://...`, mark crawlers' notes.
const CAPTURED: [&str; 5] = ["http", "https", "view-source", "blob", "feed"];
/// Start of the block of an ARC record whose content its owner removed.
const DELETED: &[u8] = b"DELETED_TIME=";

/// Returns the kind of a record that the crawler made itself; none for captures.
pub(super) fn crawler_record(record: &Record) -> Option<CrawlerRecord<'_>> {
    if record.block.trim_ascii_start().starts_with(DELETED) {
        return Some(CrawlerRecord::Note);
    }
    of_url(record.url()?)
}

/// Returns the URL of the page that a record holds; for a crawler's copy of a page, the URL of the copied page.
pub(crate) fn page_url(record: &Record) -> Option<&str> {
    match crawler_record(record) {
        Some(CrawlerRecord::Copy(page)) => Some(page),
        _ => record.url(),
    }
}

fn of_url(url: &str) -> Option<CrawlerRecord<'_>> {
    let (scheme, rest) = url.split_once(':')?;
    let scheme = scheme.to_ascii_lowercase();
    // `metadata://gnu.org/software/wget/warc/wget.log`
    if scheme == "metadata" {
        return Some(CrawlerRecord::Note);
    }
    // `urn:text:https://...`, `urn:X-wpull:log`
    let (name, about) = match scheme == "urn" {
        true => rest.split_once(':').map(|(name, about)| (name.to_ascii_lowercase(), about))?,
        false => (scheme, rest),
    };
    let is_urn = about.len() < rest.len();
    if COPIES.contains(&name.as_str()) && about.contains(':') {
        return Some(CrawlerRecord::Copy(about));
    }
    if is_urn && (NOTES.contains(&name.as_str()) || name.starts_with("x-")) {
        return Some(CrawlerRecord::Note);
    }
    // Of other names it is known by the address behind them: `screenshot:https://...`, `youtube-dl:00001:https://...`
    let before = about.split_once("://")?.0;
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"+-.:_".contains(&b);
    let is_about = !before.is_empty() && before.bytes().all(is_name) && !CAPTURED.contains(&name.as_str());
    is_about.then_some(CrawlerRecord::Note)
}

/// Paths of text files for programs that nearly every site has.
// They would be documents of nearly every host in an archive, and hold no text for people.
const ROBOT_FILES: [&str; 4] = ["/robots.txt", "/ads.txt", "/app-ads.txt", "/sellers.json"];

/// Returns whether a text at `url` is meant for programs (such as robots.txt), and so gives no document.
pub(super) fn is_for_robots(url: Option<&str>) -> bool {
    let path = url.and_then(|url| {
        let (_, rest) = url.split_once("://")?;
        rest.get(rest.find('/')?..)?.split(['?', '#']).next()
    });
    path.is_some_and(|path| ROBOT_FILES.contains(&path) || path.starts_with("/.well-known/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_crawlers_are_told_by_their_addresses() {
        for (url, page) in [
            ("urn:text:https://a.example/b?c=http://d", "https://a.example/b?c=http://d"),
            ("URN:textFinal:http://a.example/", "http://a.example/"),
            ("urn:dom:https://a.example/", "https://a.example/"),
            ("onreadydom:http://a.example/x:y", "http://a.example/x:y"),
            ("urn:text:about:blank", "about:blank"),
        ] {
            assert_eq!(of_url(url), Some(CrawlerRecord::Copy(page)), "{url}");
        }
        for url in [
            "metadata://gnu.org/software/wget/warc/wget_arguments.txt",
            "metadata:x",
            "urn:X-wpull:log",
            "urn:pageinfo:https://a.example/",
            "urn:pageinfo:about:blank",
            "urn:view:https://a.example/",
            "screenshot:https://a.example/",
            "youtube-dl:00001:https://a.example/",
        ] {
            assert_eq!(of_url(url), Some(CrawlerRecord::Note), "{url}");
        }
        for url in [
            "https://a.example/urn:text:https://b",
            "http://a.example:80/?u=http://b.example",
            "a.example/?u=http://b.example",
            "a.example:80/x?u=http://b.example",
            "view-source:https://a.example/",
            "file:///srv/notes/log.txt",
            "urn:isbn:0000000000",
            "urn:uuid:00000000-0000-4000-8000-000000000001",
            "text:notes",
            "dns:a.example",
            "x",
            "",
        ] {
            assert_eq!(of_url(url), None, "{url}");
        }
    }

    #[test]
    fn texts_for_programs_are_told_by_their_path() {
        for path in ["/robots.txt", "/ads.txt?x=1", "/.well-known/security.txt", "/sellers.json#a"] {
            assert!(is_for_robots(Some(&format!("https://a.example{path}"))), "{path}");
        }
        for path in ["", "/", "/a/robots.txt", "/robots.txt.html", "/about.txt"] {
            assert!(!is_for_robots(Some(&format!("https://a.example{path}"))), "{path}");
        }
        assert!(!is_for_robots(None));
    }
}
