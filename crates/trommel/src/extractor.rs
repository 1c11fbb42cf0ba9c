//! The extractor: a model and settings that turn the bytes of a page into its document.
//!
//! Early stops are reasons to reject a page before its end.

use std::{fmt, sync::Arc};

use trommel_extract::{BlockReason, Extraction, ExtractionObserver, PushPage};
use trommel_model::{Model, sites::SiteMemory};

use crate::{Document, DocumentOptions, Hints, Result, Settings, TextForm};

/// Extracts pages with one model and one set of settings. An extractor is cheap to clone and has no state between
/// pages. The same bytes, hints, settings and model give the same document, on any thread and in any order.
///
/// ```
/// use trommel::{Extractor, Hints, Settings};
///
/// # fn main() -> trommel::Result<()> {
/// let page = b"<h1>The old mill</h1><p>It stands by the river, and its wheel has turned there for years.";
/// let document = Extractor::default().document(page, &Hints::default());
/// assert_eq!(document.title.as_deref(), Some("The old mill"));
///
/// let settings = Settings::from_json(r#"{"model": "lite", "text": "markdown", "links": true}"#)?;
/// let markdown = Extractor::new(&settings)?.document(page, &Hints::default()).text;
/// assert!(markdown.starts_with("# The old mill\n"));
/// # Ok(())
/// # }
/// ```
///
/// Several extractors may share a model. An [`Extraction`] gives access to more than the document:
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use std::time::Duration;
///
/// use trommel::{ExtractionObserver, ExtractionStage, Extractor, Hints, Model, Settings};
///
/// /// Notes the stages of a page.
/// #[derive(Debug, Default)]
/// struct Stages(Mutex<Vec<ExtractionStage>>);
///
/// impl ExtractionObserver for Stages {
///     fn stage_ended(&self, stage: ExtractionStage, _: Duration) {
///         self.0.lock().unwrap().push(stage);
///     }
/// }
///
/// # fn main() -> trommel::Result<()> {
/// let model = Arc::new(Model::default());
/// let settings = Settings::from_json(r#"{"links": true}"#)?;
/// let stages = Arc::new(Stages::default());
/// let extractor = Extractor::with_model(&settings, model.clone())
///     .with_few_metadata(true)
///     .with_observer(stages.clone())
///     .map(|judge| judge.with_inline_style(true));
/// assert!(Arc::ptr_eq(extractor.model(), &model));
/// assert!(extractor.options().markdown.is_some());
///
/// let page = b"<p>It stands by <a href=/river>the river</a>, and its wheel has turned there for years.";
/// let hints = Hints { url: Some("https://news.example/mill"), ..Hints::default() };
/// let extraction = extractor.extract(page, &hints);
/// assert_eq!(extraction.links()[0].url, "https://news.example/river");
/// assert!(!stages.0.lock().unwrap().is_empty());
/// // The part that judges pages gives the same text, without settings.
/// assert_eq!(extractor.judge().extract(page, &hints).text(), extraction.text());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Extractor {
    judge: trommel_extract::Extractor,
    model: Arc<Model>,
    options: DocumentOptions,
}

impl Default for Extractor {
    /// Creates an extractor with the default model and settings.
    fn default() -> Self {
        Self::with_model(&Settings::default(), Arc::new(Model::default()))
    }
}

impl Extractor {
    /// Creates an extractor with `settings`, and reads the model that they name. The site memory in the settings is
    /// ignored, because it serves whole runs only.
    ///
    /// # Errors
    /// Fails if the model is neither built in nor a readable file.
    pub fn new(settings: &Settings) -> Result<Self> {
        Ok(Self::with_model(settings, Arc::new(settings.model()?)))
    }

    /// Creates an extractor with `settings` and a model that has already been read.
    pub fn with_model(settings: &Settings, model: Arc<Model>) -> Self {
        let judge = trommel_extract::Extractor::new(model.clone())
            .with_policy((&settings.content).into())
            .with_selectors(settings.content.selectors())
            // Only Markdown shows strong text, emphasis and links.
            .with_inline_style(settings.text.form == TextForm::Markdown);
        Self { judge, model, options: settings.document_options() }
    }

    /// Sets whether only title and language are extracted as metadata, for output formats that store no other fields.
    #[must_use]
    pub fn with_few_metadata(mut self, few: bool) -> Self {
        self.options = self.options.with_few_metadata(few);
        self
    }

    /// Adds a site memory: counts of blocks that recur on a site, by which the model recognises boilerplate better.
    #[must_use]
    pub fn with_sites(self, sites: Arc<SiteMemory>) -> Self {
        self.map(|judge| judge.with_sites(sites))
    }

    /// Reports the duration of each stage of each extraction to `observer`.
    #[must_use]
    pub fn with_observer(self, observer: Arc<dyn ExtractionObserver>) -> Self {
        self.map(|judge| judge.with_observer(observer))
    }

    /// Passes the inner extractor, which finds the blocks of main text in a page, to `change` and keeps the result.
    #[must_use]
    pub fn map(mut self, change: impl FnOnce(trommel_extract::Extractor) -> trommel_extract::Extractor) -> Self {
        self.judge = change(self.judge);
        self
    }

    /// Extracts the document of a page: its text in the form that the settings choose, and its metadata. Any bytes are
    /// accepted; data that is not HTML gives a document with little or no text.
    pub fn document(&self, page: &[u8], hints: &Hints<'_>) -> Document {
        self.extract(page, hints).document(&self.options)
    }

    /// Parses a page, and returns its links, its posts and its blocks, each with the decision whether it is main text.
    pub fn extract<'a>(&self, page: &'a [u8], hints: &Hints<'a>) -> Extraction<'a> {
        self.judge.extract(page, hints)
    }

    /// Returns the options for documents, such as plain text or Markdown, and lists of tables or posts beside the text.
    pub fn options(&self) -> &DocumentOptions {
        &self.options
    }

    /// Returns the model that decides for each block of a page whether it is main text.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the inner extractor, which parses a page and decides for each block whether it is main text.
    pub fn judge(&self) -> &trommel_extract::Extractor {
        &self.judge
    }
}

impl fmt::Debug for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extractor")
            .field("model", &self.model.identity())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Number of bytes of a page in transfer that must have arrived before it is checked for being HTML.
const HEAD_BYTES: usize = 1024;
/// Number of bytes of a page that must have arrived before it is rejected for having no content so far.
const MIN_HOPELESS_BYTES: usize = 256 << 10;
/// Probability (0 to 1) of being content; a page is rejected as hopeless if all its blocks stay below it.
const MAX_HOPELESS_PROBABILITY: f32 = 0.2;

/// Conditions under which a session rejects a page before its end; none by default. Except for `not_html`, they apply
/// only to pages in UTF-8 or ASCII.
///
/// ```
/// use trommel::{EarlyStops, Extractor, Hints, Session, StopReason, Verdict};
///
/// let extractor = Extractor::default();
/// let stops = EarlyStops::all(vec!["en".to_owned(), "fr".to_owned()]);
/// let mut session = Session::new(&extractor, Hints::default());
/// session.set_stops(stops);
/// let page = format!("<html lang=de><title>Die Mühle</title><body>{}", "<p>Sie steht am Fluss.".repeat(400));
/// assert_eq!(session.feed(page.as_bytes()), Verdict::Stop(StopReason::Language));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlyStops {
    /// True to reject data that is not HTML by its first bytes, such as images, PDF, archives or JSON.
    pub not_html: bool,
    /// True to reject pages whose head has the robots directive `noindex` or `none`.
    pub noindex: bool,
    /// Accepted languages, compared with the first part of `lang` of `<html>` (`en` accepts `en-GB`); empty to accept
    /// all. Pages that declare no language are accepted.
    pub languages: Vec<String>,
    /// True to reject pages whose first 256 KiB have no block that may be content.
    pub hopeless: bool,
    /// True to reject block pages (captcha, access denied), recognised by titles such as "Just a moment...".
    pub block_pages: bool,
}

trommel_text::named! {
    /// Reason for which a session rejects a page before its end.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum StopReason {
        /// The first bytes show that the data is not HTML.
        NotHtml = "not-html",
        /// The page asks robots not to index it.
        NoIndex = "noindex",
        /// The page declares a language that is not wanted.
        Language = "language",
        /// The first 256 KiB of the page have no block that may be content.
        Hopeless = "hopeless",
        /// The page is a block page, such as a captcha.
        BlockPage = "block-page",
    }
}

impl EarlyStops {
    /// Returns stops for every kind of unwanted page, with `languages` as accepted languages (empty to accept all).
    pub fn all(languages: Vec<String>) -> Self {
        Self { not_html: true, noindex: true, languages, hopeless: true, block_pages: true }
    }

    /// Returns the reason to reject a page, judged by the part that has arrived; none if the page is still wanted.
    pub(crate) fn look(
        &mut self,
        page: &PushPage,
        extractor: &trommel_extract::Extractor,
        hints: &Hints<'_>,
    ) -> Option<StopReason> {
        if self.not_html && page.len() >= HEAD_BYTES {
            // Once is enough.
            self.not_html = false;
            if is_no_html(page.first_bytes()) {
                return Some(StopReason::NotHtml);
            }
        }
        let head = page.head()?;
        if self.noindex
            && let Some(robots) = head.meta("robots")
        {
            self.noindex = false;
            let says = |word: &str| {
                let word = word.trim();
                word.eq_ignore_ascii_case("noindex") || word.eq_ignore_ascii_case("none")
            };
            if robots.split(',').any(says) {
                return Some(StopReason::NoIndex);
            }
        }
        if !self.languages.is_empty()
            && let Some(declared) = &head.lang
        {
            let declared = declared.split(['-', '_']).next().unwrap_or_default().trim();
            let languages = std::mem::take(&mut self.languages);
            let is_wanted = |wanted: &String| wanted.eq_ignore_ascii_case(declared);
            if !declared.is_empty() && !languages.iter().any(is_wanted) {
                return Some(StopReason::Language);
            }
        }
        if self.block_pages && !head.title.is_empty() {
            self.block_pages = false;
            // Walls alone: articles have titles such as `Not found`, too.
            if matches!(BlockReason::of_title(&head.title), Some(BlockReason::Captcha | BlockReason::Denied)) {
                return Some(StopReason::BlockPage);
            }
        }
        if self.hopeless && page.len() >= MIN_HOPELESS_BYTES {
            self.hopeless = false;
            let extraction = page.so_far(extractor, hints)?;
            if extraction.blocks().all(|block| block.probability < MAX_HOPELESS_PROBABILITY) {
                return Some(StopReason::Hopeless);
            }
        }
        None
    }
}

/// Returns whether data is not HTML: it begins like a PDF, image or other format, or like JSON and has no tag.
fn is_no_html(bytes: &[u8]) -> bool {
    const KNOWN_PHRASES: [&[u8]; 14] = [
        b"%PDF-", b"\x89PNG", b"GIF8", b"\xFF\xD8\xFF", b"PK\x03\x04", b"\x1F\x8B", b"RIFF", b"BM", b"\x7FELF",
        b"OggS", b"ID3", b"\0\0\0 ftyp", b"wOFF", b"wOF2",
    ];
    let start = bytes.trim_ascii_start();
    let is_data = start.starts_with(b"{") || start.starts_with(b"[");
    let has_tag = bytes.windows(2).any(|pair| {
        pair.first() == Some(&b'<') && pair.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'!')
    });
    KNOWN_PHRASES.iter().any(|known| bytes.starts_with(known)) || is_data && !has_tag
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::{EarlyStops, Hints, MIN_HOPELESS_BYTES, StopReason};
    use crate::{Extractor, Session, Verdict};

    static EXTRACTOR: LazyLock<Extractor> = LazyLock::new(Extractor::default);

    /// Returns the first verdict on a page other than `Continue`, and the number of bytes fed until then.
    fn stop(page: &str, stops: EarlyStops) -> (Verdict, usize) {
        let mut session = Session::new(&EXTRACTOR, Hints::default());
        session.set_stops(stops);
        for part in page.as_bytes().chunks(1400) {
            let verdict = session.feed(part);
            if !verdict.is_continue() {
                return (verdict, session.len());
            }
        }
        (Verdict::Continue, page.len())
    }

    #[test]
    fn pages_that_are_not_wanted_are_told_early() {
        let body = "<p>The mill stands by the river, and its wheel turns.</p>".repeat(6000);
        let scripts = "<script>var words = [1, 2, 3];</script>\n".repeat(10_000);
        for (page, reason) in [
            (format!("%PDF-1.7 {body}"), StopReason::NotHtml),
            (format!("{{\"a\": {}1}}", "[1],".repeat(5000)), StopReason::NotHtml),
            (format!("<html><meta name=robots content='max-snippet:3, NoIndex'>{body}"), StopReason::NoIndex),
            (format!("<html lang=de-AT><title>x</title>{body}"), StopReason::Language),
            (format!("<title>Just a moment...</title>{body}"), StopReason::BlockPage),
            (format!("<title>Shop</title><body><div id=app></div>{scripts}<p>Loading"), StopReason::Hopeless),
        ] {
            let stops = EarlyStops::all(vec!["en".to_owned(), "fr".to_owned()]);
            let (verdict, bytes) = stop(&page, stops);
            assert_eq!(verdict, Verdict::Stop(reason), "{reason}");
            let most = if reason == StopReason::Hopeless { MIN_HOPELESS_BYTES + 1400 } else { 9_000 };
            assert!(bytes <= most && bytes < page.len(), "{reason} after {bytes}");
            // Nothing is told that was not asked for.
            assert_eq!(stop(&page, EarlyStops::default()).0, Verdict::Continue, "{reason}");
        }
        let wanted = format!("<html lang=en-GB><title>The mill</title><meta name=robots content=index>{body}");
        let stops = EarlyStops::all(vec!["en".to_owned()]);
        assert_eq!(stop(&wanted, stops), (Verdict::Continue, wanted.len()));
    }
}
