//! Training of block models, with cross-validation by host.

use rayon::prelude::*;
use trommel_features::{Group, ListedToken, Rows, Schema};
use trommel_html::words::Rule;
use trommel_model::{
    FORMAT, FeatureWeight, Model, ModelFile, Score, Selection, Training, TrainingSet, VERSION,
};

use crate::error::LearnError;
use crate::evaluate::kept_text;
use crate::folds::by_group;
use crate::label::shares;
use crate::lexicon::{self, Example};
use crate::logistic::{Fit, Sample, fit};
use crate::metric::Scores;
use crate::pages::{LabelledPage, PageSet};
use crate::weighted::fit_weighted;

/// Strengths of the L2 penalty that are tried.
const PENALTIES: [f64; 4] = [1e-5, 1e-4, 1e-3, 1e-2];
/// Thresholds that are tried beside selection by expected F1.
const THRESHOLDS: [f32; 7] = [0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6];
/// Parts that the training pages are divided into to learn token weights: a page's own features use
/// weights from the other parts, so a token that stands on a few training pages only cannot teach the
/// regression to trust it blindly.
const CROSS_FIT: usize = 4;

/// How much each block counts in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// Every block once, as in the paper.
    Blocks,
    /// Every page the same, divided among its blocks by the square roots of their words.
    Pages,
}

/// What to train and how.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// Name of the model.
    pub name: String,
    /// Day to write into the model, `YYYY-MM-DD`.
    pub created: String,
    /// Groups of features.
    pub groups: Vec<Group>,
    /// A block is content if more than this share of its words lies on the common subsequence.
    pub label_share: f32,
    /// How much each block counts.
    pub weighting: Weighting,
    /// Number of folds.
    pub folds: usize,
    /// Whether the gold's comments are content.
    pub comments: bool,
}

/// Scores of one set of pages.
#[derive(Clone, Debug)]
pub struct SetScores {
    /// Name of the set.
    pub set: String,
    /// Score of each page, with its type.
    pub pages: Vec<(Option<String>, Scores)>,
}

/// A trained model and what cross-validation said of it.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The model, its scores filled in.
    pub model: Model,
    /// Scores on pages of hosts that the judging model had not seen, a set each.
    pub cross_validation: Vec<SetScores>,
}

struct Labelled<'a> {
    page: &'a LabelledPage,
    set: usize,
    labels: Vec<bool>,
    text: String,
}

/// Out-of-fold probabilities of the blocks of a page.
struct Judged {
    page: usize,
    by_penalty: Vec<Vec<f32>>,
}

/// Trains a model on all pages of the sets.
///
/// # Errors
/// If there is nothing to learn from or the solver fails.
pub fn train(sets: &[PageSet], options: &TrainOptions) -> Result<Trained, LearnError> {
    let pages: Vec<Labelled> = sets
        .par_iter()
        .enumerate()
        .flat_map(|(set, pages)| pages.pages.par_iter().map(move |page| (set, page)))
        .map(|(set, page)| {
            let text = page.gold.text(options.comments);
            let labels = shares(&page.page, &text)
                .iter()
                .map(|share| *share > options.label_share)
                .collect();
            Labelled {
                page,
                set,
                labels,
                text,
            }
        })
        .collect();
    tracing::info!(pages = pages.len(), "labelled");
    let groups: Vec<&str> = pages.iter().map(|page| page.page.gold.group()).collect();
    let folds = by_group(&groups, options.folds);

    // Out-of-fold probabilities of every page, for every penalty.
    let judged: Result<Vec<Vec<Judged>>, LearnError> = (0..options.folds)
        .into_par_iter()
        .map(|fold| {
            let (held, rest): (Vec<usize>, Vec<usize>) =
                (0..pages.len()).partition(|page| folds.get(*page) == Some(&fold));
            let training: Vec<&Labelled> = rest.iter().filter_map(|at| pages.get(*at)).collect();
            let learned = Learned::new(&training, options);
            let sample = learned.sample(&training, options);
            let fits: Result<Vec<Fit>, LearnError> = PENALTIES
                .iter()
                .map(|penalty| sample.try_fit(*penalty))
                .collect();
            let fits = fits?;
            drop(sample);
            tracing::info!(fold, "fitted");
            Ok(held
                .into_iter()
                .filter_map(|at| {
                    let rows = learned.schema.rows(&pages.get(at)?.page.page, None);
                    let by_penalty = fits.iter().map(|fit| probabilities(fit, &rows)).collect();
                    Some(Judged {
                        page: at,
                        by_penalty,
                    })
                })
                .collect())
        })
        .collect();
    let mut probabilities: Vec<Vec<Vec<f32>>> = vec![Vec::new(); pages.len()];
    for judged in judged?.into_iter().flatten() {
        probabilities[judged.page] = judged.by_penalty;
    }
    let score = |penalty: usize, selection: Selection| -> Vec<Scores> {
        pages
            .par_iter()
            .zip(&probabilities)
            .map(|(page, all)| page.score(all.get(penalty).map_or(&[], Vec::as_slice), selection))
            .collect()
    };
    let mut best = (0, Selection::ExpectedF1, f64::NEG_INFINITY, Vec::new());
    for (at, penalty) in PENALTIES.iter().enumerate() {
        let scores = score(at, Selection::ExpectedF1);
        let mean = mean_over_sets(&pages, &scores, sets.len());
        tracing::info!(penalty, f1 = mean, "cross-validated");
        if mean > best.2 {
            best = (at, Selection::ExpectedF1, mean, scores);
        }
    }
    for threshold in THRESHOLDS {
        let scores = score(best.0, Selection::Threshold(threshold));
        let mean = mean_over_sets(&pages, &scores, sets.len());
        tracing::info!(threshold, f1 = mean, "cross-validated");
        if mean > best.2 {
            best = (best.0, Selection::Threshold(threshold), mean, scores);
        }
    }
    let (penalty, selection, _, scores) = best;
    let cross_validation: Vec<SetScores> = sets
        .iter()
        .enumerate()
        .map(|(set, pages_of)| SetScores {
            set: pages_of.name.clone(),
            pages: pages
                .iter()
                .zip(&scores)
                .filter(|(page, _)| page.set == set)
                .map(|(page, score)| (page.page.gold.page_type.clone(), *score))
                .collect(),
        })
        .collect();

    let all: Vec<&Labelled> = pages.iter().collect();
    let learned = Learned::new(&all, options);
    let sample = learned.sample(&all, options);
    let blocks = all.iter().map(|page| page.labels.len() as u64).sum();
    let final_fit = sample.fit(PENALTIES[penalty])?;
    let file = ModelFile {
        format: FORMAT.into(),
        version: VERSION,
        name: options.name.clone(),
        created: options.created.clone(),
        groups: learned.schema.groups().to_vec(),
        features: learned
            .schema
            .names()
            .iter()
            .zip(final_fit.weights.iter().zip(&final_fit.deviations))
            .filter(|(_, (weight, _))| **weight != 0.0)
            .map(|(name, (weight, deviation))| FeatureWeight {
                name: name.clone(),
                weight: *weight as f32,
                deviation: *deviation as f32,
            })
            .collect(),
        intercept: final_fit.intercept as f32,
        listed: learned.listed.clone(),
        token_weights: if options.groups.contains(&Group::Weights) {
            learned.weights
        } else {
            Vec::new()
        },
        selection,
        training: Training {
            sets: sets
                .iter()
                .map(|set| TrainingSet {
                    name: set.name.clone(),
                    pages: set.pages.len() as u32,
                })
                .collect(),
            blocks,
            label_share: options.label_share,
            penalty: PENALTIES[penalty],
            folds: options.folds as u32,
        },
        scores: cross_validation
            .iter()
            .map(|set| {
                let mean = Scores::mean(set.pages.iter().map(|(_, score)| score));
                Score {
                    set: set.set.clone(),
                    how: format!("{}-fold by host", options.folds),
                    pages: set.pages.len() as u32,
                    precision: mean.precision,
                    recall: mean.recall,
                    f1: mean.f1,
                }
            })
            .collect(),
    };
    Ok(Trained {
        model: Model::new(file)?,
        cross_validation,
    })
}

/// The mean of the sets' mean F1, so that a large set does not decide alone.
fn mean_over_sets(pages: &[Labelled], scores: &[Scores], sets: usize) -> f64 {
    let of_set = |set: usize| {
        let own = pages.iter().zip(scores).filter(|(page, _)| page.set == set);
        Scores::mean(own.map(|(_, score)| score)).f1
    };
    (0..sets).map(of_set).sum::<f64>() / sets.max(1) as f64
}

impl Labelled<'_> {
    fn example(&self) -> Example<'_> {
        Example {
            page: &self.page.page,
            labels: &self.labels,
            group: self.page.gold.group(),
        }
    }

    /// Score of the blocks that `selection` chooses.
    fn score(&self, probabilities: &[f32], selection: Selection) -> Scores {
        let page = &self.page.page;
        let words: Vec<u32> = page.blocks.iter().map(|block| block.words).collect();
        let choice = selection.choose(probabilities, &words);
        Scores::of(&kept_text(page, &choice.kept), &self.text, Rule::Characters)
    }
}

/// Token lists learned from training pages, and the schema with them.
struct Learned {
    listed: Vec<ListedToken>,
    weights: Vec<trommel_features::TokenWeight>,
    schema: Schema,
}

impl Learned {
    fn new(pages: &[&Labelled], options: &TrainOptions) -> Self {
        let examples: Vec<Example> = pages.iter().map(|page| page.example()).collect();
        let uses = |group: Group| options.groups.contains(&group);
        let listed = if uses(Group::Tokens) {
            lexicon::list(&examples)
        } else {
            Vec::new()
        };
        let weights = if uses(Group::Weights) {
            lexicon::weigh(&examples)
        } else {
            Vec::new()
        };
        let schema = Schema::new(&options.groups, &listed, &weights, &[]);
        Self {
            listed,
            weights,
            schema,
        }
    }

    /// The rows of the training pages.
    fn sample(&self, pages: &[&Labelled], options: &TrainOptions) -> Weighed {
        let schemas: Vec<Schema>;
        let part_of: Vec<usize>;
        if options.groups.contains(&Group::Weights) {
            let groups: Vec<&str> = pages.iter().map(|page| page.page.gold.group()).collect();
            part_of = by_group(&groups, CROSS_FIT);
            schemas = (0..CROSS_FIT)
                .map(|part| {
                    let others: Vec<Example> = pages
                        .iter()
                        .zip(&part_of)
                        .filter(|(_, of)| **of != part)
                        .map(|(page, _)| page.example())
                        .collect();
                    Schema::new(&options.groups, &self.listed, &lexicon::weigh(&others), &[])
                })
                .collect();
        } else {
            part_of = vec![0; pages.len()];
            schemas = vec![self.schema.clone()];
        }
        let mut weights = Vec::new();
        let mut sample = Sample {
            width: self.schema.names().len(),
            ..Sample::default()
        };
        for (page, part) in pages.iter().zip(part_of) {
            let Some(schema) = schemas.get(part) else {
                continue;
            };
            let rows = schema.rows(&page.page.page, None);
            let total: f64 = page
                .page
                .page
                .blocks
                .iter()
                .map(|b| f64::from(b.words).sqrt())
                .sum();
            for ((row, label), block) in rows.iter().zip(&page.labels).zip(&page.page.page.blocks) {
                sample.data.extend_from_slice(row);
                sample.labels.push(*label);
                weights.push((f64::from(block.words).sqrt() / total) as f32);
            }
        }
        Weighed {
            sample,
            weights,
            weighting: options.weighting,
        }
    }
}

/// Training rows with their weights.
struct Weighed {
    sample: Sample,
    weights: Vec<f32>,
    weighting: Weighting,
}

impl Weighed {
    /// A fit for cross-validation. Our own solver serves for both weightings: on unit weights its
    /// objective is that of linfa-logistic, and 25 fits of 40 seconds each would be too long.
    fn try_fit(&self, penalty: f64) -> Result<Fit, LearnError> {
        match self.weighting {
            Weighting::Blocks => {
                fit_weighted(&self.sample, &vec![1.0; self.weights.len()], penalty)
            }
            Weighting::Pages => fit_weighted(&self.sample, &self.weights, penalty),
        }
    }

    /// The fit of the model itself.
    fn fit(&self, penalty: f64) -> Result<Fit, LearnError> {
        match self.weighting {
            Weighting::Blocks => fit(&self.sample, penalty),
            Weighting::Pages => self.try_fit(penalty),
        }
    }
}

fn probabilities(fit: &Fit, rows: &Rows) -> Vec<f32> {
    rows.iter()
        .map(|row| {
            let dot: f64 = row
                .iter()
                .zip(&fit.weights)
                .map(|(v, w)| f64::from(*v) * w)
                .sum();
            (1.0 / (1.0 + (-(fit.intercept + dot)).exp())) as f32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Gold;
    use trommel_html::{Engine, Limits, LolEngine};

    /// Pages of twelve hosts: prose in `story`, short linked lists in `menu`.
    fn set() -> PageSet {
        let pages = (0..24)
            .map(|at| {
                let body = format!("The story of page {at} goes on for some words here, and ends.");
                let html = format!(
                    "<ul class=menu><li><a href=x>Home {at}</a><li><a href=y>News</a></ul>\
                     <div class=story><p>{body}</p><p>More of {body}</p></div><div class=menu>Contact</div>"
                );
                LabelledPage {
                    gold: Gold {
                        record_id: format!("r{at}"),
                        url: format!("http://h{}.example/{at}", at % 12),
                        gold: Some(format!("{body} More of {body}")),
                        ..Gold::default()
                    },
                    page: LolEngine.read(&html, &Limits::default()),
                }
            })
            .collect();
        PageSet {
            name: "toy".into(),
            pages,
        }
    }

    fn options(groups: &[Group], weighting: Weighting) -> TrainOptions {
        TrainOptions {
            name: "toy".into(),
            created: "2026-01-01".into(),
            groups: groups.to_vec(),
            label_share: 0.1,
            weighting,
            folds: 3,
            comments: true,
        }
    }

    #[test]
    fn prose_is_learned_from_menus() {
        for (groups, weighting) in [
            (&Group::PAPER[..], Weighting::Blocks),
            (&Group::ALL[..], Weighting::Pages),
        ] {
            let trained = train(&[set()], &options(groups, weighting)).unwrap();
            let scores = &trained.model.file().scores[0];
            assert!(scores.f1 > 0.95, "{scores:?}");
            assert_eq!(
                (scores.pages, trained.cross_validation[0].pages.len()),
                (24, 24)
            );
            let listed: Vec<String> = trained
                .model
                .file()
                .listed
                .iter()
                .map(ListedToken::feature)
                .collect();
            assert_eq!(listed, ["class:menu", "class:story"]);
            let page = LolEngine.read(
                "<ul class=menu><li><a href=z>Home</a></ul><div class=story><p>Some new prose, with words in it.</p></div>",
                &Limits::default(),
            );
            assert_eq!(trained.model.judge(&page).1.kept, [false, true]);
        }
    }

    #[test]
    fn training_twice_gives_the_same_bytes() {
        let bytes = || {
            let trained = train(&[set()], &options(&Group::ALL, Weighting::Pages)).unwrap();
            trained.model.to_bytes().unwrap()
        };
        assert_eq!(bytes(), bytes());
    }

    #[test]
    fn nothing_is_nothing_to_learn_from() {
        let empty = PageSet {
            name: "none".into(),
            pages: Vec::new(),
        };
        assert!(train(&[empty], &options(&Group::PAPER, Weighting::Blocks)).is_err());
    }
}
