//! X-CEX: elements whose like stands on few pages of the site, by structure and words.

use similar::{Algorithm, capture_diff_slices, get_diff_ratio};
use trommel_html::{Attribute, Page, Tag};

use super::similar_sets::{Compared, common, cosine, other_pages};
use super::{SiteMethod, Vocabulary, as_set};
use crate::methods::home::home;
use crate::methods::method::About;

/// The ordered list of tags.
const TAGS: [Tag; 6] = [Tag::Body, Tag::Main, Tag::Article, Tag::Section, Tag::Div, Tag::P];
const STRUCTURE: f64 = 0.3;
const CONTENT: f64 = 0.7;
/// Elements of a greater likeness are similar.
const SIMILAR: f64 = 0.8;
/// Content if similar ones stand on a smaller share of the pages.
const SHARE: f64 = 0.2;

/// Comparison of the words of two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentLikeness {
    /// Cosine of binary word vectors.
    Cosine,
    /// One less the share of words in which they differ.
    Hamming,
}

/// Elements whose like stands on few pages.
pub struct XCex {
    about: About,
    likeness: ContentLikeness,
}

impl XCex {
    /// With words compared so.
    pub fn new(likeness: ContentLikeness) -> Self {
        let about = match likeness {
            ContentLikeness::Cosine => About {
                name: "x-cex",
                line: "elements whose like, by structure and words, stands on few pages of the site",
                citation: "Fernandes, X-CEX, thesis, 2021, from its abstract and summary; a text is judged with the innermost element of the list around it; tag sequences are compared by their longest common subsequence, difflib's ratio by matching blocks there; of an element the first 256 tags are compared; what no other page has is content however few pages there are; the likeness of .8 is ours.",
                learns: false,
            },
            ContentLikeness::Hamming => About {
                name: "x-cex-hamming",
                line: "the same with words compared by Hamming distance",
                citation: "Fernandes, X-CEX, thesis, 2021, the fast variant, as above; the distance is divided by the words of both elements, which is this project's reading.",
                learns: false,
            },
        };
        Self { about, likeness }
    }

    fn words(&self, a: &[u32], b: &[u32]) -> f64 {
        match self.likeness {
            ContentLikeness::Cosine => cosine(a, b),
            ContentLikeness::Hamming => {
                let both = a.len() + b.len();
                let differ = both - 2 * common(a, b);
                1.0 - differ as f64 / both.max(1) as f64
            }
        }
    }

    /// Likeness of two elements, 0 to 1.
    fn likeness(&self, a: &Compared<Look>, b: &Compared<Look>) -> f64 {
        let content = CONTENT * self.words(&a.words, &b.words);
        // Even with the same structure they would not be similar.
        if content + STRUCTURE <= SIMILAR {
            return content;
        }
        let ops = capture_diff_slices(Algorithm::Myers, &a.look.tags, &b.look.tags);
        let tags = get_diff_ratio(&ops, a.look.tags.len(), b.look.tags.len());
        let classes = jaccard(&a.look.classes, &b.look.classes);
        content + STRUCTURE * (f64::from(tags) + classes) / 2.0
    }
}

/// Names of the elements inside in order, and the words of their classes as a set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Look {
    tags: Vec<u8>,
    classes: Vec<u32>,
}

/// Two sets without members are the same.
fn jaccard(a: &[u32], b: &[u32]) -> f64 {
    let both = common(a, b);
    match a.len() + b.len() - both {
        0 => 1.0,
        all => both as f64 / all as f64,
    }
}

/// Tags of an element that are looked at: long ones are alike or not by their beginning.
const MOST_TAGS: usize = 256;

impl SiteMethod for XCex {
    fn about(&self) -> &About {
        &self.about
    }

    fn extract(&self, pages: &[&Page]) -> Vec<Vec<bool>> {
        // Below this cosine of the words no structure makes them similar. Of the Hamming form, which is
        // twice the common words over the words of both, the cosine is never the lower one.
        self.extract_above((SIMILAR - STRUCTURE) / CONTENT, pages)
    }
}

impl XCex {
    /// Of elements whose words have a lower cosine than `least` not all are compared.
    fn extract_above(&self, least: f64, pages: &[&Page]) -> Vec<Vec<bool>> {
        let (mut vocabulary, mut names) = (Vocabulary::default(), Vocabulary::default());
        let mut compared: Vec<(usize, Compared<Look>)> = Vec::new();
        let mut of_blocks: Vec<Vec<Option<usize>>> = Vec::with_capacity(pages.len());
        for (number, page) in pages.iter().enumerate() {
            // Words of each block once; elements take those of all blocks inside.
            let words: Vec<Vec<u32>> = page
                .blocks
                .iter()
                .map(|block| {
                    let mut words = Vec::new();
                    vocabulary.numbers(page.text(block), &mut words);
                    words
                })
                .collect();
            let mut at: rustc_hash::FxHashMap<u32, usize> = rustc_hash::FxHashMap::default();
            let mut clusters = Vec::with_capacity(page.blocks.len());
            for block in &page.blocks {
                let around = page.path(home(page, block)).find(|(_, element)| TAGS.contains(&element.tag));
                clusters.push(around.map(|(element, around)| {
                    *at.entry(element).or_insert_with(|| {
                        let inside = page.elements.get(element as usize..around.end as usize);
                        let inside = inside.unwrap_or_default();
                        let tags = inside.iter().take(MOST_TAGS).map(|element| element.tag as u8);
                        let mut classes = Vec::new();
                        for inner in inside.iter().take(MOST_TAGS) {
                            for word in page.attribute_words(inner) {
                                if word.attribute == Attribute::Class {
                                    names.numbers(page.word_text(word), &mut classes);
                                }
                            }
                        }
                        let end = page.elements.get(around.end as usize);
                        let end = end.map_or(u32::MAX, |next| next.start);
                        let from = page.blocks.partition_point(|block| block.span.0 < around.start);
                        let to = page.blocks.partition_point(|block| block.span.0 < end);
                        let texts = words.get(from..to).unwrap_or_default();
                        let block = Compared {
                            words: as_set(texts.concat()),
                            look: Look { tags: tags.collect(), classes: as_set(classes) },
                        };
                        compared.push((number, block));
                        compared.len() - 1
                    })
                }));
            }
            of_blocks.push(clusters);
        }
        let others = other_pages(&compared, least, |a, b| self.likeness(a, b) > SIMILAR);
        let most = SHARE * pages.len() as f64;
        let is_rare = |place: &Option<usize>| {
            let others = place.and_then(|place| others.get(place)).copied().unwrap_or(0);
            // Its own page is one of those with a block like it.
            others == 0 || ((others + 1) as f64) < most
        };
        of_blocks.iter().map(|clusters| clusters.iter().map(is_rare).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::by_site::read;

    fn element(words: &[u32], tags: &[u8], classes: &[u32]) -> Compared<Look> {
        Compared { words: words.to_vec(), look: Look { tags: tags.to_vec(), classes: classes.to_vec() } }
    }

    #[test]
    fn on_small_sites_it_is_what_all_pairs_give() {
        let mut random = trommel_text::SplitMix64::new(3);
        let mut below = |bound: u64| random.next_u64() % bound;
        let (mut kept, mut dropped) = (0, 0);
        for round in 0..12 {
            let pages: Vec<Page> = (0..12)
                .map(|_| {
                    let part = |below: &mut dyn FnMut(u64) -> u64| {
                        let theme = below(12) * 10;
                        let words = 4 + below(5);
                        let text: String = (theme..theme + words).map(|at| format!("word{at} ")).collect();
                        format!("<div class=c{}><p class=d>{text}</p></div>", below(2))
                    };
                    let parts: String = (0..3).map(|_| part(&mut below)).collect();
                    read(&format!("<body><section>{parts}</section>"))
                })
                .collect();
            let pages: Vec<&Page> = pages.iter().collect();
            for likeness in [ContentLikeness::Cosine, ContentLikeness::Hamming] {
                let method = XCex::new(likeness);
                let found = method.extract(&pages);
                // Whatever has a word in common is compared; what has none is never similar.
                assert_eq!(found, method.extract_above(1e-9, &pages), "round {round}");
                let all = found.iter().flatten();
                kept += all.clone().filter(|kept| **kept).count();
                dropped += all.filter(|kept| !**kept).count();
            }
        }
        assert!(kept > 20 && dropped > 20, "{kept} kept, {dropped} dropped");
    }

    #[test]
    fn likeness_is_three_parts_structure_and_seven_words() {
        let method = XCex::new(ContentLikeness::Cosine);
        let a = element(&[1, 2, 3, 4], &[1, 2], &[7]);
        assert!((method.likeness(&a, &a) - 1.0).abs() < 1e-9);
        // Half of the classes, the same tags.
        let b = element(&[1, 2, 3, 4], &[1, 2], &[7, 8]);
        assert!((method.likeness(&a, &b) - (0.7 + 0.3 * (1.0 + 0.5) / 2.0)).abs() < 1e-6);
        // Three of four words are not enough, whatever the structure.
        let c = element(&[1, 2, 3, 5], &[1, 2], &[7]);
        assert!((method.likeness(&a, &c) - (0.7 * 0.75 + 0.3)).abs() < 1e-6);
        let d = element(&[1, 2, 5, 6], &[1, 2], &[7]);
        assert!((method.likeness(&a, &d) - 0.35).abs() < 1e-9);
        let hamming = XCex::new(ContentLikeness::Hamming);
        assert!((hamming.words(&a.words, &c.words) - 0.75).abs() < 1e-9);
    }
}
