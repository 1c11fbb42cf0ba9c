//! Finds the controls of lists and of events: star ratings, counts of results, page numbers, links to the next page and
//! calendar links. Also finds the labels that a wiki adds to a text.

use trommel_html::{Block, Element, PAGE_ROW_WORDS, Page, Tag};
use trommel_text::word_hash;

use crate::kept_flags::{KeptBlocks as _, elements_of};

/// Maximum number of elements around a block that are searched for a link, or for a class such as `rating` or `pager`.
const ANCESTORS: usize = 4;
/// Maximum number of words of a block that is dropped as a control of a list or an event, such as a page number.
pub(crate) const MAX_CONTROL_WORDS: u32 = 10;
/// Minimum number of words without digits in a rating drawn as stars ("Rated 4.5 out of 5"). A mere number beside a
/// star is the count of votes, which is text.
const MIN_RATING_WORDS: usize = 2;
/// Maximum number of result counts ("25 results") on a page for these to be dropped: one above a list, one below it.
pub(crate) const MAX_COUNTS: usize = 2;

/// Returns whether a short block is a rating drawn as stars or a page number, by the names of elements around it.
pub(crate) fn is_list_control(page: &Page, block: &Block) -> bool {
    let has_digit = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let text = page.text(block);
    if !has_digit(text) {
        return false;
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let may_be_rating = text.split_whitespace().filter(|word| !has_digit(word)).count() >= MIN_RATING_WORDS;
    let is_one = |element: &Element| {
        may_be_rating && page.is_named_as(element, &["star"]) && page.is_named_as(element, &["rating"])
            || is_number && is_row(page, element)
    };
    (is_number || may_be_rating) && page.path(block.element).take(ANCESTORS).any(|(_, element)| is_one(element))
}

/// Returns whether the class or id of an element marks a row of page numbers.
pub(crate) fn is_row(page: &Page, element: &Element) -> bool {
    let words = page.attribute_words(element);
    let mut texts = words.iter().map(|word| page.word_text(word));
    let says = |wanted: &str| words.iter().any(|word| page.word_text(word) == wanted);
    let [beside, alone @ ..] = PAGE_ROW_WORDS;
    texts.any(|text| alone.contains(&text)) || says(beside) && (says("links") || says("numbers") || says("nav"))
}

/// Returns whether a short block states the number of results of a list, by the class or id of its container.
pub(crate) fn is_result_count(page: &Page, block: &Block) -> bool {
    page.container(block).is_some_and(|(_, element)| {
        page.is_named_as(element, &["result", "results"]) && page.is_named_as(element, &["count"])
    })
}

/// Minimum number of link buttons with the same text for them to be dropped, as those of a list's items.
pub(crate) const MIN_SAME_BUTTONS: usize = 3;
/// Maximum number of elements around the text of a button that are searched for the button's link.
const BUTTON_ANCESTORS: usize = 2;

/// Returns whether a short block is a link styled as a button, by its class. Prices are no buttons.
pub(crate) fn is_link_button(page: &Page, block: &Block) -> bool {
    let mut elements = elements_of(page, block, BUTTON_ANCESTORS);
    block.link_density() == 1.0
        && !page.text(block).contains(|c: char| c.is_ascii_digit())
        && elements.any(|element| element.tag == Tag::A && page.is_named_as(element, &["button", "btn"]))
}

/// Maximum number of elements around a block that are searched for a name such as `stock` or `notices`.
const STATE_ANCESTORS: usize = 3;

/// Returns whether a short block says how many items are in stock, or is a notice ("This event has passed").
pub(crate) fn is_state(page: &Page, block: &Block) -> bool {
    let has_digit = page.text(block).contains(|c: char| c.is_ascii_digit());
    let names: &[&str] = if has_digit { &["notices", "stock"] } else { &["notices"] };
    page.path(block.element).take(STATE_ANCESTORS).any(|(_, element)| page.is_named_as(element, names))
}

/// Word in a class or id that marks a page as made by MediaWiki.
const WIKI: &str = "mediawiki";
const WIKI_LABELS: [&str; 10] = [
    "siteSub", "contentSub", "mw-revision-info", "mw-revision-nav", "jump-to-nav", "lastmod", "viewcount", "copyright",
    "f-list", "footer-info",
];
/// Maximum number of elements around a block that are searched for an id of a MediaWiki label.
const LABEL_ANCESTORS: usize = 3;

/// Returns whether a page was made by MediaWiki.
pub(crate) fn is_wiki(page: &Page) -> bool {
    page.has_attribute_word(&[word_hash(WIKI.as_bytes())])
}

/// Returns whether a block is a label that MediaWiki adds to the text, such as its source, revision or page views.
pub(crate) fn is_wiki_label(page: &Page, html: &str, block: &Block) -> bool {
    page.path(block.element).take(LABEL_ANCESTORS).any(|(_, element)| {
        element.attribute(html, "id").is_some_and(|id| WIKI_LABELS.contains(&id.as_ref()))
            || page.is_named_as(element, &["printfooter"])
    })
}

/// Characters that begin the text of a link to the previous page.
const BACK: [char; 3] = ['«', '‹', '←'];
const ON: [char; 3] = ['»', '›', '→'];
/// Class and id words of elements that hold links to the previous or next page.
const WAYS: [&str; 7] = ["nav", "navigation", "previous", "prev", "next", "pager", "pagination"];
/// Parts of link addresses that add an event to a calendar.
const CALENDARS: [&str; 8] = [
    "webcal:", ".ics", "ical=1", "data:text/calendar", "action=template", "outlook.live.com/", "outlook.office.com/",
    "calendar.yahoo.com/",
];

/// Returns whether a short block is a link to the previous or next page, or a link that adds an event to a calendar.
pub(crate) fn leads_elsewhere(page: &Page, html: &str, block: &Block) -> bool {
    leads_along(page, block)
        || block.link_density() == 1.0
            && page.link_address(html, block, ANCESTORS).is_some_and(|address| {
                let address = address.to_ascii_lowercase();
                CALENDARS.iter().any(|part| address.contains(part))
            })
}

/// Returns whether a short block is a link to the previous or next page.
pub(crate) fn leads_along(page: &Page, block: &Block) -> bool {
    let text = page.text(block);
    (text.starts_with(BACK) || text.ends_with(ON))
        && block.link_density() == 1.0
        && page.path(block.element).take(ANCESTORS).any(|(_, element)| page.is_named_as(element, &WAYS))
}

/// Minimum number of items of a list after a count of results ("25 results") for the list to be kept.
const MIN_ITEMS: usize = 3;
/// Number of elements around a count of results, innermost first, whose siblings are searched for the list of results.
const BAR_ANCESTORS: usize = 2;
/// Maximum number of siblings after a count of results that are searched for the list, as a sort menu may come first.
const MAX_BESIDE: usize = 4;
/// Maximum share of kept blocks in a list of results that counts as wrongly dropped, and is kept whole.
const MAX_KEPT: f32 = 0.25;

/// Keeps the list of results after a count ("25 results") if few of its blocks are kept. The list is a sibling of the
/// count or of the element around the count. `kept` has one flag per block.
pub(crate) fn keep_counted_lists(page: &Page, kept: &mut [bool]) {
    let counts = page.blocks.iter().filter(|block| block.words <= MAX_CONTROL_WORDS && is_result_count(page, block));
    // Many counts before one long list would read it again and again.
    for block in counts.take(MAX_COUNTS) {
        let around = page.path(block.element).skip_while(|(_, element)| element.tag.is_inline()).take(BAR_ANCESTORS);
        let Some(list) = around.filter_map(|(at, element)| list_behind(page, at, element)).next() else { continue };
        let inside = page.blocks_inside(list);
        if inside.clone().filter(|at| kept.has(*at)).count() as f32 <= MAX_KEPT * inside.len() as f32 {
            kept.keep(inside);
        }
    }
}

/// Returns the index of the first list of at least three items among the nearest siblings after the element `at`.
fn list_behind(page: &Page, at: u32, element: &Element) -> Option<u32> {
    let mut next = element.end.max(at + 1);
    let behind = std::iter::from_fn(|| {
        let beside = page.element(next).filter(|beside| beside.parent == element.parent)?;
        let at = next;
        // Each ends where the next begins.
        next = beside.end.max(next + 1);
        Some((at, beside))
    });
    let is_list = |(at, beside): &(u32, &Element)| {
        let inside = page.elements.get(*at as usize..beside.end as usize).unwrap_or_default().iter();
        let items = inside.filter(|item| item.tag == Tag::Li && item.parent == *at);
        matches!(beside.tag, Tag::Ul | Tag::Ol) && items.count() >= MIN_ITEMS
    };
    behind.take(MAX_BESIDE).find(is_list).map(|(at, _)| at)
}
