//! Training of block models, with cross-validation by host.

use rayon::prelude::*;
use trommel_features::{FeatureGroup, FeatureMatrix};
use trommel_model::{
    EmbeddedScorer, FORMAT, JudgedEmbedded, Model, ModelFile, Score, Selection, Training,
    TrainingSet, VERSION, WeightedScorer, sigmoid,
};
use trommel_text::words::Rule;

use crate::embedded::{LabelledEmbedded, WITH_COMMENTS, fit_embedded};
use crate::error::LearnError;
use crate::evaluate::kept_text;
use crate::folds::by_group;
use crate::label::shares;
use crate::learner::{Learner, Weighting};
use crate::metric::Scores;
use crate::page_types::fit_page_types;
use crate::pages::PageSet;
use crate::table::{Labelled, Learned};

/// Selections that are tried beside expected F1.
const SELECTIONS: [Selection; 8] = [
    Selection::SharpF1(1.2),
    Selection::SharpF1(1.4),
    Selection::SharpF1(1.7),
    Selection::SharpF1(2.0),
    Selection::Threshold(0.3),
    Selection::Threshold(0.4),
    Selection::Threshold(0.5),
    Selection::Threshold(0.6),
];

/// Columns of the page's address tell its type, but blocks are not judged by them: what addresses look
/// like differs from crawl to crawl.
const ADDRESS: &str = "address.";

/// What to train and how.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// Name of the model, or of each.
    pub names: Vec<String>,
    /// Day to write into the model, `YYYY-MM-DD`.
    pub created: String,
    /// Groups of features.
    pub groups: Vec<FeatureGroup>,
    /// What the model is made of.
    pub learner: Learner,
    /// A block is content if more than this share of its words lies on the common subsequence.
    pub label_share: f32,
    /// How much each block counts.
    pub weighting: Weighting,
    /// Number of folds.
    pub folds: usize,
    /// Whether the gold's comments are content.
    pub comments: bool,
}

/// What cross-validation said of one page.
#[derive(Clone, Debug)]
pub struct JudgedPage {
    /// Number of its set.
    pub set: usize,
    /// Number of the page in its set.
    pub page: usize,
    /// Probability of each block, by a model that had not seen the page's host.
    pub probabilities: Vec<f32>,
    /// Labels of the blocks.
    pub labels: Vec<bool>,
    /// Texts of the JSON-LD that are not among the blocks, likewise judged, and their labels.
    pub embedded: Vec<(JudgedEmbedded, bool)>,
    /// Expected F1 of what was chosen.
    pub confidence: f32,
    /// Scores of what was chosen.
    pub scores: Scores,
}

/// A trained model and what cross-validation said of it.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The model, its scores filled in.
    pub model: Model,
    /// Every page of the sets, in order.
    pub judged: Vec<JudgedPage>,
}

/// Trains a model on all pages of the sets; two for [`Learner::Shipped`], the additive one first. They
/// are named by `options.names`.
///
/// # Errors
/// If there is nothing to learn from or the solver fails.
pub fn train(sets: &[PageSet], options: &TrainOptions) -> Result<Vec<Trained>, LearnError> {
    let pages = labelled(sets, options);
    tracing::info!(pages = pages.len(), "labelled");
    let hosts: Vec<&str> = pages.iter().map(|page| page.page.gold.group()).collect();
    let folds = by_group(&hosts, options.folds);
    let (penalties, probabilities) = cross_validate(&pages, &folds, options)?;
    let judged_embedded = cross_validate_embedded(&pages, &folds, options)?;
    let chosen: Vec<Chosen> = match options.learner {
        Learner::Shipped => (0..penalties.len())
            .map(|at| choose(&pages, &probabilities, &judged_embedded, &[at], sets.len()))
            .collect(),
        _ => {
            let all: Vec<usize> = (0..penalties.len()).collect();
            vec![choose(
                &pages,
                &probabilities,
                &judged_embedded,
                &all,
                sets.len(),
            )]
        }
    };

    let all: Vec<&Labelled> = pages.iter().collect();
    let learned = Learned::new(&all, &options.groups);
    let mut table = learned.table(&all, &options.groups);
    let page_types = if options.learner == Learner::Linear {
        Vec::new()
    } else {
        fit_page_types(&table, learned.schema.names(), &all)?
    };
    table.blank(learned.schema.names(), ADDRESS);
    let embedded = match options.learner {
        Learner::Linear => None,
        _ => fit_embedded(&all)?,
    };
    let penalty = chosen
        .first()
        .and_then(|chosen| penalties.get(chosen.candidate))
        .copied()
        .unwrap_or_default();
    let fits = options.learner.fit(&table, options.weighting, penalty)?;
    drop(table);
    fits.into_iter()
        .zip(chosen)
        .zip(&options.names)
        .map(|((parts, chosen), name)| {
            let selection = chosen.selection;
            let judged = judged(&pages, &probabilities, chosen, sets.len());
            let file = ModelFile {
                format: FORMAT.into(),
                version: VERSION,
                name: name.clone(),
                created: options.created.clone(),
                groups: learned.schema.groups().to_vec(),
                columns: learned.schema.names().to_vec(),
                parts,
                listed: learned.listed.clone(),
                attribute_weights: learned.weights.clone(),
                word_weights: learned.words.clone(),
                page_types: page_types.clone(),
                embedded: embedded.clone(),
                selection,
                training: training(sets, options, penalty, &judged),
                scores: scores(sets, options, &judged),
            };
            Ok(Trained {
                model: Model::new(file)?,
                judged,
            })
        })
        .collect()
}

/// The best candidate with the best selection, by cross-validation.
struct Chosen {
    candidate: usize,
    selection: Selection,
    /// What was chosen on each page.
    pages: Vec<ScoredPage>,
}

/// A choice on one page.
#[derive(Clone)]
struct ScoredPage {
    expected_f1: f32,
    scores: Scores,
    embedded: Vec<JudgedEmbedded>,
}

fn choose(
    pages: &[Labelled],
    probabilities: &[ByCandidate],
    judged_embedded: &[Vec<JudgedEmbedded>],
    candidates: &[usize],
    sets: usize,
) -> Chosen {
    let mut best = (f64::NEG_INFINITY, None);
    let mut consider = |candidate: usize, selection: Selection| {
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
        if mean > best.0 {
            best.0 = mean;
            best.1 = Some(Chosen {
                candidate,
                selection,
                pages: scores,
            });
        }
        best.1.as_ref().map_or(0, |chosen| chosen.candidate)
    };
    let mut winner = 0;
    for candidate in candidates {
        winner = consider(*candidate, Selection::ExpectedF1);
    }
    for selection in SELECTIONS {
        consider(winner, selection);
    }
    best.1.unwrap_or(Chosen {
        candidate: 0,
        selection: Selection::ExpectedF1,
        pages: Vec::new(),
    })
}

/// Every page with what was decided about it.
fn judged(
    pages: &[Labelled],
    probabilities: &[ByCandidate],
    chosen: Chosen,
    sets: usize,
) -> Vec<JudgedPage> {
    let mut number_in_set = vec![0; sets];
    pages
        .iter()
        .zip(probabilities)
        .zip(chosen.pages)
        .map(|((page, all), scored)| {
            let number = number_in_set[page.set];
            number_in_set[page.set] += 1;
            JudgedPage {
                set: page.set,
                page: number,
                probabilities: all.get(chosen.candidate).cloned().unwrap_or_default(),
                labels: page.labels.clone(),
                embedded: scored
                    .embedded
                    .into_iter()
                    .zip(page.embedded.own.iter().map(|(_, label)| *label))
                    .collect(),
                confidence: scored.expected_f1,
                scores: scored.scores,
            }
        })
        .collect()
}

fn labelled<'a>(sets: &'a [PageSet], options: &TrainOptions) -> Vec<Labelled<'a>> {
    sets.par_iter()
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
                embedded: LabelledEmbedded::of(&page.page, &text),
                text,
            }
        })
        .collect()
}

/// Probabilities of a page's blocks, a list a candidate.
type ByCandidate = Vec<Vec<f32>>;

/// Probabilities of the blocks of each page by models that have not seen its host, one list a
/// candidate, and the candidates' penalties.
fn cross_validate(
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
fn cross_validate_embedded(
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
            page.embedded.judged(scorer)
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

fn training(
    sets: &[PageSet],
    options: &TrainOptions,
    penalty: f64,
    judged: &[JudgedPage],
) -> Training {
    Training {
        sets: sets
            .iter()
            .map(|set| TrainingSet {
                name: set.name.clone(),
                pages: set.pages.len() as u32,
            })
            .collect(),
        blocks: judged.iter().map(|page| page.labels.len() as u64).sum(),
        label_share: options.label_share,
        penalty,
        folds: options.folds as u32,
    }
}

fn scores(sets: &[PageSet], options: &TrainOptions, judged: &[JudgedPage]) -> Vec<Score> {
    sets.iter()
        .enumerate()
        .map(|(set, pages)| {
            let own = judged.iter().filter(|page| page.set == set);
            let mean = Scores::mean(own.map(|page| &page.scores));
            Score {
                set: pages.name.clone(),
                how: format!("{}-fold by host", options.folds),
                pages: pages.pages.len() as u32,
                precision: mean.precision,
                recall: mean.recall,
                f1: mean.f1,
            }
        })
        .collect()
}

/// The mean of the sets' mean F1, so that a large set does not decide alone.
fn mean_over_sets(pages: &[Labelled], scores: &[ScoredPage], sets: usize) -> f64 {
    let of_set = |set: usize| {
        let own = pages.iter().zip(scores).filter(|(page, _)| page.set == set);
        Scores::mean(own.map(|(_, scored)| &scored.scores)).f1
    };
    (0..sets).map(of_set).sum::<f64>() / sets.max(1) as f64
}

impl Labelled<'_> {
    /// What `selection` chooses among the blocks and embedded texts.
    fn score(
        &self,
        probabilities: &[f32],
        mut embedded: Vec<JudgedEmbedded>,
        selection: Selection,
    ) -> ScoredPage {
        let page = &self.page.page;
        let words: Vec<u32> = page.blocks.iter().map(|block| block.words).collect();
        let choice = selection.choose_with(probabilities, &words, &mut embedded, WITH_COMMENTS);
        let text = kept_text(page, &choice.kept, &embedded);
        ScoredPage {
            expected_f1: choice.expected_f1,
            scores: Scores::of(&text, &self.text, Rule::Characters),
            embedded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::{Gold, LabelledPage};
    use trommel_features::ListedWord;
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

    fn options(groups: &[FeatureGroup], learner: Learner, weighting: Weighting) -> TrainOptions {
        TrainOptions {
            names: vec!["toy".into()],
            created: "2026-01-01".into(),
            groups: groups.to_vec(),
            learner,
            label_share: 0.1,
            weighting,
            folds: 3,
            comments: true,
        }
    }

    #[test]
    fn prose_is_learned_from_menus() {
        for (groups, learner, weighting) in [
            (&FeatureGroup::PAPER[..], Learner::Linear, Weighting::Blocks),
            (&FeatureGroup::ALL[..], Learner::Linear, Weighting::Pages),
        ] {
            let trained = train(&[set()], &options(groups, learner, weighting))
                .unwrap()
                .remove(0);
            let scores = &trained.model.file().scores[0];
            assert!(scores.f1 > 0.95, "{scores:?}");
            assert_eq!((scores.pages, trained.judged.len()), (24, 24));
            let listed: Vec<String> = trained
                .model
                .file()
                .listed
                .iter()
                .map(ListedWord::feature)
                .collect();
            assert_eq!(listed, ["class:menu", "class:story"]);
            let page = LolEngine.read(
                "<ul class=menu><li><a href=z>Home</a></ul><div class=story><p>Some new prose, with words in it.</p></div>",
                &Limits::default(),
            );
            assert_eq!(trained.model.judge(&page, None).choice.kept, [false, true]);
        }
    }

    #[test]
    fn training_twice_gives_the_same_bytes() {
        let bytes = || {
            let trained = train(
                &[set()],
                &options(&FeatureGroup::ALL, Learner::Additive, Weighting::Pages),
            )
            .unwrap();
            trained[0].model.to_bytes().unwrap()
        };
        assert_eq!(bytes(), bytes());
    }

    #[test]
    fn nothing_is_nothing_to_learn_from() {
        let empty = PageSet {
            name: "none".into(),
            pages: Vec::new(),
        };
        assert!(
            train(
                &[empty],
                &options(&FeatureGroup::PAPER, Learner::Linear, Weighting::Blocks)
            )
            .is_err()
        );
    }
}
