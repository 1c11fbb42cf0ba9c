//! `Extractor`, `extract`, `extract_batch`.

use std::num::NonZeroUsize;

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyTuple},
};
use trommel::{
    Document, DocumentOptions, Extraction, Extractor, HintError, Hints, archive::binary_type,
};
use trommel_output::OutputRecord;

use crate::{
    arrow::{ArrowColumns, PyRecordBatch},
    names::{Names, refuse_unknown},
    page::PyDocument,
    pages::{PageBytes, Pages, beside},
    parallel,
    settings::{ExtractionSettings, Given, NamedModel},
};

/// Keywords of an extractor.
pub(crate) const KEYWORDS: [&str; 17] = [
    "model", "markdown", "links", "images", "sections", "posts", "comments", "headline",
    "articles", "include", "exclude", "blocks", "spans", "tables", "math", "notes", "scripts",
];

/// A hint that means nothing.
pub(crate) fn wrong(error: HintError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

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

    /// The document of a page, which is none if its bytes are of something else.
    pub(crate) fn document(&self, page: &[u8], hints: &Hints<'_>) -> Document {
        match binary_type(page) {
            Some(kind) => Document::of_other_data(&kind),
            None => self.made(&self.extractor.extract(page, hints)),
        }
    }

    fn made(&self, extraction: &Extraction<'_>) -> Document {
        let mut document = extraction.document(&self.form);
        if let Some(text) = self.divided(extraction) {
            document.text = text;
        }
        document
    }

    /// The text in sections or posts, if that was asked for.
    fn divided(&self, extraction: &Extraction<'_>) -> Option<String> {
        let markdown = self.form.markdown.as_ref()?;
        match (self.settings.sections, self.settings.posts) {
            (true, _) => Some(extraction.markdown_of_sections(markdown)),
            (_, true) => Some(extraction.markdown_of_posts(markdown)),
            _ => None,
        }
    }

    /// Refuses an extractor whose choices are for single pages.
    ///
    /// # Errors
    /// `ValueError` if posts are asked for and are no part of the text.
    pub(crate) fn check_for_many(&self) -> PyResult<()> {
        match self.settings.posts && !self.settings.markdown {
            true => Err(PyValueError::new_err(
                "posts: lists of posts are for single pages; with markdown=True the text is divided into posts",
            )),
            false => Ok(()),
        }
    }
}

#[pymethods]
impl PyExtractor {
    #[new]
    #[pyo3(
        signature = (model=None, *, markdown=false, links=false, images=false, sections=false, posts=false, comments="exclude", headline="auto", articles="all", include=Names::default(), exclude=Names::default(), blocks=false, spans=false, tables=false, math="tex", notes="keep", scripts="caret", **unknown),
        text_signature = "(model=None, *, markdown=False, links=False, images=False, sections=False, posts=False, comments='exclude', headline='auto', articles='all', include=(), exclude=(), blocks=False, spans=False, tables=False, math='tex', notes='keep', scripts='caret')"
    )]
    #[allow(clippy::too_many_arguments)]
    fn new(
        model: Option<NamedModel>,
        markdown: bool,
        links: bool,
        images: bool,
        sections: bool,
        posts: bool,
        comments: &str,
        headline: &str,
        articles: &str,
        include: Names,
        exclude: Names,
        blocks: bool,
        spans: bool,
        tables: bool,
        math: &str,
        notes: &str,
        scripts: &str,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        refuse_unknown(unknown, &KEYWORDS)?;
        let given = Given {
            model,
            markdown,
            links,
            images,
            sections,
            posts,
            comments,
            headline,
            articles,
            include: include.0,
            exclude: exclude.0,
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
    /// the encoding, `date` when the page was captured (ISO 8601). Of bytes that are no page (PDF, images,
    /// archives) it is empty, and its `notes` say so.
    #[pyo3(signature = (html, url=None, charset=None, date=None))]
    pub(crate) fn extract(
        &self,
        py: Python<'_>,
        html: PageBytes,
        url: Option<String>,
        charset: Option<&str>,
        date: Option<String>,
    ) -> PyResult<PyDocument> {
        let view = html.view();
        let hints = view.hints(url.as_deref(), charset, date.as_deref());
        hints.check().map_err(wrong)?;
        let (document, posts) = py.detach(|| {
            let wanted = self.settings.posts;
            if let Some(kind) = binary_type(view.bytes) {
                return (Document::of_other_data(&kind), wanted.then(Vec::new));
            }
            let extraction = self.extractor.extract(view.bytes, &hints);
            let posts = wanted.then(|| extraction.posts(self.form.text));
            (self.made(&extraction), posts)
        });
        Ok(PyDocument::new(document, url, date, posts))
    }

    /// The text of one page and nothing else about it, which takes less time: no title, dates or language.
    #[pyo3(signature = (html, url=None, charset=None))]
    fn text(
        &self,
        py: Python<'_>,
        html: PageBytes,
        url: Option<&str>,
        charset: Option<&str>,
    ) -> PyResult<String> {
        let view = html.view();
        let hints = view.hints(url, charset, None);
        hints.check().map_err(wrong)?;
        Ok(py.detach(|| {
            if binary_type(view.bytes).is_some() {
                return String::new();
            }
            let extraction = self.extractor.extract(view.bytes, &hints);
            if let Some(text) = self.divided(&extraction) {
                return text;
            }
            match &self.form.markdown {
                Some(options) => extraction.markdown(options),
                None => extraction.text_with(self.form.text),
            }
        }))
    }

    /// The documents of many pages as a record batch, a row a page, in their order; a page that is `None`
    /// gives a row of nulls. Pages are a list of bytes or str, or an Arrow array of binary or text; `urls` and
    /// `charsets` have one value for each, and a charset that nobody knows is passed over, as servers say such.
    /// `threads`: all processor cores if not given.
    #[pyo3(signature = (pages, urls=None, charsets=None, threads=None))]
    pub(crate) fn extract_batch(
        &self,
        py: Python<'_>,
        pages: &Bound<'_, PyAny>,
        urls: Option<&Bound<'_, PyAny>>,
        charsets: Option<&Bound<'_, PyAny>>,
        threads: Option<NonZeroUsize>,
    ) -> PyResult<PyRecordBatch> {
        self.check_for_many()?;
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
                Some(OutputRecord {
                    url: url.clone(),
                    ..OutputRecord::from(self.document(page.bytes, &hints))
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
/// `links`, `images`, `sections`, `posts`, `comments`, `headline`, `articles`, `include`, `exclude`, `blocks`,
/// `spans`, `tables`, `math`, `notes`, `scripts`.
#[pyfunction]
#[pyo3(signature = (html, url=None, charset=None, model=None, *, date=None, **choices))]
pub(crate) fn extract(
    py: Python<'_>,
    html: PageBytes,
    url: Option<String>,
    charset: Option<&str>,
    model: Option<Bound<'_, PyAny>>,
    date: Option<String>,
    choices: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyDocument> {
    let extractor = chosen(py, model, choices)?;
    extractor.get().extract(py, html, url, charset, date)
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
