//! The evidence that a site memory gives about a page.

use rustc_hash::FxHashMap;
use trommel_html::Page;

use crate::sites::compact::Compact64;
use crate::sites::counts::{UNIT, entropy, spread};
use crate::sites::memory::{Keys, SiteMemory, means};
use crate::sites::print::PagePrint;
use crate::sites::site::site_of;

/// The evidence of the memory about one block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlockEvidence {
    /// Other pages of the site with this text; captures of the page's own URL alone count none. None if the
    /// memory had no room for blocks like this.
    pub pages: Option<u32>,
    /// Entropy of the texts at the block's position on other pages, 0 (always the same) to 1 (every page has
    /// its own). None if fewer than two are known.
    pub entropy: Option<f32>,
    /// Mean probability of the words at the block's position on other pages, and the number of these pages.
    pub probability: Option<(f32, u32)>,
}

/// The evidence of the memory about a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageEvidence {
    /// Other pages of the site.
    pub pages: u32,
    /// Each block, in order.
    pub blocks: Vec<BlockEvidence>,
}

impl SiteMemory {
    /// The evidence about a page to which `model` gave these probabilities. Those of another model than the memory's own
    /// are ignored.
    pub fn look_up(&self, url: &str, page: &Page, probabilities: &[f32], model: &str) -> Option<PageEvidence> {
        let usable = (self.model() == Some(model)).then_some(probabilities);
        self.evidence(url, &PagePrint::of(page), usable)
    }

    /// The evidence about a page from other pages of its site; none if no other page is known. The page itself
    /// does not count: if the memory knows each of its texts, it is assumed to have counted it. `probabilities`
    /// are those that the memory's model gave the page.
    pub fn evidence(&self, url: &str, print: &PagePrint, probabilities: Option<&[f32]>) -> Option<PageEvidence> {
        let site = site_of(url)?;
        let keys = Keys::of(&site, url, print);
        let known = self.sites.get(&keys.site)?.count;
        let mut kept = keys.texts.iter().filter(|text| self.keeps_text(**text)).peekable();
        kept.peek()?;
        let included = kept.all(|text| self.texts.contains_key(&Compact64::from(*text)));
        let pages = known.others(keys.url, included);
        if pages == 0 {
            return None;
        }
        let positions = self.positions_without(&keys, print, probabilities, included);
        let block = |(text, position, _): &(u64, u32, u32)| {
            let count = self.texts.get(&Compact64::from(*text));
            let pages_with_text =
                self.keeps_text(*text).then(|| count.map_or(0, |count| count.others(keys.url, included)).min(pages));
            let (entropy, probability) = positions.get(position).copied().unwrap_or_default();
            BlockEvidence { pages: pages_with_text, entropy, probability }
        };
        Some(PageEvidence { pages, blocks: keys.of_blocks.iter().map(block).collect() })
    }

    /// Entropy and mean probability of each position of a page, over other pages.
    fn positions_without(
        &self,
        keys: &Keys,
        print: &PagePrint,
        probabilities: Option<&[f32]>,
        included: bool,
    ) -> FxHashMap<u32, PositionEvidence> {
        let mut contributions: FxHashMap<u32, (u32, u64)> = FxHashMap::default();
        for content in keys.contents() {
            if !self.keeps_position(content.0) {
                continue;
            }
            let (texts, lost) = contributions.entry(content.0).or_default();
            if included && let Some(pages) = self.contents.get(&content) {
                *texts += 1;
                *lost += spread(*pages).saturating_sub(spread(pages.saturating_sub(1)));
            }
        }
        let means = probabilities.map(|all| means(keys, &print.words, all)).unwrap_or_default();
        contributions
            .into_iter()
            .filter_map(|(key, (texts, lost))| {
                let known = self.positions.get(&key)?;
                let entropy = entropy(known.texts.saturating_sub(texts), known.spread.get().saturating_sub(lost));
                // Its own judgement is in the sum only if there was one of this model.
                let page_mean = means.get(&key).filter(|_| included && known.judged > 0);
                let judged = known.judged.saturating_sub(u32::from(page_mean.is_some()));
                let sum = known.probability.get().saturating_sub(page_mean.copied().unwrap_or(0));
                let probability = (!means.is_empty() && judged > 0).then(|| {
                    let mean = sum as f64 / UNIT / f64::from(judged);
                    (mean.clamp(0.0, 1.0) as f32, judged)
                });
                Some((key, (entropy, probability)))
            })
            .collect()
    }
}

type PositionEvidence = (Option<f32>, Option<(f32, u32)>);

#[cfg(test)]
mod tests;
