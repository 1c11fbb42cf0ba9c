//! The program `trommel-quality`: arguments, output, exit codes.

mod commands;

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;
use trommel_learn::{PageSet, gold_beside, read_set};

use commands::{confidences, favor, quality, roles, rules, sites};

/// Report on the quality of the shipped models, and learn what they need beside training
#[derive(Debug, Parser)]
#[command(name = "trommel-quality", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Favor(favor::FavorArgs),
    #[command(name = "report")]
    Quality(quality::QualityArgs),
    Confidences(confidences::ConfidencesArgs),
    Roles(roles::RolesArgs),
    Rules(rules::RulesArgs),
    Sites(sites::SitesArgs),
}

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        // A message that cannot be written is dropped.
        .log_internal_errors(false)
        .init();
    let done = match Cli::parse().command {
        Command::Favor(args) => favor::run(&args),
        Command::Quality(args) => quality::run(&args),
        Command::Confidences(args) => confidences::run(&args),
        Command::Roles(args) => roles::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Sites(args) => sites::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "trommel-quality: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Reads labelled pages and the gold beside them.
fn read(pages: &Path) -> anyhow::Result<PageSet> {
    let gold = gold_beside(pages).with_context(|| format!("{}: no gold file beside it", pages.display()))?;
    Ok(read_set(pages, &gold)?)
}

/// Writes to standard output. A reader that went away is a clean end, as for every filter.
fn out(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        done => Ok(done?),
    }
}
