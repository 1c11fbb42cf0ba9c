//! Which of the fitted models and which selection of blocks cross-validation prefers.

use rayon::prelude::*;
use trommel_model::{JudgedEmbedded, Selection};
use trommel_text::words::Rule;

use super::cross_validation::ByCandidate;
use super::embedded::WITH_COMMENTS;
use super::labelled::Labelled;
use crate::evaluate::kept_text;
use crate::metric::Scores;
use crate::required::Required;

/// Selections that are tried beside expected F1.
const SELECTIONS: [Selection; 13] = [
    Selection::Worlds(0.8),
    Selection::Worlds(1.0),
    Selection::Worlds(1.2),
    Selection::Worlds(1.5),
    Selection::Worlds(1.8),
    Selection::SharpF1(1.2),
    Selection::SharpF1(1.4),
    Selection::SharpF1(1.7),
    Selection::SharpF1(2.0),
    Selection::Threshold(0.3),
    Selection::Threshold(0.4),
    Selection::Threshold(0.5),
    Selection::Threshold(0.6),
];

/// Mean F1 that a sharper selection of the same kind may lose against the best: on sets of other origin than
/// those trained on, the sharper ones were better by more than that.
const SHARPER: f64 = 0.001;

/// How much a selection sharpens the log odds.
fn sharpness(selection: Selection) -> f32 {
    match selection {
        Selection::Worlds(factor) | Selection::SharpF1(factor) => factor,
        Selection::ExpectedF1 => 1.0,
        Selection::Threshold(_) => 0.0,
    }
}

/// The sharpest of the kind of the best among selections with their mean F1, if it is hardly worse.
fn sharpest(tried: &[(f64, Selection)]) -> Option<Selection> {
    let best = tried.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let is_like = |own: Selection| std::mem::discriminant(&own) == std::mem::discriminant(&best.1);
    let near = tried
        .iter()
        .filter(|(mean, own)| is_like(*own) && *mean >= best.0 - SHARPER);
    let sharpest = near.max_by(|a, b| sharpness(a.1).total_cmp(&sharpness(b.1)))?;
    Some(match best.1 {
        Selection::Threshold(_) => best.1,
        _ => sharpest.1,
    })
}

/// The best candidate with the best selection, by cross-validation.
pub(super) struct Chosen {
    pub candidate: usize,
    pub selection: Selection,
    /// What was chosen on each page.
    pub pages: Vec<ScoredPage>,
}

/// A choice on one page.
#[derive(Clone)]
pub(super) struct ScoredPage {
    pub expected_f1: f32,
    pub scores: Scores,
    /// Of a page of which only some texts are known, how many of them are kept.
    pub required: Option<Required>,
    pub embedded: Vec<JudgedEmbedded>,
}

/// Tries every one of `candidates` with expected F1, then every selection with the best of them.
pub(super) fn choose(
    pages: &[Labelled],
    probabilities: &[ByCandidate],
    judged_embedded: &[Vec<JudgedEmbedded>],
    candidates: &[usize],
    sets: usize,
) -> Chosen {
    let score_all = |candidate: usize, selection: Selection| {
        let scores: Vec<ScoredPage> = pages
            .par_iter()
            .zip(probabilities)
            .zip(judged_embedded)
            .map(|((page, all), own)| {
                let probabilities = all.get(candidate).map_or(&[][..], Vec::as_slice);
                page.score(probabilities, own.clone(), selection)
            })
            .collect();
        let mean = mean_over_sets(pages, &scores, sets);
        tracing::info!(candidate, ?selection, f1 = mean, "cross-validated");
        (mean, scores)
    };
    let plain = Selection::ExpectedF1;
    let means = candidates.iter().map(|at| (score_all(*at, plain).0, *at));
    let (mean, candidate) = means
        .reduce(|best, own| if own.0 > best.0 { own } else { best })
        .unwrap_or((0.0, 0));
    let mut tried = vec![(mean, plain)];
    tried.extend(SELECTIONS.map(|selection| (score_all(candidate, selection).0, selection)));
    let selection = sharpest(&tried).unwrap_or(plain);
    Chosen {
        candidate,
        selection,
        pages: score_all(candidate, selection).1,
    }
}

/// The mean of the sets' mean F1, so that a large set does not decide alone. Pages of which only some
/// texts are known do not take part.
pub(super) fn mean_over_sets(pages: &[Labelled], scores: &[ScoredPage], sets: usize) -> f64 {
    let of_set = |set: usize| {
        let own = pages.iter().zip(scores);
        let mut own = own
            .filter(|(page, _)| page.set == set && !page.is_partial())
            .peekable();
        own.peek()?;
        Some(Scores::mean(own.map(|(_, scored)| &scored.scores)).f1)
    };
    let means: Vec<f64> = (0..sets).filter_map(of_set).collect();
    means.iter().sum::<f64>() / means.len().max(1) as f64
}

impl Labelled<'_> {
    /// What `selection` chooses among the blocks and embedded texts.
    pub(super) fn score(
        &self,
        probabilities: &[f32],
        mut embedded: Vec<JudgedEmbedded>,
        selection: Selection,
    ) -> ScoredPage {
        let page = &self.page.page;
        let choice =
            selection.choose_with(probabilities, &self.layout, &mut embedded, WITH_COMMENTS);
        let text = kept_text(page, &choice.kept, &embedded);
        ScoredPage {
            expected_f1: choice.expected_f1,
            scores: Scores::of(&text, &self.text, Rule::Characters),
            required: self
                .page
                .gold
                .required()
                .map(|texts| Required::of(texts, &text)),
            embedded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sharper_of_like_selections_that_are_hardly_worse_is_taken() {
        let tried = [
            (0.900, Selection::ExpectedF1),
            (0.9100, Selection::Worlds(0.8)),
            (0.9095, Selection::Worlds(1.2)),
            (0.9080, Selection::Worlds(1.8)),
            (0.9099, Selection::SharpF1(2.0)),
        ];
        assert_eq!(sharpest(&tried), Some(Selection::Worlds(1.2)));
        assert_eq!(sharpest(&tried[..1]), Some(Selection::ExpectedF1));
        let cuts = [
            (0.91, Selection::Threshold(0.4)),
            (0.9099, Selection::Threshold(0.5)),
        ];
        assert_eq!(sharpest(&cuts), Some(Selection::Threshold(0.4)));
        assert_eq!(sharpest(&[]), None);
    }
}
