//! Recognises teasers of other pages, with author and time, which are not posts.

use trommel_html::{Block, Element, NONE, Page, Tag};
use url::Url;

use super::parts::Part;
use super::people::is_of_person;

/// Words in the attributes of elements with content of the page itself. Such elements are not teasers.
const OWN_CONTENT: [&str; 14] = [
    "message", "msg", "comment", "comments", "reply", "replies", "answer", "postbit", "review", "antwort", "kommentar",
    "commentaire", "comentario", "reactie",
];
/// Elements, and lines, of a part among which its headline, and its first kept line, is looked for.
const MAX_SEARCHED: usize = 80;
/// Share of the words of a line in links from which on it is a link.
const MIN_LINK_DENSITY: f32 = 0.7;

/// Tells teasers.
#[derive(Debug)]
pub(super) struct Teasers<'a> {
    pub(super) page: &'a Page,
    pub(super) html: &'a str,
    pub(super) url: Option<&'a Url>,
    pub(super) kept: &'a [bool],
}

impl Teasers<'_> {
    /// Returns whether the headline of a part, or its first line, leads to another page of the site.
    pub(super) fn is_one(&self, part: &Part) -> bool {
        let path = self.page.path(part.innermost.start);
        let mut path = path.take_while(|(at, _)| *at >= part.elements.start);
        // A comment may begin with a link; it is said here all the same.
        if path.any(|(_, element)| self.page.is_named_as(element, &OWN_CONTENT)) {
            return false;
        }
        let elements = part.elements.clone();
        let mut headings = elements.clone().take(MAX_SEARCHED).filter(|at| {
            let element = self.page.element(*at);
            element.is_some_and(|element| element.tag.is_heading())
        });
        let heading = headings.next().and_then(|at| Some((at, self.page.element(at)?)));
        let is_title = heading.is_some_and(|(at, heading)| {
            let within = (at..heading.end).take(MAX_SEARCHED);
            let within = within.filter_map(|at| self.page.element(at));
            let around = self.page.path(at).skip(1);
            let around = around.take_while(|(at, _)| *at >= elements.start);
            let mut links = within.chain(around.map(|(_, element)| element));
            links.any(|element| self.leads_away(element))
        });
        is_title || self.first_line(part).is_some_and(|line| self.is_link(line))
    }

    /// The first kept line of a part.
    fn first_line(&self, part: &Part) -> Option<&Block> {
        let start = self.page.element(part.elements.start)?.start;
        let first = self.page.blocks.partition_point(|block| block.span.1 <= start);
        let blocks = self.page.blocks.get(first..)?.iter();
        let blocks = blocks.zip(self.kept.get(first..)?).take(MAX_SEARCHED);
        let mut blocks = blocks.take_while(|(block, _)| {
            let around = self.page.container(block).map_or(NONE, |(at, _)| at);
            part.elements.contains(&around)
        });
        blocks.find(|(_, kept)| **kept).map(|(block, _)| block)
    }

    fn is_link(&self, line: &Block) -> bool {
        let inline = self.page.inline(line).iter().copied();
        let around = self.page.path(line.element).take(2).map(|(at, _)| at);
        let mut links = inline.chain(around).filter_map(|at| self.page.element(at));
        line.link_density() >= MIN_LINK_DENSITY && links.any(|element| self.leads_away(element))
    }

    /// Returns whether an element is a link to another page of the site which is not that of a person.
    fn leads_away(&self, element: &Element) -> bool {
        if element.tag != Tag::A {
            return false;
        }
        let Some(href) = element.attribute(self.html, "href") else { return false };
        let href = href.trim();
        if href.contains('#') || href.starts_with("javascript:") || is_of_person(href) {
            return false;
        }
        let Some(url) = self.url else { return !href.is_empty() };
        let to = url.join(href).ok();
        to.is_some_and(|to| to.host() == url.host() && to.path() != url.path())
    }
}
