//! `trommel label`: labels the pages of an archive in a browser.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::bail;
use clap::Args;
use trommel_web::label::{GoldFile, LabelPages, Labelling, serve};
use trommel_web::service::{HostGuard, Listen, Socket};

use crate::exit::{Exit, Stop};
use crate::{eval::gold_of, messages::say, models};

/// Label the pages of an archive by clicks in a browser, for `train` and `eval`
///
/// The first proposal is the model's choice. Each saved page goes to the gold file at once. A later call
/// continues, and several people can label at the same time.
#[derive(Debug, Args)]
pub struct LabelArgs {
    /// WARC or ARC archive of the pages
    #[arg(value_name = "WARC")]
    pages: PathBuf,
    /// Gold file to write, or to continue [default: NAME.gold.jsonl.gz beside NAME.warc.gz]
    #[arg(long, value_name = "JSONL")]
    gold: Option<PathBuf>,
    /// Address to listen on: HOST:PORT (port 0: any free one) or unix:PATH. Anyone who can reach it can label
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8643")]
    listen: Listen,
    /// Propose nothing: every block starts as `other`, so that labels do not depend on the model
    #[arg(long)]
    blank: bool,
    /// Model of the proposals: name of a built-in model, or a model file
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<String>,
}

pub fn run(args: &LabelArgs) -> anyhow::Result<Exit> {
    let name = || args.pages.display().to_string();
    let gold = gold_of(&args.pages, args.gold.as_ref())?;
    let pages = LabelPages::read(&args.pages)?;
    if pages.pages.is_empty() {
        bail!("{}: no pages", name());
    }
    let file = GoldFile::open(&gold)?;
    let socket = Socket::bind(&args.listen)?;
    let stop = Stop::on_signals()?;
    for note in &pages.left_out {
        tracing::warn!("{}: {note}", name());
    }
    if !socket.is_local() {
        tracing::warn!("{socket}: anyone who reaches this address can label");
    }
    let scheme = if socket.is_tcp() { "http://" } else { "" };
    let address = format!("{scheme}{socket}");
    let labelling = Arc::new(Labelling {
        pages,
        gold: Mutex::new(file),
        model: Arc::new(models::named(args.model.as_deref())?),
        blank: args.blank,
        guard: HostGuard::new(args.listen.host().map(str::to_owned)),
        next: next(&args.pages, args.gold.as_deref()),
    });
    say(&format!("{}; open {address} to go on, Ctrl-C to end", progress(&labelling, &gold)?));
    serve(labelling.clone(), vec![socket], stop.flag())?;
    say(&progress(&labelling, &gold)?);
    Ok(Exit::Clean)
}

/// Describes the number of labelled pages, and the next step if all pages are labelled.
fn progress(labelling: &Labelling, gold: &Path) -> anyhow::Result<String> {
    let (done, all) = (labelling.labelled()?, labelling.pages.pages.len());
    let gold = gold.display();
    Ok(match done < all {
        true => format!("{done} of {all} pages are labelled in {gold}"),
        false => format!("all of {all} pages are labelled in {gold}; next: {}", labelling.next.join(", or ")),
    })
}

/// Returns the command lines of `eval` and `train` that use the labels.
fn next(pages: &Path, gold: Option<&Path>) -> Vec<String> {
    let quoted = |path: &Path| {
        let path = path.display().to_string();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+=:@%".contains(&byte);
        if path.bytes().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
    };
    let gold = gold.map_or(String::new(), |gold| format!(" --gold {}", quoted(gold)));
    let of = format!("--pages {}{gold}", quoted(pages));
    vec![format!("trommel eval {of}"), format!("trommel train --from fast {of} -o own.trommel")]
}
