//! Reads archives inside WACZ files.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::{fmt, fs::File};

use trommel_archive::wacz::{Container, Entry, PageList, StorageMethod, Window};
use trommel_archive::{ArchiveError, ReadOptions, Reader, ResumePoint, name::stem};
use trommel_sources::{Remote, redacted};

/// Options for WACZ files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedOptions {
    /// True to compare the contents with the hashes that the containers state.
    pub check_hashes: bool,
    /// True to take only the pages that the containers list.
    pub pages_only: bool,
}

/// An archive inside of a WACZ file.
#[derive(Clone, Debug)]
pub struct Packed {
    container: Arc<ReadContainer>,
    entry: Entry,
    /// True if it is the first archive of its container. The container's faults are reported with it.
    // Faults of a container count once, not once for each archive in it.
    is_first: bool,
}

/// A container, shared by the archives in it.
#[derive(Debug)]
pub(crate) struct ReadContainer {
    container: Container,
    place: ContainerPlace,
    options: PackedOptions,
    /// True if there is one archive in it, which then is called as it is.
    has_one: bool,
    /// The faults that were found before any archive was read.
    faults: Vec<ContainerFault>,
    /// Its lists, as long as one of its archives is read.
    // Weak: the lists of a container are freed when its last archive has been read.
    pages: Mutex<Weak<PageList>>,
}

/// Something wrong with a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContainerFault {
    pub(crate) what: String,
    /// Stored bytes that are not read for it.
    pub(crate) lost: u64,
}

impl From<String> for ContainerFault {
    fn from(what: String) -> Self {
        Self { what, lost: 0 }
    }
}

impl PartialEq for Packed {
    fn eq(&self, other: &Self) -> bool {
        self.entry.name == other.entry.name && self.container.container.name() == other.container.container.name()
    }
}

impl Eq for Packed {}

/// The place of a container.
#[derive(Clone)]
pub(crate) enum ContainerPlace {
    File(PathBuf),
    Remote(String, Arc<Remote>),
}

impl fmt::Debug for ContainerPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.fmt(f),
            Self::Remote(url, _) => redacted(url).fmt(f),
        }
    }
}

impl Packed {
    /// The archives at `entries` of a container; no others are read.
    pub(crate) fn of(container: &Arc<ReadContainer>, entries: Vec<Entry>) -> Vec<Self> {
        let entries = entries.into_iter().enumerate();
        let packed = entries.map(|(at, entry)| Self { container: container.clone(), entry, is_first: at == 0 });
        packed.collect()
    }

    /// The name of the container, `!`, and the name of the archive in it.
    pub fn name(&self) -> String {
        format!("{}!{}", self.container.container.name(), self.entry.name)
    }

    /// The name of its output: that of its container, with its own name if the container holds several
    /// archives.
    pub(crate) fn stem(&self) -> String {
        let of_container = match &self.container.place {
            ContainerPlace::File(path) => file_name(path),
            ContainerPlace::Remote(url, _) => url_name(url),
        };
        let of_container = stem(&of_container);
        match self.container.has_one {
            true => of_container.to_owned(),
            false => {
                let of_entry = stem(self.entry.name.rsplit('/').next().unwrap_or_default());
                format!("{of_container}-{of_entry}")
            }
        }
    }

    /// The file of the container, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.container.place {
            ContainerPlace::File(path) => Some(path),
            ContainerPlace::Remote(..) => None,
        }
    }

    /// Stored bytes of the archive, in the container.
    pub fn bytes(&self) -> u64 {
        self.entry.stored
    }

    /// The lists of its container, and the faults of the container if they were not reported yet. Lists are read once
    /// for all archives of a container that are read one after the other.
    pub(crate) fn pages(&self) -> (ContainerLists, Vec<ContainerFault>) {
        let mut faults = if self.is_first { self.container.faults.clone() } else { Vec::new() };
        let (pages, found) = self.container.pages();
        if self.is_first {
            faults.extend(found);
        }
        let pages_only = self.container.options.pages_only;
        (ContainerLists { pages, pages_only }, faults)
    }

    /// The archive, from `point` on. Only where it is stored as it is and in a file can that be sought for.
    pub(crate) fn open(&self, point: Option<&ResumePoint>, options: ReadOptions) -> Result<Reader, ArchiveError> {
        let start = ResumePoint::default();
        let name = self.name();
        // WACZ stores archives without further compression, so that they can be sought in.
        if let (ContainerPlace::File(path), StorageMethod::Stored) = (&self.container.place, self.entry.method) {
            let open = || self.stored(path);
            return Reader::reopen_with(name.as_str(), open, point.unwrap_or(&start), options);
        }
        let input =
            self.stream().map_err(|source| ArchiveError::Io { file: name.as_str().into(), offset: 0, source })?;
        match point {
            None => Reader::new(name.as_str(), input, options),
            // A stream cannot be sought in, so what was read before is read once more and passed over.
            Some(point) => Reader::resume(name.as_str(), input, point, options),
        }
    }

    /// The stored bytes of the archive from `offset` on; none where they cannot be sought in.
    pub(crate) fn at(&self, offset: u64) -> Option<io::Result<Box<dyn Read + Send>>> {
        if self.entry.method != StorageMethod::Stored {
            return None;
        }
        let open = || -> io::Result<Box<dyn Read + Send>> {
            let start = self.container.container.data_start(&self.entry)?.saturating_add(offset);
            let left = self.entry.stored.saturating_sub(offset);
            match &self.container.place {
                ContainerPlace::File(path) => {
                    let mut file = File::open(path)?;
                    io::Seek::seek(&mut file, io::SeekFrom::Start(start))?;
                    Ok(Box::new(file.take(left)))
                }
                ContainerPlace::Remote(url, remote) => Ok(Box::new(remote.open_at(url, start)?.take(left))),
            }
        };
        Some(open())
    }

    /// The stored bytes of the archive in a file.
    fn stored(&self, path: &Path) -> io::Result<Window<File>> {
        let start = self.container.container.data_start(&self.entry)?;
        Window::new(File::open(path)?, start, self.entry.stored)
    }

    fn stream(&self) -> io::Result<Box<dyn Read + Send>> {
        let stored: Box<dyn Read + Send> = match &self.container.place {
            ContainerPlace::File(path) => Box::new(self.stored(path)?),
            // Read ahead, rather than block by block.
            ContainerPlace::Remote(url, remote) => {
                let start = self.container.container.data_start(&self.entry)?;
                Box::new(remote.open_at(url, start)?.take(self.entry.stored))
            }
        };
        Ok(match self.entry.method {
            StorageMethod::Deflated => Box::new(flate2::read::DeflateDecoder::new(stored)),
            _ => stored,
        })
    }
}

impl ReadContainer {
    /// Creates a container with a number of archives and its known `faults`.
    pub(crate) fn new(
        container: Container,
        place: ContainerPlace,
        options: PackedOptions,
        archives: usize,
        faults: Vec<ContainerFault>,
    ) -> Self {
        Self {
            // Nobody asks for the rest of the directory any more.
            container: container.without_other_entries(),
            place,
            options,
            has_one: archives == 1,
            faults,
            pages: Mutex::default(),
        }
    }

    /// Returns whether its lists name no page.
    pub(crate) fn lists_nothing(&self) -> bool {
        self.pages().0.is_empty()
    }

    /// Its lists, and their faults.
    fn pages(&self) -> (Arc<PageList>, Vec<ContainerFault>) {
        let mut known = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let mut faults = Vec::new();
        let pages = match known.upgrade() {
            Some(pages) => pages,
            None => {
                let list = PageList::of(&self.container).unwrap_or_else(|error| {
                    faults.push(error.to_string().into());
                    PageList::default()
                });
                let list = Arc::new(list);
                *known = Arc::downgrade(&list);
                list
            }
        };
        if pages.bad_lines() > 0 {
            faults.push(format!("pages: lines that are no JSON: {}", pages.bad_lines()).into());
        }
        if pages.is_full() {
            let known = pages.len();
            let what = format!("pages: more than {known} are listed, the rest is not known");
            faults.push(what.into());
        }
        (pages, faults)
    }
}

/// The lists of a container, and true if only listed pages are wanted.
#[derive(Clone, Debug)]
pub(crate) struct ContainerLists {
    pages: Arc<PageList>,
    pages_only: bool,
}

impl ContainerLists {
    /// The entry of the lists for the page at a URL.
    pub(crate) fn listing(&self, url: Option<&str>) -> Listing {
        match url.and_then(|url| self.pages.title(url)) {
            Some(title) => Listing { title: (!title.is_empty()).then(|| title.to_owned()), is_left_out: false },
            // Without pages_only the lists only give titles.
            None => Listing { title: None, is_left_out: self.pages_only },
        }
    }
}

/// The entry of the lists of a container for a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Its title.
    pub(crate) title: Option<String>,
    /// True if the page is not listed, and only listed pages are wanted.
    pub(crate) is_left_out: bool,
}

/// The last part of a path.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The last part of a URL.
pub(crate) fn url_name(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default().to_owned()
}
