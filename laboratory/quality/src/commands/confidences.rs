//! `trommel-quality confidences`

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::Args;
use trommel_model::Model;
use trommel_quality::confidences::{ScoredSet, report, scored, table};

/// Compare the confidence of pages with their word F1: which share of the lost F1 lies in the pages of the lowest
/// confidence, as Markdown tables
#[derive(Debug, Args)]
pub struct ConfidencesArgs {
    /// Archives of labelled pages, each with its gold beside it; pages without a gold text are passed over
    #[arg(long, required = true, num_args = 1.., value_name = "WARC")]
    pages: Vec<PathBuf>,
    /// Models to compare: names of built-in ones, or files
    #[arg(long, num_args = 1.., value_name = "NAME|FILE", default_values = ["fast", "lite"])]
    model: Vec<String>,
    /// File for the table of confidences by which `run --hard-share` chooses pages; every set weighs the same
    #[arg(long, value_name = "FILE.tsv")]
    table: Option<PathBuf>,
}

pub fn run(args: &ConfidencesArgs) -> anyhow::Result<()> {
    let models: Vec<Arc<Model>> =
        args.model.iter().map(|name| Model::open(name).map(Arc::new)).collect::<Result<_, _>>()?;
    let mut sets: Vec<ScoredSet> = Vec::new();
    for pages in &args.pages {
        let set = scored(&crate::read(pages)?, &models);
        tracing::info!(set = set.name, pages = set.pages(), "scored");
        sets.extend((set.pages() > 0).then_some(set));
    }
    if sets.is_empty() {
        bail!("no page has a gold text");
    }
    if let Some(path) = &args.table {
        std::fs::write(path, table(&args.model, &models, &sets)).with_context(|| path.display().to_string())?;
    }
    crate::out(&report(&args.model, &sets))
}
