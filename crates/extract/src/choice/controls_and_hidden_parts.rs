//! Drops parts of a page that are not its text: controls, tables of contents, labels, hidden parts.
//!
//! Controls stand inside kept text: buttons beside code and in headings, the name of a language above its code, rows of
//! letters that are links, links beside a heading to edit its section or to link to it, and the controls of lists and
//! events. Also dropped are short parts that the page does not show: labels for readers' aids, badges, messages that a
//! script would show. Other hidden parts, such as tabs and answers, are judged like visible ones.

use rustc_hash::FxHashMap;
use trommel_html::{Attribute, Block, Element, ElementKinds, NotationKind, Page, Tag, strip_markup};
use trommel_text::word_hash;

use super::beside_kept::heading;
use super::list_controls::{
    MAX_CONTROL_WORDS, MAX_COUNTS, MIN_SAME_BUTTONS, is_link_button, is_list_control, is_result_count, is_state,
    is_wiki, is_wiki_label, leads_elsewhere,
};
use crate::heading_text::{Mentions, is_heading, is_permalink};
use crate::kept_flags::{KeptBlocks as _, elements_of};

/// Minimum number of linked single letters in a row that are controls, such as `v t e` in a wiki or an index from A to
/// Z.
// Two linked letters in a row occur in text, as languages (`C`, `R`) do.
const MIN_LETTERS: usize = 3;
/// Maximum number of words and characters of a label above code that is dropped as a programming language's name.
const MAX_LABEL: (u32, u32) = (2, 20);
/// Maximum number of characters of a link in brackets after a heading that is dropped as a control (`[edit]`).
const MAX_CONTROL_CHARS: u32 = 40;
/// Maximum number of words of a block that is dropped as buttons beside code or in a heading.
const MAX_BUTTON_WORDS: u32 = 6;
/// Maximum number of elements around code whose classes are searched for its programming language.
const ANCESTORS: usize = 4;

/// Drops controls, such as buttons and page numbers, from the kept text. `kept` has one flag per block.
pub(crate) fn drop_controls(page: &Page, html: &str, kept: &mut [bool]) {
    let blocks: Vec<usize> = (0..page.blocks.len()).filter(|at| kept.has(*at)).collect();
    let block = |at: usize| page.blocks.get(at);
    let is_wiki = is_wiki(page);
    let mut drop = Vec::new();
    let mut letters: Vec<usize> = Vec::new();
    let mut counts: Vec<usize> = Vec::new();
    let mut buttons: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
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
        if is_reading_tip(page, current)
            || is_control_of_heading(page, at)
            || is_permalink(page, html, at)
            || is_button(page, html, at)
        {
            drop.push(at);
        }
        if is_wiki && is_wiki_label(page, html, current) {
            drop.push(at);
        }
        if current.words <= MAX_CONTROL_WORDS {
            if is_list_control(page, current) || is_state(page, current) || leads_elsewhere(page, html, current) {
                drop.push(at);
            } else if is_result_count(page, current) {
                counts.push(at);
            } else if is_link_button(page, current) {
                buttons.entry(page.text(current)).or_default().push(at);
            }
        }
        let next = blocks.get(rank + 1).and_then(|next| block(*next));
        if next.is_some_and(|next| is_label(page, html, current, next)) {
            drop.push(at);
        }
    }
    if letters.len() >= MIN_LETTERS {
        drop.append(&mut letters);
    }
    if counts.len() <= MAX_COUNTS {
        drop.append(&mut counts);
    }
    drop.extend(buttons.into_values().filter(|same| same.len() >= MIN_SAME_BUTTONS).flatten());
    kept.leave_out(drop);
}

/// Lower-case labels, such as "read more", before a colon and a link to another page.
const TIPS: [&str; 26] = [
    "read more", "read also", "also read", "read next", "related", "related article", "related story", "see also",
    "more on this", "lesen sie auch", "lesen sie mehr", "mehr zum thema", "auch interessant", "lire aussi",
    "à lire aussi", "lire également", "lea también", "lee también", "leer más", "leggi anche", "leia também",
    "leia mais", "lees ook", "czytaj też", "czytaj także", "читайте также",
];
/// Maximum number of words of a line that is dropped because it only links to another page ("Read more: ...").
const MAX_TIP_WORDS: u32 = 30;

/// Returns whether a line only links to another page, with a label such as "Read more" before a colon.
fn is_reading_tip(page: &Page, block: &Block) -> bool {
    if block.words > MAX_TIP_WORDS || block.link_density() < 0.5 || is_heading(page, block) {
        return false;
    }
    let Some((label, name)) = page.text(block).split_once([':', '：']) else { return false };
    !name.trim().is_empty() && TIPS.contains(&label.trim().to_lowercase().as_str())
}

/// Returns whether a block is a link in brackets that belongs to the heading before it, such as `[edit]` in a wiki.
/// Links without letters do not count, because numbers are marks of notes.
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

/// Returns whether a block consists of buttons, next to code (to copy or run it) or after the text of a heading.
/// Buttons with a `role` attribute do not count, because tabs may name pieces of code.
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

/// Returns whether a block only names the programming language of the code block after it, as the code's classes do.
fn is_label(page: &Page, html: &str, label: &Block, code: &Block) -> bool {
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
    // Elements of lines and signs may stand inside of the code; those around it count from itself on.
    let around = page.path(code.element).map(|(_, element)| element).skip_while(|element| !element.tag.keeps_space());
    elements_of(page, code, ANCESTORS)
        .chain(around.take(ANCESTORS))
        .any(|element| page.says(element, &[name.as_str()]) || is_language(element, html, &name))
}

/// Returns whether a class of an element ends in a hyphen and `name` (`language-c`), which has at most two bytes.
fn is_language(element: &Element, html: &str, name: &str) -> bool {
    let classes = element.attribute(html, "class").filter(|_| name.len() <= 2).unwrap_or_default();
    let is_it = |class: &str| class.rsplit_once('-').is_some_and(|(_, language)| language.eq_ignore_ascii_case(name));
    classes.split_whitespace().any(is_it)
}

/// Class and id words of the elements that cookie-consent platforms add to pages: OneTrust, Didomi, iubenda and others.
const CONSENT: [&str; 6] = ["onetrust", "didomi", "iubenda", "cookiebot", "usercentrics", "cmplz"];

/// Drops the text that cookie-consent platforms add to a page, such as questions, purposes and partners.
pub(super) fn drop_consent(page: &Page, kept: &mut [bool]) {
    if !page.has_attribute_word(&CONSENT.map(|word| word_hash(word.as_bytes()))) {
        return;
    }
    let around = [Tag::Html, Tag::Body, Tag::Main, Tag::Article];
    let elements = (0u32..).zip(&page.elements);
    for (at, _) in elements.filter(|(_, element)| !around.contains(&element.tag) && page.is_named_as(element, &CONSENT))
    {
        kept.leave_out(page.blocks_inside(at));
    }
}

/// Minimum number of links in a list that is dropped as a table of contents.
// Two links to places of the page are often part of a text. Dropping lists of three gained .0004 on wcxb-dev.
const MIN_CONTENTS_LINKS: usize = 3;

/// Drops lists that consist of links to places on the same page. `kept` has one flag per block.
pub(crate) fn drop_contents(page: &Page, html: &str, kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::LIST) {
        return;
    }
    let mut behind = 0;
    for at in 0..kept.len() {
        // Only a list with a kept block can lose one; each is read once.
        let Some(block) = page.blocks.get(at).filter(|_| at >= behind && kept.has(at)) else { continue };
        let around = page.path_in(ElementKinds::LIST, block);
        let outermost = around.filter(|(_, element)| matches!(element.tag, Tag::Ul | Tag::Ol)).last();
        let Some((list, _)) = outermost else { continue };
        let inside = page.blocks_inside(list);
        behind = inside.end;
        let blocks = page.blocks.get(inside.clone()).unwrap_or_default();
        if blocks.len() >= MIN_CONTENTS_LINKS && blocks.iter().all(|block| leads_to_place(page, html, list, block)) {
            kept.leave_out(inside);
        }
    }
}

/// Returns whether a block of a list consists of a link to a place on the same page.
fn leads_to_place(page: &Page, html: &str, list: u32, block: &Block) -> bool {
    if block.link_density() != 1.0 {
        return false;
    }
    let around = page.path(block.element).map(|(at, _)| at).take_while(|at| *at != list);
    let mut elements = around.chain(page.inline(block).iter().copied()).filter_map(|at| page.element(at));
    let href = elements.find(|element| element.tag == Tag::A).and_then(|link| link.attribute(html, "href"));
    href.is_some_and(|href| href.starts_with('#'))
}

/// Maximum number of words of a part that is dropped because it is hidden. Longer ones are answers or tabs.
// Longer ones are answers, tabs and folded sections, which readers can open: at 100 recipes-dev loses .0013.
const MAX_WORDS: u32 = 30;
/// Maximum share of the page's words in short hidden parts that are dropped. If there are more, scripts show them.
// At .3 recipes-dev loses .0006.
const MAX_SHARE: f32 = 0.1;
const MAX_SHORT_WORDS: u32 = 60;
/// Minimum number of long hidden siblings beside which a short hidden part is kept, as part of a pay-walled text.
const MIN_LONG: u32 = 2;
/// Minimum number of hidden elements with the same markup that are taken for slides or sections, and kept.
const MANY: u32 = 4;
/// Words in the class, id or `role` of hidden parts that readers can open.
const OPENED: [&str; 9] = ["accordion", "answer", "carousel", "collapse", "panel", "slide", "tab", "tabpanel", "tabs"];

/// Drops the blocks of short hidden elements, except slides, tabs and the like. `kept` has one flag per block.
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

/// Returns whether an element inside a block hides all of the block's text, and not only a part of it.
fn is_hidden(page: &Page, block: &Block) -> bool {
    let whole = (0, page.text(block).len() as u32);
    page.notations(block).any(|notation| notation.kind == NotationKind::Hidden && notation.text == whole)
}
