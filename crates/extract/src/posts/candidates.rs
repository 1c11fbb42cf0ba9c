//! Finds the parts of a page that are posts, and not teasers of other pages with author and time.

use std::ops::Range;

use trommel_html::{Attribute, Block, Element, NONE, Page, Tag};
use url::Url;

use super::bylines::{MAX_LINE_WORDS, MarkKind, Marks, is_of_person};
use super::{kind, says_about_writer};
use crate::kept_flags::elements_of;

/// Class and id words of elements that hold a post, in several languages.
const POSTS: [&str; 19] = [
    "post", "posting", "postcontainer", "postbit", "message", "msg", "comment", "reply", "answer", "question", "entry",
    "hentry", "beitrag", "antwort", "kommentar", "commentaire", "comentario", "bericht", "reactie",
];
/// Maximum number of elements around a part of the page that may be added to the same post.
const MAX_GROWTH: usize = 16;
/// Number of candidate posts before and after one that are compared with it for a common template.
// Comparing all parts with each other would be quadratic on long threads.
const NEIGHBOURS: usize = 12;
/// Maximum number of elements with author or time in a possible post that are compared with those of others.
const MAX_MARKS: usize = 40;
/// Number of elements around a post's text that are searched for its author and time, if they are not in the element
/// that is marked as a post.
// Forums set writer and text side by side, in columns of one row.
const ANCESTORS: u8 = 3;
/// Minimum number of words of a dropped block that counts as the text of a post. Thus its author is not taken for that
/// of another post.
const MIN_DROPPED_WORDS: u32 = 8;

/// Part of a page that may be a post, with its own author or time.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Index range of the innermost elements that hold the text of the possible post with its author or time.
    pub(super) innermost: Range<u32>,
    /// Index range of the innermost elements together with the elements of the same post around them.
    pub(super) elements: Range<u32>,
    says_post: bool,
    is_kept: bool,
    /// True if the part lacks author or time, and is inside another part that has the missing one.
    is_half: bool,
}

impl Part {
    fn new(elements: Range<u32>) -> Self {
        Self { innermost: elements.clone(), elements, says_post: false, is_kept: false, is_half: false }
    }
}

/// Facts about the contents of an element, without the possible posts that were already found inside it.
#[derive(Clone, Copy, Debug, Default)]
struct ElementContents {
    has_text: bool,
    /// True if some of the text is kept.
    is_kept: bool,
    has_writer: bool,
    has_time: bool,
    /// Number of child elements that state author and time and have no text.
    labels: u32,
    /// Number of elements inside that are marked as a post and have text, but neither author nor time.
    unsigned: u32,
    /// Numbers of possible posts inside with an author but no time, and with a time but no author.
    halves: [u32; 2],
    /// Number of further enclosing elements that may still supply the missing author or time.
    around: u8,
}

impl ElementContents {
    fn add(&mut self, child: Self) {
        self.has_text |= child.has_text;
        self.is_kept |= child.is_kept;
        self.has_writer |= child.has_writer;
        self.has_time |= child.has_time;
        self.unsigned += child.unsigned;
        for (count, child) in self.halves.iter_mut().zip(child.halves) {
            *count += child;
        }
        self.around = self.around.max(child.around);
        self.labels += u32::from(child.is_label());
    }

    fn is_label(self) -> bool {
        self.has_writer && self.has_time && !self.has_text
    }

    /// Returns whether the element holds a text with its author and time, and not the texts of several people.
    fn is_whole(self) -> bool {
        let is_one = self.halves.iter().all(|halves| *halves < 2);
        self.has_text && self.has_writer && self.has_time && is_one
    }

    fn count_halves(self) -> usize {
        self.halves.iter().sum::<u32>() as usize
    }

    fn holds_halves(self) -> bool {
        self.halves != [0, 0]
    }
}

/// Finds the posts of a page as ranges of elements, in page order. One post may contain another.
pub(super) fn parts(page: &Page, html: &str, url: Option<&Url>, kept: &[bool], marks: &Marks) -> Vec<Part> {
    let mut parts = candidates(page, kept, marks);
    let teasers = Teasers { page, html, url, kept };
    parts.sort_by_key(|part| (part.innermost.start, std::cmp::Reverse(part.innermost.end)));
    grow(page, &mut parts);
    let are_teasers: Vec<bool> = parts.iter().map(|part| teasers.is_one(part)).collect();
    let count = are_teasers.iter().filter(|is_one| **is_one).count();
    // A post may begin with a link.
    // Mostly teasers: the page is a listing of articles, each with author and date.
    if 2 * count >= parts.len() {
        let mut are_teasers = are_teasers.into_iter();
        parts.retain(|_| are_teasers.next() != Some(true));
    }
    keep_repeated(page, marks, &mut parts);
    parts
}

/// Returns the contents of each element, without those of the elements inside it.
fn contents(page: &Page, kept: &[bool], marks: &Marks) -> Vec<ElementContents> {
    let mut inside = vec![ElementContents::default(); page.elements.len()];
    let labels = marks.is_label.iter();
    for ((block, kept), is_label) in page.blocks.iter().zip(kept).zip(labels) {
        // A line that begins with a link is not in the link.
        let around = page.container(block).map_or(NONE, |(at, _)| at);
        let Some(contents) = inside.get_mut(around as usize) else { continue };
        let is_long = block.words >= MIN_DROPPED_WORDS && block.link_density() < 0.5;
        let is_heading =
            block.words <= MAX_LINE_WORDS && page.element(around).is_some_and(|element| element.tag.is_heading());
        if !is_label && !is_heading && (*kept || is_long) {
            contents.has_text = true;
            contents.is_kept |= *kept;
        }
    }
    for mark in &marks.all {
        if let Some(contents) = inside.get_mut(mark.element as usize) {
            match mark.about {
                MarkKind::Writer => contents.has_writer = true,
                MarkKind::Time => contents.has_time = true,
            }
        }
    }
    inside
}

/// Returns the possible posts: parts with text, author and time, and parts marked as posts with only author or time.
fn candidates(page: &Page, kept: &[bool], marks: &Marks) -> Vec<Part> {
    let mut inside = contents(page, kept, marks);
    let mut found: Vec<Part> = Vec::new();
    // Places in those of the halves that may become one with what is around them.
    let mut open: Vec<usize> = Vec::new();
    for (at, element) in page.elements.iter().enumerate().rev() {
        let at = at as u32;
        let Some(mut contents) = inside.get(at as usize).copied() else { continue };
        let is_about_writer = says_about_writer(page, element);
        contents.has_text &= !is_about_writer;
        let says_post = !is_about_writer && says_post(page, element);
        if contents.labels > 1 && contents.has_text {
            let rows = rows(page, at, element, &inside);
            if rows.len() > 1 {
                found.extend(rows);
                open.truncate(open.len().saturating_sub(contents.count_halves()));
                contents = ElementContents::default();
            }
        }
        let says = says_post || contents.unsigned > 0 || contents.holds_halves();
        let part = Part { says_post: says, is_kept: contents.is_kept, ..Part::new(at..element.end) };
        let is_page = matches!(element.tag, Tag::Body | Tag::Html);
        if contents.is_whole() && !is_page && (says_post || !holds_parts(&found, element)) {
            // Its halves are in it.
            let halves = contents.count_halves();
            for half in open.drain(open.len().saturating_sub(halves)..) {
                if let Some(half) = found.get_mut(half) {
                    half.is_half = true;
                }
            }
            found.push(part);
            contents = ElementContents::default();
        } else if contents.count_halves() > 1 || contents.holds_halves() && contents.around == 0 {
            // They stay alone.
            let halves = contents.count_halves();
            open.truncate(open.len().saturating_sub(halves));
            contents = ElementContents::default();
        } else if contents.holds_halves() {
            contents.around -= 1;
        } else if contents.has_text
            && contents.has_writer != contents.has_time
            && (says_post || contents.unsigned == 1 && contents.around > 0)
        {
            open.push(found.len());
            found.push(part);
            contents.halves[usize::from(contents.has_time)] = 1;
            contents.around = ANCESTORS;
        } else if says_post && contents.has_text && contents.unsigned == 0 {
            (contents.unsigned, contents.around) = (1, ANCESTORS);
        } else {
            contents.around = contents.around.saturating_sub(1);
        }
        if let Some(place) = inside.get_mut(at as usize) {
            *place = contents;
        }
        if let Some(parent) = inside.get_mut(element.parent as usize) {
            parent.add(contents);
        }
    }
    found.retain(|part| !part.is_half);
    found
}

/// Returns whether an element holds at least two of the possible posts `found`, which are in reverse page order.
fn holds_parts(found: &[Part], element: &Element) -> bool {
    let inside = |part: &Part| part.innermost.start < element.end;
    found.len() > 1 && found.iter().rev().take(2).all(inside)
}

/// Returns whether the class or id of an element marks it as a post, also by an ending as in `blockpost`.
fn says_post(page: &Page, element: &Element) -> bool {
    let words = page.attribute_words(element).iter();
    let mut words = words.filter(|word| word.attribute != Attribute::Role);
    words.any(|word| {
        let word = page.word_text(word);
        POSTS.contains(&word) || word.ends_with("post") || word.ends_with("comment")
    })
}

/// Returns the posts among sibling rows: each begins with a row that states author and time, up to the next such row.
fn rows(page: &Page, at: u32, element: &Element, inside: &[ElementContents]) -> Vec<Part> {
    let mut rows: Vec<Part> = Vec::new();
    let mut open: Option<Part> = None;
    let mut child = at + 1;
    while child < element.end {
        let Some(element) = page.element(child) else { break };
        let state = inside.get(child as usize).copied().unwrap_or_default();
        if state.is_label() {
            rows.extend(open.take().filter(|part| part.says_post));
            open = Some(Part::new(child..element.end));
        } else if let Some(part) = &mut open {
            part.innermost.end = element.end;
            part.elements.end = element.end;
            // Until it is complete, this says that it has text.
            part.says_post |= state.has_text;
            part.is_kept |= state.is_kept;
        }
        child = element.end.max(child + 1);
    }
    rows.extend(open.filter(|part| part.says_post));
    rows
}

/// Extends each candidate post to the elements around it that hold no other candidate.
fn grow(page: &Page, parts: &mut [Part]) {
    let starts: Vec<u32> = parts.iter().map(|part| part.innermost.start).collect();
    for part in parts {
        let others = |range: Range<u32>| {
            let from = starts.partition_point(|start| *start < range.start);
            let to = starts.partition_point(|start| *start < range.end);
            to - from
        };
        let inside = others(part.innermost.clone());
        let Some(first) = page.element(part.innermost.start) else { continue };
        if first.end != part.innermost.end {
            continue;
        }
        // The element that says to be a post may hold others, behind its own text.
        let mut around = page.path(part.innermost.start).skip(1).take(ANCESTORS.into());
        part.says_post |= around.any(|(at, element)| {
            let is_first = others(at..part.innermost.start) == 0;
            is_first && !says_about_writer(page, element) && says_post(page, element)
        });
        for (at, around) in page.path(part.innermost.start).skip(1).take(MAX_GROWTH) {
            if matches!(around.tag, Tag::Body | Tag::Html) || others(at..around.end) > inside {
                break;
            }
            part.elements = at..around.end;
        }
    }
}

/// Features of an element that are equal for all elements of one template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PartKind<'a> {
    name: &'a str,
    class: &'a str,
    /// Index of the parent element, which must be equal for elements without a class. Unused for others.
    around: u32,
}

impl<'a> PartKind<'a> {
    fn of(page: &'a Page, at: u32) -> Option<Self> {
        let element = page.element(at)?;
        let (name, class) = kind(page, element);
        Some(Self { name, class, around: if class.is_empty() { element.parent } else { NONE } })
    }
}

/// Features of the candidate posts of a page by which posts are recognised as made by one template.
#[derive(Debug)]
struct Kinds<'a> {
    /// Template of each candidate post's innermost element, and of the outermost element that belongs to it alone.
    of_part: Vec<[Option<PartKind<'a>>; 2]>,
    /// Names of the authors in each candidate post.
    writers: Vec<Vec<&'a str>>,
    /// Kinds and template hashes of the elements with author or time, for each possible post.
    shapes: Vec<Vec<(MarkKind, u64)>>,
}

impl<'a> Kinds<'a> {
    fn new(page: &'a Page, marks: &'a Marks, parts: &[Part]) -> Self {
        let of_part =
            parts.iter().map(|part| [part.innermost.start, part.elements.start].map(|at| PartKind::of(page, at)));
        let within = |part: &Part| marks.within(&part.elements).iter().take(MAX_MARKS);
        let writers = parts.iter().map(|part| {
            let writers = within(part).filter(|mark| mark.about == MarkKind::Writer);
            writers.map(|mark| mark.value.as_str()).collect()
        });
        let shapes = parts.iter().map(|part| within(part).map(|mark| (mark.about, mark.shape)).collect());
        Self { of_part: of_part.collect(), writers: writers.collect(), shapes: shapes.collect() }
    }

    /// Returns whether the candidate posts `one` and `other` share a template and have different authors.
    fn are_alike(&self, one: usize, other: usize) -> bool {
        let (Some(one_kind), Some(other_kind)) = (self.of_part.get(one), self.of_part.get(other)) else { return false };
        let is_of_kind = one_kind.iter().zip(other_kind).any(|(one, other)| one == other);
        let (Some(names), Some(others)) = (self.writers.get(one), self.writers.get(other)) else { return false };
        let (Some(shapes), Some(other_shapes)) = (self.shapes.get(one), self.shapes.get(other)) else { return false };
        let share = |about: MarkKind| {
            let mut candidates = shapes.iter().filter(|shape| shape.0 == about);
            candidates.any(|shape| other_shapes.contains(shape))
        };
        // By different people, since one author's articles in a list share their template as well.
        is_of_kind
            && others.iter().any(|name| !names.contains(name))
            && share(MarkKind::Writer)
            && share(MarkKind::Time)
    }
}

/// Retains the parts that are marked as posts, and those with a similar part nearby by another author.
fn keep_repeated(page: &Page, marks: &Marks, parts: &mut Vec<Part>) {
    let kinds = Kinds::new(page, marks, parts);
    let count = parts.len();
    let is_repeated = |at: usize| {
        // Neighbours first; what is alike stands together.
        let mut near = at.saturating_sub(NEIGHBOURS)..count.min(at + NEIGHBOURS + 1);
        near.any(|other| other != at && kinds.are_alike(at, other))
    };
    let repeated: Vec<bool> = (0..count).map(is_repeated).collect();
    let keep: Vec<bool> = parts.iter().zip(&repeated).map(|(part, repeated)| part.says_post || *repeated).collect();
    // One post alone is none, unless its like was left out.
    let with_text = |at: &usize| keep.get(*at) == Some(&true) && parts.get(*at).is_some_and(|part| part.is_kept);
    let mut kept = (0..count).filter(with_text);
    let (first, second) = (kept.next(), kept.next());
    if second.is_none() && first.is_none_or(|at| repeated.get(at) != Some(&true)) {
        // Otherwise an article with a byline would be a thread of one post.
        parts.clear();
        return;
    }
    let mut keep = keep.into_iter();
    parts.retain(|_| keep.next().unwrap_or_default());
}

/// Class and id words of elements with content of the page itself, which are no teasers.
const OWN_CONTENT: [&str; 14] = [
    "message", "msg", "comment", "comments", "reply", "replies", "answer", "postbit", "review", "antwort", "kommentar",
    "commentaire", "comentario", "reactie",
];
/// Maximum number of elements or lines of a part that are searched for its headline or first kept line.
const MAX_SEARCHED: usize = 80;
/// Minimum share of linked words of a line that is taken for a link.
const MIN_LINK_DENSITY: f32 = 0.7;

/// Recognises parts that are teasers of other pages instead of posts.
#[derive(Debug)]
pub(super) struct Teasers<'a> {
    pub(super) page: &'a Page,
    pub(super) html: &'a str,
    pub(super) url: Option<&'a Url>,
    pub(super) kept: &'a [bool],
}

impl Teasers<'_> {
    /// Returns whether a part is a teaser: its headline or its first line links to another page of the site.
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

    /// Returns the first kept block of a part.
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
        line.link_density() >= MIN_LINK_DENSITY
            && elements_of(self.page, line, 2).any(|element| self.leads_away(element))
    }

    /// Returns whether an element links to another page of the site that is not about a person.
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
