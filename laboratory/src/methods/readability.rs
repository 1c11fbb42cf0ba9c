//! Readability: a score for each element from the paragraphs in it (the Arc90 script of 2009 and its
//! successor, Mozilla's Readability.js), over the element table.
//!
//! Elements whose class, id or role is unlikely to hold content are left out. Every paragraph of 25
//! characters or more gives 1, plus 1 and 1 for each comma, plus up to 3 for its length in hundreds,
//! to its parent in full, to the grandparent by half, and to the three above by a third of the level.
//! An element starts with points for its name and its class weight. Scores are scaled by the share of
//! text outside of links. The best element is the article, or one further up: a common ancestor of
//! three near-equals, a parent that scores higher, a parent that holds nothing else. Siblings join by score
//! or as good paragraphs. Then what is clutter in the article goes. If fewer than 500 characters
//! are left, it all starts again without the unlikely rule, then without class weights, then without the
//! cleaning; the longest of the four is the last resort.
//!
//! Class lists and weights are those restated by dragnet; the lists of unlikely words and roles and the
//! numbers of the later steps are from memory of Readability.js. Left out, because the tables do not have
//! it: punctuation in class values (`-ad-`), inline styles other than hiding, bylines, `rel` and `src`,
//! embedded video, and size or role of data tables (a table with `th`, `caption` or like parts counts as
//! data). Link density is of words, not characters. Two line breaks make a paragraph because they end
//! a block.

mod clean;
mod facts;

use trommel_html::{Element, Page, Tag};

use crate::methods::method::{About, Method, MethodError};
use facts::{ReadabilityFacts, TextSums, counts};

/// Characters of the shortest paragraph that scores.
const PARAGRAPH: u32 = 25;
/// Elements up the path that a paragraph gives points to.
const LEVELS: usize = 5;
/// Candidates that may replace the best one by a common ancestor, and how many must agree.
const CANDIDATES: usize = 5;
const AGREE: usize = 3;
/// Share of the best score that these must reach.
const NEAR: f64 = 0.75;
/// Minimum score of a sibling that is added.
const SIBLING: f64 = 10.0;
/// Characters of an article that is long enough.
const ENOUGH: u64 = 500;

/// Keeps the article that a Readability-style score finds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Readability;

/// Rules of an attempt.
#[derive(Clone, Copy, Debug)]
struct Rules {
    strip: bool,
    class_weights: bool,
    clean: bool,
}

const ATTEMPTS: [Rules; 4] = [
    Rules { strip: true, class_weights: true, clean: true },
    Rules { strip: false, class_weights: true, clean: true },
    Rules { strip: false, class_weights: false, clean: true },
    Rules { strip: false, class_weights: false, clean: false },
];

impl Method for Readability {
    fn about(&self) -> &About {
        &About {
            name: "readability",
            line: "the element that paragraphs give the highest score, with its siblings",
            citation: "Arc90, Readability, 2009, and Mozilla, Readability.js; in part from memory, without what the tables lack",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let facts = ReadabilityFacts::new(page);
        let mut best = (vec![false; page.blocks.len()], 0);
        for rules in ATTEMPTS {
            let kept = Attempt::new(page, &facts, rules).run();
            let chars = page.blocks.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(b, _)| u64::from(b.chars)).sum();
            if chars >= ENOUGH {
                return Ok(kept);
            }
            if chars > best.1 {
                best = (kept, chars);
            }
        }
        Ok(best.0)
    }
}

struct Attempt<'a> {
    page: &'a Page,
    facts: &'a ReadabilityFacts,
    rules: Rules,
    /// Elements that are looked at.
    alive: Vec<bool>,
    counts: Vec<TextSums>,
    /// Scores of the candidates.
    scores: Vec<Option<f64>>,
}

impl<'a> Attempt<'a> {
    fn new(page: &'a Page, facts: &'a ReadabilityFacts, rules: Rules) -> Self {
        let mut alive: Vec<bool> = Vec::with_capacity(page.elements.len());
        for (element, unlikely) in page.elements.iter().zip(&facts.unlikely) {
            let around = alive.get(element.parent as usize).copied().unwrap_or(true);
            alive.push(around && !element.hidden && !(rules.strip && *unlikely));
        }
        let counts = counts(page, facts, &alive);
        let scores = vec![None; page.elements.len()];
        Self { page, facts, rules, alive, counts, scores }
    }

    fn run(mut self) -> Vec<bool> {
        self.score();
        let Some(top) = self.top() else {
            // Without a candidate the page is the article.
            let lives = |home: &u32| self.page.element(*home).is_none() || self.lives(*home);
            return self.facts.homes.iter().map(lives).collect();
        };
        let top = self.climb(top);
        let (mut chosen, own_text) = self.siblings(top);
        let mut inside: Vec<bool> = Vec::with_capacity(self.page.elements.len());
        for (element, at) in self.page.elements.iter().zip(0u32..) {
            let around = inside.get(element.parent as usize).copied().unwrap_or(false);
            let selected = chosen.next_if_eq(&at).is_some();
            let clutter = self.rules.clean
                && clean::is_clutter(self.page, self.facts, &self.counts, at, self.rules.class_weights);
            inside.push((selected || around && !clutter) && self.lives(at));
        }
        let kept = |(home, flag): (&u32, &bool)| *flag || inside.get(*home as usize).copied().unwrap_or(false);
        self.facts.homes.iter().zip(&own_text).map(kept).collect()
    }

    fn lives(&self, at: u32) -> bool {
        self.alive.get(at as usize).copied().unwrap_or(false)
    }

    fn of(&self, at: u32) -> TextSums {
        self.counts.get(at as usize).copied().unwrap_or_default()
    }

    /// Gives the points of every paragraph to the elements around it, then scales by link density.
    fn score(&mut self) {
        let page = self.page;
        for (element, at) in page.elements.iter().zip(0u32..) {
            let alone = element.tag == Tag::Div && !self.holds_blocks(at);
            if self.lives(at) && (alone || is_scored(element)) {
                let counts = self.of(at);
                self.paragraph(element.parent, counts.chars, counts.commas);
            }
        }
        for ((block, home), commas) in page.blocks.iter().zip(&self.facts.homes).zip(&self.facts.commas) {
            // Text beside block-level elements in a div is a paragraph by itself.
            let div = page.path(*home).find(|(_, element)| !element.tag.is_inline());
            if let Some((at, _)) = div.filter(|(at, element)| element.tag == Tag::Div && self.holds_blocks(*at))
                && self.lives(*home)
            {
                self.paragraph(at, block.chars, *commas);
            }
        }
        for (score, counts) in self.scores.iter_mut().zip(&self.counts) {
            if let Some(score) = score {
                *score *= 1.0 - counts.link_density();
            }
        }
    }

    fn holds_blocks(&self, at: u32) -> bool {
        self.facts.holds_blocks.get(at as usize).copied().unwrap_or(false)
    }

    fn paragraph(&mut self, parent: u32, chars: u32, commas: u32) {
        if chars < PARAGRAPH {
            return;
        }
        let points = 2.0 + f64::from(commas) + f64::from((chars / 100).min(3));
        for (level, (at, element)) in self.page.path(parent).take(LEVELS).enumerate() {
            let base = self.facts.base(at, element, self.rules.class_weights);
            if element.tag == Tag::Html {
                continue;
            }
            if let Some(score) = self.scores.get_mut(at as usize) {
                let part = match level {
                    0 => 1.0,
                    1 => 2.0,
                    level => level as f64 * 3.0,
                };
                *score = Some(score.unwrap_or(base) + points / part);
            }
        }
    }

    /// The candidate with the best score, the first of equals, or an ancestor that near-equals share.
    fn top(&self) -> Option<u32> {
        let mut best: Vec<(u32, f64)> = Vec::with_capacity(CANDIDATES + 1);
        for (at, score) in (0u32..).zip(&self.scores) {
            let Some(score) = score else {
                continue;
            };
            let place = best.iter().position(|(_, other)| score > other).unwrap_or(best.len());
            best.insert(place, (at, *score));
            best.truncate(CANDIDATES);
        }
        let ((top, score), others) = best.split_first()?;
        let near: Vec<u32> = others.iter().filter(|(_, other)| *other >= score * NEAR).map(|(at, _)| *at).collect();
        if near.len() < AGREE {
            return Some(*top);
        }
        let mut around = self.page.path(*top).skip(1).take_while(|(_, element)| !is_root(element));
        let shared = around
            .find(|(at, element)| near.iter().filter(|other| at < *other && **other < element.end).count() >= AGREE);
        Some(shared.map_or(*top, |(at, _)| at))
    }

    /// Goes up while the parent scores higher or holds nothing else.
    fn climb(&self, mut top: u32) -> u32 {
        let page = self.page;
        let score = |at: u32| self.scores.get(at as usize).copied().flatten();
        let top_score = score(top).unwrap_or_default();
        let mut last = top_score;
        for (at, _) in page.path(top).skip(1).take_while(|(_, element)| !is_root(element)) {
            let Some(score) = score(at) else {
                continue;
            };
            if score < top_score / 3.0 {
                break;
            }
            if score > last {
                top = at;
                break;
            }
            last = score;
        }
        while let Some((at, parent)) = page.path(top).nth(1) {
            let only = top == at + 1 && page.element(top).is_some_and(|element| element.end == parent.end);
            if is_root(parent) || !only {
                break;
            }
            top = at;
        }
        top
    }

    /// The top element and the siblings that join it, in order; and the blocks of the parent's own
    /// text that do.
    fn siblings(&self, top: u32) -> (std::iter::Peekable<std::vec::IntoIter<u32>>, Vec<bool>) {
        let page = self.page;
        let mut own_text = vec![false; page.blocks.len()];
        let Some((parent, around)) = page.path(top).nth(1) else {
            return (vec![top].into_iter().peekable(), own_text);
        };
        let best = self.scores.get(top as usize).copied().flatten().unwrap_or_default();
        let threshold = (best * 0.2).max(SIBLING);
        let signature = page.element(top).filter(|element| has_class(page, element)).map(|element| element.signature);
        let mut chosen = Vec::new();
        let mut at = parent + 1;
        while let Some(element) = page.element(at).filter(|_| at < around.end) {
            let bonus = if Some(element.signature) == signature { best * 0.2 } else { 0.0 };
            let score = self.scores.get(at as usize).copied().flatten();
            let joins = score.is_some_and(|score| score + bonus >= threshold)
                || is_paragraph(element, self.holds_blocks(at)) && {
                    let counts = self.of(at);
                    is_good(counts.chars, counts.link_density(), self.facts.ends_sentence(at))
                };
            if at == top || self.lives(at) && joins {
                chosen.push(at);
            }
            at = element.end.max(at + 1);
        }
        for ((block, home), flag) in page.blocks.iter().zip(&self.facts.homes).zip(&mut own_text) {
            *flag = *home == parent
                && around.tag == Tag::Div
                && is_good(block.chars, f64::from(block.link_density()), facts::ends_sentence(page.text(block)));
        }
        (chosen.into_iter().peekable(), own_text)
    }
}

fn is_root(element: &Element) -> bool {
    matches!(element.tag, Tag::Body | Tag::Html)
}

fn is_scored(element: &Element) -> bool {
    matches!(element.tag, Tag::Section | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 | Tag::P | Tag::Td | Tag::Pre)
}

fn is_paragraph(element: &Element, holds_blocks: bool) -> bool {
    element.tag == Tag::P || element.tag == Tag::Div && !holds_blocks
}

fn has_class(page: &Page, element: &Element) -> bool {
    page.attribute_words(element).iter().any(|token| token.attribute == trommel_html::Attribute::Class)
}

/// Returns whether a paragraph beside the article joins it: long with few links, or short without any and with the end
/// of a sentence.
fn is_good(chars: u32, link_density: f64, ends_sentence: bool) -> bool {
    if chars > 80 { link_density < 0.25 } else { chars > 0 && link_density == 0.0 && ends_sentence }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn read(html: &str) -> Page {
        ScanEngine.read(html, &Limits::default())
    }

    fn kept(html: &str) -> Vec<bool> {
        Readability.extract(&read(html)).unwrap()
    }

    /// A paragraph of 204 characters and 41 words with two commas.
    fn prose() -> String {
        format!("one, two, {} end.", "abcd ".repeat(38))
    }

    #[test]
    fn scores_are_those_of_the_rule() {
        let html = format!(
            "<body><div class=post><p>{0}</p><p>{0} <a href=x>abcd</a></p></div><div class=widget><p>{0}</p></div></body>",
            prose()
        );
        let page = read(&html);
        let facts = ReadabilityFacts::new(&page);
        let mut attempt = Attempt::new(&page, &facts, ATTEMPTS[0]);
        attempt.score();
        // A paragraph gives 2 + 2 commas + 2 hundreds = 6. First div: 5 + 25 + 6 + 6 = 42, scaled by 1 less
        // one linked word of 83. Second: 5 - 25 + 6 = -14. Body: (6 + 6 + 6) / 2 = 9 by 1 less 1 of 124.
        let words: Vec<u32> = page.blocks.iter().map(|block| block.words).collect();
        assert_eq!(words, [41, 42, 41]);
        let score = |at: usize| attempt.scores[at].unwrap();
        assert!((score(1) - 42.0 * 82.0 / 83.0).abs() < 1e-9, "{}", score(1));
        assert!((score(5) + 14.0).abs() < 1e-9, "{}", score(5));
        assert!((score(0) - 9.0 * 123.0 / 124.0).abs() < 1e-9, "{}", score(0));
        assert_eq!(attempt.top(), Some(1));
    }

    #[test]
    fn the_article_is_kept_with_its_siblings() {
        // The three paragraphs of the post make 612 characters: the first attempt is enough. Beside it,
        // a p of 204 characters joins, a short p with a full stop joins, one without and a linked one
        // do not; the sidebar is unlikely. In the article, the list of links has few commas and a
        // link density of 1: but a list by itself is judged by class, so it stays; the div with the
        // same is clutter.
        let html = format!(
            "<body><div class=sidebar><p>{0}</p></div><section><div class=post><p>{0}</p><p>{0}</p><p>{0}</p>\
             <ul><li><a href=x>more of it</a></ul><div><a href=y>share it</a></div></div>\
             <p>{0}</p><p>Short.</p><p>Short</p><p><a href=x>{0}</a></p></section></body>",
            prose()
        );
        assert_eq!(kept(&html), [false, true, true, true, true, false, true, true, false, false]);
    }

    #[test]
    fn a_parent_that_scores_higher_is_the_article() {
        // Each inner div has 5 + 6 = 11, main 3 + 3 = 6: above a third of 11, but not above 11. The other div
        // joins, as 11 is above 10.
        let part = format!("<main><div><p>{0}</p></div><div><p>{0}</p></div></main>", prose());
        assert_eq!(kept(&format!("<body>{part}<p>x</p></body>")), [true, true, false]);
        // A div around main has 5 and twice 6 / 6: its 7 is above the 6 of main, so it is the article.
        assert_eq!(kept(&format!("<body><div>{part}<p>y</p></div><p>x</p></body>")), [true, true, true, false]);
    }

    #[test]
    fn short_pages_are_tried_without_rules() {
        // Unlikely by its class and the only text: the second attempt finds it.
        assert_eq!(kept(&format!("<body><div class=menu><p>{}</p></div></body>", prose())), [true]);
        // No paragraph is long enough to score: the page is the article.
        assert_eq!(kept("<body><p>a</p></body>"), [true]);
        assert_eq!(kept("a"), [true]);
        assert!(kept("").is_empty());
        assert_eq!(kept("<p hidden>a</p><p>b</p>"), [false, true]);
    }
}
