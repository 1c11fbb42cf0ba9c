//! Inputs: finds the archives that arguments name.
//!
//! Bounds of what is read whole before a run: strangers may serve lists that never end.

mod bounded;
pub(crate) mod found;
pub(crate) mod packed;
pub(crate) mod pieces;
#[cfg(test)]
mod tests;
pub(crate) mod unpack;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::{error::Error, ffi::OsStr, fs, fs::File, io, sync::Arc};

use flate2::read::MultiGzDecoder;
use glob::{MatchOptions, Pattern};
use tempfile::{NamedTempFile, TempPath};
use trommel_archive::signature;
use trommel_sources::{
    ArchiveBytes, Base, Location, NetworkOptions, RecordIndexError, RecordSelection, Remote, Scheme, SelectOptions,
    is_url, redacted, split_container,
};

use crate::settings::SettingsFileError;
use crate::{PartialSettings, Result, run::inputs::packed::Packed};
use bounded::{MAX_CONFIG, MAX_INDEX, MAX_MANIFEST, bounded};
use found::{Found, PageFiles};

/// One archive to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file; it need not exist.
    File(PathBuf),
    /// An object behind a URL.
    Url(String),
    /// Single records of archives, named by an index.
    Selection(Arc<RecordSelection>),
    /// An archive inside of a WACZ file; see [`unpack`](crate::run::unpack).
    Packed(Arc<Packed>),
    /// Pages in files, a page in each.
    Pages(Arc<PageFiles>),
    /// Standard input.
    Stdin,
    /// An argument that stands for no archive; the run reports it and goes on.
    Nothing {
        /// The argument.
        argument: String,
        /// The fault.
        reason: String,
    },
}

impl Input {
    /// The name in messages and in `source.file`: path or URL as the user gave it, without passwords and
    /// secrets of the URL; `-` for standard input. Records that an index names have the place of their archive instead.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.to_string_lossy().into_owned(),
            Self::Url(url) => redacted(url),
            // The index and not its archives: it is what the user named, and what is looked at for changes.
            Self::Selection(selection) => selection.name(),
            Self::Packed(packed) => packed.name(),
            Self::Pages(pages) => pages.name(),
            Self::Stdin => "-".to_owned(),
            Self::Nothing { argument, .. } => argument.clone(),
        }
    }

    /// The file that is read: the archive, its container, or the index that names it; none for what is
    /// no file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Packed(packed) => packed.path(),
            Self::Selection(selection) => Some(selection.index()),
            Self::Url(_) | Self::Pages(_) | Self::Stdin | Self::Nothing { .. } => None,
        }
    }

    /// The place of its stored bytes; none of what is not one row of bytes that can be opened again.
    ///
    /// # Errors
    /// If its container cannot be read.
    pub(crate) fn bytes(&self) -> io::Result<Option<ArchiveBytes>> {
        Ok(match self {
            Self::File(path) if !is_pipe(path) => Some(Location::File(path.clone()).into()),
            Self::Url(url) => Some(Location::Url(url.clone()).into()),
            Self::Packed(packed) => Some(packed.place()?),
            Self::File(_) | Self::Selection(_) | Self::Pages(_) | Self::Stdin | Self::Nothing { .. } => None,
        })
    }

    /// The pages in files, if it is some.
    pub(crate) fn pages(&self) -> Option<&PageFiles> {
        match self {
            Self::Pages(pages) => Some(pages),
            _ => None,
        }
    }
}

/// Reason why a list of arguments cannot be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    /// A URL of a kind that is not read.
    #[error("{0}: only {read} URLs are read", read = Scheme::READ)]
    Url(String),
    /// A URL of a server, without an object on it.
    #[error("{0}: names a server, not an archive on it")]
    Server(String),
    /// An index that cannot be used.
    #[error(transparent)]
    Index(#[from] RecordIndexError),
    /// A folder, manifest, index, glob or bucket that cannot be read.
    #[error("{name}: {source}")]
    Unread {
        /// Its name.
        name: String,
        /// The error of the system, the network or the pattern.
        source: Box<dyn Error + Send + Sync>,
    },
    /// `-` more than once.
    #[error("-: standard input can be read only once")]
    StdinTwice,
}

impl InputError {
    /// Names the place that an error is about.
    fn of<E: Into<Box<dyn Error + Send + Sync>>>(name: impl Into<String>) -> impl Fn(E) -> Self {
        let name = name.into();
        move |source| Self::Unread { name: name.clone(), source: source.into() }
    }
}

/// Finds the archives that arguments name, in the order of the arguments. These are files, URLs, globs (an existing
/// file of that name wins), folders, manifests (`@FILE`) and `-` for standard input. A folder stands for all files
/// below it that are named as WARC, ARC or WACZ, or as WET where there are none, or else as HTML. HTML files of a folder,
/// and those that are named one by one, are one input. Globs and folders are sorted, without
/// duplicates. Prefixes of buckets and repositories, which end with a slash, and globs in them are treated alike. A
/// manifest is plain or gzip, here or at a URL, with a path or URL on each line, relative to `base` or else to its own
/// folder. Blank lines in it and lines that start with `#` are skipped. Files of a folder that are passed over are
/// logged, counted by ending, in one line. An argument that is not UTF-8 is a path.
///
/// # Errors
/// If an argument is another URL or a malformed glob, if a manifest, folder or bucket cannot be read, or if standard
/// input is named twice. An argument without an archive becomes an [`Input::Nothing`].
pub fn expand(arguments: &[impl AsRef<OsStr>], base: Option<&Base>, network: &NetworkOptions) -> Result<Vec<Input>> {
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
                return Err(InputError::StdinTwice.into());
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
    Ok(found::joined(inputs))
}

/// The records that an index names: CDXJ, JSON lines or Parquet, here or behind a URL. Names of archives are relative
/// to `base`, or else to the folder of the index, and stay below it unless `options` say otherwise. An archive inside of
/// a WACZ file is named as in outputs: by the container, `!`, and its name in there.
///
/// # Errors
/// If the index cannot be read, or is none.
pub fn select(index: &Path, base: Option<&Base>, options: SelectOptions, network: &NetworkOptions) -> Result<Input> {
    let mut selection = match index.to_str().filter(|index| is_url(index)) {
        None => RecordSelection::load(index, base.unwrap_or(&Base::beside(index)), options)?,
        Some(url) => {
            check_url(url)?;
            let copy = fetch(url, MAX_INDEX, &Remote::new(network.clone()))?;
            let beside = Base::Url(folder_of(url).to_owned());
            RecordSelection::load_copy(copy, redacted(url), base.unwrap_or(&beside), options)?
        }
    };
    let mut locations = selection.archives().iter();
    if let Some(Location::Url(url)) =
        locations.find(|place| matches!(place, Location::Url(url) if check_url(url).is_err()))
    {
        return Err(InputError::Url(redacted(url)).into());
    }
    unpack::locate(&mut selection, network);
    Ok(Input::Selection(Arc::new(selection)))
}

/// Returns whether reading may wait for a writer.
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

/// Checks that trommel can read from an address.
fn check_url(url: &str) -> Result<(), InputError> {
    let has_path = url
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('/'))
        .is_some_and(|(host, path)| !host.is_empty() && !path.is_empty());
    if url.starts_with("http") && !has_path {
        return Err(InputError::Server(url.to_owned()));
    }
    match Scheme::of(url) {
        Some(_) => Ok(()),
        None => Err(InputError::Url(redacted(url))),
    }
}

/// The folder of a URL, without a query.
fn folder_of(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    path.rsplit_once('/').map_or(path, |(folder, _)| folder)
}

/// The choices of a configuration file, here or behind a URL.
///
/// # Errors
/// If it cannot be read, or is none; the error names the file or the URL.
pub fn load_config(path: &Path, network: &NetworkOptions) -> Result<PartialSettings> {
    let Some(url) = path.to_str().filter(|path| is_url(path)) else { return PartialSettings::load(path) };
    check_url(url)?;
    let copy = fetch(url, MAX_CONFIG, &Remote::new(network.clone()))?;
    let shown = PathBuf::from(redacted(url));
    let read = PartialSettings::of_file(&copy).map_err(|error| match error {
        SettingsFileError::Settings { line, source, .. } => SettingsFileError::Settings { path: shown, line, source },
        SettingsFileError::Io { source, .. } => SettingsFileError::Io { path: shown, source },
    });
    Ok(read?)
}

/// Downloads at most `most` bytes from a URL into a file that is removed with its handle.
fn fetch(url: &str, most: u64, remote: &Remote) -> Result<TempPath, InputError> {
    let copy = || -> io::Result<TempPath> {
        let mut file = NamedTempFile::new()?;
        io::copy(&mut bounded(remote.open(url)?, most), &mut file)?;
        Ok(file.into_temp_path())
    };
    copy().map_err(InputError::of(redacted(url)))
}

fn from_url(url: &str, remote: &Remote, inputs: &mut Vec<Input>) -> Result<(), InputError> {
    check_url(url)?;
    let Some((container, path)) = split_container(url) else {
        return match Scheme::of(url).is_some_and(Scheme::is_listed) {
            true => Err(InputError::Server(redacted(url))),
            false => {
                inputs.push(Input::Url(url.to_owned()));
                Ok(())
            }
        };
    };
    let is_prefix = path.is_empty() || path.ends_with('/');
    if !is_prefix && !is_glob(path) {
        inputs.push(Input::Url(url.to_owned()));
        return Ok(());
    }
    // Up to the last slash before the first character that stands for others.
    let literal = path.split(['*', '?', '[']).next().unwrap_or_default();
    let folder =
        if is_prefix { path } else { literal.rfind('/').and_then(|slash| literal.get(..=slash)).unwrap_or_default() };
    let listed = remote.list(&format!("{container}/{folder}"));
    let listed = listed.map_err(InputError::of(redacted(url)))?;
    let mut found = Found::default();
    if is_prefix {
        for name in listed {
            found.sort(name.clone(), &name);
        }
    } else {
        let glob = Pattern::new(path).map_err(InputError::of(redacted(url)))?;
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
        let below = |name: &String| split_container(name).is_some_and(|(_, path)| glob.matches_with(path, options));
        found.archives = listed.into_iter().filter(below).collect();
    }
    let reason = if is_prefix { "no WARC, ARC or WACZ file below this prefix" } else { "no object matches" };
    found.give(&redacted(url), reason, inputs, Input::Url);
    Ok(())
}

fn from_path(path: PathBuf, inputs: &mut Vec<Input>) -> Result<(), InputError> {
    // A file that is missing is an input as well: the run reports it and reads the others.
    if !path.is_dir() {
        inputs.push(from_file(path));
        return Ok(());
    }
    let mut found = Found::default();
    archives_below(&path, &mut found)?;
    let name = path.to_string_lossy().into_owned();
    if let Some(mut files) = found.take_pages() {
        // The order of a folder differs between file systems, and the output must not.
        files.sort();
        inputs.push(Input::Pages(Arc::new(PageFiles::new(name.clone(), files))));
        found.tell(&name);
        return Ok(());
    }
    let reason = "no WARC, ARC, WACZ or HTML file in this folder";
    found.give(&name, reason, inputs, Input::File);
    Ok(())
}

/// The input that a file is by its name.
fn from_file(path: PathBuf) -> Input {
    found::by_name(&path).unwrap_or(Input::File(path))
}

/// Links to folders are not followed, as they may lead in circles; what is no file (named pipes, sockets)
/// would be waited for.
fn archives_below(folder: &Path, found: &mut Found<PathBuf>) -> Result<(), InputError> {
    let failed = InputError::of(folder.to_string_lossy());
    for entry in fs::read_dir(folder).map_err(&failed)? {
        let entry = entry.map_err(&failed)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(&failed)?);
        if kind.is_dir() {
            archives_below(&path, found)?;
        } else if path.is_file() {
            found.sort(path, &entry.file_name().to_string_lossy());
        } else if path.is_dir() {
            found.skip("links to folders");
        } else if kind.is_symlink() {
            found.skip("links to nothing that can be read");
        } else {
            found.skip("pipes, sockets or devices");
        }
    }
    Ok(())
}

fn from_glob(pattern: &str, inputs: &mut Vec<Input>) -> Result<(), InputError> {
    let paths = glob::glob(pattern).map_err(InputError::of(pattern))?;
    let mut files = Vec::new();
    for path in paths {
        let path = path.map_err(|error| {
            let name = error.path().display().to_string();
            InputError::of(name)(error)
        })?;
        if !path.is_dir() {
            files.push(path);
        }
    }
    // The order of a folder differs between file systems, and the output must not.
    files.sort();
    files.dedup();
    if files.is_empty() {
        inputs.push(Input::Nothing { argument: pattern.to_owned(), reason: "no file matches".to_owned() });
    }
    inputs.extend(files.into_iter().map(from_file));
    Ok(())
}

fn from_manifest(
    manifest: &str,
    base: Option<&Base>,
    remote: &Remote,
    inputs: &mut Vec<Input>,
) -> Result<(), InputError> {
    let (text, beside) = if is_url(manifest) {
        check_url(manifest)?;
        let name = redacted(manifest);
        let bytes = remote.open(manifest).map_err(InputError::of(&name))?;
        (text_of(bytes).map_err(InputError::of(&name))?, Base::Url(folder_of(manifest).to_owned()))
    } else {
        let path = Path::new(manifest);
        let failed = InputError::of(manifest);
        (text_of(File::open(path).map_err(&failed)?).map_err(&failed)?, Base::beside(path))
    };
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

/// A text, plain or gzip, of a manifest's length at the most.
fn text_of(bytes: impl Read) -> io::Result<String> {
    let mut reader = BufReader::new(bytes);
    let mut text = String::new();
    // By its bytes and not its name: Common Crawl's lists of paths are gzip.
    match reader.fill_buf()?.starts_with(&signature::GZIP) {
        true => bounded(MultiGzDecoder::new(reader), MAX_MANIFEST).read_to_string(&mut text)?,
        false => bounded(reader, MAX_MANIFEST).read_to_string(&mut text)?,
    };
    Ok(text)
}
