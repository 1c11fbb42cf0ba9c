//! `trommel generate`: writes shell completions and manual pages from the program's own list of options.

use std::{fs, path::PathBuf, sync::LazyLock};

use anyhow::Context;
use clap::{CommandFactory, Subcommand};
use clap_complete::Shell;
use trommel::{Model, run::BUILD};

use crate::{Cli, exit::Exit};

/// Write shell completions or manual pages
#[derive(Debug, Subcommand)]
pub enum GenerateCommand {
    /// Print the completions of a shell
    Completions {
        /// Name of the shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Write the manual pages into a folder
    Man {
        /// Folder to write to, created if necessary
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

pub fn run(command: GenerateCommand) -> anyhow::Result<Exit> {
    match command {
        GenerateCommand::Completions { shell } => {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "trommel", &mut out);
            crate::out(&String::from_utf8(out)?)?;
        }
        GenerateCommand::Man { folder } => {
            let named = || folder.display().to_string();
            fs::create_dir_all(&folder).with_context(named)?;
            clap_mangen::generate_to(Cli::command(), &folder).with_context(named)?;
        }
    }
    Ok(Exit::Clean)
}

/// Text that `--version` prints: version, commit, features, built-in models and build, each on a line. A run can be
/// continued only by the same build.
pub static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let models: Vec<&str> = Model::builtin_names().collect();
    format!(
        "{}\ncommit {}\nfeatures {}\nmodels {}\nbuild {BUILD}",
        env!("CARGO_PKG_VERSION"),
        env!("TROMMEL_COMMIT"),
        env!("TROMMEL_FEATURES"),
        models.join(", ")
    )
});
