//! Archives inside WACZ files, as inputs of a run.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::{io, path::Path};

use trommel_archive::file_name::stem;
use trommel_archive::wacz::{Container, Entry, PageList, StorageMethod};
use trommel_sources::{ArchiveBytes, Location};

/// Options for reading WACZ files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedOptions {
    /// True to compare the contents of containers with the hashes that the containers state.
    pub check_hashes: bool,
    /// True to read only the pages that the containers list.
    pub pages_only: bool,
}

/// Archive inside a WACZ file, as an input of a run.
#[derive(Clone, Debug)]
pub struct Packed {
    container: Arc<ReadContainer>,
    entry: Entry,
    /// True if the archive is the first of its container, so that it reports the container's faults.
    // Faults of a container count once, not once for each archive in it.
    is_first: bool,
}

/// Page lists of a WACZ container, and true if only listed pages are extracted; if false, the lists only give titles.
pub(crate) type ListedPages = (Arc<PageList>, bool);

/// Opened WACZ container, shared by the archives in it.
#[derive(Debug)]
pub(crate) struct ReadContainer {
    pub(crate) container: Container,
    pub(crate) place: Location,
    pub(crate) options: PackedOptions,
    /// True if the container holds a single archive, whose outputs are then named after the container alone.
    pub(crate) has_one: bool,
    /// Faults of the container that were found before any of its archives was read.
    pub(crate) faults: Vec<String>,
    /// Page lists of the container, kept while one of its archives is being read.
    // Weak: the lists of a container are freed when its last archive has been read.
    pub(crate) pages: Mutex<Weak<PageList>>,
}

impl Packed {
    /// Creates an input for each archive in `entries` of a container.
    pub(crate) fn of(container: &Arc<ReadContainer>, entries: Vec<Entry>) -> Vec<Self> {
        let entries = entries.into_iter().enumerate();
        let packed = entries.map(|(at, entry)| Self { container: container.clone(), entry, is_first: at == 0 });
        packed.collect()
    }

    /// Returns the name of the archive in messages: the name of the container, `!`, and the archive's name in it.
    pub fn name(&self) -> String {
        format!("{}!{}", self.container.container.name(), self.entry.name)
    }

    /// Returns the name of the archive's outputs: that of the container, and the archive's name if the container has
    /// several archives.
    pub(crate) fn stem(&self) -> String {
        let of_container = place_name(&self.container.place);
        let of_container = stem(&of_container);
        match self.container.has_one {
            true => of_container.to_owned(),
            false => {
                let of_entry = stem(self.entry.name.rsplit('/').next().unwrap_or_default());
                format!("{of_container}-{of_entry}")
            }
        }
    }

    /// Returns the path of the container of the archive; none if it is not a local file.
    pub fn path(&self) -> Option<&Path> {
        match &self.container.place {
            Location::File(path) => Some(path),
            Location::Url(_) => None,
        }
    }

    /// Returns the number of bytes that the archive takes in the container, as stored.
    pub fn bytes(&self) -> u64 {
        self.entry.stored
    }

    /// Returns the page lists of the container, and its faults if they have not been reported yet. The lists are read
    /// once for all archives of a container that are read one after the other.
    pub(crate) fn pages(&self) -> (ListedPages, Vec<String>) {
        let (pages, found) = self.container.pages();
        let faults = self.container.faults.iter().cloned().chain(found).filter(|_| self.is_first);
        ((pages, self.container.options.pages_only), faults.collect())
    }

    /// Returns the location and byte range of the archive in its container.
    ///
    /// # Errors
    /// Fails if no entry begins where the directory of the container says.
    pub(crate) fn place(&self) -> io::Result<ArchiveBytes> {
        place_of(&self.container.container, &self.container.place, &self.entry)
    }

    /// Returns whether the archive is stored in the container without ZIP compression.
    pub(crate) fn is_stored(&self) -> bool {
        self.entry.method == StorageMethod::Stored
    }
}

/// Returns the location and byte range of an entry in a container.
pub(crate) fn place_of(container: &Container, place: &Location, entry: &Entry) -> io::Result<ArchiveBytes> {
    let start = container.data_start(entry)?;
    let range = start..start.saturating_add(entry.stored);
    Ok(match entry.method {
        StorageMethod::Deflated => ArchiveBytes::Deflated(place.clone(), range),
        _ => ArchiveBytes::Within(place.clone(), range),
    })
}

impl ReadContainer {
    /// Returns whether the container lists no pages.
    pub(crate) fn lists_nothing(&self) -> bool {
        self.pages().0.is_empty()
    }

    /// Returns the page lists of the container, and the faults found in them.
    fn pages(&self) -> (Arc<PageList>, Vec<String>) {
        let mut known = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let mut faults = Vec::new();
        let pages = match known.upgrade() {
            Some(pages) => pages,
            None => {
                let list = PageList::of(&self.container).unwrap_or_else(|error| {
                    faults.push(error.to_string());
                    PageList::default()
                });
                let list = Arc::new(list);
                *known = Arc::downgrade(&list);
                list
            }
        };
        if pages.bad_lines() > 0 {
            faults.push(format!("pages: lines that are no JSON: {}", pages.bad_lines()));
        }
        if pages.is_full() {
            faults.push(format!("pages: more than {} are listed, the rest is not known", pages.len()));
        }
        (pages, faults)
    }
}

/// Returns the last part of a path or URL.
pub(crate) fn place_name(place: &Location) -> String {
    match place {
        Location::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        Location::Url(url) => {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            path.rsplit('/').next().unwrap_or_default().to_owned()
        }
    }
}
