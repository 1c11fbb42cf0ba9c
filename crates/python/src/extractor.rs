//! `Extractor`, `extract`, `extract_batch`.

use std::num::NonZeroUsize;

use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};
use trommel::{DocumentOptions, Extractor};
use trommel_output::OutputRecord;

use crate::{
    arrow::{ArrowColumns, PyRecordBatch},
    page::PyDocument,
    pages::{PageBytes, Pages, beside},
    parallel,
    settings::{ExtractionSettings, Given, NamedModel},
};

/// Takes the main text out of pages, with one model and one set of choices. It has no state between pages:
/// use one from as many threads as you like, pickle it, send it to other machines.
#[pyclass(frozen, name = "Extractor", module = "trommel_text")]
#[derive(Clone)]
pub(crate) struct PyExtractor {
    pub(crate) settings: ExtractionSettings,
    pub(crate) extractor: Extractor,
    pub(crate) form: DocumentOptions,
}

impl PyExtractor {
    pub(crate) fn of(settings: ExtractionSettings) -> Self {
        Self {
            extractor: settings.extractor(),
            form: settings.form(),
            settings,
        }
    }
}

#[pymethods]
impl PyExtractor {
    #[new]
    #[pyo3(signature = (model=None, *, markdown=false, links=false, comments="exclude", headline="auto", articles="all", include=vec![], exclude=vec![], blocks=false, spans=false, tables=false, math="tex", notes="keep", scripts="caret"))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        model: Option<NamedModel>,
        markdown: bool,
        links: bool,
        comments: &str,
        headline: &str,
        articles: &str,
        include: Vec<String>,
        exclude: Vec<String>,
        blocks: bool,
        spans: bool,
        tables: bool,
        math: &str,
        notes: &str,
        scripts: &str,
    ) -> PyResult<Self> {
        let given = Given {
            model,
            markdown,
            links,
            comments,
            headline,
            articles,
            include,
            exclude,
            blocks,
            spans,
            tables,
            math,
            notes,
            scripts,
        };
        given.settings().map(Self::of)
    }

    /// The document of one page, bytes in any encoding or decoded text. `charset` is what the server said of
    /// the encoding, `date` when the page was captured (ISO 8601).
    #[pyo3(signature = (html, url=None, charset=None, date=None))]
    pub(crate) fn extract(
        &self,
        py: Python<'_>,
        html: PageBytes,
        url: Option<String>,
        charset: Option<&str>,
        date: Option<&str>,
    ) -> PyDocument {
        let document = py.detach(|| {
            let page = html.view();
            let hints = page.hints(url.as_deref(), charset, date);
            self.extractor
                .extract(page.bytes, &hints)
                .document(&self.form)
        });
        PyDocument::new(document, url)
    }

    /// The text of one page and nothing else about it, which takes less time: no title, dates or language.
    #[pyo3(signature = (html, url=None, charset=None))]
    fn text(
        &self,
        py: Python<'_>,
        html: PageBytes,
        url: Option<&str>,
        charset: Option<&str>,
    ) -> String {
        py.detach(|| {
            let page = html.view();
            let extraction = self
                .extractor
                .extract(page.bytes, &page.hints(url, charset, None));
            match &self.form.markdown {
                Some(options) => extraction.markdown(options),
                None => extraction.text_with(self.form.text),
            }
        })
    }

    /// The documents of many pages as a record batch, a row a page, in their order; a page that is `None`
    /// gives a row of nulls. Pages are a list of bytes or str, or an Arrow array of binary or text; `urls` and
    /// `charsets` have one value for each. `threads`: all processor cores if not given.
    #[pyo3(signature = (pages, urls=None, charsets=None, threads=None))]
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
        let batch = py.detach(|| {
            let records = parallel::map(views.len(), threads, |number| {
                let page = views.get(number).copied().flatten()?;
                let of = |texts: &'_ [Option<String>]| {
                    texts
                        .get(number)
                        .and_then(Option::as_deref)
                        .map(str::to_owned)
                };
                let (url, charset) = (of(&urls), of(&charsets));
                let hints = page.hints(url.as_deref(), charset.as_deref(), None);
                let document = self
                    .extractor
                    .extract(page.bytes, &hints)
                    .document(&self.form);
                Some(OutputRecord {
                    url,
                    ..OutputRecord::from(document)
                })
            })?;
            let records: Vec<Option<&OutputRecord>> = records.iter().map(Option::as_ref).collect();
            ArrowColumns::of_pages(self.settings.optional()).batch(&records)
        });
        batch.map(PyRecordBatch::new)
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.settings.keywords(py)?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let model = &self.settings.model;
        let keywords = self.settings.keywords(py)?;
        keywords.set_item("model", &model.name)?;
        let keywords: Vec<String> = keywords
            .iter()
            .map(|(key, value)| Ok(format!("{key}={}", value.repr()?)))
            .collect::<PyResult<_>>()?;
        Ok(format!("Extractor({})", keywords.join(", ")))
    }
}

/// The document of one page, bytes in any encoding or decoded text. With many pages of the same choices an
/// `Extractor` is made once and is a little faster. `choices` are the keywords of `Extractor`: `markdown`,
/// `links`, `comments`, `headline`, `articles`, `include`, `exclude`, `blocks`, `spans`, `tables`, `math`,
/// `notes`, `scripts`.
#[pyfunction]
#[pyo3(signature = (html, url=None, charset=None, model=None, *, date=None, **choices))]
pub(crate) fn extract(
    py: Python<'_>,
    html: PageBytes,
    url: Option<String>,
    charset: Option<&str>,
    model: Option<Bound<'_, PyAny>>,
    date: Option<&str>,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyDocument> {
    let extractor = chosen(py, model, choices)?;
    Ok(extractor.get().extract(py, html, url, charset, date))
}

/// `Extractor.extract_batch` with an extractor of these choices, which are the keywords of `Extractor`.
#[pyfunction]
#[pyo3(signature = (pages, urls=None, charsets=None, threads=None, *, model=None, **choices))]
pub(crate) fn extract_batch(
    py: Python<'_>,
    pages: &Bound<'_, PyAny>,
    urls: Option<&Bound<'_, PyAny>>,
    charsets: Option<&Bound<'_, PyAny>>,
    threads: Option<NonZeroUsize>,
    model: Option<Bound<'_, PyAny>>,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyRecordBatch> {
    let extractor = chosen(py, model, choices)?;
    extractor
        .get()
        .extract_batch(py, pages, urls, charsets, threads)
}

/// The extractor of these keywords, made as Python makes it: which there are, and what they are if not given,
/// is said in one place.
fn chosen<'py>(
    py: Python<'py>,
    model: Option<Bound<'py, PyAny>>,
    choices: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyExtractor>> {
    let made = py.get_type::<PyExtractor>().call((model,), choices)?;
    Ok(made.cast_into()?)
}
