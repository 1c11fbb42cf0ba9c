//! `trommel sites`, and the memory of sites of `run`.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use data_encoding::HEXLOWER;
use serde_json::json;
use sha2::{Digest, Sha256};
use tracing::subscriber::NoSubscriber;
use trommel_extract::{Document, Extractor, SiteSurvey};
use trommel_output::{AtomicFile, Compression, Format};
use trommel_pipeline::{
    Environment, FormatChoice, Input, Outcome, Output, PackedOptions, Plan, RunError, SiteMode,
    SiteRecipe, Summary, expand, run as run_plan, unpack,
};
use trommel_sites::{DEFAULT_BYTES, KnownSites, LEAST_BYTES, SiteMemory};
use trommel_sources::NetworkOptions;

use crate::jobs::jobs;
use crate::messages::say;
use crate::network::NetworkArgs;
use crate::progress::Reporter;
use crate::size::Size;
use crate::stop::Stop;
use crate::{models, panics::quiet_workers};

/// Count on how many pages of its site each block stands, for `run --sites`
#[derive(Debug, Args)]
pub struct SitesArgs {
    #[command(subcommand)]
    command: SitesCommand,
}

#[derive(Debug, Subcommand)]
enum SitesCommand {
    /// Count the pages of archives into a file
    Build(BuildArgs),
    /// Put files together: what parts counted, the whole would have
    Merge {
        /// Files made by `sites build` or `sites merge`
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// File to write
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Print what a file knows, and its largest sites
    Show {
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Number of sites
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
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Model whose probabilities are kept: the one that pages will be judged with [default: the first
    /// built-in one]
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<String>,
    /// Number of worker threads [default: processor cores]
    #[arg(short, long, value_parser = jobs)]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    bound: BoundArgs,
    #[command(flatten)]
    network: NetworkArgs,
}

#[derive(Clone, Copy, Debug, Args)]
struct BoundArgs {
    /// Memory that counts of sites take at most, at least 1M; past it an even sample of the blocks is kept
    /// [default: 1G]
    #[arg(long, value_name = "SIZE", value_parser = bound)]
    sites_size: Option<Size>,
}

fn bound(text: &str) -> Result<Size, String> {
    let size: Size = text.parse()?;
    match size.0 < LEAST_BYTES {
        true => Err("at least 1M is needed".to_owned()),
        false => Ok(size),
    }
}

impl BoundArgs {
    fn bytes(self) -> u64 {
        self.sites_size.map_or(DEFAULT_BYTES, |size| size.0)
    }
}

/// How `run` uses a memory of sites.
#[derive(Debug, Args)]
pub struct SiteMemoryArgs {
    /// Correct the model by what other pages of the same site say: off; two-pass, which reads all inputs once
    /// more before; or online, by the pages that came before, so that the output depends on their order and
    /// on the workers (each document says so in `notes`) [default: off]
    #[arg(long, value_enum, value_name = "MODE")]
    site_memory: Option<SiteMemoryChoice>,
    /// Correct the model by a memory of sites made by `sites build`
    #[arg(long, value_name = "FILE", conflicts_with = "site_memory")]
    sites: Option<PathBuf>,
    #[command(flatten)]
    bound: BoundArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SiteMemoryChoice {
    Off,
    TwoPass,
    Online,
}

/// A memory of sites that a run is to use.
pub enum RunSites {
    Off,
    TwoPass {
        max_bytes: u64,
    },
    Online {
        max_bytes: u64,
    },
    File {
        memory: Box<SiteMemory>,
        name: String,
    },
}

impl SiteMemoryArgs {
    /// What the options say, or the configuration where they say nothing.
    pub fn choose(&self, mode: Option<SiteMode>, file: Option<&Path>) -> Result<RunSites> {
        let max_bytes = self.bound.bytes();
        let mode = match self.site_memory {
            Some(SiteMemoryChoice::Off) => Some(SiteMode::Off),
            Some(SiteMemoryChoice::TwoPass) => Some(SiteMode::TwoPass),
            Some(SiteMemoryChoice::Online) => Some(SiteMode::Online),
            None if self.sites.is_some() => None,
            None => mode,
        };
        let file = self.sites.as_deref().or(file.filter(|_| mode.is_none()));
        Ok(match (mode, file) {
            (Some(SiteMode::TwoPass), _) => RunSites::TwoPass { max_bytes },
            (Some(SiteMode::Online), _) => RunSites::Online { max_bytes },
            (None, Some(path)) => RunSites::File {
                memory: Box::new(load(path)?),
                name: path.display().to_string(),
            },
            (Some(SiteMode::Off) | None, _) => RunSites::Off,
        })
    }
}

impl RunSites {
    /// Whether all inputs are read once more before.
    pub fn reads_twice(&self) -> bool {
        matches!(self, RunSites::TwoPass { .. })
    }

    /// What tells it from every other, for the recipe of a run.
    ///
    /// # Errors
    /// Only if memory runs out.
    pub fn recipe(&self) -> Result<SiteRecipe> {
        Ok(match self {
            RunSites::Off => SiteRecipe::Off,
            &RunSites::TwoPass { max_bytes } => SiteRecipe::TwoPass { max_bytes },
            &RunSites::Online { max_bytes } => SiteRecipe::Online { max_bytes },
            RunSites::File { memory, name } => {
                let mut digest = Digested(Sha256::new());
                memory.write(&mut digest)?;
                SiteRecipe::File {
                    name: name.clone(),
                    sha256: HEXLOWER.encode(&digest.0.finalize()),
                }
            }
        })
    }

    /// Refuses what cannot be done: to read a pipe twice, or to continue what depends on the pages before.
    ///
    /// # Errors
    /// In one line.
    pub fn check(&self, plan: &Plan, resume: bool) -> Result<()> {
        match self {
            RunSites::TwoPass { .. } => {
                if plan.follow.is_some() {
                    bail!("--site-memory two-pass needs inputs that are complete, not --follow");
                }
                let pipe = |input: &&Input| match input {
                    Input::Stdin => true,
                    Input::File(path) => {
                        std::fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir())
                    }
                    _ => false,
                };
                if let Some(pipe) = plan.inputs.iter().find(pipe) {
                    bail!(
                        "{}: --site-memory two-pass reads inputs twice, and a pipe can be read once",
                        pipe.name()
                    );
                }
                Ok(())
            }
            RunSites::Online { .. } if resume => bail!(
                "a run with --site-memory online cannot be resumed: what it knew of sites is gone"
            ),
            _ => Ok(()),
        }
    }
}

struct Digested(Sha256);

impl io::Write for Digested {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a memory of sites.
///
/// # Errors
/// In one line that names the file.
pub fn load(path: &Path) -> Result<SiteMemory> {
    let name = || path.display().to_string();
    let file = File::open(path).with_context(name)?;
    SiteMemory::read(BufReader::new(file)).with_context(name)
}

/// Writes a memory of sites; under its name it is whole.
///
/// # Errors
/// In one line that names the file.
pub fn save(memory: &SiteMemory, path: &Path) -> Result<()> {
    let name = || path.display().to_string();
    let mut file = BufWriter::new(AtomicFile::create(path).with_context(name)?);
    memory.write(&mut file).with_context(name)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error);
    file.and_then(AtomicFile::finish).with_context(name)
}

/// Counts all pages of the inputs of `plan`, those that its filters of captures keep. Says nothing of what cannot
/// be read unless `aloud`: a run that follows says it.
///
/// # Errors
/// As for a run.
pub fn survey(
    plan: &Plan,
    extractor: &Extractor,
    survey: &SiteSurvey,
    stop: &Stop,
    network: NetworkOptions,
    aloud: bool,
) -> Result<Summary, RunError> {
    let mut sink = io::sink();
    let mut reporter = Reporter::new();
    let environment = Environment {
        stop: stop.flag(),
        network,
        ..Environment::new(&mut sink, &mut reporter)
    };
    let count = |bytes: &[u8], hints: &trommel_extract::Hints<'_>| {
        extractor.count(bytes, hints, survey);
        Document::default()
    };
    match aloud {
        true => run_plan(plan, &count, environment),
        false => tracing::subscriber::with_default(NoSubscriber::default(), || {
            run_plan(plan, &count, environment)
        }),
    }
}

/// A plan that reads what `plan` reads and writes nothing.
///
/// # Errors
/// Never: standard output, which the survey replaces by nothing, takes every format.
pub fn survey_plan(plan: &Plan) -> Result<Plan> {
    let output = nowhere()?;
    Ok(Plan {
        output,
        quarantine: None,
        set_aside: Vec::new(),
        dropped: None,
        assemble: std::collections::BTreeMap::new(),
        ..plan.clone()
    })
}

fn nowhere() -> Result<Output> {
    let chosen = FormatChoice {
        formats: vec![Format::Msgpack],
        compression: Some(Compression::None),
    };
    Ok(Output::new("-", &chosen, &FormatChoice::default())?)
}

/// Runs the command: 0 if all went well, 1 if something could not be read, 2 for errors.
pub fn run(args: &SitesArgs) -> Result<ExitCode> {
    match &args.command {
        SitesCommand::Build(args) => build(args),
        SitesCommand::Merge { files, output } => {
            let mut merged: Option<SiteMemory> = None;
            for path in files {
                let memory = load(path)?;
                match &mut merged {
                    None => merged = Some(memory),
                    Some(merged) => {
                        merged
                            .merge(&memory)
                            .with_context(|| path.display().to_string())?;
                    }
                }
            }
            let merged = merged.context("no files")?;
            save(&merged, output)?;
            say(&summary(&merged));
            Ok(ExitCode::SUCCESS)
        }
        SitesCommand::Show { file, sites, json } => {
            let memory = load(file)?;
            show(&memory, *sites, *json)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn build(args: &BuildArgs) -> Result<ExitCode> {
    let model = models::load(args.model.as_deref())?;
    let extractor = Extractor::new(Arc::new(model)).with_inline_style(false);
    let stop = Stop::on_signals().context("signals cannot be caught")?;
    let network = NetworkOptions {
        stop: stop.shared(),
        ..args.network.options()
    };
    let inputs = expand(&args.inputs, None, &network)?;
    let inputs = unpack(inputs, PackedOptions::default(), &network);
    if inputs.iter().filter_map(Input::path).any(|input| {
        let place = input.canonicalize();
        place.is_ok_and(|place| {
            args.output
                .canonicalize()
                .is_ok_and(|output| output == place)
        })
    }) {
        bail!(
            "{}: is an input; name another file with -o",
            args.output.display()
        );
    }
    let mut plan = Plan::new(inputs, nowhere()?);
    plan.jobs = args.jobs.unwrap_or(plan.jobs);
    quiet_workers();
    let counted = extractor.survey(args.bound.bytes());
    let summary_of_run = survey(&plan, &extractor, &counted, &stop, network, true)?;
    let memory = counted.into_memory();
    if summary_of_run.outcome() == Outcome::Nothing {
        bail!("no input could be read");
    }
    save(&memory, &args.output)?;
    say(&summary(&memory));
    Ok(match summary_of_run.outcome() {
        Outcome::Clean => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}

/// A memory in one line.
fn summary(memory: &SiteMemory) -> String {
    let kept = match memory.is_sample() {
        true => ", an even sample of the blocks",
        false => "",
    };
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
        let shown: Vec<_> = sites
            .iter()
            .take(most)
            .map(|site| json!({"site": site.name, "pages": site.pages}))
            .collect();
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
    writeln!(
        out,
        "sites  {} of 2 pages and more, {} of 10",
        of_size(2),
        of_size(10)
    )?;
    for site in sites.iter().take(most) {
        writeln!(out, "{:>8}  {}", site.pages, site.name)?;
    }
    crate::out(&String::from_utf8_lossy(&out))
}

/// The extractor that a run uses, after the first of two passes if there are two.
///
/// # Errors
/// As for a run.
pub fn with_sites(
    sites: RunSites,
    extractor: Extractor,
    plan: &Plan,
    stop: &Stop,
    network: NetworkOptions,
    model: &str,
) -> Result<Extractor> {
    Ok(match sites {
        RunSites::Off => extractor,
        RunSites::File { memory, .. } => extractor.with_sites(Arc::new(KnownSites::fixed(*memory))),
        RunSites::Online { max_bytes } => {
            let memory = SiteMemory::new(max_bytes).with_model(model);
            extractor.with_sites(Arc::new(KnownSites::online(memory)))
        }
        RunSites::TwoPass { max_bytes } => {
            let counted = extractor.survey(max_bytes);
            let plan = survey_plan(plan)?;
            survey(&plan, &extractor, &counted, stop, network, false)?;
            let after = extractor.after(counted);
            tracing::info!("pages are counted; extracting");
            after
        }
    })
}
