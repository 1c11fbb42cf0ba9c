//! The pages and requests of the label server.

use std::sync::{Arc, Mutex, PoisonError};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Path, Request, State},
    middleware::{self, Next},
    response::Response,
    routing::get,
};
use http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};
use trommel_extract::Extractor;

use crate::gold_file::{GoldError, GoldFile, PageLabels};
use crate::page_list::{LabelBlock, LabelPage, LabelPages};
use crate::role::LabelRole;

const INDEX: &str = include_str!("../assets/index.html");
const STYLE: &str = include_str!("../assets/label.css");
const SCRIPT: &str = include_str!("../assets/label.js");
/// The page loads nothing but its own files and asks nobody but this program; texts of pages are put in as
/// text, never as markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Most bytes of a choice: a role a block, of a page of a hundred thousand blocks.
const MOST: usize = 4 << 20;

/// Pages, what was said of them, and the model that makes the first proposal.
pub struct Labelling {
    /// The pages.
    pub pages: LabelPages,
    /// What was said of them.
    pub gold: Mutex<GoldFile>,
    /// Makes the proposal.
    pub extractor: Extractor,
    /// Whether nothing is proposed: every block starts as `other`.
    pub blank: bool,
}

/// All paths. Requests whose `Host` is not this machine are refused, so that no other site can be made to
/// look like this one.
pub(crate) fn router(labelling: Arc<Labelling>) -> Router {
    Router::new()
        .route(
            "/",
            get(|| async { file("text/html; charset=utf-8", INDEX) }),
        )
        .route(
            "/label.css",
            get(|| async { file("text/css; charset=utf-8", STYLE) }),
        )
        .route(
            "/label.js",
            get(|| async { file("text/javascript; charset=utf-8", SCRIPT) }),
        )
        .route("/pages", get(pages))
        .route("/pages/{at}", get(page).put(save))
        .layer(middleware::from_fn(guard))
        .with_state(labelling)
}

async fn guard(request: Request, next: Next) -> Response {
    let is_local = |headers: &HeaderMap| {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let host = host.map(|host| host.rsplit_once(':').map_or(host, |(name, _)| name));
        matches!(host, Some("localhost" | "127.0.0.1" | "[::1]"))
    };
    // A page elsewhere may send a request here, but not one that says it is JSON without asking first.
    let is_json = request
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !is_local(request.headers()) {
        return problem(StatusCode::FORBIDDEN, "this host is not served");
    }
    if request.method() == http::Method::PUT && !is_json {
        return problem(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "a choice is application/json",
        );
    }
    next.run(request).await
}

fn answer(status: StatusCode, media_type: &'static str, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Body::from(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, http::HeaderValue::from_static(value));
    }
    response
}

fn file(media_type: &'static str, text: &'static str) -> Response {
    answer(StatusCode::OK, media_type, text)
}

fn json_answer(value: &Value) -> Response {
    answer(StatusCode::OK, "application/json", value.to_string())
}

fn problem(status: StatusCode, message: impl ToString) -> Response {
    let body = json!({"problem": message.to_string()});
    answer(status, "application/json", body.to_string())
}

impl Labelling {
    fn page(&self, at: usize) -> Option<(&LabelPage, Option<String>, Vec<LabelBlock>)> {
        let page = self.pages.pages.get(at)?;
        let (title, mut blocks) = page.blocks(&self.extractor);
        if self.blank {
            for block in &mut blocks {
                block.role = LabelRole::Other;
            }
        }
        Some((page, title, blocks))
    }
}

async fn pages(State(labelling): State<Arc<Labelling>>) -> Response {
    let gold = labelling
        .gold
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let pages = labelling.pages.pages.iter();
    let pages: Vec<Value> = pages
        .map(|page| json!({"url": page.url, "done": gold.has(&page.record_id)}))
        .collect();
    let roles: Vec<Value> = LabelRole::all()
        .map(|role| json!({"name": role, "part": role.part()}))
        .collect();
    json_answer(&json!({"pages": pages, "roles": roles}))
}

async fn page(State(labelling): State<Arc<Labelling>>, Path(at): Path<usize>) -> Response {
    let Some((page, title, blocks)) = labelling.page(at) else {
        return problem(StatusCode::NOT_FOUND, "there is no such page");
    };
    let gold = labelling
        .gold
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let choice = gold.choice(page, &blocks);
    json_answer(&json!({"url": page.url, "title": title, "blocks": blocks, "choice": choice}))
}

async fn save(
    State(labelling): State<Arc<Labelling>>,
    Path(at): Path<usize>,
    body: Body,
) -> Response {
    let Ok(body) = to_bytes(body, MOST).await else {
        return problem(StatusCode::PAYLOAD_TOO_LARGE, "the choice is too long");
    };
    let choice: PageLabels = match serde_json::from_slice(&body) {
        Ok(choice) => choice,
        Err(error) => return problem(StatusCode::BAD_REQUEST, error),
    };
    let Some((page, _, blocks)) = labelling.page(at) else {
        return problem(StatusCode::NOT_FOUND, "there is no such page");
    };
    let mut gold = labelling
        .gold
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    match gold.save(page, &blocks, &choice) {
        Ok(()) => json_answer(&json!({"labelled": gold.len()})),
        Err(error @ GoldError::Length { .. }) => problem(StatusCode::BAD_REQUEST, error),
        Err(error) => problem(StatusCode::INTERNAL_SERVER_ERROR, error),
    }
}
