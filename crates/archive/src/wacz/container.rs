//! Opens a WACZ file and reads its entries.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::{fmt, fs::File, path::Path, sync::Arc};

use flate2::read::DeflateDecoder;
use zip::result::ZipError;

use crate::wacz::directory::{self, Bytes, Entry, LOCAL, LOCAL_HEADER, Open, StorageMethod, Window};
use crate::{wacz::WaczError, wacz::page_lists::is_list};

/// Maximum number of bytes of a description, such as `datapackage.json`, that is read into memory.
const MAX_DESCRIPTION: u64 = 16 << 20;

/// WACZ file: a ZIP container with archives, indexes and page lists. Clones share its directory.
#[derive(Clone)]
pub struct Container {
    name: Arc<str>,
    open: Open,
    entries: Arc<[Entry]>,
}

impl fmt::Debug for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Container")
            .field("name", &self.name)
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}

impl Container {
    /// Opens a container whose bytes `open` returns; `name` is its name in messages.
    ///
    /// # Errors
    /// Fails if the bytes cannot be read, or are not a ZIP file with its directory.
    pub fn new(name: impl Into<Arc<str>>, open: Open) -> Result<Self, WaczError> {
        let name = name.into();
        let failed = |source| WaczError::Io { name: name.to_string(), source };
        let mut bytes = BufReader::with_capacity(512, open().map_err(failed)?);
        let entries = directory::read_entries(&mut bytes).map_err(|error| match error {
            // Not a matter of what is in it.
            ZipError::Io(error) if !is_of_content(&error) => failed(error),
            error => WaczError::NotZip { name: name.to_string(), what: one_line(&error) },
        })?;
        Ok(Self { name, open, entries: entries.into() })
    }

    /// Removes all entries except archives and page lists from the list of entries in memory.
    pub fn without_other_entries(mut self) -> Self {
        let entries = self.entries.iter();
        let kept = entries.filter(|entry| entry.is_archive() || is_list(&entry.name));
        self.entries = kept.cloned().collect();
        self
    }

    /// Opens the container in the file at `path`.
    ///
    /// # Errors
    /// Like [`Container::new`].
    pub fn open(path: &Path) -> Result<Self, WaczError> {
        let file = path.to_owned();
        let open = move || -> io::Result<Box<dyn Bytes>> { Ok(Box::new(File::open(&file)?)) };
        Self::new(path.to_string_lossy(), Arc::new(open))
    }

    /// Returns the name of the container for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns all entries of the container, in the order of its directory; names are unique.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the archives in the container, in the order of their names. An archive that cannot be read is an error
    /// item.
    ///
    /// # Errors
    /// Fails if the container has no archive.
    pub fn archives(&self) -> Result<Vec<Result<&Entry, WaczError>>, WaczError> {
        let mut archives: Vec<&Entry> = self.entries.iter().filter(|e| e.is_archive()).collect();
        archives.sort_by(|a, b| a.name.cmp(&b.name));
        if archives.is_empty() {
            return Err(WaczError::NoArchive { name: self.name.to_string() });
        }
        let checked = archives.into_iter().map(|entry| {
            self.readable(entry)?;
            Ok(entry)
        });
        Ok(checked.collect())
    }

    /// Returns the entry called `name`; `None` if there is no such entry.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Returns the entry called `name`, after checking that it can be read.
    ///
    /// # Errors
    /// Fails if there is no entry of this name, or if it cannot be read.
    pub fn readable_entry(&self, name: &str) -> Result<&Entry, WaczError> {
        let entry = self.entry(name).ok_or_else(|| self.of_name(name, &"is not in the container"))?;
        self.readable(entry)?;
        Ok(entry)
    }

    fn readable(&self, entry: &Entry) -> Result<(), WaczError> {
        let what = match entry.method {
            _ if !entry.is_below_root() => "its name leads out of the container".to_owned(),
            _ if entry.encrypted => "is encrypted".to_owned(),
            StorageMethod::Other(number) => format!("compression {number} of ZIP is not read"),
            StorageMethod::Stored | StorageMethod::Deflated => return Ok(()),
        };
        Err(self.of_name(&entry.name, &what))
    }

    /// Returns a reader of an entry's bytes as they are stored, without inflating them.
    ///
    /// # Errors
    /// Fails if the bytes cannot be read, or no entry begins where the directory says.
    pub fn stored(&self, entry: &Entry) -> io::Result<Window<Box<dyn Bytes>>> {
        let mut bytes = (self.open)()?;
        let start = data_start(&mut bytes, entry)?;
        Window::new(bytes, start, entry.stored)
    }

    /// Returns the byte offset in the container at which the data of an entry begins.
    ///
    /// # Errors
    /// Like [`Container::stored`].
    pub fn data_start(&self, entry: &Entry) -> io::Result<u64> {
        data_start(&mut (self.open)()?, entry)
    }

    /// Returns a reader of an entry's data, inflated if it is stored by deflate.
    ///
    /// # Errors
    /// Like [`Container::stored`]; while reading, also if the data is damaged.
    pub fn read(&self, entry: &Entry) -> Result<Box<dyn Read + Send>, WaczError> {
        self.readable(entry)?;
        let stored = self.stored(entry).map_err(|error| self.of_name(&entry.name, &error))?;
        Ok(match entry.method {
            StorageMethod::Deflated => Box::new(DeflateDecoder::new(stored)),
            _ => Box::new(stored),
        })
    }

    /// Reads all bytes of a description such as `datapackage.json`; `None` if the container has no entry of this name.
    ///
    /// # Errors
    /// Like [`Container::read`], and if the description has more than 16 MiB.
    pub(crate) fn description(&self, name: &str) -> Result<Option<Vec<u8>>, WaczError> {
        let Some(entry) = self.entry(name) else { return Ok(None) };
        let mut bytes = Vec::new();
        self.read(entry)?
            .take(MAX_DESCRIPTION + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| self.of_name(&entry.name, &error))?;
        if bytes.len() as u64 > MAX_DESCRIPTION {
            return Err(self.of_name(&entry.name, &"has more than 16 MiB"));
        }
        Ok(Some(bytes))
    }

    pub(crate) fn failed(&self, source: io::Error) -> WaczError {
        WaczError::Io { name: self.name.to_string(), source }
    }

    pub(crate) fn of_name(&self, entry: &str, error: &dyn fmt::Display) -> WaczError {
        WaczError::Entry { name: self.name.to_string(), entry: entry.to_owned(), what: error.to_string() }
    }

    pub(crate) fn json(&self, entry: &str, source: serde_json::Error) -> WaczError {
        WaczError::Json { name: self.name.to_string(), entry: entry.to_owned(), source }
    }
}

fn data_start(bytes: &mut (impl Read + Seek), entry: &Entry) -> io::Result<u64> {
    bytes.seek(SeekFrom::Start(entry.header))?;
    let mut header = [0; LOCAL_HEADER as usize];
    bytes.read_exact(&mut header)?;
    if !header.starts_with(&LOCAL) {
        let what = "no entry where the directory of the container has one";
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    let number = |at: usize| {
        let bytes = [header.get(at), header.get(at + 1)].map(|b| b.copied().unwrap_or(0));
        u64::from(u16::from_le_bytes(bytes))
    };
    Ok(entry.header + LOCAL_HEADER + number(26) + number(28))
}

/// Returns whether a read error is caused by the contents of the container (such as an early end), not by the system.
fn is_of_content(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData)
}

/// Returns the message of an error in one line.
fn one_line(error: &ZipError) -> String {
    let text = error.to_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
