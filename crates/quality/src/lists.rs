//! Tests the scorer of pages that are not one text on pages that it has not seen: of other hosts, and of other sets.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;
use trommel_extract::Extractor;
use trommel_learn::{LabelledPage, LearnError, LeftOut, ListPages, PageSet, Scores, by_group, text_by, with_lists};
use trommel_model::Model;

use crate::favor::scores_of;

/// Parts into which the hosts are divided.
const FOLDS: usize = 3;

/// Mean scores of a model on a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// Name of the set.
    pub set: String,
    /// Number of its pages.
    pub pages: usize,
    /// Name of the model.
    pub model: String,
    /// The model as it is.
    pub without: Scores,
    /// With scorers that have not seen the host of the page.
    pub by_host: Scores,
    /// With a scorer that has seen no page of the set.
    pub by_set: Scores,
}

/// Scores the models on the sets from the number `trained` on, as they are and with scorers that have not seen the
/// pages.
///
/// # Errors
/// If a scorer cannot be learned.
pub fn tested(
    models: &[Model],
    pages: &ListPages,
    sets: &[PageSet],
    trained: usize,
) -> Result<Vec<Tested>, LearnError> {
    let further: Vec<(usize, &LabelledPage)> = sets
        .iter()
        .enumerate()
        .skip(trained)
        .flat_map(|(set, pages)| pages.pages.iter().map(move |page| (set, page)))
        .collect();
    let hosts: Vec<&str> = further.iter().map(|(_, page)| page.gold.group()).collect();
    let fold_of = by_group(&hosts, FOLDS);
    // Of each model the scores of each page: as it is, by host, by set.
    let mut scores = vec![vec![[Scores::default(); 3]; further.len()]; models.len()];
    let mut score = |way: usize, models: &[Model], is_wanted: &(dyn Fn(usize) -> bool + Sync)| {
        for (scores, model) in scores.iter_mut().zip(models) {
            let extractor = Extractor::new(Arc::new(model.clone()));
            scores
                .par_iter_mut()
                .zip(&further)
                .enumerate()
                .filter(|(at, _)| is_wanted(*at))
                .for_each(|(_, (scores, (_, page)))| scores[way] = scores_of(page, &text_by(&extractor, page)));
        }
    };
    let taught = |left_out: &LeftOut<'_>| -> Result<Vec<Model>, LearnError> {
        let lists = pages.scorer(left_out)?;
        models.iter().map(|model| with_lists(model, lists.clone(), &[], &model.file().created)).collect()
    };
    score(0, models, &|_| true);
    for fold in 0..FOLDS {
        let is_held = |at: usize| fold_of.get(at) == Some(&fold);
        let held = hosts.iter().enumerate().filter(|(at, _)| is_held(*at));
        let held: BTreeSet<&str> = held.map(|(_, host)| *host).collect();
        score(1, &taught(&LeftOut::Hosts(&held))?, &is_held);
    }
    for set in trained..sets.len() {
        score(2, &taught(&LeftOut::Set(set))?, &|at| further.get(at).is_some_and(|(of, _)| *of == set));
    }
    let mut rows = Vec::new();
    for (number, set) in sets.iter().enumerate().skip(trained) {
        for (model, scores) in models.iter().zip(&scores) {
            let of_set = || scores.iter().zip(&further).filter(|(_, (of, _))| *of == number).map(|(scores, _)| scores);
            let mean = |way: usize| Scores::mean(of_set().filter_map(|scores| scores.get(way)));
            rows.push(Tested {
                set: set.name.clone(),
                pages: set.pages.len(),
                model: model.file().name.clone(),
                without: mean(0),
                by_host: mean(1),
                by_set: mean(2),
            });
        }
    }
    Ok(rows)
}
