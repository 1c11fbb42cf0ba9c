//! Chromium, which lays out pages: scripts off, no network, every request answered from an archive or failed.

use std::ffi::OsStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use data_encoding::BASE64;
use headless_chrome::browser::tab::RequestPausedDecision;
use headless_chrome::protocol::cdp::{Emulation, Fetch, Network, Page, types::Method};
use headless_chrome::{LaunchOptions, Tab};
use serde::Serialize;

use super::node::{PageLayout, Requests};
use super::offsets::with_offsets;
use super::overlay::{OverlayColumn, overlay_html};
use super::resources::{PageSource, Resources, key};
use super::snapshot::{COMPUTED_STYLES, Snapshot};

/// Reason why a page cannot be laid out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BrowserError {
    /// The browser does not start or does not answer.
    #[error("browser: {0}")]
    Browser(String),
}

/// Messages of the driver are of an opaque kind; their chain is text here.
fn failed(error: impl std::fmt::Display) -> BrowserError {
    BrowserError::Browser(format!("{error:#}"))
}

/// Window of the browser in CSS pixels.
const WINDOW: (u32, u32) = (1280, 1024);
/// Columns and rows of the picture of a page.
const MAX_PICTURE: (i32, i32) = (2_560, 6_000);
/// Maximum time for a page.
const PAGE_TIME: Duration = Duration::from_secs(30);

const ARGUMENTS: [&str; 7] = [
    "--host-resolver-rules=MAP * ~NOTFOUND", "--disable-quic", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run", "--hide-scrollbars",
];

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CaptureSnapshot {
    computed_styles: Vec<&'static str>,
}

impl Method for CaptureSnapshot {
    const NAME: &'static str = "DOMSnapshot.captureSnapshot";
    type ReturnObject = Snapshot;
}

/// The page that is laid out, as requests see it.
#[derive(Default)]
struct Current {
    url: String,
    html: String,
    requests: Requests,
}

/// A running browser with one page open.
pub struct Browser {
    // Dropping the browser ends its process.
    _browser: headless_chrome::Browser,
    tab: Arc<Tab>,
    current: Arc<Mutex<Current>>,
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Browser").finish_non_exhaustive()
    }
}

impl Browser {
    /// Starts the system's Chromium, which answers from `resources` alone.
    ///
    /// # Errors
    /// If there is none or it does not start.
    pub fn start(resources: Resources) -> Result<Self, BrowserError> {
        let options = LaunchOptions {
            // Its own sandbox does not run for the superuser; scripts and network are off.
            sandbox: false,
            window_size: Some(WINDOW),
            args: ARGUMENTS.iter().map(OsStr::new).collect(),
            idle_browser_timeout: Duration::from_secs(600),
            ..LaunchOptions::default()
        };
        let browser = headless_chrome::Browser::new(options).map_err(failed)?;
        let tab = browser.new_tab().map_err(failed)?;
        tab.set_default_timeout(PAGE_TIME);
        tab.call_method(Emulation::SetScriptExecutionDisabled { value: true }).map_err(failed)?;
        let current = Arc::new(Mutex::new(Current::default()));
        let answers = Arc::clone(&current);
        tab.enable_fetch(None, None).map_err(failed)?;
        tab.enable_request_interception(Arc::new(move |_, _, event: Fetch::events::RequestPausedEvent| {
            answer(&answers, &resources, &event)
        }))
        .map_err(failed)?;
        Ok(Self { _browser: browser, tab, current })
    }

    /// Lays out a page.
    ///
    /// # Errors
    /// If the browser does not answer in time.
    pub fn layout(&self, page: &PageSource) -> Result<PageLayout, BrowserError> {
        self.open(&page.url, with_offsets(&page.html))?;
        let snapshot = self.tab.call_method(CaptureSnapshot { computed_styles: COMPUTED_STYLES.to_vec() });
        let mut layout = snapshot.map_err(failed)?.layout();
        layout.record_id.clone_from(&page.record_id);
        layout.url.clone_from(&page.url);
        layout.window = WINDOW.0;
        layout.requests = self.current.lock().unwrap_or_else(PoisonError::into_inner).requests;
        Ok(layout)
    }

    /// A picture of the page that was laid out last, as PNG, at most 6,000 rows of it.
    ///
    /// # Errors
    /// If the browser does not answer in time.
    pub fn picture(&self, layout: &PageLayout) -> Result<Vec<u8>, BrowserError> {
        let picture = self.screenshot(picture_size(layout))?;
        BASE64.decode(picture.as_bytes()).map_err(failed)
    }

    /// The picture of the page that was laid out last, once for each column, with its boxes, side by side.
    ///
    /// # Errors
    /// If the browser does not answer in time.
    pub fn overlay(&self, layout: &PageLayout, columns: &[OverlayColumn]) -> Result<Vec<u8>, BrowserError> {
        let size = picture_size(layout);
        let (html, size) = overlay_html(&self.screenshot(size)?, size, columns);
        self.open("http://localhost/overlay", html)?;
        BASE64.decode(self.screenshot(size)?.as_bytes()).map_err(failed)
    }

    fn open(&self, url: &str, html: String) -> Result<(), BrowserError> {
        {
            let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
            *current = Current { url: key(url), html, requests: Requests::default() };
        }
        self.tab.navigate_to(url).map_err(failed)?;
        self.tab.wait_until_navigated().map_err(failed)?;
        Ok(())
    }

    /// The upper left of the page as PNG in base64.
    fn screenshot(&self, (width, height): (i32, i32)) -> Result<String, BrowserError> {
        let picture = self.tab.call_method(Page::CaptureScreenshot {
            format: Some(Page::CaptureScreenshotFormatOption::Png),
            quality: None,
            clip: Some(Page::Viewport {
                x: 0.0,
                y: 0.0,
                width: f64::from(width),
                height: f64::from(height),
                scale: 1.0,
            }),
            from_surface: Some(true),
            capture_beyond_viewport: Some(true),
            optimize_for_speed: None,
        });
        Ok(picture.map_err(failed)?.data)
    }
}

fn picture_size(layout: &PageLayout) -> (i32, i32) {
    let rect = layout.rect();
    let width = rect.right().clamp(1, MAX_PICTURE.0);
    (width.max(WINDOW.0 as i32), rect.bottom().clamp(1, MAX_PICTURE.1))
}

fn answer(
    current: &Mutex<Current>,
    resources: &Resources,
    event: &Fetch::events::RequestPausedEvent,
) -> RequestPausedDecision {
    let mut current = current.lock().unwrap_or_else(PoisonError::into_inner);
    let request = &event.params;
    let fulfil = |content_type: &str, body: &[u8]| {
        RequestPausedDecision::Fulfill(Fetch::FulfillRequest {
            request_id: request.request_id.clone(),
            response_code: 200,
            response_headers: Some(vec![
                Fetch::HeaderEntry { name: "Content-Type".to_owned(), value: content_type.to_owned() },
                // Fonts and style sheets with modules are read across sites only if these allow it.
                Fetch::HeaderEntry { name: "Access-Control-Allow-Origin".to_owned(), value: "*".to_owned() },
            ]),
            binary_response_headers: None,
            body: Some(BASE64.encode(body)),
            response_phrase: None,
        })
    };
    let url = &request.request.url;
    if key(url) == current.url {
        return fulfil("text/html; charset=utf-8", current.html.as_bytes());
    }
    match resources.get(url) {
        Some(resource) => {
            if request.resource_Type == Network::ResourceType::Stylesheet {
                current.requests.style_sheets += 1;
            } else {
                current.requests.others += 1;
            }
            fulfil(&resource.content_type, &resource.body)
        }
        None => {
            current.requests.failed += 1;
            // An aborted navigation leaves the page as it is.
            RequestPausedDecision::Fail(Fetch::FailRequest {
                request_id: request.request_id.clone(),
                error_reason: Network::ErrorReason::Aborted,
            })
        }
    }
}
