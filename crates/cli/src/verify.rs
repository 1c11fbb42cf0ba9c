//! `trommel verify`

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use clap::Args;
use trommel::{
    Hints,
    archive::{PayloadOptions, payload},
    html::{charset, stands_at},
    output::{OutputRecord, RecordReader, readable_name},
};
use trommel_pipeline::record_at;

use crate::exit::Exit;

/// Failures that are shown; all are counted.
const SHOWN: u64 = 20;

/// Prove that the spans and chunks of an output stand at their places in the archive
#[derive(Debug, Args)]
#[command(
    after_help = "Each span and chunk is compared with the bytes of the decoded page at its place, by letters and \
digits. The exit code is 1 if a place is wrong."
)]
pub struct VerifyArgs {
    /// Output of `run --spans` or `run --chunks`, or a folder of such outputs
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Archives that the output was made from
    #[arg(long, value_name = "ARCHIVE", required = true, num_args = 1..)]
    against: Vec<PathBuf>,
}

/// What was compared.
#[derive(Debug, Default)]
struct Counts {
    documents: u64,
    spans: u64,
    chunks: u64,
    wrong: u64,
    unread: u64,
}

pub fn run(args: &VerifyArgs) -> anyhow::Result<Exit> {
    let mut archives: HashMap<String, &Path> = HashMap::new();
    for path in &args.against {
        archives.insert(file_name(path), path);
    }
    let mut counts = Counts::default();
    for path in outputs(&args.output)? {
        let mut reader = RecordReader::open(&path).with_context(|| path.display().to_string())?;
        while let Some(document) = reader.next().transpose().with_context(|| path.display().to_string())? {
            if !document.spans.is_empty() || !document.chunks.is_empty() {
                verify(&document, &archives, &mut counts);
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

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The outputs in a folder that can be read back, or the one that is named.
fn outputs(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path).with_context(|| path.display().to_string())? {
        let entry = entry?.path();
        let name = file_name(&entry);
        if !name.starts_with(['_', '.']) && readable_name(&entry).is_some() {
            found.push(entry);
        }
    }
    found.sort();
    Ok(found)
}

fn verify(document: &OutputRecord, archives: &HashMap<String, &Path>, counts: &mut Counts) {
    let Some(page) = decoded(document, archives) else {
        counts.unread += 1;
        tracing::warn!("{}: no page at its place", document.id);
        return;
    };
    counts.documents += 1;
    let mut check = |part: &str, byte: u32, bytes: u32, what: &str| {
        let place = byte as usize..byte as usize + bytes as usize;
        if stands_at(part, &page, place) {
            return;
        }
        counts.wrong += 1;
        if counts.wrong <= SHOWN {
            let start: String = part.chars().take(80).collect();
            tracing::warn!("{}: {what} at byte {byte} does not stand there: {start:?}", document.id);
        }
    };
    let mut chars = document.text.char_indices().map(|(at, _)| at).chain([document.text.len()]).enumerate();
    let mut offset = |wanted: u32| chars.by_ref().find(|(nth, _)| *nth >= wanted as usize).map(|(_, at)| at);
    let mut ends = (0, 0);
    for span in &document.spans {
        let from = if span.start == ends.0 { Some(ends.1) } else { offset(span.start) };
        let to = if span.chars == 0 { from } else { offset(span.start + span.chars) };
        let part = from.zip(to).and_then(|(from, to)| document.text.get(from..to));
        check(part.unwrap_or("\u{fffd}?"), span.byte, span.bytes, "a span");
        ends = (span.start + span.chars, to.unwrap_or(document.text.len()));
        counts.spans += 1;
    }
    for chunk in &document.chunks {
        let text = without_title(&chunk.text, document.title.as_deref().unwrap_or_default());
        check(text, chunk.byte, chunk.bytes, "a chunk");
        counts.chunks += 1;
    }
}

/// The text of a chunk without the title that Markdown puts above a text that lacks it: the title has no place.
fn without_title<'a>(text: &'a str, title: &str) -> &'a str {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    if line.starts_with("# ") && letters(line) == letters(title) { rest } else { text }
}

/// The decoded page of a document, read again from its archive.
fn decoded(document: &OutputRecord, archives: &HashMap<String, &Path>) -> Option<String> {
    let source = document.source.as_ref()?;
    let path = archives.get(&file_name(Path::new(&*source.file)))?;
    let (record, crawl_charset) = record_at(path, source.offset, source.inner).ok()??;
    let page = payload(&record, &PayloadOptions::default()).ok()?;
    let hints = Hints {
        url: record.url(),
        http_charset: page.charset(),
        crawl_charset: crawl_charset.as_deref(),
        date: record.date(),
    };
    Some(charset::decode(&page.body, &hints.charset()).text.into_owned())
}
