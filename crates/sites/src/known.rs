//! A site memory that many threads read.

use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Serialize};
use trommel_html::Page;

use crate::evidence::PageEvidence;
use crate::memory::SiteMemory;
use crate::print::PagePrint;

trommel_text::named! {
    /// The way in which the memory of a judged page was made.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum SiteUse {
        /// Before any page was judged: no order of pages makes a difference.
        Fixed = "fixed",
        /// From the earlier pages. The same page may have another result at another time.
        Online = "online",
    }
}

/// A memory that many threads ask, and that grows by what they ask about if it is used online.
#[derive(Debug)]
pub struct KnownSites {
    memory: RwLock<SiteMemory>,
    usage: SiteUse,
}

impl KnownSites {
    /// A memory that stays as it is.
    pub fn fixed(memory: SiteMemory) -> Self {
        Self { memory: RwLock::new(memory), usage: SiteUse::Fixed }
    }

    /// A memory that counts every page after it was asked about it.
    pub fn online(memory: SiteMemory) -> Self {
        Self { memory: RwLock::new(memory), usage: SiteUse::Online }
    }

    /// The way in which it is used.
    pub fn usage(&self) -> SiteUse {
        self.usage
    }

    /// The evidence about a page to which `model` gave these probabilities. Online, the page is counted
    /// afterwards. The memory ignores probabilities of other models than its own.
    pub fn look_up(&self, url: &str, page: &Page, probabilities: &[f32], model: &str) -> Option<PageEvidence> {
        let print = PagePrint::of(page);
        let (evidence, probabilities) = {
            let memory = self.memory.read().unwrap_or_else(PoisonError::into_inner);
            let usable = (memory.model() == Some(model)).then_some(probabilities);
            (memory.evidence(url, &print, usable), usable)
        };
        if self.usage == SiteUse::Online {
            let mut memory = self.memory.write().unwrap_or_else(PoisonError::into_inner);
            memory.add(url, &print, probabilities);
        }
        evidence
    }

    /// The result of `look` for the memory in its present state.
    pub fn with<T>(&self, look: impl FnOnce(&SiteMemory) -> T) -> T {
        look(&self.memory.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn page(story: u32) -> Page {
        let html = format!("<nav>Menu</nav><p>Story {story}</p>");
        ScanEngine.read(&html, &Limits::default())
    }

    #[test]
    fn only_online_it_learns() {
        let memory = SiteMemory::new(1 << 20).with_model("m 1");
        for (known, after) in [(KnownSites::fixed(memory.clone()), 0), (KnownSites::online(memory), 3)] {
            for story in 0..3 {
                let url = format!("http://a.b/{story}");
                let found = known.look_up(&url, &page(story), &[0.1, 0.9], "m 1");
                assert_eq!(found.is_some(), story > 0 && after > 0);
            }
            assert_eq!(known.with(SiteMemory::pages), after);
        }
    }

    #[test]
    fn probabilities_of_another_model_are_not_taken() {
        let known = KnownSites::online(SiteMemory::new(1 << 20).with_model("m 1"));
        for (story, model, told) in [(1, "m 1", false), (2, "other", false), (3, "m 1", true)] {
            let url = format!("http://a.b/{story}");
            let found = known.look_up(&url, &page(story), &[0.1, 0.9], model);
            let of = found.and_then(|found| found.blocks[0].probability);
            assert_eq!(of.map(|(_, judged)| judged), told.then_some(1));
        }
    }
}
