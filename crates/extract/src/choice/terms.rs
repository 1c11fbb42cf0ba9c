//! Keeps the terms of kept definitions.

use trommel_html::{ElementKinds, Page, Tag};

use crate::kept::KeptBlocks as _;

/// Elements around a block among which its term or definition is looked for.
const ANCESTORS: usize = 8;
/// Maximum words of a term.
const MAX_WORDS: u32 = 25;

/// Keeps terms directly above a definition that is kept, in one list (one entry for each block in `kept`).
pub(crate) fn keep_terms(page: &Page, kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::OTHER_ITEM) {
        return;
    }
    let part = |at: usize| {
        let block = page.blocks.get(at)?;
        let mut path = page.path(block.element).take(ANCESTORS);
        let (_, element) = path.find(|(_, element)| matches!(element.tag, Tag::Dt | Tag::Dd))?;
        Some((block, element))
    };
    for at in (1..page.blocks.len()).rev() {
        if !kept.has(at) || !kept.lacks(at - 1) {
            continue;
        }
        let (Some((_, value)), Some((block, term))) = (part(at), part(at - 1)) else { continue };
        let is_hidden = page.element(block.element).is_some_and(|element| element.hidden);
        let is_short = block.words <= MAX_WORDS && block.inputs == 0 && !is_hidden;
        if term.tag == Tag::Dt && term.parent == value.parent && is_short {
            kept.keep([at - 1]);
        }
    }
}
