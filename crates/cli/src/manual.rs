//! `trommel completions` and `trommel man`: writes the shell completions and the manual pages from the
//! program's own list of options.

use std::{fs, path::PathBuf};

use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Cli;
use crate::exit::Exit;

/// Print the completions of a shell
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the manual pages into a folder
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder to write to, created if necessary
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut out = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "trommel", &mut out);
    crate::out(&String::from_utf8(out)?)?;
    Ok(Exit::Clean)
}

pub fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let named = || args.folder.display().to_string();
    fs::create_dir_all(&args.folder).with_context(named)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).with_context(named)?;
    Ok(Exit::Clean)
}
