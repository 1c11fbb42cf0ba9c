//! Cross-validation: models judge pages of hosts that they have not seen.

use rayon::prelude::*;
use trommel_features::FeatureMatrix;
use trommel_model::{EmbeddedScorer, JudgedEmbedded, WeightedScorer, log_odds_of_parts, sigmoid};

use super::completed::completed;
use super::embedded::{fit_embedded, judged};
use super::labelled::Labelled;
use super::learned::LearnedLists;
use super::learner::band;
use super::options::{Learner, TrainOptions};
use super::page_types::{fit_page_types, page_sharpness};
use super::poor::PoorCopy;
use crate::error::LearnError;

/// Probabilities of a page's blocks, a list a candidate.
pub(super) type ByCandidate = Vec<Vec<f32>>;

/// The verdicts of models on pages whose hosts they have not seen.
pub(super) struct CrossValidated {
    /// The candidates' penalties.
    pub penalties: Vec<f64>,
    /// Probabilities of the blocks of each page, one list a candidate.
    pub probabilities: Vec<ByCandidate>,
    /// For each page, the factor of log odds in a selection, by the type of the page.
    pub sharpness: Vec<f32>,
}

/// Judges each page by models that have not seen its host.
pub(super) fn cross_validate(
    pages: &[Labelled],
    copies: &[PoorCopy],
    folds: &[usize],
    options: &TrainOptions,
) -> Result<CrossValidated, LearnError> {
    let mut all = CrossValidated {
        penalties: Vec::new(),
        probabilities: vec![Vec::new(); pages.len()],
        sharpness: vec![1.0; pages.len()],
    };
    for fold in 0..options.folds {
        let is_held = |page: usize| folds.get(page) == Some(&fold);
        let held: Vec<usize> = (0..pages.len()).filter(|page| is_held(*page)).collect();
        let training = training_pages(pages, copies, options, |page| !is_held(page))?;
        let training: Vec<&Labelled> = training.iter().collect();
        let learned = LearnedLists::new(&training, &options.groups);
        let mut table = learned.table(&training, &options.groups);
        let page_types = match options.learner {
            Learner::Linear => Vec::new(),
            _ => fit_page_types(&table, learned.schema.names(), &training)?,
        };
        options.learner.blank_unasked(&mut table, learned.schema.names());
        let candidates = options.learner.candidates(&table, options.weighting)?;
        drop(table);
        tracing::info!("cross-validation: {} of {} folds", fold + 1, options.folds);
        let judged: Vec<(usize, f32, ByCandidate)> = held
            .into_par_iter()
            .filter_map(|at| {
                let page = pages.get(at)?;
                let rows = page.rows(&learned.schema);
                let sharpness = page_sharpness(&page_types, rows.iter().next());
                let all = candidates.iter().map(|(parts, _)| {
                    let mut odds = log_odds(parts, &rows);
                    page.layout.pool(&mut odds, options.learner.pooling());
                    odds.into_iter().map(sigmoid).collect()
                });
                Some((at, sharpness, all.collect()))
            })
            .collect();
        for (page, sharpness, by_candidate) in judged {
            all.sharpness[page] = sharpness;
            all.probabilities[page] = by_candidate;
        }
        all.penalties = candidates.into_iter().map(|(_, penalty)| penalty).collect();
    }
    Ok(all)
}

/// The embedded texts of each page, judged by scorers that have not seen its host.
pub(super) fn cross_validate_embedded(
    pages: &[Labelled],
    folds: &[usize],
    options: &TrainOptions,
) -> Result<Vec<Vec<JudgedEmbedded>>, LearnError> {
    if options.learner == Learner::Linear {
        return Ok(vec![Vec::new(); pages.len()]);
    }
    let scorers: Vec<Option<EmbeddedScorer>> = (0..options.folds)
        .map(|fold| {
            let rest = pages.iter().zip(folds).filter(|(_, page_fold)| **page_fold != fold);
            fit_embedded(&rest.map(|(page, _)| page).collect::<Vec<_>>())
        })
        .collect::<Result<_, _>>()?;
    Ok(pages
        .iter()
        .zip(folds)
        .map(|(page, fold)| {
            let scorer = scorers.get(*fold).and_then(Option::as_ref);
            judged(&page.embedded, scorer)
        })
        .collect())
}

fn log_odds(parts: &[WeightedScorer], rows: &FeatureMatrix) -> Vec<f32> {
    let band = band(parts);
    rows.iter().map(|row| log_odds_of_parts(parts, band, row)).collect()
}

/// The training data if only the pages with these numbers may be used: the pages, with labels for all of
/// their blocks, and their copies.
pub(super) fn training_pages<'a>(
    pages: &'a [Labelled<'a>],
    copies: &'a [PoorCopy],
    options: &TrainOptions,
    may_use: impl Fn(usize) -> bool,
) -> Result<Vec<Labelled<'a>>, LearnError> {
    let used = pages.iter().enumerate().filter(|(at, _)| may_use(*at));
    let mut all = completed(used.map(|(_, page)| page.clone()).collect(), options)?;
    let copies = copies.iter().filter(|copy| may_use(copy.of));
    all.extend(copies.map(PoorCopy::labelled));
    Ok(all)
}
