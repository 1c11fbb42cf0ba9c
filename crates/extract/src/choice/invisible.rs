//! Drops short parts that the page does not show: labels for readers' aids, badges, and messages that a script
//! would show.

use rustc_hash::FxHashMap;
use trommel_html::{Block, ElementKinds, NotationKind, Page};

use crate::kept::KeptBlocks as _;

/// Words of such a part, at most.
// Longer ones are answers, tabs and folded sections, which readers can open: at 100 recipes-dev loses .0013.
const MAX_WORDS: u32 = 30;
/// Share of the words of the page in all such parts, at most: scripts show all of some pages.
// At .3 recipes-dev loses .0006.
const MAX_PAGE_SHARE: f32 = 0.1;
/// Long hidden parts that a pay wall leaves beside short ones, at least.
const MIN_LONG: u32 = 2;
/// Words of attributes of what readers can open.
const OPENED: [&str; 9] = ["accordion", "answer", "carousel", "collapse", "panel", "slide", "tab", "tabpanel", "tabs"];

/// Takes what is in short invisible elements out of `kept` (one entry a block).
pub(crate) fn drop_invisible(page: &Page, kept: &mut [bool]) {
    if page.invisible.is_empty() {
        return;
    }
    let total: u32 = page.blocks.iter().map(|block| block.words).sum();
    let mut drop = Vec::new();
    // Long hidden parts that are kept, by parent and tag: a pay wall hides each paragraph, and its short ones are text, too.
    let mut long = FxHashMap::<_, u32>::default();
    let (mut end, mut words) = (0, 0u32);
    for at in &page.invisible {
        // Only the outermost: what is inside of it is hidden with it.
        let Some(element) = page.element(*at).filter(|_| *at >= end) else { continue };
        end = element.end;
        let inside = || {
            let blocks = page.blocks_inside(*at).filter_map(|at| Some((at, page.blocks.get(at)?)));
            blocks.filter(|(_, block)| !element.tag.is_inline() || is_hidden(page, block))
        };
        let of_part = inside().map(|(_, block)| block.words).sum::<u32>();
        let is_code = |block: &Block| page.kinds_around(block).contains(ElementKinds::CODE);
        if of_part <= MAX_WORDS && !page.says(element, &OPENED) && !inside().any(|(_, block)| is_code(block)) {
            words = words.saturating_add(of_part);
            drop.extend(inside().map(|(at, _)| ((element.parent, element.tag), at)));
        } else if of_part > MAX_WORDS && inside().any(|(at, _)| kept.has(at)) {
            *long.entry((element.parent, element.tag)).or_default() += 1;
        }
    }
    if words as f32 > MAX_PAGE_SHARE * total as f32 {
        return;
    }
    let is_beside_text = |place| long.get(&place).is_some_and(|count| *count >= MIN_LONG);
    kept.leave_out(drop.into_iter().filter(|(place, _)| !is_beside_text(*place)).map(|(_, at)| at));
}

/// Whether all of a block is hidden within its line: it may begin in a hidden element and go on behind it.
fn is_hidden(page: &Page, block: &Block) -> bool {
    let whole = (0, page.text(block).len() as u32);
    page.notations(block).any(|notation| notation.kind == NotationKind::Hidden && notation.text == whole)
}
