//! Drops boxes between the paragraphs of a text, teasers after it, and strays.
//!
//! Strays are the few kept blocks of a field whose other blocks are dropped: blocks of one template are content
//! together or not at all.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::{Block, ElementKinds, Page, Tag};

use super::lone_text::part_of;
use super::topic::Topic;
use super::whole_units::is_formula;
use crate::kept_flags::{KeptBlocks as _, kept_words_before};

/// Maximum number of blocks of a box between two paragraphs that may be dropped as an advertisement or the like.
const MAX_BOX_BLOCKS: usize = 6;
const BOX_WORDS: Range<u32> = 5..61;
/// Probabilities below which a box between paragraphs is dropped: without or with links in an article, on other pages.
/// The last also holds for a box of which a label is left out already.
// Between paragraphs of eight sets 122, 4 and 54 boxes are none of the text, 62, 0 and 18 are.
const DOUBT_OF_BOXES: (f32, f32, f32) = (0.8, 0.3, 0.6);
/// Maximum share of linked words in a box that counts as a box without links.
const FEW_LINKS: f32 = 0.2;
/// Maximum number of elements around a block that are searched for a box or a card.
const ANCESTORS: usize = 12;

/// Drops boxes of low probability between two kept paragraphs of one element, such as newsletter forms, players and
/// advertisements.
pub(super) fn drop_boxes(page: &Page, probabilities: &[f32], is_article: bool, kept: &mut [bool]) {
    let part = |at: usize| part_of(page, at);
    for at in 0..page.blocks.len() {
        // A box stands right behind a paragraph, so that most blocks are passed over.
        let own = if kept.has(at) { part(at) } else { None };
        let Some(own) = own.filter(|own| part(at + 1) != Some(*own)) else { continue };
        let next = (at + 2..=at + 1 + MAX_BOX_BLOCKS).find(|next| part(*next) == Some(own));
        let Some(between) = next.filter(|next| kept.has(*next)).map(|next| at + 1..next) else { continue };
        if between.clone().any(|at| kept.has(at)) && is_box(page, own.0, between.clone()) {
            let most = between.clone().filter_map(|at| probabilities.get(at)).fold(0.0, |most: f32, p| most.max(*p));
            let blocks = || page.blocks.iter().skip(between.start).take(between.len());
            let words: u32 = blocks().map(|block| block.words).sum();
            let linked: u32 = blocks().map(|block| block.link_words).sum();
            let (bare, with_links, of_others) = DOUBT_OF_BOXES;
            let doubt = match is_article {
                false => of_others,
                true if linked as f32 <= FEW_LINKS * words as f32 => bare,
                // A label such as "Advertisement" is left out already.
                true if between.clone().any(|at| !kept.has(at)) => of_others,
                true => with_links,
            };
            if BOX_WORDS.contains(&words) && most < doubt {
                kept.leave_out(between);
            }
        }
    }
}

/// Returns whether all blocks are in boxes that are children of the element `around`. A heading of the text after them,
/// or a figure, table, code, formula, quote or definition list, is no box.
fn is_box(page: &Page, around: u32, mut blocks: Range<usize>) -> bool {
    let apart = [Tag::Figure, Tag::Figcaption, Tag::Table, Tag::Pre, Tag::Code, Tag::Blockquote, Tag::Dl];
    let last = blocks.end.checked_sub(1).and_then(|last| page.blocks.get(last));
    let heads = last.is_some_and(|block| page.kinds_around(block).contains(ElementKinds::HEADING));
    !heads
        && blocks.all(|at| {
            let Some(block) = page.blocks.get(at).filter(|block| !is_formula(page, block)) else { return false };
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

/// Minimum number of teasers (cards that announce other pages) in a group of sibling cards that is dropped.
const MIN_TEASERS: usize = 3;
const TEASER_SHARE: f32 = 0.8;
/// Number of words that a teaser (a card that announces another page) may have.
const TEASER_WORDS: Range<u32> = 4..81;
/// Maximum ratio of words in a group of teasers to kept words before it, for the group to be dropped.
// Below 3 DAnIEL loses .0027, above nothing changes.
const MAX_TEASERS: f32 = 3.0;
const MAX_BEHIND: f32 = 0.1;

/// Drops the teasers after the text of an article, and teasers off its topic anywhere. Teasers are similar sibling
/// cards, each with a different linked title and few other words.
pub(super) fn drop_teasers(page: &Page, kept: &mut [bool]) {
    let all_cards = cards(page);
    let mut teasers = Vec::new();
    // Counted once: a page may have thousands of kinds of cards.
    let sums = kept_words_before(page, kept);
    let total = sums.last().copied().unwrap_or_default();
    let before = |at: usize| sums.get(at).copied().unwrap_or(total);
    for cards in all_cards.chunk_by(|card, next| card.kind == next.kind) {
        let (Some(first), Some(last)) = (cards.first(), cards.last()) else { continue };
        let inside: u32 = cards.iter().map(|card| before(card.blocks.end) - before(card.blocks.start)).sum();
        if inside == 0 {
            continue;
        }
        let titles: FxHashSet<&str> = cards.iter().filter_map(|card| teaser_title(page, card.blocks.clone())).collect();
        if titles.len() < MIN_TEASERS || (titles.len() as f32) < TEASER_SHARE * cards.len() as f32 {
            continue;
        }
        let (before, behind) = (before(first.blocks.start), total - before(last.blocks.end));
        let blocks = cards.iter().flat_map(|card| card.blocks.clone());
        if inside as f32 <= MAX_TEASERS * before as f32 && behind as f32 <= MAX_BEHIND * before as f32 {
            kept.leave_out(blocks);
        } else {
            teasers.extend(blocks);
        }
    }
    // Together: lists of links on several subjects are what some pages consist of.
    if !teasers.is_empty() && Topic::is_part_foreign(page, kept, teasers.iter().copied()) {
        kept.leave_out(teasers);
    }
}

/// Returns the text of the longest linked block of a card, if the card has few words.
fn teaser_title(page: &Page, card: Range<usize>) -> Option<&str> {
    let blocks = || page.blocks.iter().skip(card.start).take(card.len());
    let words: u32 = blocks().map(|block| block.words).sum();
    let titles = blocks().filter(|block| block.words > 1 && block.link_density() > 0.9);
    let title = titles.max_by_key(|block| block.words)?;
    TEASER_WORDS.contains(&words).then(|| page.text(title))
}

/// Card: element of several blocks with sibling elements of the same markup, such as one of several teasers.
struct Card {
    /// Index of the card's parent element, and a hash of the card's element name and class.
    kind: (u32, u64),
    blocks: Range<usize>,
}

/// Returns a page's cards, sorted by parent and markup. Of several that begin with one block, the innermost counts.
fn cards(page: &Page) -> Vec<Card> {
    let mut kinds: FxHashMap<(u32, u64), usize> = FxHashMap::default();
    for element in page.elements.iter().filter(|element| !element.hidden) {
        *kinds.entry((element.parent, element.signature)).or_default() += 1;
    }
    let card = |(at, block): (usize, &Block)| {
        let before = at.checked_sub(1).and_then(|at| page.blocks.get(at));
        let behind = page.blocks.get(at + 1)?;
        let mut path = page.path(block.element).take(ANCESTORS);
        let (index, element) = path.find(|(index, element)| {
            (*index..element.end).contains(&behind.element)
                && before.is_none_or(|before| before.element < *index)
                // Rows and cells of tables are told by other rules.
                && !matches!(element.tag, Tag::Tr | Tag::Td)
                && kinds.get(&(element.parent, element.signature)).is_some_and(|count| *count >= MIN_TEASERS)
        })?;
        Some(Card { kind: (element.parent, element.signature), blocks: page.blocks_inside(index) })
    };
    let mut cards: Vec<Card> = page.blocks.iter().enumerate().filter_map(card).collect();
    cards.sort_by_key(|card| (card.kind, card.blocks.start));
    cards
}

/// Minimum number of blocks with one element path (a field) for the kept ones among them to be dropped as strays.
// Of three blocks a single kept one would already be a stray.
const MIN_BLOCKS: u32 = 4;
/// Maximum kept share of the blocks with one element path at which the kept ones are dropped as strays. Blocks weigh by
/// the square root of their words.
// Measured together with the next bound, without which zhweb lost .0141: all of one page.
const MAX_STRAY_SHARE: f32 = 0.35;
/// Maximum share of the page's kept words that may be dropped as strays: kept blocks among dropped ones like them.
const MAX_PAGE_SHARE: f32 = 0.25;

/// Weight of all and of the kept blocks of a field: the blocks with the same path of element names and classes.
#[derive(Clone, Copy, Default)]
struct Field {
    blocks: u32,
    weight: f32,
    kept_weight: f32,
}

impl Field {
    fn is_left_out(&self) -> bool {
        self.blocks >= MIN_BLOCKS && self.kept_weight <= MAX_STRAY_SHARE * self.weight
    }
}

/// Drops kept blocks if most blocks of their field (with the same element path) are dropped, unless they hold much of
/// the kept text. `kept` and `fields` have one entry per block: whether it is kept, and the number of its field.
pub(crate) fn drop_strays(page: &Page, fields: &[u32], kept: &mut [bool]) {
    let mut all = vec![Field::default(); page.blocks.len()];
    for ((block, field), kept) in page.blocks.iter().zip(fields).zip(kept.iter()) {
        // Fields are numbered as they come, so there are no more than blocks.
        let Some(field) = all.get_mut(*field as usize) else { continue };
        // By square roots, so that one long block does not outvote all short ones, as in the model's mean over a field.
        let weight = (block.words as f32).sqrt();
        field.blocks += 1;
        field.weight += weight;
        field.kept_weight += if *kept { weight } else { 0.0 };
    }
    let is_stray = |field: &u32| all.get(*field as usize).is_some_and(Field::is_left_out);
    let (mut words, mut stray_words) = (0.0f32, 0.0f32);
    for ((block, field), kept) in page.blocks.iter().zip(fields).zip(kept.iter()) {
        if *kept {
            words += block.words as f32;
            stray_words += if is_stray(field) { block.words as f32 } else { 0.0 };
        }
    }
    // All or none: the page's text may consist of fields that the model barely kept.
    if stray_words > MAX_PAGE_SHARE * words {
        return;
    }
    for (kept, field) in kept.iter_mut().zip(fields) {
        *kept &= !is_stray(field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_model::Model;

    /// Returns the texts that are kept, if the model keeps the blocks whose text does not begin with `-`.
    fn left(html: &str) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        let fields = Model::builtin("fast").unwrap().judge(&page, None).fields;
        assert_eq!(fields.len(), texts.len());
        let before: Vec<bool> = texts.iter().map(|text| !text.starts_with('-')).collect();
        let mut kept = before.clone();
        drop_strays(&page, &fields, &mut kept);
        let added = before.iter().zip(&kept).any(|(before, kept)| *kept && !before);
        assert!(!added, "nothing is added");
        let again = kept.clone();
        drop_strays(&page, &fields, &mut kept);
        assert_eq!(kept, again, "the same again changes nothing");
        let left = texts.iter().zip(&kept).filter(|(_, kept)| **kept);
        left.map(|(text, _)| (*text).to_owned()).collect()
    }

    const TEXT: &str = "<p>The mill stands by the river and turns as it did a hundred years ago, they say.</p>";

    #[test]
    fn a_card_is_not_kept_alone() {
        let cards = |cards: &str| {
            let card = |text| format!("<div class=card><b>{text}</b></div>");
            let cards: String = cards.split(' ').map(card).collect();
            left(&format!("{TEXT}<section>{cards}</section>")).len()
        };
        assert_eq!(cards("one -two -three -four"), 1);
        assert_eq!(cards("one two -three -four"), 3);
        assert_eq!(cards("one two three -four"), 4);
        assert_eq!(cards("one -two -three"), 2, "three are too few to tell");
    }

    #[test]
    fn teasers_on_other_subjects_are_none_of_a_text() {
        let words =
            |subject: &str, from: usize| (from..from + 60).map(|at| format!("{subject}{at} ")).collect::<String>();
        let cards = |subject: &str| {
            let card = |at: usize| {
                let words: String = (at * 9..at * 9 + 9).map(|at| format!("{subject}{at} ")).collect();
                format!("<div class=card><h4><a href=a>{subject} number {at}</a></h4><p>{words}</div>")
            };
            (0..3).map(card).collect::<String>()
        };
        let kept_of = |subject: &str| {
            let (first, rest) = (words("harbour", 0), words("harbour", 60));
            let html = format!("<main><p>{first}<div>{}</div><p>{rest}</main>", cards(subject));
            let page = ScanEngine.read(&html, &Limits::default());
            let mut kept = vec![true; page.blocks.len()];
            drop_teasers(&page, &mut kept);
            kept.iter().filter(|kept| **kept).count()
        };
        assert_eq!(kept_of("guitar"), 2);
        assert_eq!(kept_of("harbour"), 8);
    }

    #[test]
    fn other_paths_are_other_fields() {
        let html = format!("{TEXT}<p class=a>one<p class=b>-two<p class=c>-three<p class=d>-four");
        assert_eq!(left(&html).len(), 2);
    }

    #[test]
    fn what_is_most_of_a_text_is_no_stray() {
        let words = "word ".repeat(8);
        let html = format!("<p>{words}<p>-{words}<p>-{words}<p>-{words}");
        assert_eq!(left(&html).len(), 1);
        assert_eq!(left(&format!("<div>{}</div>{html}", TEXT.repeat(3))).len(), 3);
    }
}
