//! What models say of pages of hosts that they have not seen.

use rayon::prelude::*;
use trommel_features::FeatureMatrix;
use trommel_model::{EmbeddedScorer, JudgedEmbedded, WeightedScorer, sigmoid};

use super::embedded::{fit_embedded, judged};
use super::labelled::Labelled;
use super::learned::Learned;
use super::options::{Learner, TrainOptions};
use crate::error::LearnError;

/// Columns of the page's address tell its type, but blocks are not judged by them: what addresses look
/// like differs from crawl to crawl.
pub(super) const ADDRESS: &str = "address.";

/// Probabilities of a page's blocks, a list a candidate.
pub(super) type ByCandidate = Vec<Vec<f32>>;

/// Probabilities of the blocks of each page by models that have not seen its host, one list a
/// candidate, and the candidates' penalties.
pub(super) fn cross_validate(
    pages: &[Labelled],
    folds: &[usize],
    options: &TrainOptions,
) -> Result<(Vec<f64>, Vec<ByCandidate>), LearnError> {
    let mut probabilities: Vec<ByCandidate> = vec![Vec::new(); pages.len()];
    let mut penalties = Vec::new();
    for fold in 0..options.folds {
        let (held, rest): (Vec<usize>, Vec<usize>) =
            (0..pages.len()).partition(|page| folds.get(*page) == Some(&fold));
        let training: Vec<&Labelled> = rest.iter().filter_map(|at| pages.get(*at)).collect();
        let learned = Learned::new(&training, &options.groups);
        let mut table = learned.table(&training, &options.groups);
        table.blank(learned.schema.names(), ADDRESS);
        let candidates = options.learner.candidates(&table, options.weighting)?;
        drop(table);
        tracing::info!(fold, "fitted");
        let judged: Vec<(usize, ByCandidate)> = held
            .into_par_iter()
            .filter_map(|at| {
                let rows = pages.get(at)?.rows(&learned.schema);
                let all = candidates.iter().map(|(parts, _)| score(parts, &rows));
                Some((at, all.collect()))
            })
            .collect();
        for (page, all) in judged {
            probabilities[page] = all;
        }
        penalties = candidates.into_iter().map(|(_, penalty)| penalty).collect();
    }
    Ok((penalties, probabilities))
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
            let rest = pages.iter().zip(folds).filter(|(_, own)| **own != fold);
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

fn score(parts: &[WeightedScorer], rows: &FeatureMatrix) -> Vec<f32> {
    rows.iter()
        .map(|row| {
            sigmoid(
                parts
                    .iter()
                    .map(|part| part.share * part.scorer.log_odds(row))
                    .sum(),
            )
        })
        .collect()
}
