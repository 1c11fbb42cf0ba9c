//! `trommel-lab cluster`

use clap::Args;

/// Simulate a snapshot on many machines, some of which are slow or lost; prints the table of docs/scale.md
#[derive(Debug, Args)]
pub struct ClusterArgs {
    /// Runs, each with other faults, of which means are printed
    #[arg(long, value_name = "N", default_value_t = 20)]
    runs: u64,
}

pub fn run(args: &ClusterArgs) -> anyhow::Result<()> {
    crate::out(&trommel_lab::cluster::table(args.runs))
}
