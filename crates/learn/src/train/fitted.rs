//! Fits all that makes up a model on the same training pages: the scorers beside the one of blocks, too.
//!
//! The type of a page (article, forum, product and others) is learned from the columns that are equal for all of
//! its blocks. The scorer of pages that are not one text (listings, products, documentation) learns from the pages
//! that the other scorers learn from and from further sets of such pages. A page counts by the probability that it
//! is not one text, because the scorer is asked only about such pages. So court listings teach nothing about news.
//!
//! The scorer of embedded texts judges those that stand only in a page's JSON-LD and not among its blocks. Gold
//! texts are what readers of rendered or stored pages saw, so almost none of the embedded texts is content there.
//! Pages whose text only a script writes must be imitated. A page that shows the text becomes such a page, with the
//! same gold, when the blocks that repeat the JSON-LD are removed. Both kinds of embedded texts are learned from,
//! and every page of a kind counts the same.
//!
//! Of some pages only some texts are known to be content. A quick model, trained on the pages with known labels,
//! labels the unknown blocks. Each weighs as much as that model is sure. Without them, training would learn that
//! everything on such a page is content.

use std::collections::BTreeSet;

use rayon::prelude::*;
use trommel_model::features::{EMBEDDED_COLUMNS, EmbeddedText, Schema};
use trommel_model::{
    ColumnWeight, EmbeddedScorer, JudgedEmbedded, Linear, ListScorer, PageType, PageTypeScorer, WeightedScorer,
    not_one_text, sigmoid,
};

use super::labelled::{Labelled, LabelledEmbedded};
use super::learner::{BINS, SEEDS, sketch, sketch_of};
use super::logistic::{Sample, fit_additive, fit_weighted};
use super::table::{Binned, BlockTable};
use super::{ADDRESS, Learner, TrainOptions, learned_words::LearnedLists};
use crate::error::LearnError;

/// Words, page types and scorers, learned from the same pages.
pub(super) struct Fitted {
    pub learned: LearnedLists,
    /// The share of known words of a usual page.
    pub known_words: f32,
    pub page_types: Vec<PageTypeScorer>,
    /// The scorers that make up the log odds with each penalty.
    pub parts: Vec<(Vec<WeightedScorer>, f64)>,
    pub lists: Option<ListScorer>,
}

/// Purpose of a fit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// Every candidate, to be judged on other pages. The scorer of lists is of one seed.
    Test,
    /// The model itself, with this penalty.
    Use(f64),
}

impl Fitted {
    /// Fits on these pages. The scorer of lists also learns from the sets from the number `trained` on, and nothing else
    /// does.
    ///
    /// # Errors
    /// If there is nothing to learn from or a solver fails.
    pub fn new(
        pages: &[Labelled],
        trained: usize,
        options: &TrainOptions,
        purpose: Purpose,
    ) -> Result<Self, LearnError> {
        let (known, further): (Vec<&Labelled>, Vec<&Labelled>) = pages.iter().partition(|page| page.set < trained);
        let learned = LearnedLists::new(&known, &options.groups);
        let known_words = learned.usual_known_words(&known);
        let mut table = learned.table(&known, &options.groups);
        let page_types = match options.learner {
            Learner::Linear => Vec::new(),
            _ => fit_page_types(&table, learned.schema.names(), &known)?,
        };
        // The type of a page is known only until the columns of the address are blanked.
        let lists = (!further.is_empty()).then(|| ListRows::new(&table, &page_types));
        options.learner.blank_unasked(&mut table, learned.schema.names());
        let penalties = match &purpose {
            Purpose::Test => options.learner.penalties(),
            Purpose::Use(penalty) => std::slice::from_ref(penalty),
        };
        let mut parts = Vec::new();
        for penalty in penalties {
            parts.push((options.learner.fit(&table, options.weighting, *penalty)?, *penalty));
        }
        let lists = lists.map(|lists| lists.fit(table, &further, &learned.schema, &page_types, purpose)).transpose()?;
        Ok(Self { learned, known_words, page_types, parts, lists })
    }
}

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

/// Columns of the page rather than of the block begin with one of these.
const PREFIXES: [&str; 8] = [
    "page.", "address.", "prose.page", "prose.top", "prose.second", "topic.log_", "stated.log_", "outline.log_headings",
];
/// Penalty of the fits: there are two thousand pages, not half a million blocks.
const TYPE_PENALTY: f64 = 3e-4;
/// Bins of a column.
const TYPE_BINS: usize = 12;

/// The factor of log odds in a selection by worlds on pages of a type. Where the content is one text or a
/// row of posts, doubtful blocks are dropped. Where it consists of cards, links and short parts, they are
/// kept. Products have both.
fn sharpness(page_type: &str) -> f32 {
    match page_type {
        "article" | "forum" => 1.2,
        "collection" | "documentation" | "listing" | "service" => 0.7,
        _ => 1.0,
    }
}

/// The factor of the log odds of a page's blocks in a selection by worlds, given the row of one of them.
pub(super) fn page_sharpness(types: &[PageTypeScorer], row: Option<&[f32]>) -> f32 {
    let odds = row.map(|row| {
        let odds = types.iter().map(|page_type| page_type.scorer.log_odds(row));
        odds.collect::<Vec<f32>>()
    });
    let page_type = odds.and_then(|odds| PageType::of(types, &odds));
    page_type.map_or(1.0, |page_type| page_type.sharpness)
}

/// Returns whether a column is the same for all blocks of a page.
pub(super) fn is_of_page(column: &str) -> bool {
    PREFIXES.iter().any(|prefix| column.starts_with(prefix))
}

/// One scorer a page type that the training pages name, each against the rest. Pages without a type
/// do not count.
///
/// # Errors
/// If a solver fails.
pub(crate) fn fit_page_types(
    table: &BlockTable,
    names: &[String],
    pages: &[&Labelled],
) -> Result<Vec<PageTypeScorer>, LearnError> {
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
    let weights = vec![1.0; types.len()];
    let binned = Binned::new(&data, columns.len(), &weights, TYPE_BINS);
    all.into_iter()
        .map(|name| {
            let labels: Vec<bool> = types.iter().map(|page_type| *page_type == name).collect();
            let mut scorer = fit_additive(&binned, &labels, &weights, &[], TYPE_PENALTY)?;
            for steps in &mut scorer.step_functions {
                steps.column = columns[usize::from(steps.column)] as u16;
            }
            Ok(PageTypeScorer { name: name.to_owned(), scorer, sharpness: sharpness(name) })
        })
        .collect()
}

/// Weight of a page without its blocks against one as it is. Weighing as much, they cost F1 on pages as
/// they are: answers and product texts are kept beside a page's own.
const HIDDEN_WEIGHT: f64 = 0.1;
/// Strength of the L2 penalty.
const EMBEDDED_PENALTY: f64 = 1e-3;

/// A page's own embedded texts with the probabilities that a scorer gives; none without a scorer.
pub(super) fn judged(embedded: &LabelledEmbedded, scorer: Option<&EmbeddedScorer>) -> Vec<JudgedEmbedded> {
    let Some(scorer) = scorer else { return Vec::new() };
    embedded
        .complete
        .iter()
        .map(|(embedded, _)| JudgedEmbedded {
            probability: sigmoid(scorer.scorer.log_odds(&embedded.features)),
            embedded: embedded.clone(),
            kept: false,
        })
        .collect()
}

/// Fits the scorer; none if the pages hold no embedded texts of both labels.
///
/// # Errors
/// If the solver fails.
pub(crate) fn fit_embedded(pages: &[&Labelled]) -> Result<Option<EmbeddedScorer>, LearnError> {
    let sets = pages.iter().map(|page| page.set + 1).max().unwrap_or(0);
    let mut sizes = vec![0.0f64; sets];
    pages.iter().for_each(|page| sizes[page.set] += 1.0);
    let mut sample = Sample { width: EMBEDDED_COLUMNS.len(), ..Sample::default() };
    let mut weights = Vec::new();
    for page in pages {
        let groups = [(&page.embedded.complete, 1.0), (&page.embedded.hidden, HIDDEN_WEIGHT)];
        for (group, weight) in groups {
            let root = |text: &EmbeddedText| f64::from(text.words).sqrt();
            let roots: f64 = group.iter().map(|(text, _)| root(text)).sum();
            for (embedded, is_content) in group {
                sample.data.extend_from_slice(&embedded.features);
                sample.labels.push(*is_content);
                weights.push((weight * root(embedded) / (roots * sizes[page.set].sqrt())) as f32);
            }
        }
    }
    let content = sample.labels.iter().filter(|label| **label).count();
    if content == 0 || content == sample.labels.len() {
        return Ok(None);
    }
    let fit = fit_weighted(&sample, &weights, EMBEDDED_PENALTY)?;
    let weights = (0u16..).zip(fit.weights.iter().zip(&fit.deviations)).filter(|(_, (weight, _))| **weight != 0.0).map(
        |(column, (weight, deviation))| ColumnWeight { column, weight: *weight as f32, deviation: *deviation as f32 },
    );
    Ok(Some(EmbeddedScorer {
        columns: EMBEDDED_COLUMNS.map(str::to_owned).to_vec(),
        scorer: Linear { intercept: fit.intercept as f32, weights: weights.collect() },
        rows: (sample.labels.len() as u32, content as u32),
        penalty: EMBEDDED_PENALTY,
    }))
}

/// The treatment of comments in training: readers' comments in the JSON-LD are left out, as by default.
pub(crate) const WITH_COMMENTS: bool = false;

/// The pages with labels for all blocks: first those whose labels are known, then the others.
///
/// # Errors
/// If nothing can be learned from the pages whose labels are known.
pub(super) fn completed<'a>(pages: Vec<Labelled<'a>>, options: &TrainOptions) -> Result<Vec<Labelled<'a>>, LearnError> {
    let (partial, mut pages): (Vec<Labelled>, Vec<Labelled>) = pages.into_iter().partition(Labelled::is_partial);
    if partial.is_empty() || pages.is_empty() {
        pages.extend(partial);
        return Ok(pages);
    }
    let known: Vec<&Labelled> = pages.iter().collect();
    let learned = LearnedLists::new(&known, &options.groups);
    let mut table = learned.table(&known, &options.groups);
    options.learner.blank_unasked(&mut table, learned.schema.names());
    let quick = sketch(&table)?;
    drop(table);
    let completed: Vec<Labelled> = partial
        .into_par_iter()
        .map(|mut page| {
            let rows = page.rows(&learned.schema);
            let mut odds: Vec<f32> = rows.iter().map(|row| quick.log_odds(row)).collect();
            page.layout.pool(&mut odds, options.learner.pooling());
            complete(&mut page, &odds);
            page
        })
        .collect();
    pages.extend(completed);
    Ok(pages)
}

/// Labels the blocks that are not known by their log odds.
fn complete(page: &mut Labelled, odds: &[f32]) {
    let blocks = page.labels.iter_mut().zip(&mut page.certainty);
    for ((label, certainty), odds) in blocks.zip(odds) {
        if *certainty == 0.0 {
            *label = *odds > 0.0;
            *certainty = (2.0 * sigmoid(*odds) - 1.0).abs();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::{Gold, LabelledPage, PageSet};
    use crate::toy;
    use crate::train::TrainOptions;
    use crate::train::adapted::corrected;
    use crate::train::trained::train;
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

    fn page(at: usize, shown: bool) -> LabelledPage {
        let body = format!("Story {at} is told here in some words. It goes on for a while, and ends.");
        let prose = "Other prose of the page that has nothing to do with what is told elsewhere.";
        let html = format!(
            "<script type=application/ld+json>[{{\"@type\":\"Article\",\"articleBody\":\"{body}\"}},\
             {{\"@type\":\"VideoObject\",\"description\":\"A film of number {at} with sound\"}}]</script>\
             <p>Menu</p><p>{}</p>",
            if shown { body.as_str() } else { prose }
        );
        toy::labelled(
            &html,
            Gold {
                record_id: format!("r{at}"),
                gold: Some(if shown { body } else { prose.to_owned() }),
                ..Gold::default()
            },
        )
    }

    #[test]
    fn bodies_that_a_script_writes_are_learned_from_pages_that_show_them() {
        let pages: Vec<LabelledPage> = (0..40).map(|at| page(at, at % 2 == 0)).collect();
        let labelled: Vec<Labelled> = pages
            .iter()
            .map(|page| {
                let text = page.gold.text(true);
                let mut labelled = Labelled::new(page, 0, Vec::new(), text);
                labelled.embedded = LabelledEmbedded::of(&page.page, &labelled.text);
                labelled
            })
            .collect();
        let all: Vec<&Labelled> = labelled.iter().collect();
        let scorer = fit_embedded(&all).unwrap().unwrap();
        // Of each shown page the film, and both once the body is hidden; of each other page both.
        assert_eq!(scorer.rows, (20 * 3 + 20 * 2, 20));
        let odds = |(embedded, _): &(EmbeddedText, bool)| scorer.scorer.log_odds(&embedded.features);
        assert!(odds(&labelled[0].embedded.hidden[0]) > 0.0);
        assert!(odds(&labelled[0].embedded.hidden[1]) < 0.0);
        let judged = judged(&labelled[1].embedded, Some(&scorer));
        assert!(judged.len() == 2 && judged.iter().all(|embedded| embedded.probability < 0.5));
        assert!(fit_embedded(&[]).unwrap().is_none());
    }

    #[test]
    fn what_is_known_stays_and_the_rest_follows_the_model() {
        let page = toy::labelled(
            "<p>Home</p><p>Salt</p><p>Mix it.</p>",
            Gold { with: vec!["Salt".into()], ..Gold::default() },
        );
        let mut labelled = Labelled::new(&page, 0, vec![false, true, false], "Salt".into());
        labelled.certainty = vec![0.0, 1.0, 0.0];
        complete(&mut labelled, &[-8.0, -8.0, 1.0]);
        assert_eq!(labelled.labels, [false, true, true]);
        assert!(labelled.certainty[0] > 0.99 && labelled.certainty[1] == 1.0);
        assert!((labelled.certainty[2] - 0.462).abs() < 1e-3, "{:?}", labelled.certainty);
    }
}
