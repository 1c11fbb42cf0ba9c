//! The directory at the end of a WACZ file, the entries to read from it, and windows on its bytes.

use std::io::{Read, Seek, SeekFrom};
use std::{collections::HashMap, io, sync::Arc};

use zip::{CompressionMethod, read::Config, result::ZipError, unstable::read::ZipIterable};

use crate::name::is_archive;

/// Maximum entries of one container.
pub(crate) const MAX_ENTRIES: usize = 1 << 20;
/// Maximum bytes of all their names.
pub(crate) const MAX_NAMES: usize = 64 << 20;

/// Entries of a container that are not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadEntries {
    /// The number of them, their names and the reason, in one line.
    pub what: String,
    /// Bytes that they take in the container, if known.
    pub stored: u64,
}

/// The entries in the order of the directory, and how many more there are.
pub(crate) fn read_entries(bytes: &mut (impl Read + Seek)) -> Result<(Vec<Entry>, usize), ZipError> {
    let mut directory = ZipIterable::try_new(bytes, Config::default())?;
    let count = directory.len();
    let mut entries = Vec::new();
    let mut names = 0;
    for entry in directory.files()? {
        let entry = entry?;
        let name = match entry.name() {
            Ok(name) => name.into_owned(),
            Err(_) => String::from_utf8_lossy(entry.name_raw()).into_owned(),
        };
        names += name.len();
        if entries.len() == MAX_ENTRIES || names > MAX_NAMES {
            break;
        }
        entries.push(Entry {
            name,
            method: match entry.compression() {
                CompressionMethod::Stored => StorageMethod::Stored,
                CompressionMethod::Deflated => StorageMethod::Deflated,
                #[expect(deprecated, reason = "there is no other way to its number")]
                other => StorageMethod::Other(other.to_u16()),
            },
            encrypted: entry.encrypted(),
            stored: entry.compressed_size(),
            header: entry.header_start(),
        });
    }
    let more = count.saturating_sub(entries.len());
    Ok((entries, more))
}

/// The entries with a name and bytes of their own, and reports about the others. Of several with one name
/// the last counts, as everywhere; of several with one place the first. An entry ends where the next
/// begins, so that all of them together have no more bytes than the container.
pub(crate) fn distinct(
    mut entries: Vec<Entry>,
    more: usize,
    bytes: &mut (impl Read + Seek),
) -> io::Result<(Vec<Entry>, Vec<UnreadEntries>)> {
    let mut unread = Vec::new();
    if more > 0 {
        unread.push(UnreadEntries {
            what: format!(
                "{more} entries are not read: the first {} are, or as many as have names of {} MiB",
                MAX_ENTRIES,
                MAX_NAMES >> 20
            ),
            stored: 0,
        });
    }
    let named_again = {
        let mut last: HashMap<&str, usize> = HashMap::with_capacity(entries.len());
        for (at, entry) in entries.iter().enumerate() {
            last.insert(&entry.name, at);
        }
        let is_last = |at: usize, entry: &Entry| last.get(entry.name.as_str()) == Some(&at);
        entries.iter().enumerate().map(|(at, entry)| !is_last(at, entry)).collect::<Vec<bool>>()
    };
    let what = "not read, as an entry of that name comes later";
    unread.extend(take_out(&mut entries, &named_again, what));

    let mut order: Vec<usize> = (0..entries.len()).collect();
    let header = |entries: &[Entry], at: usize| entries.get(at).map_or(u64::MAX, |e| e.header);
    order.sort_by_key(|&at| header(&entries, at));
    let mut placed_again = vec![false; entries.len()];
    let (mut cut, mut previous): (Vec<String>, Option<usize>) = (Vec::new(), None);
    let mut lost = 0;
    let mut place = None;
    for at in order {
        let begin = header(&entries, at);
        // Also where the first of them lies in the middle of another and has no header: `previous` is the other then.
        if place.replace(begin) == Some(begin) {
            if let Some(again) = placed_again.get_mut(at) {
                *again = true;
            }
            continue;
        }
        if let Some(entry) = previous.and_then(|previous| entries.get_mut(previous))
            && entry.header.saturating_add(LOCAL_HEADER).saturating_add(entry.stored) > begin
        {
            // A directory that is damaged may name a place in the middle of an entry.
            if !is_header(bytes, begin)? {
                continue;
            }
            let stored = begin.saturating_sub(entry.header + LOCAL_HEADER);
            lost += entry.stored - stored;
            entry.stored = stored;
            cut.push(entry.name.clone());
        }
        previous = Some(at);
    }
    let what = "not read, as another entry begins at the same place";
    unread.extend(take_out(&mut entries, &placed_again, what));
    if let Some(first) = cut.first() {
        let what = "read up to where the next entry begins, although longer by the directory";
        unread.push(UnreadEntries { what: told(first, cut.len(), what), stored: lost });
    }
    Ok((entries, unread))
}

/// Removes the marked entries, which are reported as one.
fn take_out(entries: &mut Vec<Entry>, marks: &[bool], what: &str) -> Option<UnreadEntries> {
    let (mut first, mut count, mut stored) = (None, 0, 0_u64);
    let mut marks = marks.iter();
    entries.retain(|entry| {
        let is_marked = marks.next() == Some(&true);
        // Folders have no bytes to lose.
        if is_marked && !entry.name.ends_with('/') {
            first.get_or_insert_with(|| entry.name.clone());
            count += 1;
            stored = stored.saturating_add(entry.stored);
        }
        !is_marked
    });
    let what = told(&first?, count, what);
    Some(UnreadEntries { what, stored })
}

fn told(first: &str, count: usize, what: &str) -> String {
    let first = first.escape_debug();
    match count {
        1 => format!("{first}: {what}"),
        _ => format!("{first} and {} more entries: {what}", count - 1),
    }
}

fn is_header(bytes: &mut (impl Read + Seek), at: u64) -> io::Result<bool> {
    bytes.seek(SeekFrom::Start(at))?;
    let mut head = Vec::new();
    bytes.take(LOCAL.len() as u64).read_to_end(&mut head)?;
    Ok(head == LOCAL)
}

/// Bytes of a header before the name.
pub(crate) const LOCAL_HEADER: u64 = 30;
/// The first bytes of a header.
pub(crate) const LOCAL: [u8; 4] = *b"PK\x03\x04";

/// The storage method of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageMethod {
    /// Stored without compression.
    Stored,
    /// Deflated.
    Deflated,
    /// Another compression, by its number, which is not supported.
    Other(u16),
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, unchanged.
    pub name: String,
    /// The storage method.
    pub method: StorageMethod,
    /// True if it is encrypted, and so not read.
    pub encrypted: bool,
    /// Bytes that it takes in the container.
    pub stored: u64,
    /// Offset of its header in the container.
    pub header: u64,
}

impl Entry {
    /// Returns whether its name stays below the container's root.
    pub fn is_below_root(&self) -> bool {
        let is_drive = self.name.as_bytes().get(1) == Some(&b':');
        !self.name.starts_with(['/', '\\']) && !is_drive && self.name.split(['/', '\\']).all(|part| part != "..")
    }

    /// Returns whether its name suggests captures that are not read: an archive outside of `archive/`, or a file in
    /// there that is no archive.
    pub fn is_passed_over(&self) -> bool {
        let is_file = !self.name.ends_with('/');
        is_file && !self.is_archive() && (self.name.starts_with("archive/") || is_archive(&self.name))
    }

    /// Returns whether it says to be an archive of the container.
    pub(crate) fn is_archive(&self) -> bool {
        self.name.starts_with("archive/") && is_archive(&self.name)
    }
}

/// Bytes that can be read at any offset.
pub trait Bytes: Read + Seek + Send {}

impl<T: Read + Seek + Send> Bytes for T {}

/// Opens the bytes of a container, each time from their start: a file, or an object behind a network.
pub type Open = Arc<dyn Fn() -> io::Result<Box<dyn Bytes>> + Send + Sync>;

/// A part of some bytes, with a start and an end of its own.
#[derive(Debug)]
pub struct Window<R> {
    input: R,
    start: u64,
    length: u64,
    at: u64,
}

impl<R: Read + Seek> Window<R> {
    /// The `length` bytes from `start` on, or fewer if the input ends before.
    ///
    /// # Errors
    /// If the input cannot be sought in.
    pub fn new(mut input: R, start: u64, length: u64) -> io::Result<Self> {
        input.seek(SeekFrom::Start(start))?;
        Ok(Self { input, start, length, at: 0 })
    }
}

impl<R: Read> Read for Window<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let room = buffer.len().min(left);
        let read = self.input.read(buffer.get_mut(..room).unwrap_or_default())?;
        self.at += read as u64;
        Ok(read)
    }
}

impl<R: Seek> Seek for Window<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        let at = at.ok_or(io::ErrorKind::InvalidInput)?;
        let place = self.start.checked_add(at).ok_or(io::ErrorKind::InvalidInput)?;
        self.input.seek(SeekFrom::Start(place))?;
        self.at = at;
        Ok(at)
    }
}
