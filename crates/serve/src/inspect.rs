//! `POST /inspect`: a page as the extractor sees it, for the page for eyes.

use std::{sync::Arc, time::Instant};

use axum::{
    body::Body,
    extract::{Query, State, rejection::QueryRejection},
    response::Response,
};
use http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use trommel_extract::{ContentPolicy, DocumentOptions, MarkdownOptions};
use trommel_output::PageForm;
use trommel_viewer::View;
use utoipa::{IntoParams, ToSchema};

use crate::{
    ExtractedPage, Problem,
    answer::{self, Refusal},
    app::App,
    body::{self, HeldPage},
    hints::{Comments, Headline, PageHints, PageQuery, query},
    problem, weight,
};

/// What is to be shown.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct InspectQuery {
    /// Id of a document of the index whose archived page is shown instead of the body.
    id: Option<String>,
    /// URL of the page.
    url: Option<String>,
    /// Charset that the server named.
    charset: Option<String>,
    /// Name of a model that the service has.
    model: Option<String>,
    /// Percent of probability from which blocks are kept, instead of the model's own choice.
    #[param(minimum = 0, maximum = 100)]
    threshold: Option<u8>,
    /// What becomes of readers' comments.
    #[param(inline)]
    comments: Option<Comments>,
    /// Whether the headline is part of the text.
    #[param(inline)]
    headline: Option<Headline>,
}

/// A page as the extractor sees it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Inspected {
    /// Facts, blocks and reasons as HTML.
    html: String,
    /// The text as it comes out.
    text: String,
    /// The same as Markdown, with links.
    markdown: String,
    /// The document, as `POST /extract` answers it.
    #[schema(value_type = ExtractedPage)]
    document: Value,
    /// Milliseconds that judging the page took.
    milliseconds: f64,
}

/// A page as the extractor sees it
///
/// Every block with its probability and the reasons for it, as HTML made by the service in which all
/// that is of the page is escaped; beside it text, Markdown and document.
#[utoipa::path(
    post,
    path = "/inspect",
    params(InspectQuery),
    request_body(content = String, content_type = "text/html", description = "The page"),
    responses(
        (status = 200, description = "What there is to show", body = Inspected),
        (status = 400, description = "The query cannot be read", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such document, or its page is not at hand", body = Problem, content_type = "application/problem+json"),
        problem::OfPages,
    ),
    tag = "page for eyes"
)]
pub(crate) async fn inspect(
    State(app): State<Arc<App>>,
    asked: Result<Query<InspectQuery>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let asked = query(asked)?;
    if asked.threshold.is_some_and(|percent| percent > 100) {
        return Err(Refusal::BadRequest(
            "a threshold is 0 to 100 percent".to_owned(),
        ));
    }
    app.models.get(asked.model.as_deref())?;
    let sent = body::whole(body, &headers, &app).await?;
    let (page, hints) = match &asked.id {
        None => {
            let hints = PageQuery {
                url: asked.url.clone(),
                charset: asked.charset.clone(),
                ..PageQuery::default()
            };
            (sent, hints.hints(&headers)?)
        }
        Some(id) => {
            let id = id.clone();
            // Its record, the payload, and what codings leave of it.
            let weight = app.max_page.saturating_mul(3);
            let found = app.work(weight, move |app| archived(app, &id));
            let (found, mut share) = found.await?;
            let (bytes, hints) = found?;
            share.shrink(bytes.capacity() as u64);
            (
                HeldPage {
                    bytes,
                    _share: share,
                },
                hints,
            )
        }
    };
    let weight = weight::of_report(&page.bytes);
    let made = app.judge(page, weight, move |app, page| {
        answer::json_bytes(&shown(app, page, &hints, &asked)?)
    });
    let (shown, share) = made.await?;
    Ok(answer::body("application/json", share.around(shown?)))
}

fn shown(
    app: &App,
    page: &[u8],
    hints: &PageHints,
    asked: &InspectQuery,
) -> Result<Inspected, Refusal> {
    let name = asked.model.as_deref();
    let model = match asked.threshold {
        Some(percent) => app.models.with_threshold(name, percent)?,
        None => app.models.get(name)?.1,
    };
    let policy = PageQuery {
        comments: asked.comments,
        headline: asked.headline,
        ..PageQuery::default()
    };
    let policy: ContentPolicy = policy.policy(app.policy);
    let begin = Instant::now();
    let extractor = app.extractor(model.clone(), policy);
    let extraction = extractor.extract(page, &hints.hints());
    let milliseconds = begin.elapsed().as_secs_f64() * 1000.0;
    let document = extraction.document(&DocumentOptions::default());
    let url = hints.url.as_deref();
    let document = PageForm::Json.print(document, url, None).ok();
    let view = View::new(&extraction, url, &model);
    Ok(Inspected {
        html: trommel_viewer::fragment(&view).map_err(|_| Refusal::Fault)?,
        markdown: extraction.markdown(&MarkdownOptions::default().with_links(true)),
        text: view.plain,
        document: document
            .and_then(|document| serde_json::from_str(&document).ok())
            .ok_or(Refusal::Fault)?,
        milliseconds,
    })
}

/// The archived page of a document of the index.
#[cfg(feature = "index")]
fn archived(app: &App, id: &str) -> Result<(Vec<u8>, PageHints), Refusal> {
    crate::search::page(app, id)
}

#[cfg(not(feature = "index"))]
fn archived(_: &App, _: &str) -> Result<(Vec<u8>, PageHints), Refusal> {
    Err(Refusal::NotFound("this service has no index".to_owned()))
}
