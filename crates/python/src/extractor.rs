//! Implements `Extractor`, `extract`, `extract_batch` and `inspect`.
//!
//! `Extractor.pipe` returns the documents of any number of pages and reads a few pages at a time.

use std::sync::{Mutex, PoisonError};
use std::{collections::VecDeque, num::NonZeroUsize, path::PathBuf};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyString, PyTuple};
use trommel::record::{AtomicFile, OptionalColumns};
use trommel::{
    Document, Extraction, Extractor, Field, HintError, Hints, PartialSettings, Settings, archive::binary_type,
};
use trommel_web::viewer::{View, report};

use crate::arrow::{ArrowColumns, PyRecordBatch};
use crate::errors::{ModelError, raised, told};
use crate::pages::{PageBytes, PageRequest, Pages, beside};
use crate::settings::{Keywords, NamedModel};
use crate::{document::PyDocument, interpreter};

/// Converts the error of an invalid hint to a Python `ValueError`.
pub(crate) fn wrong(error: HintError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the bytes of a page and the hints about it, after checking both.
///
/// # Errors
/// Raises `ValueError` if the page is a URL or file name, or if a hint is invalid.
fn checked<'a>(
    html: &'a PageBytes,
    url: Option<&'a str>,
    charset: Option<&'a str>,
    date: Option<&'a str>,
) -> PyResult<(&'a [u8], Hints<'a>)> {
    html.refuse_names()?;
    let view = html.view();
    let hints = view.hints(url, charset, date);
    hints.check().map_err(wrong)?;
    Ok((view.bytes, hints))
}

/// Extracts the main text of pages with one model and one set of settings. It has no state between pages, so threads
/// can share it. It can be pickled and sent to other machines. `choices` are the settings of pages by their names
/// (docs/settings.md): `markdown`, `links`, `comments`, `include`, `blocks`, `posts` ...
#[pyclass(frozen, name = "Extractor", module = "trommel_text")]
#[derive(Clone)]
pub(crate) struct PyExtractor {
    pub(crate) chosen: PartialSettings,
    pub(crate) model: NamedModel,
    pub(crate) extractor: Extractor,
}

impl PyExtractor {
    /// Creates an extractor with the model and settings that keywords choose.
    ///
    /// # Errors
    /// Raises the errors of [`Keywords::read`], and `ValueError` if settings exclude each other.
    pub(crate) fn of(keywords: Keywords) -> PyResult<Self> {
        let Keywords { chosen, model } = keywords;
        let settings: Settings = chosen.settings().map_err(raised)?;
        let model = match model {
            Some(model) => model,
            None => NamedModel::open(&settings.model)?,
        };
        Ok(Self { extractor: Extractor::with_model(&settings, model.model.clone()), chosen, model })
    }

    /// Returns the document of a page; an empty document with a note if the bytes are not a page.
    pub(crate) fn document(&self, page: &[u8], hints: &Hints<'_>) -> Document {
        match binary_type(page) {
            Some(kind) => Document::of_other_data(&kind),
            None => self.extractor.document(page, hints),
        }
    }

    /// Returns the text of an extracted page, as plain text or Markdown, without metadata.
    fn text_of(&self, extraction: &Extraction<'_>) -> String {
        let options = self.extractor.options();
        match &options.markdown {
            None => extraction.text_with(options.text),
            Some(_) if options.posts => extraction.document(options).text,
            Some(markdown) if markdown.sections => extraction.document(options).text,
            Some(markdown) => extraction.markdown(&markdown.with_text(options.text)),
        }
    }

    /// Returns keywords that create an equal extractor elsewhere. A model that is not built in is passed as bytes.
    ///
    /// # Errors
    /// Fails only if memory runs out.
    fn keywords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let keywords = PyDict::new(py);
        match self.model.is_builtin() {
            true => keywords.set_item("model", &self.model.name)?,
            false => {
                let bytes = self.model.model.to_bytes();
                let bytes = bytes.map_err(|error| ModelError::new_err(error.to_string()))?;
                keywords.set_item("model", PyBytes::new(py, &bytes))?;
            }
        }
        let loads = py.import("json")?.getattr("loads")?;
        for (name, value) in self.chosen.choices() {
            keywords.set_item(name, loads.call1((value.to_string(),))?)?;
        }
        Ok(keywords)
    }
}

#[pymethods]
impl PyExtractor {
    #[new]
    #[pyo3(signature = (model=None, **choices))]
    fn new(model: Option<&Bound<'_, PyAny>>, choices: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::of(Keywords::read(model, choices, Field::is_of_pages)?)
    }

    /// Returns the document of one page, given as bytes in any encoding or as decoded text. `charset` is the encoding
    /// that the server named, and `date` the time of the capture (ISO 8601). Data that is not a page (PDF, images,
    /// archives) gives an empty document with an explanation in `notes`.
    #[pyo3(signature = (html, *, url=None, charset=None, date=None))]
    pub(crate) fn extract(
        &self,
        py: Python<'_>,
        html: PageBytes,
        url: Option<String>,
        charset: Option<&str>,
        date: Option<String>,
    ) -> PyResult<PyDocument> {
        let (page, hints) = checked(&html, url.as_deref(), charset, date.as_deref())?;
        let document = py.detach(|| self.document(page, &hints));
        Ok(PyDocument(Document { url, date, ..document }))
    }

    /// Returns only the text of one page, without title, dates or language. This takes less time.
    #[pyo3(signature = (html, *, url=None, charset=None))]
    fn text(&self, py: Python<'_>, html: PageBytes, url: Option<&str>, charset: Option<&str>) -> PyResult<String> {
        let (page, hints) = checked(&html, url, charset, None)?;
        Ok(py.detach(|| match binary_type(page) {
            Some(_) => String::new(),
            None => self.text_of(&self.extractor.extract(page, &hints)),
        }))
    }

    /// Returns the documents of many pages as a record batch with one row for each page, in their order. `None` as a
    /// page gives a row of nulls. Pages are a list of bytes or str, or an Arrow array of binary or text. `urls` and
    /// `charsets` have one value for each page; unknown charsets are ignored. `threads` is the number of processor
    /// cores by default.
    #[pyo3(signature = (pages, *, urls=None, charsets=None, threads=None))]
    pub(crate) fn extract_batch(
        &self,
        py: Python<'_>,
        pages: &Bound<'_, PyAny>,
        urls: Option<&Bound<'_, PyAny>>,
        charsets: Option<&Bound<'_, PyAny>>,
        threads: Option<NonZeroUsize>,
    ) -> PyResult<PyRecordBatch> {
        let pages = Pages::new(pages)?;
        let views = pages.views()?;
        let urls = beside("URLs", urls, views.len())?;
        let charsets = beside("charsets", charsets, views.len())?;
        let optional = OptionalColumns::of(self.extractor.options());
        let batch = py.detach(|| {
            let records = interpreter::map(views.len(), threads, |number| {
                let page = views.get(number).copied().flatten()?;
                let of = |texts: &'_ [Option<String>]| texts.get(number).and_then(Option::as_deref).map(str::to_owned);
                let (url, charset) = (of(&urls), of(&charsets));
                let hints = page.hints(url.as_deref(), charset.as_deref(), None);
                Some(Document { url: url.clone(), ..self.document(page.bytes, &hints) })
            })?;
            let records: Vec<Option<&Document>> = records.iter().map(Option::as_ref).collect();
            ArrowColumns::of_pages(optional).batch(&records)
        });
        batch.map(PyRecordBatch)
    }

    /// Returns an iterator of the documents of pages, in their order: `for document in extractor.pipe(pages)`. A page
    /// is bytes, str, or a dict with the keywords of `extract` (`html`, `url`, `charset`, `date`). The iterator takes
    /// `batch_size` pages at a time, so any number of pages needs little memory. `threads` is the number of processor
    /// cores by default.
    #[pyo3(signature = (pages, *, threads=None, batch_size=None))]
    fn pipe(
        &self,
        pages: &Bound<'_, PyAny>,
        threads: Option<NonZeroUsize>,
        batch_size: Option<NonZeroUsize>,
    ) -> PyResult<PyDocuments> {
        if pages.is_instance_of::<PyString>() || pages.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err("pages are several, not one page"));
        }
        Ok(PyDocuments {
            extractor: self.clone(),
            pages: pages.try_iter()?.unbind(),
            threads,
            batch_size: batch_size.map_or(BATCH, NonZeroUsize::get),
            ready: Mutex::default(),
        })
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.keywords(py)?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let keywords = self.keywords(py)?;
        keywords.set_item("model", &self.model.name)?;
        let keywords: Vec<String> =
            keywords.iter().map(|(key, value)| Ok(format!("{key}={}", value.repr()?))).collect::<PyResult<_>>()?;
        Ok(format!("Extractor({})", keywords.join(", ")))
    }
}

/// Returns the document of one page, given as bytes in any encoding or as decoded text. For many pages with the same
/// settings an `Extractor` is a little faster. `choices` are the keywords of `Extractor`.
#[pyfunction]
#[pyo3(signature = (html, *, url=None, charset=None, date=None, model=None, **choices))]
pub(crate) fn extract(
    py: Python<'_>,
    html: PageBytes,
    url: Option<String>,
    charset: Option<&str>,
    date: Option<String>,
    model: Option<&Bound<'_, PyAny>>,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyDocument> {
    let extractor = PyExtractor::of(Keywords::read(model, choices, Field::is_of_pages)?)?;
    extractor.extract(py, html, url, charset, date)
}

/// Calls `Extractor.extract_batch` of an extractor made from `choices`. `choices` are the keywords of `Extractor`.
#[pyfunction]
#[pyo3(signature = (pages, *, urls=None, charsets=None, threads=None, model=None, **choices))]
pub(crate) fn extract_batch(
    py: Python<'_>,
    pages: &Bound<'_, PyAny>,
    urls: Option<&Bound<'_, PyAny>>,
    charsets: Option<&Bound<'_, PyAny>>,
    threads: Option<NonZeroUsize>,
    model: Option<&Bound<'_, PyAny>>,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyRecordBatch> {
    let extractor = PyExtractor::of(Keywords::read(model, choices, Field::is_of_pages)?)?;
    extractor.extract_batch(py, pages, urls, charsets, threads)
}

/// Default number of pages that `Extractor.pipe` takes at a time.
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
        let pages = self.pages.bind(py).clone().take(self.batch_size);
        let batch: Vec<PageRequest> = pages.map(|page| PageRequest::read(&page?)).collect::<PyResult<_>>()?;
        batch.iter().try_for_each(|given| given.hints().check().map_err(wrong))?;
        let documents: Vec<Document> = py.detach(|| {
            let document = |given: &PageRequest| self.extractor.document(given.html.view().bytes, &given.hints());
            interpreter::map(batch.len(), self.threads, |number| batch.get(number).map(document).unwrap_or_default())
        })?;
        let pages = batch.into_iter().zip(documents);
        let mut documents =
            pages.map(|(given, document)| PyDocument(Document { url: given.url, date: given.date, ..document }));
        let first = documents.next();
        lock().extend(documents);
        Ok(first)
    }
}

/// The decisions about a page: every block with its probability, whether it is kept and why. A notebook displays it.
#[pyclass(frozen, module = "trommel_text")]
pub(crate) struct Inspection {
    /// The report as a complete HTML page, which loads nothing from the network.
    #[pyo3(get)]
    html: String,
    /// Main text of the page.
    #[pyo3(get)]
    text: String,
    /// Main text as Markdown.
    #[pyo3(get)]
    markdown: String,
}

#[pymethods]
impl Inspection {
    /// Writes the report to a file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        AtomicFile::prepare(&path)?;
        Ok(AtomicFile::write_all(&path, self.html.as_bytes())?)
    }

    /// Shows the report in a frame, so that the styles of the notebook and of the report do not mix.
    fn _repr_html_(&self) -> String {
        let page = self.html.replace('&', "&amp;").replace('"', "&quot;");
        format!(
            "<iframe sandbox=\"allow-scripts\" style=\"width:100%;height:36em;border:1px solid #8888\" \
             srcdoc=\"{page}\"></iframe>"
        )
    }

    fn __repr__(&self) -> String {
        format!("<Inspection, {} characters of text>", self.text.chars().count())
    }
}

/// Shows the decisions about each block of a page. `choices` are the keywords of `Extractor`.
#[pyfunction]
#[pyo3(signature = (html, *, url=None, charset=None, model=None, **choices))]
pub(crate) fn inspect(
    py: Python<'_>,
    html: PageBytes,
    url: Option<&str>,
    charset: Option<&str>,
    model: Option<&Bound<'_, PyAny>>,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<Inspection> {
    let extractor = PyExtractor::of(Keywords::read(model, choices, Field::is_of_pages)?)?;
    let (page, hints) = checked(&html, url, charset, None)?;
    if let Some(kind) = binary_type(page) {
        return Err(PyValueError::new_err(format!("{kind} data, not a page")));
    }
    py.detach(|| {
        let judge = extractor.extractor.judge().clone().with_inline_style(true);
        let extraction = judge.extract(page, &hints);
        let view = View::new(&extraction, url, extractor.extractor.model());
        let html = report(&view).map_err(told)?;
        Ok(Inspection { html, text: view.plain, markdown: view.markdown })
    })
}
