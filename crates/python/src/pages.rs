//! Reads pages from Python callers: bytes, text, lists of these, or Arrow arrays.

use std::path::Path;

use arrow_array::{Array, ArrayRef, cast::AsArray};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyMemoryView, PyString};
use trommel::{Hints, run::is_url};

use crate::arrow::arrays;

/// Page that a Python caller passes as bytes or str. Holds a reference to the Python object instead of a copy.
pub(crate) enum PageBytes {
    /// Page as bytes in any encoding.
    Bytes(PyBackedBytes),
    /// Page as decoded text.
    Text(PyBackedStr),
    /// Page as decoded text in which characters that UTF-8 cannot encode were replaced.
    Replaced(PyBackedBytes),
}

/// Converts a `bytes`, `bytearray`, `memoryview` or `str` object.
impl<'a, 'py> FromPyObject<'a, 'py> for PageBytes {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = given.cast::<PyString>() {
            return match PyBackedStr::try_from(text.to_owned()) {
                Ok(text) => Ok(Self::Text(text)),
                Err(_) => {
                    let bytes = text.call_method1("encode", ("utf-8", "replace"))?;
                    Ok(Self::Replaced(bytes.extract()?))
                }
            };
        }
        if let Ok(bytes) = given.extract::<PyBackedBytes>() {
            return Ok(Self::Bytes(bytes));
        }
        if given.cast::<PyMemoryView>().is_ok() {
            let bytes = given.py().get_type::<PyBytes>().call1((given,))?;
            return Ok(Self::Bytes(bytes.extract()?));
        }
        if given.hasattr("__fspath__")? {
            return Err(PyTypeError::new_err(OF_A_FILE));
        }
        let kind = given.get_type().name()?;
        Err(PyTypeError::new_err(format!("a page is bytes or str, not {kind}")))
    }
}

const OF_A_FILE: &str = "a page is its bytes, not the name of its file: extract_file(name) reads one";
const OF_A_URL: &str = "a page is its bytes, not its URL: fetch(url) fetches one";
/// Maximum number of bytes of a text that is checked for being a file name or URL.
const MAX_NAME_BYTES: usize = 4096;

impl PageBytes {
    /// Refuses text that is a URL or a file name, because it would be extracted as a page of one line.
    ///
    /// # Errors
    /// Raises `ValueError` with advice on how to pass the page.
    pub(crate) fn refuse_names(&self) -> PyResult<()> {
        let Self::Text(text) = self else { return Ok(()) };
        let told = |what| Err(PyValueError::new_err(what));
        let name = text.trim();
        if name.is_empty() || text.len() > MAX_NAME_BYTES || text.contains(['<', '\n', '\0']) {
            return Ok(());
        }
        let is_word = !name.contains(char::is_whitespace);
        if is_word && (is_url(name) || name.starts_with("file://")) {
            return told(OF_A_URL);
        }
        let is_page = [".html", ".htm", ".xhtml"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
        match is_word && is_page || Path::new(name).is_file() {
            true => told(OF_A_FILE),
            false => Ok(()),
        }
    }

    pub(crate) fn view(&self) -> PageView<'_> {
        match self {
            Self::Bytes(bytes) => PageView { bytes, is_text: false },
            Self::Text(text) => PageView { bytes: text.as_bytes(), is_text: true },
            Self::Replaced(bytes) => PageView { bytes, is_text: true },
        }
    }
}

/// Bytes of a page, and whether they are decoded text in UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct PageView<'a> {
    pub(crate) bytes: &'a [u8],
    is_text: bool,
}

impl<'a> PageView<'a> {
    /// Returns the hints about the page. For decoded text the charset is UTF-8, whatever the page declares.
    pub(crate) fn hints(&self, url: Option<&'a str>, charset: Option<&'a str>, date: Option<&'a str>) -> Hints<'a> {
        Hints { url, http_charset: if self.is_text { Some("utf-8") } else { charset }, crawl_charset: None, date }
    }
}

/// Pages that a Python caller passes as a list or as Arrow arrays. Some may be missing (`None` or null).
pub(crate) enum Pages {
    List(Vec<Option<PageBytes>>),
    Arrays(Vec<ArrayRef>),
}

impl Pages {
    /// Reads pages from a list or another iterable, or from an Arrow array or chunked array of binary or text.
    ///
    /// # Errors
    /// Raises `TypeError` if the object is neither.
    pub(crate) fn new(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(arrays) = arrays(given)? {
            return Ok(Self::Arrays(arrays));
        }
        if given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err("pages are a list or an Arrow array, not one page"));
        }
        let pages = given.try_iter()?.map(|page| page?.extract());
        Ok(Self::List(pages.collect::<PyResult<_>>()?))
    }

    /// Returns the bytes of each page; `None` for a missing page.
    ///
    /// # Errors
    /// Raises `TypeError` if an array is neither of binary nor of text.
    pub(crate) fn views(&self) -> PyResult<Vec<Option<PageView<'_>>>> {
        match self {
            Self::List(pages) => Ok(pages.iter().map(|page| page.as_ref().map(PageBytes::view)).collect()),
            Self::Arrays(arrays) => {
                let mut views = Vec::new();
                for array in arrays {
                    cells(array, &mut views)?;
                }
                Ok(views)
            }
        }
    }
}

fn cells<'a>(array: &'a ArrayRef, views: &mut Vec<Option<PageView<'a>>>) -> PyResult<()> {
    let bytes = |bytes: Option<&'a [u8]>| bytes.map(|bytes| PageView { bytes, is_text: false });
    let text = |text: Option<&'a str>| text.map(|text| PageView { bytes: text.as_bytes(), is_text: true });
    match array.data_type() {
        DataType::Binary => views.extend(array.as_binary::<i32>().iter().map(bytes)),
        DataType::LargeBinary => views.extend(array.as_binary::<i64>().iter().map(bytes)),
        DataType::BinaryView => views.extend(array.as_binary_view().iter().map(bytes)),
        DataType::Utf8 => views.extend(array.as_string::<i32>().iter().map(text)),
        DataType::LargeUtf8 => views.extend(array.as_string::<i64>().iter().map(text)),
        DataType::Utf8View => views.extend(array.as_string_view().iter().map(text)),
        other => {
            return Err(PyTypeError::new_err(format!("pages are an Arrow array of binary or text, not of {other}")));
        }
    }
    Ok(())
}

/// Returns the URLs or charsets of pages, one for each page; all `None` without `given`. `what` names the values in
/// errors.
///
/// # Errors
/// Raises `TypeError` if a value is not text, and `ValueError` if the number of values is not that of the pages.
pub(crate) fn beside(what: &str, given: Option<&Bound<'_, PyAny>>, pages: usize) -> PyResult<Vec<Option<String>>> {
    let Some(given) = given else {
        return Ok(vec![None; pages]);
    };
    let texts: Vec<Option<String>> = match arrays(given)? {
        Some(arrays) => {
            let mut views = Vec::new();
            for array in &arrays {
                cells(array, &mut views)?;
            }
            let text = |view: PageView| String::from_utf8_lossy(view.bytes).into_owned();
            views.into_iter().map(|view| view.map(text)).collect()
        }
        None => given.try_iter()?.map(|text| text?.extract()).collect::<PyResult<_>>()?,
    };
    match texts.len() == pages {
        true => Ok(texts),
        false => Err(PyValueError::new_err(format!("{} {what} of {pages} pages", texts.len()))),
    }
}

/// Page to be extracted, with its hints.
pub(crate) struct PageRequest {
    pub(crate) html: PageBytes,
    pub(crate) url: Option<String>,
    charset: Option<String>,
    pub(crate) date: Option<String>,
}

impl PageRequest {
    /// Reads a page given as bytes or str, or as a dict with the keys `html`, `url`, `charset` and `date`.
    pub(crate) fn read(page: &Bound<'_, PyAny>) -> PyResult<Self> {
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

    pub(crate) fn hints(&self) -> Hints<'_> {
        self.html.view().hints(self.url.as_deref(), self.charset.as_deref(), self.date.as_deref())
    }
}
