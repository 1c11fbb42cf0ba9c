//! A first pass that counts pages, before a second pass extracts them.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use trommel_html::Page;
use trommel_model::sites::{PagePrint, SiteMemory};
use trommel_model::{Judgement, Model, PageType};
use trommel_text::{mix, word_hash};

/// Maximum bytes of the judgements kept from the first pass; further pages are judged again.
// Judging is most of the work of a second pass; without a bound a large archive would fill the memory.
const MAX_KEPT_BYTES: usize = 512 << 20;

/// The result of a first pass over pages. It states on how many pages of its site each block stands. It
/// also keeps the model's result for every page, so that the second pass need not compute it again. It does
/// not depend on the order of pages.
#[derive(Debug)]
pub struct SiteSurvey {
    memory: Mutex<SiteMemory>,
    judgements: Mutex<KeptJudgements>,
}

impl SiteSurvey {
    /// A survey that counts into `memory`.
    pub(crate) fn new(memory: SiteMemory) -> Self {
        Self { memory: Mutex::new(memory), judgements: Mutex::default() }
    }

    /// Judges and counts a page. A page without a site is passed over.
    pub(crate) fn take(&self, model: &Model, text: &str, page: &Page, url: Option<&str>) {
        let Some(site_url) = url.filter(|url| trommel_model::sites::site_of(url).is_some()) else { return };
        let judgement = model.judge(page, url);
        let print = PagePrint::of(page);
        let lock = |error: PoisonError<_>| error.into_inner();
        let mut memory = self.memory.lock().unwrap_or_else(lock);
        memory.add(site_url, &print, Some(&judgement.probabilities));
        // Not both locks at once: workers wait less, and cannot wait for each other.
        drop(memory);
        let mut kept = self.judgements.lock().unwrap_or_else(PoisonError::into_inner);
        kept.keep(key(text, url), judgement);
    }

    /// The counts.
    pub fn into_memory(self) -> SiteMemory {
        self.into_parts().0
    }

    pub(crate) fn into_parts(self) -> (SiteMemory, KeptJudgements) {
        let memory = self.memory.into_inner();
        let kept = self.judgements.into_inner();
        (memory.unwrap_or_else(PoisonError::into_inner), kept.unwrap_or_else(PoisonError::into_inner))
    }
}

/// Judgements of pages, by hashes of their text and URL.
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

    /// The result of `model` for a page in the first pass.
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
        (document.text, document.by_sites)
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
