//! Site Style Tree: elements whose look and text are the same on all pages are noise.

use rustc_hash::FxHashMap;
use trommel_html::{NONE, Page, Tag};
use trommel_text::hash;

use super::{SiteMethod, Vocabulary};
use crate::methods::method::About;

/// Decay of the importance that comes from below, a style node.
const DECAY: f64 = 0.9;
/// Elements below this importance, and all below them, are noise.
const THRESHOLD: f64 = 0.3;

/// Elements that are part of a text and not of the layout.
const INLINE: [Tag; 14] = [
    Tag::A,
    Tag::B,
    Tag::I,
    Tag::U,
    Tag::Em,
    Tag::Strong,
    Tag::Span,
    Tag::Font,
    Tag::Br,
    Tag::Img,
    Tag::Sup,
    Tag::Sub,
    Tag::Code,
    Tag::Small,
];

/// The merged tree of a site's pages.
pub struct SiteStyleTree;

const ABOUT: About = About {
    name: "site-style-tree",
    line: "elements whose style and text differ among the pages of the site",
    citation: "Yi, Liu and Li, Eliminating Noisy Information in Web Pages for Data Mining, KDD 2003; formulas from secondary texts; elements within lines are part of their text, text beside child elements is a leaf of its own, and the threshold of .3 is ours.",
    learns: false,
};

/// -sum p log_m p.
fn entropy(shares: impl Iterator<Item = f64>, base: usize) -> f64 {
    let sum: f64 = shares.filter(|share| *share > 0.0).map(|share| -share * share.ln()).sum();
    sum / (base.max(2) as f64).ln()
}

/// Importance of an element that `sizes` pages of each of its styles go through: 1 if only one page does.
fn node_importance(sizes: &[usize]) -> f64 {
    let pages: usize = sizes.iter().sum();
    match pages {
        0 | 1 => 1.0,
        _ => entropy(sizes.iter().map(|size| *size as f64 / pages as f64), pages),
    }
}

/// Importance with what stands below: of each style its pages and the importance of its children.
fn composite_importance(styles: &[(usize, f64)]) -> f64 {
    let sizes: Vec<usize> = styles.iter().map(|(size, _)| *size).collect();
    let pages: usize = sizes.iter().sum();
    let decay = DECAY.powi(i32::try_from(styles.len()).unwrap_or(i32::MAX));
    let below: f64 = styles.iter().map(|(size, importance)| *size as f64 / pages.max(1) as f64 * importance).sum();
    (1.0 - decay) * node_importance(&sizes) + decay * below
}

/// Importance of a leaf whose words on each page are these: 1 if only one page has it, 0 if all have the same.
fn leaf_importance(words: &[Vec<u32>]) -> f64 {
    let pages = words.len();
    if pages <= 1 {
        return 1.0;
    }
    let mut often: FxHashMap<u32, FxHashMap<usize, u32>> = FxHashMap::default();
    for (page, words) in words.iter().enumerate() {
        for word in words {
            *often.entry(*word).or_default().entry(page).or_default() += 1;
        }
    }
    let mut entropies: Vec<f64> = often
        .values()
        .map(|on| {
            let mut times: Vec<u32> = on.values().copied().collect();
            times.sort_unstable();
            let all: f64 = times.iter().copied().map(f64::from).sum();
            entropy(times.into_iter().map(|count| f64::from(count) / all), pages)
        })
        .collect();
    entropies.sort_unstable_by(f64::total_cmp);
    match entropies.len() {
        // An empty place says nothing.
        0 => 0.0,
        features => 1.0 - entropies.iter().sum::<f64>() / features as f64,
    }
}

/// An element of a page; [`NONE`] for the page as a whole.
#[derive(Clone, Copy)]
struct Place {
    page: usize,
    element: u32,
}

struct Tree<'a> {
    pages: &'a [&'a Page],
    /// Layout elements in each layout element, by page; those of the page as a whole come last.
    children: Vec<Vec<Vec<u32>>>,
    /// Blocks whose text stands in it and in no element inside.
    texts: Vec<Vec<Vec<u32>>>,
    /// Words of each block.
    words: Vec<Vec<Vec<u32>>>,
    kept: Vec<Vec<bool>>,
}

impl<'a> Tree<'a> {
    fn new(pages: &'a [&'a Page]) -> Self {
        let mut vocabulary = Vocabulary::default();
        let mut tree = Self { pages, children: Vec::new(), texts: Vec::new(), words: Vec::new(), kept: Vec::new() };
        for page in pages {
            let outside = page.elements.len();
            let layout = |element: u32| {
                let element = page.path(element).find(|(_, element)| !INLINE.contains(&element.tag));
                element.map_or(outside, |(at, _)| at as usize)
            };
            let mut children = vec![Vec::new(); outside + 1];
            for (element, at) in page.elements.iter().zip(0u32..) {
                if !INLINE.contains(&element.tag)
                    && let Some(around) = children.get_mut(layout(element.parent))
                {
                    around.push(at);
                }
            }
            let mut texts = vec![Vec::new(); outside + 1];
            let mut words = Vec::with_capacity(page.blocks.len());
            for (block, at) in page.blocks.iter().zip(0u32..) {
                if let Some(around) = texts.get_mut(layout(block.element)) {
                    around.push(at);
                }
                let mut nodes = Vec::new();
                vocabulary.numbers(page.text(block), &mut nodes);
                words.push(nodes);
            }
            tree.children.push(children);
            tree.texts.push(texts);
            tree.words.push(words);
            tree.kept.push(vec![true; page.blocks.len()]);
        }
        tree
    }

    fn of<'b>(&self, table: &'b [Vec<Vec<u32>>], place: Place) -> &'b [u32] {
        let Some(nodes) = table.get(place.page) else {
            return &[];
        };
        let at = (place.element as usize).min(nodes.len().saturating_sub(1));
        nodes.get(at).map_or(&[], Vec::as_slice)
    }

    /// Name and class of an element.
    fn look(&self, page: usize, element: u32) -> u64 {
        let Some(page) = self.pages.get(page) else {
            return 0;
        };
        page.element(element).map_or(0, |element| match element.tag {
            Tag::Other => hash(page.name(element).as_bytes()),
            _ => element.signature,
        })
    }

    /// Importance of the element that stands at these places, one a page; and whether it is noise, whose
    /// blocks are dropped.
    fn judge(&mut self, group: &[Place]) -> (f64, bool) {
        let texts: Vec<Vec<u32>> = group
            .iter()
            .map(|place| {
                let words = self.words.get(place.page);
                let blocks = self.of(&self.texts, *place).iter();
                blocks.filter_map(|block| words?.get(*block as usize)).flatten().copied().collect()
            })
            .collect();
        let has_text = texts.iter().any(|words| !words.is_empty());
        let mut styles: FxHashMap<Vec<u64>, Vec<Place>> = FxHashMap::default();
        for place in group {
            let children = self.of(&self.children, *place).iter();
            let looks = children.map(|child| self.look(place.page, *child)).collect();
            styles.entry(looks).or_default().push(*place);
        }
        let text = has_text.then(|| leaf_importance(&texts));
        if let Some(importance) = text
            && importance < THRESHOLD
        {
            for place in group {
                let blocks = self.of(&self.texts, *place).to_vec();
                for block in blocks {
                    if let Some(kept) = self.kept.get_mut(place.page).and_then(|flags| flags.get_mut(block as usize)) {
                        *kept = false;
                    }
                }
            }
        }
        let is_leaf = styles.keys().all(Vec::is_empty);
        if is_leaf {
            let importance = text.unwrap_or(0.0);
            return (importance, importance < THRESHOLD);
        }
        let mut styles: Vec<(Vec<u64>, Vec<Place>)> = styles.into_iter().collect();
        styles.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut below = Vec::with_capacity(styles.len());
        let mut is_noise = text.is_none_or(|importance| importance < THRESHOLD);
        for (looks, places) in &styles {
            let mut parts: Vec<f64> = text.into_iter().collect();
            for child in 0..looks.len() {
                let group: Vec<Place> = places
                    .iter()
                    .filter_map(|place| {
                        let element = *self.of(&self.children, *place).get(child)?;
                        Some(Place { page: place.page, element })
                    })
                    .collect();
                let (importance, noise) = self.judge(&group);
                parts.push(importance);
                is_noise &= noise;
            }
            let mean = parts.iter().sum::<f64>() / parts.len().max(1) as f64;
            below.push((places.len(), mean));
        }
        let importance = composite_importance(&below);
        (importance, is_noise && importance < THRESHOLD)
    }
}

impl SiteMethod for SiteStyleTree {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn extract(&self, pages: &[&Page]) -> Vec<Vec<bool>> {
        let mut tree = Tree::new(pages);
        let roots: Vec<Place> = (0..pages.len()).map(|page| Place { page, element: NONE }).collect();
        tree.judge(&roots);
        tree.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::by_site::read;

    #[test]
    fn importance_of_nodes() {
        assert_eq!(node_importance(&[1]), 1.0);
        assert_eq!(node_importance(&[100]), 0.0);
        // The paper's way of counting: 35 and 15 and 25 and 25 pages of 100, base 100.
        let expected = -[0.35f64, 0.15, 0.25, 0.25].iter().map(|p| p * p.ln()).sum::<f64>() / 100f64.ln();
        assert!((node_importance(&[35, 15, 25, 25]) - expected).abs() < 1e-12);
        assert!((node_importance(&[1; 8]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn importance_with_what_is_below() {
        // One style on all pages: a tenth of nothing and nine tenths of what is below.
        assert!((composite_importance(&[(10, 0.5)]) - 0.45).abs() < 1e-12);
        let two = (1.0 - 0.81) * node_importance(&[5, 5]) + 0.81 * (0.5 * 1.0 + 0.5 * 0.0);
        assert!((composite_importance(&[(5, 1.0), (5, 0.0)]) - two).abs() < 1e-12);
    }

    #[test]
    fn importance_of_leaves() {
        assert_eq!(leaf_importance(&[vec![1, 2]]), 1.0);
        assert!(leaf_importance(&[vec![1, 2], vec![1, 2]]).abs() < 1e-12);
        assert!((leaf_importance(&[vec![1], vec![2]]) - 1.0).abs() < 1e-12);
        assert!((leaf_importance(&[vec![1, 3], vec![2, 3]]) - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn pages_of_another_style_are_compared_among_themselves() {
        let html = |class: &str, text: &str| read(&format!("<div class={class}><p>{text}</p></div>"));
        let pages = [html("a", "same"), html("a", "same"), html("b", "same")];
        let pages: Vec<&Page> = pages.iter().collect();
        assert_eq!(SiteStyleTree.extract(&pages), [[false], [false], [true]]);
    }
}
