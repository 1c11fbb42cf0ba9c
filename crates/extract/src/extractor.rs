//! The extractor: takes the bytes of a page and hints about them, and returns a judged page.

use std::sync::Arc;

use trommel_html::{Limits, Page, charset};
use trommel_model::Model;
use trommel_model::sites::SiteMemory;

use crate::extraction::Extraction;
use crate::hints::Hints;
use crate::observer::{ExtractionObserver, ExtractionStage, SharedObserver, observed};
use crate::page_memory;
use crate::policy::ContentPolicy;
use crate::survey::{KeptJudgements, SiteSurvey};

/// Extracts main text with one model. Cheap to clone; has no state between pages, so the same bytes,
/// hints and model give the same result on any thread and in any order. With a memory of sites
/// ([`Extractor::with_sites`]) the result depends on what that knows as well.
#[derive(Clone, Debug)]
pub struct Extractor {
    // Shared: a model is megabytes and never changes.
    model: Arc<Model>,
    pub(crate) limits: Limits,
    policy: ContentPolicy,
    pub(crate) inline_style: bool,
    observer: SharedObserver,
    sites: Option<Arc<SiteMemory>>,
    judgements: Option<Arc<KeptJudgements>>,
}

impl Extractor {
    /// An extractor that scores blocks with `model`.
    pub fn new(model: Arc<Model>) -> Self {
        Self {
            model,
            limits: Limits::default(),
            policy: ContentPolicy::default(),
            // By default, because an extractor does not know yet whether Markdown will be asked for.
            inline_style: true,
            observer: None,
            sites: None,
            judgements: None,
        }
    }

    trommel_text::setters! {
        /// The same extractor under another policy.
        with_policy(policy: ContentPolicy);
        /// The same extractor, which notes strong text, emphasis, code and links inside blocks or does not.
        /// It does unless told otherwise; only Markdown shows them, so whoever wants no Markdown saves the
        /// time of noting them.
        with_inline_style(inline_style: bool);
        /// The same extractor, which tells `observer` how long each stage of a page takes.
        with_observer(observer: Arc<dyn ExtractionObserver>);
        /// The same extractor, which corrects the model by the counts of other pages of a page's site. A page of an
        /// unknown site gives the same document as without them.
        with_sites(sites: Arc<SiteMemory>);
    }

    /// The same extractor, which corrects the model by a survey of all pages.
    #[must_use]
    pub fn after(mut self, survey: SiteSurvey) -> Self {
        let (memory, judgements) = survey.into_parts();
        self.sites = Some(Arc::new(memory));
        self.judgements = Some(Arc::new(judgements));
        self
    }

    /// A survey for this extractor's model, in at most `max_bytes`.
    pub fn survey(&self, max_bytes: u64) -> SiteSurvey {
        SiteSurvey::new(SiteMemory::new(max_bytes).with_model(self.model.identity()))
    }

    /// Reads and judges one page only to count it.
    pub fn count(&self, bytes: &[u8], hints: &Hints<'_>, survey: &SiteSurvey) {
        let decoded = charset::decode(bytes, &hints.charset());
        let page = page_memory::read(&decoded.text, &self.limits, false);
        survey.take(&self.model, &decoded.text, &page, hints.url);
        page_memory::keep(page);
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

    /// Judges a page that has been read.
    pub(crate) fn judged<'a>(&self, decoded: charset::Decoded<'a>, page: Page, hints: &Hints<'a>) -> Extraction<'a> {
        let verdicts = observed(&self.observer, ExtractionStage::Classify, || {
            let kept = self.judgements.as_ref();
            // The survey has judged this page already.
            let kept = kept.and_then(|kept| kept.get(&self.model, &decoded.text, &page, hints.url));
            let judgement = kept.unwrap_or_else(|| self.model.judge(&page, hints.url));
            let known = self.sites.as_ref().zip(hints.url).and_then(|(sites, url)| {
                let identity = self.model.identity();
                let found = sites.look_up(url, &page, &judgement.probabilities, &identity)?;
                Some(found.changes(&judgement.probabilities))
            });
            let mut verdicts = self.policy.verdicts(&self.model, &page, hints.url, judgement, known.as_deref());
            verdicts.by_sites = known.is_some();
            verdicts
        });
        Extraction::new(decoded, page, verdicts, hints)
            .with_observer(self.observer.clone())
            .with_few_metadata(self.model.file().few_metadata)
    }
}
