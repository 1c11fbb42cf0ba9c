//! `trommel sites`: counts the blocks of each site's pages, and merges and shows the counts.

use std::io::{self, Write as _};
use std::{ffi::OsString, path::PathBuf, sync::Arc};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;
use trommel::Extractor;
use trommel::run::{
    Environment, Input, NetworkOptions, Outcome, PackedOptions, count_pages, counting_plan, expand, load_sites,
    save_sites, unpack,
};
use trommel_model::sites::SiteMemory;

use crate::exit::{Exit, Stop, quiet_workers};
use crate::settings::{JudgingCommands, NetworkArgs, SettingsArgs};
use crate::{files, messages::say, progress::Reporter};

/// Count the blocks of each site's pages, for `run --sites`
#[derive(Debug, Args)]
pub struct SitesArgs {
    #[command(subcommand)]
    command: SitesCommand,
}

#[derive(Debug, Subcommand)]
enum SitesCommand {
    /// Count the pages of each site in archives, and write the counts to a file
    Build(BuildArgs),
    /// Merge files of counts into one, with the counts of all their pages
    Merge {
        /// Files made by `sites build` or `sites merge`
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// File to write the counts to
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// Replace an existing file
        #[arg(long)]
        overwrite: bool,
    },
    /// Print the totals of a file of counts, and its largest sites
    Show {
        /// Site memory to describe
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Number of sites to list
        #[arg(long, value_name = "N", default_value_t = 20)]
        sites: usize,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct BuildArgs {
    /// Archives, as for `run`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,
    /// File to write the counts to
    #[arg(short, long, value_name = "FILE", value_parser = files::file)]
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    overwrite: bool,
    /// Settings with the model that will judge pages later: the file keeps the probabilities of that model
    #[command(flatten)]
    settings: SettingsArgs<JudgingCommands>,
    #[command(flatten)]
    network: NetworkArgs,
}

/// Runs `trommel sites`. Returns exit code 0 on success, 1 if an input could not be read, and 2 for errors.
pub fn run(args: &SitesArgs) -> Result<Exit> {
    match &args.command {
        SitesCommand::Build(args) => build(args),
        SitesCommand::Merge { files, output, overwrite } => {
            files::refuse_existing(output, *overwrite)?;
            files::prepare(output)?;
            let mut merged: Option<SiteMemory> = None;
            for path in files {
                let memory = load_sites(path)?;
                match &mut merged {
                    None => merged = Some(memory),
                    Some(merged) => {
                        merged.merge(&memory).with_context(|| path.display().to_string())?;
                    }
                }
            }
            let merged = merged.context("no files")?;
            save_sites(&merged, output)?;
            say(&summary(&merged));
            Ok(Exit::Clean)
        }
        SitesCommand::Show { file, sites, json } => {
            show(&load_sites(file)?, *sites, *json)?;
            Ok(Exit::Clean)
        }
    }
}

fn build(args: &BuildArgs) -> Result<Exit> {
    let settings = args.settings.settings()?;
    let extractor = Extractor::with_model(&settings, Arc::new(settings.model()?));
    let stop = Stop::on_signals().context("signals cannot be caught")?;
    let network = NetworkOptions { stop: stop.shared(), ..args.network.options() };
    let inputs = unpack(expand(&args.inputs, None, &network)?, PackedOptions::default(), &network);
    files::claim(&args.output, args.overwrite, inputs.iter().filter_map(Input::path))?;
    quiet_workers();
    let counted = extractor.judge().survey(settings.sites.size.0);
    let (mut nowhere, mut reporter) = (io::sink(), Reporter::new());
    let environment = Environment { network, ..Environment::new(&mut nowhere, &mut reporter) };
    let plan = counting_plan(inputs, settings);
    let summary_of_run = count_pages(&plan, &extractor, &counted, environment)?;
    drop(reporter);
    let memory = counted.into_memory();
    if summary_of_run.outcome() == Outcome::Nothing {
        bail!("no input could be read");
    }
    save_sites(&memory, &args.output)?;
    say(&summary(&memory));
    Ok(Exit::of_run(&summary_of_run))
}

/// Describes in one line the totals of counts of blocks that recur on sites: pages, sites, blocks, positions, bytes.
fn summary(memory: &SiteMemory) -> String {
    let kept = if memory.is_sample() { ", an even sample of the blocks" } else { "" };
    format!(
        "{} pages of {} sites, {} distinct blocks at {} positions in {} bytes{kept}",
        memory.pages(),
        memory.sites().len(),
        memory.blocks(),
        memory.positions(),
        memory.allocated_bytes(),
    )
}

fn show(memory: &SiteMemory, most: usize, as_json: bool) -> Result<()> {
    let sites = memory.sites();
    let of_size = |least: u32| sites.iter().filter(|site| site.pages >= least).count();
    if as_json {
        let shown: Vec<_> =
            sites.iter().take(most).map(|site| json!({"site": site.name, "pages": site.pages})).collect();
        let object = json!({
            "model": memory.model(),
            "pages": memory.pages(),
            "sites": sites.len(),
            "sites_of_2_pages": of_size(2),
            "sites_of_10_pages": of_size(10),
            "blocks": memory.blocks(),
            "positions": memory.positions(),
            "bytes": memory.allocated_bytes(),
            "max_bytes": memory.max_bytes(),
            "is_sample": memory.is_sample(),
            "largest": shown,
        });
        return crate::out(&format!("{object:#}\n"));
    }
    let mut out = Vec::new();
    writeln!(out, "{}", summary(memory))?;
    writeln!(out, "model  {}", memory.model().unwrap_or("none"))?;
    writeln!(out, "bound  {} bytes", memory.max_bytes())?;
    writeln!(out, "sites  {} of 2 pages and more, {} of 10", of_size(2), of_size(10))?;
    for site in sites.iter().take(most) {
        writeln!(out, "{:>8}  {}", site.pages, site.name)?;
    }
    crate::out(&out)
}
