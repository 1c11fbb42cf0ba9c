//! Finds the authors of a page, and distinguishes them from the authors of the items of a listing.

use std::ops::Range;

use trommel_html::{Block, FactKind, Page, Tag, element_text, strip_markup};

use super::sources::{Sources, rank};
use super::{headline_surroundings::near, person_names, site::key};

/// Names of `<meta>` elements that hold authors, best first.
// From those made for authors to those that name whoever edited the file.
const METAS: &[&str] = &[
    "author", "article:author", "article:author_name", "og:article:author", "og:author", "citation_author",
    "parsely-author", "sailthru.author", "dc.creator", "dcterms.creator", "dc.creator.personalname", "rnews:author",
    "cxenseparse:author", "byl", "byline", "author_name", "authors", "creator",
];

/// Class and id words of elements that hold authors.
pub(super) const TOKENS: [&str; 8] = ["author", "authors", "byline", "byl", "writer", "auteur", "autor", "username"];

/// Class and id words of elements that hold other facts about authors, or that concern other people.
const OTHER_TOKENS: [&str; 13] = [
    "comment", "comments", "bio", "avatar", "image", "img", "photo", "related", "title", "social", "follow",
    "description", "widget",
];

/// Beginnings of lines that name the author, anywhere on the page.
const BOX_LEADS: [&str; 6] =
    ["Written by ", "Written By ", "Article by ", "Author: ", "About the author: ", "Posted by "];

/// Maximum number of bytes of an element that is read for the name of an author.
// Enough for a linked name with a portrait; the bound matters where end tags are missing.
const MAX_ELEMENT_BYTES: usize = 1500;
/// Maximum number of words of a line that is read for the name of an author.
pub(super) const LINE: u32 = 40;
/// Maximum number of author elements in a page's microdata that are read for a name.
const MAX_ELEMENTS: usize = 32;

/// Returns the authors' names from the first source, such as a `<meta>` or a byline, that has any. The names of the
/// site (`sites`) are returned only if no source has another name. The writer of one item of a listing is not the
/// page's author.
pub(super) fn authors(sources: &Sources, sites: &[String]) -> Vec<String> {
    let reads: [fn(&Sources) -> Vec<String>; 7] =
        // From what is stated for machines to what only looks like a byline: the first source with a name wins.
        [from_graph, from_meta, from_labels, from_facts, from_links, from_markup, from_lines];
    let mut fallback = Vec::new();
    for read in reads {
        let names = read(sources);
        if names.is_empty() {
            continue;
        }
        if !names.iter().all(|name| sites.contains(&key(name))) {
            return names;
        }
        // Sites put their own name where no author is known; a person further down the list is better.
        if fallback.is_empty() {
            fallback = names;
        }
    }
    fallback
}

fn from_graph(sources: &Sources) -> Vec<String> {
    let graph = &sources.graph;
    let nodes = graph.nodes().iter().filter(|node| rank(node) == 3);
    sources
        .main
        .iter()
        .filter(|node| rank(node) > 0)
        .chain(nodes)
        .map(|node| {
            let mut names = Vec::new();
            for name in node.authors(graph) {
                person_names::add(&name, &mut names);
            }
            names
        })
        .find(|names| !names.is_empty())
        .unwrap_or_default()
}

fn from_meta(sources: &Sources) -> Vec<String> {
    let mut names = Vec::new();
    for name in METAS {
        for (known, content) in &sources.page.head.meta {
            if known == name {
                person_names::add(&strip_markup(content), &mut names);
            }
        }
        if !names.is_empty() {
            break;
        }
    }
    names
}

/// Reads the names in `twitter:data1` if `twitter:label1` is "Written by", and likewise for `twitter:data2`.
fn from_labels(sources: &Sources) -> Vec<String> {
    let mut names = Vec::new();
    for (label, data) in [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")] {
        let head = &sources.page.head;
        let is_author = head.meta(label).is_some_and(|label| label.eq_ignore_ascii_case("written by"));
        if let Some(name) = head.meta(data).filter(|_| is_author) {
            person_names::add(name, &mut names);
        }
    }
    names
}

/// Reads the authors' names from microdata: the `author` element, or the `name` inside it.
fn from_facts(sources: &Sources) -> Vec<String> {
    let page = sources.page;
    let mut names = Vec::new();
    for author in sources.facts(FactKind::Author).take(MAX_ELEMENTS) {
        let Some(element) = page.element(author.element) else { continue };
        let name = page
            .facts
            .iter()
            .find(|fact| fact.kind == FactKind::Name && (author.element..element.end).contains(&fact.element));
        let fact = name.unwrap_or(author);
        if fact.value.is_empty() {
            person_names::add(&element_text(sources.html, fact.start, MAX_ELEMENT_BYTES), &mut names);
        } else {
            person_names::add(&fact.value, &mut names);
        }
        if !names.is_empty() {
            return unless_listed(sources, names, author.element);
        }
    }
    names
}

/// Returns `names`, or nothing if their element is in an item of a listing.
fn unless_listed(sources: &Sources, names: Vec<String>, element: u32) -> Vec<String> {
    if is_listed(sources.html, sources.page, element) { Vec::new() } else { names }
}

fn from_links(sources: &Sources) -> Vec<String> {
    let mut names = Vec::new();
    let mut block = None;
    let Some(headline) = sources.headline else { return names };
    let blocks: Vec<usize> = std::iter::once(headline).chain(near(sources.page, headline)).collect();
    for fact in &sources.page.facts {
        let at = fact.block as usize;
        if at < headline && !blocks.contains(&at) {
            continue;
        }
        if fact.kind != FactKind::AuthorLink || block.is_some_and(|block| block != fact.block) {
            continue;
        }
        let line = sources.page.blocks.get(at).map_or("", |block| sources.page.text(block));
        if person_names::is_picture_credit(line) {
            continue;
        }
        person_names::add(&element_text(sources.html, fact.start, MAX_ELEMENT_BYTES), &mut names);
        if !names.is_empty() {
            if block.is_none() && is_listed(sources.html, sources.page, fact.element) {
                return Vec::new();
            }
            // More authors stand in the same line; links further down are other pages'.
            block = Some(fact.block);
        }
    }
    names
}

/// Reads the names in elements near the headline whose class or id contains a word such as `author`.
fn from_markup(sources: &Sources) -> Vec<String> {
    let page = sources.page;
    let Some(headline) = sources.headline else { return Vec::new() };
    let mut names = Vec::new();
    for block in near(page, headline).filter_map(|at| page.blocks.get(at)) {
        let around = page.path(block.element).take(3);
        let inside = page.inline(block).iter().filter_map(|index| Some((*index, page.element(*index)?)));
        for (at, element) in inside.chain(around) {
            // `author-bio` and `author-avatar` hold a biography and a picture.
            if page.is_named_as(element, &TOKENS) && !page.is_named_as(element, &OTHER_TOKENS) {
                let text = element_text(sources.html, element.start, MAX_ELEMENT_BYTES);
                if let Some(line) = text.lines().find(|line| !person_names::is_lead(line)) {
                    person_names::add(line, &mut names);
                }
                if !names.is_empty() {
                    // Others further down are items of the same listing.
                    return unless_listed(sources, names, at);
                }
            }
        }
    }
    names
}

/// Returns the authors in a line such as "By Jane Roe" or "Fire, by Jane Roe", or in a name after the line `before`
/// ("By"). `is_own` returns whether the line belongs to the headline.
fn of_line(text: &str, before: &str, is_own: impl Fn() -> bool) -> Vec<String> {
    let mut names = Vec::new();
    let lower = text.to_ascii_lowercase();
    let begins = lower.starts_with("by ")
        || lower.starts_with("by:")
        || text.strip_prefix("By").is_some_and(person_names::is_full);
    if begins || person_names::is_full(text) && person_names::is_lead(before) {
        person_names::add(text, &mut names);
        return names;
    }
    if person_names::begins_byline(text) && is_own() {
        person_names::add(text, &mut names);
        // Words such as `von` begin sentences, too.
        names.retain(|name| person_names::is_full(name));
    }
    if !names.is_empty() {
        return names;
    }
    if let Some((before, name)) = text.split_once(" by ") {
        let said = before.rfind(' ').and_then(|start| text.get(start..)).unwrap_or(text);
        if person_names::is_full(name) && !person_names::is_picture_credit(said) {
            person_names::add(name, &mut names);
        }
    } else if let Some((_, name)) = text.split_once("作者：").or_else(|| text.split_once("作者:")) {
        person_names::add(name.split_whitespace().next().unwrap_or_default(), &mut names);
    }
    names
}

/// Reads the names in a line near the headline that names the author, otherwise in a box about the author.
fn from_lines(sources: &Sources) -> Vec<String> {
    let page = sources.page;
    let mut names = Vec::new();
    let Some(headline) = sources.headline else { return names };
    let is_own = |block: &Block, at| sources.surroundings().is_some_and(|around| around.own(block.element, at));
    for at in near(page, headline) {
        let Some(block) = page.blocks.get(at).filter(|block| block.words <= LINE) else { continue };
        let before =
            at.checked_sub(1).and_then(|before| page.blocks.get(before)).map_or("", |before| page.text(before));
        names = of_line(page.text(block), before, || is_own(block, at));
        if !names.is_empty() {
            return unless_listed(sources, names, block.element);
        }
    }
    // A box about the author at the end of the text.
    // Only short lines with a plain lead: the names in a text are those of other people.
    for block in page.blocks.iter().filter(|block| block.words <= 10) {
        let text = page.text(block);
        let begins = |lead: &&&str| lead.as_bytes().first() == text.as_bytes().first();
        let mut leads = BOX_LEADS.iter().filter(begins);
        let name = leads.find_map(|lead| text.strip_prefix(lead));
        if let Some(name) = name.filter(|name| person_names::is_full(name)) {
            if !is_listed(sources.html, page, block.element) {
                person_names::add(name, &mut names);
            }
            break;
        }
    }
    names
}

/// Minimum number of similar sibling elements, each with an author, that make a listing.
// Two articles side by side may be a text and its translation.
const MIN_ITEMS: usize = 3;
/// Maximum number of elements around an author among which the item of a listing is looked for.
const ANCESTORS: usize = 10;
/// Maximum number of elements inside a title that are searched for a link.
const MAX_DESCENDANTS: usize = 16;
/// Class and id words of elements that hold the title of an item in a listing.
const TITLES: [&str; 2] = ["title", "headline"];

/// Returns whether an element is in an item of a listing: one of several siblings with a linked title and an author
/// each. The part of the page with an `h1` is no item.
pub(super) fn is_listed(html: &str, page: &Page, element: u32) -> bool {
    let mut around = page.path(element).skip(1).take(ANCESTORS);
    around.any(|(at, element)| {
        if element.tag.is_inline() || !is_item(html, page, at..element.end) {
            return false;
        }
        let Some(parent) = page.element(element.parent) else { return false };
        let mut items = 1;
        let mut next = element.parent + 1;
        while let Some(sibling) = page.element(next).filter(|_| next < parent.end) {
            let is_like = next != at && sibling.tag == element.tag;
            if is_like && is_item(html, page, next..sibling.end) && has_author(page, next..sibling.end) {
                items += 1;
            }
            next = sibling.end.max(next + 1);
        }
        items >= MIN_ITEMS
    })
}

/// Returns whether a range of elements contains a linked title and no `h1`, as an item of a listing does.
fn is_item(html: &str, page: &Page, elements: Range<u32>) -> bool {
    let mut has_title = false;
    for at in elements.clone() {
        let Some(element) = page.element(at) else { break };
        // The part with the headline is the page itself, even if others look like it.
        if element.tag == Tag::H1 {
            return false;
        }
        let is_title = element.tag.is_heading() || page.is_named_as(element, &TITLES);
        // Posts lead to themselves, by a place on the page.
        let is_link = |at: u32| {
            let link = page.element(at).filter(|element| element.tag == Tag::A);
            let href = link.and_then(|element| element.attribute(html, "href"));
            href.is_some_and(|href| !href.contains('#'))
        };
        has_title = has_title
            || is_title
                && ((at..element.end).take(MAX_DESCENDANTS).any(is_link)
                    || page
                        .path(at)
                        .take_while(|(around, _)| *around >= elements.start)
                        .any(|(around, _)| is_link(around)));
    }
    has_title
}

/// Returns whether any of the elements names an author.
fn has_author(page: &Page, elements: Range<u32>) -> bool {
    let says = |at: u32| page.element(at).is_some_and(|element| page.is_named_as(element, &TOKENS));
    let is_fact = |kind| matches!(kind, FactKind::Author | FactKind::AuthorLink);
    let mut facts = page.facts.iter();
    let first = page.blocks.partition_point(|block| block.element < elements.start);
    let blocks = page.blocks.iter().skip(first);
    let mut blocks = blocks.take_while(|block| block.element < elements.end);
    elements.clone().any(says)
        || facts.any(|fact| is_fact(fact.kind) && elements.contains(&fact.element))
        || blocks.any(|block| {
            block.words <= LINE && page.text(block).get(..3).is_some_and(|by| by.eq_ignore_ascii_case("by "))
        })
}
