//! A labelled set of pages with their layouts.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::Page;
use trommel_learn::{Gold, LearnError, read_set};

use super::candidates::candidates;
use super::gold::{SegmentGoldError, find, read_gold_blocks};
use super::region::{Leaves, Region};
use crate::layout::{LayoutError, PageLayout, block_nodes, read_layouts};

/// Reason why a segmented set cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentationError {
    /// The pages cannot be read.
    #[error(transparent)]
    Pages(#[from] LearnError),
    /// The marked blocks cannot be read.
    #[error(transparent)]
    Gold(#[from] SegmentGoldError),
    /// The layouts cannot be read.
    #[error(transparent)]
    Layouts(#[from] LayoutError),
    /// The layouts are of other pages.
    #[error("{layouts}: no layout of page {page}: lay the pages out with `trommel-lab layout`")]
    NoLayout {
        /// The file of layouts.
        layouts: String,
        /// WARC-Record-ID of the page.
        page: String,
    },
}

/// A page, its layout and the blocks marked on it.
#[derive(Clone, Debug)]
pub struct SegmentedPage {
    /// Part of the set that it is from.
    pub set: String,
    /// Host or other group that cross-validation does not divide.
    pub group: String,
    /// The page's tables.
    pub page: Page,
    /// Its layout.
    pub layout: PageLayout,
    /// Leaves of the layout.
    pub leaves: Leaves,
    /// The marked blocks; empty regions for those that are not shown.
    pub marked: Vec<Region>,
    /// Purpose of each, such as `Menu`.
    pub kinds: Vec<String>,
    /// The gold object of the page.
    pub gold: Gold,
}

impl SegmentedPage {
    /// Returns whether each block of text stands in a marked block of that kind: most of its characters do.
    pub fn blocks_in(&self, kind: &str) -> Vec<bool> {
        let marked = self.marked.iter().zip(&self.kinds).filter(|(_, set_kind)| *set_kind == kind);
        let inside: FxHashSet<u32> = marked.flat_map(|(region, _)| region.0.iter().copied()).collect();
        block_nodes(&self.page, &self.layout)
            .into_iter()
            .map(|nodes| {
                let chars = |at: &u32| self.layout.nodes.get(*at as usize).map_or(0, |node| node.chars);
                let all: u32 = nodes.iter().map(chars).sum();
                let chars_inside: u32 = nodes.iter().filter(|at| inside.contains(at)).map(chars).sum();
                2 * chars_inside > all
            })
            .collect()
    }
}

/// Reads pages, marked blocks and layouts.
///
/// # Errors
/// If one of the files cannot be read or a page has no layout.
pub fn read_segmented(pages: &Path, gold: &Path, layouts: &Path) -> Result<Vec<SegmentedPage>, SegmentationError> {
    let marked = read_gold_blocks(gold)?;
    let set = read_set(pages, gold)?;
    let bare = |id: &str| id.trim_matches(['<', '>']).to_owned();
    let mut golds: FxHashMap<String, _> = marked.into_iter().map(|gold| (bare(&gold.record_id), gold)).collect();
    let mut laid_out: FxHashMap<String, PageLayout> =
        read_layouts(layouts)?.into_iter().map(|layout| (layout.record_id.clone(), layout)).collect();
    let mut segmented = Vec::new();
    for labelled in set.pages {
        let id = bare(&labelled.gold.record_id);
        let Some(gold) = golds.remove(&id) else {
            continue;
        };
        let Some(layout) = laid_out.remove(&id) else {
            return Err(SegmentationError::NoLayout { layouts: layouts.display().to_string(), page: id });
        };
        let leaves = Leaves::new(&layout);
        let mut texts = None;
        let marked = gold
            .blocks
            .iter()
            .map(|block| {
                let node = find(&labelled.page, &layout, &leaves, &block.xpath).or_else(|| {
                    let texts = texts.get_or_insert_with(|| by_text(&labelled.page));
                    let element = texts.remove(&letters(&block.text))?;
                    leaves.node_at(labelled.page.element(element)?.start)
                });
                leaves.region(node)
            })
            .collect();
        segmented.push(SegmentedPage {
            set: gold.set,
            group: site(&labelled.gold.url).to_owned(),
            page: labelled.page,
            layout,
            leaves,
            marked,
            kinds: gold.blocks.into_iter().map(|block| block.kind).collect(),
            gold: labelled.gold,
        });
    }
    Ok(segmented)
}

/// Elements by their texts, the outermost of those with the same: what is not found by its path, since the
/// marking program read a broken page in another way, is found by its text.
fn by_text(page: &Page) -> FxHashMap<String, u32> {
    let mut elements = FxHashMap::default();
    for candidate in candidates(page) {
        let at = candidate.element();
        let end = page.element(at).map_or(at, |element| element.end);
        let blocks_inside = page.blocks.iter().filter(|block| (at..end).contains(&block.element));
        let text: String = blocks_inside.map(|block| letters(page.text(block))).collect();
        if text.len() >= MIN_LETTERS {
            elements.entry(text).or_insert(at);
        }
    }
    elements
}

/// Letters that tell a text from others.
const MIN_LETTERS: usize = 4;

/// The ASCII letters and digits of a text in lower case; other letters are wrongly decoded in some of the marks.
fn letters(text: &str) -> String {
    let letters = text.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// The site of a page that is stored as `http://SET.local/SITE/...`.
fn site(url: &str) -> &str {
    url.split('/').nth(3).unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn elements_are_found_by_their_letters() {
        let html = "<div><ul><li>One, two</li><li>3</li></ul></div><p>\u{e9}nd</p>";
        let page = ScanEngine.read(html, &Limits::default());
        let found = by_text(&page);
        let name = |text: &str| found.get(text).and_then(|at| page.element(*at)).map(|element| page.name(element));
        assert_eq!(name(&letters("One \u{c3} Two 3")), Some("div"));
        assert_eq!(name("onetwo"), Some("li"));
        // Too short to tell.
        assert_eq!(name("nd"), None);
    }

    #[test]
    fn sites_are_folders_of_the_archive() {
        assert_eq!(site("http://random.local/bbcgf.org/bbcgf.org/index.html"), "bbcgf.org");
    }
}
