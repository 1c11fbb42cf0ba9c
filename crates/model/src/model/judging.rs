//! Judges the blocks of a page: the longest of each field first, and the others where these are in doubt.
//!
//! The log odds of a block are divided among the columns that they come from.

use trommel_html::Page;

use super::{Judgement, Model};
use crate::file::{PageType, Scorer};
use crate::kept_blocks::{Choice, Layout, Representatives, is_in_doubt};
use crate::{additive::sigmoid, compiled::PageOdds, features::Columns, model::KnownWords};

/// A page that is being judged.
struct Judging<'m> {
    odds: PageOdds<'m>,
    /// Log odds of the blocks without the effect of names that mark comments, if that is requested; only of blocks for
    /// which they differ.
    unnamed: Option<PageOdds<'m>>,
    in_comments: Vec<bool>,
    headline: Option<usize>,
    page_type: Option<PageType>,
    known_words: KnownWords,
}

impl Judging<'_> {
    /// Gives each block the log odds of its representative, but for those whose representative is in doubt: these are
    /// listed.
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

impl Model {
    /// Log odds of each block of a page by itself: the sum of its parts, before the fields are pooled.
    pub fn log_odds(&self, page: &Page, url: Option<&str>) -> Vec<f32> {
        let mut odds = PageOdds::new(&self.compiled, page.blocks.len());
        self.schema.each_batch(page, url, self.compiled.columns(), |columns| {
            if columns.blocks().first() == Some(&0) {
                let value = |column| self.page_value(columns, column);
                odds.set_kind_shares(self.kind_shares(&self.type_odds(value), value));
            }
            odds.add(columns);
        });
        odds.finish()
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

    /// The log odds of the blocks of a page, and other facts from their columns.
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
        let mut list = 0;
        self.schema.each_named_batch(
            page,
            url,
            (&self.of_all, self.compiled.columns()),
            &mut judging,
            |judging| {
                list += 1;
                match list {
                    // As `Layout::represent`.
                    1 if self.file.pooling == 0.0 => (0..page.blocks.len() as u32).collect(),
                    1 => representatives.list(),
                    2 if self.file.pooling > 0.0 => judging.others_in_doubt(&representatives),
                    _ => Vec::new(),
                }
            },
            (|judging, columns| self.see(judging, columns), |judging, columns| self.score(judging, page, columns)),
        );
        judging
    }

    /// Takes from the columns of all blocks which stand in comment sections, and which is the headline.
    fn see(&self, judging: &mut Judging, columns: &Columns) {
        let lanes = |column: &u16| {
            let lanes = self.of_all.slot(*column).and_then(|slot| columns.column(slot));
            columns.blocks().iter().zip(lanes.into_iter().flatten()).map(|(block, is)| (*block, *is > 0.0))
        };
        judging.in_comments.extend(self.comments.first().into_iter().flat_map(lanes).map(|(_, is)| is));
        let mut headlines = self.headline.iter().flat_map(lanes).filter(|(_, is)| *is);
        judging.headline = judging.headline.or_else(|| headlines.next().map(|(block, _)| block as usize));
    }

    /// Scores the blocks of a batch.
    fn score(&self, judging: &mut Judging, page: &Page, columns: &Columns) {
        if columns.blocks().first() == Some(&0) {
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

    /// Adds the blocks of a batch to the known words of their page; none if the model does not say what it knows.
    fn add_known_words(&self, known_words: &mut KnownWords, page: &Page, columns: &Columns) {
        let slot = self.known_words.and_then(|column| self.compiled.columns().slot(column));
        let Some(shares) = slot.and_then(|slot| columns.column(slot)) else { return };
        let blocks = columns.blocks().iter().filter_map(|block| page.blocks.get(*block as usize));
        blocks.zip(shares).for_each(|(block, share)| known_words.add(block.words, *share));
    }
}

impl Model {
    /// Names of the summands of a block's log odds: columns of linear and additive parts, crosses as `a x b`,
    /// `intercept`, and `trees` for all trees together.
    pub fn reasons(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (_, scorer) in &self.parts {
            self.name_reasons(scorer, &mut all);
        }
        for scorer in &self.kinds {
            self.name_reasons(scorer, &mut all);
        }
        all
    }

    /// Names the summands of a scorer.
    fn name_reasons(&self, scorer: &Scorer, all: &mut Vec<String>) {
        let name = |column: u16| {
            let name = self.schema.names().get(usize::from(column));
            name.cloned().unwrap_or_default()
        };
        match scorer {
            Scorer::Linear(linear) => {
                all.push("intercept".to_owned());
                all.extend(linear.weights.iter().map(|weight| name(weight.column)));
            }
            Scorer::Additive(additive) => {
                all.push("intercept".to_owned());
                all.extend(additive.step_functions.iter().map(|step| name(step.column)));
                let crosses = additive.crosses.iter();
                all.extend(crosses.map(|cross| format!("{} x {}", name(cross.columns.0), name(cross.columns.1))));
            }
            Scorer::Trees(_) => all.push("trees".to_owned()),
        }
    }

    /// The value that each of the [`Model::reasons`] adds to the log odds of a row: exact for linear and
    /// additive parts.
    pub fn contributions(&self, row: &[f32]) -> Vec<f32> {
        let value = |column: u16| row.get(usize::from(column)).copied().unwrap_or(0.0);
        let of_kinds = self.kind_shares(&self.type_odds(value), value);
        let rest = 1.0 - of_kinds.iter().sum::<f32>();
        // Where the first part is not in doubt, it stands for the trees.
        let first = self.parts.first().map_or(0.0, |(_, scorer)| scorer.log_odds(row));
        let is_sure = self.file.band.is_some_and(|band| first.abs() >= band);
        let trees = self.parts.iter().filter(|(_, scorer)| is_sure && matches!(scorer, Scorer::Trees(_)));
        let of_trees: f32 = trees.map(|(share, _)| share).sum();
        let mut all = Vec::new();
        for (at, (share, scorer)) in self.parts.iter().enumerate() {
            match scorer {
                Scorer::Trees(_) if is_sure => all.push(0.0),
                scorer => {
                    let share = if at == 0 { share + of_trees } else { *share };
                    contribute(scorer, rest * share, row, &mut all);
                }
            }
        }
        for (share, scorer) in of_kinds.into_iter().zip(&self.kinds) {
            contribute(scorer, share, row, &mut all);
        }
        all
    }
}

/// The value that each reason of a scorer adds to the log odds of a row if the scorer has this share in them.
fn contribute(scorer: &Scorer, share: f32, row: &[f32], all: &mut Vec<f32>) {
    let value = |column: u16| row.get(usize::from(column)).copied().unwrap_or(0.0);
    match scorer {
        Scorer::Linear(linear) => {
            all.push(share * linear.intercept);
            let odds = linear.weights.iter();
            all.extend(odds.map(|weight| share * weight.weight * value(weight.column)));
        }
        Scorer::Additive(additive) => {
            all.push(share * additive.intercept);
            let odds = additive.step_functions.iter();
            all.extend(odds.map(|step| share * step.weight(value(step.column))));
            let odds = additive.crosses.iter();
            all.extend(odds.map(|cross| share * cross.weight(value(cross.columns.0), value(cross.columns.1))));
        }
        Scorer::Trees(trees) => all.push(share * trees.log_odds(row)),
    }
}
