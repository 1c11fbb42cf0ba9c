//! Keeps what belongs to a page about one thing: all of a short page's only article, and the facts about a product, an
//! event or a job.

use std::ops::Range;

use trommel_html::{Element, Page, Tag};

use crate::kept::{KeptBlocks as _, elements_of, kept_words};
use crate::metadata::date_in;

/// Words of a page's only article of which doubtful blocks are text, at most.
const MAX_ARTICLE_WORDS: u32 = 300;
/// Words of notes on it, at most.
const MAX_NOTE_WORDS: u32 = 150;
/// Words of a line that dates it, at most.
const MAX_BYLINE_WORDS: u32 = 12;

/// Elements around a block among which a button or a form is looked for.
const ANCESTORS: usize = 12;

/// Keeps the doubtful blocks around the text in a short page's only `article`, which holds its only first heading. What
/// was dropped between kept blocks may be an advertisement.
pub(crate) fn keep_article(page: &Page, headline: Option<usize>, kept: &mut [bool]) {
    let Some(article) = short_article(page) else { return };
    let between = kept.iter().position(|kept| *kept).unwrap_or(0)..kept.iter().rposition(|kept| *kept).unwrap_or(0);
    let is_elsewhere = kept.iter().enumerate().any(|(at, kept)| *kept && !article.contains(&at));
    if !is_elsewhere {
        let around = article.filter(|at| Some(*at) != headline && !between.contains(at));
        kept.set(around.filter(|at| is_article_text(page, *at)), true);
    }
}

/// Keeps a short page's only `article` in place of a few kept words that all stand outside of it, as notes on the
/// article do.
pub(crate) fn keep_main_article(page: &Page, kept: &mut [bool]) {
    // First, as most texts are longer.
    if !(1..=MAX_NOTE_WORDS).contains(&kept_words(page, kept)) {
        return;
    }
    let Some(article) = short_article(page) else { return };
    let is_inside = kept.get(article.clone()).is_some_and(|kept| kept.contains(&true));
    if !is_inside {
        kept.fill(false);
        kept.keep(article.filter(|at| is_article_text(page, *at)));
    }
}

/// The blocks of a page's only `article` if it is short and holds the page's only first heading.
fn short_article(page: &Page) -> Option<Range<usize>> {
    let mut articles = (0u32..).zip(&page.elements).filter(|(_, element)| element.tag == Tag::Article);
    let (Some((article, element)), None) = (articles.next(), articles.next()) else { return None };
    let mut headings = (0u32..).zip(&page.elements).filter(|(_, element)| element.tag == Tag::H1);
    let (Some((heading, _)), None) = (headings.next(), headings.next()) else { return None };
    let inside = page.blocks_inside(article);
    let words: u32 = page.blocks.get(inside.clone()).unwrap_or_default().iter().map(|block| block.words).sum();
    ((article..element.end).contains(&heading) && words <= MAX_ARTICLE_WORDS).then_some(inside)
}

/// Returns whether a block of an article is neither in a button or a form nor the line that dates it.
fn is_article_text(page: &Page, at: usize) -> bool {
    let Some(block) = page.blocks.get(at) else { return false };
    let is_byline = block.words <= MAX_BYLINE_WORDS && date_in(page.text(block), false).is_some();
    !is_byline && !elements_of(page, block, ANCESTORS).any(|element| matches!(element.tag, Tag::Button | Tag::Form))
}

/// Words of a fact, at most.
const MAX_FACT_WORDS: u32 = 30;
/// Names of elements with the number and the kinds of a product.
const FACTS: [&str; 2] = ["meta", "sku"];
/// Elements around a fact in which its row or its name is looked for.
const FACT_ANCESTORS: usize = 3;

/// Keeps doubtful facts beside the text about a product, an event or a job: its name, its number, rows of a head and a
/// cell.
pub(crate) fn keep_facts(page: &Page, headline: Option<usize>, in_comments: &[bool], kept: &mut [bool]) {
    if !kept.contains(&true) {
        return;
    }
    let is_head = |element: &Element| matches!(element.tag, Tag::Th | Tag::Dt);
    let is_fact = |(_, element): (u32, &Element)| {
        let row = page.element(element.parent).filter(|row| row.tag == Tag::Tr);
        let has_head = || row.is_some() && page.element(element.parent + 1).is_some_and(is_head);
        is_head(element)
            || element.tag == Tag::Dd
            || element.tag == Tag::Td && has_head()
            || page.is_named_as(element, &FACTS)
    };
    let facts = page.blocks.iter().enumerate().filter(|(at, block)| {
        let is_short = block.words <= MAX_FACT_WORDS && in_comments.get(*at) != Some(&true);
        is_short && (Some(*at) == headline || page.path(block.element).take(FACT_ANCESTORS).any(is_fact))
    });
    let facts: Vec<usize> = facts.map(|(at, _)| at).collect();
    kept.set(facts, true);
}
