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

/// Takes menus that are hidden (by attributes, or by a simple rule of a style sheet of the page) out of
/// `kept` (one entry a block). A menu is `nav`, or says so in its attribute words, or consists of several
/// items with half of their words in links. Items of a menu are short, and an element with half of the
/// words of the page is not a menu.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::trial;

    fn left(html: &str) -> Vec<String> {
        let html = format!("<p>{}</p>{html}", "text ".repeat(40));
        trial::left(&html, drop_hidden_menus).split_off(1)
    }

    #[test]
    fn hidden_menus_are_no_text_and_hidden_sections_are() {
        let items = "<p><a href=/a>One</a><p><a href=/b>two</a><p>and <a href=/c>three</a>";
        assert!(left(&format!("<div hidden>{items}</div>")).is_empty());
        let teasers = items.replace("</a>", " of the mills by the river is older than the others</a>");
        assert_eq!(left(&format!("<div hidden>{teasers}</div>")).len(), 3);
        assert_eq!(left("<div hidden><a href=/a>4.7 of 5 stars</a></div>").len(), 1);
        assert!(left("<nav style='display:none'><p>Choose a page</nav>").is_empty());
        assert!(left("<div id=mobile-menu aria-hidden=true><p>Choose a page</div>").is_empty());
        assert_eq!(left("<div hidden><p>The second tab.</div>"), ["The second tab."]);
        assert_eq!(left("<nav><p>Choose a page</nav>"), ["Choose a page"]);
        let whole = format!("<div hidden class=menu>{}</div>", "word ".repeat(50));
        assert_eq!(left(&whole).len(), 1);
    }

    #[test]
    fn style_sheets_hide_as_attributes_do() {
        let rule = "<style>.m, #t { display: none }</style>";
        let items = "<p><a href=/a>One</a><p><a href=/b>Two</a><p><a href=/c>Three</a>";
        let menu = format!("<div class='x m'>{items}</div>");
        assert!(left(&format!("{rule}{menu}")).is_empty());
        assert_eq!(left(&menu), ["One", "Two", "Three"]);
        assert_eq!(left(&format!("{rule}<div id=t><p>A tab.</div>")), ["A tab."]);
        assert!(left(&format!("{rule}<ul id=t>{items}</ul>")).is_empty());
        let noscript = format!("<noscript>{rule}</noscript>{menu}");
        assert_eq!(left(&noscript), ["One", "Two", "Three"]);
    }
}
