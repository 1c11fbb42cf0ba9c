//! `trommel index`: writes documents to a search index, from archives or from outputs of runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use trommel::archive::{ArchiveError, ReadOptions, Reader, Record, RecordType, file_name};
use trommel::record::{ReadError, RecordReader, source};
use trommel::run::{NetworkOptions, Outcome, expand};
use trommel::{Document, MetadataChoice, index::IndexWriter};

use crate::messages::{counted, say};
use crate::settings::{DocumentCommands, SettingsArgs};
use crate::{exit::Exit, files, files::Archives};

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

/// Runs `trommel index`. Returns exit code 0 on success, and 1 if an input could not be read and the rest is indexed.
/// Returns 2 if nothing could be read; an existing index is then unchanged.
pub fn run(args: &IndexArgs) -> Result<Exit> {
    let mut settings = args.settings.settings()?;
    // Searches are limited by language and date, with any model.
    if settings.include.metadata == MetadataChoice::Auto {
        settings.include.metadata = MetadataChoice::All;
    }
    let (outputs, wets, archives) = sorted(&args.inputs)?;
    let archives = match archives.is_empty() {
        true => None,
        false => Some(Archives::new(expand(&archives, None, &NetworkOptions::default())?, settings)?),
    };
    let mut writer = IndexWriter::open(&args.index, args.memory.saturating_mul(1 << 20))?;
    let fed = fed(&outputs, &wets, archives.as_ref(), &mut writer)?;
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

/// Extensions of files that hold documents; an extension of a compression may follow.
const OUTPUTS: [&str; 3] = [".jsonl", ".msgpack", ".parquet"];
const WET: &str = ".wet";

/// Counts of the documents passed to the search index.
#[derive(Debug, Default)]
struct FeedOutcome {
    /// Number of documents added to the search index.
    documents: u64,
    /// Number of documents left out because they have neither title nor text.
    empty: u64,
    /// True if a part of the inputs could not be read.
    faults: bool,
}

impl FeedOutcome {
    /// Adds documents to the search index, and counts them. Unreadable documents are logged and skipped.
    fn give(
        &mut self,
        indexer: &mut IndexWriter,
        documents: impl IntoIterator<Item = Result<Document, String>>,
    ) -> Result<()> {
        for document in documents {
            match document {
                Ok(document) if indexer.add(&document)? => self.documents += 1,
                Ok(_) => self.empty += 1,
                Err(message) => {
                    tracing::error!("{message}");
                    self.faults = true;
                }
            }
        }
        Ok(())
    }
}

/// Sorts arguments, and the files in folders among them, by name into outputs of runs, WET files and archives.
fn sorted(arguments: &[String]) -> Result<(Vec<PathBuf>, Vec<PathBuf>, Vec<String>)> {
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
        for file in files::below(path).with_context(|| argument.clone())? {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            match &file {
                _ if name.starts_with('.') => {}
                file if is_named(file, &OUTPUTS) => outputs.push(file.clone()),
                file if is_named(file, &[WET]) => wets.push(file.clone()),
                file if file_name::is_archive(&name) || file_name::is_wacz(&name) => {
                    archives.push(file.to_string_lossy().into_owned());
                }
                _ if name.starts_with('_') => {}
                _ => *others.entry(file_name::ending(&name).to_owned()).or_insert(0) += 1,
            }
        }
        let found = (outputs.len() - before.0, wets.len() - before.1, archives.len() - before.2);
        if found == (0, 0, 0) {
            // As for a run, which says that there is nothing.
            archives.push(argument.clone());
            continue;
        }
        let ((out, wet, archived), others) = (found, passed_over(&others));
        tracing::info!("{argument}: outputs: {out}, WET files: {wet}, archives: {archived}{others}");
    }
    Ok((outputs, wets, archives))
}

/// Adds the documents of all inputs to the search index, and returns their counts. Logs and skips unreadable documents.
fn fed(
    outputs: &[PathBuf],
    wets: &[PathBuf],
    archives: Option<&Archives>,
    indexer: &mut IndexWriter,
) -> Result<FeedOutcome> {
    let mut feed = FeedOutcome::default();
    for path in outputs {
        let named = |error: ReadError| format!("{}: {error}", path.display());
        match RecordReader::open(path) {
            Ok(reader) => feed.give(indexer, reader.map(|stored| stored.map_err(named)))?,
            Err(error) => feed.give(indexer, [Err(named(error))])?,
        }
    }
    for path in wets {
        match Reader::open(path, ReadOptions::default()) {
            Ok(reader) => feed.give(indexer, reader.filter_map(of_wet))?,
            Err(error) => feed.give(indexer, [Err(error.to_string())])?,
        }
    }
    if let Some(archives) = archives {
        let summary = archives.documents(|stored| feed.give(indexer, [Ok(stored)]))?;
        feed.faults |= summary.outcome() != Outcome::Clean;
        if summary.outcome() != Outcome::Nothing {
            say(&summary.to_string());
        }
    }
    Ok(feed)
}

fn passed_over(others: &BTreeMap<String, usize>) -> String {
    let others = others.iter();
    let words: Vec<String> = others.map(|(kind, count)| format!("{count} {}", kind.escape_debug())).collect();
    if words.is_empty() { String::new() } else { format!("; passed over: {}", words.join(", ")) }
}

/// Returns the document in a conversion record of a WET file; `None` for records of other types.
fn of_wet(record: Result<Record, ArchiveError>) -> Option<Result<Document, String>> {
    match record {
        Ok(record) => (record.kind == RecordType::Conversion).then(|| Ok(of_conversion(&record))),
        Err(error) => Some(Err(error.to_string())),
    }
}

/// Converts a conversion record of a WET file to a document. The first line of the text becomes the title.
fn of_conversion(record: &Record) -> Document {
    let block = String::from_utf8_lossy(&record.block);
    let (title, text) = block.split_once('\n').unwrap_or((&block, ""));
    Document {
        id: record.refers_to().or(record.id()).unwrap_or_default().to_owned(),
        url: record.url().map(str::to_owned),
        date: record.date().map(str::to_owned),
        title: Some(title.to_owned()),
        text: text.to_owned(),
        source: Some(source(&record.place)),
        ..Document::default()
    }
}

/// Returns whether a file name ends with one of `endings` (`.gz` or `.zst` may follow), but not with `.anserini.jsonl`.
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
