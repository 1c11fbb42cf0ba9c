//! `trommel-quality favor`

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
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
    let mut table = MarkdownTable::by_model(&["set", "pages"], &FAVORS.map(|(name, _)| name), ["P", "R", "F1"]);
    for pages in &args.pages {
        let row = favored(&crate::read(pages)?, &model);
        let name = if row.is_partial { format!("{} (texts)", row.set) } else { row.set };
        let cells = row.scores.iter().flat_map(|scores| [scores.precision, scores.recall, scores.f1]).map(share);
        table.row([name, thousands(row.pages)].into_iter().chain(cells));
        tracing::info!(pages = %pages.display(), "scored");
    }
    crate::out(&table.text())
}
