//! `trommel-quality sites`: measures the gain of a site memory.

use std::path::PathBuf;

use clap::Args;

/// Group labelled pages by site, score a model with and without a site memory, and learn the correction
#[derive(Debug, Args)]
pub struct SitesArgs {
    /// Folder of labelled sets: NAME.warc.gz with NAME.gold.jsonl.gz
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Name of a built-in model
    #[arg(long, value_name = "NAME", default_value = "fast")]
    model: String,
    /// Learn the correction anew from this file of cross-validated pages, written by `trommel train --judged`
    #[arg(long, value_name = "FILE")]
    judged: Option<PathBuf>,
}

pub fn run(args: &SitesArgs) -> anyhow::Result<()> {
    crate::out(&trommel_quality::sites::run(&args.data, &args.model, args.judged.as_deref())?)
}
