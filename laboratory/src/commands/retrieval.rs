//! `trommel-lab retrieval`

use std::path::PathBuf;

use clap::Args;

/// Look for pages by their titles and by words of their gold in indexes of all text and of main text
#[derive(Debug, Args)]
pub struct RetrievalArgs {
    /// Folder of labelled sets: NAME.warc.gz with NAME.gold.jsonl.gz
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Names of the sets
    #[arg(required = true, value_name = "SET")]
    sets: Vec<String>,
}

pub fn run(args: &RetrievalArgs) -> anyhow::Result<()> {
    crate::out(&trommel_lab::retrieval::run(&args.data, &args.sets)?)
}
