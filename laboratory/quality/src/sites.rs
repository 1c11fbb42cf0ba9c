//! Measures the gain of a site memory, and learns its correction.

mod address;
mod fit;
mod measure;
mod report;

use std::path::Path;

use trommel_learn::{JudgedSet, LearnError, PageSet, read_set};
use trommel_model::Model;

use measure::{Part, SiteSet, measured};

/// Sets that a shipped correction may learn from.
const TRAINING: [&str; 5] = ["wcxb-dev", "aed424", "magic-articles", "zhweb", "news-world-dev"];
/// Further sets for choosing its constants, and the archives of each. The two parts of dragnet share sites.
const CONSTANT_SETS: [(&str, &[&str]); 3] =
    [("l3s-gn1", &["l3s-gn1"]), ("cleaneval", &["cleaneval"]), ("dragnet", &["dragnet-train", "dragnet-test"])];
/// The set that only checks it.
const CHECK: &str = "daniel-dev";

/// Reason why sites cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SitesReportError {
    /// A set cannot be read.
    #[error(transparent)]
    Set(#[from] LearnError),
    /// The model is not built in.
    #[error("there is no such model: {0}")]
    Model(String),
}

/// Groups the pages of the labelled sets in `data` by site and scores the model named `model` on them with and
/// without two passes. With `judged`, what cross-validation said of the pages that the model was trained on,
/// the correction is learned anew, and its constants are chosen, without the set that checks it. Gives Markdown.
///
/// # Errors
/// If a set or the file cannot be read, or there is no such model.
pub fn run(data: &Path, model: &str, judged: Option<&Path>) -> Result<String, SitesReportError> {
    let model = Model::builtin(model).ok_or_else(|| SitesReportError::Model(model.to_owned()))?;
    let judged = judged.map(JudgedSet::read).transpose()?;
    let mut sets = Vec::new();
    let alone = |name: &'static str, part| (name, vec![name], part);
    let parts = TRAINING.map(|name| alone(name, Part::Learns));
    let choosing = CONSTANT_SETS.map(|(name, archives)| (name, archives.to_vec(), Part::Chooses));
    let check = alone(CHECK, Part::Checks);
    for (name, archives, part) in parts.into_iter().chain(choosing).chain([check]) {
        let mut pages = Vec::new();
        for archive in archives {
            let gold = data.join(format!("{archive}.gold.jsonl.gz"));
            pages.extend(read_set(&data.join(format!("{archive}.warc.gz")), &gold)?.pages);
        }
        tracing::info!(set = name, pages = pages.len(), "read");
        let set = PageSet { name: name.to_owned(), pages };
        sets.push(SiteSet::new(set, part, &model, judged.as_ref()));
    }
    let learned = judged.is_some().then(|| fit::learn(&sets, &model));
    if let Some(judged) = &judged {
        for set in sets.iter().filter(|set| set.part == Part::Learns) {
            let (pages, all) = (set.unjudged(judged), set.set.pages.len());
            tracing::info!(set = set.set.name, pages, all, "without judged blocks");
        }
    }
    let chosen = learned.as_ref().and_then(|learned| learned.best(false));
    let correction = chosen.map(|tried| &tried.correction);
    let rows: Vec<_> = sets.iter().map(|set| measured(set, &model, correction)).collect();
    Ok(report::report(&rows, learned.as_ref()))
}
