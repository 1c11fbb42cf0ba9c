//! `trommel-quality roles`: trains and scores the role models.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use trommel_learn::train_roles;

/// Learn the roles of blocks (review, card, specification ...) from pages whose gold names them
#[derive(Debug, Args)]
pub struct RolesArgs {
    /// Archives of labelled pages, each with its gold beside it
    #[arg(long, required = true, num_args = 1.., value_name = "WARC")]
    pages: Vec<PathBuf>,
    /// Roles to learn
    #[arg(long, required = true, value_delimiter = ',', value_name = "ROLE,...")]
    roles: Vec<String>,
    /// Day to write into the file, YYYY-MM-DD
    #[arg(long)]
    date: String,
    /// File to write the role models to
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(args: &RolesArgs) -> anyhow::Result<()> {
    let sets = args.pages.iter().map(|pages| crate::read(pages)).collect::<anyhow::Result<Vec<_>>>()?;
    let model = train_roles(&sets, &args.roles, &args.date)?;
    std::fs::write(&args.out, model.to_packed()?).with_context(|| format!("cannot write {}", args.out.display()))?;
    let mut text = "role               pages  blocks  precision  recall\n".to_owned();
    for role in &model.file().roles {
        let score = role.score;
        text += &format!(
            "{:<18} {:>5}  {:>6}  {:>9.3}  {:>6.3}\n",
            role.name, score.pages, score.blocks, score.precision, score.recall
        );
    }
    crate::out(&text)
}
