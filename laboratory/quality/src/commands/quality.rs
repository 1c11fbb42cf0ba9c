//! `trommel-quality report`: writes the quality report.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use trommel_learn::JudgedSet;
use trommel_model::Model;
use trommel_quality::quality::{HeldOut, held_out, write};

/// Write a report on the quality of the models, with tables and plots
#[derive(Debug, Args)]
pub struct QualityArgs {
    /// Pages as cross-validation judged them, written by `trommel train --judged`, one file a model; the
    /// worst pages are those of the last
    #[arg(long, required = true, value_name = "FILE")]
    judged: Vec<PathBuf>,
    /// The same pages as judged by models that had seen no page of their set, written by `trommel train --hold-out sets
    /// --judged`; one file a model, whose name tells which
    #[arg(long, value_name = "FILE")]
    by_set: Vec<PathBuf>,
    /// The model of each file, in the same order: name of a built-in model, or a model file [default:
    /// the name that the file gives]
    #[arg(long, value_name = "NAME|FILE")]
    model: Vec<String>,
    /// Folder of labelled sets that no model was trained on: NAME.warc.gz with NAME.gold.jsonl.gz. The
    /// models are scored on those of daniel-dev, dragnet-test, l3s-gn1 and cleaneval that are there
    /// [default: not measured]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Folder to write quality.md and its plots into; the notes of a quality.md that is there stay
    #[arg(short, long, value_name = "DIR", default_value = "docs")]
    out: PathBuf,
    /// File to write the tables behind the plots and the list of the worst pages into [default: not written]
    #[arg(long, value_name = "FILE")]
    details: Option<PathBuf>,
}

pub fn run(args: &QualityArgs) -> anyhow::Result<()> {
    if !args.model.is_empty() && args.model.len() != args.judged.len() {
        bail!("{} files of judged pages but {} models: name one each, or none", args.judged.len(), args.model.len());
    }
    let judged: Vec<JudgedSet> = args.judged.iter().map(|path| JudgedSet::read(path)).collect::<Result<_, _>>()?;
    let by_set: Vec<JudgedSet> = args.by_set.iter().map(|path| JudgedSet::read(path)).collect::<Result<_, _>>()?;
    let tested = match &args.data {
        Some(data) => test(args, data, &judged)?,
        None => Vec::new(),
    };
    for file in write(&judged, &by_set, &tested, &args.out, args.details.as_deref())? {
        crate::out(&format!("{}\n", file.display()))?;
    }
    Ok(())
}

/// Scores the models on the sets of `data`.
fn test(args: &QualityArgs, data: &Path, judged: &[JudgedSet]) -> anyhow::Result<Vec<HeldOut>> {
    if !data.is_dir() {
        bail!("{}: no folder", data.display());
    }
    let models = judged
        .iter()
        .enumerate()
        .map(|(at, set)| Model::open(args.model.get(at).unwrap_or(&set.model)).map(Arc::new))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(held_out(data, judged, &models)?)
}
