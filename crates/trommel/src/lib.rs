//! Extracts the main text from web pages and archives, without menus, advertisements, cookie notices and
//! related links. The text is plain or Markdown, with title, authors, dates, language and a confidence.
//!
//! # One page
//!
//! ```
//! # fn main() -> trommel::Result<()> {
//! use trommel::{Extractor, Hints, Settings};
//!
//! let page = br#"<html lang="en"><head><title>The old mill | Daily News</title></head><body>
//!     <nav><a href="/">Home</a> <a href="/news">News</a></nav>
//!     <article><h1>The old mill</h1>
//!     <p>The mill stands by the river, and its wheel has turned there for two hundred years.</p>
//!     <p>Nobody knows <b>who</b> built it, though a stone over the door bears a date.</p></article>
//!     <footer>Copyright Daily News. All rights reserved.</footer></body></html>"#;
//!
//! assert_eq!(
//!     trommel::text(page),
//!     "The mill stands by the river, and its wheel has turned there for two hundred years.\n\n\
//!      Nobody knows who built it, though a stone over the door bears a date."
//! );
//!
//! // For many pages, an extractor: it reads its model once, threads share it, and it is cheap to clone.
//! let settings = Settings::from_json(r#"{"text": "markdown", "blocks": true}"#)?;
//! let extractor = Extractor::new(&settings)?;
//! let hints = Hints { url: Some("https://news.example/mill"), ..Hints::default() };
//! let document = extractor.document(page, &hints);
//! assert!(document.text.starts_with("# The old mill\n") && document.text.contains("knows **who** built"));
//! assert_eq!(document.title.as_deref(), Some("The old mill"));
//! assert_eq!(document.lang.as_deref(), Some("en"));
//! // Every block of the page, kept or not, with its probability.
//! let dropped = document.blocks.iter().filter(|block| !block.kept);
//! assert!(dropped.map(|block| &block.text).any(|text| text.starts_with("Copyright")));
//! # Ok(())
//! # }
//! ```
//!
//! Any bytes are accepted as a page. Data that is not HTML gives a document with little or no text, and nothing
//! panics. The encoding is determined as in browsers, with the help of [`Hints`].
//!
//! # Whole archives
//!
//! The module `run` does what `trommel run` does: archives side by side, outputs in any format, filters, saved state. Its
//! page shows a run into files; here a program takes the documents.
//!
//! ```
//! # #[cfg(feature = "run")]
//! # fn main() -> trommel::Result<()> {
//! use trommel::run::{Environment, NetworkOptions, Run, expand};
//! use trommel::{Extractor, Hints, PartialSettings};
//!
//! # let folder = tempfile::tempdir()?;
//! # let crawl = folder.path().join("crawl");
//! # std::fs::create_dir(&crawl)?;
//! # let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The mill stands by the river, and its wheel turns.";
//! # let record = format!(
//! #     "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: https://a.example/\r\n\
//! #      WARC-Date: 2024-05-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{page}\r\n\r\n",
//! #     page.len()
//! # );
//! # std::fs::write(crawl.join("a.warc"), record)?;
//! let settings = PartialSettings::from_json(r#"{"min_words": 5}"#)?.settings()?;
//! let extractor = Extractor::new(&settings)?;
//! let extract = |page: &[u8], hints: &Hints<'_>| extractor.document(page, hints);
//! // A folder, a glob, a URL, a file.
//! let inputs = expand(&[&crawl], None, &NetworkOptions::default())?;
//! let (mut stdout, mut progress) = (std::io::sink(), ());
//! let mut texts = Vec::new();
//! let summary = Run::new(settings, inputs, &extract)
//!     .documents(Environment::new(&mut stdout, &mut progress), |record| Ok(texts.push((record.url, record.text))))?;
//! assert_eq!(texts[0].1, "The mill stands by the river, and its wheel turns.");
//! assert_eq!((summary.documents, summary.failures.len()), (1, 0));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "run"))]
//! # fn main() {}
//! ```
//!
//! # Training
//!
//! With the feature `train`, the module `learn` adapts a model to your labels, or trains a new one.
//!
//! ```no_run
//! # #[cfg(feature = "train")]
//! # fn main() -> trommel::Result<()> {
//! use std::path::Path;
//!
//! use trommel::Model;
//! use trommel::learn::{TrainOptions, adapt, read_set};
//!
//! // An archive of pages, and their main text as `trommel label` writes it.
//! let mine = read_set(Path::new("mine.warc.gz"), Path::new("mine.gold.jsonl.gz"))?;
//! let options = TrainOptions { name: "own".into(), created: "2026-01-31".into(), ..TrainOptions::default() };
//! let adapted = adapt(&Model::builtin("fast").unwrap(), &[mine], 0, &options)?;
//! // Scores of cross-validation by host.
//! println!("F1 {:.3} before, {:.3} after", adapted.before[0].f1, adapted.trained.model.file().scores[0].f1);
//! std::fs::write("own.trommel", adapted.trained.model.to_packed()?)?;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "train"))]
//! # fn main() {}
//! ```
//!
//! # Records of an archive
//!
//! [`archive::Reader`] reads WARC and ARC files in every usual compression, from a file or from anything
//! that is [`std::io::Read`]; [`archive::payload`] undoes HTTP framing and codings.
//!
//! ```
//! # #[cfg(feature = "archive")]
//! # fn main() -> trommel::Result<()> {
//! use trommel::archive::{MediaType, PayloadOptions, ReadOptions, Reader, RecordType};
//! use trommel::archive::{media_type, payload};
//! use trommel::{Extractor, page_hints};
//!
//! # let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n\
//! #     <h1>The old mill</h1><p>It stands by the river, and its wheel has turned for years.";
//! # let archive = format!(
//! #     "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
//! #      WARC-Target-URI: https://news.example/mill\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n\
//! #      Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
//! #     http.len()
//! # );
//! # let input = std::io::Cursor::new(archive.into_bytes());
//! let extractor = Extractor::default();
//! let mut texts = Vec::new();
//! // Or Reader::open(path, options) for a file.
//! for record in Reader::new("pages.warc", input, ReadOptions::default())? {
//!     let record = record?;
//!     if record.kind != RecordType::Response {
//!         continue;
//!     }
//!     let page = payload(&record, &PayloadOptions::default())?;
//!     if let (MediaType::Html | MediaType::Xhtml, _) = media_type(&record, &page) {
//!         texts.push(extractor.document(&page.body, &page_hints(&record, &page)).text);
//!     }
//! }
//! assert!(texts[0].ends_with("has turned for years."));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "archive"))]
//! # fn main() {}
//! ```
//!
//! # A page that arrives in parts
//!
//! [`Session`] takes a page from a crawler in chunks of any size. Meanwhile it reports the links with the roles
//! of their blocks ([`Known`]) and, on request, that a page is not wanted ([`EarlyStops`]).
//!
//! # Errors
//!
//! Functions return one [`Error`], whose [`kind`](Error::kind) a program can match. `?` makes it of the errors of the
//! modules and of [`std::io::Error`].
//!
//! # Settings
//!
//! [`Settings`] contains every setting, with the defaults of the program: the model, the main text, its form,
//! and lists beside it. [`PartialSettings`] reads files, requests and command lines, and combines them.
//!
//! # Features
//!
//! * `archive` (default): the module [`archive`], which reads archives.
//! * `run` (default): the module `run`, which takes whole archives: side by side, with outputs, filters and saved state.
//! * `remote`: archives behind URLs, and outputs in buckets. `index`: the module `index`, the Tantivy index of documents.
//! * `learn`: the module `learn`, with labelled pages and scores of models. `train`: training of models as well.
//! * `parquet`: Parquet files as output.
//! * `schema`: `fields`, the list of all settings with their documentation.
//! * `storage`: output files that are compressed in frames and appear under their names only when they are complete.
//! * `strum`: lists of the names of roles.
//! * `tokenizer`: tokens counted by the tokenizer of a language model.
//!
//! # Lower level
//!
//! The modules [`extract`] and [`record`] are crates below this one, for programs that need only a single stage. Further
//! crates are `trommel-html`, with the tables of a page, and `trommel-model`, with features, scorers and site memory.

pub use trommel_extract::{
    AddressForm, ArticlePolicy, BlockReason, BlockSource, BlockVerdict, Chunk, ChunkSize, ChunkSizeError, ChunkUnit,
    CommentPolicy, ContentPolicy, Document, DocumentOptions, DocumentTable, Extraction, ExtractionObserver,
    ExtractionStage, Favor, HeadlinePolicy, HintError, Hints, MarkdownOptions, MathForm, MetadataChoice, NoteForm,
    PageLink, Post, ReadingForm, Role, RoleSet, ScriptForm, Selector, SelectorError, TextOptions, TextSpan,
    TokenCounter,
};
pub use trommel_html::{charset, stands_at};
pub use trommel_model::{Model, ModelError};
pub use trommel_record::{Compression, Format, PageForm, filters::FilterSettings};
pub use trommel_text::{ByteSize, ByteSizeError, Share, ShareError};

/// Lower-level crate: records of WARC and ARC archives, and their payloads.
#[cfg(feature = "archive")]
pub use trommel_archive as archive;
/// Lower-level crate: turns the bytes of a page into a document with one model, without settings.
pub use trommel_extract as extract;
/// Lower-level crate: labelled pages, scores of models and, with the feature `train`, training.
#[cfg(feature = "learn")]
pub use trommel_learn as learn;
/// Lower-level crate: output records, formats, files, and the rules that keep or drop documents.
pub use trommel_record as record;

mod error;
mod extractor;
mod hints;
#[cfg(feature = "index")]
pub mod index;
#[cfg(feature = "run")]
pub mod metrics;
#[cfg(feature = "run")]
pub mod run;
mod session;
mod settings;

pub use error::{Error, ErrorKind, Result};
pub use extractor::Extractor;
pub use extractor::{EarlyStops, StopReason};
pub use hints::OwnedHints;
#[cfg(feature = "archive")]
pub use hints::page_hints;
pub use session::{DEFAULT_MAX_PAGE, Known, Session, Verdict};
pub use settings::{
    ArchiveSettings, ContentSettings, IncludeSettings, LimitSettings, MAX_JOBS, OutputSettings, PAGE_FACTOR,
    PartialSettings, Settings, SiteMode, SiteSettings, TextForm, TextSettings, TokenizerFile,
};
#[cfg(feature = "schema")]
pub use settings::{Field, Kind, Value, fields, parts};

/// Returns the main text of a page, extracted with the default model and settings. Use an [`Extractor`] for several
/// pages, or to get more than the text.
pub fn text(page: &[u8]) -> String {
    static EXTRACTOR: std::sync::LazyLock<Extractor> = std::sync::LazyLock::new(Extractor::default);
    EXTRACTOR.extract(page, &Hints::default()).text()
}

/// Holder of the examples in `docs/library.md`, which run as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryPage;
