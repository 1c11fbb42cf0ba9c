//! `trommel-lab rendered`

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use trommel_lab::rendered::rendered_report;

/// Score VIPS' content and what a layout would add to our features, on the labelled pages that were laid out
#[derive(Debug, Args)]
pub struct RenderedArgs {
    /// Archives of labelled pages, NAME.warc.gz with NAME.gold.jsonl.gz beside it
    #[arg(long, required = true, num_args = 1.., value_name = "WARC")]
    pages: Vec<PathBuf>,
    /// Layouts of some of their pages, written by `trommel-lab layout`: a file for each archive, in their order
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    layouts: Vec<PathBuf>,
}

pub fn run(args: &RenderedArgs) -> anyhow::Result<()> {
    let (pages, layouts) = (&args.pages, &args.layouts);
    if pages.len() != layouts.len() {
        bail!("{} archives but {} files of layouts", pages.len(), layouts.len());
    }
    let sets: Vec<(PathBuf, PathBuf)> = pages.iter().cloned().zip(layouts.iter().cloned()).collect();
    crate::out(&rendered_report(&sets)?)
}
