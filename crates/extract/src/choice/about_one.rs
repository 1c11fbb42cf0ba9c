//! Keeps what belongs to a page about one thing: all of a short page's only article, and the facts about a product, an
//! event or a job.

use trommel_html::{Element, Page, Tag};

use crate::{kept::KeptBlocks as _, metadata::date_in};

/// Words of a page's only article of which doubtful blocks are text, at most.
const MAX_ARTICLE_WORDS: u32 = 300;
/// Words of a line that dates it, at most.
const MAX_BYLINE_WORDS: u32 = 12;

/// Elements around a block among which a button or a form is looked for.
const ANCESTORS: usize = 12;

/// Keeps the doubtful blocks around the text in a short page's only `article`, which holds its only first heading. What
/// was dropped between kept blocks may be an advertisement.
pub(crate) fn keep_article(page: &Page, headline: Option<usize>, kept: &mut [bool]) {
    let mut articles = (0u32..).zip(&page.elements).filter(|(_, element)| element.tag == Tag::Article);
    let (Some((article, element)), None) = (articles.next(), articles.next()) else { return };
    let mut headings = (0u32..).zip(&page.elements).filter(|(_, element)| element.tag == Tag::H1);
    let (Some((heading, _)), None) = (headings.next(), headings.next()) else { return };
    if !(article..element.end).contains(&heading) {
        return;
    }
    let inside = page.blocks_inside(article);
    let between = kept.iter().position(|kept| *kept).unwrap_or(0)..kept.iter().rposition(|kept| *kept).unwrap_or(0);
    let is_text = |at: usize| {
        let Some(block) = page.blocks.get(at) else { return false };
        let is_byline = block.words <= MAX_BYLINE_WORDS && date_in(page.text(block), false).is_some();
        let inside = page.inline(block).iter().filter_map(|at| page.element(*at));
        let mut elements = inside.chain(page.path(block.element).take(ANCESTORS).map(|(_, element)| element));
        !is_byline && !elements.any(|element| matches!(element.tag, Tag::Button | Tag::Form))
    };
    let is_elsewhere = kept.iter().enumerate().any(|(at, kept)| *kept && !inside.contains(&at));
    let words: u32 = page.blocks.get(inside.clone()).unwrap_or_default().iter().map(|block| block.words).sum();
    if !is_elsewhere && words <= MAX_ARTICLE_WORDS {
        kept.set(inside.filter(|at| Some(*at) != headline && !between.contains(at) && is_text(*at)), true);
    }
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
