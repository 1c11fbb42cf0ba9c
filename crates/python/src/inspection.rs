//! `inspect`: the decisions of the extractor about a page.

use std::path::PathBuf;

use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use trommel::archive::binary_type;
use trommel::record::AtomicFile;
use trommel_web::viewer::{View, report};

use crate::errors::told;
use crate::extractor::{PyExtractor, wrong};
use crate::pages::PageBytes;
use crate::settings::{Keywords, of_pages};

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
    let extractor = PyExtractor::of(Keywords::read(model, choices, of_pages)?)?;
    html.refuse_names()?;
    let page = html.view();
    let hints = page.hints(url, charset, None);
    hints.check().map_err(wrong)?;
    if let Some(kind) = binary_type(page.bytes) {
        return Err(PyValueError::new_err(format!("{kind} data, not a page")));
    }
    py.detach(|| {
        let judge = extractor.extractor.judge().clone().with_inline_style(true);
        let extraction = judge.extract(page.bytes, &hints);
        let view = View::new(&extraction, url, extractor.extractor.model());
        let html = report(&view).map_err(told)?;
        Ok(Inspection { html, text: view.plain, markdown: view.markdown })
    })
}
