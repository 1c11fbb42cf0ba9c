//! Fits all parts of a model on the same training pages, including the scorer of embedded texts.
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

use rayon::prelude::*;
use trommel_model::features::{EMBEDDED_COLUMNS, EmbeddedText};
use trommel_model::{
    ColumnWeight, EmbeddedScorer, JudgedEmbedded, KindScorer, Linear, PageTypeScorer, WeightedScorer, sigmoid,
};

use super::learner::sketch;
use super::logistic::{Sample, fit_weighted};
use super::page_types::{Kind, KindPages, fit_page_types};
use super::training_pages::{Labelled, LabelledEmbedded};
use super::{Learner, Purpose, SetRoles, TYPE_WORDS, TrainOptions, learned_words::LearnedLists};
use crate::error::LearnError;

/// Parts of a model that were fitted on the same pages: word lists, page types and scorers.
pub(super) struct Fitted {
    pub learned: LearnedLists,
    /// Median over the training pages of the share of words with a learned weight (0 to 1).
    pub known_words: f32,
    pub page_types: Vec<PageTypeScorer>,
    /// Scorers whose weighted sum gives the log odds of a block, one list for each penalty, with that penalty.
    pub parts: Vec<(Vec<WeightedScorer>, f64)>,
    pub lists: Option<KindScorer>,
    pub threads: Option<KindScorer>,
}

impl Fitted {
    /// Fits all parts of a model on `pages`. `roles` says which of the last page sets train only the parts for forums
    /// and listings.
    ///
    /// # Errors
    /// Fails if there is nothing to learn from or a solver fails.
    pub fn new<'a>(
        pages: &'a [Labelled<'a>],
        roles: SetRoles,
        options: &TrainOptions,
        purpose: Purpose,
    ) -> Result<Self, LearnError> {
        let (known, further): (Vec<&Labelled>, Vec<&Labelled>) =
            pages.iter().partition(|page| page.set < roles.threads);
        let (threads, lists): (Vec<&Labelled>, Vec<&Labelled>) =
            further.into_iter().partition(|page| page.set < roles.lists);
        let learned = LearnedLists::new(&known, &options.groups)?;
        let known_words = learned.usual_known_words(&known);
        let mut table = learned.table(&known, &options.groups)?;
        let page_types = match options.learner {
            Learner::Linear => Vec::new(),
            _ => fit_page_types(&table, &learned.schema, &known, &threads)?,
        };
        // The type of a page is known only until the columns of the address are blanked.
        let kind = |kind, pages: Vec<&'a Labelled<'a>>| {
            (!pages.is_empty()).then(|| (KindPages::new(kind, &table, &page_types), pages))
        };
        let (threads, lists) = (kind(Kind::Threads, threads), kind(Kind::Lists, lists));
        let names = learned.schema.names();
        options.learner.blank_unasked(&mut table, names);
        let fit = |(kind, pages): (KindPages, Vec<&Labelled>)| {
            kind.fit(table.clone(), &pages, &learned.schema, &page_types, purpose)
        };
        let threads = threads.map(fit).transpose()?;
        let lists = lists.map(fit).transpose()?;
        // On news pages the scorers of all blocks would lose by them what they gain on listings.
        table.blank(names, TYPE_WORDS);
        let penalties = match &purpose {
            Purpose::Test => options.learner.penalties(),
            Purpose::Use(penalty) => std::slice::from_ref(penalty),
        };
        let mut parts = Vec::new();
        for penalty in penalties {
            parts.push((options.learner.fit(&table, options.weighting, *penalty)?, *penalty));
        }
        Ok(Self { learned, known_words, page_types, parts, lists, threads })
    }
}

/// Weight of a page whose visible text was removed, leaving the text in its JSON-LD, relative to the unchanged page.
/// With equal weights F1 falls on unchanged pages, because answers and product texts are kept besides the main text.
const HIDDEN_WEIGHT: f64 = 0.1;
/// L2 penalty for fitting the scorer of embedded texts (texts in a page's JSON-LD).
const EMBEDDED_PENALTY: f64 = 1e-3;

/// Returns the embedded texts of a page's JSON-LD with their probabilities by `scorer`; empty without a scorer.
pub(super) fn judged(embedded: &LabelledEmbedded, scorer: Option<&EmbeddedScorer>) -> Vec<JudgedEmbedded> {
    let Some(scorer) = scorer else { return Vec::new() };
    let texts = embedded.complete.iter();
    texts.map(|(text, _)| JudgedEmbedded::new(scorer.scorer.log_odds(&text.features), text.clone())).collect()
}

/// Fits the scorer of texts in JSON-LD; returns `None` unless the pages have both kinds, content and other texts.
///
/// # Errors
/// Fails if the solver fails.
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

/// True if readers' comments in the JSON-LD count as text in training; by default they are left out.
pub(crate) const WITH_COMMENTS: bool = false;

/// Labels the unlabelled blocks of partly labelled pages by a model that is trained on the fully labelled pages, if
/// any. Returns first the fully labelled pages, and then the others.
///
/// # Errors
/// Fails if nothing can be learned from the fully labelled pages.
pub(super) fn completed<'a>(pages: Vec<Labelled<'a>>, options: &TrainOptions) -> Result<Vec<Labelled<'a>>, LearnError> {
    let (partial, mut pages): (Vec<Labelled>, Vec<Labelled>) = pages.into_iter().partition(Labelled::is_partial);
    if partial.is_empty() || pages.is_empty() {
        pages.extend(partial);
        return Ok(pages);
    }
    let known: Vec<&Labelled> = pages.iter().collect();
    let learned = LearnedLists::new(&known, &options.groups)?;
    let mut table = learned.table(&known, &options.groups)?;
    options.learner.blank_unasked(&mut table, learned.schema.names());
    table.blank(learned.schema.names(), TYPE_WORDS);
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

/// Labels the unlabelled blocks of a page by their log odds, and sets the certainty of these labels.
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
    use crate::labelled_pages::{Gold, LabelledPage};
    use crate::test_pages;

    fn page(at: usize, shown: bool) -> LabelledPage {
        let body = format!("Story {at} is told here in some words. It goes on for a while, and ends.");
        let prose = "Other prose of the page that has nothing to do with what is told elsewhere.";
        let html = format!(
            "<script type=application/ld+json>[{{\"@type\":\"Article\",\"articleBody\":\"{body}\"}},\
             {{\"@type\":\"VideoObject\",\"description\":\"A film of number {at} with sound\"}}]</script>\
             <p>Menu</p><p>{}</p>",
            if shown { body.as_str() } else { prose }
        );
        test_pages::labelled(
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
        let page = test_pages::labelled(
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
