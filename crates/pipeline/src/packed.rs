//! Archives inside of WACZ files.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use trommel_archive::{
    ArchiveError, ReadOptions, Reader, ResumePoint,
    name::{is_wacz, stem},
    signature,
};
#[cfg(feature = "remote")]
use trommel_sources::Remote;
use trommel_sources::{Base, Location, NetworkOptions, redacted};
use trommel_wacz::{Container, Entry, PageList, StorageMethod, WaczError, collection};

use crate::Input;

/// Most bytes of the description of a collection.
const MAX_COLLECTION: u64 = 16 << 20;

/// What to do with WACZ files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedOptions {
    /// Compare what is in them with the hashes that they state.
    pub check_hashes: bool,
    /// Take the pages they list only.
    pub pages_only: bool,
}

/// An archive inside of a WACZ file.
#[derive(Clone, Debug)]
pub struct Packed {
    container: Container,
    entry: Entry,
    name: String,
    stem: String,
    place: Place,
    pages: Arc<PageList>,
    pages_only: bool,
    /// What is wrong with the container, told before the first of its archives.
    faults: Vec<String>,
}

impl PartialEq for Packed {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Packed {}

/// Where a container is.
#[derive(Clone)]
enum Place {
    File(PathBuf),
    #[cfg(feature = "remote")]
    Remote(String, Arc<Remote>),
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.fmt(f),
            #[cfg(feature = "remote")]
            Self::Remote(url, _) => redacted(url).fmt(f),
        }
    }
}

impl Packed {
    /// The name of the container, `!`, and the name of the archive in it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its output is called: as its container, with its own name if there are several archives in it.
    pub(crate) fn stem(&self) -> &str {
        &self.stem
    }

    /// The file of the container, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::File(path) => Some(path),
            #[cfg(feature = "remote")]
            Place::Remote(..) => None,
        }
    }

    /// Stored bytes of the archive, in the container.
    pub fn bytes(&self) -> u64 {
        self.entry.stored
    }

    pub(crate) fn faults(&self) -> &[String] {
        &self.faults
    }

    /// What the container's lists say about the page at a URL.
    pub(crate) fn listing(&self, url: Option<&str>) -> Listing {
        match url.and_then(|url| self.pages.title(url)) {
            Some(title) => Listing {
                title: (!title.is_empty()).then(|| title.to_owned()),
                is_left_out: false,
            },
            None => Listing {
                title: None,
                is_left_out: self.pages_only,
            },
        }
    }

    /// The archive, from `point` on. Only where it is stored as it is and in a file can that be sought for.
    pub(crate) fn open(
        &self,
        point: Option<&ResumePoint>,
        options: ReadOptions,
    ) -> Result<Reader, ArchiveError> {
        let start = ResumePoint::default();
        let is_plain = self.entry.method == StorageMethod::Stored;
        if self.path().is_some() && is_plain {
            let open = || self.container.stored(&self.entry);
            return Reader::reopen_with(self.name.as_str(), open, point.unwrap_or(&start), options);
        }
        let input = self.stream().map_err(|source| ArchiveError::Io {
            file: self.name.as_str().into(),
            offset: 0,
            source,
        })?;
        match point {
            None => Reader::new(self.name.as_str(), input, options),
            Some(point) => Reader::resume(self.name.as_str(), input, point, options),
        }
    }

    /// The stored bytes of the archive from `offset` on; none where they cannot be sought in.
    pub(crate) fn at(&self, offset: u64) -> Option<io::Result<Box<dyn Read + Send>>> {
        if self.entry.method != StorageMethod::Stored {
            return None;
        }
        let open = || -> io::Result<Box<dyn Read + Send>> {
            let start = self
                .container
                .data_start(&self.entry)?
                .saturating_add(offset);
            let left = self.entry.stored.saturating_sub(offset);
            match &self.place {
                Place::File(path) => {
                    let mut file = File::open(path)?;
                    io::Seek::seek(&mut file, io::SeekFrom::Start(start))?;
                    Ok(Box::new(file.take(left)))
                }
                #[cfg(feature = "remote")]
                Place::Remote(url, remote) => Ok(Box::new(remote.open_at(url, start)?.take(left))),
            }
        };
        Some(open())
    }

    fn stream(&self) -> io::Result<Box<dyn Read + Send>> {
        match &self.place {
            Place::File(_) => self.container.read(&self.entry).map_err(io::Error::other),
            // Read ahead, rather than block by block.
            #[cfg(feature = "remote")]
            Place::Remote(url, remote) => {
                let start = self.container.data_start(&self.entry)?;
                let stored = remote.open_at(url, start)?.take(self.entry.stored);
                Ok(match self.entry.method {
                    StorageMethod::Deflated => Box::new(flate2::read::DeflateDecoder::new(stored)),
                    _ => Box::new(stored),
                })
            }
        }
    }
}

/// What the lists of a container say about a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Its title.
    pub(crate) title: Option<String>,
    /// Whether it is not listed, and only what is listed is wanted.
    pub(crate) is_left_out: bool,
}

/// The inputs with each WACZ file replaced by the archives in it, and each multi-WACZ (a `.json` that
/// names several) by those of its containers. A WACZ file is known by its name; a file also by its first
/// bytes. What cannot be read becomes [`Input::Nothing`], one a container or archive, and the others are
/// read all the same.
pub fn unpack(inputs: Vec<Input>, options: PackedOptions, network: &NetworkOptions) -> Vec<Input> {
    let mut unpacker = Unpacker {
        options,
        network,
        #[cfg(feature = "remote")]
        remote: None,
        inputs: Vec::with_capacity(inputs.len()),
    };
    for input in inputs {
        let place = match &input {
            Input::File(path) => Location::File(path.clone()),
            Input::Url(url) => Location::Url(url.clone()),
            _ => {
                unpacker.inputs.push(input);
                continue;
            }
        };
        if is_container(&place) {
            unpacker.container(&place);
        } else if has_ending(&place, ".json")
            && let Some(parts) = unpacker.collection(&place)
        {
            unpacker.parts(&place, &parts);
        } else {
            unpacker.inputs.push(input);
        }
    }
    unpacker.inputs
}

fn has_ending(place: &Location, ending: &str) -> bool {
    let name = place_name(place);
    name.to_ascii_lowercase().ends_with(ending)
}

/// The last part of a path or URL.
fn place_name(place: &Location) -> String {
    match place {
        Location::File(path) => path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into(),
        Location::Url(url) => {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            path.rsplit('/').next().unwrap_or_default().to_owned()
        }
    }
}

fn is_container(place: &Location) -> bool {
    match place {
        Location::File(path) if path.is_file() => {
            is_wacz(&place_name(place)) || begins_as_zip(path)
        }
        // What is not there is reported as any file.
        Location::File(_) => false,
        Location::Url(_) => is_wacz(&place_name(place)),
    }
}

fn begins_as_zip(path: &Path) -> bool {
    let mut head = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && [signature::ZIP, signature::ZIP_EMPTY].contains(&head)
}

struct Unpacker<'a> {
    options: PackedOptions,
    #[cfg_attr(not(feature = "remote"), expect(dead_code))]
    network: &'a NetworkOptions,
    #[cfg(feature = "remote")]
    remote: Option<Arc<Remote>>,
    inputs: Vec<Input>,
}

impl Unpacker<'_> {
    fn refuse(&mut self, argument: String, reason: &dyn fmt::Display) {
        let reason = reason.to_string();
        let reason = reason.strip_prefix(&argument).unwrap_or(&reason);
        let reason = reason.strip_prefix(": ").unwrap_or(reason).to_owned();
        self.inputs.push(Input::Nothing { argument, reason });
    }

    /// The archives of a container.
    fn container(&mut self, place: &Location) {
        let name = place.to_string();
        let opened = match self.open(place) {
            Ok(opened) => opened,
            Err(error) => return self.refuse(name, &error),
        };
        if let Err(error) = self.archives(place, &name, opened) {
            self.refuse(name, &error);
        }
    }

    fn archives(
        &mut self,
        place: &Location,
        name: &str,
        (container, place_of): (Container, Place),
    ) -> Result<(), WaczError> {
        let archives = container.archives()?;
        let mut faults = Vec::new();
        if let Some(what) = container.salvaged() {
            faults.push(format!(
                "the directory of the container is missing or damaged ({what}); its entries were found by \
                 their headers"
            ));
        }
        if self.options.check_hashes {
            match container.check_hashes() {
                Ok(found) => {
                    let told = found
                        .iter()
                        .map(|fault| format!("{}: {}", fault.entry, fault.what));
                    faults.extend(told);
                }
                Err(error) => faults.push(error.to_string()),
            }
        }
        let pages = match PageList::of(&container) {
            Ok(pages) => pages,
            Err(error) => {
                faults.push(error.to_string());
                PageList::default()
            }
        };
        if pages.bad_lines() > 0 {
            faults.push(format!(
                "pages: lines that are no JSON: {}",
                pages.bad_lines()
            ));
        }
        if pages.is_full() {
            faults.push(format!(
                "pages: more than {} are listed, the rest is not known",
                pages.len()
            ));
        }
        if self.options.pages_only && pages.is_empty() {
            let what = "lists no pages, and only pages that are listed are wanted (--pages-only)";
            self.refuse(name.to_owned(), &what);
            return Ok(());
        }
        let pages = Arc::new(pages);
        let of_container = place_name(place);
        let of_container = stem(&of_container);
        let is_only = archives.len() == 1;
        for archive in archives {
            let entry = match archive {
                Ok(entry) => entry.clone(),
                Err(error) => {
                    let argument = match &error {
                        WaczError::Entry { entry, .. } => format!("{name}!{entry}"),
                        _ => name.to_owned(),
                    };
                    self.refuse(argument, &error);
                    continue;
                }
            };
            let own = stem(entry.name.rsplit('/').next().unwrap_or_default());
            self.inputs.push(Input::Packed(Arc::new(Packed {
                name: format!("{name}!{}", entry.name),
                stem: match is_only {
                    true => of_container.to_owned(),
                    false => format!("{of_container}-{own}"),
                },
                container: container.clone(),
                entry,
                place: place_of.clone(),
                pages: pages.clone(),
                pages_only: self.options.pages_only,
                faults: std::mem::take(&mut faults),
            })));
        }
        Ok(())
    }

    fn open(&mut self, place: &Location) -> Result<(Container, Place), WaczError> {
        match place {
            Location::File(path) => Ok((Container::open(path)?, Place::File(path.clone()))),
            Location::Url(url) => self.open_url(url),
        }
    }

    #[cfg(feature = "remote")]
    fn open_url(&mut self, url: &str) -> Result<(Container, Place), WaczError> {
        let name = redacted(url);
        let failed = |source: io::Error| WaczError::Io {
            name: name.clone(),
            source,
        };
        let remote = self.remote().map_err(failed)?;
        let bytes = remote.seekable(url).map_err(|error| failed(error.into()))?;
        let open =
            move || -> io::Result<Box<dyn trommel_wacz::Bytes>> { Ok(Box::new(bytes.clone())) };
        let container = Container::new(name.as_str(), Arc::new(open))?;
        Ok((container, Place::Remote(url.to_owned(), remote)))
    }

    #[cfg(not(feature = "remote"))]
    fn open_url(&mut self, url: &str) -> Result<(Container, Place), WaczError> {
        Err(WaczError::Io {
            name: redacted(url),
            source: trommel_sources::SourceError::NotBuilt.into(),
        })
    }

    #[cfg(feature = "remote")]
    fn remote(&mut self) -> io::Result<Arc<Remote>> {
        if let Some(remote) = &self.remote {
            return Ok(remote.clone());
        }
        let remote = Arc::new(Remote::new(self.network.clone())?);
        Ok(self.remote.insert(remote).clone())
    }

    /// The containers that a description names; none if it is no description, or cannot be read, which is
    /// then said as of any input.
    fn collection(&mut self, place: &Location) -> Option<Vec<String>> {
        let mut json = Vec::new();
        let bytes = match place {
            Location::File(path) => {
                let file = File::open(path).ok()?;
                file.take(MAX_COLLECTION).read_to_end(&mut json)
            }
            Location::Url(url) => self
                .read_url(url)
                .ok()?
                .take(MAX_COLLECTION)
                .read_to_end(&mut json),
        };
        bytes.ok()?;
        collection(&json)
    }

    #[cfg(feature = "remote")]
    fn read_url(&mut self, url: &str) -> io::Result<impl Read + use<>> {
        Ok(self.remote()?.open(url)?)
    }

    #[cfg(not(feature = "remote"))]
    fn read_url(&mut self, _: &str) -> io::Result<impl Read + use<>> {
        Err::<io::Empty, io::Error>(trommel_sources::SourceError::NotBuilt.into())
    }

    fn parts(&mut self, place: &Location, parts: &[String]) {
        let base = match place {
            Location::File(path) => Base::beside(path),
            Location::Url(url) => {
                let path = url.split(['?', '#']).next().unwrap_or_default();
                Base::new(path.rsplit_once('/').map_or(path, |(folder, _)| folder))
            }
        };
        if parts.is_empty() {
            self.refuse(place.to_string(), &"names no WACZ file");
        }
        for part in parts {
            // Containers elsewhere are named by whole URLs; a path must not lead out of its folder.
            let joined = match base.join(part) {
                Location::Url(url) if trommel_sources::is_url(part) => Some(Location::Url(url)),
                _ => base.join_below(part),
            };
            match joined {
                Some(Location::Url(url)) if !is_read(&url) => {
                    let what = "only http://, https:// and s3:// URLs are read";
                    self.refuse(redacted(&url), &what);
                }
                Some(joined) => self.container(&joined),
                None => {
                    let argument = format!("{place}: {part}");
                    self.refuse(
                        argument,
                        &"its name leads out of the folder of the collection",
                    );
                }
            }
        }
    }
}

/// Whether URLs of its kind are read.
fn is_read(url: &str) -> bool {
    ["http://", "https://", "s3://", "s3a://"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
}
