//! `trommel run`: archives in, documents out.

use std::{
    env,
    io::{BufWriter, Write},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    thread,
};

use anyhow::{Context, Result};
use clap::Args;
use trommel::{Conventions, Extractor, MarkdownOptions};
use trommel_archive::{PayloadOptions, ReadOptions};
use trommel_pipeline::{
    Choice, Config, Outcome, Output, Plan, Summary, TextForm, expand, run as run_plan,
};
use trommel_sinks::{AtomicFile, Compression, Format};

use crate::conventions::ConventionArgs;
use crate::{models, progress::Reporter};

/// Extract main text from archives
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Archives (WARC, ARC): files, globs, folders, @MANIFEST (a path a line) or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// Folder for one file an archive; or one file for all, NAME.jsonl[.gz|.zst],
    /// NAME.msgpack[.gz|.zst] or NAME.wet.gz; or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: String,

    /// Output format: jsonl, msgpack or wet [default: by the name of OUT, else jsonl]
    #[arg(short, long)]
    format: Option<Format>,

    /// Compression: zst, gz or none [default: by the name of OUT, else gz for wet, none for standard
    /// output, zst for the rest]
    #[arg(long)]
    compress: Option<Compression>,

    /// Write the text as Markdown (CommonMark with the tables of GitHub)
    #[arg(long)]
    markdown: bool,

    /// Number of worker threads [default: processor cores]
    #[arg(short, long)]
    jobs: Option<NonZeroUsize>,

    /// Built-in model or model file [default: the first built-in one]
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<String>,

    /// Configuration file (TOML); the options here win over it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Write the counts of the run to FILE as JSON
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    #[command(flatten)]
    conventions: ConventionArgs,
}

/// Runs the command: 0 if all went well, 1 if something could not be read or some records failed, 2
/// if nothing could be read.
///
/// # Errors
/// If the arguments or the configuration can't be used, or an output can't be written (exit code 2).
pub fn run(args: RunArgs) -> Result<ExitCode> {
    let config = match &args.config {
        Some(path) => Config::load(path)?,
        None => Config::default(),
    };
    let chosen = Choice {
        format: args.format,
        compression: args.compress,
    };
    let fallback = Choice {
        format: config.format,
        compression: config.compress,
    };
    let output = Output::new(&args.output, chosen, fallback)?;
    let inputs = expand(&args.inputs)?;
    output.check(&inputs)?;
    let jobs = args
        .jobs
        .or(config.jobs)
        .or_else(|| thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN);
    let plan = Plan {
        inputs,
        output,
        jobs,
        max_record: config
            .max_record
            .unwrap_or_else(|| ReadOptions::default().max_record),
        max_payload: config
            .max_payload
            .unwrap_or_else(|| PayloadOptions::default().max_payload),
        epoch: epoch()?,
    };
    let model = models::load(args.model.or(config.model).as_deref())?;
    let conventions = args.conventions.over(Conventions {
        comments: config.comments,
        headline: config.headline,
    });
    let extractor = Extractor::new(Arc::new(model)).with_conventions(conventions);
    let markdown = args.markdown || config.text == Some(TextForm::Markdown);
    quiet_workers();

    let mut reporter = Reporter::new();
    let mut stdout = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let summary = run_plan(
        &plan,
        &|bytes, hints| {
            if !markdown {
                return extractor.summary(bytes, hints);
            }
            let page = extractor.read(bytes, hints);
            let mut document = page.summary();
            document.text = page.markdown(&MarkdownOptions::default());
            document
        },
        &mut stdout,
        &mut reporter,
    )?;
    drop(reporter);
    // What could not be read has been said; a summary of nothing would only repeat it.
    if summary.outcome() != Outcome::Nothing {
        eprintln!("{summary}");
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

/// A panic on one record is caught, counted and logged in one line with the record's place, so the
/// usual message, which can't know the place, would only repeat it.
fn quiet_workers() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let is_caught = thread::current()
            .name()
            .is_some_and(|name| name == "reader" || name.starts_with("worker-"));
        if is_caught {
            tracing::debug!("{info}");
        } else {
            usual(info);
        }
    }));
}

fn save(summary: &Summary, path: &Path) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    serde_json::to_writer_pretty(&mut file, summary)?;
    file.write_all(b"\n")?;
    Ok(file.finish()?)
}
