//! The extractor: bytes of a page and hints about them in, a judged page out.

use std::sync::Arc;

use trommel_html::{GrowingReader, Limits, Page, charset};
use trommel_model::Model;

use crate::extraction::Extraction;
use crate::hints::Hints;
use crate::observer::{ExtractionObserver, ExtractionStage, SharedObserver, observed};
use crate::page_memory;
use crate::policy::ContentPolicy;
use crate::push::PushPage;

/// Extracts main text with one model. Cheap to clone; has no state between pages, so the same bytes,
/// hints and model give the same result on any thread and in any order.
#[derive(Clone, Debug)]
pub struct Extractor {
    model: Arc<Model>,
    pub(crate) limits: Limits,
    policy: ContentPolicy,
    pub(crate) inline_style: bool,
    observer: SharedObserver,
}

impl Extractor {
    /// An extractor that scores blocks with `model`.
    pub fn new(model: Arc<Model>) -> Self {
        Self {
            model,
            limits: Limits::default(),
            policy: ContentPolicy::default(),
            inline_style: true,
            observer: None,
        }
    }

    /// The same extractor under another policy.
    #[must_use]
    pub fn with_policy(mut self, policy: ContentPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// The same extractor, which notes strong text, emphasis, code and links inside blocks or does not.
    /// It does unless told otherwise; only Markdown shows them, so whoever wants no Markdown saves the
    /// time of noting them.
    #[must_use]
    pub fn with_inline_style(mut self, noted: bool) -> Self {
        self.inline_style = noted;
        self
    }

    /// The same extractor, which tells `observer` how long each stage of a page takes.
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn ExtractionObserver>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Reads and judges one page. Any bytes are accepted: a page without text gives an empty document.
    pub fn extract<'a>(&self, bytes: &'a [u8], hints: &Hints<'a>) -> Extraction<'a> {
        let (decoded, page) = observed(&self.observer, ExtractionStage::Parse, || {
            let decoded = charset::decode(bytes, &hints.charset());
            let page = page_memory::read(&decoded.text, &self.limits, self.inline_style);
            (decoded, page)
        });
        self.judged(decoded, page, hints)
    }

    /// A page that will come in parts.
    pub fn push(&self) -> PushPage {
        let reader = GrowingReader::new(&self.limits);
        PushPage::new(match self.inline_style {
            true => reader.with_styles(),
            false => reader,
        })
    }

    /// Judges a page that has been read.
    pub(crate) fn judged<'a>(
        &self,
        decoded: charset::Decoded<'a>,
        page: Page,
        hints: &Hints<'a>,
    ) -> Extraction<'a> {
        let verdicts = observed(&self.observer, ExtractionStage::Classify, || {
            self.policy.judge(&self.model, &page, hints.url)
        });
        Extraction::new(decoded, page, verdicts, hints).with_observer(self.observer.clone())
    }
}
