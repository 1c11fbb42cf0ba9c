//! `trommel-lab paper-variant`

use std::path::PathBuf;

use clap::Args;

/// Fit and score Peters and Lecocq's method on the paper's own blocks and tokens, and say which of its
/// differences from ours moves which figure
#[derive(Debug, Args)]
pub struct PaperVariantArgs {
    /// Folder of labelled sets: NAME.warc.gz with NAME.gold.jsonl.gz
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
}

pub fn run(args: &PaperVariantArgs) -> anyhow::Result<()> {
    crate::out(&trommel_lab::paper_variant::run(&args.data)?)
}
