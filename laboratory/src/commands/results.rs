//! `trommel-lab results`

use std::path::PathBuf;

use clap::Args;

/// Score every published method on the labelled sets and write tables and a plot
#[derive(Debug, Args)]
pub struct ResultsArgs {
    /// Folder of labelled sets: NAME.warc.gz with NAME.gold.jsonl.gz
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Folder to write method-comparison.md, method-comparison.svg and method-comparison-speed.md into
    #[arg(long, value_name = "DIR", default_value = "docs")]
    out: PathBuf,
}

pub fn run(args: &ResultsArgs) -> anyhow::Result<()> {
    for file in trommel_lab::results::run(&args.data, &args.out)? {
        crate::out(&format!("{}\n", file.display()))?;
    }
    Ok(())
}
