//! FeatureExtractor and K-FeatureExtractor (Debnath, Mitra, Pal and Giles, Automatic Identification of
//! Informative Sections of Web Pages, TKDE 17(9), 2005), for text as the wanted feature.
//!
//! The page is cut at `table`, `tr`, `p`, `hr`, `ul`, `div` and `span`, each tag in turn, so that
//! every text ends in the innermost of them. A segment is described by its share of the page's words,
//! images, links, lists, tables and form fields. It passes if text dominates: its share of the words
//! is not below its share of any other feature. FeatureExtractor returns the passing segment with
//! the largest share of the words; K-FeatureExtractor clusters the passing segments by k-means
//! (k = 3) and returns the whole cluster of that one.
//!
//! Known to us from secondary texts, not from the paper: the tag order and k, which are reported
//! there, and the form of the dominance test, which is ours. Scripts, a feature in the paper, leave
//! no trace in the tables.

use trommel_html::{Page, Tag};
use trommel_model::features::{farthest_first, kmeans};

use crate::methods::method::{About, Method, MethodError};
use crate::methods::segments::{Segments, segments};

const CUTS: [Tag; 7] = [Tag::Table, Tag::Tr, Tag::P, Tag::Hr, Tag::Ul, Tag::Div, Tag::Span];
/// Words, images, links, lists, tables, form fields.
const FEATURES: usize = 6;
const CLUSTERS: usize = 3;

/// Keeps the segment with the most text among those where text dominates.
#[derive(Clone, Copy, Debug, Default)]
pub struct FeatureExtractor;

/// Keeps the segments that are like the one [`FeatureExtractor`] keeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct KFeatureExtractor;

/// The feature that an element counts for.
fn feature(tag: Tag) -> Option<usize> {
    match tag {
        Tag::Img => Some(1),
        Tag::A => Some(2),
        Tag::Ul | Tag::Ol | Tag::Dl => Some(3),
        Tag::Table => Some(4),
        Tag::Form | Tag::Input | Tag::Button => Some(5),
        _ => None,
    }
}

/// Each segment's shares of the page's features, 0..=1.
fn shares(page: &Page, segments: &Segments) -> Vec<[f32; FEATURES]> {
    let mut counts = vec![[0.0; FEATURES]; segments.count];
    let mut totals = [0.0; FEATURES];
    let words = page.blocks.iter().zip(&segments.of_block).map(|(block, of)| (*of, 0, block.words as f32));
    let elements = page.elements.iter().zip(&segments.of_element);
    let others = elements.filter_map(|(element, of)| Some((*of, feature(element.tag)?, 1.0)));
    for (of, feature, count) in words.chain(others) {
        if let Some(slot) = counts.get_mut(of as usize).and_then(|counts| counts.get_mut(feature)) {
            *slot += count;
        }
        if let Some(total) = totals.get_mut(feature) {
            *total += count;
        }
    }
    for counts in &mut counts {
        for (count, total) in counts.iter_mut().zip(totals) {
            *count /= f32::max(total, 1.0);
        }
    }
    counts
}

/// The segments where text dominates with their shares, and the place in that list of the one with
/// the most text. Where text dominates nowhere, all segments pass.
fn passing(shares: &[[f32; FEATURES]]) -> (Vec<(usize, [f32; FEATURES])>, usize) {
    let dominated = |shares: &[f32; FEATURES]| {
        let [text, others @ ..] = shares;
        *text > 0.0 && others.iter().all(|other| text >= other)
    };
    let mut passing: Vec<(usize, [f32; FEATURES])> =
        shares.iter().copied().enumerate().filter(|(_, shares)| dominated(shares)).collect();
    if passing.is_empty() {
        passing = shares.iter().copied().enumerate().collect();
    }
    let mut winner = (0, f32::NEG_INFINITY);
    for (at, (_, shares)) in passing.iter().enumerate() {
        if shares[0] > winner.1 {
            winner = (at, shares[0]);
        }
    }
    (passing, winner.0)
}

/// Keeps the blocks of the segments in `wanted`.
fn blocks_of(segments: &Segments, wanted: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut kept = vec![false; segments.count];
    for at in wanted {
        if let Some(slot) = kept.get_mut(at) {
            *slot = true;
        }
    }
    segments.of_block.iter().map(|of| kept.get(*of as usize).copied().unwrap_or(false)).collect()
}

impl Method for FeatureExtractor {
    fn about(&self) -> &About {
        &About {
            name: "feature-extractor",
            line: "the segment with the most text among those where text dominates",
            citation: "Debnath, Mitra, Pal and Giles, Automatic Identification of Informative Sections of Web Pages, TKDE 17(9), 2005; from secondary texts, the dominance test is ours",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let segments = segments(page, &CUTS);
        let (passing, winner) = passing(&shares(page, &segments));
        Ok(blocks_of(&segments, passing.get(winner).map(|(at, _)| *at).into_iter()))
    }
}

impl Method for KFeatureExtractor {
    fn about(&self) -> &About {
        &About {
            name: "k-feature-extractor",
            line: "the k-means cluster of segments around the one with the most text",
            citation: "Debnath, Mitra, Pal and Giles, Automatic Identification of Informative Sections of Web Pages, TKDE 17(9), 2005; from secondary texts, the dominance test and the seeds are ours",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let segments = segments(page, &CUTS);
        let (passing, winner) = passing(&shares(page, &segments));
        let points: Vec<[f32; FEATURES]> = passing.iter().map(|(_, shares)| *shares).collect();
        // The seeds spread out from the point nearest to the origin.
        let size = |point: &[f32; FEATURES]| point.iter().map(|share| share * share).sum::<f32>();
        let Some(first) = points.iter().min_by(|a, b| size(a).total_cmp(&size(b))) else {
            return Ok(Vec::new());
        };
        let mut centres = farthest_first(&points, *first, CLUSTERS);
        let clusters = kmeans(&points, &mut centres, 0);
        let cluster = clusters.get(winner);
        let wanted = passing.iter().zip(&clusters).filter(|(_, of)| Some(*of) == cluster).map(|((at, _), _)| *at);
        Ok(blocks_of(&segments, wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn read(html: &str) -> Page {
        ScanEngine.read(html, &Limits::default())
    }

    /// Nineteen words: a list of two links, three paragraphs of 7, 6 and 1 words, a linked paragraph.
    const PAGE: &str = "<ul><li><a href=x>go</a><li><a href=y>on</a></ul>\
        <p>one two three four five six seven</p><p>one two three four five six</p>\
        <p>one</p><p><a href=z>one two three <img src=i></a></p>";

    #[test]
    fn the_longest_text_wins() {
        // Shares (words of 19, images of 1, links of 3, lists of 1): ul 2/19, 0, 2/3, 1: lists
        // dominate. p 7/19; p 6/19; p 1/19, all with nothing else: they pass. Last p 3/19, 1, 1/3:
        // images dominate. The winner is 7/19.
        let page = read(PAGE);
        assert_eq!(FeatureExtractor.extract(&page).unwrap(), [false, false, true, false, false, false]);
    }

    #[test]
    fn its_cluster_comes_along() {
        // Passing points 7/19, 6/19, 1/19. Seeds: 1/19 (nearest the origin), 7/19, then 6/19 (a
        // squared distance of 1/361 from the nearest seed): three clusters, the winner alone.
        let page = read(PAGE);
        assert_eq!(KFeatureExtractor.extract(&page).unwrap(), [false, false, true, false, false, false]);
        // With a fourth paragraph of 4 words the third seed is 4/23 (3/23 away from 1/23 and 7/23,
        // while 6/23 is 1/23 away): 6 goes with 7.
        let page = read(&format!("{PAGE}<p>one two three four</p>"));
        assert_eq!(KFeatureExtractor.extract(&page).unwrap(), [false, false, true, true, false, false, false]);
    }

    #[test]
    fn one_block_is_kept_even_if_links_dominate() {
        for method in [&FeatureExtractor as &dyn Method, &KFeatureExtractor] {
            assert!(method.extract(&read("")).unwrap().is_empty());
            assert_eq!(method.extract(&read("text")).unwrap(), [true]);
            // Text 1/1 against links 1/1: not below, so it passes; with an image outside it still does.
            assert_eq!(method.extract(&read("<p><a href=x>a</a></p>")).unwrap(), [true]);
            // First 1/3 of the words against all links, then 2/3 against all images: nothing passes,
            // so everything does.
            let html = "<p><a href=x>a</a></p><p>b c<img src=x></p>";
            assert_eq!(method.extract(&read(html)).unwrap(), [false, true]);
        }
    }
}
