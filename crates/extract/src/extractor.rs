//! The extractor: takes the bytes of a page and hints about them, and returns a judged page.
//!
//! A survey is a first pass that counts pages, before a second pass extracts them.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use trommel_html::{Limits, Page, charset};
use trommel_model::sites::{PagePrint, SiteMemory};
use trommel_model::{Judgement, Model, PageType};
use trommel_text::{mix, word_hash};

use crate::page_memory::{ExtractionObserver, ExtractionStage, SharedObserver, observed};
use crate::{content_policy::ContentPolicy, extraction::Extraction, hints::Hints, page_memory, selectors::Selectors};

/// Extractor of main text that uses one model. Cheap to clone. It has no state between pages, so the same bytes, hints
/// and model give the same result on any thread and in any order. With a memory of sites ([`Extractor::with_sites`]),
/// the result also depends on the counts in that memory.
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
    selectors: Option<Arc<Selectors>>,
}

impl Extractor {
    /// Creates an extractor that scores blocks with `model`.
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
            selectors: None,
        }
    }

    trommel_text::setters! {
        /// Returns the same extractor with another content policy.
        with_policy(policy: ContentPolicy);
        /// Returns the same extractor, set to record strong text, emphasis, code and links inside blocks (the default),
        /// or not. Only Markdown shows these styles; plain text is extracted faster without them.
        with_inline_style(inline_style: bool);
        /// Returns the same extractor, set to report to `observer` how long each stage of a page takes.
        with_observer(observer: Arc<dyn ExtractionObserver>);
        /// Returns the same extractor, set to correct the model by counts of other pages of a page's site. A page of an
        /// unknown site gives the same document as without the counts.
        with_sites(sites: Arc<SiteMemory>);
        /// Returns the same extractor, set to keep and drop selected parts of pages, regardless of model and policy.
        with_selectors(selectors: Option<Arc<Selectors>>);
    }

    /// Returns the same extractor, set for a second pass: it uses the counts and the judgements of the first pass.
    #[must_use]
    pub fn after(mut self, survey: SiteSurvey) -> Self {
        let (memory, judgements) = survey.into_parts();
        self.sites = Some(Arc::new(memory));
        self.judgements = Some(Arc::new(judgements));
        self
    }

    /// Creates an empty result of a first pass over pages. Its counts of the blocks of each site take at most
    /// `max_bytes` bytes of memory.
    pub fn survey(&self, max_bytes: u64) -> SiteSurvey {
        SiteSurvey::new(SiteMemory::new(max_bytes).with_model(self.model.identity()))
    }

    /// Reads and judges a page in the first of two passes, and adds its blocks to the counts of its site in `survey`.
    pub fn count(&self, bytes: &[u8], hints: &Hints<'_>, survey: &SiteSurvey) {
        let decoded = charset::decode(bytes, &hints.charset());
        let page = page_memory::read(&decoded.text, &self.limits, false);
        survey.take(&self.model, &decoded.text, &page, hints.url);
        page_memory::keep(page);
    }

    /// Reads a page, judges its blocks, and returns the extraction. Any bytes are accepted: a page without text gives
    /// an empty document.
    pub fn extract<'a>(&self, bytes: &'a [u8], hints: &Hints<'a>) -> Extraction<'a> {
        let (decoded, page) = observed(&self.observer, ExtractionStage::Parse, || {
            let decoded = charset::decode(bytes, &hints.charset());
            let page = page_memory::read(&decoded.text, &self.limits, self.inline_style);
            (decoded, page)
        });
        self.judged(decoded, page, hints)
    }

    /// Judges the blocks of a page that has been read, and returns the extraction.
    pub(crate) fn judged<'a>(
        &self,
        decoded: charset::Decoded<'a>,
        mut page: Page,
        hints: &Hints<'a>,
    ) -> Extraction<'a> {
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
            if let Some(selectors) = &self.selectors {
                verdicts.selected = selectors.choices(&mut page, &decoded.text, hints.url);
            }
            verdicts
        });
        Extraction::new(decoded, page, verdicts, hints)
            .with_observer(self.observer.clone())
            .with_few_metadata(self.model.file().few_metadata)
    }
}

/// Maximum bytes of judgements that are kept from the first pass; the second pass judges all other pages again.
// Judging is most of the work of a second pass; without a bound a large archive would fill the memory.
const MAX_KEPT_BYTES: usize = 512 << 20;

/// Result of a first pass over pages, in any order: the number of pages of its site on which each block appears. It
/// also keeps the model's results, up to a number of bytes, so that the second pass need not compute them again.
#[derive(Debug)]
pub struct SiteSurvey {
    memory: Mutex<SiteMemory>,
    judgements: Mutex<KeptJudgements>,
}

impl SiteSurvey {
    /// Creates the result of a first pass over pages, which adds its counts of the blocks of each site to `memory`.
    pub(crate) fn new(memory: SiteMemory) -> Self {
        Self { memory: Mutex::new(memory), judgements: Mutex::default() }
    }

    /// Judges a page and adds its blocks to the counts of its site; ignores a page whose URL names no site.
    pub(crate) fn take(&self, model: &Model, text: &str, page: &Page, url: Option<&str>) {
        let Some(site_url) = url.filter(|url| trommel_model::sites::site_of(url).is_some()) else { return };
        let judgement = model.judge(page, url);
        let print = PagePrint::of(page);
        // Not both locks at once: workers wait less, and cannot wait for each other.
        let memory = self.memory.lock();
        memory.unwrap_or_else(PoisonError::into_inner).add(site_url, &print, Some(&judgement.probabilities));
        let kept = self.judgements.lock();
        kept.unwrap_or_else(PoisonError::into_inner).keep(key(text, url), judgement);
    }

    /// Returns the counts, collected in the first pass, of the blocks of each site.
    pub fn into_memory(self) -> SiteMemory {
        self.into_parts().0
    }

    fn into_parts(self) -> (SiteMemory, KeptJudgements) {
        let memory = self.memory.into_inner().unwrap_or_else(PoisonError::into_inner);
        (memory, self.judgements.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Judgements of pages from the first pass, keyed by a hash of the text and URL of the page.
#[derive(Debug, Default)]
pub(crate) struct KeptJudgements {
    pages: FxHashMap<u64, KeptJudgement>,
    bytes: usize,
}

#[derive(Debug)]
struct KeptJudgement {
    probabilities: Box<[f32]>,
    in_comments: Box<[bool]>,
    headline: Option<u32>,
    page_type: Option<PageType>,
}

fn key(text: &str, url: Option<&str>) -> u64 {
    let url = word_hash(url.unwrap_or_default().as_bytes());
    mix(word_hash(text.as_bytes()) ^ mix(url ^ text.len() as u64))
}

impl KeptJudgements {
    fn keep(&mut self, key: u64, judgement: Judgement) {
        let bytes = judgement.probabilities.len() * (size_of::<f32>() + 1) + size_of::<(u64, KeptJudgement)>();
        if self.bytes + bytes > MAX_KEPT_BYTES {
            return;
        }
        let kept = KeptJudgement {
            probabilities: judgement.probabilities.into(),
            in_comments: judgement.in_comments.into(),
            headline: judgement.headline.and_then(|at| u32::try_from(at).ok()),
            page_type: judgement.page_type,
        };
        if self.pages.insert(key, kept).is_none() {
            self.bytes += bytes;
        }
    }

    /// Returns the judgement of a page that was kept in the first pass, if any, with blocks chosen by `model`.
    pub(crate) fn get(&self, model: &Model, text: &str, page: &Page, url: Option<&str>) -> Option<Judgement> {
        let kept = self.pages.get(&key(text, url))?;
        // Two pages of one hash, or one read under other limits.
        if kept.probabilities.len() != page.blocks.len() {
            return None;
        }
        let mut judgement = Judgement {
            probabilities: kept.probabilities.to_vec(),
            in_comments: kept.in_comments.to_vec(),
            headline: kept.headline.map(|at| at as usize),
            page_type: kept.page_type.clone(),
            ..Judgement::default()
        };
        model.choose(page, &mut judgement, false);
        Some(judgement)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{DocumentOptions, Extractor, Hints};

    fn page(story: &str) -> String {
        format!(
            "<title>Mills</title><div class=top><p>Our newspaper is printed on paper from the forests of the \
             north.</p></div><article><p>{story} stands by the \
             river, and its wheel has turned there for two hundred years.</p><p>Nobody knows who built \
             {story}, though a stone over the door bears a date.</p></article>"
        )
    }

    fn text(extractor: &Extractor, story: &str, url: &str) -> (String, bool) {
        let hints = Hints { url: Some(url), ..Hints::default() };
        let html = page(story);
        let document = extractor.extract(html.as_bytes(), &hints).document(&DocumentOptions::default());
        (document.text, !document.notes.is_empty())
    }

    const STORIES: [&str; 4] = ["The mill", "The barn", "The inn", "The tower"];

    #[test]
    fn what_every_page_says_is_left_out() {
        let plain = Extractor::new(Arc::new(Model::builtin("fast").unwrap()));
        let url = |story: &str| format!("http://a.example/{}", story.len() * 7 + story.as_bytes()[4] as usize);
        let survey = plain.survey(1 << 20);
        for story in STORIES {
            let url = url(story);
            let hints = Hints { url: Some(&url), ..Hints::default() };
            plain.count(page(story).as_bytes(), &hints, &survey);
        }
        let after = plain.clone().after(survey);
        for story in STORIES {
            let (before, unmarked) = text(&plain, story, &url(story));
            assert!(before.contains("Our newspaper") && !unmarked);
            let (text, marked) = text(&after, story, &url(story));
            assert!(!text.contains("Our newspaper"), "{text}");
            assert!(text.contains(&format!("{story} stands by")), "{text}");
            assert!(marked);
        }
        // Of a site that is not known a page comes out as it did.
        let other = "http://b.example/1";
        assert_eq!(text(&after, "The mill", other), text(&plain, "The mill", other));
    }

    #[test]
    fn kept_judgements_are_those_of_the_model() {
        let model = Model::builtin("fast").unwrap();
        let survey = SiteSurvey::new(SiteMemory::new(1 << 20).with_model(model.identity()));
        let html = page("The mill");
        let read = crate::page_memory::read(&html, &trommel_html::Limits::default(), false);
        let url = Some("http://a.example/1");
        survey.take(&model, &html, &read, url);
        let (_, kept) = survey.into_parts();
        assert_eq!(kept.get(&model, &html, &read, url), Some(model.judge(&read, url)));
        assert_eq!(kept.get(&model, &html, &read, Some("http://a.example/2")), None);
        assert_eq!(kept.get(&model, "other", &read, url), None);
    }
}
