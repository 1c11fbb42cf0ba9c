//! Adapts a finished model to pages that the user labelled.
//!
//! The log odds of the finished model stay as they are. The own pages teach a correction on top: step
//! functions of the features of blocks, held towards zero by an L2 penalty. Cross-validation by host on the
//! own pages chooses the penalty. "No correction" is one of the choices: a correction must gain more than its
//! own uncertainty. So few pages change little, and pages on which the finished model is right change
//! nothing.
//!
//! Pages of other conventions may be mixed in. The correction then learns from both, and is used only if
//! those pages lose nothing.

use rayon::prelude::*;
use trommel_model::{Layout, Model, Score, Scorer, WeightedScorer, sigmoid};

use super::block_model::{JudgedPage, Trained, judged_pages, scores};
use super::cross_validation::{ScoredPage, mean_over_sets};
use super::table::{Binned, BlockTable};
use super::training_pages::{Labelled, labelled};
use super::{ADDRESS, TrainOptions, logistic::fit_additive, page_types::is_of_page};
use crate::error::LearnError;
use crate::labelled_pages::{PageSet, by_group};

/// Candidate L2 penalties for the correction of a finished model; cross-validation chooses one of them.
const PENALTIES: [f64; 5] = [1.0, 3e-1, 1e-1, 3e-2, 1e-2];
/// Maximum by which a correction may lower mean F1 on a page set that is labelled by other conventions than the user's.
const LOSS: f64 = 0.001;
/// Number of bins per feature column; small, because a user labels few pages.
const BINS: usize = 8;

/// Finished model that was adapted to the user's pages, with the scores before and after.
#[derive(Clone, Debug)]
pub struct Adapted {
    /// Adapted model with its scores in cross-validation on the given pages. If no correction helps, the adapted model
    /// judges like the finished one.
    pub trained: Trained,
    /// Scores of the finished model before the adaptation, one for each page set.
    pub before: Vec<Score>,
    /// Strength of the L2 penalty on the correction; `None` if the model was not corrected.
    pub penalty: Option<f64>,
}

/// Adapts the finished model `base` to the pages of `sets`. The last `mixed` sets are labelled by other conventions,
/// and the correction must not lower mean F1 on any of them by more than 0.001. `groups`, `learner` and `weighting` of
/// `options` must be those of `base`.
///
/// # Errors
/// Fails if there are no blocks, the solver fails, or the adapted model is not valid.
pub fn adapt(base: &Model, sets: &[PageSet], mixed: usize, options: &TrainOptions) -> Result<Adapted, LearnError> {
    let pages = labelled(sets, options);
    tracing::info!("pages to learn from: {}", pages.len());
    let own_sets = sets.len().saturating_sub(mixed);
    let own_pages = OwnPages::new(base, &pages, own_sets);
    if own_pages.table.labels.is_empty() {
        return Err(LearnError::Nothing("no blocks"));
    }
    let (folds, number) = folds(&pages, options.folds);
    let judge = |probabilities: &[Vec<f32>]| -> Vec<ScoredPage> {
        let selection = base.file().selection;
        pages
            .par_iter()
            .zip(probabilities)
            .map(|(page, page_probabilities)| {
                let judged = base.judge(&page.page.page, page.page.gold.address());
                let sharpness = judged.page_type.map_or(1.0, |page_type| page_type.sharpness);
                page.score(page_probabilities, judged.embedded, selection.sharpened(sharpness))
            })
            .collect()
    };
    let unchanged = own_pages.probabilities(None);
    let before = judge(&unchanged);
    let mut best = (0.0, None, unchanged, before.clone());
    for (penalty, probabilities) in own_pages.cross_validate(&folds, number)? {
        let judged = judge(&probabilities);
        let gain_of = |is: &dyn Fn(usize) -> bool| {
            let of = |all: &[ScoredPage]| -> Vec<f64> {
                let of_set = all.iter().zip(&pages).filter(|(_, page)| is(page.set));
                of_set.map(|(scored, _)| scored.scores.f1).collect()
            };
            gain(&of(&before), &of(&judged))
        };
        let (gain, error) = gain_of(&|set| set < own_sets);
        let lost = (own_sets..sets.len()).map(|at| -gain_of(&|set| set == at).0);
        let lost = lost.fold(0.0, f64::max);
        let f1 = mean_over_sets(&pages, &judged, sets.len());
        tracing::debug!(penalty, f1, gain, error, lost, "cross-validated");
        if gain > error && gain > best.0 && lost <= LOSS {
            best = (gain, Some(penalty), probabilities, judged);
        }
    }
    let (_, penalty, probabilities, judged) = best;
    let options = TrainOptions { folds: number, ..options.clone() };
    let judged = judged_pages(&pages, &probabilities, judged, sets.len());
    let before = judged_pages(&pages, &own_pages.probabilities(None), before, sets.len());
    let correction = match penalty {
        Some(penalty) => Some(own_pages.sample(&own_pages.rows_of(|_| true)).correction(penalty)?),
        None => None,
    };
    Ok(Adapted {
        trained: Trained { model: corrected(base, correction, sets, &options, &judged)?, judged },
        before: scores(sets, &options, &before),
        penalty,
    })
}

/// Returns the fold of each page and the number of folds. Pages of one host share a fold, unless all are of one host.
fn folds(pages: &[Labelled], wanted: usize) -> (Vec<usize>, usize) {
    let mut groups: Vec<&str> = pages.iter().map(|page| page.page.gold.group()).collect();
    let mut distinct = groups.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let mut hosts = distinct.len();
    if hosts < 2 {
        groups = pages.iter().map(|page| page.page.gold.record_id.as_str()).collect();
        hosts = pages.len();
    }
    let number = wanted.min(hosts);
    (by_group(&groups, number), number)
}

/// Returns the mean gain of `after` over `before` (one F1 per page), and the standard error of that mean.
fn gain(before: &[f64], after: &[f64]) -> (f64, f64) {
    let both = before.iter().zip(after);
    let gains: Vec<f64> = both.map(|(before, after)| after - before).collect();
    let count = gains.len().max(1) as f64;
    let mean = gains.iter().sum::<f64>() / count;
    let squares: f64 = gains.iter().map(|gain| (gain - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0) / count).sqrt())
}

/// Training pages of an adaptation, with the log odds by the finished model.
struct OwnPages {
    table: BlockTable,
    /// Log odds of each row (one block) by the finished model.
    odds: Vec<f32>,
    /// Groups of blocks on each page: fields (blocks with the same path of element names and classes) and sections.
    layouts: Vec<Layout>,
    pooling: f32,
    /// Index of the page that each row belongs to.
    page_of: Vec<usize>,
    pages: usize,
}

/// Additive model whose output is added to the log odds by a finished model, to correct them.
type Correction = trommel_model::Additive;

impl OwnPages {
    /// Collects the blocks of the user's pages (the first `own_sets` sets) and of the others; both get equal total
    /// weight.
    fn new(base: &Model, pages: &[Labelled], own_sets: usize) -> Self {
        let names = base.schema().names();
        let share = |is_own: bool| -> f64 {
            let part = pages.iter().filter(|page| (page.set < own_sets) == is_own);
            part.map(|page| page.share).sum()
        };
        let mixed_share = share(false) / share(true).max(f64::MIN_POSITIVE);
        let rows: Vec<(Vec<f32>, Vec<f32>)> = pages
            .par_iter()
            .map(|page| {
                let rows = page.rows(base.schema());
                let data = rows.iter().flatten().copied().collect();
                (data, base.log_odds(&page.page.page, page.page.gold.address()))
            })
            .collect();
        let mut own_pages = Self {
            table: BlockTable::new(names.len(), usize::MAX),
            layouts: pages.iter().map(|page| page.layout.clone()).collect(),
            pooling: base.file().pooling,
            odds: Vec::new(),
            page_of: Vec::new(),
            pages: pages.len(),
        };
        for (number, (page, (data, odds))) in pages.iter().zip(rows).enumerate() {
            let divisor = if page.set < own_sets { 1.0 } else { mixed_share };
            own_pages.table.push_page(number, page, &data, divisor);
            own_pages.page_of.resize(own_pages.table.labels.len(), number);
            own_pages.odds.extend(odds);
        }
        own_pages.table.blank(names, ADDRESS);
        // A correction is one of blocks: what is the same for a whole page tells one page from another.
        own_pages.table.blank_columns(|column| names.get(column).is_some_and(|name| is_of_page(name)));
        own_pages
    }

    /// Returns the indices of the rows whose page index `wanted` accepts.
    fn rows_of(&self, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.page_of.len()).filter(|row| self.page_of.get(*row).is_some_and(|page| wanted(*page))).collect()
    }

    /// Returns the training sample that consists of the rows with these indices.
    fn sample(&self, rows: &[usize]) -> OwnSample {
        let table = &self.table;
        let pick = |values: &[f32]| -> Vec<f32> { rows.iter().filter_map(|row| values.get(*row).copied()).collect() };
        let data: Vec<f32> = rows.iter().filter_map(|row| table.row(*row)).flatten().copied().collect();
        let weights = pick(&table.weights);
        OwnSample {
            binned: Binned::new(&data, table.width, &weights, BINS),
            labels: rows.iter().filter_map(|row| table.labels.get(*row).copied()).collect(),
            odds: pick(&self.odds),
            weights,
        }
    }

    /// Returns the probabilities of each page's blocks by the finished model, with `correction` added to its log odds.
    fn probabilities(&self, correction: Option<&Correction>) -> Vec<Vec<f32>> {
        let mut pages = vec![Vec::new(); self.pages];
        for (row, (page, odds)) in self.page_of.iter().zip(&self.odds).enumerate() {
            let more = correction.zip(self.table.row(row)).map_or(0.0, |(correction, row)| correction.log_odds(row));
            if let Some(page) = pages.get_mut(*page) {
                page.push(odds + more);
            }
        }
        for (odds, layout) in pages.iter_mut().zip(&self.layouts) {
            layout.represent(odds, self.pooling);
            layout.pool(odds, self.pooling);
            odds.iter_mut().for_each(|odds| *odds = sigmoid(*odds));
        }
        pages
    }

    /// Returns for each penalty the probabilities of each page's blocks, by corrections trained without its fold.
    fn cross_validate(&self, folds: &[usize], number: usize) -> Result<Vec<PenaltyResult>, LearnError> {
        let mut all = PENALTIES.map(|penalty| (penalty, vec![Vec::new(); self.pages]));
        for fold in 0..number {
            let is_held = |page: usize| folds.get(page) == Some(&fold);
            let sample = self.sample(&self.rows_of(|page| !is_held(page)));
            for (penalty, probabilities) in &mut all {
                let correction = match sample.correction(*penalty) {
                    // Too few pages to leave some out: nothing is learned without these.
                    Err(LearnError::Nothing(_)) => None,
                    other => Some(other?),
                };
                let judged = self.probabilities(correction.as_ref());
                for (page, (slot, page_probabilities)) in probabilities.iter_mut().zip(judged).enumerate() {
                    if is_held(page) {
                        *slot = page_probabilities;
                    }
                }
            }
            tracing::info!("cross-validation: {} of {number} folds", fold + 1);
        }
        Ok(all.into())
    }
}

/// L2 penalty, and the probabilities of each page's blocks by corrections trained with this penalty.
type PenaltyResult = (f64, Vec<Vec<f32>>);

/// Training sample for a correction: binned rows with labels and weights.
struct OwnSample {
    binned: Binned,
    labels: Vec<bool>,
    weights: Vec<f32>,
    /// Log odds of each row by the finished model.
    odds: Vec<f32>,
}

impl OwnSample {
    /// Fits a correction to the sample, with an L2 penalty of this strength.
    fn correction(&self, penalty: f64) -> Result<Correction, LearnError> {
        fit_additive(&self.binned, &self.labels, &self.weights, &self.odds, penalty)
    }
}

/// Returns the finished model `base` with the correction built in, and with new facts about its training.
pub(super) fn corrected(
    base: &Model,
    correction: Option<Correction>,
    sets: &[PageSet],
    options: &TrainOptions,
    judged: &[JudgedPage],
) -> Result<Model, LearnError> {
    let mut file = base.file().clone();
    file.adapted_from = Some(format!("{} of {}", file.name, file.created));
    file.name = options.name.clone();
    file.created.clone_from(&options.created);
    if let Some(mut correction) = correction {
        let names = base.schema().names();
        for steps in &mut correction.step_functions {
            let name = names.get(usize::from(steps.column));
            let name = name.cloned().unwrap_or_default();
            let known = file.columns.iter().position(|column| *column == name);
            let at = known.unwrap_or_else(|| {
                file.columns.push(name);
                file.columns.len() - 1
            });
            steps.column = at as u16;
        }
        // The other parts have only a share on pages that are not one text, and the correction is whole there as well.
        for kind in file.lists.iter_mut().chain(&mut file.threads) {
            kind.scorer.intercept += correction.intercept;
            kind.scorer.step_functions.extend(correction.step_functions.iter().cloned());
        }
        file.parts.push(WeightedScorer { share: 1.0, scorer: Scorer::Additive(correction) });
    }
    file.training.sets.extend(sets.iter().map(PageSet::training_set));
    file.training.blocks += judged.iter().map(|page| page.labels.len() as u64).sum::<u64>();
    file.scores = scores(sets, options, judged);
    Ok(Model::new(file)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelled_pages::{Gold, LabelledPage};
    use crate::test_pages;
    use trommel_model::features::FeatureGroup;

    const WORDS: [&str; 12] = [
        "river", "bridge", "mayor", "winter", "harvest", "school", "market", "council", "railway", "garden", "museum",
        "harbour",
    ];

    fn sentence(page: usize, at: usize) -> String {
        let word = |step: usize| WORDS[(page * 7 + at * 5 + step * 3) % WORDS.len()];
        format!(
            "After the {} had been closed for {} weeks, the {} was opened again, and the people of \
             the town came to see the {} in the afternoon.",
            word(0),
            page + at + 2,
            word(1),
            word(2)
        )
    }

    /// Creates a page per number in `pages`, each of its own host: a story, then a list that is content if
    /// `with_lists`.
    fn set(name: &str, pages: std::ops::Range<usize>, with_lists: bool) -> PageSet {
        let pages = pages.map(|at| {
            let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|part| sentence(at, part));
            let html = format!(
                "<ul class=menu><li><a href=x>Home</a><li><a href=y>News</a></ul><h1>Story {at}</h1>\
                 <p>{a} {b}</p><p>{b} {c}</p><ul><li>{d}<li>{e}</ul><p><a href=z>Imprint</a></p>"
            );
            let list = if with_lists { format!("{d} {e}") } else { String::new() };
            test_pages::labelled(
                &html,
                Gold {
                    record_id: format!("r{at}"),
                    url: format!("http://h{at}.example/"),
                    gold: Some(format!("{a} {b} {b} {c} {list}")),
                    ..Gold::default()
                },
            )
        });
        PageSet { name: name.into(), pages: pages.collect() }
    }

    fn options() -> TrainOptions {
        TrainOptions { name: "own".into(), groups: FeatureGroup::serving(), folds: 5, ..test_pages::options() }
    }

    fn f1(model: &Model, set: &PageSet) -> f64 {
        let options = crate::EvalOptions { rule: trommel_text::words::Rule::Characters, comments: true };
        let keep = |page: &LabelledPage| {
            let judged = model.judge(&page.page, page.gold.address());
            crate::kept_text(&page.page, &judged.choice.kept, &judged.embedded)
        };
        crate::evaluate(set, keep, &options).overall.scores.f1
    }

    #[test]
    fn other_conventions_are_learned_from_few_pages() {
        let base = Model::builtin("fast").unwrap();
        let adapted = adapt(&base, &[set("own", 0..24, false)], 0, &options()).unwrap();
        assert!(adapted.penalty.is_some());
        let model = &adapted.trained.model;
        let held_out = set("other", 100..120, false);
        let (before, after) = (f1(&base, &held_out), f1(model, &held_out));
        assert!(after > before + 0.05, "{before} {after}");
        let file = model.file();
        assert_eq!((file.name.as_str(), file.scores[0].pages), ("own", 24));
        assert!(file.adapted_from.as_ref().unwrap().starts_with("fast of "));
        assert_eq!(file.training.sets.last().unwrap().name, "own");
        // It is a model file like any other.
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(f1(&again, &held_out), after);
    }

    #[test]
    fn nothing_is_lost_on_pages_that_are_mixed_in() {
        let base = Model::builtin("fast").unwrap();
        let own_set = set("own", 0..24, false);
        // The same pages of other hosts, on which the lists are content: what gains on the one loses on the other.
        let sets = [own_set.clone(), set("others", 30..54, true)];
        let adapted = adapt(&base, &sets, 1, &options()).unwrap();
        assert_eq!(adapted.penalty, None);
        let names: Vec<&str> = adapted.before.iter().map(|score| score.set.as_str()).collect();
        assert_eq!(names, ["own", "others"]);
        // Pages that agree are no hindrance.
        let sets = [own_set, set("others", 30..54, false)];
        let adapted = adapt(&base, &sets, 1, &options()).unwrap();
        assert!(adapted.penalty.is_some());
    }

    #[test]
    fn labels_that_the_model_agrees_with_change_nothing() {
        let base = Model::builtin("fast").unwrap();
        let adapted = adapt(&base, &[set("own", 0..24, true)], 0, &options()).unwrap();
        let held_out = set("other", 100..120, true);
        let (before, after) = (f1(&base, &held_out), f1(&adapted.trained.model, &held_out));
        assert!(after >= before, "{before} {after}");
        assert_eq!(adapted.penalty, None, "{before} {after}");
        assert_eq!(adapted.before[0].f1, adapted.trained.model.file().scores[0].f1);
    }

    #[test]
    fn a_single_host_is_divided_by_page() {
        let mut own_set = set("own", 0..10, false);
        for page in &mut own_set.pages {
            page.gold.url = "http://one.example/".into();
        }
        let pages = labelled(std::slice::from_ref(&own_set), &options());
        let (folds, number) = folds(&pages, 5);
        assert_eq!((number, folds.iter().filter(|fold| **fold == 0).count()), (5, 2));
    }

    #[test]
    fn no_blocks_are_nothing_to_learn_from() {
        let base = Model::builtin("fast").unwrap();
        let empty = PageSet { name: "none".into(), pages: Vec::new() };
        assert!(matches!(adapt(&base, &[empty], 0, &options()), Err(LearnError::Nothing(_))));
    }
}
