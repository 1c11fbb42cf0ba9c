//! Scores finished models on sets that none of them was trained on.

use std::path::Path;
use std::sync::Arc;

use trommel_extract::{CommentPolicy, ContentPolicy, Extractor};
use trommel_model::Model;
use trommel_text::words::Rule;

use super::error::QualityError;
use super::means::means;
use trommel_learn::JudgedSet;
use trommel_learn::{EvalOptions, Report, evaluate, text_by};
use trommel_learn::{PageSet, read_set};

/// The sets, in the order of the tables.
pub const HELD_OUT: [&str; 4] = ["daniel-dev", "dragnet-test", "l3s-gn1", "cleaneval"];

/// The scores of models on a set, one report for each model.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOut {
    /// Name of the set.
    pub set: String,
    /// The comments of readers taken for content.
    pub reports: Vec<Report>,
    /// The comments taken for no content; empty if the set keeps none apart.
    pub without_comments: Vec<Report>,
}

/// Scores the models on those of [`HELD_OUT`] that `data` holds as `NAME.warc.gz` with
/// `NAME.gold.jsonl.gz`. The models have to be those that were judged, in the same order.
///
/// # Errors
/// If a set cannot be read, a model is of another training than the judged pages, or was trained on
/// one of the sets.
pub fn held_out(data: &Path, judged: &[JudgedSet], models: &[Arc<Model>]) -> Result<Vec<HeldOut>, QualityError> {
    for (judged, model) in judged.iter().zip(models) {
        check(judged, model)?;
    }
    let mut found = Vec::new();
    for name in HELD_OUT {
        let pages = data.join(format!("{name}.warc.gz"));
        if !pages.exists() {
            tracing::warn!(set = name, "not there, left out");
            continue;
        }
        let set = read_set(&pages, &data.join(format!("{name}.gold.jsonl.gz")))?;
        found.push(score(&set, models));
        tracing::info!(set = name, pages = set.pages.len(), "scored");
    }
    Ok(found)
}

fn score(set: &PageSet, models: &[Arc<Model>]) -> HeldOut {
    let has_comments = set.has_comments();
    let reports = |comments| -> Vec<Report> {
        let options = EvalOptions { rule: Rule::Characters, comments };
        let policy = ContentPolicy {
            comments: if has_comments && comments { CommentPolicy::Include } else { CommentPolicy::Exclude },
            ..ContentPolicy::default()
        };
        let extractors = models.iter().map(|model| Extractor::new(Arc::clone(model)).with_policy(policy));
        extractors.map(|extractor| evaluate(set, |page| text_by(&extractor, page), &options)).collect()
    };
    HeldOut {
        set: set.name.clone(),
        reports: reports(true),
        without_comments: if has_comments { reports(false) } else { Vec::new() },
    }
}

/// The model file keeps the scores of its own cross-validation: those of the judged pages have to be
/// the same.
fn check(judged: &JudgedSet, model: &Model) -> Result<(), QualityError> {
    let file = model.file();
    if let Some(set) = file.training.sets.iter().find(|set| HELD_OUT.contains(&set.name.as_str())) {
        return Err(QualityError::Trained { model: file.name.clone(), set: set.name.clone() });
    }
    let measured =
        means(judged.pages.iter().filter(|page| page.required.is_none()).map(|page| (page.set.as_str(), &page.scores)));
    let known = file.scores.iter().map(|score| score.set.as_str());
    for set in measured.keys().copied().chain(known) {
        let score = file.scores.iter().find(|score| score.set == set);
        let same = measured.get(set).zip(score).is_some_and(|(mean, score)| {
            mean.pages == score.pages as usize && (mean.scores.f1 - score.f1).abs() < 1e-9
        });
        if !same {
            return Err(QualityError::OtherModel {
                judged: judged.model.clone(),
                model: file.name.clone(),
                set: set.to_owned(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::samples::{judged, page};
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_learn::{Gold, LabelledPage};
    use trommel_model::{
        FORMAT, Linear, ModelFile, Score, Scorer, Selection, Training, TrainingSet, VERSION, WeightedScorer,
    };

    /// A model that keeps every block, trained on one page of `set` with an F1 of a half.
    fn model(set: &str) -> Model {
        let schema =
            trommel_model::features::Schema::new(&[trommel_model::features::FeatureGroup::Shallow], &[], &[], &[]);
        Model::new(ModelFile {
            format: FORMAT.into(),
            version: VERSION,
            name: "all".into(),
            created: "2026-01-31".into(),
            groups: schema.groups().to_vec(),
            columns: schema.names().to_vec(),
            parts: vec![WeightedScorer {
                share: 1.0,
                scorer: Scorer::Linear(Linear { intercept: 3.0, weights: Vec::new() }),
            }],
            selection: Selection::Threshold(0.5),
            training: Training { sets: vec![TrainingSet { name: set.into(), pages: 1 }], ..Training::default() },
            scores: vec![Score {
                set: set.into(),
                how: "5-fold by host".into(),
                pages: 1,
                precision: 0.5,
                recall: 0.5,
                f1: 0.5,
            }],
            ..ModelFile::default()
        })
        .unwrap()
    }

    #[test]
    fn comments_count_in_one_report_only() {
        let html = "<p>one two three</p><p>late</p>";
        let set = PageSet {
            name: "toy".into(),
            pages: vec![LabelledPage {
                gold: Gold {
                    gold: Some("one two three".into()),
                    gold_comments: Some("late".into()),
                    lang: Some("en".into()),
                    ..Gold::default()
                },
                page: ScanEngine.read(html, &Limits::default()),
                html: html.into(),
            }],
        };
        let found = score(&set, &[Arc::new(model("s"))]);
        assert_eq!(found.reports[0].overall.scores.f1, 1.0);
        assert_eq!(found.reports[0].by_language["en"].pages, 1);
        let without = found.without_comments[0].overall.scores;
        assert_eq!((without.precision, without.recall), (0.75, 1.0));
    }

    #[test]
    fn judged_pages_belong_to_their_model() {
        let half = judged("all", vec![page("s", "1", "article", 0.5, 0.5)]);
        assert!(check(&half, &model("s")).is_ok());
        let other = judged("all", vec![page("s", "1", "article", 0.6, 0.5)]);
        let error = check(&other, &model("s")).unwrap_err().to_string();
        assert!(error.ends_with("model all: s differs"), "{error}");
        assert!(check(&half, &model("t")).is_err());
        let more = judged("all", vec![page("s", "1", "article", 0.5, 0.5), page("t", "1", "article", 0.5, 0.5)]);
        assert!(check(&more, &model("s")).is_err());
    }

    #[test]
    fn a_set_of_the_training_is_no_test() {
        let trained = judged("all", vec![page("cleaneval", "1", "article", 0.5, 0.5)]);
        let error = check(&trained, &model("cleaneval")).unwrap_err();
        assert!(matches!(error, QualityError::Trained { .. }), "{error}");
    }
}
