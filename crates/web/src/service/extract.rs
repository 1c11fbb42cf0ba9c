//! `POST /extract`: takes a page, and answers with its text or document.

use std::{sync::Arc, time::Instant};

use axum::{body::Body, extract::State, response::Response};
use http::{HeaderMap, HeaderValue};
use trommel::record::filters::{Capture, Filters};
use trommel::{Document, PageForm};
use trommel_text::TextStats;

use crate::service::answer::{self, Refusal};
use crate::service::app::App;
use crate::service::choices::{Choices, ReadQuery};
use crate::service::hints::{OF_PAGE, PageHints};
use crate::service::{body, negotiate, weight};

/// The main text of one page
///
/// The body is the page, as the server sent it but without transfer and content codings; what is no page by its
/// first bytes (PDF, images, archives) is refused. The answer is what `trommel extract` prints. `url`, `charset`, `date` and `status` may stand in
/// the headers `X-Page-Url`, `X-Page-Charset`, `X-Page-Date` and `X-Page-Status` instead; the query wins.
pub(crate) async fn extract(
    State(app): State<Arc<App>>,
    query: ReadQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let mut choices = Choices::read(query, &OF_PAGE)?;
    let (form, media_type) = negotiate::form(&headers)?;
    match form {
        // Its text has the form that is chosen.
        PageForm::Json => {}
        PageForm::Text => choices.choose("text.form", "plain")?,
        PageForm::Markdown => choices.choose("text.form", "markdown")?,
    }
    let hints = PageHints::read(&choices, &headers)?;
    let (_, model) = app.models.get(choices.model())?;
    let settings = choices.settings(&app, &model)?;
    let filters = choices.filters(&app, &settings);
    let begin = Instant::now();
    let page = body::whole(body, &headers, &app).await?;
    app.metrics.stage("body", begin.elapsed());
    let extractor = app.extractor(model, &settings);
    let weight = weight::of_lists(&page.bytes, &settings.include);
    let made = app.judge(page, weight, move |app, page| {
        let begin = Instant::now();
        let document = extractor.document(page, &hints.hints());
        app.metrics.page(page.len() as u64, begin.elapsed());
        app.metrics.document(f64::from(document.confidence), document.text.len() as u64);
        let dropped = dropped(&filters, &hints, &document);
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

/// The filter that would drop the document.
fn dropped(filters: &Filters, hints: &PageHints, document: &Document) -> Option<&'static str> {
    if filters.describe().is_empty() {
        return None;
    }
    let capture = Capture { status: hints.status, media_type: "text/html", robots: &[] };
    let of_url = filters.url(hints.url.as_deref());
    let reason = of_url
        .or_else(|| filters.capture(&capture))
        .or_else(|| filters.document(document, &TextStats::new(&document.text)));
    reason.map(trommel::record::filters::Reason::name)
}
