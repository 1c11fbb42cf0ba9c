//! `GET /search` and `GET /stored`: searches the index, and shows the pages in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::{extract::rejection::QueryRejection, response::Response};
use serde::{Deserialize, Serialize};
use trommel::archive::{PayloadOptions, payload};
use trommel::index::{Hit, Index, IndexedDocument, Search};
use trommel::{Error, ErrorKind, OwnedHints, page_hints};
use trommel::{record::RecordSource, run::record_at};

use crate::service::answer::{self, Refusal};
use crate::{service::request_options::PageHints, service::shared_state::App};

/// Maximum documents of one answer.
const MAX_RESULTS: usize = 100;
/// Maximum number of documents to skip: each takes memory.
const MAX_OFFSET: usize = 10_000;
/// Memory that a search and its answer may take, and a document that is looked up, beside texts.
const WEIGHT: u64 = 4 << 20;
/// Times that a text is in memory while its document is looked up: as it is stored, as a document, by itself, and in the
/// answer with some signs written as several.
const COPIES: u64 = 5;
/// The same of a search, whose texts are looked at one after the other.
const COPIES_IN_SEARCH: u64 = 2;

/// The query of a search.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SearchQuery {
    /// Words, "phrases", +must, -must not.
    q: String,
    /// Maximum documents of the answer; 10 by default.
    n: Option<usize>,
    /// Documents passed over.
    offset: usize,
    /// Only documents in this language.
    lang: Option<String>,
    /// Only documents of this host, or of hosts in this domain.
    site: Option<String>,
}

/// The results of a search.
#[derive(Debug, Default, Serialize)]
pub(crate) struct SearchAnswer {
    /// Documents found, given or not.
    documents: usize,
    /// The requested documents, best first.
    hits: Vec<FoundDocument>,
}

/// A document found.
#[derive(Debug, Default, Serialize)]
pub(crate) struct FoundDocument {
    /// Its id.
    id: String,
    /// BM25 score.
    score: f32,
    /// Its URL.
    url: Option<String>,
    /// Its title.
    title: Option<String>,
    /// Time of its capture.
    date: Option<String>,
    /// Its language.
    lang: Option<String>,
    /// The piece of its text with most of the words looked for, in pieces.
    snippet: Vec<SnippetPiece>,
}

/// A piece of a snippet.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SnippetPiece {
    /// Its text.
    text: String,
    /// True if the piece is a word of the query.
    hit: bool,
}

/// Search in the index
pub(crate) async fn search(
    State(app): State<Arc<App>>,
    asked: Result<Query<SearchQuery>, QueryRejection>,
) -> Result<Response, Refusal> {
    let asked = query(asked)?;
    let n = asked.n.unwrap_or(10);
    if !(1..=MAX_RESULTS).contains(&n) || asked.offset > MAX_OFFSET {
        return Err(Refusal::bad(format!("n is 1 to {MAX_RESULTS}, offset at most {MAX_OFFSET}")));
    }
    let weight = WEIGHT + COPIES_IN_SEARCH * index(&app)?.longest_text();
    let found = app.work(weight, move |app| {
        let search = Search {
            query: &asked.q,
            limit: n,
            offset: asked.offset,
            language: asked.lang.as_deref(),
            site: asked.site.as_deref(),
        };
        match index(app)?.find(&search) {
            Ok(found) => Ok(SearchAnswer {
                documents: found.documents,
                hits: found.hits.into_iter().map(FoundDocument::from).collect(),
            }),
            // Nothing is looked for, so nothing is found.
            Err(error) if error.kind() == ErrorKind::Query => Ok(SearchAnswer::default()),
            Err(error) => Err(fault(&error)),
        }
    });
    let (found, share) = found.await?;
    let bytes = answer::json_bytes(&found?)?;
    Ok(answer::body("application/json", share.around(bytes)))
}

/// The document of the index.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredQuery {
    /// Its id.
    id: String,
}

/// A document as the index holds it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct StoredDocument {
    /// Its id.
    id: String,
    /// Its URL.
    url: Option<String>,
    /// Its title.
    title: Option<String>,
    /// Time of its capture.
    date: Option<String>,
    /// Its language.
    lang: Option<String>,
    /// Its text.
    text: String,
    /// True if its archived page can be inspected.
    page: bool,
}

/// A document of the index
pub(crate) async fn stored(
    State(app): State<Arc<App>>,
    asked: Result<Query<StoredQuery>, QueryRejection>,
) -> Result<Response, Refusal> {
    let asked = query(asked)?;
    let weight = WEIGHT + COPIES * index(&app)?.longest_text();
    let found = app.work(weight, move |app| {
        let stored = index(app)?.get(&asked.id).map_err(|error| fault(&error))?;
        let IndexedDocument { id, url, title, date, lang, source, text } = stored.ok_or_else(missing)?;
        let page = source.is_some_and(|source| place(app, &source).is_some());
        Ok::<_, Refusal>(StoredDocument { id, url, title, date, lang, text, page })
    });
    let (found, share) = found.await?;
    let bytes = answer::json_bytes(&found?)?;
    Ok(answer::body("application/json", share.around(bytes)))
}

/// Reads the archived page of a document of the index, from the place that the index gives for it.
pub(crate) fn page(app: &App, id: &str) -> Result<(Vec<u8>, PageHints), Refusal> {
    let stored = index(app)?.get(id).map_err(|error| fault(&error))?;
    let source = stored.ok_or_else(missing)?.source;
    let not_at_hand = || Refusal::missing("the archived page is not at hand");
    let source = source.ok_or_else(not_at_hand)?;
    let path = place(app, &source).ok_or_else(not_at_hand)?;
    let found = record_at(&path, source.offset, source.inner).map_err(|error| {
        tracing::warn!("{error}");
        not_at_hand()
    })?;
    let (record, crawl_charset) = found.ok_or_else(not_at_hand)?;
    let options = PayloadOptions { max_payload: app.max_page };
    let payload = payload(&record, &options).map_err(|_| not_at_hand())?;
    let hints = OwnedHints { crawl_charset, ..page_hints(&record, &payload).into() };
    let hints = PageHints { hints, status: payload.status };
    Ok((payload.body.into_owned(), hints))
}

/// The archive of a record, if it is below the folder of archives.
fn place(app: &App, source: &RecordSource) -> Option<PathBuf> {
    below(app.settings.archives.as_deref()?, Path::new(&*source.file))
}

/// `file` as a path below `folder`: as it was named, or by its name alone.
fn below(folder: &Path, file: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let candidates = [file.to_owned(), folder.join(file), folder.join(file.file_name()?)];
    candidates
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .find(|path| path.starts_with(&folder) && path.is_file())
}

fn index(app: &App) -> Result<&Index, Refusal> {
    let none = || Refusal::missing("this service has no index");
    app.settings.index.as_ref().ok_or_else(none)
}

fn missing() -> Refusal {
    Refusal::missing("there is no such document")
}

fn fault(error: &Error) -> Refusal {
    tracing::error!("{error}");
    Refusal::FAULT
}

impl From<Hit> for FoundDocument {
    fn from(hit: Hit) -> Self {
        let Hit { score, snippet, document: IndexedDocument { id, url, title, date, lang, .. } } = hit;
        // In pieces: browsers do not count in bytes.
        let pieces = snippet.parts().into_iter().map(|(text, hit)| SnippetPiece { text: text.to_owned(), hit });
        Self { id, score, url, title, date, lang, snippet: pieces.collect() }
    }
}

/// The query, or why it is none.
fn query<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Refusal> {
    query.map(|Query(query)| query).map_err(|rejection| Refusal::bad(rejection.body_text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_below_the_folder_are_archives() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("archives");
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        let inside = folder.join("sub/a.warc.gz");
        std::fs::write(&inside, "x").unwrap();
        std::fs::write(folder.join("b.warc.gz"), "x").unwrap();
        std::fs::write(root.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(root.path().join("secret"), folder.join("link")).unwrap();
        let is_found = |file: &str| below(&folder, Path::new(file)).is_some();
        assert!(is_found("sub/a.warc.gz") && is_found(inside.to_str().unwrap()));
        assert!(is_found("elsewhere/b.warc.gz"), "by its name");
        for outside in ["../secret", "/etc/passwd", "link", "sub", "", "..", "gone"] {
            assert!(!is_found(outside), "{outside}");
        }
    }
}
