//! Drops hidden menus. Other hidden parts, such as tabs and answers, are judged like visible ones.

use trommel_html::{Attribute, Element, Page, Tag};

use crate::kept::KeptBlocks as _;

/// Words of classes, ids and roles that say that something is a menu.
const MENU: [&str; 11] = [
    "menu", "menubar", "nav", "navbar", "navigation", "submenu", "megamenu", "offcanvas", "drawer", "dropdown",
    "toolbar",
];

/// Items of a menu that does not say so, and words of an item in the mean.
const MIN_ITEMS: u64 = 2;
// Without it the rule took hidden teasers and code; on one page F1 fell from .985 to .439.
const MAX_ITEM_WORDS: u64 = 8;

/// Drops menus that are hidden by attributes, or by a simple rule of a style sheet of the page (`kept` has one entry
/// for each block). A menu is `nav`, or says so in its attribute words, or consists of several items with half of their
/// words in links. Items of a menu are short, and an element with half of the words of the page is not a menu.
pub(crate) fn drop_hidden_menus(page: &Page, kept: &mut [bool]) {
    let mut hidden: Vec<(u32, &Element)> = Vec::new();
    for (at, element) in (0u32..).zip(&page.elements) {
        // Only the outermost: what is inside of it is hidden with it.
        if element.hidden && page.element(element.parent).is_none_or(|around| !around.hidden) {
            hidden.push((at, element));
        }
    }
    for at in &page.hidden_by_sheet {
        hidden.extend(page.element(*at).map(|element| (*at, element)));
    }
    if hidden.is_empty() {
        return;
    }
    hidden.sort_by_key(|(at, _)| *at);
    let total: u64 = page.blocks.iter().map(|block| u64::from(block.words)).sum();
    let mut end = 0;
    for (at, element) in hidden {
        // Inside of another one.
        if at < end {
            continue;
        }
        end = element.end;
        let inside = page.blocks_inside(at);
        let items = inside.len() as u64;
        let blocks = page.blocks.get(inside.clone()).unwrap_or_default();
        let words: u64 = blocks.iter().map(|block| u64::from(block.words)).sum();
        let linked: u64 = blocks.iter().map(|block| u64::from(block.link_words)).sum();
        let is_list = items >= MIN_ITEMS && linked * 2 >= words;
        let is_menu = is_list || says_menu(page, element);
        let is_short = words <= items * MAX_ITEM_WORDS;
        // Scripts show all of some pages: what holds half of the words is the page.
        if words * 2 >= total || !is_menu || !is_short {
            continue;
        }
        kept.leave_out(inside);
    }
}

fn says_menu(page: &Page, element: &Element) -> bool {
    let mut words = page.attribute_words(element).iter();
    element.tag == Tag::Nav
        || words.any(|word| word.attribute != Attribute::Itemprop && MENU.contains(&page.word_text(word)))
}
