//! `POST /extract`: a page in, its text or document out.

use std::{sync::Arc, time::Instant};

use axum::{
    body::Body,
    extract::{Query, State, rejection::QueryRejection},
    response::Response,
};
use http::{HeaderMap, HeaderValue};
use trommel_extract::Document;
use trommel_filters::Capture;
use trommel_output::PageForm;
use trommel_text::TextStats;

use crate::{
    ExtractedPage, Problem,
    answer::{self, Refusal},
    app::App,
    body,
    hints::{PageHints, PageQuery, query},
    negotiate, problem, weight,
};

/// The main text of one page
///
/// The body is the page, as the server sent it but without transfer and content codings; what is no page by its
/// first bytes (PDF, images, archives) is refused. The answer is what `trommel extract` prints. `url`, `charset`, `date` and `status` may stand in
/// the headers `X-Page-Url`, `X-Page-Charset`, `X-Page-Date` and `X-Page-Status` instead; the query wins.
#[utoipa::path(
    post,
    path = "/extract",
    params(PageQuery),
    request_body(content = String, content_type = "text/html", description = "The page"),
    responses(
        (status = 200, description = "Its text or document", headers(
            ("X-Trommel-Confidence" = f32, description = "Word F1 that the model expects of the text"),
            ("X-Trommel-Dropped" = Option<String>, description = "Which filter of the service would drop the document")
        ), content(
            (ExtractedPage = "application/json"),
            (String = "text/plain"),
            (String = "text/markdown"),
        )),
        (status = 400, description = "Query or headers cannot be read", body = Problem, content_type = "application/problem+json"),
        (status = 406, description = "No form that the client accepts", body = Problem, content_type = "application/problem+json"),
        problem::OfPages,
    ),
    tag = "extraction"
)]
pub(crate) async fn extract(
    State(app): State<Arc<App>>,
    asked: Result<Query<PageQuery>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let asked = query(asked)?;
    let form = negotiate::form(&headers, (asked.links, asked.images))?;
    let hints = asked.hints(&headers)?;
    let (_, model) = app.models.get(asked.model.as_deref())?;
    let begin = Instant::now();
    let page = body::whole(body, &headers, &app).await?;
    app.metrics.stage("body", begin.elapsed());
    let extractor = app
        .extractor(model, asked.policy(app.policy))
        .with_inline_style(matches!(form, PageForm::Markdown { .. }));
    let weight = weight::of_page(&page.bytes);
    let made = app.judge(page, weight, move |app, page| {
        let begin = Instant::now();
        let document = extractor
            .extract(page, &hints.hints())
            .document(&form.options());
        app.metrics.page(page.len() as u64, begin.elapsed());
        app.metrics
            .document(f64::from(document.confidence), document.text.len() as u64);
        let dropped = dropped(app, &hints, &document);
        if let Some(reason) = dropped {
            app.metrics.dropped(reason);
        }
        let confidence = document.confidence;
        let printed = form.print(document, hints.url.as_deref(), None);
        (printed, confidence, dropped)
    });
    let ((printed, confidence, dropped), share) = made.await?;
    let printed = printed.map_err(|_| Refusal::Fault)?;
    let held = share.around(printed.into());
    let mut response = answer::body(negotiate::media_type(form), held);
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&format!("{confidence:.4}")) {
        headers.insert("x-trommel-confidence", value);
    }
    if let Some(reason) = dropped {
        headers.insert("x-trommel-dropped", HeaderValue::from_static(reason));
    }
    Ok(response)
}

/// Which filter would drop the document.
fn dropped(app: &App, hints: &PageHints, document: &Document) -> Option<&'static str> {
    if !app.has_filters {
        return None;
    }
    let capture = Capture {
        status: hints.status,
        media_type: "text/html",
        robots: &[],
    };
    let of_capture = app.filters.capture(&capture);
    let reason = of_capture.or_else(|| {
        app.filters
            .document(document, &TextStats::new(&document.text))
    });
    reason.map(trommel_filters::Reason::name)
}
