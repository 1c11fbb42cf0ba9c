//! Cross-validation: models judge pages of hosts, or of sets, that they have not seen, and the best is selected.

use rayon::prelude::*;
use trommel_model::{
    Additive, EmbeddedScorer, JudgedEmbedded, Selection, WeightedScorer, features::FeatureMatrix, log_odds_of_parts,
    sigmoid,
};
use trommel_text::words::Rule;

use super::logistic::LINEAR_PENALTIES;
use super::page_types::{page_sharpness, type_odds};
use super::scorers::{Fitted, WITH_COMMENTS, completed, fit_embedded, judged};
use super::training_pages::{Labelled, PoorCopy};
use super::{Learner, Purpose, SetRoles, TrainOptions, learner::ADDITIVE_PENALTY, learner::band};
use crate::error::LearnError;
use crate::evaluate::{Required, Scores, kept_text};

impl Learner {
    /// Returns the candidate penalties of cross-validation; only a linear model has more than one.
    pub(crate) fn penalties(self) -> &'static [f64] {
        match self {
            Learner::Linear => &LINEAR_PENALTIES,
            Learner::Additive | Learner::Lite | Learner::Shipped => &[ADDITIVE_PENALTY],
        }
    }
}

/// Probabilities of a page's blocks by each candidate model: one list per candidate, one value per block.
pub(super) type ByCandidate = Vec<Vec<f32>>;

/// Results of candidate models on pages that were held out of their training.
pub(super) struct CrossValidated {
    /// Penalty of each candidate model.
    pub penalties: Vec<f64>,
    /// Probabilities of the blocks of each page, by each candidate model.
    pub probabilities: Vec<ByCandidate>,
    /// Factor for each page, by its page type, that multiplies its log odds before text is chosen by simulated
    /// outcomes.
    pub sharpness: Vec<f32>,
}

/// Judges the blocks of each page by models that were trained without the page's fold. `roles` says which of the last
/// page sets train only the parts of the model for forums and listings.
pub(super) fn cross_validate(
    pages: &[Labelled],
    roles: SetRoles,
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
        let training = training_pages(pages, roles, copies, options, |page| !is_held(page))?;
        let fitted = Fitted::new(&training, roles, options, Purpose::Test)?;
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

/// Judges the embedded (JSON-LD) texts of each page by scorers that were trained without the page's fold.
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

/// Returns the log odds of each block of a page, by the scorers `parts` and by those for forums and listings in
/// `fitted`.
fn log_odds(parts: &[WeightedScorer], fitted: &Fitted, rows: &FeatureMatrix) -> Vec<f32> {
    let band = band(parts);
    let row = rows.iter().next().unwrap_or_default();
    let types = type_odds(&fitted.page_types, row);
    let log_blocks = (rows.len() as f32).ln_1p();
    let kinds: Vec<(f32, &Additive)> = (fitted.lists.iter().chain(&fitted.threads))
        .map(|kind| (kind.share_on(&fitted.page_types, &types, log_blocks), &kind.scorer))
        .filter(|(share, _)| *share > 0.0)
        .collect();
    let rest = 1.0 - kinds.iter().map(|(share, _)| share).sum::<f32>();
    let of_row = |row: &[f32]| {
        let of_kinds = kinds.iter().map(|(share, kind)| share * kind.log_odds(row));
        rest * log_odds_of_parts(parts, band, row) + of_kinds.sum::<f32>()
    };
    rows.iter().map(of_row).collect()
}

/// Returns the pages whose index `may_use` accepts, with labels for all of their blocks, and the shortened copies of
/// these pages. `roles` says which of the last page sets train only parts of the model.
pub(super) fn training_pages<'a>(
    pages: &'a [Labelled<'a>],
    roles: SetRoles,
    copies: &'a [PoorCopy],
    options: &TrainOptions,
    may_use: impl Fn(usize) -> bool,
) -> Result<Vec<Labelled<'a>>, LearnError> {
    let used = || pages.iter().enumerate().filter(|(at, _)| may_use(*at)).map(|(_, page)| page);
    // By themselves: a model that knows lists would label menus on recipe pages as content, and all other models would
    // learn that.
    let mut all = completed(used().filter(|page| page.set < roles.threads).cloned().collect(), options)?;
    if used().any(|page| page.set >= roles.threads) {
        let further = completed(used().cloned().collect(), options)?;
        all.extend(further.into_iter().filter(|page| page.set >= roles.threads));
    }
    let copies = copies.iter().filter(|copy| may_use(copy.of));
    all.extend(copies.map(PoorCopy::labelled));
    Ok(all)
}

/// Candidate rules for choosing main text by probabilities, besides expected F1. Worlds (simulated outcomes) with a
/// factor below 1 are left out, because they keep lists of linked headlines on news pages. On page types made of parts,
/// such as listings, the factor of the type lowers the factor of the rule.
const SELECTIONS: [Selection; 12] = [
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

/// Minimum gain in mean F1 with which a rule for choosing main text replaces the best rule before it. Different choices
/// on two pages of the smallest training set move the mean by as much.
const MARGIN: f64 = 0.002;

/// Best candidate model and best selection rule in cross-validation, with the text chosen on each page.
pub(super) struct Chosen {
    pub candidate: usize,
    pub selection: Selection,
    /// Chosen text of each page, with its scores.
    pub pages: Vec<ScoredPage>,
}

/// Main text chosen on one page, with its scores.
#[derive(Clone, Debug)]
pub struct ScoredPage {
    /// Rule by which the text was chosen, such as a threshold for the probability of a block.
    pub selection: Selection,
    /// Expected word F1 of the chosen text (0 to 1).
    pub expected_f1: f32,
    /// Scores of the chosen text against the gold, or against the known texts if only some are known.
    pub scores: Scores,
    /// Counts of required texts and of those kept; `None` for a page whose whole main text is known.
    pub required: Option<Required>,
    /// Texts that only the JSON-LD holds, with their probabilities and whether they are kept.
    pub embedded: Vec<JudgedEmbedded>,
}

/// Chooses the candidate model with the best mean F1 when text is chosen by expected F1. Then tries the other rules for
/// choosing text; one is taken if it raises mean F1 by more than [`MARGIN`].
pub(super) fn choose(
    pages: &[Labelled],
    judged: &CrossValidated,
    judged_embedded: &[Vec<JudgedEmbedded>],
    sets: usize,
) -> Chosen {
    let mut best = (f64::NEG_INFINITY, None);
    let mut consider = |candidate: usize, selection: Selection| {
        let scores: Vec<ScoredPage> = pages
            .par_iter()
            .zip(&judged.probabilities)
            .zip(&judged.sharpness)
            .zip(judged_embedded)
            .map(|(((page, all), sharpness), embedded)| {
                let probabilities = all.get(candidate).map_or(&[][..], Vec::as_slice);
                page.score(probabilities, embedded.clone(), selection.sharpened(*sharpness))
            })
            .collect();
        let mean = mean_over_sets(pages, &scores, sets);
        tracing::debug!(candidate, ?selection, f1 = mean, "cross-validated");
        let margin = match selection {
            Selection::ExpectedF1 => 0.0,
            _ => MARGIN,
        };
        if mean > best.0 + margin {
            best.0 = mean;
            best.1 = Some(Chosen { candidate, selection, pages: scores });
        }
        best.1.as_ref().map_or(0, |chosen| chosen.candidate)
    };
    let mut winner = 0;
    for candidate in 0..judged.penalties.len() {
        winner = consider(candidate, Selection::ExpectedF1);
    }
    for selection in SELECTIONS {
        consider(winner, selection);
    }
    best.1.unwrap_or(Chosen { candidate: 0, selection: Selection::ExpectedF1, pages: Vec::new() })
}

/// Returns the mean of the sets' mean F1. The weight of a set is the square root of its number of pages, as in
/// training, so that neither a large nor a small set decides alone. Pages with only some known texts do not count.
pub(super) fn mean_over_sets(pages: &[Labelled], scores: &[ScoredPage], sets: usize) -> f64 {
    let of_set = |set: usize| {
        let pairs = pages.iter().zip(scores);
        let pairs = pairs.filter(|(page, _)| page.set == set && !page.is_partial());
        let page_scores: Vec<&Scores> = pairs.map(|(_, scored)| &scored.scores).collect();
        (page_scores.len(), Scores::mean(page_scores).f1)
    };
    weighed((0..sets).map(of_set))
}

/// Returns the mean over sets, given each set's page count and mean, weighted by the square root of the page count.
fn weighed(sets: impl Iterator<Item = (usize, f64)>) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (pages, mean) in sets.filter(|(pages, _)| *pages > 0) {
        let weight = (pages as f64).sqrt();
        sum += weight * mean;
        weights += weight;
    }
    sum / f64::max(weights, 1.0)
}

impl Labelled<'_> {
    /// Chooses main text from a page's blocks and JSON-LD texts by the rule `selection`, and scores it.
    pub(super) fn score(
        &self,
        probabilities: &[f32],
        mut embedded: Vec<JudgedEmbedded>,
        selection: Selection,
    ) -> ScoredPage {
        let page = &self.page.page;
        let choice = selection.choose_with(probabilities, &self.layout, &mut embedded, WITH_COMMENTS);
        let text = kept_text(page, &choice.kept, &embedded);
        let required = self.page.gold.required().map(|texts| Required::of(texts, &text));
        ScoredPage {
            selection,
            expected_f1: choice.expected_f1,
            scores: match required {
                Some(with) => Scores::of_texts(with, Required::of(&self.page.gold.without, &text)),
                None => Scores::of(&text, &self.text, Rule::Characters),
            },
            required,
            embedded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_weighs_the_root_of_its_pages() {
        let sets = [(100, 0.5), (0, f64::NAN), (25, 0.8)];
        assert!((weighed(sets.into_iter()) - 0.6).abs() < 1e-9);
        assert_eq!(weighed([(0, f64::NAN)].into_iter()), 0.0);
    }

    #[test]
    fn errors_of_worlds_never_outweigh_the_log_odds() {
        let factors = SELECTIONS.iter().filter_map(|selection| match selection {
            Selection::Worlds(factor) => Some(*factor),
            _ => None,
        });
        let least = factors.fold(f32::INFINITY, f32::min);
        assert!((1.0..=1.2).contains(&least), "{least}");
    }
}
