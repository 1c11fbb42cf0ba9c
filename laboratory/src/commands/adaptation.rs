//! `trommel-lab adaptation`

use std::path::PathBuf;

use clap::Args;
use trommel_lab::adaptation::{Curve, table};
use trommel_model::Model;

use super::methods::read_beside;

/// Adapt a model to few pages of each set and score it on pages of other hosts
#[derive(Debug, Args)]
pub struct AdaptationArgs {
    /// Archives of labelled pages, NAME.warc.gz with NAME.gold.jsonl.gz beside it
    #[arg(long, required = true, num_args = 1.., value_name = "WARC")]
    pages: Vec<PathBuf>,
    /// The finished model: name of a built-in model, or a model file
    #[arg(long, value_name = "NAME|FILE", default_value = "fast")]
    from: String,
    /// Numbers of own pages
    #[arg(long, value_delimiter = ',', default_values_t = [20, 50, 100])]
    sizes: Vec<usize>,
    /// Times that own pages are drawn
    #[arg(long, default_value_t = 5)]
    draws: u64,
    /// Train models from nothing on the same pages, too
    #[arg(long)]
    from_nothing: bool,
}

pub fn run(args: &AdaptationArgs) -> anyhow::Result<()> {
    let base = Model::open(&args.from)?;
    let curve = Curve { sizes: args.sizes.clone(), draws: args.draws, from_nothing: args.from_nothing };
    for pages in &args.pages {
        crate::out(&table(&base, &[read_beside(pages)?], &curve)?)?;
    }
    Ok(())
}
