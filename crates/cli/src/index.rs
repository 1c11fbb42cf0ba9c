//! `trommel index`: writes documents to a search index.

mod documents;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use trommel::MetadataChoice;
use trommel::index::IndexWriter;

use crate::exit::Exit;
use crate::messages::{counted, say};
use crate::settings::{DocumentCommands, SettingsArgs};
use documents::Documents;

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
