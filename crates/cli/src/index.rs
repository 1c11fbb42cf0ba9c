//! `trommel index`: writes documents to a search index, from archives or from outputs of runs.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs, io};

use anyhow::{Context, Result};
use clap::Args;
use trommel::archive::{ReadOptions, Reader, Record, RecordType, name};
use trommel::record::{ReadError, RecordReader, RecordSource};
use trommel::run::{NetworkOptions, Outcome, expand};
use trommel::{MetadataChoice, OutputRecord, Settings, index::IndexWriter};

use crate::messages::{counted, say};
use crate::settings::{DocumentCommands, SettingsArgs};
use crate::{archives::Archives, exit::Exit};

/// Build a search index from archives or from outputs of `run`
#[derive(Debug, Args)]
pub struct IndexArgs {
    /// Archives, as for `run`; or files or folders of JSON lines, MessagePack,
    /// Parquet or WET written by `run`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// Folder of the index, created if necessary. Existing documents with the same id are replaced
    #[arg(long, value_name = "DIR")]
    index: PathBuf,

    /// Memory in MiB for documents that are not yet on disk
    #[arg(long, value_name = "MIB", default_value_t = trommel::index::DEFAULT_MEMORY >> 20)]
    memory: usize,

    #[command(flatten)]
    settings: SettingsArgs<DocumentCommands>,
}

/// Runs the command: 0 if all went well, 1 if something could not be read; the rest is
/// indexed. 2 if nothing could be read, and then an index in a folder is left as it was.
pub fn run(args: &IndexArgs) -> Result<Exit> {
    let mut settings = args.settings.settings()?;
    // Searches are limited by language and date, with any model.
    if settings.include.metadata == MetadataChoice::Auto {
        settings.include.metadata = MetadataChoice::All;
    }
    let documents = Documents::new(&args.inputs, settings)?;
    let mut writer = IndexWriter::open(&args.index, args.memory.saturating_mul(1 << 20))?;
    let fed = documents.feed(&mut writer)?;
    if fed.documents > 0 {
        let written = writer.commit()?;
        if written.replaced > 0 {
            say(&format!("{} replaced by another of the same id", counted(written.replaced, "document")));
        }
    }
    say(&format!("{} to index, {} left out for want of text", counted(fed.documents, "document"), fed.empty));
    Ok(match (fed.documents, fed.faults) {
        (_, false) => Exit::Clean,
        (0, true) => Exit::Fatal,
        (_, true) => Exit::SomeFailed,
    })
}

/// Ends of the names of files that hold documents, before those of compressions.
const OUTPUTS: [&str; 3] = [".jsonl", ".msgpack", ".parquet"];
const WET: &str = ".wet";

/// Inputs, sorted by their contents.
pub(super) struct Documents {
    outputs: Vec<PathBuf>,
    wets: Vec<PathBuf>,
    archives: Option<Archives>,
}

/// The result of feeding.
#[derive(Debug, Default)]
pub(super) struct FeedOutcome {
    /// Documents taken.
    pub(super) documents: u64,
    /// Documents left out, as they have neither title nor text.
    pub(super) empty: u64,
    /// True if a part of the inputs could not be read.
    pub(super) faults: bool,
}

impl FeedOutcome {
    fn give(&mut self, indexer: &mut IndexWriter, stored: &OutputRecord) -> Result<()> {
        if indexer.add(stored)? {
            self.documents += 1;
        } else {
            self.empty += 1;
        }
        Ok(())
    }

    fn fault(&mut self, message: &dyn std::fmt::Display) {
        tracing::error!("{message}");
        self.faults = true;
    }
}

impl Documents {
    /// Sorts the arguments: files that hold documents by their names, folders that hold such files, and
    /// archives.
    pub(super) fn new(arguments: &[String], settings: Settings) -> Result<Self> {
        let (mut outputs, mut wets, mut archives) = (Vec::new(), Vec::new(), Vec::new());
        for argument in arguments {
            let path = Path::new(argument);
            if !path.is_dir() {
                match path {
                    _ if is_named(path, &OUTPUTS) => outputs.push(path.to_owned()),
                    _ if is_named(path, &[WET]) => wets.push(path.to_owned()),
                    _ => archives.push(argument.clone()),
                }
                continue;
            }
            let before = (outputs.len(), wets.len(), archives.len());
            let mut others = BTreeMap::new();
            for file in files(path).with_context(|| argument.clone())? {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                if is_named(&file, &OUTPUTS) {
                    outputs.push(file);
                } else if is_named(&file, &[WET]) {
                    wets.push(file);
                } else if name::is_archive(&name) || name::is_wacz(&name) {
                    archives.push(file.to_string_lossy().into_owned());
                } else if !name.starts_with('_') {
                    *others.entry(name::ending(&name).to_owned()).or_insert(0) += 1;
                }
            }
            let found = (outputs.len() - before.0, wets.len() - before.1, archives.len() - before.2);
            if found == (0, 0, 0) {
                // As for a run, which says that there is nothing.
                archives.push(argument.clone());
                continue;
            }
            tracing::info!(
                "{argument}: outputs: {}, WET files: {}, archives: {}{}",
                found.0,
                found.1,
                found.2,
                passed_over(&others)
            );
        }
        let archives = match archives.is_empty() {
            true => None,
            false => Some(Archives::new(expand(&archives, None, &NetworkOptions::default())?, settings)?),
        };
        Ok(Self { outputs, wets, archives })
    }

    /// Passes all documents to `indexer`. Unreadable ones are logged and skipped.
    pub(super) fn feed(&self, indexer: &mut IndexWriter) -> Result<FeedOutcome> {
        let mut feed = FeedOutcome::default();
        for path in &self.outputs {
            match RecordReader::open(path) {
                Ok(reader) => from_reader(reader, path, indexer, &mut feed)?,
                Err(error) => feed.fault(&format!("{}: {error}", path.display())),
            }
        }
        for path in &self.wets {
            from_wet(path, indexer, &mut feed)?;
        }
        if let Some(archives) = &self.archives {
            let summary = archives.documents(|stored| feed.give(indexer, &stored))?;
            feed.faults |= summary.outcome() != Outcome::Clean;
            if summary.outcome() != Outcome::Nothing {
                say(&summary.to_string());
            }
        }
        Ok(feed)
    }
}

fn passed_over(others: &BTreeMap<String, usize>) -> String {
    let others = others.iter();
    let words: Vec<String> = others.map(|(kind, count)| format!("{count} {}", kind.escape_debug())).collect();
    if words.is_empty() { String::new() } else { format!("; passed over: {}", words.join(", ")) }
}

fn from_reader(
    reader: impl Iterator<Item = Result<OutputRecord, ReadError>>,
    path: &Path,
    indexer: &mut IndexWriter,
    feed: &mut FeedOutcome,
) -> Result<()> {
    for stored in reader {
        match stored {
            Ok(stored) => feed.give(indexer, &stored)?,
            Err(error) => feed.fault(&format!("{}: {error}", path.display())),
        }
    }
    Ok(())
}

/// Documents of a WET file: the first line of each is its title. Their places are in the WET file.
fn from_wet(path: &Path, indexer: &mut IndexWriter, feed: &mut FeedOutcome) -> Result<()> {
    let reader = match Reader::open(path, ReadOptions::default()) {
        Ok(reader) => reader,
        Err(error) => {
            feed.fault(&error);
            return Ok(());
        }
    };
    for record in reader {
        match record {
            Ok(record) if record.kind == RecordType::Conversion => feed.give(indexer, &of_conversion(&record))?,
            Ok(_) => {}
            Err(error) => feed.fault(&error),
        }
    }
    Ok(())
}

/// The document in a record of a WET file.
fn of_conversion(record: &Record) -> OutputRecord {
    let block = String::from_utf8_lossy(&record.block);
    let (title, text) = block.split_once('\n').unwrap_or((&block, ""));
    OutputRecord {
        id: record.refers_to().or(record.id()).unwrap_or_default().to_owned(),
        url: record.url().map(str::to_owned),
        date: record.date().map(str::to_owned),
        title: Some(title.to_owned()),
        text: text.to_owned(),
        source: Some(RecordSource::from(&record.place)),
        ..OutputRecord::default()
    }
}

/// The files below a folder, sorted.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && !entry.file_name().to_string_lossy().starts_with('.') {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns whether the name ends with one of `endings`, perhaps with that of a compression after it.
fn is_named(path: &Path, endings: &[&str]) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    endings.iter().any(|ending| name.ends_with(ending)) && !name.ends_with(".anserini.jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_known_by_their_names() {
        for (name, expected) in [
            ("a/b.jsonl", true),
            ("b.JSONL.gz", true),
            ("b.msgpack.zst", true),
            ("b.parquet", true),
            ("b.anserini.jsonl.gz", false),
            ("b.warc.gz", false),
            ("b.warc.wet.gz", false),
        ] {
            assert_eq!(is_named(Path::new(name), &OUTPUTS), expected, "{name}");
        }
        assert!(is_named(Path::new("b.warc.wet.gz"), &[WET]));
    }
}
