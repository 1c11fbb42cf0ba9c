//! The commands of the trommel program, for the program itself and for the command of the Python wheel.

mod cat;
mod dedup;
mod eval;
mod exit;
mod extract;
mod files;
mod generate;
#[cfg(feature = "index")]
mod index;
mod inspect;
#[cfg(feature = "label")]
mod label;
mod ls;
mod messages;
mod models;
mod progress;
mod run;
#[cfg(feature = "index")]
mod search;
#[cfg(feature = "serve")]
mod serve;
mod settings;
mod sites;
#[cfg(feature = "train")]
mod train;
mod verify;
mod wacz;

use std::{ffi::OsString, io::Write as _};

use clap::{Parser, Subcommand};

pub use exit::Exit;

/// Extract the main text from web archives
#[derive(Debug, Parser)]
#[command(name = "trommel", version, long_version = generate::LONG_VERSION.as_str())]
struct Cli {
    #[command(flatten)]
    messages: messages::MessageArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<run::RunArgs<settings::RunCommands>>),
    #[cfg(feature = "index")]
    Index(index::IndexArgs),
    #[cfg(feature = "index")]
    Search(search::SearchArgs),
    /// Build a search index (a feature: this program was built without it)
    #[cfg(not(feature = "index"))]
    Index(LeftOut),
    /// Search an index (a feature: this program was built without it)
    #[cfg(not(feature = "index"))]
    Search(LeftOut),
    /// Write a Parquet table with a row for each page, without its text: place, language, type, confidence and quality
    Annotate(Box<run::RunArgs<settings::AnnotateCommands>>),
    Ls(ls::LsArgs),
    Cat(cat::CatArgs),
    Verify(verify::VerifyArgs),
    Dedup(dedup::DedupArgs),
    #[cfg(feature = "serve")]
    Serve(serve::ServeArgs),
    Extract(extract::ExtractArgs),
    Inspect(inspect::InspectArgs),
    #[cfg(feature = "label")]
    Label(label::LabelArgs),
    Eval(eval::EvalArgs),
    #[cfg(feature = "train")]
    Train(train::TrainArgs),
    Wacz(wacz::WaczArgs),
    Sites(sites::SitesArgs),
    Model(models::ModelArgs),
    #[command(subcommand)]
    Generate(generate::GenerateCommand),
}

/// Error message of `index` and `search` in a program that was built without the search index.
#[cfg(not(feature = "index"))]
const WITHOUT_INDEX: &str = "this program was built without the search index; \
                             `cargo install --locked --path crates/cli --features index` adds it";

/// Arguments of a command that the program was built without.
#[cfg(not(feature = "index"))]
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
struct LeftOut {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Runs the program until its end. The first of `arguments` is the program's name. Failures are printed on standard
/// error; wrong arguments and `--help` end the process.
///
/// Must be called only once in a process, because it takes over signals, the log and the reports of panics.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    exit::outlive_bounds_on_files();
    let cli = Cli::parse_from(arguments);
    messages::begin(cli.messages);
    exit::run(|| {
        command(cli.command).unwrap_or_else(|error| {
            messages::fail(&messages::causes(&error));
            Exit::Fatal
        })
    })
}

fn command(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Run(args) => run::run(*args),
        Command::Annotate(args) => run::annotate(*args),
        #[cfg(feature = "index")]
        Command::Index(args) => index::run(&args),
        #[cfg(feature = "index")]
        Command::Search(args) => search::run(&args),
        #[cfg(not(feature = "index"))]
        Command::Index(_) | Command::Search(_) => anyhow::bail!(WITHOUT_INDEX),
        Command::Ls(args) => ls::run(&args),
        Command::Cat(args) => cat::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Dedup(args) => dedup::run(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args),
        Command::Extract(args) => extract::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        #[cfg(feature = "label")]
        Command::Label(args) => label::run(&args),
        Command::Eval(args) => eval::run(&args),
        #[cfg(feature = "train")]
        Command::Train(args) => train::run(&args),
        Command::Wacz(args) => wacz::run(&args),
        Command::Sites(args) => sites::run(&args),
        Command::Model(args) => models::run(&args),
        Command::Generate(command) => generate::run(command),
    }
}

/// Writes a text to standard output.
fn out(text: &(impl AsRef<[u8]> + ?Sized)) -> anyhow::Result<()> {
    unless_gone(std::io::stdout().lock().write_all(text.as_ref()))
}

/// Returns the result of a write to standard output, but ends the process with code 0 if the reader closed the pipe.
fn unless_gone(written: std::io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        done => Ok(done?),
    }
}
