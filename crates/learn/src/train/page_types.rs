//! Learns the scorers of page types, and the scorers of two kinds of pages: threads, and pages that are not one text.
//!
//! The type of a page (article, forum, product and others) is learned from the columns that are equal for all of its
//! blocks. The scorer of a kind learns from the pages that the other scorers learn from and from further sets of its
//! kind, which nothing else learns from. A page counts by the probability that it is of the kind, because the scorer is
//! asked only about such pages. So court listings and forums teach nothing about news.

use std::collections::BTreeSet;

use rayon::prelude::*;
use trommel_model::features::Schema;
use trommel_model::{KindScorer, PageType, PageTypeScorer, probability_of_kind};

use super::learner::{BINS, SEEDS, sketch_of};
use super::logistic::fit_additive;
use super::table::{Binned, BlockTable};
use super::training_pages::Labelled;
use super::{ADDRESS, Purpose, TYPE_WORDS};
use crate::error::LearnError;

/// Kind of pages with a scorer of its own: an extra part of the model that helps to judge blocks on such pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Pages that are not one text: listings, products, documentation.
    Lists,
    /// Forum threads: posts of several people, one below the other.
    Threads,
}

const TEXTS: [&str; 2] = [PageType::ARTICLE, PageType::THREAD];

impl Kind {
    /// Returns the names of the page types that do not belong to this kind of pages.
    fn others(self, page_types: &[PageTypeScorer]) -> Vec<String> {
        match self {
            Kind::Lists => TEXTS.map(str::to_owned).into(),
            Kind::Threads => {
                page_types.iter().map(|of| of.name.clone()).filter(|name| name != PageType::THREAD).collect()
            }
        }
    }

    /// Returns the log odds to add to the scorer for this kind of pages; more blocks are kept if they are positive.
    fn lift(self) -> f32 {
        match self {
            // Recall costs these pages more than precision. Agendas gain .009, courts, documentation and wcxb-dev change
            // by less than .001.
            Kind::Lists => 0.4,
            Kind::Threads => 0.0,
        }
    }

    /// Returns the share of the scorer for this kind of pages in the log odds of blocks, once it counts fully (0 to 1).
    // With 1 the errors of the other parts, which are others, are no longer averaged out. From .7 to .8
    // records-dev gains .014 and calendars-dev .015; at .9 collections lose .012 and products .008.
    fn share(self) -> f32 {
        match self {
            Kind::Lists => 0.8,
            Kind::Threads => 0.7,
        }
    }
}

/// Two probabilities that a page is of a kind (listing or forum): from the first on, the scorer for the kind counts in
/// part, from the second on, fully.
// From .1 on, pages of news and blogs lose: L3S-GN1 .004.
const BETWEEN: (f32, f32) = (0.3, 0.7);
/// Probability that a page is of a kind (listing or forum); pages above it have full weight in training the kind's
/// scorer.
const FULL_WEIGHT: f32 = 0.5;
/// Minimum weight of a page in training the scorer for a page kind; pages of other kinds count this little.
const MIN_WEIGHT: f32 = 0.1;

/// Training pages for the scorer of a page kind (listing or forum), with the weight of each page.
pub(super) struct KindPages {
    kind: Kind,
    others: Vec<String>,
    shares: Vec<f32>,
}

impl KindPages {
    /// Weighs the pages of a table by the probability, from `page_types`, that they are of this kind.
    pub fn new(kind: Kind, table: &BlockTable, page_types: &[PageTypeScorer]) -> Self {
        let others = kind.others(page_types);
        let rows = table.pages.iter().map(|(first, _)| table.row(*first).unwrap_or_default());
        Self { kind, shares: rows.map(|row| share_of_page(&others, page_types, row)).collect(), others }
    }

    /// Fits the scorer of the kind on the pages of `table` and on the `further` pages.
    ///
    /// # Errors
    /// Fails if nothing can be learned from the pages.
    pub fn fit(
        mut self,
        mut table: BlockTable,
        further: &[&Labelled],
        schema: &Schema,
        page_types: &[PageTypeScorer],
        purpose: Purpose,
    ) -> Result<KindScorer, LearnError> {
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
                self.shares.push(share_of_page(&self.others, page_types, rows.get(..table.width).unwrap_or_default()));
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
        scorer.intercept += self.kind.lift();
        let share = self.kind.share();
        scorer.round();
        Ok(KindScorer { others: self.others, between: BETWEEN, share, scorer })
    }
}

/// Returns the weight of a page in training the scorer for a page kind, given the features of one of its blocks.
fn share_of_page(others: &[String], page_types: &[PageTypeScorer], row: &[f32]) -> f32 {
    (probability_of_kind(others, page_types, &type_odds(page_types, row)) / FULL_WEIGHT).clamp(MIN_WEIGHT, 1.0)
}

/// Prefixes of the feature columns that describe the whole page rather than one block.
const PREFIXES: [&str; 9] = [
    "page.", ADDRESS, TYPE_WORDS, "prose.page", "prose.top", "prose.second", "topic.log_", "stated.log_",
    "outline.log_headings",
];
/// L2 penalty for fitting the scorers of page types, which have only two thousand pages to learn from.
const PENALTY: f64 = 3e-4;
/// Maximum number of bins of a column in training the scorers of page types.
const TYPE_BINS: usize = 12;

/// Returns the factor for the log odds of blocks on pages of a type, before main text is chosen by simulated outcomes.
/// Above 1, doubtful blocks are dropped, as suits one text or a row of posts. Below 1, they are kept, as suits cards,
/// links and short parts.
fn sharpness(page_type: &str) -> f32 {
    match page_type {
        "article" | "forum" => 1.2,
        "collection" | "documentation" | "listing" | "service" => 0.7,
        _ => 1.0,
    }
}

/// Returns the factor for a page's log odds before text is chosen by simulated outcomes; `row` holds one block's
/// features.
pub(super) fn page_sharpness(types: &[PageTypeScorer], row: Option<&[f32]>) -> f32 {
    let page_type = row.and_then(|row| PageType::of(types, &type_odds(types, row)));
    page_type.map_or(1.0, |page_type| page_type.sharpness)
}

/// Returns the log odds of each page type for a page, given the feature row of one of the page's blocks.
pub(super) fn type_odds(types: &[PageTypeScorer], row: &[f32]) -> Vec<f32> {
    types.iter().map(|page_type| page_type.scorer.log_odds(row)).collect()
}

/// Returns whether a feature column has the same value for all blocks of a page.
pub(super) fn is_of_page(column: &str) -> bool {
    PREFIXES.iter().any(|prefix| column.starts_with(prefix))
}

/// Fits one scorer for each page type that the training pages name, against all other types; none if these are fewer
/// than two. Pages without a type do not count. `threads` are additional pages of the type `forum`.
///
/// # Errors
/// Fails if a solver fails.
pub(crate) fn fit_page_types(
    table: &BlockTable,
    schema: &Schema,
    pages: &[&Labelled],
    threads: &[&Labelled],
) -> Result<Vec<PageTypeScorer>, LearnError> {
    let names = schema.names();
    let columns: Vec<usize> = (0..names.len()).filter(|at| is_of_page(&names[*at])).collect();
    let mut data = Vec::new();
    let mut types = Vec::new();
    for (first, page) in &table.pages {
        let Some(page_type) = pages.get(*page).and_then(|page| page.page.gold.page_type.as_deref()) else { continue };
        let row = &table.data[first * table.width..(first + 1) * table.width];
        data.extend(columns.iter().map(|column| row[*column]));
        types.push(page_type);
    }
    let all: BTreeSet<&str> = types.iter().copied().collect();
    if all.len() < 2 {
        return Ok(Vec::new());
    }
    let mut weights = vec![1.0; types.len()];
    // They are of few programs: together they weigh what the threads among the pages weigh.
    let known = types.iter().filter(|page_type| **page_type == PageType::THREAD).count();
    let weight = (known as f32 / threads.len().max(1) as f32).min(1.0);
    let first_row = |page: &&Labelled| page.rows(schema).iter().next().map(<[f32]>::to_vec);
    let rows: Vec<Option<Vec<f32>>> = threads.par_iter().map(first_row).collect();
    for row in rows.into_iter().flatten() {
        data.extend(columns.iter().map(|column| row[*column]));
        types.push(PageType::THREAD);
        weights.push(weight);
    }
    let binned = Binned::new(&data, columns.len(), &weights, TYPE_BINS);
    all.into_iter()
        .map(|name| {
            let labels: Vec<bool> = types.iter().map(|page_type| *page_type == name).collect();
            let mut scorer = fit_additive(&binned, &labels, &weights, &[], PENALTY)?;
            for steps in &mut scorer.step_functions {
                steps.column = columns[usize::from(steps.column)] as u16;
            }
            Ok(PageTypeScorer { name: name.to_owned(), scorer, sharpness: sharpness(name) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelled_pages::{Gold, PageSet};
    use crate::test_pages;
    use crate::train::TrainOptions;
    use crate::train::adaptation::corrected;
    use crate::train::block_model::train;
    use trommel_model::{Additive, Model};

    /// Creates pages of ten hosts: articles with linked lists as menus, or listings whose linked list is the text.
    fn set(name: &str, is_listing: bool) -> PageSet {
        let pages = (0..40).map(|at| {
            let prose = format!("The story of page {at} of {name} goes on for some words here, and then it ends. ");
            let items: Vec<String> = (0..48).map(|item| format!("Ruling {item} of {at}")).collect();
            let links: String = items.iter().map(|item| format!("<li><a href=x>{item}</a>")).collect();
            let body = if is_listing { String::new() } else { format!("<p>{}</p>", prose.repeat(5)).repeat(6) };
            let html = format!("<h1>Page {at}</h1>{body}<ul>{links}</ul><p>Imprint</p>");
            let gold = if is_listing { items.join("\n") } else { prose.repeat(30) };
            test_pages::labelled(
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
        let options = TrainOptions { folds: 2, ..test_pages::options() };
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

    /// Creates forum pages whose gold is all posts, or nothing.
    fn threads(name: &str, are_text: bool) -> PageSet {
        let pages = (0..40).map(|at| {
            let posts: Vec<String> =
                (0..48).map(|post| format!("Answer {post} to question {at}, in few words")).collect();
            let body: String =
                posts.iter().map(|post| format!("<div class=post><b>user</b><p>{post}</p></div>")).collect();
            test_pages::labelled(
                &format!("<h1>Question {at}</h1>{body}<p>Imprint</p>"),
                Gold {
                    record_id: format!("{name}{at}"),
                    url: format!("http://h{}.example/{name}/{at}", at % 10),
                    gold: Some(if are_text { posts.join("\n") } else { String::new() }),
                    page_type: Some("forum".into()),
                    ..Gold::default()
                },
            )
        });
        PageSet { name: name.into(), pages: pages.collect() }
    }

    #[test]
    fn threads_are_learned_without_a_change_on_articles_and_listings() {
        // The base knows threads whose posts it was told to drop.
        let sets = [set("news", false), set("lists", true), threads("few", false), threads("many", true)];
        let train = |thread_sets: usize| {
            let options = TrainOptions { folds: 2, thread_sets, ..test_pages::options() };
            train(&sets[..3 + thread_sets], &options).unwrap().model
        };
        let (base, all) = (train(0), train(1));
        let odds = |model: &Model, set: &PageSet, block: usize| {
            let page = &set.pages[0];
            model.log_odds(&page.page, page.gold.address())[block]
        };
        for other in &sets[..2] {
            assert_eq!(odds(&all, other, 2), odds(&base, other, 2), "{}", other.name);
        }
        assert!(odds(&all, &sets[3], 3) > odds(&base, &sets[3], 3) + 1.0);
    }

    #[test]
    fn a_page_is_judged_as_sharply_as_its_types() {
        let of = |name: &str, intercept: f32| PageTypeScorer {
            name: name.into(),
            scorer: Additive { intercept, ..Additive::default() },
            sharpness: sharpness(name),
        };
        let of_page = |types: &[PageTypeScorer]| page_sharpness(types, Some(&[0.0]));
        let article = of_page(&[of("article", 9.0), of("listing", -9.0)]);
        let listing = of_page(&[of("article", -9.0), of("listing", 9.0)]);
        let both = of_page(&[of("article", 0.0), of("listing", 0.0)]);
        assert!(article > 1.1 && listing < 0.8, "{article} {listing}");
        assert!((both - (article + listing) / 2.0).abs() < 1e-3, "{both}");
        assert_eq!(of_page(&[]), 1.0);
        assert_eq!(page_sharpness(&[of("article", 9.0)], None), 1.0);
        assert_eq!(of_page(&[of("block-page", 0.0)]), 1.0);
    }
}
