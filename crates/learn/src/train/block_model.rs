//! Trains a block model, with cross-validation by host or by set.

use trommel_model::{FORMAT, Model, ModelFile, Score, Training, TrainingSet, VERSION};

use super::cross_validation::{ScoredPage, choose, cross_validate, cross_validate_embedded, training_pages};
use super::scorers::{Fitted, fit_embedded};
use super::training_pages::{Labelled, PoorCopy, labelled};
use super::{HeldOut, Learner, Purpose, TrainOptions, learner::band};
use crate::error::LearnError;
use crate::evaluate::Scores;
use crate::labelled_pages::{PageSet, by_group};

/// Result of cross-validation for one page: probabilities, labels and chosen text.
#[derive(Clone, Debug)]
pub struct JudgedPage {
    /// Index of the page's set among the page sets.
    pub set: usize,
    /// Index of the page in its set.
    pub page: usize,
    /// Probability of each block to be content, by a model that was trained without the page's fold.
    pub probabilities: Vec<f32>,
    /// Label of each block: true if the block is content.
    pub labels: Vec<bool>,
    /// Label of each text that only the JSON-LD holds: true if the text is content.
    pub embedded_labels: Vec<bool>,
    /// Main text chosen from the blocks and JSON-LD texts of the page, with its scores.
    pub scored: ScoredPage,
}

/// Trained model, with the results of its cross-validation for every page.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Trained model, including its scores in cross-validation.
    pub model: Model,
    /// Results of cross-validation for every page of the sets, in order.
    pub judged: Vec<JudgedPage>,
}

/// Trains a block model on all pages of the sets, and scores it by cross-validation.
///
/// # Errors
/// Fails if there is nothing to learn from or the solver fails.
pub fn train(sets: &[PageSet], options: &TrainOptions) -> Result<Trained, LearnError> {
    let pages = labelled(sets, options);
    tracing::info!("pages to learn from: {}", pages.len());
    let hosts: Vec<&str> = pages.iter().map(|page| page.page.gold.group()).collect();
    let folds = match options.held_out {
        HeldOut::Hosts => by_group(&hosts, options.folds),
        HeldOut::Sets => pages.iter().map(|page| page.set).collect(),
    };
    let roles = options.roles(sets.len());
    // Pages are in the order of their sets.
    let known = pages.partition_point(|page| page.set < roles.threads);
    let copies = match options.learner {
        Learner::Linear => Vec::new(),
        _ => PoorCopy::of_pages(pages.get(..known).unwrap_or_default()),
    };
    let cross_validated = cross_validate(&pages, roles, &copies, &folds, options)?;
    let penalties = &cross_validated.penalties;
    let judged_embedded = cross_validate_embedded(&pages, &folds, options)?;
    // Sets that teach one scorer alone are of few sites, and none of them decides about all pages.
    let chosen = choose(&pages, &cross_validated, &judged_embedded, roles.threads);
    tracing::info!("training of what is written, on all pages");
    let training = training_pages(&pages, roles, &copies, options, |_| true)?;
    let penalty = penalties.get(chosen.candidate).copied().unwrap_or_default();
    let fitted = Fitted::new(&training, roles, options, Purpose::Use(penalty))?;
    let embedded = match options.learner {
        Learner::Linear => None,
        _ => fit_embedded(&training.iter().filter(|page| page.set < roles.threads).collect::<Vec<_>>())?,
    };
    let Fitted { learned, known_words, page_types, parts, lists, threads } = fitted;
    let parts = parts.into_iter().next().map(|(parts, _)| parts).unwrap_or_default();
    let band = band(&parts);
    let probabilities: Vec<Vec<f32>> = cross_validated
        .probabilities
        .iter()
        .map(|all| all.get(chosen.candidate).cloned().unwrap_or_default())
        .collect();
    let judged = judged_pages(&pages, &probabilities, chosen.pages, sets.len());
    let file = ModelFile {
        format: FORMAT.into(),
        version: VERSION,
        name: options.name.clone(),
        created: options.created.clone(),
        groups: learned.schema.groups().to_vec(),
        columns: learned.schema.names().to_vec(),
        parts,
        listed: learned.listed,
        attribute_weights: learned.weights,
        word_weights: learned.words,
        type_words: learned.type_words,
        known_words,
        page_types,
        embedded,
        pooling: options.learner.pooling(),
        band,
        lists,
        threads,
        few_metadata: options.learner == Learner::Lite,
        selection: chosen.selection,
        adapted_from: None,
        training: Training {
            sets: sets.iter().map(PageSet::training_set).collect(),
            blocks: judged.iter().map(|page| page.labels.len() as u64).sum(),
            label_share: options.label_share,
            penalty,
            folds: options.folds as u32,
        },
        scores: scores(sets, options, &judged),
    };
    Ok(Trained { model: Model::new(file)?, judged })
}

/// Returns the results of cross-validation for every page, from its probabilities and its chosen text.
pub(super) fn judged_pages(
    pages: &[Labelled],
    probabilities: &[Vec<f32>],
    scored: Vec<ScoredPage>,
    sets: usize,
) -> Vec<JudgedPage> {
    let mut number_in_set = vec![0; sets];
    pages
        .iter()
        .zip(probabilities)
        .zip(scored)
        .map(|((page, probabilities), scored)| {
            let number = number_in_set[page.set];
            number_in_set[page.set] += 1;
            JudgedPage {
                set: page.set,
                page: number,
                probabilities: probabilities.clone(),
                labels: page.labels.clone(),
                embedded_labels: page.embedded.complete.iter().map(|(_, label)| *label).collect(),
                scored,
            }
        })
        .collect()
}

impl PageSet {
    /// Returns the description of the page set for model files: its name and its number of pages.
    pub(super) fn training_set(&self) -> TrainingSet {
        TrainingSet { name: self.name.clone(), pages: self.pages.len() as u32 }
    }
}

pub(super) fn scores(sets: &[PageSet], options: &TrainOptions, judged: &[JudgedPage]) -> Vec<Score> {
    let score = |(set, pages): (usize, &PageSet)| {
        // Nothing can be said of sets of which only some texts are known.
        let judged_pages = judged.iter().filter(|page| page.set == set);
        let judged_pages: Vec<&JudgedPage> = judged_pages.filter(|page| page.scored.required.is_none()).collect();
        if judged_pages.is_empty() && !pages.pages.is_empty() {
            return None;
        }
        let mean = Scores::mean(judged_pages.iter().map(|page| &page.scored.scores));
        Some(Score {
            set: pages.name.clone(),
            how: match options.held_out {
                HeldOut::Hosts => format!("{}-fold by host", options.folds),
                HeldOut::Sets => "by set".to_owned(),
            },
            pages: judged_pages.len() as u32,
            precision: mean.precision,
            recall: mean.recall,
            f1: mean.f1,
        })
    };
    sets.iter().enumerate().filter_map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelled_pages::Gold;
    use crate::test_pages;
    use crate::train::Weighting;
    use trommel_model::features::{FeatureGroup, ListedWord};

    /// Creates pages of twelve hosts: prose in `story`, short linked lists in `menu`.
    fn set() -> PageSet {
        let pages = (0..24)
            .map(|at| {
                let body = format!("The story of page {at} goes on for some words here, and ends.");
                let html = format!(
                    "<ul class=menu><li><a href=x>Home {at}</a><li><a href=y>News</a></ul>\
                     <div class=story><p>{body}</p><p>More of {body}</p></div><div class=menu>Contact</div>"
                );
                test_pages::labelled(
                    &html,
                    Gold {
                        record_id: format!("r{at}"),
                        url: format!("http://h{}.example/{at}", at % 12),
                        gold: Some(format!("{body} More of {body}")),
                        ..Gold::default()
                    },
                )
            })
            .collect();
        PageSet { name: "toy".into(), pages }
    }

    fn options(groups: &[FeatureGroup], learner: Learner, weighting: Weighting) -> TrainOptions {
        TrainOptions { groups: groups.to_vec(), learner, weighting, ..test_pages::options() }
    }

    #[test]
    fn prose_is_learned_from_menus() {
        for (groups, learner, weighting) in [
            (&FeatureGroup::PAPER[..], Learner::Linear, Weighting::Blocks),
            (&FeatureGroup::ALL[..], Learner::Linear, Weighting::Pages),
        ] {
            let trained = train(&[set()], &options(groups, learner, weighting)).unwrap();
            let scores = &trained.model.file().scores[0];
            assert!(scores.f1 > 0.95, "{scores:?}");
            assert_eq!((scores.pages, trained.judged.len()), (24, 24));
            let listed: Vec<String> = trained.model.file().listed.iter().map(ListedWord::feature).collect();
            assert_eq!(listed, ["class:menu", "class:story"]);
            let page = test_pages::read(
                "<ul class=menu><li><a href=z>Home</a></ul><div class=story><p>Some new prose, with words in it.</p></div>",
            );
            assert_eq!(trained.model.judge(&page, None).choice.kept, [false, true]);
        }
    }

    #[test]
    fn training_twice_gives_the_same_bytes() {
        let bytes = || {
            let trained = train(&[set()], &options(&FeatureGroup::ALL, Learner::Additive, Weighting::Pages)).unwrap();
            trained.model.to_bytes().unwrap()
        };
        assert_eq!(bytes(), bytes());
    }

    #[test]
    fn sets_are_held_out_as_a_whole() {
        // The words of menus in one set are those of stories in the other.
        let mut other = set();
        other.name = "other".into();
        for (at, page) in other.pages.iter_mut().enumerate() {
            let html = format!(
                "<ul class=story><li>Home {at}<li>News</ul><div class=menu><p>The story of {at} ends.</p></div>"
            );
            page.page = test_pages::read(&html);
            page.gold.gold = Some(format!("The story of {at} ends."));
        }
        let f1 = |held_out: HeldOut| {
            let options = options(&FeatureGroup::PAPER, Learner::Linear, Weighting::Pages);
            let trained = train(&[set(), other.clone()], &TrainOptions { held_out, ..options }).unwrap();
            let scores = &trained.model.file().scores;
            (scores[1].f1, scores[1].how.clone())
        };
        let (by_host, by_set) = (f1(HeldOut::Hosts), f1(HeldOut::Sets));
        assert_eq!((by_host.1.as_str(), by_set.1.as_str()), ("3-fold by host", "by set"));
        assert!(by_set.0 < by_host.0, "{by_set:?} {by_host:?}");
    }

    #[test]
    fn nothing_is_nothing_to_learn_from() {
        let empty = PageSet { name: "none".into(), pages: Vec::new() };
        assert!(train(&[empty], &options(&FeatureGroup::PAPER, Learner::Linear, Weighting::Blocks)).is_err());
    }
}
