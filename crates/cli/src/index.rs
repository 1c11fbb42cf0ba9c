//! `trommel index`: writes documents to a search index.

mod documents;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use trommel::{MetadataChoice, OutputRecord};
use trommel_pipeline::index::{Endpoint, IndexWriter, Refused};

use crate::exit::Exit;
use crate::messages::{counted, say};
use crate::settings::{DocumentCommands, SettingsArgs};
use documents::{Documents, FeedOutcome};

/// Build a search index from archives or from outputs of `run`
#[derive(Debug, Args)]
pub struct IndexArgs {
    /// Archives, as for `run`; or files or folders of JSON lines, MessagePack,
    /// Parquet or WET written by `run`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// Folder of the index, created if necessary. Existing documents with the same id are replaced
    #[arg(long, value_name = "DIR", required_unless_present = "url")]
    index: Option<PathBuf>,

    /// Send the documents to Elasticsearch or OpenSearch instead: http[s]://[USER:PASSWORD@]HOST/INDEX, created
    /// if necessary. Existing documents stay as they are
    #[arg(long, conflicts_with_all = ["index", "memory"])]
    url: Option<String>,

    /// Memory in MiB for documents that are not yet on disk
    #[arg(long, value_name = "MIB", default_value_t = trommel_pipeline::index::DEFAULT_MEMORY >> 20)]
    memory: usize,

    #[command(flatten)]
    settings: SettingsArgs<DocumentCommands>,
}

/// A receiver of documents.
trait Indexer: Send {
    /// Takes a document; false if it is left out.
    fn add(&mut self, record: &OutputRecord) -> Result<bool>;
}

impl Indexer for IndexWriter {
    fn add(&mut self, record: &OutputRecord) -> Result<bool> {
        Ok(IndexWriter::add(self, record)?)
    }
}

impl Indexer for Endpoint {
    fn add(&mut self, record: &OutputRecord) -> Result<bool> {
        Ok(Endpoint::add(self, record)?)
    }
}

/// Runs the command: 0 if all went well, 1 if something could not be read or was refused; the rest is
/// indexed. 2 if nothing could be read, and then an index in a folder is left as it was.
pub fn run(args: &IndexArgs) -> Result<Exit> {
    let mut settings = args.settings.settings()?;
    // Searches are limited by language and date, with any model.
    if settings.include.metadata == MetadataChoice::Auto {
        settings.include.metadata = MetadataChoice::All;
    }
    let documents = Documents::new(&args.inputs, settings)?;
    let (fed, refused) = match (&args.index, &args.url) {
        (Some(folder), _) => (into_folder(&documents, folder, args.memory)?, 0),
        (None, Some(url)) => into_endpoint(&documents, url)?,
        (None, None) => bail!("neither --index nor --url"),
    };
    say(&format!("{} to index, {} left out for want of text", counted(fed.documents, "document"), fed.empty));
    Ok(match (fed.documents, fed.faults || refused > 0) {
        (_, false) => Exit::Clean,
        (0, true) => Exit::Fatal,
        (_, true) => Exit::SomeFailed,
    })
}

fn into_folder(documents: &Documents, folder: &Path, memory: usize) -> Result<FeedOutcome> {
    let mut writer = IndexWriter::open(folder, memory.saturating_mul(1 << 20))?;
    let fed = documents.feed(&mut writer)?;
    if fed.documents > 0 {
        let written = writer.commit()?;
        if written.replaced > 0 {
            say(&format!("{} replaced by another of the same id", counted(written.replaced, "document")));
        }
    }
    Ok(fed)
}

/// The result of sending documents, with the number that the server refused.
fn into_endpoint(documents: &Documents, url: &str) -> Result<(FeedOutcome, u64)> {
    let mut endpoint = Endpoint::connect(url)?;
    let fed = documents.feed(&mut endpoint)?;
    let sent = endpoint.finish()?;
    for Refused { id, status, reason } in &sent.named {
        tracing::error!("{id}: status {status}: {reason}");
    }
    say(&format!("{} new in the index, {} there already, {} refused", sent.created, sent.existing, sent.refused));
    Ok((fed, sent.refused))
}
