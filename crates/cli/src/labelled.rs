//! Arguments that name labelled pages.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use trommel::learn::{PageSet, gold_beside, read_set};

#[derive(Debug, Args)]
pub struct LabelledArgs {
    /// Archives of labelled pages
    #[arg(long, required = true, num_args = 1.., value_name = "WARC")]
    pages: Vec<PathBuf>,
    /// Gold of each archive, as JSON lines, in the same order [default: NAME.gold.jsonl.gz beside
    /// NAME.warc.gz]
    #[arg(long, num_args = 1.., value_name = "JSONL")]
    gold: Vec<PathBuf>,
}

impl LabelledArgs {
    /// The files that are read: the archives, and the gold of each.
    #[cfg(feature = "train")]
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        let beside = self.pages.iter().filter_map(|pages| gold_beside(pages));
        self.pages.iter().chain(&self.gold).cloned().chain(beside)
    }

    /// Reads the sets.
    pub fn read(&self) -> anyhow::Result<Vec<PageSet>> {
        if !self.gold.is_empty() && self.gold.len() != self.pages.len() {
            bail!("{} archives but {} gold files: give one each, or none", self.pages.len(), self.gold.len());
        }
        read_sets(&self.pages, &self.gold)
    }
}

/// Reads archives of labelled pages, each with the gold file in its place, or beside it.
pub fn read_sets(archives: &[PathBuf], golds: &[PathBuf]) -> anyhow::Result<Vec<PageSet>> {
    let mut sets = Vec::new();
    for (at, pages) in archives.iter().enumerate() {
        let gold = match golds.get(at) {
            Some(gold) => gold.clone(),
            None => gold_beside(pages)
                .with_context(|| format!("{}: cannot tell its gold file: name it with --gold", pages.display()))?,
        };
        let set = read_set(pages, &gold)?;
        tracing::info!("{}: {} labelled pages", set.name, set.pages.len());
        sets.push(set);
    }
    Ok(sets)
}
