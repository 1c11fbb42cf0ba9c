//! Recognises furniture, which accompanies the text of posts, cards and lists: controls, counts, boxes about authors,
//! page numbers.

use std::ops::Range;

use rustc_hash::FxHashMap;
use trommel_html::{Block, Element, ElementKinds, Page, Tag};

use super::{Role, marked};
use crate::choice::list_controls::{
    MAX_CONTROL_WORDS, is_link_button, is_list_control, is_result_count, is_row, leads_along,
};
use crate::choice::thread_labels::without_digits;
use crate::heading_text::is_heading;
use crate::kept_flags::{KeptBlocks as _, elements_of};
use crate::metadata::date_in;

/// Minimum number of equal texts at the same place of a template for them to be taken for controls, counts or the like.
const MIN_REPEATED: u32 = 3;
const MIN_WRITERS: u32 = 2;
/// Number of elements around a block that are checked for being a row of page numbers or a menu.
const ROW_ANCESTORS: usize = 5;
const ROW_WORD_ANCESTORS: usize = 3;
const NAMED_ANCESTORS: usize = 2;
/// Class and id words of elements that hold a number about a thing, such as votes or views.
const COUNTS: [&str; 15] = [
    "answers", "badge", "comments", "count", "counter", "counts", "likes", "num", "rating", "replies", "score",
    "total", "views", "vote", "votes",
];
/// Maximum number of words beside each number of a text that is taken for a row of page numbers.
const MAX_WORDS_BESIDE_NUMBER: usize = 2;
const STOCK: [&str; 2] = ["availability", "stock"];
/// Maximum number of words of a stock state without a number ("In stock").
const MAX_STATE_WORDS: u32 = 3;
/// Maximum number of words of a dropped block that is taken for a count. Longer rows of links have numbers, too.
const MAX_COUNT_WORDS: u32 = 6;
/// Class and id words of elements that hold a time.
const TIMES: [&str; 4] = ["ago", "date", "datetime", "time"];
/// Class and id words of buttons.
const BUTTONS: [&str; 2] = ["btn", "button"];
const CONTROLS: [&str; 17] = [
    "action", "actions", "btn", "button", "buttons", "edit", "facet", "facets", "filter", "filters", "ordering",
    "permalink", "share", "sort", "sorting", "toggle", "toolbar",
];
/// Words in the class or id of menus. An element needs one of these and a word for a part of a menu to count as a menu.
const MENUS: [&str; 2] = ["menu", "submenu"];
const MENU_PARTS: [&str; 5] = ["item", "items", "link", "nav", "navigation"];

/// Class and id words of elements that hold the name of an author.
const WRITERS: [&str; 11] = [
    "author", "username", "nickname", "nick", "poster", "postername", "postauthor", "displayname", "autor", "userinfo",
    "postprofile",
];
const USERS: [&str; 2] = ["member", "user"];
const BOXES: [&str; 6] = ["about", "bio", "box", "details", "info", "profile"];
/// Maximum number of elements around an author's name that are checked for being the box about the author.
const BOX_ANCESTORS: usize = 6;
/// Maximum number of blocks of a box about an author.
const MAX_BOX_BLOCKS: usize = 16;
const MAX_BOX_WORDS: u32 = 12;
/// Maximum number of words of a block in a box about an author that is taken for a mere date.
const MAX_DATE_WORDS: u32 = 3;
/// Minimum number of lines without a date in a box about an author. Boxes with fewer lines are bylines.
const MIN_BOX_FACTS: usize = 2;

/// Place of a short text in a template: hash (of name and class) and depth of its element, text with `#` for numbers.
type Place = (u64, u16, String);

/// Facts about a page by which furniture (controls, counts, boxes about authors, pagers) is recognised.
pub(super) struct Furniture<'p> {
    page: &'p Page,
    kept: &'p [bool],
    /// Number of times that each short text occurs in the same place of a template.
    places: FxHashMap<Place, u32>,
    /// One flag per block, true if the block is in a box about an author.
    about_writers: Vec<bool>,
    /// Number of elements with each signature, which is a hash of element name and class.
    signatures: FxHashMap<u64, u32>,
}

impl<'p> Furniture<'p> {
    pub(super) fn of(page: &'p Page, kept: &'p [bool]) -> Self {
        let mut places = FxHashMap::default();
        for place in page.blocks.iter().filter_map(|block| place(page, block)) {
            *places.entry(place).or_default() += 1;
        }
        let mut signatures = FxHashMap::default();
        for element in &page.elements {
            *signatures.entry(element.signature).or_default() += 1;
        }
        let mut found = Self { page, kept, places, about_writers: Vec::new(), signatures };
        found.about_writers = found.about_writers();
        found
    }

    /// Returns the role of a block if it is furniture, such as a control, or `None` for other blocks.
    pub(super) fn role(&self, at: usize, block: &Block, role: Role) -> Option<Role> {
        let page = self.page;
        let is_signature = |element: &Element| page.is_named_as(element, &["signature"]);
        let is_about_writer = self.about_writers.has(at) && !matches!(role, Role::Header | Role::Footer)
            || page.path(block.element).take(NAMED_ANCESTORS + 1).any(|(_, element)| is_signature(element));
        if role == Role::Hidden || page.kinds_around(block).contains(ElementKinds::CODE) {
            return None;
        }
        if block.words > MAX_CONTROL_WORDS {
            return is_about_writer.then_some(Role::AuthorBox);
        }
        let text = page.text(block);
        let names = |names: &[&str], ancestors: usize| {
            elements_of(page, block, ancestors).any(|element| page.is_named_as(element, names))
        };
        let is_menu = |element: &Element| page.is_named_as(element, &MENUS) && page.is_named_as(element, &MENU_PARTS);
        let is_in_menu = elements_of(page, block, ROW_ANCESTORS).any(is_menu);
        let is_in_nav = page.path(block.element).take(ROW_ANCESTORS).any(|(_, element)| element.tag == Tag::Nav);
        let (is_linked, is_heading) = (block.link_density() == 1.0, is_heading(page, block));
        let is_numbered = has_number(text);
        // A word without a link is a heading or a text beside the row.
        let ancestors = if is_numbered { ROW_ANCESTORS } else { usize::from(is_linked) * ROW_WORD_ANCESTORS };
        let is_in_row = || page.path(block.element).take(ancestors).any(|(_, element)| is_row(page, element));
        if leads_along(page, block) || !is_in_menu && is_page_number(text) && is_in_row() {
            return Some(Role::Pager);
        }
        let is_dropped = self.kept.lacks(at);
        let is_repeated = self.is_repeated(block) && !is_heading;
        // Questions and tabs that are kept stand in buttons, too, and so do the heads of menus.
        let is_set_apart = is_dropped && !is_heading && !is_in_nav || is_repeated;
        let is_permalink = is_dropped && is_linked && is_numbered && text.starts_with('#');
        if is_permalink || is_set_apart && (is_button(page, block, is_dropped) || is_link_button(page, block)) {
            return Some(Role::Control);
        }
        if is_numbered && (is_list_control(page, block) || is_result_count(page, block))
            || (is_numbered || block.words <= MAX_STATE_WORDS) && names(&STOCK, 1)
        {
            return Some(Role::Count);
        }
        if is_about_writer {
            let is_date = block.words <= MAX_DATE_WORDS && date_in(text, false).is_some();
            return (!is_date && !is_clock(page, block, text)).then_some(Role::AuthorBox);
        }
        if is_numbered && is_dropped && block.words <= MAX_COUNT_WORDS {
            let is_count = names(&COUNTS, NAMED_ANCESTORS) || is_repeated && !is_linked;
            let is_other = is_price(text) || is_time(page, block, text) || is_in_menu && block.words > 1;
            let role = if block.link_words > 0 && !is_linked { beside_link(text) } else { Role::Count };
            return (is_count && !is_other).then_some(role);
        }
        let is_byline = || marked(page, block) == Some(Role::Byline);
        let is_linked_control =
            || is_dropped && is_linked && !is_in_nav && !names(&MENUS, ROW_ANCESTORS) && !is_byline();
        let repeats_control = is_repeated && (is_linked_control() || names(&BUTTONS, 1));
        let is_named = || names(&CONTROLS, NAMED_ANCESTORS + usize::from(is_linked)) && !(is_linked && is_in_menu);
        let is_control = repeats_control && !is_price(text) || is_dropped && !is_heading && !is_numbered && is_named();
        is_control.then_some(Role::Control)
    }

    /// Returns whether several parts of the page have an equal text, except for numbers, in the same place. Paragraphs
    /// are excluded.
    fn is_repeated(&self, block: &Block) -> bool {
        let times = place(self.page, block).and_then(|place| self.places.get(&place));
        times.is_some_and(|times| *times >= MIN_REPEATED) && !is_paragraph(self.page, block)
    }

    /// Returns, for each block, whether it is in a box about an author. Such a box is the largest element around an
    /// author's name that has only short dropped blocks and is beside text. A table cell like this is a box if several
    /// rows have one.
    fn about_writers(&self) -> Vec<bool> {
        let page = self.page;
        let (mut boxes, mut cells) = (Vec::new(), Vec::new());
        for (at, element) in (0u32..).zip(&page.elements) {
            if is_about_writer(page, element) {
                boxes.extend(self.box_beside_text(page.path(at).take(BOX_ANCESTORS)));
            } else if element.tag == Tag::Td {
                // A name first: the head of a post begins with a label.
                let is_label = |at: usize| page.blocks.get(at).is_some_and(|block| page.text(block).contains(':'));
                let cell = self.box_beside_text(page.path(at).take(2));
                cells.extend(cell.filter(|cell| !is_label(cell.start)));
            }
        }
        if cells.len() >= MIN_REPEATED as usize {
            boxes.append(&mut cells);
        }
        let mut flags = vec![false; page.blocks.len()];
        flags.keep(boxes.into_iter().flatten());
        flags
    }

    /// Returns the blocks of the outermost of the elements `path` that is a box about an author. It has no text, is
    /// beside text, and shares its markup with others or is named as a box.
    fn box_beside_text<'a>(&self, path: impl Iterator<Item = (u32, &'a Element)>) -> Option<Range<usize>> {
        let mut inside = None;
        for (at, element) in path.take_while(|(_, element)| !matches!(element.tag, Tag::Nav | Tag::Form)) {
            match self.blocks_of_box(at) {
                Ok(blocks) => {
                    let times = self.signatures.get(&element.signature).copied().unwrap_or_default();
                    let has_name = element.tag == Tag::Td || !self.page.attribute_words(element).is_empty();
                    let repeats = has_name && times >= MIN_WRITERS;
                    if repeats || self.page.is_named_as(element, &BOXES) {
                        inside = Some(blocks);
                    }
                }
                Err(has_text) => return inside.filter(|inside| has_text && self.has_facts(inside)),
            }
        }
        None
    }

    /// Returns whether the blocks of a box are more than a byline: at least two lines have no date.
    fn has_facts(&self, blocks: &Range<usize>) -> bool {
        let page = self.page;
        let facts = blocks.clone().filter_map(|at| page.blocks.get(at));
        let facts = facts.flat_map(|block| page.text(block).lines().map(move |line| (block, line)));
        facts.filter(|(block, line)| !is_time(page, block, line)).count() >= MIN_BOX_FACTS
    }

    /// Returns the blocks of an element if they may be a box about an author: few, short and without text. Otherwise
    /// returns an error, which is true if one of them is text.
    fn blocks_of_box(&self, at: u32) -> Result<Range<usize>, bool> {
        let page = self.page;
        let element = page.element(at).ok_or(false)?;
        let first = page.blocks.partition_point(|block| block.span.0 < element.start);
        let inside = page.blocks.iter().zip(self.kept).skip(first);
        let mut last = first;
        for (block, kept) in inside.take_while(|(block, _)| (at..element.end).contains(&block.element)) {
            last += 1;
            if *kept || block.words > MAX_BOX_WORDS || block.words > 1 && is_paragraph(page, block) {
                return Err(true);
            }
            // Forms to sign in have names of users, too.
            if last > first + MAX_BOX_BLOCKS || is_within(page, block, &[Tag::Label]) {
                return Err(false);
            }
        }
        Ok(first..last)
    }
}

/// Returns whether a block is the text of a button or, if the block is dropped, of a label.
fn is_button(page: &Page, block: &Block, is_dropped: bool) -> bool {
    is_within(page, block, &[Tag::Button, Tag::Select, Tag::Option])
        || is_dropped && is_within(page, block, &[Tag::Label, Tag::Legend])
}

/// Returns whether one of the innermost elements around a block has one of `tags`.
fn is_within(page: &Page, block: &Block, tags: &[Tag]) -> bool {
    page.path(block.element).take(NAMED_ANCESTORS + 1).any(|(_, element)| tags.contains(&element.tag))
}

/// Returns the role of a link beside a number: author box if a name is above the number, otherwise control.
fn beside_link(text: &str) -> Role {
    let is_name = text.split_once('\n').is_some_and(|(first, _)| !has_number(first));
    if is_name { Role::AuthorBox } else { Role::Control }
}

/// Returns the place of a short block in its template (markup, depth and text), or `None` for longer blocks.
fn place(page: &Page, block: &Block) -> Option<Place> {
    let element = page.element(block.element).filter(|_| block.words <= MAX_CONTROL_WORDS)?;
    let text = page.text(block);
    let folded = without_digits(text).or_else(|| has_number(text).then(|| "#".to_owned()))?;
    Some((element.signature, element.depth, folded))
}

fn is_paragraph(page: &Page, block: &Block) -> bool {
    page.container(block).is_some_and(|(_, element)| element.tag == Tag::P)
}

/// Returns whether an element holds the name of an author, or describes one.
fn is_about_writer(page: &Page, element: &Element) -> bool {
    page.is_named_as(element, &WRITERS) || page.is_named_as(element, &USERS) && page.is_named_as(element, &BOXES)
}

/// Returns whether a text has a number that is not part of a word.
fn has_number(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether `text`, a part of a block, contains a date or a time of day.
fn is_time(page: &Page, block: &Block, text: &str) -> bool {
    is_clock(page, block, text) || date_in(text, false).is_some()
}

/// Returns whether `text`, a part of a block, contains a time of day, or an element around the block names a time.
fn is_clock(page: &Page, block: &Block, text: &str) -> bool {
    let is_named = |element: &Element| element.tag == Tag::Time || page.is_named_as(element, &TIMES);
    let has_hours = || text.as_bytes().windows(3).any(|window| matches!(window, [b'0'..=b'9', b':', b'0'..=b'9']));
    // Facts of several lines have the time at which somebody joined.
    !text.contains('\n') && has_hours() || elements_of(page, block, NAMED_ANCESTORS).any(is_named)
}

/// Returns whether a text may be in a row of page numbers: at most two other words per number, or two words in all.
fn is_page_number(text: &str) -> bool {
    let numbers = text.split_whitespace().filter(|word| has_number(word)).count();
    text.split_whitespace().count() - numbers <= MAX_WORDS_BESIDE_NUMBER * numbers.max(1)
}

/// Returns whether a text has a currency sign or a number with two decimals.
fn is_price(text: &str) -> bool {
    let has_sign = text.contains(|c: char| c == '$' || matches!(c, '\u{a2}'..='\u{a5}' | '\u{20a0}'..='\u{20cf}'));
    let has_cents = |word: &str| matches!(word.as_bytes(), [.., b'0'..=b'9', b'.' | b',', b'0'..=b'9', b'0'..=b'9']);
    has_sign || text.split_whitespace().any(has_cents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    /// Returns the text and role of the furniture blocks of a page. Blocks whose text begins with a plus are kept.
    fn furniture(html: &str) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let kept: Vec<bool> = page.blocks.iter().map(|block| page.text(block).starts_with('+')).collect();
        let roles = crate::role::roles(&page, &kept, &[], None);
        let furniture = Furniture::of(&page, &kept);
        let found = page.blocks.iter().zip(&roles).enumerate().filter_map(|(at, (block, role))| {
            let role = furniture.role(at, block, *role)?;
            Some(format!("{}: {}", page.text(block), role.name()))
        });
        found.collect()
    }

    #[test]
    fn what_stands_in_each_part_in_the_same_place_is_furniture() {
        let card = "<li><h3>A <b>lamp</b></h3><div>$9</div><div>9 hits</div><div><a href=a>Compare</a></div><div>May 9, 2020</div><a href=b>9 of it</a></li>";
        let expected = ["9 hits: count", "Compare: control"];
        assert_eq!(furniture(&format!("<ul>{}</ul>", card.repeat(3))), expected.repeat(3));
        assert_eq!(furniture(&format!("<ul>{}</ul>", card.repeat(2))), [""; 0]);
        for text in [
            "<div>+9 hits</div><div><a href=a>+Compare</a></div>",
            "<p>9 hits</p><p>Compare</p>",
            "<pre>9 hits</pre>",
            "<ul class=menu-nav><a href=a>Home</a></ul>",
            "<div hidden>9 hits</div>",
            "<div><time>9 ago</time></div>",
            "<div>At 9:10</div>",
            "<h3>9 hits</h3>",
            "<div>9.50 kr</div>",
            "<h3><button>Why?</button></h3>",
            "<div class=byline><a href=a>ann</a></div>",
            "<nav><div><a href=a>Compare</a></div></nav>",
            "<div>Decibel220</div>",
        ] {
            assert_eq!(furniture(&text.repeat(3)), [""; 0], "{text}");
        }
        let button = furniture(&"<span class=btn>+Buy</span><hr>".repeat(3));
        assert_eq!(button, ["+Buy: control"; 3]);
    }

    #[test]
    fn names_and_elements_tell_controls_counts_and_pagers() {
        let html = "<nav><button>Tools</button></nav><p><button>Buy</button><p><button>+Why?</button>\
                    <p><label>Name</label><p class=vote-count>7</p><p class=vote-count>$7</p>\
                    <p class=results-count>1 of 40 results</p><p class=sort-menu>By price</p><p>7</p><p class=stock>+None</p>\
                    <ul class=pagination><li>1<li><a href=2>2</a><li><a href=3>The 2 mills of old</a><li>Rows</ul><p><a href=4>#4</a><p class=nav><a href=3>Back →</a>\
                    <p class=badges><a href=a>ann</a><br><i class=badge>7</i><p class=badges><a href=a>Rugs</a> <i class=badge>7</i>";
        let expected = [
            "Buy: control", "Name: control", "7: count", "1 of 40 results: count", "By price: control", "+None: count",
            "1: pager", "2: pager", "#4: control", "Back →: pager", "ann\n7: author-box", "Rugs 7: control",
        ];
        assert_eq!(furniture(html), expected);
    }

    #[test]
    fn what_stands_around_a_writer_beside_the_text_is_a_box() {
        let boxed = |html: &str| furniture(html).into_iter().filter(|found| found.ends_with("author-box")).count();
        let post = |facts: &str| format!("<div>{facts}<div>+It rained.</div></div>");
        let column = "<div class=side><b class=username>ann</b><div>Joined: May</div><div>Posts: 9</div></div>";
        assert_eq!(boxed(&post(column).repeat(2)), 6);
        assert_eq!(boxed(&post(column)), 0, "a box like no other");
        assert_eq!(boxed(column), 0, "no text beside it");
        assert_eq!(boxed(&post(&column.replace("May", &"May ".repeat(20))).repeat(2)), 0, "text itself");
        assert_eq!(boxed(&post("<div><b class=username>ann</b><div>4 May 2020</div></div>").repeat(2)), 0, "a byline");
        assert_eq!(
            boxed(&post(
                "<div class=author-info><div>Ann</div><div>Miller</div><div>4 May 2020</div><div>At 9:10</div></div>"
            )),
            2
        );
        assert_eq!(boxed(&post("<footer class=author-info><div>Ann</div><div>Miller</div></footer>")), 0, "the foot");
        assert_eq!(boxed(&post("<nav><b class=username>ann</b><div>Log out</div></nav>").repeat(2)), 0, "a menu");
        assert_eq!(boxed(&post("<div class=author-info><div>Ann</div><div>Miller</div></div>")), 2);
        assert_eq!(boxed(&post("<div class=user-info><div>Ann</div><div>Miller</div></div>")), 2);
        assert_eq!(boxed(&post("<div class=user-menu><div>Ann</div><div>Miller</div></div>")), 0);
        assert_eq!(boxed(&format!("<div class=signature>{}</div>", "word ".repeat(20))), 1);
        let row = "<table><tr><td><i>ann</i><div>Posts: 9</div><td>+It rained.</table>";
        assert_eq!([boxed(&row.repeat(3)), boxed(&row.repeat(2))], [6, 0]);
        assert_eq!(boxed(&row.replace("ann", "Subject: ann").repeat(3)), 0, "the head of a post");
    }
}
