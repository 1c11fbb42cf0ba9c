//! Drops controls inside kept text: buttons beside code and in headings, the name of a language above its code, rows
//! of letters that are links, and links beside a heading to edit its section or to link to it.

use trommel_html::{Attribute, Block, Element, ElementKinds, Page, Tag, strip_markup};

use super::sections::heading;
use crate::heading_text::is_heading;
use crate::kept::KeptBlocks as _;
use crate::permalinks::is_permalink;

/// Letters in a row from which on they are controls (`v t e` of a wiki's boxes, an index from A to Z).
// Two linked letters in a row occur in text, as languages (`C`, `R`) do.
const MIN_LETTERS: usize = 3;
/// Words and characters of the name of a language.
const MAX_LABEL: (u32, u32) = (2, 20);
/// Characters of a control between brackets (`edit`, `edit | edit source`).
const MAX_CONTROL_CHARS: u32 = 40;
/// Maximum words of buttons.
const MAX_BUTTON_WORDS: u32 = 6;
/// Elements around code whose classes name its language.
const ANCESTORS: usize = 4;

/// Drops controls (`kept` has one entry for each block).
pub(crate) fn drop_controls(page: &Page, html: &str, kept: &mut [bool]) {
    let blocks: Vec<usize> = (0..page.blocks.len()).filter(|at| kept.has(*at)).collect();
    let block = |at: usize| page.blocks.get(at);
    let mut drop = Vec::new();
    let mut letters: Vec<usize> = Vec::new();
    for (rank, &at) in blocks.iter().enumerate() {
        let Some(current) = block(at) else { continue };
        // Only letters that are links: single letters of a text are headings of an index or answers.
        if current.chars == 1 && current.words == 1 && current.link_density() == 1.0 {
            letters.push(at);
        } else {
            if letters.len() >= MIN_LETTERS {
                drop.append(&mut letters);
            }
            letters.clear();
        }
        if is_control_of_heading(page, at) || is_permalink(page, html, at) || is_button(page, html, at) {
            drop.push(at);
        }
        let next = blocks.get(rank + 1).and_then(|next| block(*next));
        if next.is_some_and(|next| is_label(page, current, next)) {
            drop.push(at);
        }
    }
    if letters.len() >= MIN_LETTERS {
        drop.append(&mut letters);
    }
    kept.leave_out(drop);
}

/// Returns whether a block is a control of the heading before it: links between brackets in the element that holds the
/// heading, as wikis offer them to edit a section. Marks of notes are numbers.
fn is_control_of_heading(page: &Page, at: usize) -> bool {
    let Some(block) = page.blocks.get(at) else { return false };
    let text = page.text(block);
    // Longer links between brackets are sources or remarks.
    if block.chars > MAX_CONTROL_CHARS
        || block.link_density() < 1.0
        || !(text.starts_with('[') && text.ends_with(']'))
        || !text.contains(char::is_alphabetic)
    {
        return false;
    }
    let before = at.checked_sub(1).and_then(|at| page.blocks.get(at));
    let heading = before.and_then(|before| page.container(before));
    let around = page.container(block).map(|(index, _)| index);
    heading.is_some_and(|(_, element)| element.tag.is_heading() && Some(element.parent) == around)
}

/// Returns whether a block is all buttons and stands directly before or behind code, as to copy or to run it, or in a
/// heading behind its text. What has a role, as the tabs of several pieces of code, may name them.
fn is_button(page: &Page, html: &str, at: usize) -> bool {
    let block = |at: usize| page.blocks.get(at);
    let Some(current) = block(at).filter(|block| block.words <= MAX_BUTTON_WORDS) else { return false };
    let mut around =
        page.path(current.element).map(|(_, element)| element).take_while(|element| element.tag.is_inline());
    let is_plain_button = |element: &Element| {
        let mut words = page.attribute_words(element).iter();
        element.tag == Tag::Button && !words.any(|word| word.attribute == Attribute::Role)
    };
    if !around.any(is_plain_button) {
        return false;
    }
    let is_code = |block: &Block| page.kinds_around(block).contains(ElementKinds::CODE);
    let before = at.checked_sub(1);
    let is_beside_code =
        || !is_code(current) && [before, Some(at + 1)].into_iter().flatten().filter_map(block).any(is_code);
    let is_in_heading =
        || heading(page, at).is_some_and(|around| before.and_then(|at| heading(page, at)) == Some(around));
    (is_beside_code() || is_in_heading())
        && html.get(current.span.0 as usize..current.span.1 as usize).is_some_and(are_buttons)
}

/// Returns whether markup that begins in a button has no text outside of buttons.
fn are_buttons(source: &str) -> bool {
    let mut parts = source.split("</button");
    let is_last = |part: &str| part.contains("<button");
    parts.next();
    parts.all(|part| {
        is_last(part)
            && part
                .split("<button")
                .next()
                .is_some_and(|between| !strip_markup(between).contains(char::is_alphanumeric))
    })
}

/// Returns whether a block only names the language of the code after it, as the classes of the code do.
fn is_label(page: &Page, label: &Block, code: &Block) -> bool {
    let is_code = |block: &Block| page.kinds_around(block).contains(ElementKinds::CODE);
    if label.words == 0
        || is_heading(page, label)
        || label.words > MAX_LABEL.0
        || label.chars > MAX_LABEL.1
        || is_code(label)
        || !is_code(code)
    {
        return false;
    }
    // The name must be among the classes of the code: "Example" above code is text, "python" is a label.
    let name = page.text(label).to_lowercase();
    let around = page.path(code.element).take(ANCESTORS).map(|(_, element)| element);
    let inside = page.inline(code).iter().filter_map(|index| page.element(*index));
    around.chain(inside).any(|element| {
        let mut words = page.attribute_words(element).iter();
        words.any(|word| page.word_text(word) == name)
    })
}
