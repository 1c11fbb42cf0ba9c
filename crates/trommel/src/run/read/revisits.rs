//! Resolves revisits to the captures that they refer to, and reads a single record at its place.
//!
//! The metadata record of a crawl about a response comes before it.

use std::io::{self, Read, Seek as _, SeekFrom};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{collections::HashMap, fs::File, path::Path, sync::Arc};

use trommel_archive::{ArchiveError, Note, ReadOptions, Reader, Record, RecordType};
use trommel_sources::{ArchiveBytes, OpenBytes, Remote, StopFlag};
use trommel_text::{hash, mix};

use crate::run::inputs::listing::{is_page, page_item};
use crate::run::{inputs::Input, plan::recipe_and_lanes::Prepared};

/// Maximum number of keys (id, digest, URL) of captures that are remembered in about 150 MB; others are not found.
const MAX_CAPTURES: usize = 4_000_000;
/// Maximum bytes of content that all revisits of one capture may get in total; beyond it they stay without content.
const MAX_GIVEN: u64 = 256 << 20;
/// Number of bytes at the start of a response in which its media type is looked for.
// The type of a response is among its first headers; decoding each payload would double the first pass.
const HEAD_BYTES: usize = 4096;

/// Captures of a run to which revisits may refer, by digest, by id, and by URL with time. All inputs are read before
/// the run to collect them, so that a revisit may come before its capture.
#[derive(Debug, Default)]
pub(crate) struct Revisits {
    /// Place of each capture by its key: index of the input, and byte offset in the stored archive.
    places: HashMap<u64, (u32, u64)>,
    /// Number of revisits that refer to a capture, by the key of the capture.
    asked: HashMap<u64, u32>,
    full: bool,
    /// True if a warning that a capture has too many revisits was already logged, so that it is not repeated.
    is_told: AtomicBool,
}

impl Revisits {
    /// Reads all inputs of `plan`, and collects their captures. Inputs that cannot be read are reported later, when the
    /// run reads them.
    pub(crate) fn of(plan: &Prepared<'_>, stop: &StopFlag) -> Self {
        let mut revisits = Self::default();
        for (index, input) in (0_u32..).zip(&plan.run.inputs) {
            let Some(bytes) = at(input, 0, plan.remote) else { continue };
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

    /// Returns a revisit with the content of the capture that it refers to. None if the capture is not known or cannot
    /// be read. The revisit keeps its own place, id, URL and date.
    pub(crate) fn resolved(&self, plan: &Prepared<'_>, revisit: &Record) -> Option<Record> {
        let mut known = keys_of_revisit(revisit).filter_map(|key| Some((key, *self.places.get(&key)?)));
        let (key, (index, offset)) = known.next()?;
        let input = plan.run.inputs.get(usize::try_from(index).ok()?)?;
        let bytes = at(input, offset, plan.remote)?;
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

/// Returns the keys of the capture that a revisit refers to, in the order to try: by id, by URL and date, by digest.
fn keys_of_revisit(revisit: &Record) -> impl Iterator<Item = u64> {
    let field = |name: &str| revisit.headers.get(name).map(|value| value.trim_matches(['<', '>', ' ']));
    let named = capture(field("WARC-Refers-To-Target-URI"), field("WARC-Refers-To-Date"));
    [id(revisit.refers_to()), named, digest(revisit)].into_iter().flatten()
}

/// Opens the stored bytes of an archive from `offset` on; none if that is impossible, or possible only once.
fn at(input: &Input, offset: u64, remote: &Remote) -> Option<OpenBytes> {
    let bytes = input.bytes().ok()??;
    if matches!(bytes, ArchiveBytes::Deflated(..)) {
        return None;
    }
    let mut opened = bytes.open(remote).ok()?;
    opened.seek(SeekFrom::Start(offset)).ok()?;
    Some(opened)
}

/// Returns a hash of `text`: a digest (`kind` 1), an id (2), or a URL with its date (3); none for an empty text.
fn key(kind: u64, text: &str) -> Option<u64> {
    (!text.is_empty()).then(|| mix(hash(text.as_bytes()) ^ kind))
}

/// Returns the key of a record's payload digest, independent of case and prefix; none for the digest of no content.
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

/// Record, with the encoding that the crawl's metadata record after it states.
type FoundRecord = (Record, Option<String>);

/// Reads the record at the byte offset `offset` of a stored archive; none if no record begins there. `inner` is the
/// record's offset in the decompressed member, for members with several records. The result includes the encoding that
/// the crawl's metadata record after it states.
///
/// # Errors
/// Fails if the archive cannot be read.
pub fn record_at(archive: &Path, offset: u64, inner: u64) -> Result<Option<FoundRecord>, ArchiveError> {
    if archive.file_name().is_some_and(|name| is_page(&name.to_string_lossy())) {
        let record = page_item(archive, ReadOptions::default().max_record)?;
        return Ok(Some((record, None)).filter(|_| offset == 0));
    }
    let open = |from| {
        let mut file = File::open(archive)?;
        file.seek(SeekFrom::Start(from))?;
        Ok(file)
    };
    record_in(&archive.to_string_lossy(), open, offset, inner)
}

/// Reads the record at byte `offset` of the archive `name`, and there at byte `inner` of a decompressed member of
/// several. `open` returns the archive's stored bytes from an offset on. None if no record begins there.
///
/// # Errors
/// Fails if the archive cannot be read.
pub fn record_in<R: Read + Send + 'static>(
    name: &str,
    open: impl Fn(u64) -> io::Result<R>,
    offset: u64,
    inner: u64,
) -> Result<Option<FoundRecord>, ArchiveError> {
    let name: Arc<str> = name.into();
    let from = |from| {
        let stored = open(from).map_err(|source| ArchiveError::Io { file: name.clone(), offset: from, source })?;
        Ok(Reader::new(name.clone(), stored, ReadOptions::default()))
    };
    // From the place itself first, which is a seek; from the start only where that fails.
    match from(offset)?.map(|reader| find_record(reader, 0, inner)) {
        Ok(Some(found)) => Ok(Some(found)),
        // Members of some zstd archives need the dictionary at the file's start.
        _ => Ok(find_record(from(0)??, offset, inner)),
    }
}

/// Finds the record at byte `offset` of a stored archive and, in a member of several, at decompressed byte `inner`.
fn find_record(mut reader: Reader, offset: u64, inner: u64) -> Option<FoundRecord> {
    let is_here = |record: &Record| record.place.offset == offset && record.place.inner == inner;
    let record = reader
        .by_ref()
        .take_while(|item| match item {
            Ok(record) => record.place.offset <= offset,
            Err(error) => !error.is_fatal(),
        })
        .filter_map(Result::ok)
        .find(is_here)?;
    let next = reader.next().and_then(Result::ok);
    let charset = next.and_then(|next| crawl_charset(&record, &next));
    Some((record, charset))
}

/// Returns the encoding that the crawler detected for `response`, if the record after it, `next`, is a metadata record
/// about the response.
pub fn crawl_charset(response: &Record, next: &Record) -> Option<String> {
    if next.kind != RecordType::Metadata || !is_about(response, next) {
        return None;
    }
    let charset = field(&next.block, "charset-detected")?;
    (!charset.is_empty()).then(|| charset.to_owned())
}

fn is_about(response: &Record, next: &Record) -> bool {
    match (next.concurrent_to(), response.id()) {
        // The id says it for sure. Some crawlers write none, but the same address right behind.
        (Some(concurrent), Some(id)) if concurrent == id => true,
        _ => response.url().is_some() && response.url() == next.url(),
    }
}

/// Returns the value of a field in an `application/warc-fields` block; none if the field is absent.
fn field<'a>(block: &'a [u8], name: &str) -> Option<&'a str> {
    block.split(|&byte| byte == b'\n').find_map(|line| {
        let (key, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_name() {
        let block = b"fetchTimeMs: 258\r\n\xff: x\r\nCharset-Detected:  windows-1251 \r\n\r\n";
        assert_eq!(field(block, "charset-detected"), Some("windows-1251"));
        assert_eq!(field(block, "fetchTimeMs"), Some("258"));
        assert_eq!(field(block, "languages-cld2"), None);
    }
}
