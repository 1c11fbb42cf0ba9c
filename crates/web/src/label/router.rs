//! Serves the labelling page, and answers its requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{sync::atomic::AtomicBool, time::Duration};

use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::get};
use http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};
use trommel::{Model, Role};

use crate::label::gold_file::{GoldError, GoldFile, LABEL_ROLES, PageLabels};
use crate::label::page_list::{LabelBlock, LabelPage, LabelPages};
use crate::service::answer::{body, json_answer};
use crate::service::{HostGuard, ServeError, ServiceLimits, Socket, serve_router};

const INDEX: &str = include_str!("../../assets/label/index.html");
const STYLE: &str = include_str!("../../assets/label/label.css");
const SCRIPT: &str = include_str!("../../assets/label/label.js");
/// Content security policy of the labelling page: it loads only files of this program and connects only to this
/// program. Texts of labelled pages are inserted as text, never as markup, and the pages themselves are in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Content security policy of a page that is shown for labelling: no scripts, forms, plug-ins or network, and a
/// separate origin. Only styles and images inside the page are used.
const ORIGINAL_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
/// Maximum number of bytes of submitted labels, enough for the roles of a hundred thousand blocks.
const MAX_CHOICE_BYTES: usize = 4 << 20;

/// Maximum time for finishing current requests at the end; short, because browsers keep their connections open.
const GRACE: Duration = Duration::from_secs(3);

/// State of the labelling service: the pages, their labels, and the model that proposes the first labels.
pub struct Labelling {
    /// Pages to be labelled.
    pub pages: LabelPages,
    /// Gold file with the labels of the pages.
    pub gold: Mutex<GoldFile>,
    /// Model that proposes labels.
    pub model: Arc<Model>,
    /// True if every block starts with the role `other` instead of a proposed role.
    pub blank: bool,
    /// Guard that refuses browser requests from pages of other sites.
    pub guard: HostGuard,
    /// Commands to suggest to the user when all pages are labelled.
    pub next: Vec<String>,
}

/// Serves the labelling page to browsers on these sockets until `stop` is set. Submitted labels are in the gold file
/// before their request is answered.
///
/// # Errors
/// Fails if the service cannot start.
pub fn serve(labelling: Arc<Labelling>, sockets: Vec<Socket>, stop: &AtomicBool) -> Result<(), ServeError> {
    let limits = ServiceLimits { grace: GRACE, ..ServiceLimits::default() };
    match serve_router(router(labelling), &limits, sockets, stop) {
        Err(ServeError::Unfinished(..)) => Ok(()),
        ended => ended,
    }
}

/// Creates the router with all paths of the labelling service.
fn router(labelling: Arc<Labelling>) -> Router {
    Router::new()
        .route("/", get(|| async { body("text/html; charset=utf-8", INDEX) }))
        .route("/label.css", get(|| async { body("text/css; charset=utf-8", STYLE) }))
        .route("/label.js", get(|| async { body("text/javascript; charset=utf-8", SCRIPT) }))
        .route("/pages", get(pages))
        .route("/pages/{at}", get(page).put(save))
        .route("/pages/{at}/original", get(original))
        .layer(middleware::from_fn_with_state(labelling.clone(), guard))
        .with_state(labelling)
}

async fn guard(State(labelling): State<Arc<Labelling>>, request: Request, next: Next) -> Response {
    let (uri, headers) = (request.uri(), request.headers());
    // A link may lead to the page itself.
    let checked = match uri.path() {
        "/" => labelling.guard.host(uri, headers),
        _ => labelling.guard.check(uri, headers),
    };
    // A page elsewhere may send a request here, but not one that says it is JSON without asking first.
    let is_json =
        headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let mut response = match checked {
        Err(foreign) => problem(StatusCode::FORBIDDEN, foreign),
        Ok(()) if request.method() == http::Method::PUT && !is_json => {
            problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a choice is application/json")
        }
        Ok(()) => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.entry(name).or_insert(http::HeaderValue::from_static(value));
    }
    response
}

fn problem(status: StatusCode, message: impl ToString) -> Response {
    (status, json_answer(&json!({"problem": message.to_string()}))).into_response()
}

fn no_page() -> Response {
    problem(StatusCode::NOT_FOUND, "there is no such page")
}

impl Labelling {
    fn page(&self, at: usize) -> Option<(&LabelPage, Option<String>, Vec<LabelBlock>)> {
        let page = self.pages.pages.get(at)?;
        let (title, mut blocks) = page.blocks(&self.model);
        if self.blank {
            for block in &mut blocks {
                block.role = Role::Other;
            }
        }
        Some((page, title, blocks))
    }

    /// Locks the gold file within this process, reads it again and returns it.
    ///
    /// # Errors
    /// Fails if the gold file cannot be read.
    pub fn gold(&self) -> Result<MutexGuard<'_, GoldFile>, GoldError> {
        let mut gold = self.gold.lock().unwrap_or_else(PoisonError::into_inner);
        gold.read()?;
        Ok(gold)
    }

    /// Returns the number of pages of the archive that are labelled.
    ///
    /// # Errors
    /// Fails if the gold file cannot be read.
    pub fn labelled(&self) -> Result<usize, GoldError> {
        let gold = self.gold()?;
        let pages = self.pages.pages.iter();
        Ok(pages.filter(|page| gold.has(&page.record_id)).count())
    }
}

/// Converts the error into an HTTP answer with its status, and its message as JSON.
impl IntoResponse for GoldError {
    fn into_response(self) -> Response {
        problem(self.0, self)
    }
}

async fn pages(State(labelling): State<Arc<Labelling>>) -> Result<Response, GoldError> {
    let gold = labelling.gold()?;
    let pages = labelling.pages.pages.iter();
    let pages: Vec<Value> = pages.map(|page| json!({"url": page.url, "done": gold.has(&page.record_id)})).collect();
    let roles: Vec<Value> = LABEL_ROLES.iter().map(|(role, part)| json!({"name": role, "part": part})).collect();
    Ok(json_answer(
        &json!({"pages": pages, "roles": roles, "left_out": labelling.pages.left_out, "next": labelling.next}),
    ))
}

async fn page(State(labelling): State<Arc<Labelling>>, Path(at): Path<usize>) -> Result<Response, GoldError> {
    let Some((page, title, blocks)) = labelling.page(at) else { return Ok(no_page()) };
    let gold = labelling.gold()?;
    let choice = gold.choice(page, &blocks);
    let mut response = json_answer(&json!({"url": page.url, "title": title, "blocks": blocks, "choice": choice}));
    // Who saves says over what.
    if let Ok(mark) = format!("\"{}\"", gold.mark(page)).parse() {
        response.headers_mut().insert(header::ETAG, mark);
    }
    Ok(response)
}

/// Answers with the page as the archive stores it, for a frame without scripts.
async fn original(State(labelling): State<Arc<Labelling>>, Path(at): Path<usize>) -> Response {
    let Some(page) = labelling.pages.pages.get(at) else { return no_page() };
    let mut response = body("text/html", page.body.clone());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, http::HeaderValue::from_static(ORIGINAL_POLICY));
    // Without a charset of the server the browser looks for it in the page.
    if let Some(Ok(media_type)) = page.charset.as_ref().map(|charset| format!("text/html; charset={charset}").parse()) {
        headers.insert(header::CONTENT_TYPE, media_type);
    }
    response
}

async fn save(
    State(labelling): State<Arc<Labelling>>,
    Path(at): Path<usize>,
    headers: HeaderMap,
    sent: Body,
) -> Result<Response, GoldError> {
    let Ok(sent) = to_bytes(sent, MAX_CHOICE_BYTES).await else {
        return Ok(problem(StatusCode::PAYLOAD_TOO_LARGE, "the choice is too long"));
    };
    let choice: PageLabels = match serde_json::from_slice(&sent) {
        Ok(choice) => choice,
        Err(error) => return Ok(problem(StatusCode::BAD_REQUEST, error)),
    };
    let Some((page, _, blocks)) = labelling.page(at) else { return Ok(no_page()) };
    let mark = headers.get(header::IF_MATCH);
    let mark = mark.and_then(|mark| Some(mark.to_str().ok()?.trim_matches('"')));
    let mut gold = labelling.gold()?;
    gold.save(page, &blocks, &choice, mark)?;
    Ok(json_answer(&json!({"labelled": gold.labelled()})))
}
