//! Judges the blocks of a page: the longest of each field first, and the others only if it is in doubt.
//!
//! The log odds of a block are divided among the columns that they come from. They are lowered on pages of which the
//! model knows few words.

use trommel_html::{Page, Tag};

use super::{Judgement, Model};
use crate::features::{Columns, PageFeatures};
use crate::file::{PageType, Scorer};
use crate::selection_by_worlds::{Choice, Layout, Representatives, is_in_doubt};
use crate::{additive::sigmoid, compiled::PageOdds};

/// Results that are gathered while one page is judged.
struct Judging<'m> {
    odds: PageOdds<'m>,
    /// Log odds of blocks as if no name called them comments, if requested; NaN for blocks whose log odds stay the
    /// same.
    unnamed: Option<PageOdds<'m>>,
    in_comments: Vec<bool>,
    headline: Option<usize>,
    page_type: Option<PageType>,
    known_words: KnownWords,
}

impl Judging<'_> {
    /// Gives each block the log odds of the longest block with the same path of names and classes. If those are too
    /// close to 0, the block gets none, and its index is returned.
    fn others_in_doubt(&mut self, representatives: &Representatives) -> Vec<u32> {
        std::iter::once(&mut self.odds).chain(&mut self.unnamed).for_each(PageOdds::complete);
        let mut listed = Vec::new();
        for (block, longest) in representatives.others() {
            let odds = self.odds.get(longest);
            let unnamed = self.unnamed.as_ref().map_or(odds, |unnamed| unnamed.get(longest));
            if is_in_doubt(odds) || !unnamed.is_nan() && is_in_doubt(unnamed) {
                listed.push(block);
                continue;
            }
            self.odds.set(block, odds);
            if let Some(all) = &mut self.unnamed {
                all.set(block, unnamed);
            }
        }
        listed
    }
}

/// Minimum probability of the type article at which a page that declares no type counts as one.
const MIN_ARTICLE: f32 = 0.6;
/// Minimum number of words of a page that counts as an article without declaring it. A shorter page would lose its
/// headline, and has little around its text.
const MIN_CLAIM_WORDS: u64 = 250;
/// Minimum probability of the type article, as if the page declared it, at which a page of much prose counts as one.
// Between .6 and .7 the words that articles gain without their metadata are the same (5 of 10), at .75 it is 10 again.
const MIN_CLAIMED_ARTICLE: f32 = 0.65;
/// Minimum number of words of a block that counts as prose; shorter blocks do not.
// Of all words of a page, courts-dev loses .007: its rulings are short, and the lists around them long.
const MIN_PROSE_BLOCK: u32 = 20;
/// Minimum number of words in blocks of prose from which a page counts as one of much prose.
const MIN_PROSE_WORDS: u64 = 500;

impl Model {
    /// Returns the log odds of each block by itself, before averaging over blocks with the same names and classes.
    pub fn log_odds(&self, page: &Page, url: Option<&str>) -> Vec<f32> {
        let mut odds = PageOdds::new(&self.compiled, page.blocks.len());
        self.each_batch(page, url, |columns| {
            if columns.blocks().first() == Some(&0) {
                let value = |column| self.page_value(columns, column);
                odds.set_kind_shares(self.kind_shares(&self.type_odds(value), value));
            }
            odds.add(columns);
        });
        odds.finish()
    }

    /// Computes the model's columns for a page and passes them to `give`, batch by batch of blocks. A page that
    /// declares no type, but is an article by its other features, is treated as if it declared that.
    pub fn each_batch(&self, page: &Page, url: Option<&str>, mut give: impl FnMut(&Columns)) {
        self.schema.each_batch(page, url, self.compiled.columns(), |columns| {
            if columns.blocks().first() == Some(&0) {
                self.declare(page, columns);
            }
            give(columns);
        });
    }

    /// Marks a page as an article in its first columns if it declares no type and has an `<article>` or `<main>`. It
    /// must be one by its other features, or have much prose and be one if it declared that.
    // The scorers learned from pages of which most declare it. Around the text of others more was kept.
    fn declare(&self, page: &Page, columns: &mut Columns) {
        let slot = self.article.and_then(|column| self.compiled.columns().slot(column));
        let head = &page.head;
        let Some(slot) = slot.filter(|_| head.json_ld.is_empty() && head.meta("og:type").is_none()) else { return };
        if !page.elements.iter().any(|element| matches!(element.tag, Tag::Article | Tag::Main)) {
            return;
        }
        let page_type = |claimed: Option<u16>| {
            let value = |column| if Some(column) == claimed { 1.0 } else { self.page_value(columns, column) };
            PageType::of(&self.file.page_types, &self.type_odds(value))
        };
        let is_article =
            |page_type: &PageType, least| page_type.name == PageType::ARTICLE && page_type.probability >= least;
        let words = |least: u32| {
            let words = page.blocks.iter().map(|block| block.words).filter(|words| *words >= least);
            words.map(u64::from).sum::<u64>()
        };
        let Some(stated) = page_type(None) else { return };
        let is_one_anyway = is_article(&stated, MIN_ARTICLE) && words(0) >= MIN_CLAIM_WORDS;
        let is_prose = || stated.name != PageType::THREAD && words(MIN_PROSE_BLOCK) >= MIN_PROSE_WORDS;
        let would_be = || page_type(self.article).is_some_and(|claimed| is_article(&claimed, MIN_CLAIMED_ARTICLE));
        if is_one_anyway || is_prose() && would_be() {
            columns.fill(slot, 1.0);
        }
    }

    pub(super) fn judge_blocks(&self, page: &Page, url: Option<&str>, with_comments: bool) -> Judgement {
        let layout = Layout::of(page);
        let judging = self.judging(page, url, &layout, with_comments);
        let Judging { odds, unnamed, in_comments, headline, page_type, known_words } = judging;
        let mut odds = odds.finish();
        let mut unnamed = unnamed.map(PageOdds::finish).unwrap_or_default();
        // Those of blocks that are the same whatever they are called have not been asked for.
        for (unnamed, odds) in unnamed.iter_mut().zip(&odds).filter(|(unnamed, _)| unnamed.is_nan()) {
            *unnamed = *odds;
        }
        let change = known_words.change(self.file.known_words);
        // On most pages nothing changes.
        if change != 0.0 {
            odds.iter_mut().chain(&mut unnamed).for_each(|odds| *odds += change);
        }
        let pooling = self.file.pooling;
        // Pooled as log odds: a mean of probabilities would hide how sure the model is of each.
        layout.pool(&mut odds, pooling);
        layout.pool(&mut unnamed, pooling);
        let mut probabilities: Vec<f32> = odds.into_iter().map(sigmoid).collect();
        let all = probabilities.iter_mut().zip(&in_comments);
        for ((probability, _), odds) in all.zip(unnamed).filter(|((_, inside), _)| **inside) {
            // The larger one: asking for comments must never lose text that is kept without them.
            *probability = probability.max(sigmoid(odds));
        }
        let mut judgement = Judgement {
            probabilities,
            choice: Choice::default(),
            page_type,
            headline,
            in_comments,
            embedded: Vec::new(),
            fields: Vec::new(),
        };
        self.choose_over(page, &layout, &mut judgement, with_comments);
        judgement
    }

    /// Computes the log odds of the blocks of a page, its type, its headline and its comment sections.
    fn judging(&self, page: &Page, url: Option<&str>, layout: &Layout, with_comments: bool) -> Judging<'_> {
        let representatives = Representatives::of(layout);
        let mut judging = Judging {
            odds: PageOdds::new(&self.compiled, page.blocks.len()),
            unnamed: with_comments.then(|| PageOdds::new(&self.compiled, page.blocks.len())),
            in_comments: Vec::new(),
            headline: None,
            page_type: None,
            known_words: KnownWords::default(),
        };
        let (set, all) = (self.compiled.columns(), 0..page.blocks.len() as u32);
        let facts = self.schema.facts(page, url, set);
        let features = PageFeatures::new(&self.schema, &facts, set);
        features.each_batch(&mut Columns::new(&self.of_all), all.clone(), |columns| self.see(&mut judging, columns));
        let mut columns = Columns::new(set);
        let mut score = |judging: &mut Judging, blocks: Vec<u32>| {
            features.each_batch(&mut columns, blocks, |columns| self.score(judging, page, columns));
        };
        // As `Layout::represent`.
        if self.file.pooling > 0.0 {
            score(&mut judging, representatives.list());
            let others = judging.others_in_doubt(&representatives);
            score(&mut judging, others);
        } else {
            score(&mut judging, all.collect());
        }
        judging
    }

    /// Records the headline and the blocks in comment sections, from columns computed for all blocks.
    fn see(&self, judging: &mut Judging, columns: &Columns) {
        let lanes = |column: &u16| {
            let lanes = self.of_all.slot(*column).and_then(|slot| columns.column(slot));
            columns.blocks().iter().zip(lanes.into_iter().flatten()).map(|(block, is)| (*block, *is > 0.0))
        };
        judging.in_comments.extend(self.comments.first().into_iter().flat_map(lanes).map(|(_, is)| is));
        let mut headlines = self.headline.iter().flat_map(lanes).filter(|(_, is)| *is);
        judging.headline = judging.headline.or_else(|| headlines.next().map(|(block, _)| block as usize));
    }

    /// Computes the log odds of the blocks of a batch, and of the first batch also the page type.
    fn score(&self, judging: &mut Judging, page: &Page, columns: &mut Columns) {
        if columns.blocks().first() == Some(&0) {
            // Of an article fewer comments are kept, which are asked for here.
            if judging.unnamed.is_none() {
                self.declare(page, columns);
            }
            // Columns of the page type are equal for all blocks, so the first batch is enough.
            let value = |column| self.page_value(columns, column);
            let of_types = self.type_odds(value);
            judging.page_type = PageType::of(&self.file.page_types, &of_types);
            let shares = self.kind_shares(&of_types, value);
            std::iter::once(&mut judging.odds)
                .chain(&mut judging.unnamed)
                .for_each(|odds| odds.set_kind_shares(shares));
        }
        judging.odds.add(columns);
        self.add_known_words(&mut judging.known_words, page, columns);
        let is_inside = |block: &u32| judging.in_comments.get(*block as usize) == Some(&true);
        // Scored twice only where a batch has comments: on other pages the answer is the same.
        if let Some(unnamed) = &mut judging.unnamed
            && columns.blocks().iter().any(is_inside)
        {
            let mut blank = columns.clone();
            for slot in self.comments.iter().filter_map(|column| self.compiled.columns().slot(*column)) {
                blank.fill(slot, 0.0);
            }
            unnamed.add(&blank);
        }
    }

    /// Adds a batch of blocks to the count of the page's known words, if the model has a column for these.
    fn add_known_words(&self, known_words: &mut KnownWords, page: &Page, columns: &Columns) {
        let slot = self.known_words.and_then(|column| self.compiled.columns().slot(column));
        let Some(shares) = slot.and_then(|slot| columns.column(slot)) else { return };
        let blocks = columns.blocks().iter().filter_map(|block| page.blocks.get(*block as usize));
        blocks.zip(shares).for_each(|(block, share)| known_words.add(block.words, *share));
    }
}

impl Model {
    /// Returns the names of the summands of a block's log odds: columns of linear and additive parts, `intercept`,
    /// crosses as `a x b`, and `trees` for all trees together.
    pub fn reasons(&self) -> Vec<String> {
        let mut all = Vec::new();
        for scorer in self.parts.iter().map(|(_, scorer)| scorer).chain(&self.kinds) {
            self.each_summand(scorer, |_| 0.0, |name, _| all.push(name()));
        }
        all
    }

    /// Returns the value that each of the [`Model::reasons`] adds to the log odds of a row. Values of linear and
    /// additive parts are exact.
    pub fn contributions(&self, row: &[f32]) -> Vec<f32> {
        let value = |column: u16| row.get(usize::from(column)).copied().unwrap_or(0.0);
        let of_kinds = self.kind_shares(&self.type_odds(value), value);
        let rest = 1.0 - of_kinds.iter().sum::<f32>();
        // Where the first part is not in doubt, it stands for the trees.
        let first = self.parts.first().map_or(0.0, |(_, scorer)| scorer.log_odds(row));
        let is_sure = self.file.band.is_some_and(|band| first.abs() >= band);
        let trees = self.parts.iter().filter(|(_, scorer)| is_sure && matches!(scorer, Scorer::Trees(_)));
        let of_trees: f32 = trees.map(|(share, _)| share).sum();
        let of_parts = self.parts.iter().enumerate().map(|(at, (share, scorer))| match scorer {
            Scorer::Trees(_) if is_sure => (0.0, scorer),
            _ if at == 0 => (rest * (share + of_trees), scorer),
            _ => (rest * share, scorer),
        });
        let mut all = Vec::new();
        for (share, scorer) in of_parts.chain(of_kinds.into_iter().zip(&self.kinds)) {
            self.each_summand(scorer, value, |_, summand| all.push(share * summand));
        }
        all
    }

    /// Passes the name and value of each summand of a scorer's log odds to `give`; `value` returns a column's value.
    fn each_summand(
        &self,
        scorer: &Scorer,
        value: impl Fn(u16) -> f32,
        mut give: impl FnMut(&dyn Fn() -> String, f32),
    ) {
        let name = |column: u16| self.schema.names().get(usize::from(column)).cloned().unwrap_or_default();
        let intercept = || "intercept".to_owned();
        match scorer {
            Scorer::Linear(linear) => {
                give(&intercept, linear.intercept);
                for weight in &linear.weights {
                    give(&|| name(weight.column), weight.weight * value(weight.column));
                }
            }
            Scorer::Additive(additive) => {
                give(&intercept, additive.intercept);
                for step in &additive.step_functions {
                    give(&|| name(step.column), step.weight(value(step.column)));
                }
                for cross in &additive.crosses {
                    let (first, second) = cross.columns;
                    give(&|| format!("{} x {}", name(first), name(second)), cross.weight(value(first), value(second)));
                }
            }
            Scorer::Trees(trees) => give(&|| "trees".to_owned(), trees.log_odds_of(value)),
        }
    }
}

/// Two bounds for a page's share of known words, as multiples of that of usual pages. From the first upwards the log
/// odds stay unchanged; from the second downwards they are lowered by the full amount.
// Of English pages nine tenths are above .8, of Greek, Polish and Russian ones all are below .45.
const BETWEEN: (f32, f32) = (0.75, 0.45);
/// Full change of the log odds of blocks on a page of whose words the model knows hardly any.
// From -.35 to -1 the gain on pages in such languages differs by less than .003.
const CHANGE: f32 = -0.5;

/// Share of the words of a page that the model knows. On pages with a low share, as in languages that the model has
/// hardly learned from, the log odds are lowered.
// Words such as "read more" speak against a block. Where the model knows hardly any of a page's words, nothing speaks
// against its menus, and its log odds are too high.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownWords {
    known: f32,
    words: f32,
}

impl KnownWords {
    /// Adds a block, given its number of words and the share of its terms that are known (0 to 1).
    pub fn add(&mut self, words: u32, share: f32) {
        let words = words as f32;
        self.known += share * words;
        self.words += words;
    }

    /// Returns the share of known words on the page, 0..=1; 0 for a page without words.
    pub fn share(self) -> f32 {
        self.known / self.words.max(1.0)
    }

    /// Returns the value to add to the log odds of the page's blocks, given the share of known words on usual pages. It
    /// is 0 for a page without words.
    pub fn change(self, usual: f32) -> f32 {
        if usual <= 0.0 || self.words <= 0.0 {
            return 0.0;
        }
        let (none, full) = BETWEEN;
        CHANGE * ((none - self.share() / usual) / (none - full)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_rises_with_the_words_that_are_not_known() {
        let change = |blocks: &[(u32, f32)], usual: f32| {
            let mut known = KnownWords::default();
            blocks.iter().for_each(|(words, share)| known.add(*words, *share));
            known.change(usual)
        };
        assert_eq!(change(&[], 0.6), 0.0);
        assert_eq!(change(&[(10, 0.6), (10, 0.4)], 0.6), 0.0);
        assert_eq!(change(&[(10, 0.1), (10, 0.2)], 0.6), -0.5);
        // Blocks count by their words.
        assert!((change(&[(30, 0.4), (10, 0.24)], 0.6) + 0.25).abs() < 1e-5);
        // The model does not say what is usual.
        assert_eq!(change(&[(10, 0.0)], 0.0), 0.0);
    }
}
