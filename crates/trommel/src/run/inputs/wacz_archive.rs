//! Reads archives inside WACZ files.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::{io, path::Path};

use trommel_archive::file_name::stem;
use trommel_archive::wacz::{Container, Entry, PageList, StorageMethod};
use trommel_sources::{ArchiveBytes, Location};

/// Options for reading WACZ files.
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

/// The page lists of a container, and true if only listed pages are wanted. Otherwise the lists only give titles.
pub(crate) type ListedPages = (Arc<PageList>, bool);

/// An opened WACZ container, shared by the archives in it.
#[derive(Debug)]
pub(crate) struct ReadContainer {
    pub(crate) container: Container,
    pub(crate) place: Location,
    pub(crate) options: PackedOptions,
    /// True if the container holds a single archive, whose outputs then have the name of the container alone.
    pub(crate) has_one: bool,
    /// The faults of the container that were found before any archive was read.
    pub(crate) faults: Vec<String>,
    /// Its lists, as long as one of its archives is read.
    // Weak: the lists of a container are freed when its last archive has been read.
    pub(crate) pages: Mutex<Weak<PageList>>,
}

impl Packed {
    /// Returns an input for each of the archives at `entries` of a container; other archives are not read.
    pub(crate) fn of(container: &Arc<ReadContainer>, entries: Vec<Entry>) -> Vec<Self> {
        let entries = entries.into_iter().enumerate();
        let packed = entries.map(|(at, entry)| Self { container: container.clone(), entry, is_first: at == 0 });
        packed.collect()
    }

    /// Returns the name of the archive in messages: the name of the container, `!`, and the name in it.
    pub fn name(&self) -> String {
        format!("{}!{}", self.container.container.name(), self.entry.name)
    }

    /// Returns the name of the archive's outputs: that of the container, with the archive's own name if there are
    /// several.
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

    /// Returns the path of the container; none if it is not a local file.
    pub fn path(&self) -> Option<&Path> {
        match &self.container.place {
            Location::File(path) => Some(path),
            Location::Url(_) => None,
        }
    }

    /// Returns the size in bytes that the archive takes in the container.
    pub fn bytes(&self) -> u64 {
        self.entry.stored
    }

    /// Returns the page lists of the container, and the faults of the container if they were not reported yet. The
    /// lists are read once for all archives of a container that are read one after the other.
    pub(crate) fn pages(&self) -> (ListedPages, Vec<String>) {
        let (pages, found) = self.container.pages();
        let faults = self.container.faults.iter().cloned().chain(found).filter(|_| self.is_first);
        ((pages, self.container.options.pages_only), faults.collect())
    }

    /// Returns the place of the archive's bytes in the container.
    ///
    /// # Errors
    /// If no entry begins where the directory of the container says.
    pub(crate) fn place(&self) -> io::Result<ArchiveBytes> {
        place_of(&self.container.container, &self.container.place, &self.entry)
    }

    /// Returns whether the archive stands in the container without compression by ZIP.
    pub(crate) fn is_stored(&self) -> bool {
        self.entry.method == StorageMethod::Stored
    }
}

/// Returns the place of the bytes of an entry of a container.
pub(crate) fn place_of(container: &Container, place: &Location, entry: &Entry) -> io::Result<ArchiveBytes> {
    let start = container.data_start(entry)?;
    let range = start..start.saturating_add(entry.stored);
    Ok(match entry.method {
        StorageMethod::Deflated => ArchiveBytes::Deflated(place.clone(), range),
        _ => ArchiveBytes::Within(place.clone(), range),
    })
}

impl ReadContainer {
    /// Returns whether the page lists of the container name no page.
    pub(crate) fn lists_nothing(&self) -> bool {
        self.pages().0.is_empty()
    }

    /// Its lists, and their faults.
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
