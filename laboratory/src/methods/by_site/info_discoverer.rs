//! InfoDiscoverer: blocks whose terms stand on few pages, by entropy.

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::{Page, Tag};

use super::{SiteMethod, Vocabulary};
use crate::methods::method::About;
use crate::methods::segments::segments;

/// Elements that divide blocks: those of tables as in the paper, and those of today's layouts.
const CUTS: [Tag; 4] = [Tag::Table, Tag::Td, Tag::Div, Tag::Ul];

/// Blocks of a low mean entropy of their terms.
pub struct InfoDiscoverer;

const ABOUT: About = About {
    name: "info-discoverer",
    line: "blocks whose terms are unevenly spread over the pages of the site",
    citation: "Lin and Ho, Discovering Informative Content Blocks from Web Documents, KDD 2002; from its abstract and secondary texts; blocks are cut at div, ul and td as well as at tables.",
    learns: false,
};

/// Entropy of a term: of its shares of the pages, to the base of their number. 0 on one page, 1 spread evenly
/// over all.
fn entropy(on_pages: impl Iterator<Item = u32> + Clone, pages: usize) -> f64 {
    let all: f64 = on_pages.clone().map(f64::from).sum();
    let sum: f64 = on_pages
        .map(|times| f64::from(times) / all)
        .filter(|share| *share > 0.0)
        .map(|share| -share * share.ln())
        .sum();
    sum / (pages.max(2) as f64).ln()
}

/// The greedy threshold: from .1 by .1 up, until no further terms become informative.
fn threshold(blocks: &[(f64, FxHashSet<u32>)]) -> f64 {
    let mut known = 0;
    let mut chosen = 0.9;
    for step in 1..=9 {
        let least = f64::from(step) / 10.0;
        let informative = blocks.iter().filter(|(entropy, _)| *entropy <= least);
        let terms: FxHashSet<u32> = informative.flat_map(|(_, terms)| terms).copied().collect();
        if known > 0 && terms.len() == known {
            return chosen;
        }
        (known, chosen) = (terms.len(), least);
    }
    chosen
}

impl SiteMethod for InfoDiscoverer {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn extract(&self, pages: &[&Page]) -> Vec<Vec<bool>> {
        if let [page] = pages {
            return vec![vec![true; page.blocks.len()]];
        }
        let mut vocabulary = Vocabulary::default();
        // How often each term stands on each page.
        let mut often: FxHashMap<u32, FxHashMap<usize, u32>> = FxHashMap::default();
        let mut terms_of: Vec<FxHashSet<u32>> = Vec::new();
        let mut of_blocks = Vec::with_capacity(pages.len());
        for (number, page) in pages.iter().enumerate() {
            let segments = segments(page, &CUTS);
            let first = terms_of.len();
            terms_of.resize(first + segments.count, FxHashSet::default());
            let mut words = Vec::new();
            for (block, segment) in page.blocks.iter().zip(&segments.of_block) {
                words.clear();
                vocabulary.numbers(page.text(block), &mut words);
                for word in &words {
                    *often.entry(*word).or_default().entry(number).or_default() += 1;
                }
                if let Some(terms) = terms_of.get_mut(first + *segment as usize) {
                    terms.extend(&words);
                }
            }
            let places = segments.of_block.iter().map(|segment| first + *segment as usize);
            of_blocks.push(places.collect::<Vec<usize>>());
        }
        let entropies: FxHashMap<u32, f64> = often
            .iter()
            .map(|(term, on)| {
                let mut times: Vec<u32> = on.values().copied().collect();
                // Sums do not depend on the order of a table.
                times.sort_unstable();
                (*term, entropy(times.iter().copied(), pages.len()))
            })
            .collect();
        let blocks: Vec<(f64, FxHashSet<u32>)> = terms_of
            .into_iter()
            .map(|terms| {
                let mut values: Vec<f64> = terms.iter().filter_map(|term| entropies.get(term)).copied().collect();
                values.sort_unstable_by(f64::total_cmp);
                let mean = match values.is_empty() {
                    true => 1.0,
                    false => values.iter().sum::<f64>() / values.len() as f64,
                };
                (mean, terms)
            })
            .collect();
        let most = threshold(&blocks);
        let is_informative = |place: &usize| blocks.get(*place).is_some_and(|(entropy, _)| *entropy <= most);
        of_blocks.iter().map(|terms| terms.iter().map(is_informative).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_of_terms() {
        let of = |times: &[u32], pages| entropy(times.iter().copied(), pages);
        assert_eq!(of(&[3], 4), 0.0);
        assert!((of(&[2, 2, 2, 2], 4) - 1.0).abs() < 1e-12);
        // Evenly on two of four pages: one bit of two.
        assert!((of(&[5, 5], 4) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn the_threshold_rises_until_nothing_new_comes() {
        let block = |entropy: f64, terms: &[u32]| (entropy, terms.iter().copied().collect());
        let blocks = [block(0.25, &[1, 2]), block(0.35, &[2, 3]), block(0.95, &[4])];
        assert!((threshold(&blocks) - 0.4).abs() < 1e-12);
        assert!((threshold(&[block(0.95, &[4])]) - 0.9).abs() < 1e-12);
    }
}
