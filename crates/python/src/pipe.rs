//! `Extractor.pipe`: documents of any number of pages, a few pages at a time.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyString};
use trommel::Document;

use crate::extractor::{PyExtractor, wrong};
use crate::page::PyDocument;
use crate::pages::PageBytes;
use crate::parallel;

/// Pages taken at a time if nobody says otherwise.
const BATCH: usize = 64;

/// The documents of pages in their order.
#[pyclass(frozen, name = "Documents", module = "trommel_text")]
pub(crate) struct PyDocuments {
    extractor: PyExtractor,
    pages: Py<PyIterator>,
    threads: Option<NonZeroUsize>,
    batch_size: usize,
    ready: Mutex<VecDeque<PyDocument>>,
}

/// A page with its hints.
struct PageRequest {
    html: PageBytes,
    url: Option<String>,
    charset: Option<String>,
    date: Option<String>,
}

impl PageRequest {
    /// Bytes or str, or a dict of keywords.
    fn read(page: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(keywords) = page.cast::<PyDict>() else {
            return Ok(Self { html: page.extract()?, url: None, charset: None, date: None });
        };
        let (mut html, mut url, mut charset, mut date) = (None, None, None, None);
        for (name, value) in keywords {
            let name: String = name.extract()?;
            match name.as_str() {
                "html" => html = Some(value.extract()?),
                "url" => url = value.extract()?,
                "charset" => charset = value.extract()?,
                "date" => date = value.extract()?,
                _ => {
                    return Err(PyTypeError::new_err(format!(
                        "unknown key {name:?} of a page: html, url, charset, date"
                    )));
                }
            }
        }
        let html = html.ok_or_else(|| PyTypeError::new_err("a page without \"html\""))?;
        Ok(Self { html, url, charset, date })
    }
}

impl PyDocuments {
    /// # Errors
    /// `TypeError` if `pages` is one page or nothing to go over.
    pub(crate) fn new(
        extractor: PyExtractor,
        pages: &Bound<'_, PyAny>,
        threads: Option<NonZeroUsize>,
        batch_size: Option<NonZeroUsize>,
    ) -> PyResult<Self> {
        if pages.is_instance_of::<PyString>() || pages.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err("pages are several, not one page"));
        }
        Ok(Self {
            extractor,
            pages: pages.try_iter()?.unbind(),
            threads,
            batch_size: batch_size.map_or(BATCH, NonZeroUsize::get),
            ready: Mutex::default(),
        })
    }

    /// The next pages.
    fn batch(&self, py: Python<'_>) -> PyResult<Vec<PageRequest>> {
        let pages = self.pages.bind(py).clone();
        let pages = pages.take(self.batch_size);
        pages.map(|page| PageRequest::read(&page?)).collect()
    }
}

#[pymethods]
impl PyDocuments {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyDocument>> {
        let lock = || self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(document) = lock().pop_front() {
            return Ok(Some(document));
        }
        let batch = self.batch(py)?;
        let hints = |given: &PageRequest| -> PyResult<()> {
            let (charset, date) = (given.charset.as_deref(), given.date.as_deref());
            let view = given.html.view();
            view.hints(given.url.as_deref(), charset, date).check().map_err(wrong)
        };
        batch.iter().try_for_each(hints)?;
        let documents: Vec<Document> = py.detach(|| {
            parallel::map(batch.len(), self.threads, |number| {
                let Some(given) = batch.get(number) else { return Document::default() };
                let (charset, date) = (given.charset.as_deref(), given.date.as_deref());
                let view = given.html.view();
                let hints = view.hints(given.url.as_deref(), charset, date);
                self.extractor.document(view.bytes, &hints)
            })
        })?;
        let pages = batch.into_iter().zip(documents);
        let mut documents = pages.map(|(given, document)| PyDocument::new(document, given.url, given.date));
        let first = documents.next();
        lock().extend(documents);
        Ok(first)
    }
}
