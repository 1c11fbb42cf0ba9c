//! Finds the captures that revisits refer to: stored once, and visited again.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use trommel_archive::{Note, Reader, Record, RecordType};
use trommel_sources::{StopFlag, redacted};
use trommel_text::{hash, mix};

use crate::run::inputs::Input;
use crate::run::inputs::network::Network;
use crate::run::plan::prepared::ReadPlan;

/// Maximum number of captures that are remembered: some 150 MB.
const MAX_CAPTURES: usize = 4_000_000;
/// Bytes that all revisits of one capture may be given. A revisit is a few hundred bytes, and its capture many millions.
const MAX_GIVEN: u64 = 256 << 20;
/// Bytes of a response in which its type stands.
// The type of a response is among its first headers; decoding each payload would double the first pass.
const HEAD_BYTES: usize = 4096;

/// The places of the pages of a run by their digest, by their id, and by their URL with time, as revisits
/// name them. All inputs are read before the run to make it, so that a revisit may stand before the capture
/// that it equals.
#[derive(Debug, Default)]
pub(crate) struct Revisits {
    /// Index of the input and stored offset.
    places: HashMap<u64, (u32, u64)>,
    /// The number of revisits with a key.
    asked: HashMap<u64, u32>,
    full: bool,
    /// True after the warning that a capture has too many revisits.
    is_told: AtomicBool,
}

impl Revisits {
    /// Reads all inputs of `plan`. Those that cannot be read are named when they are read again.
    pub(crate) fn of(plan: ReadPlan<'_>, network: &Network, stop: &StopFlag) -> Self {
        let mut revisits = Self::default();
        for (index, input) in (0_u32..).zip(plan.inputs) {
            let Some(Ok(bytes)) = at(input, 0, network) else { continue };
            let Ok(reader) = Reader::new(input.name(), bytes, plan.options) else { continue };
            for record in reader {
                match record {
                    Ok(record) => revisits.add(index, &record),
                    Err(error) if error.is_fatal() => break,
                    Err(_) => {}
                }
                if stop.is_set() {
                    return revisits;
                }
            }
        }
        if revisits.full {
            tracing::warn!("revisits: only the first {MAX_CAPTURES} keys of captures are remembered");
        }
        tracing::info!("revisits: keys of captures that they may name: {}", revisits.places.len());
        revisits
    }

    fn add(&mut self, input: u32, record: &Record) {
        if record.kind == RecordType::Revisit {
            for key in keys_of_revisit(record) {
                if self.asked.len() < MAX_CAPTURES || self.asked.contains_key(&key) {
                    *self.asked.entry(key).or_default() += 1;
                }
            }
        }
        let head = record.block.get(..HEAD_BYTES).unwrap_or(&record.block);
        let may_be_page = head.windows(4).any(|word| word.eq_ignore_ascii_case(b"html"));
        // A record in the middle of a compressed member cannot be read by itself.
        if record.kind != RecordType::Response || record.place.inner > 0 || !may_be_page {
            return;
        }
        let keys = [digest(record), id(record.id()), capture(record.url(), record.date())];
        for key in keys.into_iter().flatten() {
            if self.places.len() >= MAX_CAPTURES {
                self.full = true;
                return;
            }
            // The first capture counts, whatever comes later: the same for every number of workers.
            self.places.entry(key).or_insert((input, record.place.offset));
        }
    }

    /// A revisit with the content of the capture that it is equal to; none if that is not known, or cannot
    /// be read. It keeps its own place, id, URL and date.
    pub(crate) fn resolved(&self, plan: ReadPlan<'_>, network: &Network, revisit: &Record) -> Option<Record> {
        let mut known = keys_of_revisit(revisit).filter_map(|key| Some((key, *self.places.get(&key)?)));
        let (key, (index, offset)) = known.next()?;
        let input = plan.inputs.get(usize::try_from(index).ok()?)?;
        let bytes = at(input, offset, network)?.ok()?;
        let mut original = Reader::new(input.name(), bytes, plan.options).ok()?.next()?.ok()?;
        // Reading began at the record, so its place counts from there.
        original.place.offset = original.place.offset.saturating_add(offset);
        if original.kind != RecordType::Response {
            return None;
        }
        let asked = self.asked.get(&key).copied().unwrap_or(u32::MAX);
        if (original.block.len() as u64).saturating_mul(asked.into()) > MAX_GIVEN {
            if !self.is_told.swap(true, Ordering::Relaxed) {
                let most = MAX_GIVEN >> 20;
                tracing::warn!("{}: its revisits stay without content, which had more than {most} MiB", original.place);
            }
            return None;
        }
        let mut record = revisit.clone();
        record.kind = RecordType::Response;
        record.block = original.block;
        record.notes.extend(original.notes);
        record.notes.push(Note::Resolved(original.place));
        Some(record)
    }
}

/// The keys of the capture that a revisit refers to. A capture that it names comes before one with the same digest.
fn keys_of_revisit(revisit: &Record) -> impl Iterator<Item = u64> {
    let field = |name: &str| revisit.headers.get(name).map(|value| value.trim_matches(['<', '>', ' ']));
    let named = capture(field("WARC-Refers-To-Target-URI"), field("WARC-Refers-To-Date"));
    [id(revisit.refers_to()), named, digest(revisit)].into_iter().flatten()
}

/// The stored bytes of an archive from `offset` on; none if it can be read only once, or only from its start.
fn at(input: &Input, offset: u64, network: &Network) -> Option<io::Result<Box<dyn Read + Send>>> {
    match input {
        Input::File(path) if path.is_file() => Some(file_at(path, offset)),
        Input::Packed(packed) => packed.at(offset),
        Input::Url(url) => {
            tracing::debug!("{}: read for revisits from {offset} on", redacted(url));
            Some(network.open_at(url, offset).map_err(io::Error::from))
        }
        Input::File(_) | Input::Selection(_) | Input::Pages(_) | Input::Stdin | Input::Nothing { .. } => None,
    }
}

fn file_at(path: &Path, offset: u64) -> io::Result<Box<dyn Read + Send>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    Ok(Box::new(file))
}

/// Keys of different kinds never meet but by chance.
fn key(kind: u64, text: &str) -> Option<u64> {
    (!text.is_empty()).then(|| mix(hash(text.as_bytes()) ^ kind))
}

/// Digests are written with and without their kind, and in either case.
fn digest(record: &Record) -> Option<u64> {
    let digest = record.headers.get("WARC-Payload-Digest")?;
    let digest = digest.rsplit(':').next().unwrap_or(digest).trim();
    // The digest of nothing is that of every capture without content.
    let is_of_nothing = digest.eq_ignore_ascii_case("3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    (!is_of_nothing).then(|| key(1, &digest.to_ascii_uppercase()))?
}

fn id(id: Option<&str>) -> Option<u64> {
    key(2, id?)
}

fn capture(url: Option<&str>, date: Option<&str>) -> Option<u64> {
    let (url, date) = (url?, date?);
    // A tenth of a second more or less is the same capture in one writing or the other.
    let date = date.get(..19).unwrap_or(date);
    key(3, &format!("{url} {date}"))
}
