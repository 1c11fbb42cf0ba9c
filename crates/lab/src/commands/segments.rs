//! `trommel-lab segments`

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use trommel_lab::segmentation::{read_segmented, segmentation_report};
use trommel_learn::gold_beside;

/// Measure page segmentations against blocks marked by hand: VIPS over layouts, and our own blocks grouped
#[derive(Debug, Args)]
pub struct SegmentsArgs {
    /// Archive of the pages, with the marked blocks beside it: NAME.gold.jsonl.gz for NAME.warc.gz
    #[arg(long, value_name = "WARC")]
    pages: PathBuf,
    /// Layouts of the pages, written by `trommel-lab layout`
    #[arg(long, value_name = "FILE")]
    layouts: PathBuf,
}

pub fn run(args: &SegmentsArgs) -> anyhow::Result<()> {
    let gold = gold_beside(&args.pages)
        .with_context(|| format!("{}: cannot tell its gold file", args.pages.display()))?;
    let pages = read_segmented(&args.pages, &gold, &args.layouts)?;
    crate::out(&segmentation_report(&pages)?)
}
