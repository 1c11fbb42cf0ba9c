//! `trommel run`: extracts documents from archives, also while archives grow.

use std::path::{Path, PathBuf};
use std::{env, ffi::OsString, io::BufWriter, mem, sync::Arc, time::Duration};

use anyhow::{Context, Result};
use clap::Args;
use trommel::run::{
    Bucket, Clock, Environment, Existing, FollowTimes, InputShare, NetworkOptions, Outcome, Plan, PreparedRun,
    RunRequest, SetAside, Summary, run as run_plan,
};
use trommel::{ExtractionObserver, ExtractionStage, Extractor, PartialSettings, metrics::Metrics, record::LocalDisk};

use crate::exit::{Exit, Stop, quiet_workers};
use crate::files;
use crate::messages::{fail, say, shown};
use crate::progress::Reporter;
use crate::settings::{AnnotateCommands, LATER, NetworkArgs, Scope, SettingsArgs};

/// Heading above the options for additional output files, in the help.
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
    /// A folder gets one output per input; with -f text or -f markdown, a folder with a file for each page. Files:
    /// NAME.jsonl[.gz|.zst] (.json, .ndjson), NAME.msgpack[.gz|.zst], NAME.wet.gz, NAME.anserini.jsonl.gz,
    /// NAME.trec.gz, NAME.bulk.ndjson[.gz|.zst], NAME.txt and NAME.md (all pages, with URLs as headings),
    /// NAME.parquet, NAME.annotations.parquet or NAME.tantivy (a folder). Folders and files may be s3://, gs:// or
    /// az:// URLs
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
    #[arg(long, value_name = "FILE", help_heading = BESIDE, hide_short_help = true, value_parser = files::file)]
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

/// Runs `trommel annotate`: a run whose only output format is a table of annotations, without text.
///
/// # Errors
/// Fails for the same reasons as [`run`].
pub fn annotate(mut args: RunArgs<AnnotateCommands>) -> Result<Exit> {
    let table = PartialSettings::from_toml("[output]\nformat = [\"annotations\"]\n")?;
    args.settings.chosen = table.over(args.settings.chosen);
    run(args)
}

/// Runs `trommel run`. Returns exit code 0 on success, and 1 if an input could not be read or records failed. Returns 2
/// if nothing could be read or the run ended early, and 130 after SIGINT.
///
/// # Errors
/// Fails, with exit code 2, if the arguments or the configuration are invalid, an output cannot be written, or an
/// archive breaks off.
pub fn run<S: Scope>(mut args: RunArgs<S>) -> Result<Exit> {
    let existing = match (args.resume, args.overwrite) {
        (true, _) => Existing::Resume,
        (false, true) => Existing::Overwrite,
        (false, false) => Existing::Refuse,
    };
    let file = args.settings.file()?;
    let stop = match args.inputs.iter().any(|input| input == "-") && !args.follow.follow {
        // A read from a silent pipe can't be called off: such a run, which has no state, just ends.
        true => Stop::never(),
        false => Stop::on_signals().context("signals cannot be caught")?,
    };
    let network = NetworkOptions { stop: stop.shared(), ..args.network.options() };
    let manifests = args.inputs.iter().filter_map(|input| input.to_str()?.strip_prefix('@'));
    let manifests: Vec<PathBuf> = manifests.map(PathBuf::from).collect();
    let prepared = args.take_request()?.prepare(&args.settings.chosen, &file, None, &network);
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
        let read = named.chain(args.settings.config.as_deref());
        files::refuse_inputs(path, read.chain(manifests.iter().map(PathBuf::as_path)))?;
    }
    if args.dry_run {
        crate::out(&shown(&plan.to_string()))?;
        return Ok(Exit::Clean);
    }
    plan.prepare_files(args.summary.as_deref())?;
    let watch = Watch::begin(&args)?;
    extractor = watch.observed(extractor);
    quiet_workers();
    // What is refused, or done already, is so at once and not after a first pass.
    if !sites.reads_twice() || plan.has_work(existing)? {
        let (mut nowhere, mut reporter) = (std::io::sink(), Reporter::new());
        let first_pass = Environment { network: network.clone(), ..Environment::new(&mut nowhere, &mut reporter) };
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
        network,
        disk: match &bucket {
            Some(bucket) => bucket,
            None => &LocalDisk,
        },
        existing,
        clock: watch.clock.as_deref(),
        metrics: watch.metrics.as_deref(),
        ..Environment::new(&mut stdout, &mut reporter)
    };
    let done = run_plan(&plan, &|bytes, hints| extractor.document(bytes, hints), environment);
    drop(reporter);
    let (mut summary, error) = match done {
        Ok(summary) => (summary, None),
        Err(error) => (unfinished, Some(error)),
    };
    if let Some(bucket) = &bucket {
        bucket.name(&mut summary);
    }
    reported(&plan, &summary, error, bucket.is_some(), &args, &watch, &stop)
}

/// Prints and writes the counts of a run, or the error that ended it. Returns the exit status.
fn reported<S: Scope>(
    plan: &Plan,
    summary: &Summary,
    error: Option<trommel::Error>,
    to_bucket: bool,
    args: &RunArgs<S>,
    watch: &Watch,
    stop: &Stop,
) -> Result<Exit> {
    let is_refused = error.as_ref().is_some_and(trommel::Error::is_refusal);
    if let Some(error) = &error {
        fail(error);
        if to_bucket {
            say("trommel: what is whole in the bucket stays; the rest is to be done again");
        } else if !is_refused && plan.state_file().is_some_and(|path| path.exists()) {
            say("trommel: continue with the same command and --resume");
        }
    } else {
        // What could not be read has been said; a summary of nothing would only repeat it.
        if summary.outcome() != Outcome::Nothing {
            say(&summary.to_string());
        }
        if let Some(clock) = &watch.clock {
            say(&clock.to_string());
        }
    }
    if let Some(path) = args.summary.as_deref().filter(|_| !is_refused) {
        files::write(path, &format!("{}\n", serde_json::to_string_pretty(summary)?))?;
    }
    Ok(if error.is_some() { stop.exit() } else { Exit::of_run(summary) })
}

impl<S: Scope> RunArgs<S> {
    /// Builds the request for a run from the arguments, and takes the values out of them.
    fn take_request(&mut self) -> Result<RunRequest> {
        Ok(RunRequest {
            inputs: mem::take(&mut self.inputs),
            opened: Vec::new(),
            select: mem::take(&mut self.select),
            shard: self.shard.take(),
            output: mem::take(&mut self.output),
            quarantine: self.quarantine.take(),
            set_aside: mem::take(&mut self.set_aside),
            hard_to: self.hard_to.take(),
            dropped: self.dropped.take(),
            follow: self.follow.times(),
            epoch: epoch()?,
        })
    }
}

/// Observers of a run: its clock for `--profile`, its metrics, and the server of the metrics.
struct Watch {
    clock: Option<Arc<Clock>>,
    metrics: Option<Arc<Metrics>>,
    /// Server of the metrics over HTTP, which runs until this value is dropped.
    #[cfg(feature = "serve")]
    _listener: Option<trommel_web::service::MetricsListener>,
}

impl Watch {
    fn begin<S: Scope>(args: &RunArgs<S>) -> Result<Self> {
        let clock = args.profile.then(|| Arc::new(Clock::default()));
        #[cfg(feature = "serve")]
        let listener = args.metrics.as_ref().map(trommel_web::service::MetricsListener::bind).transpose();
        #[cfg(feature = "serve")]
        let listener = listener.context("--metrics: cannot listen")?;
        Ok(Self {
            clock,
            #[cfg(feature = "serve")]
            metrics: listener.as_ref().map(|listener| listener.metrics.clone()),
            #[cfg(not(feature = "serve"))]
            metrics: None,
            #[cfg(feature = "serve")]
            _listener: listener,
        })
    }

    /// Adds the clock and the metrics, if there are any, as observers to an extractor.
    fn observed(&self, extractor: Extractor) -> Extractor {
        match (self.clock.clone(), self.metrics.clone()) {
            (None, None) => extractor,
            (Some(clock), None) => extractor.with_observer(clock),
            (None, Some(metrics)) => extractor.with_observer(metrics),
            (Some(clock), Some(metrics)) => extractor.with_observer(Arc::new(Observers(clock, metrics))),
        }
    }
}

/// Observer that reports the time of each extraction stage to both the clock and the metrics.
#[derive(Debug)]
struct Observers(Arc<Clock>, Arc<Metrics>);

impl ExtractionObserver for Observers {
    fn stage_ended(&self, stage: ExtractionStage, time: Duration) {
        self.0.stage_ended(stage, time);
        self.1.stage_ended(stage, time);
    }
}

fn epoch() -> Result<Option<i64>> {
    match env::var("SOURCE_DATE_EPOCH") {
        Ok(seconds) => seconds.trim().parse().map(Some).context("SOURCE_DATE_EPOCH is not a number of seconds"),
        Err(_) => Ok(None),
    }
}

/// Heading above the options for inputs that grow, in the help.
const GROWING: &str = "Inputs that grow";

/// Options of `--follow`: when an input ends, and how long a read may wait.
#[derive(Debug, Args)]
pub struct FollowArgs {
    /// Continue as inputs grow and new ones appear: files that a crawler writes (also as NAME.open), folders, globs,
    /// named pipes, - for standard input. Ends with SIGINT or SIGTERM, or when all pipes have ended
    #[arg(long, help_heading = GROWING, hide_short_help = true)]
    follow: bool,

    /// Seconds without new data after which everything is written out [default: 2]
    #[arg(long, help_heading = GROWING, hide_short_help = true, value_name = "SECONDS", requires = "follow", value_parser = seconds)]
    idle: Option<f64>,

    /// Seconds without new data after which the run ends
    #[arg(long, help_heading = GROWING, hide_short_help = true, value_name = "SECONDS", requires = "follow", value_parser = seconds)]
    until_idle: Option<f64>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds".to_owned()),
    }
}

impl FollowArgs {
    /// Returns the time limits for following inputs that grow; `None` without `--follow`.
    pub fn times(&self) -> Option<FollowTimes> {
        self.follow.then(|| FollowTimes {
            idle: self.idle.map(Duration::from_secs_f64),
            until_idle: self.until_idle.map(Duration::from_secs_f64),
        })
    }
}
