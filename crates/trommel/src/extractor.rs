//! The extractor: a model and settings that turn the bytes of a page into its document.

use std::fmt;
use std::sync::Arc;

use trommel_extract::{Extraction, ExtractionObserver};
use trommel_model::sites::SiteMemory;
use trommel_model::{Model, ModelError};

use crate::{Document, DocumentOptions, Hints, Settings, TextForm};

/// Extracts pages with one model and one set of settings. It is cheap to clone and has no state between pages.
/// The same bytes, hints, settings and model give the same document, on any thread and in any order.
///
/// ```
/// use trommel::{Extractor, Hints, Settings};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
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
#[derive(Clone)]
pub struct Extractor {
    judge: trommel_extract::Extractor,
    model: Arc<Model>,
    options: DocumentOptions,
}

impl Default for Extractor {
    /// The default model and settings.
    fn default() -> Self {
        Self::with_model(&Settings::default(), Arc::new(Model::default()))
    }
}

impl Extractor {
    /// An extractor with these settings. It reads the model that they name, and ignores their site memory,
    /// which is for whole runs.
    ///
    /// # Errors
    /// If the model is not built in and no readable file.
    pub fn new(settings: &Settings) -> Result<Self, ModelError> {
        Ok(Self::with_model(settings, Arc::new(settings.model()?)))
    }

    /// An extractor with these settings and a model that is already read.
    pub fn with_model(settings: &Settings, model: Arc<Model>) -> Self {
        let judge = trommel_extract::Extractor::new(model.clone())
            .with_policy(settings.content.into())
            // Only Markdown shows strong text, emphasis and links.
            .with_inline_style(settings.text.form == TextForm::Markdown);
        Self { judge, model, options: settings.document_options() }
    }

    /// Reads only title and language of the metadata of documents, for outputs that have no place for the rest.
    #[must_use]
    pub fn with_few_metadata(mut self, few: bool) -> Self {
        self.options = self.options.with_few_metadata(few);
        self
    }

    /// Corrects the model by other pages of a page's site.
    #[must_use]
    pub fn with_sites(self, sites: Arc<SiteMemory>) -> Self {
        self.map(|judge| judge.with_sites(sites))
    }

    /// Reports the time of each stage to `observer`.
    #[must_use]
    pub fn with_observer(self, observer: Arc<dyn ExtractionObserver>) -> Self {
        self.map(|judge| judge.with_observer(observer))
    }

    /// The same extractor after a change of the one that judges pages.
    #[must_use]
    pub fn map(mut self, change: impl FnOnce(trommel_extract::Extractor) -> trommel_extract::Extractor) -> Self {
        self.judge = change(self.judge);
        self
    }

    /// The document of a page: its text in the chosen form, and its metadata. Any bytes are accepted; data that
    /// is not HTML gives a document with little or no text.
    pub fn document(&self, page: &[u8], hints: &Hints<'_>) -> Document {
        self.extract(page, hints).document(&self.options)
    }

    /// Reads and judges a page, and gives access to its blocks, links and posts.
    pub fn extract<'a>(&self, page: &'a [u8], hints: &Hints<'a>) -> Extraction<'a> {
        self.judge.extract(page, hints)
    }

    /// The options of its documents.
    pub fn options(&self) -> &DocumentOptions {
        &self.options
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The extractor that judges pages.
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
