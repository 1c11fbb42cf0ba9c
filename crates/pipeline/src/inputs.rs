//! Inputs: finds the archives that arguments name.

mod found;
pub(crate) mod identity;
pub(crate) mod network;
pub(crate) mod packed;
#[cfg(test)]
mod tests;
pub(crate) mod unpack;

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::inputs::packed::Packed;
use flate2::read::MultiGzDecoder;
use glob::{MatchOptions, Pattern};
use trommel_archive::signature;
use trommel_sources::{
    Base, Location, NetworkOptions, RecordIndexError, RecordSelection, SelectOptions, SourceError, is_url, redacted,
};

use crate::inputs::network::Network;

use found::Found;

/// Schemes of the URLs that are read.
// `s3a://` is how Hadoop and Spark write the same addresses.
const SCHEMES: [&str; 4] = ["http://", "https://", "s3://", "s3a://"];

/// One archive to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file; it need not exist.
    File(PathBuf),
    /// An object behind `http(s)://` or `s3://`.
    Url(String),
    /// Single records of archives, named by an index.
    Selection(Arc<RecordSelection>),
    /// An archive inside of a WACZ file; see [`unpack`](crate::unpack).
    Packed(Arc<Packed>),
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
            Self::Selection(selection) => selection.index().to_string_lossy().into_owned(),
            Self::Packed(packed) => packed.name(),
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
            Self::Url(_) | Self::Stdin | Self::Nothing { .. } => None,
        }
    }
}

/// Why a list of arguments cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A URL of a kind that is not read.
    #[error("{0}: only http://, https:// and s3:// URLs are read")]
    Url(String),
    /// A URL of a server, without an object on it.
    #[error("{0}: names a server, not an archive on it")]
    Server(String),
    /// An index that cannot be used.
    #[error(transparent)]
    Index(#[from] RecordIndexError),
    /// A bucket that is not listed.
    #[error("{url}: {source}")]
    Bucket {
        /// The prefix or glob.
        url: String,
        /// The error of the server or the network.
        source: SourceError,
    },
    /// A glob that is none.
    #[error("{pattern}: {source}")]
    Glob {
        /// The argument.
        pattern: String,
        /// The fault of the pattern.
        source: glob::PatternError,
    },
    /// A folder or manifest that cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The folder or manifest.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// `-` more than once.
    #[error("-: standard input can be read only once")]
    StdinTwice,
}

/// The archives that arguments stand for, in the order of the arguments: files; globs (an existing
/// file of that name wins) and folders (with all below them; files named as WARC, ARC or WACZ, or as WET
/// where there are none), each sorted and without duplicates; `http(s)://` and `s3://` URLs; `s3://`
/// prefixes, which end with a slash, and globs, as folders and globs; `@FILE`, a manifest, plain or gzip,
/// with a path or URL a line, relative to `base` or else to its own folder, in which blank lines and
/// lines starting with `#` are skipped; `-`, standard input. What is passed over in a folder is logged,
/// counted by ending, in one line. An argument that is not UTF-8 is a path.
///
/// # Errors
/// If an argument is another URL or a malformed glob, if a manifest, folder or bucket cannot be read, or
/// if standard input is named twice. What stands for no archive is given as [`Input::Nothing`].
pub fn expand(
    arguments: &[impl AsRef<OsStr>],
    base: Option<&Base>,
    network: &NetworkOptions,
) -> Result<Vec<Input>, InputError> {
    let network = Network::new(network.clone());
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
                return Err(InputError::StdinTwice);
            }
            inputs.push(Input::Stdin);
        // A file of that very name wins here and for globs, because shells expand names that exist.
        } else if let Some(manifest) = argument.strip_prefix('@').filter(|_| !exists(argument)) {
            from_manifest(Path::new(manifest), base, &network, &mut inputs)?;
        } else if is_url(argument) {
            from_url(argument, &network, &mut inputs)?;
        } else if is_glob(argument) && !exists(argument) {
            from_glob(argument, &mut inputs)?;
        } else {
            from_path(PathBuf::from(argument), &mut inputs)?;
        }
    }
    Ok(inputs)
}

/// The records that an index names: CDXJ, JSON lines or Parquet. Names of archives are relative to
/// `base`, or else to the folder of the index, and stay below it unless `options` say otherwise.
///
/// # Errors
/// If the index cannot be read, or is none.
pub fn select(index: &Path, base: Option<&Base>, options: SelectOptions) -> Result<Input, InputError> {
    let beside = Base::beside(index);
    let selection = RecordSelection::load(index, base.unwrap_or(&beside), options)?;
    let mut locations = selection.archives().iter();
    if let Some(Location::Url(url)) =
        locations.find(|place| matches!(place, Location::Url(url) if check_url(url).is_err()))
    {
        return Err(InputError::Url(redacted(url)));
    }
    Ok(Input::Selection(Arc::new(selection)))
}

fn exists(argument: &str) -> bool {
    Path::new(argument).exists()
}

// Globs are expanded here as well, because a quoted one, or one in a manifest, never meets a shell.
fn is_glob(argument: &str) -> bool {
    argument.contains(['*', '?', '['])
}

/// Whether it is an address that is read.
fn check_url(url: &str) -> Result<(), InputError> {
    let has_path = url
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('/'))
        .is_some_and(|(host, path)| !host.is_empty() && !path.is_empty());
    if url.starts_with("http") && !has_path {
        return Err(InputError::Server(url.to_owned()));
    }
    match SCHEMES.iter().any(|scheme| url.starts_with(scheme)) {
        true => Ok(()),
        false => Err(InputError::Url(redacted(url))),
    }
}

fn from_url(url: &str, network: &Network, inputs: &mut Vec<Input>) -> Result<(), InputError> {
    check_url(url)?;
    let Some((_, place)) = url.split_once("://").filter(|_| url.starts_with("s3")) else {
        inputs.push(Input::Url(url.to_owned()));
        return Ok(());
    };
    let is_prefix = place.ends_with('/') || !place.contains('/');
    if !is_prefix && !is_glob(place) {
        inputs.push(Input::Url(url.to_owned()));
        return Ok(());
    }
    // Up to the last slash before the first character that stands for others.
    let literal = url.split(['*', '?', '[']).next().unwrap_or_default();
    let end = match is_prefix {
        true => url.len(),
        false => literal.rfind('/').map_or(0, |slash| slash + 1),
    };
    let listed = network.list(url.get(..end).unwrap_or_default());
    let listed = listed.map_err(|source| InputError::Bucket { url: redacted(url), source })?;
    let mut found = Found::default();
    if is_prefix {
        for name in listed {
            found.sort(name.clone(), &name);
        }
    } else {
        // As the listing names them.
        let pattern = format!("s3://{place}");
        let glob = Pattern::new(&pattern).map_err(|source| InputError::Glob { pattern: redacted(url), source })?;
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
        let listed = listed.into_iter();
        found.archives = listed.filter(|name| glob.matches_with(name, options)).collect();
    }
    let reason = match is_prefix {
        true => "no WARC, ARC or WACZ file below this prefix",
        false => "no object matches",
    };
    found.give(&redacted(url), reason, inputs, Input::Url);
    Ok(())
}

fn from_path(path: PathBuf, inputs: &mut Vec<Input>) -> Result<(), InputError> {
    // A file that is missing is an input as well: the run reports it and reads the others.
    if !path.is_dir() {
        inputs.push(Input::File(path));
        return Ok(());
    }
    let mut found = Found::default();
    archives_below(&path, &mut found)?;
    let reason = "no WARC, ARC or WACZ file in this folder";
    found.give(&path.to_string_lossy(), reason, inputs, Input::File);
    Ok(())
}

/// Links to folders are not followed, as they may lead in circles; what is no file (named pipes, sockets)
/// would be waited for.
fn archives_below(folder: &Path, found: &mut Found<PathBuf>) -> Result<(), InputError> {
    let failed = |source| InputError::Io { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
        if kind.is_dir() {
            archives_below(&path, found)?;
        } else if path.is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            found.sort(path, &name);
        } else if path.is_dir() {
            found.pass_over("links to folders");
        } else if kind.is_symlink() {
            found.pass_over("links to nothing that can be read");
        } else {
            found.pass_over("pipes, sockets or devices");
        }
    }
    Ok(())
}

fn from_glob(pattern: &str, inputs: &mut Vec<Input>) -> Result<(), InputError> {
    let paths = glob::glob(pattern).map_err(|source| InputError::Glob { pattern: pattern.to_owned(), source })?;
    let mut files = Vec::new();
    for path in paths {
        let path = path.map_err(|error| InputError::Io { path: error.path().to_owned(), source: error.into() })?;
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
    inputs.extend(files.into_iter().map(Input::File));
    Ok(())
}

fn from_manifest(
    manifest: &Path,
    base: Option<&Base>,
    network: &Network,
    inputs: &mut Vec<Input>,
) -> Result<(), InputError> {
    let failed = |source| InputError::Io { path: manifest.to_owned(), source };
    let beside = Base::beside(manifest);
    let base = base.unwrap_or(&beside);
    let mut reader = BufReader::new(File::open(manifest).map_err(failed)?);
    // By its bytes and not its name: Common Crawl's lists of paths are gzip.
    let is_gzip = reader.fill_buf().map_err(failed)?.starts_with(&signature::GZIP);
    let mut text = String::new();
    if is_gzip { MultiGzDecoder::new(reader).read_to_string(&mut text) } else { reader.read_to_string(&mut text) }
        .map_err(failed)?;
    let before = inputs.len();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match base.join(line) {
            Location::Url(url) => from_url(&url, network, inputs)?,
            Location::File(path) => from_path(path, inputs)?,
        }
    }
    if inputs.len() == before {
        inputs.push(Input::Nothing {
            argument: format!("@{}", manifest.display()),
            reason: "no path in this manifest".to_owned(),
        });
    }
    Ok(())
}
