//! What a memory of sites gains, measured, and the correction that it makes, learned.

mod fit;
mod measure;
mod report;

use std::path::Path;

use trommel_learn::{JudgedError, JudgedSet, LearnError, read_set};
use trommel_model::Model;

use measure::{SiteSet, measured};

/// Sets that a shipped correction may learn from.
const TRAINING: [&str; 5] = [
    "wcxb-dev",
    "aed424",
    "magic-articles",
    "zhweb",
    "news-world-dev",
];
/// Sets that only check it.
const CHECKS: [&str; 3] = ["daniel-dev", "l3s-gn1", "cleaneval"];

/// Why sites cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SitesReportError {
    /// A set cannot be read.
    #[error(transparent)]
    Set(#[from] LearnError),
    /// What cross-validation said cannot be read.
    #[error(transparent)]
    Judged(#[from] JudgedError),
    /// The model is not built in.
    #[error("there is no such model: {0}")]
    Model(String),
}

/// Groups the pages of the labelled sets in `data` by site and scores the model named `model` on them with and
/// without two passes. With `judged`, what cross-validation said of the pages that the model was trained on,
/// the correction is learned anew and cross-validated by host. Gives Markdown.
///
/// # Errors
/// If a set or the file cannot be read, or there is no such model.
pub fn run(data: &Path, model: &str, judged: Option<&Path>) -> Result<String, SitesReportError> {
    let model = Model::builtin(model).ok_or_else(|| SitesReportError::Model(model.to_owned()))?;
    let judged = judged.map(JudgedSet::read).transpose()?;
    let mut sets = Vec::new();
    for (name, trains) in TRAINING
        .map(|name| (name, true))
        .into_iter()
        .chain(CHECKS.map(|name| (name, false)))
    {
        let pages = data.join(format!("{name}.warc.gz"));
        let gold = data.join(format!("{name}.gold.jsonl.gz"));
        let set = read_set(&pages, &gold)?;
        tracing::info!(set = name, "read");
        sets.push(SiteSet::new(set, trains, &model, judged.as_ref()));
    }
    let learned = judged.is_some().then(|| fit::learn(&sets, &model));
    if let Some(judged) = &judged {
        for set in sets.iter().filter(|set| set.trains) {
            let (pages, all) = (set.unjudged(judged), set.set.pages.len());
            tracing::info!(set = set.set.name, pages, all, "without judged blocks");
        }
    }
    // With probabilities: the last.
    let correction = learned.as_deref().and_then(|all| all.last());
    let correction = correction.map(|own| &own.correction);
    let rows: Vec<_> = sets
        .iter()
        .map(|set| measured(set, &model, correction))
        .collect();
    Ok(report::report(&rows, learned.as_deref()))
}
