//! Inputs of a run: finds the archives that arguments name.
//!
//! Bounds of what is read whole before a run: strangers may serve lists that never end.

pub(crate) mod listing;
pub(crate) mod pieces;
#[cfg(test)]
mod tests;
pub(crate) mod wacz;
pub(crate) mod wacz_archive;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::{error::Error as StdError, ffi::OsStr, fmt, fs, fs::File, io, mem, sync::Arc};

use flate2::read::MultiGzDecoder;
use glob::{MatchOptions, Pattern};
use tempfile::{NamedTempFile, TempPath};
use trommel_archive::signature;
use trommel_sources::{
    ArchiveBytes, Location, NetworkOptions, RecordSelection, Remote, Scheme, SelectOptions, is_url, redacted,
    split_container,
};

use crate::{Error, ErrorKind, PartialSettings, Result, run::inputs::wacz_archive::Packed};
use listing::{Found, PageFiles};

/// Maximum bytes of a manifest (file that lists inputs), enough for a million paths.
const MAX_MANIFEST: u64 = 128 << 20;
/// Maximum bytes of a configuration file behind a URL.
const MAX_CONFIG: u64 = 4 << 20;
/// Maximum bytes of a record index behind a URL, which is copied to a temporary file.
// The parts of Common Crawl's index have a gigabyte.
const MAX_INDEX: u64 = 4 << 30;

/// An input of a run: an archive, pages in files, standard input, or an argument that names nothing.
#[derive(Clone, Debug)]
pub enum Input {
    /// A local file, which need not exist.
    File(PathBuf),
    /// An archive behind a URL.
    Url(String),
    /// Single records of archives, selected by an index.
    Selection(Arc<RecordSelection>),
    /// An archive inside a WACZ file; see [`unpack`](crate::run::unpack).
    Packed(Arc<Packed>),
    /// HTML pages in files, with one page in each file.
    Pages(Arc<PageFiles>),
    /// Standard input.
    Stdin,
    /// An argument that stands for no archive; the run reports it and continues with the other inputs.
    Nothing {
        /// Argument, as the user gave it.
        argument: String,
        /// Reason why the argument stands for no archive.
        reason: String,
    },
}

impl PartialEq for Input {
    /// Returns whether two inputs are of the same kind and have the same name.
    fn eq(&self, other: &Self) -> bool {
        mem::discriminant(self) == mem::discriminant(other) && self.name() == other.name()
    }
}

impl Input {
    /// Returns the name of the input in messages and in `source.file`: path or URL as the user gave it, `-` for
    /// standard input. Passwords and secrets of a URL are left out. Records that an index selects have the place of
    /// their archive instead.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.to_string_lossy().into_owned(),
            Self::Url(url) => redacted(url),
            // The index and not its archives: it is what the user named, and what is looked at for changes.
            Self::Selection(selection) => selection.name.clone(),
            Self::Packed(packed) => packed.name(),
            Self::Pages(pages) => pages.name.clone(),
            Self::Stdin => "-".to_owned(),
            Self::Nothing { argument, .. } => argument.clone(),
        }
    }

    /// Returns the path of the local file that is read: the archive, its container, or the index that names it. None if
    /// the input is anything else than one local file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Packed(packed) => packed.path(),
            Self::Selection(selection) => Some(&selection.index),
            Self::Url(_) | Self::Pages(_) | Self::Stdin | Self::Nothing { .. } => None,
        }
    }

    /// Returns the location of the input's archive; none if it cannot be opened twice (a pipe) or is not one archive.
    ///
    /// # Errors
    /// Fails if the container of the input cannot be read.
    pub(crate) fn bytes(&self) -> io::Result<Option<ArchiveBytes>> {
        Ok(match self {
            Self::File(path) if !is_pipe(path) => Some(ArchiveBytes::Whole(Location::File(path.clone()))),
            Self::Url(url) => Some(ArchiveBytes::Whole(Location::Url(url.clone()))),
            Self::Packed(packed) => Some(packed.place()?),
            Self::File(_) | Self::Selection(_) | Self::Pages(_) | Self::Stdin | Self::Nothing { .. } => None,
        })
    }

    /// Returns the size of the input in stored bytes; none if the size is unknown.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            // What is missing has none.
            Self::File(path) => Some(fs::metadata(path).map_or(0, |file| file.len())),
            Self::Packed(packed) => Some(packed.bytes()),
            Self::Pages(pages) => Some(pages.bytes()),
            Self::Selection(selection) => Some(selection.bytes()),
            Self::Nothing { .. } => Some(0),
            Self::Url(_) | Self::Stdin => None,
        }
    }
}

/// Finds the archives that arguments name, in the order of the arguments. An argument is a file, a URL, a glob (an
/// existing file of that name wins), a folder, a manifest (`@FILE`) or `-` for standard input. A folder stands for all
/// WARC, ARC and WACZ files below it, or else for its WET files, or else for its HTML files. HTML files of a folder,
/// and those that are named one by one, are one input. Globs and folders are sorted, without duplicates. Prefixes of
/// buckets and repositories, which end with a slash, are read like folders, and may contain globs. A manifest is plain
/// or gzip, local or at a URL, with a path or URL on each line, relative to `base` or else to the manifest's folder.
/// Blank lines and lines that start with `#` are skipped. Other files of a folder are counted by ending and logged in
/// one line. An argument that is not UTF-8 is a path.
///
/// # Errors
/// Fails if a URL names no object or has an unknown scheme, or a glob is malformed. Also fails if a manifest, folder or
/// bucket cannot be read, or standard input is named twice. An argument without an archive becomes an
/// [`Input::Nothing`].
pub fn expand(
    arguments: &[impl AsRef<OsStr>],
    base: Option<&Location>,
    network: &NetworkOptions,
) -> Result<Vec<Input>> {
    let remote = Remote::new(network.clone());
    let mut inputs = Vec::new();
    for argument in arguments {
        let argument = argument.as_ref();
        let Some(argument) = argument.to_str() else {
            // What stands for more than a path is written in UTF-8.
            from_path(PathBuf::from(argument), &mut inputs)?;
            continue;
        };
        if argument == "-" {
            if inputs.contains(&Input::Stdin) {
                return Err(unread("-")("standard input can be read only once"));
            }
            inputs.push(Input::Stdin);
        // A file of that very name wins here and for globs, because shells expand names that exist.
        } else if let Some(manifest) = argument.strip_prefix('@').filter(|_| !exists(argument)) {
            from_manifest(manifest, base, &remote, &mut inputs)?;
        } else if is_url(argument) {
            from_url(argument, &remote, &mut inputs)?;
        } else if is_glob(argument) && !exists(argument) {
            from_glob(argument, &mut inputs)?;
        } else {
            from_path(PathBuf::from(argument), &mut inputs)?;
        }
    }
    Ok(listing::joined(inputs))
}

/// Reads an index (CDXJ, JSON lines or Parquet, local or at a URL), and returns the records that it names as one input.
/// Names of archives are relative to `base`, or else to the folder of the index. Names that lead outside of that folder
/// need permission by `options`. The name of an archive inside a WACZ file is the container, `!`, and the archive's
/// name in the container.
///
/// # Errors
/// Fails if the index cannot be read, or is not an index.
pub fn select(
    index: &Path,
    base: Option<&Location>,
    options: SelectOptions,
    network: &NetworkOptions,
) -> Result<Input> {
    let mut selection = match index.to_str().filter(|index| is_url(index)) {
        None => {
            let beside = Location::File(index.to_owned()).folder();
            RecordSelection::load(index, base.unwrap_or(&beside), options)?
        }
        Some(url) => {
            check_url(url)?;
            let copy = fetch(url, MAX_INDEX, &Remote::new(network.clone()))?;
            let beside = Location::new(url).folder();
            RecordSelection::load_copy(copy, redacted(url), base.unwrap_or(&beside), options)?
        }
    };
    for archive in &selection.archives {
        if let Location::Url(url) = archive {
            check_url(url)?;
        }
    }
    wacz::locate(&mut selection, network);
    Ok(Input::Selection(Arc::new(selection)))
}

/// Returns whether a path is a pipe or device, where reading may wait for a writer.
pub(crate) fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir())
}

fn exists(argument: &str) -> bool {
    Path::new(argument).exists()
}

// Globs are expanded here as well, because a quoted one, or one in a manifest, never meets a shell.
fn is_glob(argument: &str) -> bool {
    argument.contains(['*', '?', '['])
}

/// Returns a function for `map_err` that makes the error that the argument, file or URL `name` cannot be read.
fn unread<E: Into<Box<dyn StdError + Send + Sync>>>(name: impl fmt::Display) -> impl Fn(E) -> Error {
    Error::at(ErrorKind::Input, name)
}

const NO_ARCHIVE: &str = "names a server, not an archive on it";

/// Refuses a URL that names no object, or whose scheme trommel cannot read.
fn check_url(url: &str) -> Result<()> {
    let has_path = url
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('/'))
        .is_some_and(|(host, path)| !host.is_empty() && !path.is_empty());
    if url.starts_with("http") && !has_path {
        return Err(unread(url)(NO_ARCHIVE));
    }
    match Scheme::of(url) {
        Some(_) => Ok(()),
        None => Err(unread(redacted(url))(format!("only {} URLs are read", Scheme::READ))),
    }
}

/// Reads a configuration file, local or at a URL, and returns the settings that it chooses.
///
/// # Errors
/// Fails if the file cannot be read or is not a configuration; the error names the file or the URL.
pub fn load_config(path: &Path, network: &NetworkOptions) -> Result<PartialSettings> {
    let Some(url) = path.to_str().filter(|path| is_url(path)) else { return PartialSettings::load(path) };
    check_url(url)?;
    let copy = fetch(url, MAX_CONFIG, &Remote::new(network.clone()))?;
    PartialSettings::of_file(&copy, &redacted(url))
}

/// Downloads a URL into a temporary file, which is removed with its handle; fails above `most` bytes.
fn fetch(url: &str, most: u64, remote: &Remote) -> Result<TempPath> {
    let copy = || -> io::Result<TempPath> {
        let mut file = NamedTempFile::new()?;
        copy_bounded(remote.open(url)?, most, &mut file)?;
        Ok(file.into_temp_path())
    };
    copy().map_err(unread(redacted(url)))
}

fn from_url(url: &str, remote: &Remote, inputs: &mut Vec<Input>) -> Result<()> {
    check_url(url)?;
    let is_prefix = |path: &str| path.is_empty() || path.ends_with('/');
    let (container, path) = match split_container(url) {
        Some((container, path)) if is_prefix(path) || is_glob(path) => (container, path),
        None if Scheme::of(url).is_some_and(Scheme::is_listed) => return Err(unread(redacted(url))(NO_ARCHIVE)),
        _ => {
            inputs.push(Input::Url(url.to_owned()));
            return Ok(());
        }
    };
    let is_prefix = is_prefix(path);
    // Up to the last slash before the first character that stands for others.
    let literal = path.split(['*', '?', '[']).next().unwrap_or_default();
    let folder =
        if is_prefix { path } else { literal.rfind('/').and_then(|slash| literal.get(..=slash)).unwrap_or_default() };
    let listed = remote.list(&format!("{container}/{folder}"));
    let listed = listed.map_err(unread(redacted(url)))?;
    let mut found = Found::default();
    if is_prefix {
        for name in listed {
            found.sort(name.clone(), &name);
        }
    } else {
        let glob = Pattern::new(path).map_err(unread(redacted(url)))?;
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
        let below = |name: &String| split_container(name).is_some_and(|(_, path)| glob.matches_with(path, options));
        found.archives = listed.into_iter().filter(below).collect();
    }
    let reason = if is_prefix { "no WARC, ARC or WACZ file below this prefix" } else { "no object matches" };
    found.give(&redacted(url), reason, inputs, Input::Url, None);
    Ok(())
}

fn from_path(path: PathBuf, inputs: &mut Vec<Input>) -> Result<()> {
    // A file that is missing is an input as well: the run reports it and reads the others.
    if !path.is_dir() {
        inputs.push(from_file(path));
        return Ok(());
    }
    let mut found = Found::default();
    archives_below(&path, &mut found)?;
    let name = path.to_string_lossy().into_owned();
    let reason = "no WARC, ARC, WACZ or HTML file in this folder";
    let pages = |name, files| Input::Pages(Arc::new(PageFiles { name, files }));
    found.give(&name, reason, inputs, Input::File, Some(pages));
    Ok(())
}

/// Returns the input for a file according to its name: an archive, a page, or an unreadable MHTML file.
fn from_file(path: PathBuf) -> Input {
    listing::by_name(&path).unwrap_or(Input::File(path))
}

/// Adds the files in a folder and its subfolders to `found`, which sorts them by kind. Links to folders may lead in
/// circles and pipes may block, so both are skipped.
fn archives_below(folder: &Path, found: &mut Found<PathBuf>) -> Result<()> {
    let failed = unread(folder.to_string_lossy());
    for entry in fs::read_dir(folder).map_err(&failed)? {
        let entry = entry.map_err(&failed)?;
        let path = entry.path();
        if entry.file_type().map_err(&failed)?.is_dir() {
            archives_below(&path, found)?;
        } else if path.is_file() {
            found.sort(path, &entry.file_name().to_string_lossy());
        } else {
            found.skip(if path.is_dir() { "links to folders" } else { "pipes, sockets, devices or dead links" });
        }
    }
    Ok(())
}

fn from_glob(pattern: &str, inputs: &mut Vec<Input>) -> Result<()> {
    let paths = glob::glob(pattern).map_err(unread(pattern))?;
    let mut found = Found::default();
    for path in paths {
        let path = path.map_err(|error| unread(error.path().display().to_string())(error))?;
        found.archives.extend((!path.is_dir()).then_some(path));
    }
    found.give(pattern, "no file matches", inputs, from_file, None);
    Ok(())
}

fn from_manifest(manifest: &str, base: Option<&Location>, remote: &Remote, inputs: &mut Vec<Input>) -> Result<()> {
    let (place, name) = (Location::new(manifest), redacted(manifest));
    let bytes: Box<dyn Read> = match &place {
        Location::Url(url) => {
            check_url(url)?;
            Box::new(remote.open(url).map_err(unread(&name))?)
        }
        Location::File(path) => Box::new(File::open(path).map_err(unread(&name))?),
    };
    let text = text_of(bytes).map_err(unread(&name))?;
    let beside = place.folder();
    let base = base.unwrap_or(&beside);
    let before = inputs.len();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match base.join(line) {
            Location::Url(url) => from_url(&url, remote, inputs)?,
            Location::File(path) => from_path(path, inputs)?,
        }
    }
    if inputs.len() == before {
        inputs.push(Input::Nothing {
            argument: format!("@{}", redacted(manifest)),
            reason: "no path in this manifest".to_owned(),
        });
    }
    Ok(())
}

/// Copies the bytes of `input` to `to`; fails if there are more than `most`.
fn copy_bounded(input: impl Read, most: u64, to: &mut impl Write) -> io::Result<()> {
    match io::copy(&mut input.take(most.saturating_add(1)), to)? > most {
        true => Err(io::Error::other(format!("has more than {} MiB", most >> 20))),
        false => Ok(()),
    }
}

/// Reads the text of a manifest (file that lists inputs), plain or gzip; fails if it is longer than [`MAX_MANIFEST`].
fn text_of(bytes: impl Read) -> io::Result<String> {
    let mut reader = BufReader::new(bytes);
    let (mut read, mut text) = (Vec::new(), String::new());
    match reader.fill_buf()?.starts_with(&signature::GZIP) {
        true => copy_bounded(MultiGzDecoder::new(reader), MAX_MANIFEST, &mut read)?,
        false => copy_bounded(reader, MAX_MANIFEST, &mut read)?,
    }
    read.as_slice().read_to_string(&mut text)?;
    Ok(text)
}
