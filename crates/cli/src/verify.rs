//! `trommel verify`: checks that the spans and chunks of an output match the bytes of the archives.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use trommel::archive::{PayloadOptions, payload};
use trommel::record::{Document, RecordReader, readable_name};
use trommel::{Hints, charset, page_hints, run::record_at, stands_at};

use crate::exit::Exit;

/// Maximum number of failures of each kind that are printed; all are counted.
const MAX_SHOWN_FAILURES: u64 = 20;

/// Prove that the spans and chunks of an output stand at their places in the archive
#[derive(Debug, Args)]
#[command(
    after_help = "Each span and chunk is compared with the bytes of the decoded page at its place, by letters and \
digits. The exit code is 1 if a place is wrong or a page cannot be read again."
)]
pub struct VerifyArgs {
    /// Output of `run --spans` or `run --chunks`, or a folder of such outputs
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Archives that the output was made from
    #[arg(long, value_name = "ARCHIVE", required = true, num_args = 1..)]
    against: Vec<PathBuf>,
}

/// Counts of documents, spans and chunks compared with the archive, of those that differ, and of unreadable pages.
#[derive(Debug, Default)]
struct Counts {
    documents: u64,
    spans: u64,
    chunks: u64,
    wrong: u64,
    unread: u64,
}

pub fn run(args: &VerifyArgs) -> Result<Exit> {
    // All of them must be there before the first document is compared.
    for path in &args.against {
        fs::File::open(path).with_context(|| path.display().to_string())?;
    }
    let mut counts = Counts::default();
    for path in outputs(&args.output)? {
        let mut reader = RecordReader::open(&path).with_context(|| path.display().to_string())?;
        while let Some(document) = reader.next().transpose().with_context(|| path.display().to_string())? {
            if !document.spans.is_empty() || !document.chunks.is_empty() {
                verify(&document, &args.against, &mut counts);
            }
        }
    }
    let Counts { documents, spans, chunks, wrong, unread } = counts;
    if spans + chunks + unread == 0 {
        bail!("{}: no document has spans or chunks", args.output.display());
    }
    crate::out(&format!(
        "{documents} documents, {spans} spans, {chunks} chunks: {wrong} places wrong, {unread} pages not found\n"
    ))?;
    Ok(if wrong + unread == 0 { Exit::Clean } else { Exit::SomeFailed })
}

/// Returns the archive that a document calls `name`. Because archives move, the only archive with the same file name
/// also matches.
fn named<'a>(archives: &'a [PathBuf], name: &str) -> Result<&'a Path> {
    if let Some(path) = archives.iter().find(|path| *path == Path::new(name)) {
        return Ok(path);
    }
    if name.contains(".wacz!") {
        bail!("{name}: pages of a WACZ file cannot be read again; name the archive in it");
    }
    let wanted = file_name(Path::new(name));
    let mut found = archives.iter().filter(|path| file_name(path) == wanted);
    match (found.next(), found.next()) {
        (Some(path), None) => Ok(path),
        (Some(_), Some(_)) => bail!("{name}: several archives of this file name, and none of the whole name"),
        (None, _) => bail!("{name}: not among the archives"),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the readable outputs in a folder, sorted; for a file, returns its path.
fn outputs(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path).with_context(|| path.display().to_string())? {
        let entry = entry?.path();
        if !file_name(&entry).starts_with(['_', '.']) && readable_name(&entry).is_some() {
            found.push(entry);
        }
    }
    found.sort();
    Ok(found)
}

fn verify(document: &Document, archives: &[PathBuf], counts: &mut Counts) {
    let page = match decoded(document, archives) {
        Ok(page) => page,
        Err(error) => {
            counts.unread += 1;
            if counts.unread <= MAX_SHOWN_FAILURES {
                tracing::warn!("{}: its page cannot be read again: {error:#}", document.id);
            }
            return;
        }
    };
    counts.documents += 1;
    // None: a part that the text does not have.
    let mut check = |part: Option<&str>, byte: u32, bytes: u32, what: &str| {
        let place = byte as usize..byte as usize + bytes as usize;
        if part.is_some_and(|part| stands_at(part, &page, place)) {
            return;
        }
        counts.wrong += 1;
        if counts.wrong <= MAX_SHOWN_FAILURES {
            let start: String = part.unwrap_or("outside of the text").chars().take(80).collect();
            tracing::warn!("{}: {what} at byte {byte} does not stand there: {start:?}", document.id);
        }
    };
    let mut chars = document.text.char_indices().map(|(at, _)| at).chain([document.text.len()]).enumerate();
    let mut offset = |wanted: u32| chars.by_ref().find(|(nth, _)| *nth >= wanted as usize).map(|(_, at)| at);
    let mut ends = (0, 0);
    for span in &document.spans {
        let from = if span.start == ends.0 { Some(ends.1) } else { offset(span.start) };
        let end = span.start.saturating_add(span.chars);
        let to = if span.chars == 0 { from } else { offset(end) };
        let part = from.zip(to).and_then(|(from, to)| document.text.get(from..to));
        check(part, span.byte, span.bytes, "a span");
        ends = (end, to.unwrap_or(document.text.len()));
        counts.spans += 1;
    }
    for chunk in &document.chunks {
        let text = without_title(&chunk.text, document.title.as_deref().unwrap_or_default());
        check(Some(text), chunk.byte, chunk.bytes, "a chunk");
        counts.chunks += 1;
    }
}

/// Returns the text of a chunk without the title that Markdown adds above it, which the page does not have at that
/// place.
fn without_title<'a>(text: &'a str, title: &str) -> &'a str {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    if line.starts_with("# ") && letters(line) == letters(title) { rest } else { text }
}

/// Reads the page of a document again from its archive, and decodes it.
fn decoded(document: &Document, archives: &[PathBuf]) -> Result<String> {
    let source = document.source.as_ref().ok_or_else(|| anyhow!("the document has no source"))?;
    let found = record_at(named(archives, &source.file)?, source.offset, source.inner)?;
    let (record, crawl_charset) = found.ok_or_else(|| anyhow!("no record at offset {}", source.offset))?;
    let page = payload(&record, &PayloadOptions::default())?;
    let hints = Hints { crawl_charset: crawl_charset.as_deref(), ..page_hints(&record, &page) };
    Ok(charset::decode(&page.body, &hints.charset()).text.into_owned())
}
