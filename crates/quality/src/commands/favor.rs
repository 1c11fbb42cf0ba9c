//! `trommel-quality favor`

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use trommel_learn::{gold_beside, read_set};
use trommel_model::Model;
use trommel_quality::favor::{FAVORS, favored};
use trommel_quality::markdown::{MarkdownTable, share, thousands};

/// Measure what favoring precision or recall does on labelled pages, as a Markdown table
#[derive(Debug, Args)]
pub struct FavorArgs {
    /// Archives of labelled pages, each with its gold beside it
    #[arg(long, required = true, num_args = 1.., value_name = "WARC")]
    pages: Vec<PathBuf>,
    /// Model that chooses: name of a built-in model, or a model file
    #[arg(long, default_value = "fast")]
    model: String,
}

pub fn run(args: &FavorArgs) -> anyhow::Result<()> {
    let model = Arc::new(Model::open(&args.model)?);
    let headings = FAVORS.iter().flat_map(|(name, _)| [format!("{name}: P"), "R".to_owned(), "F1".to_owned()]);
    let mut table = MarkdownTable::new(["set", "pages"].map(str::to_owned).into_iter().chain(headings));
    for pages in &args.pages {
        let gold = gold_beside(pages).with_context(|| format!("{}: no gold file beside it", pages.display()))?;
        let row = favored(&read_set(pages, &gold)?, &model);
        let name = if row.is_partial { format!("{} (texts)", row.set) } else { row.set };
        let cells = row.scores.iter().flat_map(|scores| [scores.precision, scores.recall, scores.f1]).map(share);
        table.row([name, thousands(row.pages)].into_iter().chain(cells));
        tracing::info!(pages = %pages.display(), "scored");
    }
    crate::out(&table.text())
}
