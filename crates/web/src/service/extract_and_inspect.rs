//! Answers about one page: `POST /extract` gives its text or document, `POST /inspect` the decisions about it.

use std::{sync::Arc, time::Instant};

use axum::{body::Body, extract::State, response::Response};
use http::{HeaderMap, HeaderValue};
use serde::Serialize;
use serde_json::Value;
use trommel::record::filters::{Capture, Filters};
use trommel::{Document, MarkdownOptions, Model, PageForm, Settings};
use trommel_text::TextStats;

use crate::service::request_options::{Choices, OF_PAGE, PageHints, ReadQuery};
use crate::service::{answer, body, memory, request_options};
use crate::{service::answer::Refusal, service::memory::HeldBytes, service::shared_state::App, viewer::View};

/// Answers `POST /extract` with the main text of one page.
///
/// The body is the page, as the server sent it but without transfer and content codings. Bodies that are no page by
/// their first bytes (PDF, images, archives) are refused. The answer is the output of `trommel extract`. `url`,
/// `charset`, `date` and `status` may be in the headers `X-Page-Url`, `X-Page-Charset`, `X-Page-Date` and
/// `X-Page-Status` instead; the query takes precedence.
pub(crate) async fn extract(
    State(app): State<Arc<App>>,
    query: ReadQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let mut choices = Choices::read(query, &OF_PAGE)?;
    let (form, media_type) = request_options::form(&headers)?;
    match form {
        // Its text has the form that is chosen.
        PageForm::Json => {}
        PageForm::Text => choices.choose("text.form", "plain")?,
        PageForm::Markdown => choices.choose("text.form", "markdown")?,
    }
    let hints = PageHints::read(&choices, &headers)?;
    let model = app.model(choices.model())?;
    let settings = choices.settings(&app, &model)?;
    let filters = choices.filters(&app, &settings);
    let begin = Instant::now();
    let page = body::whole(body, &headers, &app).await?;
    app.metrics.stage("body", begin.elapsed());
    let extractor = app.extractor(model, &settings);
    let weight = memory::of_lists(&page.bytes, &settings.include);
    let made = app.judge(page, weight, move |app, page| {
        let begin = Instant::now();
        let document = extractor.document(page, &hints.hints.hints());
        app.metrics.page(page.len() as u64, begin.elapsed());
        app.metrics.document(f64::from(document.confidence), document.text.len() as u64);
        let dropped = dropped(&filters, &hints, &document);
        if let Some(reason) = dropped {
            app.metrics.dropped(reason);
        }
        let confidence = document.confidence;
        let printed = form.print(document, hints.hints.url.as_deref(), None);
        (printed, confidence, dropped)
    });
    let ((printed, confidence, dropped), share) = made.await?;
    let printed = printed.map_err(|_| Refusal::FAULT)?;
    let held = share.around(printed.into());
    let mut response = answer::body(media_type, held);
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&format!("{confidence:.4}")) {
        headers.insert("x-trommel-confidence", value);
    }
    if let Some(reason) = dropped {
        headers.insert("x-trommel-dropped", HeaderValue::from_static(reason));
    }
    Ok(response)
}

/// Returns the reason for which a filter would drop the document; `None` if no filter would drop it.
fn dropped(filters: &Filters, hints: &PageHints, document: &Document) -> Option<&'static str> {
    if filters.describe().is_empty() {
        return None;
    }
    let capture = Capture { status: hints.status, media_type: "text/html", ..Capture::default() };
    let of_url = filters.url(hints.hints.url.as_deref());
    let reason = of_url
        .or_else(|| filters.capture(&capture))
        .or_else(|| filters.document(document, &TextStats::new(&document.text)));
    reason.map(trommel::record::filters::Reason::name)
}

/// Names of the query parameters of `POST /inspect` that are not settings.
pub(crate) const OF_INSPECT: [&str; 6] = ["url", "charset", "date", "status", "id", "threshold"];

/// Answer to `POST /inspect`: how the extractor judged a page.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Inspected {
    /// Report on the page as HTML: facts, and blocks with the reasons for their probabilities.
    html: String,
    /// Extracted text of the page.
    text: String,
    /// Extracted text of the page as Markdown, with links.
    markdown: String,
    /// Document of the page, as `POST /extract` answers it.
    document: Value,
    /// Number of milliseconds that judging the page took.
    milliseconds: f64,
}

/// Answers `POST /inspect` with the extractor's judgement of a page.
///
/// The answer has every block with its probability and the reasons for it, as HTML in which all content of the page is
/// escaped. Text, Markdown and document are added.
pub(crate) async fn inspect(
    State(app): State<Arc<App>>,
    query: ReadQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let choices = Choices::read(query, &OF_INSPECT)?;
    let model = app.model(choices.model())?;
    let settings = choices.settings(&app, &model)?;
    let threshold = match choices.parameter("threshold").map(str::parse::<u8>) {
        None => None,
        Some(Ok(percent @ 0..=100)) => Some(f32::from(percent) / 100.0),
        Some(_) => return Err(Refusal::bad("a threshold is 0 to 100 percent")),
    };
    let sent = body::whole(body, &headers, &app).await?;
    let (page, hints) = match choices.parameter("id") {
        None => (sent, PageHints::read(&choices, &headers)?),
        Some(id) => {
            let id = id.to_owned();
            // Its record, the payload, and what codings leave of it.
            let weight = app.max_page.saturating_mul(3);
            let found = app.work(weight, move |app| archived(app, &id));
            let (found, mut share) = found.await?;
            let (bytes, hints) = found?;
            share.shrink(bytes.capacity() as u64);
            (HeldBytes { bytes, _share: share }, hints)
        }
    };
    let weight = memory::of_report(&page.bytes);
    let made = app.judge(page, weight, move |app, page| {
        // Not before the page has its place: a model takes megabytes.
        let model = threshold.map_or(model.clone(), |least| Arc::new(model.with_threshold(least)));
        answer::json_bytes(&shown(app, page, &hints, (&settings, &model))?)
    });
    let (shown, share) = made.await?;
    Ok(answer::body("application/json", share.around(shown?)))
}

fn shown(
    app: &App,
    page: &[u8],
    hints: &PageHints,
    (settings, model): (&Settings, &Arc<Model>),
) -> Result<Inspected, Refusal> {
    let begin = Instant::now();
    let extractor = app.extractor(model.clone(), settings);
    let extractor = extractor.map(|judge| judge.with_inline_style(true));
    let extraction = extractor.extract(page, &hints.hints.hints());
    let milliseconds = begin.elapsed().as_secs_f64() * 1000.0;
    let document = extraction.document(extractor.options());
    let url = hints.hints.url.as_deref();
    let document = PageForm::Json.print(document, url, None).ok();
    let view = View::new(&extraction, url, model);
    Ok(Inspected {
        html: crate::viewer::fragment(&view).map_err(|_| Refusal::FAULT)?,
        markdown: extraction.markdown(&MarkdownOptions::default().with_links(true)),
        text: view.plain,
        document: document.and_then(|document| serde_json::from_str(&document).ok()).ok_or(Refusal::FAULT)?,
        milliseconds,
    })
}

/// Reads the archived page of the document with this id in the index.
#[cfg(feature = "index")]
fn archived(app: &App, id: &str) -> Result<(Vec<u8>, PageHints), Refusal> {
    crate::service::search::page(app, id)
}

#[cfg(not(feature = "index"))]
fn archived(_: &App, _: &str) -> Result<(Vec<u8>, PageHints), Refusal> {
    Err(Refusal::missing("this service has no index"))
}
