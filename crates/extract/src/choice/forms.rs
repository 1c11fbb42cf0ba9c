//! Keeps the text of forms that hold content: a list of products, or a whole page.

use rustc_hash::FxHashMap;
use trommel_html::{Block, Page, Tag};

use crate::heading_text::is_heading;
use crate::kept::KeptBlocks as _;

/// Probability of a block, at least.
// At .1 seventeen pages of wcxb-dev get worse and two better.
const MIN_PROBABILITY: f32 = 0.25;
/// Headings and paragraphs of a form from which on it holds content, and words of such a paragraph.
const MIN_HEADINGS: u32 = 1;
const MIN_PARAGRAPHS: u32 = 2;
const MIN_PARAGRAPH_WORDS: u32 = 8;
/// Share of linked words from which on a block is no text.
const MAX_LINKED: f32 = 0.5;

/// Keeps headings, paragraphs and items of forms that have several of them. Fields, labels and buttons are no text.
/// There is one entry for each block in `probabilities` and `kept`.
pub(crate) fn keep_form_text(page: &Page, probabilities: &[f32], kept: &mut [bool]) {
    let blocks = page.blocks.iter().zip(probabilities).zip(kept.iter()).enumerate();
    let doubtful = blocks.filter(|(_, ((_, probability), kept))| !**kept && **probability >= MIN_PROBABILITY);
    let doubtful = doubtful.filter_map(|(at, ((block, _), _))| Some((at, form_of_text(page, block)?)));
    let doubtful: Vec<(usize, u32)> = doubtful.collect();
    // Most pages have none, and then no form need be looked through.
    if doubtful.is_empty() {
        return;
    }
    let mut forms: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
    for block in &page.blocks {
        if let Some(form) = form_of_text(page, block) {
            let (headings, paragraphs) = forms.entry(form).or_default();
            let is_heading = is_heading(page, block);
            *headings += u32::from(is_heading);
            *paragraphs += u32::from(!is_heading && block.words >= MIN_PARAGRAPH_WORDS);
        }
    }
    for (at, form) in doubtful {
        let (headings, paragraphs) = forms.get(&form).copied().unwrap_or_default();
        kept.set([at], headings >= MIN_HEADINGS && paragraphs >= MIN_PARAGRAPHS);
    }
}

/// The form around a heading, a paragraph or an item that is no control of it.
fn form_of_text(page: &Page, block: &Block) -> Option<u32> {
    let (_, container) = page.container(block)?;
    let is_text = container.tag.is_heading() || matches!(container.tag, Tag::P | Tag::Li);
    if !is_text || block.inputs > 0 || block.link_density() >= MAX_LINKED {
        return None;
    }
    let is_place = |tag: Tag| {
        matches!(tag, Tag::Form | Tag::Label | Tag::Button | Tag::Legend | Tag::Nav | Tag::Header | Tag::Footer)
    };
    let (at, element) = page.path(block.element).find(|(_, element)| is_place(element.tag))?;
    (element.tag == Tag::Form).then_some(at)
}
