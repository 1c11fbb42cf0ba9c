//! The evidence that a site memory gives about a page, and the change of log odds that follows from it.

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use trommel_html::Page;

use crate::sites::counts::{Compact64, PagePrint, UNIT, entropy, site_of, spread};
use crate::sites::memory::{Keys, SiteMemory, means};

/// Evidence about one block from the other pages of its site that a site memory knows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlockEvidence {
    /// Number of other pages of the site with the block's text; 0 if all are captures of the page's own URL. `None` if
    /// the memory had no room for blocks like this.
    pub pages: Option<u32>,
    /// Entropy of the texts at the block's position on other pages, 0 (always the same) to 1 (every page has its own).
    /// `None` if fewer than two are known.
    pub entropy: Option<f32>,
    /// Mean probability of the words at the block's position on other pages, and the number of these pages, if any.
    pub probability: Option<(f32, u32)>,
}

/// Evidence about the blocks of a page from the other pages of its site that a site memory knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageEvidence {
    /// Number of other pages of the site in the memory.
    pub pages: u32,
    /// Evidence about each block, in page order.
    pub blocks: Vec<BlockEvidence>,
}

impl SiteMemory {
    /// Returns the evidence about a page to which `model` gave these probabilities; `None` if no other page of its site
    /// is known. Probabilities are ignored if the memory holds those of another model.
    pub fn look_up(&self, url: &str, page: &Page, probabilities: &[f32], model: &str) -> Option<PageEvidence> {
        let usable = (self.model() == Some(model)).then_some(probabilities);
        self.evidence(url, &PagePrint::of(page), usable)
    }

    /// Returns the evidence about a page from other pages of its site; `None` if no other page is known. The page
    /// itself does not count: if the memory knows each of its texts, the page is assumed to have been counted.
    /// `probabilities` are those that the memory's model gave the page.
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

    /// Returns the entropy of texts and the mean probability at each position of a page, over the site's other pages.
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

/// Evidence about a block, as three numbers for the correction. The first is the share of the site's other pages with
/// its text. The second is the sameness of the texts at its position: 1 minus their entropy. The third is the mean
/// probability at its position minus its own, in log odds; it counts less the fewer pages are known. Each is 0 if
/// nothing is known.
pub type Signals = [f32; 3];

/// Maximum absolute log odds; a probability beyond them is as good as certain.
const MAX_LOG_ODDS: f32 = 6.2;

/// Returns the evidence about a block as numbers ([`Signals`]), given the model's probability and the number of other
/// pages of the site. With `half` pages at a position, their mean has half its full weight.
pub fn signals(block: &BlockEvidence, pages: u32, probability: f32, half: f32) -> Signals {
    let share = block.pages.map_or(0.0, |with| with as f32 / pages.max(1) as f32);
    let sameness = block.entropy.map_or(0.0, |entropy| 1.0 - entropy);
    let position = block.probability.map_or(0.0, |(mean, judged)| {
        let judged = judged as f32;
        judged / (judged + half) * (log_odds(mean) - log_odds(probability))
    });
    [share, sameness, position]
}

fn log_odds(probability: f32) -> f32 {
    let p = probability.clamp(f32::MIN_POSITIVE, 1.0 - f32::EPSILON);
    (p / (1.0 - p)).ln().clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS)
}

/// Weights by which evidence from other pages of a site ([`Signals`]) changes the log odds of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correction {
    /// Change of the log odds for each of the three numbers of evidence ([`Signals`]) if it is 1.
    pub weights: Signals,
    /// Number of pages from which the mean probability at a position counts with half its full weight.
    pub half: f32,
}

/// Weights for a site memory without probabilities. `trommel-quality sites --judged` learned and chose them; the log of
/// site memory has its figures.
pub const BY_COUNTS: Correction = Correction { weights: [-5.21, 0.55, 0.0], half: 1.0 };
/// Weights for a site memory that holds probabilities, learned and chosen like [`BY_COUNTS`].
pub const BY_PROBABILITIES: Correction = Correction { weights: [-5.00, 1.37, 0.52], half: 2.0 };

impl Correction {
    /// Returns the change of the log odds of each block, given the probabilities that the model gave the blocks.
    pub fn changes(&self, evidence: &PageEvidence, probabilities: &[f32]) -> Vec<f32> {
        let blocks = evidence.blocks.iter().zip(probabilities);
        let change = |(block, probability): (&BlockEvidence, &f32)| {
            let signals = signals(block, evidence.pages, *probability, self.half);
            self.weights.iter().zip(signals).map(|(weight, signal)| weight * signal).sum()
        };
        blocks.map(change).collect()
    }
}

impl PageEvidence {
    /// Returns the change of each block's log odds by the built-in weights, given the model's probabilities.
    pub fn changes(&self, probabilities: &[f32]) -> Vec<f32> {
        let judged = self.blocks.iter().any(|block| block.probability.is_some());
        let correction = if judged { BY_PROBABILITIES } else { BY_COUNTS };
        correction.changes(self, probabilities)
    }
}

#[cfg(test)]
mod correction_tests {
    use super::*;

    #[test]
    fn nothing_known_changes_nothing() {
        let evidence = PageEvidence { pages: 5, blocks: vec![BlockEvidence::default(); 2] };
        assert_eq!(evidence.changes(&[0.0, 1.0]), [0.0, 0.0]);
    }

    #[test]
    fn repeated_text_is_less_probable_and_positions_pull_to_their_mean() {
        let block = |pages, probability| BlockEvidence { pages: Some(pages), entropy: None, probability };
        let changes = |blocks: Vec<BlockEvidence>, page_probability: f32| {
            let probabilities = vec![page_probability; blocks.len()];
            PageEvidence { pages: 4, blocks }.changes(&probabilities)
        };
        let counts = changes(vec![block(0, None), block(2, None), block(4, None)], 0.9);
        assert_eq!(counts[0], 0.0);
        assert!(counts[2] < counts[1] && counts[1] < -1.0, "{counts:?}");
        let means = changes(vec![block(0, Some((0.99, 9))), block(0, Some((0.01, 9)))], 0.5);
        assert!(means[0] > 1.5 && means[1] < -1.5, "{means:?}");
        let one = changes(vec![block(0, Some((0.99, 1)))], 0.5);
        assert!(one[0] < means[0]);
        // Probabilities of 0 and 1 give numbers.
        assert!(changes(vec![block(0, Some((0.0, 9)))], 1.0)[0].is_finite());
    }
}
