//! The trommel program.

mod assemble;
mod bench;
mod cat;
mod eval;
mod extract;
#[cfg(feature = "index")]
mod index;
mod inspect;
mod labelled;
mod models;
mod network;
mod place;
mod policy;
mod progress;
mod run;
#[cfg(feature = "index")]
mod search;
mod size;
mod stop;
#[cfg(feature = "train")]
mod train;

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

// Pages are read by one thread and freed by another, and each needs a few hundred kilobytes for a
// moment: the system's allocator gives them back and has them cleared anew every time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Take the main text out of web archives
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunArgs),
    #[cfg(feature = "index")]
    Index(index::IndexArgs),
    #[cfg(feature = "index")]
    Search(search::SearchArgs),
    Cat(cat::CatArgs),
    Extract(extract::ExtractArgs),
    Inspect(inspect::InspectArgs),
    Eval(eval::EvalArgs),
    #[cfg(feature = "train")]
    Train(train::TrainArgs),
    Model(models::ModelArgs),
    Bench(bench::BenchArgs),
}

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(progress::Log)
        .init();
    let done = match Cli::parse().command {
        Command::Run(args) => run::run(args),
        #[cfg(feature = "index")]
        Command::Index(args) => index::run(&args),
        #[cfg(feature = "index")]
        Command::Search(args) => search::run(&args),
        Command::Cat(args) => cat::run(&args),
        Command::Extract(args) => extract::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Eval(args) => eval::run(&args),
        #[cfg(feature = "train")]
        Command::Train(args) => train::run(&args),
        Command::Model(args) => models::run(&args),
        Command::Bench(args) => bench::run(&args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("trommel: {error:#}");
        ExitCode::from(2)
    })
}

/// Writes to standard output. A reader that went away is a clean end, as for every filter.
fn out(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        done => Ok(done?),
    }
}
