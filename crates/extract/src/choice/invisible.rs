//! Drops short parts that the page does not show: labels for readers' aids, badges, and messages that a script
//! would show.

use rustc_hash::FxHashMap;
use trommel_html::{Block, ElementKinds, NotationKind, Page};

use crate::kept::KeptBlocks as _;
use crate::mentions::Mentions;

/// Words of such a part, at most.
// Longer ones are answers, tabs and folded sections, which readers can open: at 100 recipes-dev loses .0013.
const MAX_WORDS: u32 = 30;
/// Share of the words of the page in all such parts, at most; and words of them on a short page, where they are less than
/// half of the text: scripts show all of some pages.
// At .3 recipes-dev loses .0006.
const MAX_SHARE: f32 = 0.1;
const MAX_SHORT_WORDS: u32 = 60;
/// Long hidden parts that a pay wall leaves beside short ones, at least.
const MIN_LONG: u32 = 2;
/// Parts of one kind that are slides or the like.
const MANY: u32 = 4;
/// Attribute words of parts that readers can open.
const OPENED: [&str; 9] = ["accordion", "answer", "carousel", "collapse", "panel", "slide", "tab", "tabpanel", "tabs"];

/// Drops the blocks of short invisible elements (`kept` has one entry for each block).
pub(crate) fn drop_invisible(page: &Page, html: &str, kept: &mut [bool]) {
    if page.invisible.is_empty() {
        return;
    }
    let (mut total, mut total_kept) = (0u32, 0u32);
    for (at, block) in page.blocks.iter().enumerate() {
        total = total.saturating_add(block.words);
        total_kept += if kept.has(at) { block.words } else { 0 };
    }
    let mut drop = Vec::new();
    let mut mentions = Mentions::default();
    // Long hidden parts that are kept, by parent and tag: a pay wall hides each paragraph, and its short ones are text, too.
    let mut long = FxHashMap::<_, u32>::default();
    // Elements of one kind by their number: of many, or where one is long, they are slides, answers or sections.
    let mut kinds = FxHashMap::<u64, u32>::default();
    let (mut end, mut words) = (0, 0u32);
    for at in &page.invisible {
        // Only the outermost: what is inside of it is hidden with it.
        let Some(element) = page.element(*at).filter(|_| *at >= end) else { continue };
        end = element.end;
        let inside = || {
            let blocks = page.blocks_inside(*at).filter_map(|at| Some((at, page.blocks.get(at)?)));
            blocks.filter(|(_, block)| !element.tag.is_inline() || is_hidden(page, block))
        };
        if !inside().any(|(at, _)| kept.has(at)) {
            continue;
        }
        let of_part = inside().map(|(_, block)| block.words).sum::<u32>();
        let is_by_sheet = page.hidden_by_sheet.binary_search(at).is_ok();
        let is_code = |block: &Block| page.kinds_around(block).contains(ElementKinds::CODE);
        if of_part > MAX_WORDS {
            *long.entry((element.parent, element.tag)).or_default() += 1;
            kinds.insert(element.signature, MANY);
        } else if !(page.says(element, &OPENED)
            || inside().any(|(_, block)| is_code(block))
            || is_by_sheet && mentions.name(html, element))
        {
            words = words.saturating_add(of_part);
            *kinds.entry(element.signature).or_default() += 1;
            let kind = is_by_sheet.then_some(element.signature);
            drop.extend(inside().map(|(at, _)| ((element.parent, element.tag), kind, at)));
        }
    }
    let most = (MAX_SHARE * total as f32).max(MAX_SHORT_WORDS.min(total_kept / 2) as f32);
    if words as f32 > most {
        return;
    }
    let is_beside_text = |place| long.get(&place).is_some_and(|count| *count >= MIN_LONG);
    let is_of_kind = |kind: Option<u64>| kind.and_then(|kind| kinds.get(&kind)).is_some_and(|count| *count >= MANY);
    let drop = drop.into_iter().filter(|(place, kind, _)| !is_beside_text(*place) && !is_of_kind(*kind));
    kept.leave_out(drop.map(|(.., at)| at));
}

/// Returns whether all of a block is hidden within its line: it may begin in a hidden element and go on behind it.
fn is_hidden(page: &Page, block: &Block) -> bool {
    let whole = (0, page.text(block).len() as u32);
    page.notations(block).any(|notation| notation.kind == NotationKind::Hidden && notation.text == whole)
}
