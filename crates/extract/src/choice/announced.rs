//! Keeps lists that a kept sentence or heading announces, links to other sites below a heading of the text (further
//! reading), and the references of papers and encyclopaedias.

use trommel_html::{Block, Element, ElementKinds, Page, Tag};
use trommel_text::word_hash;
use url::Url;

use super::beside_kept::{heading, is_beside_heading};
use crate::{heading_text::is_heading, kept_flags::KeptBlocks as _};

/// Minimum number of words of a sentence with a colon for the list after it to be kept. Labels are shorter ("Share:").
const MIN_WORDS: u32 = 7;
/// Maximum number of blocks of a list that is kept because a sentence announces it. Longer lists are directories.
const MAX_BLOCKS: usize = 60;
/// Minimum mean number of words per block of a list kept because a sentence announces it. Buttons have fewer words.
const MIN_MEAN_WORDS: usize = 2;

/// Keeps each list that directly follows a kept sentence with a colon at its end, in the same element. `kept` has one
/// flag per block.
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

/// Returns whether a block is a sentence that ends with a colon, and neither a heading nor a link.
fn announces(page: &Page, block: &Block) -> bool {
    block.words >= MIN_WORDS
        && page.text(block).trim_end().ends_with([':', '\u{ff1a}'])
        && block.link_density() < 0.5
        && !page.kinds_around(block).contains(ElementKinds::HEADING)
}

/// Maximum number of elements around a block among which its list item is looked for.
// Items hold a paragraph and a link or two; a bound keeps each block at constant cost.
const ANCESTORS: usize = 6;

/// Keeps each list that directly follows a kept heading in the element around the heading, if `wanted` accepts the list
/// and its blocks. `kept` has one flag per block.
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

/// Returns the visible list that begins with the block `first`, and the list's blocks; `None` if there is none.
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

/// Minimum number of blocks of a list of links to other sites that is kept.
const MIN_ITEMS: usize = 2;
// Longer ones are directories, whose links are the page and not a part of it.
const MAX_ITEMS: usize = 60;
/// Minimum mean number of words per block of a list of links to other sites. Buttons have fewer words.
const LINK_LIST_WORDS: usize = 2;
/// Maximum number of elements around a block among which its link is looked for.
const LINK_ANCESTORS: usize = 6;

/// Keeps each list directly below a kept heading if all its blocks link to other sites than the page's `url`. Share
/// links, which contain the page's address, do not count as links to other sites. `kept` has one flag per block.
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

/// Returns the last two labels of a host, which name its site: `example.org` for `www.example.org`.
fn site(host: &str) -> &str {
    let mut dots = host.rmatch_indices('.').map(|(at, _)| at);
    // The last two names: `example.org`. For `example.co.uk` that is too little, which only keeps fewer lists.
    let before = dots.nth(1);
    before.and_then(|at| host.get(at + 1..)).unwrap_or(host)
}

/// Keeps `<p>` elements with the word `seealso` in their class or id directly after kept text.
pub(crate) fn keep_see_also(page: &Page, kept: &mut [bool]) {
    for at in 1..page.blocks.len() {
        if !kept.lacks(at) || !kept.has(at - 1) {
            continue;
        }
        let Some((_, element)) = page.blocks.get(at).and_then(|block| page.container(block)) else { continue };
        let mut words = page.attribute_words(element).iter();
        if element.tag == Tag::P
            && !element.hidden
            // Keeping them took the links of structure pages from .795 to .812.
            && words.any(|word| page.word_text(word) == "seealso")
        {
            kept.keep([at]);
        }
    }
}

/// Minimum mean number of words per block of a list that is kept as bibliographic references (author, title, year).
// Shorter entries are lists of links or tags that a site also calls references.
const MIN_ENTRY_WORDS: u32 = 4;
/// Hashes of the class and id words that mark lists of references.
const NAMES: [u64; 6] = [
    word_hash(b"bibliography"),
    word_hash(b"biblio"),
    word_hash(b"csl"),
    word_hash(b"reference"),
    word_hash(b"references"),
    word_hash(b"reflist"),
];

/// Keeps lists whose class or id names them as bibliographic references, and the heading directly above each. Kept text
/// must precede them in the same part of the page. Lists of mere links stay out. `kept` has one flag per block.
pub(crate) fn keep_references(page: &Page, kept: &mut [bool]) {
    // Most pages have none, and the way up from each block costs more.
    if !page.has_attribute_word(&NAMES) {
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

/// Returns the index and the end index of the outermost element around the block `at` that is a bibliography. Returns
/// `None` if there is none, or if the kept block `before` is in another part of the page.
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

/// Returns whether the blocks from `at` up to `until` are bibliographic references: mostly text with a year or address,
/// not only links.
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
