//! Decides about what stands around the text of a page and amid it: a paragraph at its end in a container of its own,
//! boxes between its paragraphs, teasers behind it.

use std::ops::Range;

use rustc_hash::FxHashMap;
use trommel_html::{ElementKinds, Page, Tag};

use crate::kept::KeptBlocks as _;

/// Words of a paragraph that ends a text, at least.
const MIN_WORDS: u32 = 10;
/// Share of links in it, at most.
const MAX_LINKS: f32 = 0.3;
/// Its probability at least, behind the text and before it.
// On 4,029 pages of eight sets 46 pages change, 18 for the better, and no mean F1 falls by more than .0007; paragraphs
// moved there have .1 to .5 on most pages.
const LEAST: (f32, f32) = (0.1, 0.25);
/// Probability of the text beside it, at least.
const LEAST_BESIDE: f32 = 0.5;
const SENTENCE_ENDS: [char; 15] =
    ['.', '!', '?', '…', '"', '\'', ')', '”', '’', '»', '\u{3002}', '\u{ff01}', '\u{ff1f}', '」', '』'];

/// Keeps a paragraph of sentences in another element directly after the last kept paragraph, and one directly before
/// the first, that are not unlikely: a text whose last paragraph stands in a container of its own goes on to its end.
pub(super) fn keep_ends(page: &Page, probabilities: &[f32], in_comments: &[bool], kept: &mut [bool]) {
    let probability = |at: usize| probabilities.get(at).copied().unwrap_or_default();
    let (Some(first), Some(last)) = (kept.iter().position(|kept| *kept), kept.iter().rposition(|kept| *kept)) else {
        return;
    };
    for (beside, at, least) in [(last, Some(last + 1), LEAST.0), (first, first.checked_sub(1), LEAST.1)] {
        let Some(at) = at.filter(|at| in_comments.get(*at) != Some(&true)) else { continue };
        if probability(at) >= least
            && probability(beside) >= LEAST_BESIDE
            // Beside the text, the model had its container to go by, and dropped it for what it says.
            && paragraph_in(page, beside).is_some_and(|own| paragraph_in(page, at).is_some_and(|other| other != own))
            && is_prose(page, at)
        {
            kept.keep([at]);
        }
    }
}

/// The element around the paragraph that a block is; none if it is no paragraph, or a hidden one.
fn paragraph_in(page: &Page, at: usize) -> Option<u32> {
    let (_, element) = page.container(page.blocks.get(at)?)?;
    (element.tag == Tag::P && !element.hidden).then_some(element.parent)
}

/// Returns whether a block is whole sentences without many links.
fn is_prose(page: &Page, at: usize) -> bool {
    page.blocks.get(at).is_some_and(|block| {
        block.words >= MIN_WORDS
            && block.link_density() <= MAX_LINKS
            && block.inputs == 0
            && page.text(block).trim_end().ends_with(SENTENCE_ENDS)
    })
}

/// Blocks between two paragraphs that may be one piece of furniture, and their words.
const MAX_BOX_BLOCKS: usize = 6;
const BOX_WORDS: Range<u32> = 5..61;
/// Probability below which a box of an article without links is left out, one with links, and one of another page.
// Between paragraphs of eight sets 122, 4 and 54 boxes are none of the text, 62, 0 and 18 are.
const DOUBT_OF_BOXES: (f32, f32, f32) = (0.8, 0.3, 0.6);
/// Share of linked words up to which a box is one without links.
const FEW_LINKS: f32 = 0.2;
/// Elements around a block among which the child of a container is looked for.
const ANCESTORS: usize = 12;

/// Drops doubtful boxes between two kept paragraphs of one element: newsletters, players, advertisements.
pub(super) fn drop_boxes(page: &Page, probabilities: &[f32], is_article: bool, kept: &mut [bool]) {
    let parent = |at: usize| paragraph_in(page, at);
    for at in 0..page.blocks.len() {
        // A box stands right behind a paragraph, so that most blocks are passed over.
        let Some(around) = parent(at).filter(|around| kept.has(at) && parent(at + 1) != Some(*around)) else {
            continue;
        };
        let next = (at + 2..=at + 1 + MAX_BOX_BLOCKS).find(|next| parent(*next) == Some(around));
        let Some(between) = next.filter(|next| kept.has(*next)).map(|next| at + 1..next) else { continue };
        if between.clone().any(|at| kept.has(at)) && is_box(page, around, between.clone()) {
            let most = between.clone().filter_map(|at| probabilities.get(at)).fold(0.0, |most: f32, p| most.max(*p));
            let blocks = || page.blocks.iter().skip(between.start).take(between.len());
            let words: u32 = blocks().map(|block| block.words).sum();
            let linked: u32 = blocks().map(|block| block.link_words).sum();
            let (bare, with_links, of_others) = DOUBT_OF_BOXES;
            let doubt = match is_article {
                false => of_others,
                true if linked as f32 <= FEW_LINKS * words as f32 => bare,
                true => with_links,
            };
            if BOX_WORDS.contains(&words) && most < doubt {
                kept.leave_out(between);
            }
        }
    }
}

/// Returns whether all of these blocks are in boxes that are children of `around`, and are neither a heading of the
/// following text nor something that texts set apart.
fn is_box(page: &Page, around: u32, mut blocks: Range<usize>) -> bool {
    let apart = [Tag::Figure, Tag::Figcaption, Tag::Table, Tag::Pre, Tag::Code, Tag::Blockquote, Tag::Dl];
    let last = blocks.end.checked_sub(1).and_then(|last| page.blocks.get(last));
    let heads = last.is_some_and(|block| page.kinds_around(block).contains(ElementKinds::HEADING));
    !heads
        && blocks.all(|at| {
            let Some(block) = page.blocks.get(at) else { return false };
            let mut child = None;
            for (index, element) in page.path(block.element).take(ANCESTORS) {
                // What a page shows on demand is a part of its text, or was left out as hidden.
                let is_opened = element.hidden || page.hidden_by_sheet.binary_search(&index).is_ok();
                if apart.contains(&element.tag) || is_opened {
                    return false;
                }
                if element.parent == around {
                    child = Some(element.tag);
                    break;
                }
            }
            matches!(child, Some(Tag::Div | Tag::Aside | Tag::Section | Tag::Form | Tag::Nav))
        })
}

/// Minimum number of adjacent cards, and minimum share of teasers among them.
const MIN_TEASERS: usize = 3;
const TEASER_SHARE: f32 = 0.8;
/// Words of a teaser.
const TEASER_WORDS: Range<u32> = 4..81;
/// Share of the kept words outside of the teasers that may stand behind them.
const MAX_BEHIND: f32 = 0.1;

/// Drops the teasers behind the text of an article: cards made alike, each with a linked title and few other words.
pub(super) fn drop_teasers(page: &Page, kept: &mut [bool]) {
    let all_cards = cards(page);
    let words = |blocks: Range<usize>, kept: &[bool]| -> u32 {
        let blocks = page.blocks.iter().zip(kept).skip(blocks.start).take(blocks.len());
        blocks.filter(|(_, kept)| **kept).map(|(block, _)| block.words).sum()
    };
    for run in all_cards.chunk_by(|card, next| card.end == next.start) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        let all = first.start..last.end;
        let teasers = run.iter().filter(|card| is_teaser(page, (*card).clone())).count();
        if teasers < MIN_TEASERS || (teasers as f32) < TEASER_SHARE * run.len() as f32 {
            continue;
        }
        let (before, inside, behind) =
            (words(0..all.start, kept), words(all.clone(), kept), words(all.end..kept.len(), kept));
        if inside > 0 && inside <= before && behind as f32 <= MAX_BEHIND * before as f32 {
            kept.leave_out(all);
        }
    }
}

/// Returns whether a card has a linked title and few other words.
fn is_teaser(page: &Page, card: Range<usize>) -> bool {
    let blocks = || page.blocks.iter().skip(card.start).take(card.len());
    let words: u32 = blocks().map(|block| block.words).sum();
    TEASER_WORDS.contains(&words) && blocks().any(|block| block.words > 1 && block.link_density() > 0.9)
}

/// The blocks of each card: of an element, with more than one block, that has others of its kind beside it.
fn cards(page: &Page) -> Vec<Range<usize>> {
    let mut kinds: FxHashMap<(u32, u64), usize> = FxHashMap::default();
    for element in page.elements.iter().filter(|element| !element.hidden) {
        *kinds.entry((element.parent, element.signature)).or_default() += 1;
    }
    let mut cards: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(block) = page.blocks.get(at) {
        let before = at.checked_sub(1).and_then(|at| page.blocks.get(at));
        let behind = page.blocks.get(at + 1);
        let mut path = page.path(block.element).take(ANCESTORS);
        // Only of the first block: to count on from each of them would take the square of their number.
        let card = path.find(|(index, element)| {
            behind.is_some_and(|behind| (*index..element.end).contains(&behind.element))
                && before.is_none_or(|before| before.element < *index)
                && kinds.get(&(element.parent, element.signature)).is_some_and(|count| *count >= MIN_TEASERS)
        });
        let inside = |end: u32| page.blocks.iter().skip(at).take_while(|block| block.element < end).count();
        let end = at + card.map_or(1, |(_, element)| inside(element.end).max(1));
        cards.extend(card.map(|_| at..end));
        at = end;
    }
    cards
}
