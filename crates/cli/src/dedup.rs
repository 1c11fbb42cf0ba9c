//! `trommel dedup`: finds duplicates among the outputs of many runs.
//!
//! A Parquet file that replaces another has the columns of the old one.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs, io::Write as _};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use trommel::record::dedup::{
    Duplicate, DuplicateReason, Finder, KeyShare, Removed, SignedFile, is_signed, read_duplicates, read_signatures,
    shard_name, sign, without,
};
use trommel::record::{Assemble, AtomicFile, OutputError, hidden};

use crate::{exit::Exit, files, messages::say};

/// Find and remove duplicates among the outputs of many runs
#[derive(Debug, Args)]
pub struct DedupArgs {
    #[command(subcommand)]
    command: DedupCommand,
}

#[derive(Debug, Subcommand)]
enum DedupCommand {
    /// Write the signatures of each output to NAME.signatures.jsonl.zst, unless that file has them already
    Sign {
        /// Outputs: JSON lines, MessagePack or Parquet
        #[arg(required = true, value_name = "OUTPUT")]
        outputs: Vec<PathBuf>,
        /// Folder for the signatures
        #[arg(short, long, value_name = "FOLDER")]
        output: PathBuf,
    },
    /// List the duplicates among all signatures. A document is a duplicate if an earlier one, by name of output and
    /// row, has a key in common with it
    Find {
        /// Files of signatures
        #[arg(required = true, value_name = "SIGNATURES")]
        signatures: Vec<PathBuf>,
        /// File for the list, a JSON line for each duplicate
        #[arg(short, long, value_name = "FILE", value_parser = files::file)]
        output: PathBuf,
        /// Replace an existing list
        #[arg(long)]
        overwrite: bool,
        /// Use only this share of the keys, such as 2/8, to save memory. The lists of all shares together name
        /// the same duplicates
        #[arg(long, value_name = "I/N", default_value = "1/1", hide_default_value = true)]
        keys: KeyShare,
    },
    /// Copy outputs without the duplicates into another folder, under the same names. An output that was made again
    /// after it was signed is refused
    Drop {
        /// Signed outputs
        #[arg(required = true, value_name = "OUTPUT")]
        outputs: Vec<PathBuf>,
        /// Lists of duplicates
        #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
        duplicates: Vec<PathBuf>,
        /// Folder for the new outputs
        #[arg(short, long, value_name = "FOLDER")]
        output: PathBuf,
    },
}

pub fn run(args: &DedupArgs) -> anyhow::Result<Exit> {
    match &args.command {
        DedupCommand::Sign { outputs, output } => signatures(outputs, output),
        DedupCommand::Find { signatures, output, overwrite, keys } => {
            files::claim(output, *overwrite, signatures)?;
            find(signatures, output, *keys)
        }
        DedupCommand::Drop { outputs, duplicates, output } => drop_duplicates(outputs, duplicates, output),
    }?;
    Ok(Exit::Clean)
}

fn create(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

fn signatures(outputs: &[PathBuf], folder: &Path) -> anyhow::Result<()> {
    create(folder)?;
    let (mut documents, mut passed_over) = (0, 0);
    let mut named: BTreeMap<&str, &Path> = BTreeMap::new();
    for output in outputs {
        fs::metadata(output).with_context(|| output.display().to_string())?;
        let name = shard_name(output).with_context(|| {
            format!("{}: is no output of JSON lines, MessagePack or Parquet by its name", output.display())
        })?;
        if let Some(other) = named.insert(name, output) {
            bail!("{} and {} have one name, and so one file of signatures", other.display(), output.display());
        }
        let target = folder.join(format!("{name}.signatures.jsonl.zst"));
        if is_signed(output, &target)? {
            passed_over += 1;
        } else {
            documents += sign(output, &target)?;
        }
    }
    let signed = outputs.len() - passed_over;
    say(&format!("{documents} documents of {signed} outputs signed, {passed_over} outputs signed before"));
    Ok(())
}

fn find(signatures: &[PathBuf], output: &Path, keys: KeyShare) -> anyhow::Result<()> {
    let mut finder = Finder::new(keys);
    for path in signatures {
        for signature in read_signatures(path)? {
            finder.add(signature?);
        }
    }
    let documents = finder.len();
    let duplicates = finder.duplicates()?;
    let name = || output.display().to_string();
    let mut file = AtomicFile::create(output).with_context(name)?;
    for duplicate in &duplicates {
        serde_json::to_writer(&mut file, duplicate)?;
        file.write_all(b"\n").with_context(name)?;
    }
    file.finish().with_context(name)?;
    let is_exact = |duplicate: &&Duplicate| duplicate.reason == DuplicateReason::ExactDuplicate;
    let exact = duplicates.iter().filter(is_exact).count();
    say(&format!("{documents} documents: {exact} exact duplicates, {} near duplicates", duplicates.len() - exact));
    Ok(())
}

fn drop_duplicates(outputs: &[PathBuf], lists: &[PathBuf], folder: &Path) -> anyhow::Result<()> {
    let mut removed = Removed::default();
    for list in lists {
        read_duplicates(list, &mut removed)?;
    }
    create(folder)?;
    let (mut kept, mut left_out) = (0, 0);
    for output in outputs {
        let target = folder.join(output.file_name().unwrap_or_default());
        let assemble = like(output).with_context(|| output.display().to_string())?;
        let is_there = target.exists();
        let written = if is_there { hidden(&target, "again")? } else { target.clone() };
        let (own_kept, own_left_out) = without(output, &removed, &written, assemble.as_deref())?;
        if is_there {
            keep_equal(&target, &written)?;
        }
        kept += own_kept;
        left_out += own_left_out;
    }
    say(&format!("{kept} documents kept, {left_out} left out"));
    Ok(())
}

/// Removes `again`, the copy of the file `there` that a repeated command has made; fails if the two files differ.
fn keep_equal(there: &Path, again: &Path) -> anyhow::Result<()> {
    let is_equal = SignedFile::of(there)? == SignedFile::of(again)?;
    fs::remove_file(again).with_context(|| again.display().to_string())?;
    if !is_equal {
        bail!("{}: is there already, with other documents; name another folder", there.display());
    }
    Ok(())
}

/// Returns the writer of Parquet files with the columns of `output`; `None` if `output` is not named `.parquet`.
///
/// # Errors
/// Fails if the columns of `output` cannot be read.
#[cfg(feature = "parquet")]
pub fn like(output: &Path) -> Result<Option<Box<dyn Assemble>>, OutputError> {
    if output.extension().is_none_or(|end| end != "parquet") {
        return Ok(None);
    }
    Ok(Some(Box::new(trommel::record::Parquet::like(output)?)))
}

/// Returns `None`, because this build cannot write Parquet files.
///
/// # Errors
/// None.
#[cfg(not(feature = "parquet"))]
pub fn like(_: &Path) -> Result<Option<Box<dyn Assemble>>, OutputError> {
    Ok(None)
}
