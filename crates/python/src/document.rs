//! Python classes of a document and its parts. The attributes are the keys of documents in outputs.

use pyo3::types::{PyBytes, PyCFunction, PyDict, PyTuple};
use pyo3::{IntoPyObjectExt as _, PyClass, prelude::*, pyclass::boolean_struct::True};
use trommel::extract::TextSpan;
use trommel::{BlockVerdict, Chunk, Document, DocumentTable, Post, Role, record::page_line};
use trommel_text::keys::{Field, Keyed, Shape, Value};

use crate::{errors::told, values};

/// Keys of a document that are in `to_dict` and `to_json`, but are not attributes of the Python class.
const OF_CAPTURE: [&str; 5] = ["id", "source", "status", "truncated", "extractor"];

/// Adds an attribute for each key to the Python classes of documents and of their parts.
///
/// # Errors
/// Fails only if memory runs out.
pub(crate) fn add_attributes(py: Python<'_>) -> PyResult<()> {
    attributes(py, |object: &PyDocument| &object.0, |field| !OF_CAPTURE.contains(&field.name))?;
    attributes(py, |object: &PyBlock| &object.0, |_| true)?;
    attributes(py, |object: &PyTable| &object.0, |_| true)?;
    attributes(py, |object: &PyPost| &object.0, |_| true)?;
    // `blocks` and `span` have the numbers.
    attributes(py, |object: &PyChunk| &object.0, |field| !matches!(field.shape, Shape::Long))
}

/// Adds an attribute for each key to a Python class, except keys that the class defines itself.
fn attributes<C: PyClass<Frozen = True> + Sync, R: Keyed>(
    py: Python<'_>,
    record: fn(&C) -> &R,
    is_attribute: fn(&Field) -> bool,
) -> PyResult<()> {
    let class = py.get_type::<C>();
    let property = py.import("builtins")?.getattr("property")?;
    for key in R::KEYS {
        let name = key.field.name;
        if class.hasattr(name)? || !is_attribute(&key.field) {
            continue;
        }
        let get = move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
            let object = arguments.get_item(0)?.cast_into::<C>()?;
            value(arguments.py(), (key.value)(record(object.get()))).map(Bound::unbind)
        };
        let get = PyCFunction::new_closure(py, None, None, get)?;
        class.setattr(name, property.call1((get, py.None(), py.None(), key.field.about.trim()))?)?;
    }
    Ok(())
}

/// Converts a value of a document to a Python object; `None` for lists of objects, which have their own classes.
fn value<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Text(text) => text.into_bound_py_any(py),
        Value::Integer(number) => number.into_bound_py_any(py),
        Value::Number(number) => number.into_bound_py_any(py),
        Value::Boolean(value) => value.into_bound_py_any(py),
        Value::Texts(texts) => texts.into_bound_py_any(py),
        Value::Rows(rows) => rows.into_bound_py_any(py),
        Value::Missing | Value::Objects(_) => Ok(py.None().into_bound(py)),
    }
}

/// One block of a page, with the verdict on it.
#[pyclass(frozen, name = "Block", module = "trommel_text")]
pub(crate) struct PyBlock(BlockVerdict);

#[pymethods]
impl PyBlock {
    /// Role of the block (headline, body, comment ...); empty if unknown.
    #[getter]
    fn role(&self) -> &'static str {
        self.0.role.map_or("", Role::name)
    }

    fn __repr__(&self) -> String {
        let BlockVerdict { kept, probability, path, text, .. } = &self.0;
        let verdict = if *kept { "kept" } else { "dropped" };
        format!("<Block {verdict} {probability:.2} {path} {:?}>", beginning(text))
    }
}

/// A table in the text of a page.
#[pyclass(frozen, name = "Table", module = "trommel_text")]
pub(crate) struct PyTable(DocumentTable);

#[pymethods]
impl PyTable {
    fn __repr__(&self) -> String {
        format!("<Table of {} rows {:?}>", self.0.rows.len(), beginning(&self.0.caption))
    }
}

/// A part of the text of a page, for retrieval.
#[pyclass(frozen, name = "Chunk", module = "trommel_text")]
pub(crate) struct PyChunk(Chunk);

#[pymethods]
impl PyChunk {
    /// First and last block, as indices into all blocks of the page.
    #[getter]
    fn blocks(&self) -> (u32, u32) {
        (self.0.first_block, self.0.last_block)
    }

    /// First character in the document's text, number of characters, first byte in the decoded page, number of bytes.
    #[getter]
    fn span(&self) -> (u32, u32, u32, u32) {
        (self.0.start, self.0.chars, self.0.byte, self.0.bytes)
    }

    fn __repr__(&self) -> String {
        format!("<Chunk {} {:?}>", self.0.id, beginning(&self.0.text))
    }
}

/// The contribution of one person to a page on which several people write.
#[pyclass(frozen, name = "Post", module = "trommel_text")]
pub(crate) struct PyPost(Post);

#[pymethods]
impl PyPost {
    /// Time of publication as a `datetime`; midnight without a time zone if only the day is known.
    #[getter]
    fn published<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        moment(py, self.0.published.as_deref())
    }

    fn __repr__(&self) -> String {
        let author = self.0.author.as_deref().unwrap_or_default();
        format!("<Post of {author:?} {:?}>", beginning(&self.0.text))
    }
}

/// Parses an ISO 8601 date or time as a `datetime`. Replaces `Z`, which `fromisoformat` knows only from Python 3.11.
fn moment<'py>(py: Python<'py>, text: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(text) = text else { return Ok(None) };
    let datetime = py.import("datetime")?.getattr("datetime")?;
    let text = text.replace('Z', "+00:00");
    datetime.call_method1("fromisoformat", (text,)).map(Some)
}

/// The main text of a page, and its metadata.
#[pyclass(frozen, eq, name = "Document", module = "trommel_text")]
#[derive(PartialEq)]
pub(crate) struct PyDocument(pub(crate) Document);

#[pymethods]
impl PyDocument {
    /// Time of publication as a `datetime`; midnight without a time zone if only the day is known. `to_dict` has it
    /// as ISO 8601 text, as precise as the page states it.
    #[getter]
    fn published<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        moment(py, self.0.published.as_deref())
    }

    /// Time of the last change, in the form of `published`.
    #[getter]
    fn modified<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        moment(py, self.0.modified.as_deref())
    }

    /// Place of the page in its archive, as `trommel cat` takes it (`a.warc.gz:1423:5310`); `None` outside of archives.
    #[getter]
    fn place(&self) -> Option<String> {
        self.0.source.as_ref().map(ToString::to_string)
    }

    /// Names of the caps that the page exceeded; content beyond a cap is missing.
    #[getter]
    fn capped(&self) -> &[String] {
        &self.0.capped
    }

    /// Irregularities of the page, in words; for data that is not a page, its kind.
    #[getter]
    fn notes(&self) -> &[String] {
        &self.0.notes
    }

    /// Posts of the page, if its markup names their authors; with `posts=True`.
    #[getter]
    fn posts(&self) -> Vec<PyPost> {
        self.0.posts.iter().cloned().map(PyPost).collect()
    }

    /// Every block of the page, kept or not; with `blocks=True`.
    #[getter]
    fn blocks(&self) -> Vec<PyBlock> {
        self.0.blocks.iter().cloned().map(PyBlock).collect()
    }

    /// Source bytes of the parts of the text, with `spans=True`: first character of the text, number of characters,
    /// first byte of the page, number of bytes.
    #[getter]
    fn spans(&self) -> Vec<(u32, u32, u32, u32)> {
        let spans = self.0.spans.iter();
        spans.map(|&TextSpan { start, chars, byte, bytes }| (start, chars, byte, bytes)).collect()
    }

    /// Tables in the text, as rows; with `tables=True`.
    #[getter]
    fn tables(&self) -> Vec<PyTable> {
        self.0.tables.iter().cloned().map(PyTable).collect()
    }

    /// The text in chunks for retrieval; with `chunks="words=400"`.
    #[getter]
    fn chunks(&self) -> Vec<PyChunk> {
        self.0.chunks.iter().cloned().map(PyChunk).collect()
    }

    /// Returns the document as one JSON object, as `trommel extract -f json` prints it, with the keys of a JSON line
    /// of a run.
    fn to_json(&self) -> PyResult<String> {
        let mut line = page_line(&self.0, None).map_err(told)?;
        // The end of the line.
        line.pop();
        Ok(line)
    }

    /// Returns the document as a dict with the keys of a JSON line.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::parsed(py, &self.to_json()?)
    }

    fn __str__(&self) -> &str {
        &self.0.text
    }

    fn __repr__(&self) -> String {
        let title = self.0.title.as_deref().unwrap_or_default();
        format!("<Document {title:?}, {} characters, confidence {:.2}>", self.0.text.chars().count(), self.0.confidence)
    }

    /// Shows the document in a notebook: title, facts and the beginning of the text.
    fn _repr_html_(&self) -> String {
        let facts = [self.0.url.as_deref(), self.0.published.as_deref(), self.0.lang.as_deref()];
        let facts: Vec<&str> = facts.into_iter().flatten().collect();
        let mut text: String = self.0.text.chars().take(SHOWN_CHARS).collect();
        if text.len() < self.0.text.len() {
            text.push_str(" ...");
        }
        format!(
            "<div style=\"max-width:48em\" dir=\"auto\"><b>{}</b><br><small>{} · confidence {:.2}</small>\
             <div style=\"white-space:pre-wrap;max-height:24em;overflow:auto;margin-top:.5em\">{}</div></div>",
            escaped(self.0.title.as_deref().unwrap_or("Without a title")),
            escaped(&facts.join(" · ")),
            self.0.confidence,
            escaped(&text)
        )
    }

    fn __hash__(&self) -> u64 {
        trommel_text::hash(self.0.text.as_bytes())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        // The form of a document for output leaves these facts out.
        let state = (&self.0, &self.0.robots, self.0.links, &self.0.digest);
        let bytes = rmp_serde::to_vec_named(&state).map_err(told)?;
        let restore = py.get_type::<Self>().getattr("_restore")?;
        Ok((restore, (PyBytes::new(py, &bytes),)))
    }

    /// The document that was pickled.
    #[staticmethod]
    fn _restore(state: &[u8]) -> PyResult<Self> {
        let (document, robots, links, digest): (Document, _, _, _) = rmp_serde::from_slice(state).map_err(told)?;
        Ok(Self(Document { robots, links, digest, ..document }))
    }
}

/// Maximum number of characters of a text that a notebook shows.
const SHOWN_CHARS: usize = 10_000;

/// Escapes `&`, `<` and `"` in a text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}
