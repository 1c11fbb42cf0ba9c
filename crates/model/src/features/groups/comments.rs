//! Computes the features of readers' comments.
//!
//! Comments are in parts of a page whose `id` or `class` says so, or follow a heading with their number. They are
//! compared with the prose outside of them.

use std::sync::LazyLock;

use trommel_html::{Attribute, AttributeWord, HeadingIds, NONE, Page, Tag};
use trommel_text::word_hash;

use crate::features::groups::Fill;
use crate::features::log::{flag, log};
use crate::features::scratch::{Scratch, count_work};
use crate::{features::facts::PageFacts, features::hashes::HashTable};

pub(super) const NAMES: [&str; 8] = [
    "comments.inside", "comments.near", "comments.log_prose_outside", "comments.share", "comments.top_is_one",
    "comments.inside_beside_prose", "comments.after_region", "comments.log_regions",
];

/// Attribute words that name comment sections, in several languages.
// Class names of the comment sections of common blog and news systems; a list, because what they hold looks like prose.
const TOKENS: [&str; 30] = [
    "comment", "comments", "commentlist", "commenttext", "commentbody", "commentaires", "commentaire", "comentarios",
    "comentario", "comentarii", "commenti", "commento", "kommentar", "kommentare", "kommentarer", "komentarz",
    "komentarze", "komentarzy", "komentar", "koment", "reacties", "reactie", "disqus", "disquscomments", "discussion",
    "replies", "opinie", "opinia", "kommentarii", "respond",
];

/// Hashes of the attribute words that name comment sections, to rule out most other words quickly.
static HASHES: LazyLock<HashTable<()>> = LazyLock::new(|| {
    let mut hashes = HashTable::default();
    // By hash first: comparing each word of a page with thirty texts would cost more than the rest of the group.
    hashes.reserve(2 * TOKENS.len());
    for token in TOKENS {
        hashes.entry(word_hash(token.as_bytes()));
    }
    hashes
});

/// Maximum number of words in a heading that begins a comment section; most such headings repeat the page's title.
const MAX_HEADING_WORDS: u32 = 24;

/// Words that mark headings of comment sections, in addition to those that also occur in attributes.
const WORDS: [&str; 16] = [
    "评论", "評論", "コメント", "댓글", "комментарии", "комментариев", "комментария", "комментарий", "коментарі",
    "yorum", "yorumlar", "σχόλια", "komentáře", "kommenttia", "thoughts", "responses",
];

/// Returns the comment section that a heading such as `5 comments` begins: the innermost element around the heading
/// that contains prose, but not the page's headline. If there is none, returns the element that follows the outermost
/// one around the heading without the headline.
fn headed(page: &Page, headline: u32, prose_inside: impl Fn(u32) -> u32) -> Option<u32> {
    let headings = page.blocks.iter().filter(|block| block.words <= MAX_HEADING_WORDS && block.element > headline);
    headings.filter(|block| page.container(block).is_some_and(|(_, element)| element.tag.is_heading())).find_map(
        |block| {
            if !counts_comments(page.text(block)) {
                return None;
            }
            let (mut at, _) = page.container(block)?;
            loop {
                let element = page.element(at)?;
                let parent = page.element(element.parent)?;
                let holds_headline = (element.parent..parent.end).contains(&headline);
                if holds_headline || matches!(parent.tag, Tag::Body | Tag::Main) {
                    return Some(element.end).filter(|next| *next < parent.end && prose_inside(*next) > 0);
                }
                at = element.parent;
                if prose_inside(at) > 0 {
                    return Some(at);
                }
            }
        },
    )
}

/// Returns whether a text begins with the number of comments ("5 comments", "comments 5") or only says "comments".
fn counts_comments(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let says = |word: &str| TOKENS.contains(&word) || WORDS.contains(&word);
    let Some(first) = words.next() else { return false };
    match words.next() {
        Some(second) if is_number(first) => says(second),
        Some(second) => says(first) && is_number(second),
        None => says(first),
    }
}

pub(super) fn comments<'a>(facts: &'a PageFacts<'a>) -> Fill<'a> {
    let sections = Sections::new(facts);
    Box::new(move |_, out| match out.is_next_alone() {
        // Asked for all blocks, and the others for some.
        true => out.put(|at| flag(sections.has(facts.page, Some(at)))),
        false => out.put_rows(|at| sections.features(facts.page, at)),
    })
}

/// Comment sections of a page.
#[derive(Clone, Debug, Default)]
struct Sections {
    /// Index, for each element of the page, of the outermost comment section that it is in, or [`NONE`].
    region: Scratch<u32>,
    regions: u32,
    prose_inside: u32,
    prose: u32,
    top_inside: bool,
    first: usize,
}

impl Sections {
    fn new(facts: &PageFacts) -> Self {
        let PageFacts { page, elements, prose, outline, .. } = facts;
        let prose_inside = |element: u32| {
            let sum = elements.paths.of_element(element).and_then(|at| elements.sums.get(at as usize));
            sum.map_or(0, |sum| sum.prose)
        };
        // Without a headline NONE is larger than any element, so nothing holds it.
        let headline = outline.headline.and_then(|at| page.blocks.get(at)).map_or(NONE, |block| block.element);
        let mut found = Self { prose: prose.total, first: usize::MAX, ..Self::default() };
        let hashes = &*HASHES;
        let is_named =
            |token: &AttributeWord| hashes.get(token.hash).is_some() && TOKENS.contains(&page.word_text(token));
        count_work(page.attribute_words.len());
        // Most pages have no section that is named so.
        if !page.attribute_words.iter().any(is_named) {
            if let Some(at) = headed(page, headline, prose_inside) {
                found.take(at, page, prose_inside(at), prose.top_element);
            }
            return found;
        }
        // A section on a discussion is no discussion: its id repeats its heading.
        let of_headings = HeadingIds::new(page);
        let names = |at: u32, token: &AttributeWord| {
            is_named(token) && !(token.attribute == Attribute::Id && of_headings.contains(at))
        };
        found.region = Scratch::with_capacity(page.elements.len());
        for (at, element) in (0u32..).zip(&page.elements) {
            count_work(1 + page.attribute_words(element).len());
            let above = found.region.get(element.parent as usize).copied().unwrap_or(NONE);
            // What holds the headline holds the page, whatever it is called (`class="no-comments"`).
            // Only the outermost counts: each comment in a section is named like the section.
            let is_one = above == NONE
                && !element.tag.is_inline()
                && !matches!(element.tag, Tag::Html | Tag::Body | Tag::Main)
                && !(at..element.end).contains(&headline)
                && page.attribute_words(element).iter().any(|token| names(at, token));
            if is_one {
                found.regions += 1;
                found.prose_inside += prose_inside(at);
                found.top_inside |= (at..element.end).contains(&prose.top_element);
            }
            found.region.push(if is_one { at } else { above });
        }
        found.first = page.blocks.iter().position(|block| found.contains(block.element)).unwrap_or(usize::MAX);
        found
    }

    /// Records the element at index `at` as the only comment section of a page.
    fn take(&mut self, at: u32, page: &Page, prose_inside: u32, top: u32) {
        let section = at..page.element(at).map_or(at, |element| element.end);
        let elements = 0..page.elements.len() as u32;
        self.region.extend(elements.map(|element| if section.contains(&element) { at } else { NONE }));
        (self.regions, self.prose_inside, self.top_inside) = (1, prose_inside, section.contains(&top));
        self.first = page.blocks.iter().position(|block| self.contains(block.element)).unwrap_or(usize::MAX);
    }

    /// Returns whether an element is a comment section or inside of one.
    fn contains(&self, element: u32) -> bool {
        self.region.get(element as usize).is_some_and(|region| *region != NONE)
    }

    /// Returns whether the block at index `at` is inside a comment section.
    fn has(&self, page: &Page, at: Option<usize>) -> bool {
        at.and_then(|at| page.blocks.get(at)).is_some_and(|block| self.contains(block.element))
    }

    fn features(&self, page: &Page, at: usize) -> [f32; NAMES.len()] {
        let inside = |at: Option<usize>| self.has(page, at);
        let is_inside = inside(Some(at));
        // Comments are content where there is no other prose, as in a forum, so both amounts are features.
        let outside = self.prose.saturating_sub(self.prose_inside);
        let share = self.prose_inside as f32 / self.prose.max(1) as f32;
        [
            flag(is_inside),
            flag(inside(at.checked_sub(1)) || inside(Some(at + 1))),
            log(outside),
            share,
            flag(self.top_inside),
            if is_inside { log(outside) } else { 0.0 },
            flag(!is_inside && at > self.first),
            log(self.regions),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::groups::FeatureGroup;
    use crate::features::lexicon::Lexicon;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn comments_are_told_from_what_is_only_called_so() {
        let page = ScanEngine.read(
            "<body class=comments-open><article class='post no-comments'><h1>Title</h1><p>The story itself is told here, in prose.</p></article>\
             <div id=comments><div class=comment><p>I do not agree with any of this at all.</p></div></div><p>End</p>",
            &Limits::default(),
        );
        let lexicon = Lexicon::new(&[], &[], &[]);
        let facts = PageFacts::new(&page, None, &lexicon, FeatureGroup::Comments.group().needs);
        let comments = Sections::new(&facts);
        let inside: Vec<f32> = (0..4).map(|at| comments.features(&page, at)[0]).collect();
        assert_eq!(inside, [0.0, 0.0, 1.0, 0.0]);
        let third = comments.features(&page, 2);
        assert_eq!(third[2], log(8u32));
        // Ten words of 18: the comment counts whole.
        assert_eq!(third[3], 10.0 / 18.0);
        assert_eq!(comments.features(&page, 3)[6], 1.0);
        assert_eq!(third[7], log(1u32));
    }

    #[test]
    fn an_id_made_from_a_heading_names_no_comments() {
        let html = "<body><h1>Paper</h1><section id=methods><h2>Methods</h2><p>a</p></section>\
                    <section id=results-discussion><h2>Results &amp; Discussion</h2><p>b</p></section>\
                    <section id=outlook><h2>Outlook</h2><p>c</p></section>";
        let regions = |html: &str| {
            let page = ScanEngine.read(html, &Limits::default());
            let lexicon = Lexicon::new(&[], &[], &[]);
            Sections::new(&PageFacts::new(&page, None, &lexicon, FeatureGroup::Comments.group().needs)).regions
        };
        assert_eq!(regions(html), 0);
        let class = html.replace("id=results-discussion", "class=discussion");
        assert_eq!(regions(&class), 1);
        let lone = "<h1>Paper</h1><p>a</p><div id=comments><h3>Comments</h3><p>b</p></div>";
        assert_eq!(regions(lone), 1);
    }

    #[test]
    fn a_heading_with_their_number_begins_comments() {
        let sections = |heading: &str, around: [&str; 2]| {
            let html = format!(
                "<body><article><h1>Mill</h1><p>The story itself is told here, in prose.</p></article>{}{heading}{}\
                 <ol><li><p>I do not agree with any of this, and say so.</p></ol></div><p>End",
                around[0], around[1]
            );
            let page = ScanEngine.read(&html, &Limits::default());
            let lexicon = Lexicon::new(&[], &[], &[]);
            let sections = Sections::new(&PageFacts::new(&page, None, &lexicon, FeatureGroup::Comments.group().needs));
            let inside = (0..page.blocks.len()).filter(|at| sections.has(&page, Some(*at)));
            inside.map(|at| page.text(&page.blocks[at]).chars().take(6).collect()).collect::<Vec<String>>()
        };
        let in_part = ["<div>", ""];
        for heading in ["59 Comments on “Mill”", "Comments", "Comments (3)", "3 комментария", "2 thoughts on Mill"]
        {
            let heading = format!("<h3>{heading}</h3>");
            let start: String = heading[4..].chars().take(6).collect();
            assert_eq!(sections(&heading, in_part).len(), 2, "{heading}");
            assert!(start.starts_with(&sections(&heading, in_part)[0]), "{heading}");
        }
        // Beside the text the element behind the heading holds them.
        assert_eq!(sections("<h3>59 Comments</h3>", ["", "<div>"]), ["I do n"]);
        for other in ["<p>59 Comments</p>", "<h3>Comments on the new law</h3>", "<h3>59 mills</h3>", "<h3>More</h3>"] {
            assert!(sections(other, in_part).is_empty(), "{other}");
        }
    }
}
