//! For each block of a site, on how many other pages a similar one stands: near-linear.
//!
//! Blocks of one fingerprint (the same words and the same look) are compared once. Others are only compared
//! if they can be similar: of two word sets A and B with |A and B| >= c sqrt(|A| |B|), at least c^2 |A| words
//! are common, so among the rarest |A| - ceil(c^2 |A|) + 1 words of A there is one of B's (prefix filter; Bayardo,
//! Ma and Srikant, WWW 2007). What is found is what comparing all pairs finds.

use rustc_hash::{FxHashMap, FxHashSet};

/// A block as it is compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Compared<L> {
    /// Its words, each once, sorted.
    pub words: Vec<u32>,
    /// Further facts for the comparison.
    pub look: L,
}

/// Pages other than its own on which a block similar to each stands. `similar` must hold only for word sets
/// with a cosine of at least `least`, above 0; blocks without words are similar to nothing.
pub(super) fn other_pages<L: Clone + Eq + std::hash::Hash>(
    blocks: &[(usize, Compared<L>)],
    least: f64,
    similar: impl Fn(&Compared<L>, &Compared<L>) -> bool,
) -> Vec<usize> {
    // Equal blocks once, with the pages they are on.
    let mut kinds: FxHashMap<&Compared<L>, usize> = FxHashMap::default();
    let mut distinct: Vec<(&Compared<L>, Vec<usize>)> = Vec::new();
    let mut kind_of = Vec::with_capacity(blocks.len());
    for (page, block) in blocks {
        let kind = *kinds.entry(block).or_insert_with(|| {
            distinct.push((block, Vec::new()));
            distinct.len() - 1
        });
        if let Some((_, pages)) = distinct.get_mut(kind)
            && pages.last() != Some(page)
        {
            pages.push(*page);
        }
        kind_of.push(kind);
    }
    let mut often: FxHashMap<u32, u32> = FxHashMap::default();
    for word in distinct.iter().flat_map(|(block, _)| &block.words) {
        *often.entry(*word).or_default() += 1;
    }
    let rarest = |words: &[u32]| {
        let mut words = words.to_vec();
        words.sort_unstable_by_key(|word| (often.get(word).copied().unwrap_or(0), *word));
        let common = (least * least * words.len() as f64 - 1e-9).ceil().max(1.0) as usize;
        words.truncate((words.len() + 1).saturating_sub(common));
        words
    };
    let mut by_word: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    let mut pages: Vec<FxHashSet<usize>> = distinct.iter().map(|(_, pages)| pages.iter().copied().collect()).collect();
    for (at, (block, on)) in distinct.iter().enumerate() {
        let mut candidates: Vec<usize> = Vec::new();
        for word in rarest(&block.words) {
            let with = by_word.entry(word).or_default();
            candidates.extend_from_slice(with);
            with.push(at);
        }
        candidates.sort_unstable();
        candidates.dedup();
        for candidate in candidates {
            let Some((other, others_on)) = distinct.get(candidate) else {
                continue;
            };
            if similar(block, other) {
                if let Some(block_pages) = pages.get_mut(at) {
                    block_pages.extend(others_on);
                }
                if let Some(others) = pages.get_mut(candidate) {
                    others.extend(on);
                }
            }
        }
    }
    blocks
        .iter()
        .zip(kind_of)
        .map(|((page, block), kind)| {
            let on = pages.get(kind).filter(|_| !block.words.is_empty());
            on.map_or(0, |on| on.len() - usize::from(on.contains(page)))
        })
        .collect()
}

/// Cosine of two sets of words as binary vectors.
pub(super) fn cosine(a: &[u32], b: &[u32]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    common(a, b) as f64 / ((a.len() * b.len()) as f64).sqrt()
}

/// Numbers that two sorted sets have in common.
pub(super) fn common(a: &[u32], b: &[u32]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut count = 0;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => {
                a.next();
            }
            std::cmp::Ordering::Greater => {
                b.next();
            }
            std::cmp::Ordering::Equal => {
                count += 1;
                a.next();
                b.next();
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_text::SplitMix64;

    /// All pairs.
    fn plain<L>(blocks: &[(usize, Compared<L>)], similar: impl Fn(&Compared<L>, &Compared<L>) -> bool) -> Vec<usize> {
        let others = |at: usize| {
            let (page, block) = &blocks[at];
            let on = blocks.iter().enumerate().filter(|(other, (_, compared))| {
                *other != at && !block.words.is_empty() && !compared.words.is_empty() && similar(block, compared)
            });
            let on: FxHashSet<usize> = on.map(|(_, (page, _))| *page).collect();
            on.iter().filter(|other| *other != page).count()
        };
        (0..blocks.len()).map(others).collect()
    }

    #[test]
    fn near_linear_is_what_all_pairs_are() {
        let mut random = SplitMix64::new(7);
        let mut below = |bound: u64| random.next_u64() % bound;
        for round in 0..60 {
            let blocks: Vec<(usize, Compared<u8>)> = (0..80)
                .map(|at| {
                    // Variants of few themes, so that many are nearly alike.
                    let theme = below(5) as u32 * 20;
                    let mut words: Vec<u32> = (0..below(14) as u32).map(|at| theme + at).collect();
                    words.retain(|_| below(8) > 0);
                    if below(3) == 0 {
                        words.push(99);
                    }
                    let words = super::super::as_set(words);
                    (at / 8, Compared { words, look: below(2) as u8 })
                })
                .collect();
            let least = [0.3, 0.714, 0.9][round % 3];
            let similar = |a: &Compared<u8>, b: &Compared<u8>| a.look == b.look && cosine(&a.words, &b.words) > least;
            let found = other_pages(&blocks, least, similar);
            assert_eq!(found, plain(&blocks, similar), "round {round}");
            assert!(found.iter().any(|pages| *pages > 0));
        }
    }

    #[test]
    fn cosines_of_sets() {
        assert_eq!(cosine(&[1, 2, 3, 4], &[1, 2, 3, 4]), 1.0);
        assert_eq!(cosine(&[1, 2, 3, 4], &[3]), 0.5);
        assert_eq!(cosine(&[], &[1]), 0.0);
    }
}
