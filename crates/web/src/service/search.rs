//! Answers `GET /search` and `GET /stored`: searches the index, and shows the pages in it.

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

/// Maximum number of documents in one answer to a search.
const MAX_RESULTS: usize = 100;
/// Maximum number of documents that a search may skip; each skipped document takes memory.
const MAX_OFFSET: usize = 10_000;
/// Bytes of memory for a search, or for looking up a document, apart from the texts of documents.
const WEIGHT: u64 = 4 << 20;
/// Estimated number of copies of a text in memory while its document is looked up and written into the answer.
const COPIES: u64 = 5;
/// Number of copies of a text in memory during a search, which reads the texts one after the other.
const COPIES_IN_SEARCH: u64 = 2;

/// Query parameters of `GET /search`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SearchQuery {
    /// Search query: words, "phrases", +required and -excluded words.
    q: String,
    /// Maximum number of documents in the answer; 10 by default.
    n: Option<usize>,
    /// Number of best documents to skip.
    offset: usize,
    /// Language that the documents must have; `None` for any.
    lang: Option<String>,
    /// Host of the documents, or domain that their host belongs to; `None` for any.
    site: Option<String>,
}

/// Answer to `GET /search`: the results of a search.
#[derive(Debug, Default, Serialize)]
pub(crate) struct SearchAnswer {
    /// Number of documents that match the query, including those that the answer leaves out.
    documents: usize,
    /// Requested documents, best match first.
    hits: Vec<FoundDocument>,
}

/// Document that a search found.
#[derive(Debug, Default, Serialize)]
pub(crate) struct FoundDocument {
    /// Id of the document.
    id: String,
    /// BM25 score of the document for the query.
    score: f32,
    /// URL of the document.
    url: Option<String>,
    /// Title of the document.
    title: Option<String>,
    /// Time at which the crawler captured the document.
    date: Option<String>,
    /// Language of the document.
    lang: Option<String>,
    /// Piece of the document's text with most words of the query, divided at these words.
    snippet: Vec<SnippetPiece>,
}

/// Piece of a snippet: a word of the query, or text before or after such words.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SnippetPiece {
    /// Text of the piece.
    text: String,
    /// True if the piece is a word of the query.
    hit: bool,
}

/// Answers `GET /search` with the documents of the index that match the query.
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

/// Query parameters of `GET /stored`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredQuery {
    /// Id of the document to return.
    id: String,
}

/// Answer to `GET /stored`: a document as the index holds it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct StoredDocument {
    /// Id of the document.
    id: String,
    /// URL of the document.
    url: Option<String>,
    /// Title of the document.
    title: Option<String>,
    /// Time at which the crawler captured the document.
    date: Option<String>,
    /// Language of the document.
    lang: Option<String>,
    /// Extracted text of the document.
    text: String,
    /// True if the archived page of the document can be inspected.
    page: bool,
}

/// Answers `GET /stored` with a document of the index.
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

/// Reads the archived page of the document with this id in the index, from the place that the index states.
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

/// Returns the path of the archive that holds a record; `None` if the archive is not below the folder of archives.
fn place(app: &App, source: &RecordSource) -> Option<PathBuf> {
    below(app.settings.archives.as_deref()?, Path::new(&*source.file))
}

/// Returns the path of `file` below `folder`: as named, or by its name alone; `None` if the file is not there.
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

/// Returns the parsed query, or a refusal that says why the query cannot be parsed.
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
