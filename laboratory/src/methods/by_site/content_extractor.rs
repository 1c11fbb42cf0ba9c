//! ContentExtractor: blocks that other pages of the site do not have.

use rustc_hash::FxHashMap;
use trommel_html::{Page, Tag};

use super::similar_sets::{Compared, cosine, other_pages};
use super::{SiteMethod, Vocabulary, as_set};
use crate::methods::method::About;
use crate::methods::segments::segments;

/// The ordered list of tags that blocks are cut at.
const CUTS: [Tag; 7] = [Tag::Table, Tag::Tr, Tag::P, Tag::Hr, Tag::Ul, Tag::Div, Tag::Span];
/// Blocks of a greater cosine are similar.
const SIMILAR: f64 = 0.9;
/// Inverse block document frequency, 1 / (1 + other pages with a similar block), above which a block is
/// content: no more than one other page has it.
const LEAST_IBDF: f64 = 0.4;

/// Blocks of a high inverse block document frequency.
pub struct ContentExtractor;

const ABOUT: About = About {
    name: "content-extractor",
    line: "blocks that are similar to none of other pages of the site",
    citation: "Debnath, Mitra, Pal and Giles, Automatic Identification of Informative Sections of Web Pages, TKDE 17(9), 2005; from secondary texts; word and feature vectors (images, links, form controls, tags) are compared apart, both by the cosine .9, and the threshold of .4 on the inverse block document frequency is ours.",
    learns: false,
};

/// Images, links, form controls, tags.
type Features = [u32; 4];

impl SiteMethod for ContentExtractor {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn extract(&self, pages: &[&Page]) -> Vec<Vec<bool>> {
        let mut vocabulary = Vocabulary::default();
        let mut compared: Vec<(usize, Compared<Features>)> = Vec::new();
        let mut of_blocks = Vec::with_capacity(pages.len());
        for (number, page) in pages.iter().enumerate() {
            let segments = segments(page, &CUTS);
            let first = compared.len();
            let mut at: FxHashMap<u32, usize> = FxHashMap::default();
            let mut terms = Vec::with_capacity(page.blocks.len());
            for (block, segment) in page.blocks.iter().zip(&segments.of_block) {
                let place = *at.entry(*segment).or_insert_with(|| {
                    let look = Features::default();
                    let words = Vec::new();
                    compared.push((number, Compared { words, look }));
                    compared.len() - 1
                });
                if let Some((_, kept)) = compared.get_mut(place) {
                    vocabulary.numbers(page.text(block), &mut kept.words);
                    let more = [block.images, 0, block.inputs, block.tags_inside];
                    for (sum, more) in kept.look.iter_mut().zip(more) {
                        *sum += more;
                    }
                }
                terms.push(place);
            }
            let elements = page.elements.iter().zip(&segments.of_element);
            for (_, segment) in elements.filter(|(element, _)| element.tag == Tag::A) {
                let place = at.get(segment).copied();
                if let Some((_, kept)) = place.and_then(|place| compared.get_mut(place)) {
                    kept.look[1] += 1;
                }
            }
            for (_, kept) in compared.iter_mut().skip(first) {
                kept.words = as_set(std::mem::take(&mut kept.words));
            }
            of_blocks.push(terms);
        }
        let others = other_pages(&compared, SIMILAR, |a, b| {
            cosine(&a.words, &b.words) > SIMILAR && of_features(&a.look, &b.look) > SIMILAR
        });
        let is_rare = |place: &usize| {
            let others = others.get(*place).copied().unwrap_or(0);
            1.0 / (1.0 + others as f64) > LEAST_IBDF
        };
        of_blocks.iter().map(|terms| terms.iter().map(is_rare).collect()).collect()
    }
}

/// Cosine of the features; two blocks without any are the same.
fn of_features(a: &Features, b: &Features) -> f64 {
    let dot = |a: &Features, b: &Features| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum() };
    let (norm, others) = (dot(a, a), dot(b, b));
    match norm * others > 0.0 {
        true => dot(a, b) / (norm * others).sqrt(),
        false if norm == others => 1.0,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::by_site::read;

    #[test]
    fn two_of_a_kind_are_rare_and_three_are_not() {
        let html = |text: &str| read(&format!("<p>{text}</p><p>the same notice stands here again</p>"));
        let pages: Vec<Page> = ["one story", "two story", "three tale"].map(html).into();
        let pages: Vec<&Page> = pages.iter().collect();
        assert_eq!(ContentExtractor.extract(&pages[..2]), [[true, true], [true, true]]);
        assert_eq!(ContentExtractor.extract(&pages), [[true, false]; 3]);
    }

    #[test]
    fn links_are_counted_one_by_one() {
        // In proportion, one link with its tag looks as six with theirs do.
        let page = |links: usize| {
            let notice: String = (0..6)
                .map(|at| match at < links {
                    true => format!("<a href=/>notice{at}</a> "),
                    false => format!("notice{at} "),
                })
                .collect();
            read(&format!("<p>story{links} told</p><p>{notice}</p>"))
        };
        let pages = [page(1), page(3), page(6)];
        let pages: Vec<&Page> = pages.iter().collect();
        assert_eq!(ContentExtractor.extract(&pages), [[true, false]; 3]);
    }

    #[test]
    fn features_are_compared_by_their_cosine() {
        assert_eq!(of_features(&[0; 4], &[0; 4]), 1.0);
        assert_eq!(of_features(&[1, 0, 0, 0], &[0; 4]), 0.0);
        assert!((of_features(&[1, 1, 0, 0], &[1, 0, 0, 0]) - 0.5f64.sqrt()).abs() < 1e-12);
    }
}
