//! Matching of found blocks with marked ones.

use std::collections::BTreeSet;

use super::region::{Leaves, Region};

/// Similarity from which two blocks are the same by the fuzzy measure.
pub const FUZZY_SIMILARITY: f64 = 0.8;

/// When two blocks are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// If they hold the same.
    Exact,
    /// If their similarity is at least [`FUZZY_SIMILARITY`].
    Fuzzy,
}

/// Numbers of blocks of a page; equal blocks count once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Found.
    pub found: usize,
    /// Marked by hand.
    pub marked: usize,
    /// Found and marked, one to one.
    pub hits: usize,
}

impl Counts {
    /// Share of the found blocks that are marked; 0 if none was found.
    pub fn precision(&self) -> f64 {
        ratio(self.hits, self.found)
    }

    /// Share of the marked blocks that were found.
    pub fn recall(&self) -> f64 {
        ratio(self.hits, self.marked)
    }

    /// Harmonic mean of the two.
    pub fn f1(&self) -> f64 {
        ratio(2 * self.hits, self.found + self.marked)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Matches blocks one to one: the equal ones first, then (by the fuzzy measure) the most similar pairs. Blocks
/// without anything that has a box match nothing.
pub fn count(leaves: &Leaves, found: &[Region], marked: &[Region], measure: Match) -> Counts {
    let found: BTreeSet<&Region> = found.iter().collect();
    let marked: BTreeSet<&Region> = marked.iter().collect();
    let equal: BTreeSet<&Region> = found.intersection(&marked).copied().collect();
    let mut counts = Counts {
        found: found.len(),
        marked: marked.len(),
        hits: equal.iter().filter(|region| !region.is_empty()).count(),
    };
    if measure == Match::Exact {
        return counts;
    }
    let found: Vec<&Region> = found.difference(&equal).copied().collect();
    let marked: Vec<&Region> = marked.difference(&equal).copied().collect();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (at, region) in found.iter().enumerate() {
        for (other_at, other) in marked.iter().enumerate() {
            let similarity = leaves.similarity(region, other);
            if similarity >= FUZZY_SIMILARITY {
                pairs.push((similarity, at, other_at));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut used, mut hit) = (BTreeSet::new(), BTreeSet::new());
    for (_, at, other) in pairs {
        if !used.contains(&at) && !hit.contains(&other) {
            used.insert(at);
            hit.insert(other);
            counts.hits += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{LayoutNode, PageLayout};

    /// Ten texts of ten characters side by side.
    fn leaves() -> Leaves {
        let text = LayoutNode { is_text: true, chars: 10, ..LayoutNode::default() };
        Leaves::new(&PageLayout { nodes: vec![text; 10], ..PageLayout::default() })
    }

    fn region(range: std::ops::Range<u32>) -> Region {
        Region(range.collect())
    }

    #[test]
    fn blocks_match_one_to_one() {
        let leaves = leaves();
        // Two of the found are like the first marked one; the last marked one holds nothing.
        let found = [region(0..5), region(1..5), region(0..4), region(8..10), Region::default()];
        let marked = [region(0..5), region(5..8), region(8..10), region(8..10), Region::default()];
        let of = |measure| count(&leaves, &found, &marked, measure);
        let exact = Counts { found: 5, marked: 4, hits: 2 };
        assert_eq!(of(Match::Exact), exact);
        assert_eq!(of(Match::Fuzzy), exact);
        assert_eq!((exact.precision(), exact.recall(), exact.f1()), (0.4, 0.5, 4.0 / 9.0));
    }

    #[test]
    fn fuzzy_matches_need_four_fifths() {
        let leaves = leaves();
        let hits = |found: std::ops::Range<u32>, marked, measure| {
            count(&leaves, &[region(found)], &[region(marked)], measure).hits
        };
        assert_eq!(hits(0..4, 0..6, Match::Fuzzy), 1);
        assert_eq!(hits(0..4, 0..6, Match::Exact), 0);
        assert_eq!(hits(0..4, 0..7, Match::Fuzzy), 0);
    }
}
