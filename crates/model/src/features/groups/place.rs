//! Computes features of a block's place: order, headline, title, repetition, headings, distance to the page's prose.

use std::{hash::Hasher, ops::Range};

use rustc_hash::FxHasher;
use trommel_html::{Block, NONE, Page, Tag};

use crate::features::facts::PageFacts;
use crate::features::facts::elements::{LEVELS, PROSE_DENSITY, PROSE_SHARE};
use crate::features::facts::terms::{Terms, WordSet};
use crate::features::groups::{Fill, RequestedColumns, crossed, owned, rows};
use crate::features::log::{flag, log};
use crate::features::scratch::{Scratch, count_work};
use crate::features::{facts::prose::PROSE_NAMES, hashes::HashTable};

pub(super) const POSITION_NAMES: [&str; 16] = [
    "position.share", "position.log_from_start", "position.log_to_end", "position.words_before",
    "position.words_after", "position.after_headline", "position.log_after_headline", "position.log_before_headline",
    "position.title_share", "position.share_in_title", "position.log_repeats", "position.seen_before",
    "position.log_like", "position.like_words", "position.words_of_longest", "position.log_tags_before",
];

/// Range in [`POSITION_NAMES`] of the columns about words of the title.
const OF_TITLE: Range<usize> = 8..10;
const OF_TEXTS: Range<usize> = 10..12;
const OF_SIGNATURES: Range<usize> = 12..14;

/// Facts about the whole page for position features. Title, texts and signatures are empty if no column needs them.
#[derive(Default)]
struct Positions {
    words: u32,
    longest: u32,
    headline: Option<usize>,
    title: WordSet,
    /// Number of blocks with each distinct text on the page, and the index of the first of these blocks.
    texts: Scratch<(u32, usize)>,
    /// Number of blocks, and of words in these, of each signature (names and classes of the three innermost elements).
    signatures: Scratch<(u32, u32)>,
    /// Number of words before each block, and the indices of its text in `texts` and of its signature in `signatures`.
    blocks: Scratch<(u32, u32, u32)>,
}

pub(super) fn position<'a>(facts: &'a PageFacts<'a>, asked: RequestedColumns<'_>) -> Fill<'a> {
    let positions = Positions::new(facts.page, asked);
    rows(move |at| positions.features(facts.page, &facts.terms, at))
}

/// Returns the signature of a block: a hash of the names and classes of the three innermost elements around it.
fn signature(page: &Page, block: &Block) -> u64 {
    // Three levels are enough to tell the lines of one template from those of others.
    // From 1, as text outside of all elements has none and no hash of a table is 0.
    page.path(block.element).take(3).fold(1, |sum: u64, (_, element)| sum.rotate_left(21) ^ element.signature)
}

impl Positions {
    fn new(page: &Page, asked: RequestedColumns) -> Self {
        // Each of these passes hashes every block, so a model that does not ask for them does not pay.
        let with_texts = asked.any(OF_TEXTS);
        let with_signatures = asked.any(OF_SIGNATURES);
        let title = if asked.any(OF_TITLE) { WordSet::of(&page.head.title) } else { WordSet::default() };
        let mut positions =
            Positions { title, blocks: Scratch::with_capacity(page.blocks.len()), ..Positions::default() };
        // Numbers of texts and signatures from 1.
        let (mut by_text, mut by_signature) = (HashTable::<u32>::default(), HashTable::<u32>::default());
        by_text.reserve(if with_texts { page.blocks.len() } else { 0 });
        by_signature.reserve(if with_signatures { page.blocks.len() } else { 0 });
        for (at, block) in page.blocks.iter().enumerate() {
            let words_before = positions.words;
            positions.words += block.words;
            positions.longest = positions.longest.max(block.words);
            if positions.headline.is_none() && page.container(block).is_some_and(|(_, element)| element.tag == Tag::H1)
            {
                positions.headline = Some(at);
            }
            let (mut text, mut block_signature) = (NONE, NONE);
            if with_texts {
                count_work(page.text(block).len());
                let mut hasher = FxHasher::default();
                // Whole texts and not their words: a repeated line is repeated letter by letter.
                hasher.write(page.text(block).as_bytes());
                if let Some(number) = by_text.entry(hasher.finish()) {
                    if *number == 0 {
                        positions.texts.push((0, at));
                        *number = positions.texts.len() as u32;
                    }
                    text = *number - 1;
                }
                if let Some(known) = positions.texts.get_mut(text as usize) {
                    known.0 += 1;
                }
            }
            if with_signatures {
                if let Some(number) = by_signature.entry(signature(page, block)) {
                    if *number == 0 {
                        positions.signatures.push((0, 0));
                        *number = positions.signatures.len() as u32;
                    }
                    block_signature = *number - 1;
                }
                if let Some(known) = positions.signatures.get_mut(block_signature as usize) {
                    known.0 += 1;
                    known.1 += block.words;
                }
            }
            positions.blocks.push((words_before, text, block_signature));
        }
        positions
    }

    fn features(&self, page: &Page, terms: &Terms, at: usize) -> [f32; POSITION_NAMES.len()] {
        let Some(block) = page.blocks.get(at) else {
            return [0.0; POSITION_NAMES.len()];
        };
        let blocks = page.blocks.len() as f32;
        let words = self.words.max(1) as f32;
        let (before, text, signature) = self.blocks.get(at).copied().unwrap_or_default();
        let (to, from) = match self.headline {
            Some(headline) => (at.saturating_sub(headline), headline.saturating_sub(at)),
            None => (0, 0),
        };
        let (distinct, shared) =
            // A long paragraph shares words with any title.
            if block.words <= 40 && !self.title.is_empty() { terms.overlap(at, &self.title) } else { (0, 0) };
        let shared = shared as f32;
        let (repeats, first) = self.texts.get(text as usize).copied().unwrap_or((1, at));
        let (like, like_words) = self.signatures.get(signature as usize).copied().unwrap_or((1, block.words));
        [
            at as f32 / blocks,
            log(at),
            log(page.blocks.len() - at),
            before as f32 / words,
            (self.words - before - block.words) as f32 / words,
            f32::from(u8::from(self.headline.is_some_and(|headline| at > headline))),
            log(to),
            log(from),
            shared / self.title.len().max(1) as f32,
            shared / distinct.max(1) as f32,
            log(repeats - 1),
            f32::from(u8::from(first < at)),
            log(like),
            like_words as f32 / words,
            block.words as f32 / self.longest.max(1) as f32,
            log(block.tags_before),
        ]
    }
}

pub(super) fn outline<'a>(facts: &'a PageFacts<'a>) -> Fill<'a> {
    Box::new(|_, out| match out.is_next_alone() {
        // Asked for all blocks, and the others for some.
        true => out.put(|at| flag(facts.outline.headline == Some(at))),
        false => out.put_rows(|at| facts.outline.features(at)),
    })
}

pub(super) fn prose_names() -> Vec<String> {
    let containers = LEVELS.iter().map(|level| format!("container_{level}"));
    [owned(&PROSE_NAMES), crossed(containers, &["prose_density", "prose_share"])].concat()
}

pub(super) fn prose<'a>(facts: &'a PageFacts<'a>) -> Fill<'a> {
    Box::new(|batch, out| {
        out.put_rows(|at| facts.prose.features(&facts.elements, at));
        for parts in batch.levels.iter() {
            out.put_columns(&parts[PROSE_DENSITY..=PROSE_SHARE]);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::columns::ColumnSet;
    use crate::features::groups::FeatureGroup;
    use crate::features::log::log;
    use crate::features::schema::Schema;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn headline_title_and_repetition_are_seen() {
        let page = ScanEngine.read(
            "<title>Big News - Site</title><p class=a>menu</p><h1>Big news</h1><p class=a>text of it</p><p class=a>menu</p>",
            &Limits::default(),
        );
        let all = ColumnSet::new(POSITION_NAMES.len(), (0..).take(POSITION_NAMES.len()));
        let positions = Positions::new(&page, all.asked_of(0..POSITION_NAMES.len()));
        let terms = Terms::new(&page, &trommel_text::TextMasks::of(page.texts()));
        let value = |block: usize, name: &str| {
            let at = POSITION_NAMES.iter().position(|n| *n == name).unwrap();
            positions.features(&page, &terms, block)[at]
        };
        assert_eq!(value(1, "position.title_share"), 2.0 / 3.0);
        assert_eq!(value(1, "position.share_in_title"), 1.0);
        assert_eq!((value(0, "position.seen_before"), value(3, "position.seen_before")), (0.0, 1.0));
        assert_eq!(value(0, "position.log_repeats"), log(1u32));
        assert_eq!((value(0, "position.after_headline"), value(2, "position.after_headline")), (0.0, 1.0));
        assert_eq!(value(2, "position.log_like"), log(3u32));
        assert!((value(2, "position.words_before") - 3.0 / 7.0).abs() < 1e-6);
        assert!((value(2, "position.words_after") - 1.0 / 7.0).abs() < 1e-6);
    }

    const HTML: &str = "<div><a href=x>Home</a></div>\
        <main><div><p>The first sentence of this page is here.</p><p>And the second one follows it, too.</p></div></main>\
        <footer><p>All is ours.</p></footer>";

    fn value(block: usize, name: &str) -> f32 {
        let page = ScanEngine.read(HTML, &Limits::default());
        let rows = Schema::new(&[FeatureGroup::Prose], &[], &[], &[]).rows(&page, None);
        let values = rows.iter().nth(block).unwrap();
        assert_eq!(values.len(), prose_names().len());
        values[prose_names().iter().position(|n| n == name).unwrap()]
    }

    #[test]
    fn blocks_know_where_they_stand_to_the_prose() {
        assert_eq!(value(1, "prose.inside"), 1.0);
        assert_eq!((value(0, "prose.before"), value(3, "prose.after")), (1.0, 1.0));
        // The footer's paragraph is two levels below nothing: it meets the top nowhere.
        assert_eq!(value(3, "prose.up"), log(2u32));
        assert_eq!(value(1, "prose.log_own"), log(8u32));
        assert_eq!((value(0, "prose.in_bte"), value(2, "prose.in_segment")), (0.0, 1.0));
        assert_eq!(value(0, "prose.page_share"), 15.0 / 19.0);
        assert_eq!(value(2, "container_0.prose_share"), 7.0 / 15.0);
    }
}
