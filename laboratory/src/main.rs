//! The program of the laboratory.

mod commands;

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

#[cfg(feature = "browser")]
use commands::layout;
use commands::{adaptation, cluster, eval, extract, methods, paper_variant, rendered, results, retrieval, segments};

/// Measure published methods and the models of trommel on labelled pages
#[derive(Debug, Parser)]
#[command(name = "trommel-lab", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Methods(methods::MethodsArgs),
    Extract(extract::MethodExtractArgs),
    Eval(eval::MethodEvalArgs),
    Results(results::ResultsArgs),
    Retrieval(retrieval::RetrievalArgs),
    Adaptation(adaptation::AdaptationArgs),
    Cluster(cluster::ClusterArgs),
    Segments(segments::SegmentsArgs),
    Rendered(rendered::RenderedArgs),
    #[cfg(feature = "browser")]
    Layout(layout::LayoutArgs),
    PaperVariant(paper_variant::PaperVariantArgs),
}

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,headless_chrome=warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .init();
    let done = match Cli::parse().command {
        Command::Methods(args) => methods::run(&args),
        Command::Extract(args) => extract::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Results(args) => results::run(&args),
        Command::Retrieval(args) => retrieval::run(&args),
        Command::Adaptation(args) => adaptation::run(&args),
        Command::Cluster(args) => cluster::run(&args),
        Command::Segments(args) => segments::run(&args),
        Command::Rendered(args) => rendered::run(&args),
        #[cfg(feature = "browser")]
        Command::Layout(args) => layout::run(&args),
        Command::PaperVariant(args) => paper_variant::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("trommel-lab: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Writes to standard output. A reader that went away is a clean end, as for every filter.
fn out(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        done => Ok(done?),
    }
}
