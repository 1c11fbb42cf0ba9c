//! Chooses author, time and text of each post from the marks on the page.

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::{NONE, Page};

use super::bylines::{Mark, MarkKind, Marks};
use super::{candidates::Part, says_about_writer};
use crate::metadata::{date_in, says_month_first};

/// Maximum number of words of a line that only states the author or time of a post.
const MAX_LABEL_WORDS: u32 = 12;

/// Authors and times of the posts of a page, chosen among the elements that state one of them.
#[derive(Debug)]
pub(super) struct Signing<'a> {
    page: &'a Page,
    /// Index of the innermost post around each element, one entry per element; `NONE` outside of posts.
    post_of: Vec<u32>,
    /// Chosen elements of each post: that which states the author, and that which states the time.
    chosen: Vec<[Option<&'a Mark>; 2]>,
    month_first: bool,
}

/// Rank of an element that states author or time, compared from left to right: whether it has a value, whether values
/// differ between posts, the number of posts with such an element, and its certainty.
// A tuple, so that comparing two marks weighs these in this order.
type MarkRank = (bool, bool, u32, u8);

impl<'a> Signing<'a> {
    pub(super) fn new(page: &'a Page, marks: &'a Marks, parts: &[Part], month_first: bool) -> Self {
        let post_of = post_of(page, parts);
        let mut marks_of_posts: Vec<Vec<&Mark>> = vec![Vec::new(); parts.len()];
        for mark in &marks.all {
            let post = post_of.get(mark.element as usize).copied().unwrap_or(NONE);
            if let Some(post_marks) = marks_of_posts.get_mut(post as usize) {
                post_marks.push(mark);
            }
        }
        let spread = spread(&marks_of_posts);
        let choose = |marks: &[&'a Mark], about: MarkKind| {
            let mut best: Option<(&'a Mark, MarkRank)> = None;
            for mark in marks.iter().filter(|mark| mark.about == about) {
                let (posts, varies) = spread.get(&(about, mark.shape)).copied().unwrap_or_default();
                // What is the same in every post ("View profile") is no name.
                // Two posts of one minute have the same time; two with one name may be by one person, but not all.
                let varies = varies || about == MarkKind::Time;
                if !varies && mark.strength < 2 {
                    continue;
                }
                let worth = (!mark.value.is_empty(), varies, posts, mark.strength);
                if best.is_none_or(|(_, found)| worth > found) {
                    best = Some((*mark, worth));
                }
            }
            best.map(|(mark, _)| mark)
        };
        let chosen: Vec<[Option<&Mark>; 2]> = marks_of_posts
            .iter()
            .map(|marks| [MarkKind::Writer, MarkKind::Time].map(|about| choose(marks, about)))
            .collect();
        // One date of the thread that leaves no doubt decides for all: a program writes all dates alike.
        let mut times = chosen.iter().filter_map(|pair| pair[1]);
        let told = times.find_map(|time| says_month_first(&time.value));
        Self { page, post_of, chosen, month_first: told.unwrap_or(month_first) }
    }

    /// Returns the author and the time of the post with index `post`.
    pub(super) fn of(&self, post: usize) -> (Option<String>, Option<String>) {
        let [writer, time] = self.chosen.get(post).copied().unwrap_or_default();
        let published = time.and_then(|time| date_in(&time.value, self.month_first));
        (writer.map(|writer| writer.value.clone()), published)
    }

    /// Returns, for each element, whether it describes the author inside a post.
    fn about_writer(&self) -> Vec<bool> {
        let mut about_writer = Vec::with_capacity(self.page.elements.len());
        for (at, element) in self.page.elements.iter().enumerate() {
            let post = self.post_of.get(at);
            let is_within = post.is_some() && post == self.post_of.get(element.parent as usize);
            let around = about_writer.get(element.parent as usize).copied();
            let is_about_writer = around.unwrap_or_default() || says_about_writer(self.page, element);
            about_writer.push(is_within && is_about_writer);
        }
        about_writer
    }

    /// Returns the kept blocks of each post in two lists: the text, and the labels that only state its author or time.
    pub(super) fn texts(&self, kept: &[bool]) -> Vec<[Vec<u32>; 2]> {
        let about_writer = self.about_writer();
        let mut texts = vec![[const { Vec::new() }; 2]; self.chosen.len()];
        for (at, (block, kept)) in (0u32..).zip(self.page.blocks.iter().zip(kept)) {
            // A line that begins with a name is not in the name.
            let around = self.page.container(block).map_or(NONE, |(at, _)| at);
            let post = self.post_of.get(around as usize).copied();
            let is_about_writer = about_writer.get(around as usize) == Some(&true);
            let Some(post) = post.filter(|_| *kept) else { continue };
            let Some(chosen) = self.chosen.get(post as usize) else { continue };
            let holds = |mark: &&Mark| {
                let element = self.page.element(mark.element);
                let around = element.map_or(0..0, |element| mark.element..element.end);
                let is_in = around.contains(&block.element) && around.len() <= MAX_LABEL_WORDS as usize;
                is_in || self.page.inline(block).contains(&mark.element)
            };
            let is_label = is_about_writer || block.words <= MAX_LABEL_WORDS && chosen.iter().flatten().any(holds);
            if let Some([text, labels]) = texts.get_mut(post as usize) {
                if is_label { labels.push(at) } else { text.push(at) }
            }
        }
        texts
    }
}

/// Returns, for each template of elements with author or time, the number of posts with one and whether its values
/// differ. Those in every post tell its author or time, unlike "last edited by".
fn spread(posts: &[Vec<&Mark>]) -> FxHashMap<(MarkKind, u64), (u32, bool)> {
    let mut first: FxHashMap<(MarkKind, u64), &str> = FxHashMap::default();
    let mut spread: FxHashMap<(MarkKind, u64), (u32, bool)> = FxHashMap::default();
    for marks in posts {
        let mut known: FxHashSet<(MarkKind, u64)> = FxHashSet::default();
        for mark in marks {
            let shape = (mark.about, mark.shape);
            if !known.insert(shape) {
                continue;
            }
            let (posts, varies) = spread.entry(shape).or_default();
            *posts += 1;
            *varies |= *first.entry(shape).or_insert(&mark.value) != mark.value;
        }
    }
    spread
}

/// Returns the index of the innermost post around each element. Outer posts precede the posts inside them in `parts`.
fn post_of(page: &Page, parts: &[Part]) -> Vec<u32> {
    let mut post_of = Vec::with_capacity(page.elements.len());
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut next = (0u32..).zip(parts).peekable();
    for at in 0..page.elements.len() as u32 {
        while open.last().is_some_and(|(_, end)| *end <= at) {
            open.pop();
        }
        while let Some((post, part)) = next.next_if(|(_, part)| part.elements.start <= at) {
            open.push((post, part.elements.end));
        }
        post_of.push(open.last().map_or(NONE, |(post, _)| *post));
    }
    post_of
}
