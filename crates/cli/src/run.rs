//! `trommel run`: archives in, documents out.

use std::{
    env,
    ffi::OsString,
    io::{BufWriter, Write},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    thread,
};

use anyhow::{Context, Result};
use clap::Args;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use trommel_archive::{PayloadOptions, ReadOptions};
use trommel_extract::{ContentPolicy, DocumentOptions, Extractor, MarkdownOptions};
use trommel_filters::{FilterSettings, Filters};
use trommel_metrics::{Listener, Metrics};
use trommel_model::Model;
use trommel_output::{AtomicFile, Compression, Format, LocalDisk};
use trommel_pipeline::{
    Bucket, Clock, Config, Destination, Environment, Existing, FormatChoice, Input, InputShare,
    Outcome, Output, PackedOptions, Plan, Recipe, SetAside, Summary, TextForm, expand,
    run as run_plan, select, unpack,
};
use trommel_sources::{Base, NetworkOptions, SelectOptions};

use crate::follow::FollowArgs;
use crate::measured::{Observers, StageTimes};
use crate::network::NetworkArgs;
use crate::panics::quiet_workers;
use crate::policy::PolicyArgs;
use crate::sites::{SiteMemoryArgs, with_sites};
use crate::text::TextArgs;
use crate::{
    assemble,
    jobs::jobs,
    messages::{causes, fail, say},
    models,
    progress::Reporter,
    size::Size,
    stop::Stop,
};

/// Extract main text from archives
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Archives (WARC, ARC, WET) and WACZ files: files, globs, folders, http(s):// and s3:// URLs, s3://
    /// prefixes (with a slash at the end) and globs, @MANIFEST (a path or URL a line), the .json of a
    /// multi-WACZ, or - for standard input
    #[arg(required_unless_present = "select", value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Read only the records that an index names: CDXJ (gzip or plain) or Parquet with the columns
    /// warc_filename, warc_record_offset and warc_record_length
    #[arg(long, value_name = "INDEX")]
    select: Vec<PathBuf>,

    /// What the names in manifests and indexes are relative to [default: their own folder]
    #[arg(long, value_name = "URL|FOLDER")]
    base_url: Option<String>,

    /// Let the names in an index leave --base-url (..), be absolute, or name other hosts and s3:// buckets,
    /// which are read with the keys of the environment
    #[arg(long, requires = "select")]
    select_anywhere: bool,

    /// Take all records in each range of an index, not only the first
    #[arg(long, requires = "select")]
    whole_ranges: bool,

    /// Of WACZ files, take only the pages that they list (pages/*.jsonl), not the frames and scripts of those
    #[arg(long)]
    pages_only: bool,

    /// Compare what is in WACZ files with the hashes that they state; what differs counts as damage and is
    /// read all the same
    #[arg(long)]
    check_hashes: bool,

    /// Give revisits the content of the captures they are equal to, as far as those are in the inputs, which
    /// are read one more time for that
    #[arg(long)]
    resolve_revisits: bool,

    /// Folder for one file an archive; or one file for all, NAME.jsonl[.gz|.zst],
    /// NAME.msgpack[.gz|.zst], NAME.wet.gz, NAME.anserini.jsonl.gz, NAME.trec.gz,
    /// NAME.bulk.ndjson[.gz|.zst], NAME.parquet or NAME.tantivy (a folder); either may be on s3://, where
    /// each file appears when it is whole; or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: String,

    /// Run only this share of the inputs, such as 2/8 for the second of eight programs: which inputs
    /// these are depends on their names alone
    #[arg(long, value_name = "I/N")]
    shard: Option<InputShare>,

    /// Output format: jsonl, msgpack, wet, anserini (JSON collection), trec (TREC web), bulk
    /// (Elasticsearch, OpenSearch), parquet or tantivy; several, divided by commas, if OUT is a folder
    /// [default: by the name of OUT, else jsonl]
    #[arg(short, long, value_delimiter = ',')]
    format: Vec<Format>,

    /// Compression: zst, gz or none; of several formats, for those that can have it [default: by the
    /// name of OUT, else none for standard output, zst for jsonl and msgpack, gz for the rest]
    #[arg(long)]
    compress: Option<Compression>,

    /// Divide each output into parts, NAME-00000.SUFFIX and so on, of at most SIZE of documents before
    /// compression (WET: after); an index is not divided
    #[arg(long, value_name = "SIZE")]
    split_size: Option<Size>,

    /// Write the text as Markdown (CommonMark with the tables of GitHub)
    #[arg(long)]
    markdown: bool,

    /// Write links into Markdown as [text](address)
    #[arg(long)]
    links: bool,

    /// Write images that stand by themselves into Markdown as ![alternative text](address)
    #[arg(long)]
    images: bool,

    /// Write all blocks of each page as well, with text, probability, whether they are kept, role and
    /// bytes in the decoded page: `blocks` in jsonl, msgpack and parquet
    #[arg(long)]
    blocks: bool,

    /// Write where each part of the text stands in the decoded page: `spans` in jsonl, msgpack and parquet,
    /// each with character of the text, characters, byte of the page, bytes
    #[arg(long)]
    spans: bool,

    /// Write the tables among the text as rows of cells as well: `tables` in jsonl, msgpack and parquet
    #[arg(long)]
    tables: bool,

    /// Number of worker threads [default: processor cores]
    #[arg(short, long, value_parser = jobs)]
    jobs: Option<NonZeroUsize>,

    /// Built-in model or model file [default: the first built-in one]
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<String>,

    /// Configuration file (TOML); the options here win over it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print what the run would read, do and write, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// Write the counts of the run to FILE as JSON
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,

    /// Print how long each stage took, on all threads together
    #[arg(long)]
    profile: bool,

    /// Continue a run with the same options and the same build of the program: one that was interrupted ends
    /// as if it had not been, and inputs that are new are added (not under --site-memory two-pass or
    /// --resolve-revisits, where pages depend on all inputs); a run that is finished stays as it is
    #[arg(long)]
    resume: bool,

    /// Replace outputs that are there already
    #[arg(long, conflicts_with = "resume")]
    overwrite: bool,

    /// WARC file for records that fail, which can be run again; or none [default:
    /// quarantine.warc.gz in the folder of outputs, OUT.quarantine.warc.gz beside one output, none for
    /// standard output]
    #[arg(long, value_name = "FILE|none")]
    quarantine: Option<PathBuf>,

    /// Keep records of another kind than pages for other tools, each in a gzip member of FILE.warc.gz: of a
    /// media type (application/pdf), its second part (pdf) or its first (image), stated or by the first
    /// bytes. FILE.warc.gz.cdxj says where they were. May be given several times
    #[arg(long, value_name = "KIND=FILE")]
    set_aside: Vec<SetAside>,

    /// File for what is told of each record that is dropped: a JSON line with id, url, date, reason, source
    #[arg(long, value_name = "FILE")]
    dropped: Option<PathBuf>,

    /// Answer GET /metrics at this address, such as 127.0.0.1:9464, with the counts of the run for Prometheus
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<String>,

    #[command(flatten)]
    follow: FollowArgs,

    #[command(flatten)]
    network: NetworkArgs,

    /// Most bytes kept of one record, such as 10M [default: 64M]
    #[arg(long, value_name = "SIZE")]
    max_record: Option<Size>,

    /// Most bytes kept of one decoded page [default: 64M]
    #[arg(long, value_name = "SIZE")]
    max_payload: Option<Size>,

    /// Memory that records and pages in work may take; lowers the two bounds above to a twenty-fourth
    /// and a forty-eighth of it [default: no bound]
    #[arg(long, value_name = "SIZE")]
    max_memory: Option<Size>,

    /// Bytes of documents after which the state of the run is saved; also the size of the frames of
    /// compressed outputs
    #[arg(long, value_name = "SIZE", default_value = "4M")]
    checkpoint: Size,
    #[command(flatten)]
    site_memory: SiteMemoryArgs,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Runs the command: 0 if all went well, 1 if something could not be read or some records failed, 2
/// if nothing could be read or the run was ended early, 130 if it was by SIGINT.
///
/// # Errors
/// If the arguments or the configuration can't be used, an output can't be written, or an archive can't
/// be read on (exit code 2).
pub fn run(args: RunArgs) -> Result<ExitCode> {
    let config = match &args.config {
        Some(path) => Config::load(path)?,
        None => Config::default(),
    };
    let chosen = FormatChoice {
        formats: args.format,
        compression: args.compress,
    };
    let fallback = FormatChoice {
        formats: config.format,
        compression: config.compress,
    };
    let bytes = |option: Option<Size>| option.map(|Size(bytes)| bytes);
    let output = Output::new(&args.output, &chosen, &fallback)?;
    let of_file = config
        .split_size
        .filter(|_| output.destination != Destination::Stdout);
    let output = output.split(bytes(args.split_size).or(of_file))?;
    let existing = match (args.resume, args.overwrite) {
        (true, _) => Existing::Resume,
        (false, true) => Existing::Overwrite,
        (false, false) => Existing::Refuse,
    };
    let base = args.base_url.as_deref().map(Base::new);
    let follow = args.follow.follow(&args.inputs)?;
    let mut inputs = expand(&args.inputs, base.as_ref(), &args.network.options())?;
    let options = SelectOptions {
        anywhere: args.select_anywhere,
        whole_ranges: args.whole_ranges,
    };
    for index in &args.select {
        inputs.push(select(index, base.as_ref(), options)?);
    }
    if let Some(shard) = args.shard {
        inputs.retain(|input| shard.takes(input));
    }
    let stop = match inputs.contains(&Input::Stdin) && follow.is_none() {
        // A read from a silent pipe can't be called off: such a run, which has no state, just ends.
        true => Stop::never(),
        false => Stop::on_signals().context("signals cannot be caught")?,
    };
    let network = NetworkOptions {
        stop: stop.shared(),
        ..args.network.options()
    };
    let packed = PackedOptions {
        check_hashes: args.check_hashes,
        pages_only: args.pages_only,
    };
    let inputs = match follow {
        Some(_) => inputs,
        None => unpack(inputs, packed, &network),
    };
    if network.stop.is_set() {
        say("stopped before anything was read");
        return Ok(stop.exit_code());
    }
    output.check(&inputs)?;
    let quarantine = output
        .destination
        .quarantine(args.quarantine.as_deref(), &inputs)?;
    let jobs = args
        .jobs
        .or(config.jobs)
        .or_else(|| thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN);
    let model = args.model.or(config.model);
    let name = model.as_deref().unwrap_or(models::default_name());
    let loaded = models::load(Some(name))?;
    let policy = args.policy.over(ContentPolicy {
        comments: config.comments,
        headline: config.headline,
        articles: config.articles,
        include: config.include,
        exclude: config.exclude,
    })?;
    let markdown = args.markdown || config.text == Some(TextForm::Markdown);
    for (option, is_set) in [("--links", args.links), ("--images", args.images)] {
        if is_set && !markdown {
            anyhow::bail!("{option} needs --markdown");
        }
    }
    let text = args.text.options();
    let mut form = DocumentOptions::default()
        .with_blocks(args.blocks || config.blocks)
        .with_spans(args.spans || config.spans)
        .with_tables(args.tables || config.tables)
        .with_text(text);
    if markdown {
        let options = MarkdownOptions::default().with_links(args.links);
        form = form.with_markdown(options.with_images(args.images).with_text(text));
    }
    let sites = args
        .site_memory
        .choose(config.site_memory, config.sites.as_deref())?;
    let plan = Plan {
        inputs,
        assemble: assemble::last_steps(&output, &form)?,
        output,
        filters: Arc::new(Filters::new(&config.filters)),
        quarantine,
        set_aside: args.set_aside,
        recipe: Recipe {
            model: format!("{name} (sha256 {})", digest(&loaded)?),
            policy,
            document: form,
            sections: false,
            posts: false,
            sites: sites.recipe()?,
            packed,
            select: options,
            base: base.as_ref().map(Base::to_string),
        },
        jobs,
        max_record: bytes(args.max_record)
            .or(config.max_record)
            .unwrap_or_else(|| ReadOptions::default().max_record),
        max_payload: bytes(args.max_payload)
            .or(config.max_payload)
            .unwrap_or_else(|| PayloadOptions::default().max_payload),
        max_memory: bytes(args.max_memory).or(config.max_memory),
        frame: args.checkpoint.0,
        dropped: args.dropped,
        follow,
        resolve_revisits: args.resolve_revisits,
        epoch: epoch()?,
    };
    plan.check(&config.filters)?;
    check_page_types(&config.filters, &loaded).map_err(|error| match &args.config {
        Some(path) => error.context(path.display().to_string()),
        None => error,
    })?;
    let mut plan = plan.within();
    sites.check(&plan, existing == Existing::Resume)?;
    plan.check_names(args.summary.as_deref())?;
    if let Some(path) = &args.summary {
        let read = [args.config.as_deref(), model.as_deref().map(Path::new)];
        check_summary(path, read)?;
    }
    if args.dry_run {
        crate::out(&plan.to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    let identity = loaded.identity();
    let mut extractor = Extractor::new(Arc::new(loaded))
        .with_policy(policy)
        .with_inline_style(markdown);
    let clock = args.profile.then(|| Arc::new(Clock::default()));
    let metrics = args.metrics.as_ref().map(|_| Arc::new(Metrics::new()));
    // It listens as long as the run goes on.
    let _listener = match (&args.metrics, &metrics) {
        (Some(address), Some(metrics)) => Some(
            Listener::bind(address, metrics.clone())
                .with_context(|| format!("cannot listen at {address}"))?,
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
    if !sites.reads_twice() || plan.begins(existing)? {
        extractor = match with_sites(sites, extractor, &plan, &stop, network.clone(), &identity) {
            Ok(extractor) => extractor,
            Err(error) => {
                fail(&causes(&error));
                return Ok(stop.exit_code());
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
    let done = run_plan(
        &plan,
        &|bytes, hints| extractor.extract(bytes, hints).document(&form),
        environment,
    );
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
                save(&named(unfinished), path).with_context(|| path.display().to_string())?;
            }
            return Ok(stop.exit_code());
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
        save(&summary, path).with_context(|| path.display().to_string())?;
    }
    Ok(match summary.outcome() {
        Outcome::Clean => ExitCode::SUCCESS,
        Outcome::Partial => ExitCode::from(1),
        Outcome::Nothing => ExitCode::from(2),
    })
}

/// Refuses page types that the model does not tell: a filter on them would drop all pages, or none.
fn check_page_types(filters: &FilterSettings, model: &Model) -> Result<()> {
    let known: Vec<&str> = model
        .file()
        .page_types
        .iter()
        .map(|page_type| page_type.name.as_str())
        .collect();
    if let Some((key, name)) = filters.unknown_page_type(&known) {
        anyhow::bail!(
            "filters.{key}: the model knows no page type {name:?}; it knows {}",
            known.join(", ")
        );
    }
    Ok(())
}

/// Refuses to write the summary over what is read before the run.
fn check_summary(path: &Path, read: [Option<&Path>; 2]) -> Result<()> {
    let place = path.canonicalize().ok();
    let mut read = read.into_iter().flatten();
    if place.is_some() && read.any(|other| other.canonicalize().ok() == place) {
        anyhow::bail!(
            "{}: is read by the run; name another file with --summary",
            path.display()
        );
    }
    Ok(())
}

/// What tells a model from every other.
fn digest(model: &Model) -> Result<String> {
    Ok(HEXLOWER.encode(&Sha256::digest(model.to_bytes()?)))
}

fn epoch() -> Result<Option<i64>> {
    match env::var("SOURCE_DATE_EPOCH") {
        Ok(seconds) => seconds
            .trim()
            .parse()
            .map(Some)
            .context("SOURCE_DATE_EPOCH is not a number of seconds"),
        Err(_) => Ok(None),
    }
}

fn save(summary: &Summary, path: &Path) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    serde_json::to_writer_pretty(&mut file, summary)?;
    file.write_all(b"\n")?;
    Ok(file.finish()?)
}
