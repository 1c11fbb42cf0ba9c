//! Learns the scorer of pages that are not one text: listings, products, documentation.
//!
//! It learns from the pages that the other scorers learn from and from further sets of such pages. A page counts by the
//! probability that it is not one text, because the scorer is asked only about such pages. So court listings teach
//! nothing about news.

use rayon::prelude::*;
use trommel_model::features::Schema;
use trommel_model::{ListScorer, PageTypeScorer, not_one_text};

use super::ADDRESS;
use super::bins::Binned;
use super::fitted::Purpose;
use super::labelled::Labelled;
use super::learner::{BINS, SEEDS, sketch_of};
use super::table::BlockTable;
use crate::error::LearnError;

/// Page types that are one text.
const TEXTS: [&str; 2] = ["article", "forum"];
/// Probability that a page is not one text up to which the scorer has no share, and from which on its full share.
// From .1 on, pages of news and blogs lose: L3S-GN1 .004.
const BETWEEN: (f32, f32) = (0.3, 0.7);
/// Full share of the scorer in the log odds.
// With 1 the errors of the other parts, which are others, are no longer averaged out.
const SHARE: f32 = 0.7;
/// Bias added to the log odds of every block, because recall costs these pages more than precision.
// Agendas gain .009, courts, documentation and wcxb-dev change by less than .001.
const LIFT: f32 = 0.4;
/// Probability that a page is not one text above which it has its full weight in training, and the minimum weight of a
/// page.
const FULL_WEIGHT: f32 = 0.5;
const MIN_WEIGHT: f32 = 0.1;

/// Weight of each page of a table in the training of the scorer.
pub(super) struct ListRows {
    shares: Vec<f32>,
}

impl ListRows {
    /// The pages of a table whose columns tell the page type.
    pub fn new(table: &BlockTable, page_types: &[PageTypeScorer]) -> Self {
        let rows = table.pages.iter().map(|(first, _)| table.row(*first).unwrap_or_default());
        Self { shares: rows.map(|row| share_of_page(page_types, row)).collect() }
    }

    /// The scorer, learned from these pages and from `further` ones.
    ///
    /// # Errors
    /// If nothing can be learned from them.
    pub fn fit(
        mut self,
        mut table: BlockTable,
        further: &[&Labelled],
        schema: &Schema,
        page_types: &[PageTypeScorer],
        purpose: Purpose,
    ) -> Result<ListScorer, LearnError> {
        let sets = further.iter().map(|page| page.set + 1).max().unwrap_or(0);
        let mut sizes = vec![0.0f64; sets];
        further.iter().for_each(|page| sizes[page.set] += 1.0);
        let rows: Vec<Vec<f32>> =
            further.par_iter().map(|page| page.rows(schema).iter().flatten().copied().collect()).collect();
        for (number, (page, rows)) in further.iter().zip(rows).enumerate() {
            let pages = table.pages.len();
            table.push_page(number, page, &rows, sizes[page.set].sqrt());
            // A page without blocks gives no rows.
            if table.pages.len() > pages {
                self.shares.push(share_of_page(page_types, rows.get(..table.width).unwrap_or_default()));
            }
        }
        table.blank(schema.names(), ADDRESS);
        let starts = table.pages.iter().map(|(first, _)| *first).chain([table.labels.len()]);
        let starts: Vec<usize> = starts.collect();
        for (page, share) in starts.windows(2).zip(&self.shares) {
            if let [first, end] = page {
                table.weights[*first..*end].iter_mut().for_each(|weight| *weight *= share);
            }
        }
        let binned = Binned::new(&table.data, table.width, &table.weights, BINS);
        let seeds = if matches!(purpose, Purpose::Test) { 1 } else { SEEDS };
        let mut scorer = sketch_of(&binned, &table.labels, &table.weights, seeds)?;
        scorer.intercept += LIFT;
        scorer.round();
        Ok(ListScorer { texts: TEXTS.map(str::to_owned).into(), between: BETWEEN, share: SHARE, scorer })
    }
}

/// Weight of a page in training, from the row of one of its blocks.
fn share_of_page(page_types: &[PageTypeScorer], row: &[f32]) -> f32 {
    let odds: Vec<f32> = page_types.iter().map(|page_type| page_type.scorer.log_odds(row)).collect();
    (not_one_text(&TEXTS.map(str::to_owned), page_types, &odds) / FULL_WEIGHT).clamp(MIN_WEIGHT, 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::adapted::corrected;
    use super::super::options::TrainOptions;
    use super::super::trained::train;
    use crate::pages::{Gold, PageSet};
    use crate::toy;
    use trommel_model::{Additive, Model};

    /// Pages of ten hosts: articles with linked lists that are menus, or listings of which the linked list is the text.
    fn set(name: &str, is_listing: bool) -> PageSet {
        let pages = (0..40).map(|at| {
            let prose = format!("The story of page {at} of {name} goes on for some words here, and then it ends. ");
            let items: Vec<String> = (0..48).map(|item| format!("Ruling {item} of {at}")).collect();
            let links: String = items.iter().map(|item| format!("<li><a href=x>{item}</a>")).collect();
            let body = if is_listing { String::new() } else { format!("<p>{}</p>", prose.repeat(5)).repeat(6) };
            let html = format!("<h1>Page {at}</h1>{body}<ul>{links}</ul><p>Imprint</p>");
            let gold = if is_listing { items.join("\n") } else { prose.repeat(30) };
            toy::labelled(
                &html,
                Gold {
                    record_id: format!("{name}{at}"),
                    url: format!("http://h{}.example/{name}/{at}", at % 10),
                    gold: Some(gold),
                    page_type: Some(if is_listing { "listing" } else { "article" }.into()),
                    ..Gold::default()
                },
            )
        });
        PageSet { name: name.into(), pages: pages.collect() }
    }

    #[test]
    fn lists_are_learned_without_a_change_on_articles() {
        let options = TrainOptions { folds: 2, ..toy::options() };
        // The base knows few listings, whose lists it was told to drop.
        let mut few = set("few", true);
        few.pages.iter_mut().for_each(|page| page.gold.gold = Some(String::new()));
        let sets = [set("news", false), few, set("courts", true)];
        let train = |list_sets: usize| {
            let sets = &sets[..2 + list_sets];
            train(sets, &TrainOptions { list_sets, ..options.clone() }).unwrap()
        };
        let (base, all) = (train(0).model, train(1));
        let odds = |model: &Model, set: &PageSet| {
            let page = &set.pages[0];
            model.log_odds(&page.page, page.gold.address())[2]
        };
        assert_eq!(odds(&all.model, &sets[0]), odds(&base, &sets[0]));
        assert!(odds(&all.model, &sets[2]) > odds(&base, &sets[2]) + 1.0);
        // Cross-validation asks the scorer as the model does.
        assert_eq!((all.judged.len(), all.judged[80].set), (120, 2));
        let of_base = base.judge(&sets[2].pages[0].page, sets[2].pages[0].gold.address()).probabilities[2];
        let of_courts = all.judged[80].probabilities[2];
        assert!(of_courts > 2.0 * of_base, "{of_courts} {of_base}");
        // Corrections by which a model is adapted to other pages are whole on all pages.
        let correction = Additive { intercept: 2.0, ..Additive::default() };
        let adapted = corrected(&all.model, Some(correction), &[], &options, &[]).unwrap();
        for set in &sets {
            let gain = odds(&adapted, set) - odds(&all.model, set);
            assert!((gain - 2.0).abs() < 1e-3, "{gain}");
        }
        assert_eq!(all.model.file().training.sets.len(), 3);
    }
}
