//! Creates and opens our own files. It never follows a link that somebody planted, and never replaces
//! anything but a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Times that a name is freed before somebody else has it every time.
const MAX_TRIES: usize = 8;
/// Links that lead to links before they count as a circle.
const LINKS: usize = 40;
/// Folders of links to open files.
const OPEN_FILES: [&str; 2] = ["/proc", "/dev/fd"];

/// Creates the file `path` anew. An existing entry of that name (from a killed run, or a planted link) is removed; the
/// target of a link stays as it is.
///
/// # Errors
/// The error of the system; [`io::ErrorKind::IsADirectory`] for a folder.
pub fn create_new(path: &Path) -> io::Result<File> {
    for _ in 0..MAX_TRIES {
        match create_where_nothing_is(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                match fs::remove_file(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            opened => return opened,
        }
    }
    create_where_nothing_is(path)
}

/// Makes a file under a name that nothing has, be it a link to nothing.
///
/// # Errors
/// The error of the system; [`io::ErrorKind::AlreadyExists`] if the name is taken.
pub(super) fn create_where_nothing_is(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).open(path)
}

/// Opens a file of our own that is there, to be read, or written and not cut if it is to be `written`.
///
/// # Errors
/// The error of the system, and an error if the path is no regular file, even a link to one.
pub fn open_own(path: &Path, written: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(written);
    not_through_links(&mut options);
    let file = match options.open(path) {
        // The system's own words for a link are no help.
        Err(_) if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) => {
            return Err(not_ours("a symbolic link"));
        }
        opened => opened?,
    };
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_ours("no regular file")) }
}

/// Reads a file of our own.
///
/// # Errors
/// Like [`open_own`].
pub fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_own(path, false)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn not_ours(what: &str) -> io::Error {
    io::Error::other(format!("{what} where this program has a file of its own; remove it"))
}

/// A link is not followed, and a pipe not waited for.
#[cfg(unix)]
fn not_through_links(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
}

/// Elsewhere links need rights that few have.
#[cfg(not(unix))]
fn not_through_links(_: &mut OpenOptions) {}

/// The file that may be replaced when a user asks for results under the name `path`: itself, or what a
/// symbolic link leads to. None for a device, a pipe or a socket, and for what leads to an open file
/// (`/dev/stderr`): they are written where they are.
///
/// # Errors
/// The error of the system; [`io::ErrorKind::IsADirectory`] for a folder.
pub fn replaceable(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let kind = match fs::symlink_metadata(&path) {
            Ok(found) => found.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(path)),
            Err(error) => return Err(error),
        };
        if kind.is_file() {
            return Ok(Some(path));
        } else if kind.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        } else if !kind.is_symlink() || OPEN_FILES.iter().any(|prefix| path.starts_with(prefix)) {
            return Ok(None);
        }
        let leads_to = fs::read_link(&path)?;
        path = match path.parent() {
            Some(folder) => folder.join(leads_to),
            None => leads_to,
        };
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Opens a file that is not regular, for writing in place.
///
/// # Errors
/// The error of the system.
pub fn open_in_place(path: &Path) -> io::Result<File> {
    // What an open file holds already stays.
    OpenOptions::new().append(true).open(path)
}

/// Syncs a file that was written in place, if its kind allows it.
///
/// # Errors
/// The error of the system for a disk.
pub(crate) fn sync_in_place(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// Puts the new name of a file on disk: it is there only once its folder is.
pub(super) fn sync_folder_of(path: &Path) {
    // Not every system lets one open a folder.
    if let Some(Ok(folder)) = path.parent().map(File::open) {
        let _ = folder.sync_all();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::{io::Write, os::unix::fs::symlink};

    #[test]
    fn links_lose_their_names_and_what_they_point_at_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [name, victim, nothing] = ["name", "victim", "nothing"].map(|name| folder.path().join(name));
        fs::write(&victim, "precious").unwrap();
        for target in [&victim, &nothing] {
            symlink(target, &name).unwrap();
            let error = open_own(&name, true).unwrap_err().to_string();
            assert!(error.contains("a symbolic link where"), "{error}");
            create_new(&name).unwrap().write_all(b"ours").unwrap();
            assert!(fs::symlink_metadata(&name).unwrap().is_file());
            assert_eq!(fs::read(&name).unwrap(), b"ours");
            fs::remove_file(&name).unwrap();
        }
        fs::hard_link(&victim, &name).unwrap();
        create_new(&name).unwrap().write_all(b"ours").unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        assert!(!nothing.exists());
        fs::create_dir(&nothing).unwrap();
        assert_eq!(create_new(&nothing).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert!(open_own(&nothing, false).is_err());
    }

    #[test]
    fn links_are_followed_to_the_file_that_may_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        symlink("sub/two", at("one")).unwrap();
        symlink("../three", at("sub/two")).unwrap();
        assert_eq!(replaceable(&at("one")).unwrap(), Some(at("sub/../three")));
        fs::write(at("three"), "x").unwrap();
        assert_eq!(replaceable(&at("one")).unwrap(), Some(at("sub/../three")));
        symlink("circle", at("circle")).unwrap();
        assert!(replaceable(&at("circle")).is_err());
        assert!(replaceable(&at("sub")).is_err());
        for device in ["/dev/null", "/dev/stderr"] {
            assert_eq!(replaceable(Path::new(device)).unwrap(), None, "{device}");
        }
        let pipe = at("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(replaceable(&pipe).unwrap(), None);
        // A pipe that nobody writes into is not waited for.
        assert!(open_own(&pipe, false).is_err());
    }
}
