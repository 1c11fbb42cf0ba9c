//! `trommel run`: reads archives and writes documents.

use std::env;
use std::ffi::OsString;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use trommel::PartialSettings;
use trommel::metrics::Metrics;
use trommel::record::LocalDisk;
use trommel::run::NetworkOptions;
use trommel::run::{
    Bucket, Clock, Environment, Existing, InputShare, Outcome, PreparedRun, RunRequest, SetAside, Summary,
    run as run_plan,
};

use crate::exit::Exit;
use crate::follow::FollowArgs;
use crate::measured::{Observers, StageTimes};
use crate::messages::{fail, say, shown};
use crate::network::NetworkArgs;
use crate::panics::quiet_workers;
use crate::progress::Reporter;
use crate::settings::{AnnotateCommands, LATER, Scope, SettingsArgs};
use crate::stop::Stop;
use crate::written;

/// Heading of the options for files beside the outputs.
const BESIDE: &str = "Files beside the outputs";

/// Extract main text from archives
#[derive(Debug, Args)]
#[command(after_help = S::EXAMPLES)]
pub struct RunArgs<S: Scope> {
    /// Archives or HTML files: paths, folders, globs, URLs, @MANIFEST or - (standard input).
    ///
    /// Archives are WARC, ARC, WET and WACZ files. HTML files (.html, .htm, .xhtml; .gz or .zst may follow) are read one after the other as one
    /// input, those of a folder if it has no archives. WET files of a folder are read only if it has no others. URLs are http, https, s3, gs, az or hf. A manifest has a path or URL on each line and may be at a URL
    /// itself. All URLs but http(s):// may be globs, or prefixes that end in a slash. The .json of a multi-WACZ stands
    /// for its WACZ files
    #[arg(required_unless_present = "select", value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Read only the records that an index names, a file or URL: CDXJ (gzip or plain) or Parquet with the columns
    /// warc_filename, warc_record_offset and warc_record_length
    #[arg(long, value_name = "INDEX", hide_short_help = true, display_order = LATER)]
    select: Vec<PathBuf>,

    /// Folder, a file whose name says the format, or - for standard output.
    ///
    /// A folder gets one output per input; with -f text or -f markdown, a folder with a file for each page. Single files:
    /// NAME.jsonl[.gz|.zst], NAME.msgpack[.gz|.zst], NAME.wet.gz, NAME.anserini.jsonl.gz, NAME.trec.gz,
    /// NAME.bulk.ndjson[.gz|.zst], NAME.txt and NAME.md (all pages, with their URLs as headings), NAME.parquet, NAME.annotations.parquet or NAME.tantivy (a folder). Folders and files
    /// may be s3://, gs:// or az:// URLs
    #[arg(short, long, value_name = "OUT", display_order = 1)]
    output: String,

    /// Process only this share of the inputs: 2/8 is the second of eight. The share depends only on the names
    /// of the inputs
    #[arg(long, value_name = "I/N", hide_short_help = true, display_order = LATER)]
    shard: Option<InputShare>,

    /// Print the inputs, stages and outputs of the run, and stop
    #[arg(long, display_order = 21)]
    dry_run: bool,

    /// Write the counts of the run to FILE as JSON
    #[arg(long, value_name = "FILE", display_order = 22)]
    summary: Option<PathBuf>,

    /// Print the time of each stage, summed over all threads, and the CPU time of each thread
    #[arg(long, hide_short_help = true, display_order = LATER)]
    profile: bool,

    /// Continue an interrupted run, or add inputs to one.
    ///
    /// It requires the same settings and the same build
    /// of the program. A finished run stays as it is. New inputs are refused with site_memory=two-pass and
    /// resolve_revisits
    #[arg(long, display_order = 4)]
    resume: bool,

    /// Replace existing outputs
    #[arg(long, conflicts_with = "resume", display_order = 5)]
    overwrite: bool,

    /// WARC file for failed records, which can be run again, or none [default: quarantine.warc.gz in the folder
    /// of outputs, OUT.quarantine.warc.gz beside a single output, none for standard output]
    #[arg(long, value_name = "FILE|none", help_heading = BESIDE, hide_short_help = true)]
    quarantine: Option<PathBuf>,

    /// Copy records of this kind, which are not pages, to a WARC file for other tools. KIND is a media type
    /// (application/pdf), its second part (pdf) or its first (image). FILE.warc.gz.cdxj lists where the records
    /// were. Can be repeated
    #[arg(long, value_name = "KIND=FILE", help_heading = BESIDE, hide_short_help = true)]
    set_aside: Vec<SetAside>,

    /// Copy the pages of which the model is least sure to a WARC file for another extractor.
    /// hard_share (5%) says how many. FILE.warc.gz.cdxj lists where the records were
    #[arg(long, value_name = "FILE.warc.gz", help_heading = BESIDE, hide_short_help = true)]
    hard_to: Option<PathBuf>,

    /// File for a JSON line about each dropped record: id, url, date, reason, source
    #[arg(long, value_name = "FILE", help_heading = BESIDE, hide_short_help = true, value_parser = written::file)]
    dropped: Option<PathBuf>,

    /// Serve the counts of the run for Prometheus at http://ADDRESS/metrics, for example 127.0.0.1:9464
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "ADDRESS", hide_short_help = true, display_order = LATER)]
    metrics: Option<trommel_web::service::Listen>,

    #[command(flatten)]
    follow: FollowArgs,

    #[command(flatten)]
    network: NetworkArgs,

    #[command(flatten)]
    settings: SettingsArgs<S>,
}

/// Runs the command with the one format that has no text.
///
/// # Errors
/// As [`run`].
pub fn annotate(mut args: RunArgs<AnnotateCommands>) -> Result<Exit> {
    let table = PartialSettings::from_toml("[output]\nformat = [\"annotations\"]\n")?;
    args.settings.chosen = table.over(args.settings.chosen);
    run(args)
}

/// Runs the command: 0 if all went well, 1 if something could not be read or some records failed, 2
/// if nothing could be read or the run was ended early, 130 if it was by SIGINT.
///
/// # Errors
/// If the arguments or the configuration can't be used, an output can't be written, or an archive can't
/// be read on (exit code 2).
pub fn run<S: Scope>(args: RunArgs<S>) -> Result<Exit> {
    let existing = match (args.resume, args.overwrite) {
        (true, _) => Existing::Resume,
        (false, true) => Existing::Overwrite,
        (false, false) => Existing::Refuse,
    };
    let (chosen, file) = (&args.settings.chosen, args.settings.file()?);
    let stop = match args.inputs.iter().any(|input| input == "-") && !args.follow.is_asked() {
        // A read from a silent pipe can't be called off: such a run, which has no state, just ends.
        true => Stop::never(),
        false => Stop::on_signals().context("signals cannot be caught")?,
    };
    let network = NetworkOptions { stop: stop.shared(), ..args.network.options() };
    let manifests = args.inputs.iter().filter_map(|input| input.to_str()?.strip_prefix('@'));
    let manifests: Vec<PathBuf> = manifests.map(PathBuf::from).collect();
    let request = RunRequest {
        inputs: args.inputs,
        opened: Vec::new(),
        select: args.select,
        shard: args.shard,
        output: args.output,
        quarantine: args.quarantine,
        set_aside: args.set_aside,
        hard_to: args.hard_to,
        dropped: args.dropped,
        follow: args.follow.times(),
        epoch: epoch()?,
    };
    let prepared = request.prepare(chosen, &file, None, &network);
    // An index may take minutes to read.
    if network.stop.is_set() {
        say("stopped before anything was read");
        return Ok(stop.exit());
    }
    let PreparedRun { mut plan, sites, mut extractor } = prepared?;
    sites.check(&plan)?;
    plan.check_names(args.summary.as_deref())?;
    if let Some(path) = &args.summary {
        let named = [Some(plan.settings.model_name()), plan.settings.sites.file.as_deref()];
        let named = named.into_iter().flatten().map(Path::new);
        let read = named.chain(args.settings.config().map(PathBuf::as_path));
        written::refuse_inputs(path, read.chain(manifests.iter().map(PathBuf::as_path)))?;
    }
    if args.dry_run {
        crate::out(&shown(&plan.to_string()))?;
        return Ok(Exit::Clean);
    }
    plan.prepare_files(args.summary.as_deref())?;
    let clock = args.profile.then(|| Arc::new(Clock::default()));
    #[cfg(not(feature = "serve"))]
    let metrics: Option<Arc<Metrics>> = None;
    #[cfg(feature = "serve")]
    let metrics = args.metrics.as_ref().map(|_| Arc::new(Metrics::new()));
    // It listens as long as the run goes on.
    #[cfg(feature = "serve")]
    let _listener = match (&args.metrics, &metrics) {
        (Some(address), Some(metrics)) => Some(
            trommel_web::service::MetricsListener::bind(address, metrics.clone())
                .context("--metrics: cannot listen")?,
        ),
        _ => None,
    };
    let mut observers = Observers::default();
    if let Some(clock) = &clock {
        observers.0.push(clock.clone());
    }
    if let Some(metrics) = &metrics {
        observers.0.push(Arc::new(StageTimes(metrics.clone())));
    }
    if !observers.0.is_empty() {
        extractor = extractor.with_observer(Arc::new(observers));
    }
    quiet_workers();
    // What is refused, or done already, is so at once and not after a first pass.
    if !sites.reads_twice() || plan.has_work(existing)? {
        let (mut nowhere, mut reporter) = (std::io::sink(), Reporter::new());
        let first_pass = Environment {
            stop: stop.flag(),
            network: network.clone(),
            ..Environment::new(&mut nowhere, &mut reporter)
        };
        extractor = match sites.apply(extractor, &plan, first_pass) {
            Ok(extractor) => extractor,
            Err(error) => {
                fail(&error);
                return Ok(stop.exit());
            }
        };
    }
    let bucket = Bucket::take(&mut plan, network.clone(), existing)?;

    let mut reporter = Reporter::new();
    let mut stdout = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut unfinished = Summary::default();
    let environment = Environment {
        unfinished: Some(&mut unfinished),
        stop: stop.flag(),
        network,
        disk: match &bucket {
            Some(bucket) => bucket,
            None => &LocalDisk,
        },
        existing,
        clock: clock.as_deref(),
        metrics: metrics.as_deref(),
        ..Environment::new(&mut stdout, &mut reporter)
    };
    let done = run_plan(&plan, &|bytes, hints| extractor.document(bytes, hints), environment);
    drop(reporter);
    let named = |mut summary: Summary| {
        if let Some(bucket) = &bucket {
            bucket.name(&mut summary);
        }
        summary
    };
    let summary = match done {
        Ok(summary) => named(summary),
        Err(error) => {
            fail(&error);
            if bucket.is_some() {
                say("trommel: what is whole in the bucket stays; the rest is to be done again");
            } else if !error.is_refusal() && plan.state_file().is_some_and(|path| path.exists()) {
                say("trommel: continue with the same command and --resume");
            }
            if let Some(path) = args.summary.as_ref().filter(|_| !error.is_refusal()) {
                save(&named(unfinished), path)?;
            }
            return Ok(stop.exit());
        }
    };
    // What could not be read has been said; a summary of nothing would only repeat it.
    if summary.outcome() != Outcome::Nothing {
        say(&summary.to_string());
    }
    if let Some(clock) = clock {
        say(&clock.to_string());
    }
    if let Some(path) = &args.summary {
        save(&summary, path)?;
    }
    Ok(Exit::of_run(&summary))
}

fn epoch() -> Result<Option<i64>> {
    match env::var("SOURCE_DATE_EPOCH") {
        Ok(seconds) => seconds.trim().parse().map(Some).context("SOURCE_DATE_EPOCH is not a number of seconds"),
        Err(_) => Ok(None),
    }
}

fn save(summary: &Summary, path: &Path) -> Result<()> {
    written::write(path, &format!("{}\n", serde_json::to_string_pretty(summary)?))
}
