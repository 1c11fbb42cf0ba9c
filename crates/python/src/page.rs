//! A document and its blocks, for Python.

use pyo3::{prelude::*, types::PyBytes};
use serde::{Deserialize, Serialize};
use trommel::extract::Rights;
use trommel::record::{RecordSource, page_line};
use trommel::{BlockReason, BlockVerdict, Document, DocumentTable, Metadata, OutputRecord, Post, Role};

use crate::{errors::told, values};

/// Declares getters of facts that Python sees as the document has them.
macro_rules! getters {
    ($class:ident, $($(#[$doc:meta])* $name:ident: $type:ty = $($place:ident).+;)+) => {
        #[pymethods]
        impl $class {
            $(
                $(#[$doc])*
                #[getter]
                fn $name(&self) -> &$type {
                    &self.$($place).+
                }
            )+
        }
    };
}

/// One block of a page, with the verdict on it.
#[pyclass(frozen, module = "trommel_text")]
pub(crate) struct Block {
    block: BlockVerdict,
}

getters! {
    Block,
    /// Its text.
    text: String = block.text;
    /// Its first byte in the decoded page.
    start: u32 = block.start;
    /// The byte after its last.
    end: u32 = block.end;
    /// Name of the innermost block-level element around it.
    tag: String = block.tag;
    /// Names of the block-level elements around it, outermost first, separated by `>`.
    path: String = block.path;
    /// Number of its words.
    words: u32 = block.words;
    /// Share of the words in links, 0 to 1.
    link_density: f32 = block.link_density;
    /// Probability that it is main content.
    probability: f32 = block.probability;
    /// True if the block is part of the text.
    kept: bool = block.kept;
}

#[pymethods]
impl Block {
    /// Its role (headline, body, comment ...); empty if unknown.
    #[getter]
    fn role(&self) -> &'static str {
        self.block.role.map_or("", Role::name)
    }

    /// `page`; `json-ld` for text found only in the page's JSON-LD; `hydration` for text found only in the data of
    /// its scripts.
    #[getter]
    fn source(&self) -> &'static str {
        self.block.source.name()
    }

    /// The origin of the decision whether it is kept: `model`, `policy` (settings for headlines, comments and roles), `notes` (a
    /// footnote whose mark is kept), or the name of a rule.
    #[getter]
    fn decider(&self) -> &'static str {
        self.block.by.name()
    }

    fn __repr__(&self) -> String {
        let BlockVerdict { kept, probability, path, text, .. } = &self.block;
        let verdict = if *kept { "kept" } else { "dropped" };
        format!("<Block {verdict} {probability:.2} {path} {:?}>", beginning(text))
    }
}

/// A table in the text of a page.
#[pyclass(frozen, module = "trommel_text")]
pub(crate) struct Table {
    table: DocumentTable,
}

getters! {
    Table,
    /// Its caption; empty if it has none.
    caption: String = table.caption;
    /// Number of header rows at its top.
    header_rows: u32 = table.header_rows;
    /// Its rows from top to bottom, each a list of cells.
    rows: Vec<Vec<String>> = table.rows;
}

#[pymethods]
impl Table {
    fn __repr__(&self) -> String {
        format!("<Table of {} rows {:?}>", self.table.rows.len(), beginning(&self.table.caption))
    }
}

/// A part of the text of a page, for retrieval.
#[pyclass(frozen, get_all, module = "trommel_text")]
#[derive(Clone)]
pub(crate) struct Chunk {
    /// Hash of headings and text: equal content has an equal id.
    id: String,
    /// Its text.
    text: String,
    /// Headings above it, outermost first.
    headings: Vec<String>,
    /// Roles of its blocks.
    roles: Vec<String>,
    /// First and last block, as indices into all blocks of the page.
    blocks: (u32, u32),
    /// First character in the document's text, number of characters, first byte in the decoded page, number of bytes.
    span: (u32, u32, u32, u32),
}

#[pymethods]
impl Chunk {
    fn __repr__(&self) -> String {
        format!("<Chunk {} {:?}>", self.id, beginning(&self.text))
    }
}

/// The contribution of one person to a page with several.
#[pyclass(frozen, name = "Post", module = "trommel_text")]
pub(crate) struct PyPost {
    post: Post,
}

getters! {
    PyPost,
    /// Name of the author, as the page shows it.
    author: Option<String> = post.author;
    /// Its text.
    text: String = post.text;
}

#[pymethods]
impl PyPost {
    /// Time of publication as a `datetime`; midnight without a time zone if only the day is known.
    #[getter]
    fn published<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        moment(py, self.post.published.as_deref())
    }

    fn __repr__(&self) -> String {
        let author = self.post.author.as_deref().unwrap_or_default();
        format!("<Post of {author:?} {:?}>", beginning(&self.post.text))
    }
}

/// The `datetime` of an ISO 8601 date, or date and time. `fromisoformat` knows `Z` from Python 3.11 on.
fn moment<'py>(py: Python<'py>, text: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(text) = text else { return Ok(None) };
    let datetime = py.import("datetime")?.getattr("datetime")?;
    let text = text.replace('Z', "+00:00");
    datetime.call_method1("fromisoformat", (text,)).map(Some)
}

/// The main text of a page, and its metadata.
#[pyclass(frozen, name = "Document", module = "trommel_text")]
#[derive(PartialEq, Serialize, Deserialize)]
pub(crate) struct PyDocument {
    document: Document,
    url: Option<String>,
    date: Option<String>,
    #[serde(default)]
    capture: Option<Capture>,
}

/// The facts about the record of a page in an archive.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Capture {
    id: String,
    source: Option<RecordSource>,
    status: Option<u16>,
    truncated: Option<String>,
    extractor: String,
}

impl PyDocument {
    /// A document with the hints that were given.
    pub(crate) fn new(document: Document, url: Option<String>, date: Option<String>) -> Self {
        Self { document, url, date, capture: None }
    }

    /// The document of a page in an archive.
    pub(crate) fn of_record(record: OutputRecord) -> Self {
        let parts = |text: &str, separator: &str| -> Vec<String> {
            text.split(separator).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let mut reasons = BlockReason::ALL.into_iter();
        // Statements in the form of the headers that make them.
        let rights = record.rights.split("; ").map(|part| match part.split_once('=') {
            Some((name, value)) if name.starts_with("tdm-") => (name, value),
            Some(_) => ("content-signal", part),
            None => ("x-robots-tag", part),
        });
        let document = Document {
            rights: Rights::of_headers(rights),
            blocked: reasons.find(|reason| reason.name() == record.blocked),
            capped: parts(&record.capped, ", "),
            notes: parts(&record.notes, "; "),
            text: record.text,
            title: record.title,
            lang: record.lang,
            metadata: Metadata {
                author: record.author,
                published: record.published,
                modified: record.modified,
                site: record.site,
                description: record.description,
                canonical: record.canonical,
                next: record.next,
                lang_declared: record.lang_declared,
            },
            page_type: record.page_type,
            headings: record.headings,
            comments: record.comments,
            charset: record.charset,
            charset_source: record.charset_source,
            confidence: record.confidence,
            links: record.links,
            blocks: record.blocks,
            spans: record.spans,
            tables: record.tables,
            posts: record.posts,
            chunks: record.chunks,
            ..Document::default()
        };
        let (id, source, status) = (record.id, record.source, record.status);
        let capture = Capture { id, source, status, truncated: record.truncated, extractor: record.extractor };
        Self { document, url: record.url, date: record.date, capture: Some(capture) }
    }
}

getters! {
    PyDocument,
    /// Main text, plain or as Markdown; empty if the page has none.
    text: String = document.text;
    /// Title of the page, without the name of its site.
    title: Option<String> = document.title;
    /// ISO 639 code of the text's language.
    lang: Option<String> = document.lang;
    /// URL of the page, if the caller or the archive gave it.
    url: Option<String> = url;
    /// Time of the capture (ISO 8601), if the caller or the archive gave it.
    date: Option<String> = date;
    /// Names of the authors.
    author: Vec<String> = document.metadata.author;
    /// Name of the site or publisher.
    site: Option<String> = document.metadata.site;
    /// The page's description of itself.
    description: Option<String> = document.metadata.description;
    /// Canonical URL of the page.
    canonical: Option<String> = document.metadata.canonical;
    /// URL of the next page, if the text continues there.
    next: Option<String> = document.metadata.next;
    /// Language that the page declares, as a BCP 47 tag.
    lang_declared: Option<String> = document.metadata.lang_declared;
    /// Type of the page (article, forum, product ...), if the model knows types.
    page_type: Option<String> = document.page_type;
    /// Headings in the text.
    headings: Vec<String> = document.headings;
    /// Readers' comments, with `comments="separate"`.
    comments: Option<String> = document.comments;
    /// Encoding of the page: its WHATWG name.
    charset: String = document.charset;
    /// Origin of the encoding: `bom`, `http`, `meta`, `crawl` or `detected`.
    charset_source: String = document.charset_source;
    /// Expected word F1 of the text, 0 to 1.
    confidence: f32 = document.confidence;
    /// Names of the caps that the page exceeded; content beyond a cap is missing.
    capped: Vec<String> = document.capped;
    /// Irregularities of the page, in words; for data that is not a page, its kind.
    notes: Vec<String> = document.notes;
}

#[pymethods]
impl PyDocument {
    /// Time of publication as a `datetime`; midnight without a time zone if only the day is known. `to_dict` has it
    /// as ISO 8601 text, as precise as the page states it.
    #[getter]
    fn published<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        moment(py, self.document.metadata.published.as_deref())
    }

    /// Time of the last change, in the same form.
    #[getter]
    fn modified<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        moment(py, self.document.metadata.modified.as_deref())
    }

    /// Place of the page in its archive, as `trommel cat` takes it (`a.warc.gz:1423:5310`); `None` outside of archives.
    #[getter]
    fn place(&self) -> Option<String> {
        let source = self.capture.as_ref()?.source.as_ref()?;
        let inner = if source.inner == 0 { String::new() } else { format!(":{}", source.inner) };
        Some(format!("{}:{}:{}{inner}", source.file, source.offset, source.length))
    }

    /// Obstacle in place of the requested page (`captcha`, `denied` ...); `None` if there is none.
    #[getter]
    fn blocked(&self) -> Option<&'static str> {
        self.document.blocked.map(BlockReason::name)
    }

    /// Reservations of rights that the page states (`tdm-reservation=1; noai`); `None` if it states none. Those in HTTP
    /// headers are only known to runs.
    #[getter]
    fn rights(&self) -> Option<String> {
        (!self.document.rights.is_empty()).then(|| self.document.rights.to_string())
    }

    /// Posts of the page, if its markup names their authors; with `posts=True`.
    #[getter]
    fn posts(&self) -> Vec<PyPost> {
        self.document.posts.iter().cloned().map(|post| PyPost { post }).collect()
    }

    /// Every block of the page, kept or not; with `blocks=True`.
    #[getter]
    fn blocks(&self) -> Vec<Block> {
        self.document.blocks.iter().cloned().map(|block| Block { block }).collect()
    }

    /// Source bytes of the parts of the text, with `spans=True`: first character of the text, number of characters,
    /// first byte of the page, number of bytes.
    #[getter]
    fn spans(&self) -> Vec<(u32, u32, u32, u32)> {
        let spans = self.document.spans.iter();
        spans.map(|span| (span.start, span.chars, span.byte, span.bytes)).collect()
    }

    /// Tables in the text, as rows; with `tables=True`.
    #[getter]
    fn tables(&self) -> Vec<Table> {
        self.document.tables.iter().cloned().map(|table| Table { table }).collect()
    }

    /// The text in chunks for retrieval; with `chunks="words=400"`.
    #[getter]
    fn chunks(&self) -> Vec<Chunk> {
        let chunks = self.document.chunks.iter().cloned();
        chunks
            .map(|chunk| Chunk {
                id: chunk.id,
                text: chunk.text,
                headings: chunk.headings,
                roles: chunk.roles,
                blocks: (chunk.first_block, chunk.last_block),
                span: (chunk.start, chunk.chars, chunk.byte, chunk.bytes),
            })
            .collect()
    }

    /// Returns the document as one JSON object, as `trommel extract -f json` prints it, with the keys of a JSON line
    /// of a run.
    fn to_json(&self) -> PyResult<String> {
        let mut record = OutputRecord {
            url: self.url.clone(),
            date: self.date.clone(),
            ..OutputRecord::from(self.document.clone())
        };
        if let Some(Capture { id, source, status, truncated, extractor }) = self.capture.clone() {
            record = OutputRecord { id, source, status, truncated, extractor, ..record };
        }
        let mut line = page_line(&record, None).map_err(told)?;
        // The end of the line.
        line.pop();
        Ok(line)
    }

    /// Returns the document as a dict with the same keys.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::parsed(py, &self.to_json()?)
    }

    fn __str__(&self) -> &str {
        &self.document.text
    }

    fn __repr__(&self) -> String {
        let title = self.document.title.as_deref().unwrap_or_default();
        format!(
            "<Document {title:?}, {} characters, confidence {:.2}>",
            self.document.text.chars().count(),
            self.document.confidence
        )
    }

    /// Shows the document in a notebook: title, facts and the beginning of the text.
    fn _repr_html_(&self) -> String {
        let facts = [self.url.as_deref(), self.document.metadata.published.as_deref(), self.document.lang.as_deref()];
        let facts: Vec<&str> = facts.into_iter().flatten().collect();
        let mut text: String = self.document.text.chars().take(SHOWN_CHARS).collect();
        if text.len() < self.document.text.len() {
            text.push_str(" ...");
        }
        format!(
            "<div style=\"max-width:48em\" dir=\"auto\"><b>{}</b><br><small>{} · confidence {:.2}</small>\
             <div style=\"white-space:pre-wrap;max-height:24em;overflow:auto;margin-top:.5em\">{}</div></div>",
            escaped(self.document.title.as_deref().unwrap_or("Without a title")),
            escaped(&facts.join(" · ")),
            self.document.confidence,
            escaped(&text)
        )
    }

    fn __eq__(&self, other: &Self) -> bool {
        self == other
    }

    fn __hash__(&self) -> u64 {
        trommel_text::hash(self.document.text.as_bytes())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        // The form of a document for output leaves these two facts out.
        let state = (self, self.document.links, &self.document.robots);
        let bytes = rmp_serde::to_vec_named(&state).map_err(told)?;
        let restore = py.get_type::<Self>().getattr("_restore")?;
        Ok((restore, (PyBytes::new(py, &bytes),)))
    }

    /// The document that was pickled.
    #[staticmethod]
    fn _restore(state: &[u8]) -> PyResult<Self> {
        let (mut restored, links, robots): (Self, u32, Vec<String>) = rmp_serde::from_slice(state).map_err(told)?;
        restored.document.links = links;
        restored.document.robots = robots;
        Ok(restored)
    }
}

/// Characters of a text that a notebook shows.
const SHOWN_CHARS: usize = 10_000;

/// A text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}
