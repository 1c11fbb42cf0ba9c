//! Keeps all items of a list if most of them are kept.

use rustc_hash::FxHashMap;
use trommel_html::{ElementKinds, Page, Tag};

use crate::kept::KeptBlocks as _;

/// Items of which a list consists at least; a list of fewer is layout.
const MIN_ITEMS: u32 = 2;
/// Least probability of an item of a list that is half kept: of those below, one in fourteen words is text.
const MIN_PROBABILITY: f32 = 0.3;

/// The kept part of a list, by its innermost items.
#[derive(Default)]
struct List {
    words: u32,
    kept_words: u32,
    /// Words of links among the kept.
    linked: f32,
    items: u32,
    kept_items: u32,
}

impl List {
    /// Lists that serve as layout hold the text in one item and something else in the others.
    fn is_mostly_kept(&self) -> bool {
        // Words alone would do the same to layout lists: zhweb lost .0015.
        self.kept_words * 2 >= self.words && self.kept_items >= MIN_ITEMS && self.kept_items * 2 >= self.items
    }

    fn is_nearly_kept(&self) -> bool {
        self.kept_items * 4 >= self.items * 3
    }
}

/// Keeps the items without a kept block in lists of which at least half of the words and of the items are
/// kept. Links among items that are not links stay dropped. Unlikely items are kept only if three quarters
/// are. One entry a block in `probabilities` and `kept`.
pub(crate) fn keep_list_items(page: &Page, probabilities: &[f32], kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::ITEM) {
        return;
    }
    // Whether a block of an item is kept.
    // By item and not by block: an item of several blocks counts once, and is not completed when one of them is kept.
    let mut items: FxHashMap<u32, bool> = FxHashMap::default();
    let mut lists: FxHashMap<u32, List> = FxHashMap::default();
    let mut home = Vec::with_capacity(page.blocks.len());
    for (block, &kept) in page.blocks.iter().zip(kept.iter()) {
        let item = page.path_in(ElementKinds::ITEM, block).find(|(_, element)| element.tag == Tag::Li);
        home.push(item.map(|(item, element)| (item, element.parent)));
        let Some((item, element)) = item else { continue };
        let list = lists.entry(element.parent).or_default();
        let before = items.insert(item, kept || items.get(&item) == Some(&true));
        list.items += u32::from(before.is_none());
        list.kept_items += u32::from(kept && before != Some(true));
        list.words = list.words.saturating_add(block.words);
        if kept {
            list.kept_words = list.kept_words.saturating_add(block.words);
            list.linked += block.words as f32 * block.link_density();
        }
    }
    let blocks = page.blocks.iter().zip(&home).zip(probabilities);
    for (((block, home), probability), kept) in blocks.zip(kept.iter_mut()) {
        let Some((item, list)) = home else { continue };
        let Some(list) = lists.get(list).filter(|list| list.is_mostly_kept()) else { continue };
        // A link among plain items is a control ("edit", "share").
        let are_links = list.linked * 2.0 >= list.kept_words as f32;
        let is_left_out = items.get(item) == Some(&false);
        let is_likely = list.is_nearly_kept() || *probability >= MIN_PROBABILITY;
        *kept |= is_left_out && is_likely && (are_links || block.link_density() < 0.5);
    }
}

/// Keeps the last block of an item's own text if the first item of the list below it is kept (one entry a block in
/// `kept`).
pub(crate) fn keep_list_heads(page: &Page, kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::ITEM) {
        return;
    }
    let item = |block: usize| {
        let block = page.blocks.get(block)?;
        page.path_in(ElementKinds::ITEM, block).find(|(_, element)| element.tag == Tag::Li)
    };
    // From the last on: the list in an item may have a list in its own first item.
    for at in (0..kept.len().saturating_sub(1)).rev() {
        if !kept.lacks(at) || !kept.has(at + 1) {
            continue;
        }
        let (Some((outer, element)), Some((inner, _))) = (item(at), item(at + 1)) else { continue };
        if outer < inner && inner < element.end && !element.hidden {
            kept.keep([at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn items_with_a_kept_list_keep_their_own_text() {
        let html = "<ul><li><a href=x>-a</a><ul><li>-b<ul><li>c</ul></ul><li>-d<li><p>-e</p><p>f</p></ul><p>g";
        let page = ScanEngine.read(html, &Limits::default());
        let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        let mut kept: Vec<bool> = texts.iter().map(|text| !text.starts_with('-')).collect();
        keep_list_heads(&page, &mut kept);
        let left: Vec<&str> = texts.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(text, _)| *text).collect();
        assert_eq!(left, ["-a", "-b", "c", "f", "g"]);
    }
}
