//! Keeps lists and tables that belong to kept text.
//!
//! Kept are whole lists and tables between kept blocks of one container, lists that a kept sentence announces (it ends
//! with a colon, and the list follows it), and lists directly below a kept heading or beside it. So are three kinds of
//! links: to other sites below a heading of the text (further reading, as in an encyclopedia), to documents (minutes,
//! agendas, decisions, reports), and the references of papers and encyclopaedias.

use std::ops::Range;

use trommel_html::{Block, Element, ElementKinds, Page, Tag};
use trommel_text::word_hash;
use url::Url;

use super::beside_kept::{are_comments, heading, is_beside, is_beside_heading};
use crate::{heading_text::is_heading, kept::KeptBlocks as _, role::Role};

/// Link density from which a block of a list is a link.
const LINK_DENSITY: f32 = 0.5;

/// Keeps all of each list of which a part is kept, and all of each table with a header, if the blocks directly before
/// and after it are kept and stand in the same container (one entry for each block in `roles` and `kept`).
///
/// An author writes a list or table as a whole: if the text goes on behind it, all of it belongs to the text.
pub(crate) fn keep_framed(page: &Page, roles: &[Role], kept: &mut [bool]) {
    let lists = ElementKinds::LIST | ElementKinds::OTHER_LIST;
    if !page.kinds.intersects(lists | ElementKinds::TABLE) || !kept.contains(&false) {
        return;
    }
    let mut at = 0u32;
    while let Some(element) = page.element(at) {
        let blocks = match element.tag {
            Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table => page.blocks_inside(at),
            _ => 0..0,
        };
        let has_dropped = || kept.get(blocks.clone()).is_some_and(|kept| kept.contains(&false));
        if is_framed(page, at, element, &blocks, kept) && has_dropped() && !are_comments(roles, blocks.clone()) {
            keep_unit(page, at, element, blocks, kept);
        }
        at += 1;
    }
}

/// Returns whether the blocks directly before and after those of an element are kept, and stand in the innermost
/// element around it that holds more than they.
fn is_framed(page: &Page, at: u32, element: &Element, blocks: &Range<usize>, kept: &[bool]) -> bool {
    let Some(before) = blocks.start.checked_sub(1) else { return false };
    let are_kept = kept.has(before) && kept.has(blocks.end);
    if blocks.is_empty() || !are_kept || is_beside(page, element) {
        return false;
    }
    let element_of = |block: usize| page.blocks.get(block).map(|block| block.element);
    let (Some(before), Some(behind)) = (element_of(before), element_of(blocks.end)) else { return false };
    for (ancestor, element) in page.path(at).skip(1) {
        let holds = |other: u32| (ancestor..element.end).contains(&other);
        if holds(before) || holds(behind) {
            return holds(before) && holds(behind);
        }
        if is_beside(page, element) {
            return false;
        }
    }
    // A page without a body is their container.
    true
}

/// Keeps the blocks of a table with a header, or of a list of which a part is kept.
fn keep_unit(page: &Page, at: u32, element: &Element, blocks: Range<usize>, kept: &mut [bool]) {
    let is_table = element.tag == Tag::Table;
    let inside = || page.blocks.iter().zip(kept.iter()).skip(blocks.start).take(blocks.len());
    let is_partly_kept = inside().any(|(_, kept)| *kept);
    if is_table && !is_headed(page, at, element) || !is_table && !is_partly_kept {
        return;
    }
    // A link among plain items is a control ("edit", "share").
    let are_plain =
        !is_table && inside().filter(|(_, kept)| **kept).all(|(block, _)| block.link_density() < LINK_DENSITY);
    for (block, kept) in page.blocks.iter().zip(kept.iter_mut()).skip(blocks.start).take(blocks.len()) {
        let is_hidden = page.element(block.element).is_some_and(|element| element.hidden);
        let is_control = are_plain && block.link_density() >= LINK_DENSITY;
        *kept |= !(is_hidden || is_control);
    }
}

/// Returns whether a table has header cells and no table in it: layout tables have no headers.
fn is_headed(page: &Page, at: u32, element: &Element) -> bool {
    let mut has_header = false;
    for inner in (at + 1..element.end).filter_map(|at| page.element(at)) {
        match inner.tag {
            Tag::Table => return false,
            Tag::Th | Tag::Thead => has_header = true,
            _ => {}
        }
    }
    has_header
}

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

/// Elements around a block that may be its item.
// Items hold a paragraph and a link or two; a bound keeps each block at constant cost.
const ANCESTORS: usize = 6;

/// Keeps such lists where `wanted` says so of the list and its blocks (one flag a block in `kept`).
pub(crate) fn keep_headed_lists(page: &Page, kept: &mut [bool], wanted: impl Fn(&Element, &[&Block]) -> bool) {
    for at in 0..page.blocks.len() {
        let next = at + 1;
        if !kept.has(at) || !kept.lacks(next) {
            continue;
        }
        let around = heading(page, at).and_then(|at| page.element(at));
        let Some(around) = around.filter(|_| heading(page, next).is_none()) else { continue };
        if let Some((list, blocks)) = list(page, next)
            && is_beside_heading(page, around.parent, at, next)
            && wanted(list, &blocks)
        {
            kept.keep(next..next + blocks.len());
        }
    }
}

/// The list that begins with a block, unless it is hidden, and the blocks in it.
pub(crate) fn list(page: &Page, first: usize) -> Option<(&Element, Vec<&Block>)> {
    let block = page.blocks.get(first)?;
    let mut path = page.path(block.element).take(ANCESTORS);
    let (_, item) = path.find(|(_, element)| element.tag == Tag::Li)?;
    let list = page.element(item.parent).filter(|element| !element.hidden)?;
    let is_in = |block: &&Block| block.element > item.parent && block.element < list.end;
    let before = first.checked_sub(1).and_then(|at| page.blocks.get(at));
    // The list began above the heading, which therefore does not head it.
    if before.is_some_and(|before| is_in(&before)) {
        return None;
    }
    let blocks = page.blocks.iter().skip(first).take_while(is_in);
    Some((list, blocks.collect()))
}

/// Returns whether the blocks of a list have at least `mean` words on average.
pub(crate) fn has_words(blocks: &[&Block], mean: usize) -> bool {
    let words: u32 = blocks.iter().map(|block| block.words).sum();
    words as usize >= mean * blocks.len()
}

/// Items of such a list.
const MIN_ITEMS: usize = 2;
// Longer ones are directories, whose links are the page and not a part of it.
const MAX_ITEMS: usize = 60;
/// Words of an item in the mean; buttons have fewer.
const LINK_LIST_WORDS: usize = 2;
/// Elements around a block that may be its link.
const LINK_ANCESTORS: usize = 6;

/// Keeps lists directly below a kept heading and beside it, if all of their items lead to other sites than
/// that of the page (its `url`). Links that share the page, which take its address along, do not count as
/// such. One flag a block in `kept`.
pub(crate) fn keep_link_lists(page: &Page, html: &str, url: Option<&str>, kept: &mut [bool]) {
    let Some(url) = url.and_then(|url| Url::parse(url).ok()) else { return };
    // Without an address it is unknown which links lead away. All lists below headings cost news-world-dev .0006.
    let Some(site) = url.host_str().map(site) else { return };
    let leads_away =
        |block: &&Block| page.link_address(html, block, LINK_ANCESTORS).is_some_and(|href| is_elsewhere(&href, site));
    keep_headed_lists(page, kept, |_, blocks| {
        (MIN_ITEMS..=MAX_ITEMS).contains(&blocks.len())
            && has_words(blocks, LINK_LIST_WORDS)
            && blocks.iter().all(leads_away)
    });
}

fn is_elsewhere(href: &str, site: &str) -> bool {
    let Ok(url) = Url::parse(href.trim()) else { return false };
    // Share links name the page's address in their query.
    matches!(url.scheme(), "http" | "https") && !href.contains(site)
}

/// The name of a site: the last two names of its host.
fn site(host: &str) -> &str {
    let mut dots = host.rmatch_indices('.').map(|(at, _)| at);
    // The last two names: `example.org`. For `example.co.uk` that is too little, which only keeps fewer lists.
    let before = dots.nth(1);
    before.and_then(|at| host.get(at + 1..)).unwrap_or(host)
}

/// Ends of the addresses of documents, in lower case.
const ENDS: [&str; 10] = [".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".rtf", ".csv"];
/// Probability of a block, at least.
// At .2 nine tenths of the gain on courts-dev go; at .05 it is .001 higher.
const MIN_PROBABILITY: f32 = 0.1;
/// Documents of a field, at least, and their share of its blocks.
const MIN_DOCUMENTS: usize = 3;
const MIN_SHARE: f32 = 0.8;
/// Share of the words of a block that stand in links, at least.
const MIN_LINKED: f32 = 0.5;
/// Elements around a block that may be its link.
const DOCUMENT_ANCESTORS: usize = 3;

/// Keeps links to documents that stand together: in a field (the blocks whose whole path of names and classes is equal)
/// that has hardly anything else. Menus lead to pages, and who lists documents wants them to be read. There is one
/// entry for each block in `fields`, `probabilities` and `kept`.
pub(crate) fn keep_documents(page: &Page, html: &str, fields: &[u32], probabilities: &[f32], kept: &mut [bool]) {
    // Of each field whether its first doubtful link is a document: most fields need no look at their other addresses.
    let mut starts = vec![None; page.blocks.len()];
    let blocks = || page.blocks.iter().zip(fields).zip(probabilities);
    for (((block, field), probability), kept) in blocks().zip(kept.iter()) {
        if let Some(start @ None) = starts.get_mut(*field as usize)
            && !kept
            && *probability >= MIN_PROBABILITY
            && block.link_density() >= MIN_LINKED
        {
            *start = Some(is_document(page, html, block));
        }
    }
    if !starts.contains(&Some(true)) {
        return;
    }
    let starts = |field: u32| starts.get(field as usize) == Some(&Some(true));
    let documents: Vec<bool> =
        blocks().map(|((block, field), _)| starts(*field) && is_document(page, html, block)).collect();
    // Blocks and documents of each field.
    let mut counts = vec![(0usize, 0usize); page.blocks.len()];
    for (field, is_document) in fields.iter().zip(&documents) {
        if let Some((blocks, documents)) = counts.get_mut(*field as usize) {
            *blocks += 1;
            *documents += usize::from(*is_document);
        }
    }
    for (((field, probability), is_document), kept) in fields.iter().zip(probabilities).zip(&documents).zip(kept) {
        let (blocks, documents) = counts.get(*field as usize).copied().unwrap_or_default();
        *kept |= *is_document
            && *probability >= MIN_PROBABILITY
            && documents >= MIN_DOCUMENTS
            && documents as f32 >= MIN_SHARE * blocks as f32;
    }
}

/// Returns whether a block is a link to a document.
fn is_document(page: &Page, html: &str, block: &Block) -> bool {
    page.link_address(html, block, DOCUMENT_ANCESTORS).is_some_and(|href| {
        let path = href.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
        ENDS.iter().any(|end| path.ends_with(end))
    })
}

/// Words of an entry on average, at least: an author, a title and a year.
// Shorter entries are lists of links or tags that a site also calls references.
const MIN_ENTRY_WORDS: u32 = 4;
/// Class and id words of such lists, by their hashes: all words of a page are compared with them.
const NAMES: [u64; 6] = [
    word_hash(b"bibliography"),
    word_hash(b"biblio"),
    word_hash(b"csl"),
    word_hash(b"reference"),
    word_hash(b"references"),
    word_hash(b"reflist"),
];

/// Keeps lists that the page's markup calls references, with the heading directly above, behind kept text of the same
/// part of the page (one entry for each block in `kept`). Lists of mere links stay out.
pub(crate) fn keep_references(page: &Page, kept: &mut [bool]) {
    // Most pages have none, and the way up from each block costs more.
    if !page.elements.iter().any(|element| is_list(page, element)) {
        return;
    }
    let mut before = None;
    let mut at = 0;
    while let Some(is_kept) = kept.get(at) {
        if *is_kept {
            before = Some(at);
            at += 1;
            continue;
        }
        let Some((list, end)) = before.and_then(|before| list_around(page, before, at)) else {
            at += 1;
            continue;
        };
        let is_inside = |at: &usize| {
            let element = page.blocks.get(*at).map(|block| block.element);
            element.is_some_and(|element| (list..end).contains(&element))
        };
        let until = (at..kept.len()).find(|at| !is_inside(at)).unwrap_or(kept.len());
        if has_entries(page, at, until) {
            let headed =
                at.checked_sub(1).filter(|at| page.blocks.get(*at).is_some_and(|block| is_heading(page, block)));
            let start = headed.unwrap_or(at);
            kept.keep(start..until);
            before = Some(until - 1);
        }
        at = until;
    }
}

/// The outermost list of references around a block (its element and the end of it), if it stands in the same part
/// of the page as a kept block before.
fn list_around(page: &Page, before: usize, at: usize) -> Option<(u32, u32)> {
    let before = page.blocks.get(before)?.element;
    let mut list = None;
    for (index, element) in page.path(page.blocks.get(at)?.element) {
        if (index..element.end).contains(&before) {
            return list.filter(|_| !matches!(element.tag, Tag::Html | Tag::Body));
        }
        // Papers lost 1,000 to 4,000 words of references; boxes beside the text are none of them.
        if element.hidden || matches!(element.tag, Tag::Nav | Tag::Aside | Tag::Footer | Tag::Form) {
            return None;
        }
        if is_list(page, element) {
            list = Some((index, element.end));
        }
    }
    None
}

fn is_list(page: &Page, element: &Element) -> bool {
    let mut words = page.attribute_words(element).iter();
    matches!(element.tag, Tag::Div | Tag::Section | Tag::Ol | Tag::Ul | Tag::Dl)
        && words.any(|word| NAMES.contains(&word.hash))
}

/// Returns whether the blocks are entries: mostly text with a year or an address, and not links alone.
fn has_entries(page: &Page, at: usize, until: usize) -> bool {
    let blocks = page.blocks.get(at..until).unwrap_or_default();
    let words: u32 = blocks.iter().map(|block| block.words).sum();
    let linked: f32 = blocks.iter().map(|block| block.link_density() * block.words as f32).sum();
    // Some sites call every box that is used on several pages a reference: authors, contacts, subscriptions.
    let citing = blocks.iter().filter(|block| is_citation(page.text(block)));
    let citing: u32 = citing.map(|block| block.words).sum();
    words >= MIN_ENTRY_WORDS * blocks.len() as u32 && linked < 0.9 * words as f32 && 2 * citing >= words
}

fn is_citation(text: &str) -> bool {
    let is_year = |digits: &str| digits.len() == 4 && ("1500"..="2099").contains(&digits);
    text.contains("://") || text.split(|c: char| !c.is_ascii_digit()).any(is_year)
}
