//! Keeps lists that a kept sentence announces: it ends with a colon, and the list follows it.

use trommel_html::{Block, ElementKinds, Page};

use super::headed_lists::{has_words, list};
use crate::kept::KeptBlocks as _;

/// Words of the sentence. Labels of controls are shorter ("Share:", "Tags:").
const MIN_WORDS: u32 = 7;
/// Blocks of the list. Longer ones are directories.
const MAX_BLOCKS: usize = 60;
/// Words of a block of the list in the mean; buttons have fewer.
const MIN_MEAN_WORDS: usize = 2;

/// Keeps all of each list directly after a kept block that ends with a colon and stands beside it (one flag a block in
/// `kept`).
pub(crate) fn keep_announced_lists(page: &Page, kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::LIST) {
        return;
    }
    for at in 0..page.blocks.len() {
        let next = at + 1;
        if !kept.has(at) || !kept.lacks(next) {
            continue;
        }
        let Some(block) = page.blocks.get(at).filter(|block| announces(page, block)) else { continue };
        let Some((element, blocks)) = list(page, next) else { continue };
        // A paragraph right before the list, or text right in the element around it.
        let stands_beside = page.container(block).is_some_and(|(at, around)| {
            let is_before = || page.element(around.end).is_some_and(|behind| behind.start == element.start);
            at == element.parent || around.parent == element.parent && is_before()
        });
        // Items that are links alone are teasers of other pages; with them the rule made as many pages worse as better.
        let told = blocks.iter().filter(|block| block.link_density() < 1.0).count();
        let is_text = told * 2 >= blocks.len() && has_words(&blocks, MIN_MEAN_WORDS);
        if stands_beside && blocks.len() <= MAX_BLOCKS && is_text {
            kept.keep(next..next + blocks.len());
        }
    }
}

/// Returns whether a block is a sentence, and no heading or link, that ends with a colon.
fn announces(page: &Page, block: &Block) -> bool {
    block.words >= MIN_WORDS
        && page.text(block).trim_end().ends_with([':', '\u{ff1a}'])
        && block.link_density() < 0.5
        && !page.kinds_around(block).contains(ElementKinds::HEADING)
}
