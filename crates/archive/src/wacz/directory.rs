//! Reads the directory at the end of a WACZ file, and parts of the file as seekable windows.

use std::io::{Read, Seek, SeekFrom};
use std::{collections::HashSet, io, sync::Arc};

use zip::{CompressionMethod, read::Config, result::ZipError, unstable::read::ZipIterable};

use crate::file_name::is_archive;

/// Maximum number of entries in a WACZ container; a container with more is not read.
pub(crate) const MAX_ENTRIES: usize = 1 << 20;
/// Maximum total length in bytes of the names of all entries of a WACZ container; a container with more is not read.
pub(crate) const MAX_NAMES: usize = 64 << 20;

/// Reads the directory of a ZIP file; returns its entries in order, after checking names and overlaps.
pub(crate) fn read_entries(bytes: &mut (impl Read + Seek)) -> Result<Vec<Entry>, ZipError> {
    let mut directory = ZipIterable::try_new(bytes, Config::default())?;
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
            return Err(ZipError::InvalidArchive("more entries or names than are read".into()));
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
    check(&entries)?;
    Ok(entries)
}

/// Checks that no two entries have the same name or overlap, so that their total length is at most the container's.
fn check(entries: &[Entry]) -> Result<(), ZipError> {
    let mut names = HashSet::with_capacity(entries.len());
    let mut order: Vec<&Entry> = entries.iter().collect();
    order.sort_by_key(|entry| entry.header);
    let ends_behind = |pair: &&[&Entry]| matches!(pair, [entry, next] if entry.header.saturating_add(LOCAL_HEADER).saturating_add(entry.stored) > next.header);
    let fault = match (entries.iter().find(|entry| !names.insert(&entry.name)), order.windows(2).find(ends_behind)) {
        (Some(again), _) => format!("{}: two entries of that name", again.name.escape_debug()),
        (None, Some([entry, ..])) => format!("{}: the next entry begins in it", entry.name.escape_debug()),
        _ => return Ok(()),
    };
    Err(ZipError::InvalidArchive(fault.into()))
}

/// Length in bytes of the fixed part of an entry's local ZIP header, before the name.
pub(crate) const LOCAL_HEADER: u64 = 30;
/// First bytes of an entry's local ZIP header.
pub(crate) const LOCAL: [u8; 4] = *b"PK\x03\x04";

/// Method by which an entry is stored in a ZIP file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageMethod {
    /// The entry is stored without compression.
    Stored,
    /// The entry is compressed by deflate.
    Deflated,
    /// The entry has another compression, with this number in ZIP, which is not supported.
    Other(u16),
}

/// Entry of a WACZ container: a file in the ZIP file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path of the file in the ZIP file, as the directory states it.
    pub name: String,
    /// Method by which the entry is stored.
    pub method: StorageMethod,
    /// True if the entry is encrypted, so that it cannot be read.
    pub encrypted: bool,
    /// Number of bytes that the entry's (possibly compressed) data takes in the container.
    pub stored: u64,
    /// Byte offset in the container of the entry's local header.
    pub header: u64,
}

impl Entry {
    /// Returns whether the entry's name stays below the container's root, without `..` or an absolute path.
    pub fn is_below_root(&self) -> bool {
        let is_drive = self.name.as_bytes().get(1) == Some(&b':');
        !self.name.starts_with(['/', '\\']) && !is_drive && self.name.split(['/', '\\']).all(|part| part != "..")
    }

    /// Returns whether the entry's name suggests captures that are not read. Such an entry is an archive outside of
    /// `archive/`, or a file in that folder that is not an archive.
    pub fn is_passed_over(&self) -> bool {
        let is_file = !self.name.ends_with('/');
        is_file && !self.is_archive() && (self.name.starts_with("archive/") || is_archive(&self.name))
    }

    /// Returns whether the entry is an archive to read: its name is in `archive/` and ends like that of an archive.
    pub(crate) fn is_archive(&self) -> bool {
        self.name.starts_with("archive/") && is_archive(&self.name)
    }
}

/// Reader of bytes at any offset, such as a file.
pub trait Bytes: Read + Seek + Send {}

impl<T: Read + Seek + Send> Bytes for T {}

/// Function that opens the bytes of a container from their start, such as a file or a remote object.
pub type Open = Arc<dyn Fn() -> io::Result<Box<dyn Bytes>> + Send + Sync>;

/// Reader of a part of an input; offsets count from the start of the part.
#[derive(Debug)]
pub struct Window<R> {
    input: R,
    start: u64,
    length: u64,
    at: u64,
}

impl<R: Read + Seek> Window<R> {
    /// Creates a reader of the `length` bytes of `input` from `start` on, or of fewer if the input ends earlier.
    ///
    /// # Errors
    /// Fails if the input cannot seek.
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
