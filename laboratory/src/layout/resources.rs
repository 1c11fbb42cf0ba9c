//! Answers a browser from an archive.

use std::path::Path;

use percent_encoding::percent_decode_str;
use rustc_hash::{FxHashMap, FxHashSet};
use trommel_archive::{ArchiveError, MediaType, PayloadOptions, ReadOptions, Reader, RecordType, media_type, payload};
use trommel_extract::Hints;
use trommel_html::charset;

/// A page to be laid out.
#[derive(Clone, Debug)]
pub struct PageSource {
    /// WARC-Record-ID without angle brackets.
    pub record_id: String,
    /// Its URL.
    pub url: String,
    /// The decoded page.
    pub html: String,
}

/// A response of the archive.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub content_type: String,
    pub body: Vec<u8>,
}

/// The responses of an archive by their URLs, but for the pages that are to be laid out.
#[derive(Clone, Debug, Default)]
pub struct Resources(FxHashMap<String, Resource>);

impl Resources {
    pub(super) fn get(&self, url: &str) -> Option<&Resource> {
        self.0.get(&key(url))
    }
}

/// URLs that differ by scheme, fragment or percent-encoding alone name the same thing here: crawlers and
/// browsers write them differently.
pub(super) fn key(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    percent_decode_str(url).decode_utf8_lossy().into_owned()
}

/// The pages of an archive: those with an id in `wanted`, or every response that is HTML. All else that it
/// answers is added to `resources`.
///
/// # Errors
/// If the archive cannot be read.
pub fn read_archive(
    path: &Path,
    wanted: Option<&FxHashSet<String>>,
    resources: &mut Resources,
) -> Result<Vec<PageSource>, ArchiveError> {
    let mut pages = Vec::new();
    for record in Reader::open(path, ReadOptions::default())? {
        let record = record?;
        let (Some(id), Some(url)) = (record.id(), record.url()) else {
            continue;
        };
        if !matches!(record.kind, RecordType::Response | RecordType::Resource) {
            continue;
        }
        let Ok(payload) = payload(&record, &PayloadOptions::default()) else {
            continue;
        };
        if payload.status.is_some_and(|status| !(200..300).contains(&status)) {
            continue;
        }
        let is_html = matches!(media_type(&record, &payload).0, MediaType::Html | MediaType::Xhtml);
        let is_page = wanted.map_or(is_html, |wanted| wanted.contains(id));
        if is_page {
            let hints = Hints { url: Some(url), http_charset: payload.charset(), crawl_charset: None, date: None };
            let decoded = charset::decode(&payload.body, &hints.charset());
            pages.push(PageSource { record_id: id.to_owned(), url: url.to_owned(), html: decoded.text.to_string() });
        } else if !is_html {
            let content_type = payload.content_type().unwrap_or_default().to_owned();
            let body = payload.body.into_owned();
            resources.0.insert(key(url), Resource { content_type, body });
        }
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn urls_are_compared_as_they_are_meant() {
        assert_eq!(key("http://a.example/css%3Fx=1|2#top"), key("https://a.example/css?x=1%7C2"));
        assert_ne!(key("http://a.example/a"), key("http://a.example/b"));
    }
}
