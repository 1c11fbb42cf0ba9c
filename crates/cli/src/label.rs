//! `trommel label`

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use anyhow::{Context, bail};
use clap::Args;
use trommel_extract::Extractor;
use trommel_label::{GoldFile, LabelPages, Labelling, serve};
use trommel_learn::gold_beside;

use crate::messages::say;
use crate::models;
use crate::stop::Stop;

/// Label the pages of an archive by clicks on their blocks: a gold file for `train` and `eval`
///
/// Shows the pages to a browser on this machine, with what the model would keep as the first proposal. Every
/// saved page is in the gold file at once, and pages that have a line there are done: a later call continues.
#[derive(Debug, Args)]
pub struct LabelArgs {
    /// WARC or ARC archive of the pages
    #[arg(value_name = "WARC")]
    pages: PathBuf,
    /// Gold file to write, or to continue [default: NAME.gold.jsonl.gz beside NAME.warc.gz]
    #[arg(long, value_name = "JSONL")]
    gold: Option<PathBuf>,
    /// Port to listen at; 0: any free one
    #[arg(long, default_value_t = 8643)]
    port: u16,
    /// Propose nothing: every block starts as `other`, so that labels do not lean on the model
    #[arg(long)]
    blank: bool,
    /// Model of the proposals: name of a built-in model, or a model file
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<String>,
}

pub fn run(args: &LabelArgs) -> anyhow::Result<ExitCode> {
    let name = || args.pages.display().to_string();
    let gold = match &args.gold {
        Some(gold) => gold.clone(),
        None => gold_beside(&args.pages).with_context(|| {
            format!("{}: cannot tell its gold file: name it with --gold", name())
        })?,
    };
    let pages = LabelPages::read(&args.pages)?;
    if pages.pages.is_empty() {
        bail!("{}: no pages", name());
    }
    let file = GoldFile::open(&gold)?;
    let done = pages.pages.iter().filter(|page| file.has(&page.record_id));
    let done = done.count();
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .with_context(|| format!("cannot listen at port {}", args.port))?;
    let stop = Stop::on_signals()?;
    say(&format!(
        "{done} of {} pages are labelled in {}; open http://{} to continue, Ctrl-C to end",
        pages.pages.len(),
        gold.display(),
        socket.local_addr()?
    ));
    let labelling = Labelling {
        pages,
        gold: Mutex::new(file),
        extractor: Extractor::new(Arc::new(models::load(args.model.as_deref())?)),
        blank: args.blank,
    };
    serve(labelling, &socket, stop.flag())?;
    Ok(ExitCode::SUCCESS)
}
