//! Cross-validation: models judge pages of hosts, or of sets, that they have not seen.

use rayon::prelude::*;
use trommel_model::features::FeatureMatrix;
use trommel_model::{EmbeddedScorer, JudgedEmbedded, WeightedScorer, log_odds_of_parts, sigmoid};

use super::completed::completed;
use super::embedded::{fit_embedded, judged};
use super::fitted::{Fitted, Purpose};
use super::labelled::Labelled;
use super::learner::band;
use super::options::{Learner, TrainOptions};
use super::page_types::page_sharpness;
use super::poor::PoorCopy;
use crate::error::LearnError;

/// Probabilities of a page's blocks, a list a candidate.
pub(super) type ByCandidate = Vec<Vec<f32>>;

/// The verdicts of models on pages whose fold they have not seen.
pub(super) struct CrossValidated {
    /// The candidates' penalties.
    pub penalties: Vec<f64>,
    /// Probabilities of the blocks of each page, one list a candidate.
    pub probabilities: Vec<ByCandidate>,
    /// For each page, the factor of log odds in a selection, by the type of the page.
    pub sharpness: Vec<f32>,
}

/// Judges each page by models that have seen no page of its fold. Only the scorer of lists learns from the sets from the
/// number `trained` on.
pub(super) fn cross_validate(
    pages: &[Labelled],
    trained: usize,
    copies: &[PoorCopy],
    folds: &[usize],
    options: &TrainOptions,
) -> Result<CrossValidated, LearnError> {
    let mut all = CrossValidated {
        penalties: Vec::new(),
        probabilities: vec![Vec::new(); pages.len()],
        sharpness: vec![1.0; pages.len()],
    };
    let number = folds.iter().map(|fold| fold + 1).max().unwrap_or(0);
    tracing::info!("cross-validation: {number} folds");
    for fold in 0..number {
        let is_held = |page: usize| folds.get(page) == Some(&fold);
        let held: Vec<usize> = (0..pages.len()).filter(|page| is_held(*page)).collect();
        let training = training_pages(pages, trained, copies, options, |page| !is_held(page))?;
        let fitted = Fitted::new(&training, trained, options, Purpose::Test)?;
        tracing::info!("cross-validation: {} of {number} folds", fold + 1);
        let judged: Vec<(usize, f32, ByCandidate)> = held
            .into_par_iter()
            .filter_map(|at| {
                let page = pages.get(at)?;
                let rows = page.rows(&fitted.learned.schema);
                let sharpness = page_sharpness(&fitted.page_types, rows.iter().next());
                let change = fitted.learned.known_words(page, &rows).change(fitted.known_words);
                let all = fitted.parts.iter().map(|(parts, _)| {
                    let mut odds = log_odds(parts, &fitted, &rows);
                    page.layout.represent(&mut odds, options.learner.pooling());
                    odds.iter_mut().for_each(|odds| *odds += change);
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
        all.penalties = fitted.parts.into_iter().map(|(_, penalty)| penalty).collect();
    }
    Ok(all)
}

/// The embedded texts of each page, judged by scorers that have seen no page of its fold.
pub(super) fn cross_validate_embedded(
    pages: &[Labelled],
    folds: &[usize],
    options: &TrainOptions,
) -> Result<Vec<Vec<JudgedEmbedded>>, LearnError> {
    if options.learner == Learner::Linear {
        return Ok(vec![Vec::new(); pages.len()]);
    }
    let number = folds.iter().map(|fold| fold + 1).max().unwrap_or(0);
    let scorers: Vec<Option<EmbeddedScorer>> = (0..number)
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

/// Log odds of the blocks of a page, as a model of these parts gives them.
fn log_odds(parts: &[WeightedScorer], fitted: &Fitted, rows: &FeatureMatrix) -> Vec<f32> {
    let band = band(parts);
    let lists = fitted.lists.as_ref().map(|lists| {
        let row = rows.iter().next().unwrap_or_default();
        let types: Vec<f32> = fitted.page_types.iter().map(|page_type| page_type.scorer.log_odds(row)).collect();
        let log_blocks = (rows.len() as f32).ln_1p();
        (lists.share_on(&fitted.page_types, &types, log_blocks), &lists.scorer)
    });
    let of_row = |row: &[f32]| {
        let odds = log_odds_of_parts(parts, band, row);
        lists.map_or(odds, |(share, scorer)| (1.0 - share) * odds + share * scorer.log_odds(row))
    };
    rows.iter().map(of_row).collect()
}

/// The training data if only the pages with these numbers may be used: the pages, with labels for all of
/// their blocks, and their copies. Only the scorer of lists learns from the sets from the number `trained` on.
pub(super) fn training_pages<'a>(
    pages: &'a [Labelled<'a>],
    trained: usize,
    copies: &'a [PoorCopy],
    options: &TrainOptions,
    may_use: impl Fn(usize) -> bool,
) -> Result<Vec<Labelled<'a>>, LearnError> {
    let used = || pages.iter().enumerate().filter(|(at, _)| may_use(*at)).map(|(_, page)| page);
    // By themselves: a model that knows lists would label menus on recipe pages as content, and all other models would
    // learn that.
    let mut all = completed(used().filter(|page| page.set < trained).cloned().collect(), options)?;
    if used().any(|page| page.set >= trained) {
        let further = completed(used().cloned().collect(), options)?;
        all.extend(further.into_iter().filter(|page| page.set >= trained));
    }
    let copies = copies.iter().filter(|copy| may_use(copy.of));
    all.extend(copies.map(PoorCopy::labelled));
    Ok(all)
}
