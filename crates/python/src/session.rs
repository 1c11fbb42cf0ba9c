//! Implements `Session`, which extracts a page that arrives in parts.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::{exceptions::PyValueError, prelude::*, pybacked::PyBackedBytes};
use trommel::{Document, EarlyStops, Hints, Known, Session, Verdict, archive::binary_type};
use trommel_text::language::LanguageCode;

use crate::extractor::{PyExtractor, wrong};
use crate::{document::PyDocument, settings::Keywords, values, values::Names};

/// Takes one page in parts, as a crawler receives them, and returns its document at the end. The parts may be cut
/// anywhere. With `languages` (ISO 639 codes) a page that declares none of these is not wanted, and with the options that
/// begin with `stop_` one of that kind.
#[pyclass(frozen, name = "Session", module = "trommel_text")]
pub(crate) struct PySession {
    session: Mutex<Option<Session<'static>>>,
    url: Option<String>,
    date: Option<String>,
}

impl PySession {
    fn lock(&self) -> MutexGuard<'_, Option<Session<'static>>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("this session is finished: a session takes one page")
}

#[pymethods]
impl PySession {
    #[new]
    #[pyo3(signature = (*, url=None, charset=None, extractor=None, date=None, max_page=None, stop_not_html=false, stop_noindex=false, languages=Names::default(), stop_hopeless=false, stop_block_pages=false))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        url: Option<String>,
        charset: Option<&str>,
        extractor: Option<&Bound<'_, PyExtractor>>,
        date: Option<String>,
        max_page: Option<usize>,
        stop_not_html: bool,
        stop_noindex: bool,
        languages: Names,
        stop_hopeless: bool,
        stop_block_pages: bool,
    ) -> PyResult<Self> {
        for code in &languages.0 {
            let known = code.parse::<LanguageCode>();
            known.map_err(|error| PyValueError::new_err(format!("languages: {error}")))?;
        }
        let extractor = match extractor {
            Some(extractor) => extractor.get().clone(),
            None => PyExtractor::of(Keywords::default())?,
        };
        let hints = Hints { url: url.as_deref(), http_charset: charset, crawl_charset: None, date: date.as_deref() };
        hints.check().map_err(wrong)?;
        let stops = EarlyStops {
            not_html: stop_not_html,
            noindex: stop_noindex,
            languages: languages.0,
            hopeless: stop_hopeless,
            block_pages: stop_block_pages,
        };
        let mut session = Session::owned(extractor.extractor, hints);
        session.set_stops(stops);
        if let Some(bytes) = max_page {
            session = session.with_max_page(bytes);
        }
        Ok(Self { session: Mutex::new(Some(session)), url, date })
    }

    /// Takes the next bytes. Returns `"continue"` if the session wants more, `"full"` if it ignores further bytes, or
    /// the reason why the page is not wanted: `"not-html"`, `"noindex"`, `"language"`, `"hopeless"`, `"block-page"`.
    fn feed(&self, py: Python<'_>, part: PyBackedBytes) -> PyResult<String> {
        let verdict: Option<Verdict> = py.detach(|| self.lock().as_mut().map(|session| session.feed(&part)));
        Ok(verdict.ok_or_else(ended)?.to_string())
    }

    /// Returns the facts about the page so far: a dict of `links` (dicts of url, block, probability, kept, role),
    /// `canonical`, `robots` and `next_page`.
    fn known<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let known: Option<Known> = py.detach(|| self.lock().as_mut().map(Session::known));
        values::object(py, &known.ok_or_else(ended)?)
    }

    /// Ends the page and returns its document.
    fn finish(&self, py: Python<'_>) -> PyResult<PyDocument> {
        let document = py.detach(|| {
            let session = self.lock().take()?;
            let kind = binary_type(session.first_bytes());
            Some(match kind {
                Some(kind) => Document::of_other_data(&kind),
                None => session.finish(),
            })
        });
        let document = document.ok_or_else(ended)?;
        let (url, date) = (self.url.clone(), self.date.clone());
        Ok(PyDocument(Document { url, date, ..document }))
    }

    /// Bytes of the page that the session holds.
    fn __len__(&self) -> usize {
        self.lock().as_ref().map_or(0, Session::len)
    }
}
