//! `trommel-quality sites`

use std::path::PathBuf;

use clap::Args;

/// Group labelled pages by site, score a model with and without a memory of sites, and learn its correction
#[derive(Debug, Args)]
pub struct SitesArgs {
    /// Folder of labelled sets: NAME.warc.gz with NAME.gold.jsonl.gz
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The built-in model
    #[arg(long, value_name = "NAME", default_value = "fast")]
    model: String,
    /// What cross-validation said of the pages that the model was trained on (`trommel train --judged`):
    /// learn the correction anew
    #[arg(long, value_name = "FILE")]
    judged: Option<PathBuf>,
}

pub fn run(args: &SitesArgs) -> anyhow::Result<()> {
    crate::out(&trommel_quality::sites::run(&args.data, &args.model, args.judged.as_deref())?)
}
