//! `trommel-lab segments`

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use trommel_lab::segmentation::{block_class_report, read_segmented, segmentation_report};
use trommel_learn::gold_beside;

/// Measure page segmentations against blocks marked by hand: VIPS over layouts, and our own blocks grouped; and the
/// classes of blocks (menus, lists of links, comments, advertisements ...)
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
    let gold =
        gold_beside(&args.pages).with_context(|| format!("{}: cannot tell its gold file", args.pages.display()))?;
    let pages = read_segmented(&args.pages, &gold, &args.layouts)?;
    let (segmentations, classes) = (segmentation_report(&pages)?, block_class_report(&pages)?);
    crate::out(&format!("{segmentations}\nClasses of blocks\n\n{classes}"))
}
