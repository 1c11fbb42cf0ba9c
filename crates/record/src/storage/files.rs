//! Creates and opens output files, which appear under their names only when they are complete.
//!
//! A file that is not yet complete has a hidden name. Links that somebody planted are not followed, and only files are
//! replaced. The file system is a trait, so that tests can use a failing one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::{ffi::OsString, fmt, fs, io};

use tempfile::{Builder, TempPath};

/// Number of bytes that are collected in memory before they are written.
const BUFFER: usize = 1 << 17;
/// Maximum number of attempts to create a file whose name another program takes each time.
const MAX_TRIES: usize = 8;

/// File that appears under its name only when it is complete. It is written under a hidden name in the same folder
/// (`.NAME.new.tmp`) and renamed by [`finish`](Self::finish). An unfinished file is removed when it is dropped, or
/// later if a program was killed. A symbolic link is followed, and the file that it leads to is replaced. A device or
/// pipe (such as `/dev/stderr`) is written in place.
#[derive(Debug)]
pub struct AtomicFile {
    file: BufWriter<File>,
    /// Hidden name and final name of the file; `None` if the file is written in place.
    names: Option<(TempPath, PathBuf)>,
}

impl AtomicFile {
    /// Creates the hidden file that will be renamed to `path` when it is complete.
    ///
    /// # Errors
    /// Fails if the hidden file cannot be created, if `path` has no file name, or if it is a folder.
    pub fn create(path: &Path) -> io::Result<Self> {
        let (file, names) = match replaceable(path)? {
            None => (open_in_place(path)?, None),
            Some(path) => {
                let (file, hidden) = create_hidden(&path)?;
                (file, Some((hidden, path)))
            }
        };
        Ok(Self { file: BufWriter::with_capacity(BUFFER, file), names })
    }

    /// Creates the folder of `path` and checks that the file can be created in it, so that a long run does not fail at
    /// its end.
    ///
    /// # Errors
    /// Like [`create`](Self::create); also fails if the folder cannot be created.
    pub fn prepare(path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
            fs::create_dir_all(folder)?;
        }
        match replaceable(path)? {
            Some(_) => Self::create(path).map(drop),
            None => Ok(()),
        }
    }

    /// Writes `bytes` as the complete file `path`.
    ///
    /// # Errors
    /// Fails if the file cannot be written; an existing file of this name then stays unchanged.
    pub fn write_all(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = Self::create(path)?;
        Write::write_all(&mut file, bytes)?;
        file.finish()
    }

    /// Syncs the file to disk and gives it its final name, replacing an existing file of this name.
    ///
    /// # Errors
    /// Fails if the disk is full or the file cannot be renamed; the hidden file is then removed.
    pub fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::Error::from)?;
        let Some((hidden, path)) = self.names else { return sync_in_place(&file) };
        file.sync_all()?;
        hidden.persist(&path)?;
        sync_folder_of(&path);
        Ok(())
    }
}

/// Creates the hidden file that will be renamed to `path`. If another program is writing one for `path`, chooses
/// another hidden name.
fn create_hidden(path: &Path) -> io::Result<(File, TempPath)> {
    // What is no regular file is not ours.
    if let Ok(Some(held)) = create_locked(&hidden(path, "new.tmp")?) {
        return Ok(held);
    }
    let prefix = hidden_prefix(path)?;
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    Ok(builder.make_in(folder.unwrap_or(Path::new(".")), create_where_nothing_is)?.into_parts())
}

/// Creates a file that is locked while it is open, and removed when the returned path is dropped. Returns `None` if
/// another program holds the file. An unlocked file of this name, left by a killed program, is replaced.
///
/// # Errors
/// Fails with the error of the system, or if the path is not a regular file.
pub fn create_locked(path: &Path) -> io::Result<Option<(File, TempPath)>> {
    for _ in 0..MAX_TRIES {
        match create_where_nothing_is(path) {
            Ok(file) if is_held(&file)? => return Ok(Some((file, TempPath::try_from_path(path)?))),
            // Another program has just removed it.
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match open_own(path, true) {
                Ok(left) => match left.try_lock() {
                    Ok(()) if has_name(&left)? => fs::remove_file(path)?,
                    Ok(()) => {}
                    Err(TryLockError::WouldBlock) => return Ok(None),
                    Err(TryLockError::Error(error)) => return Err(error),
                },
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            },
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Locks a new file; returns false if another program took it for a leftover of a killed program and removed it.
fn is_held(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        // Without locks nobody can take it for that.
        Err(TryLockError::Error(_)) => Ok(true),
        Ok(()) => has_name(file),
    }
}

#[cfg(unix)]
fn has_name(file: &File) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) > 0)
}

/// Returns true: on systems other than Unix, an open file always keeps its name.
#[cfg(not(unix))]
fn has_name(_: &File) -> io::Result<bool> {
    Ok(true)
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Returns the hidden name `.NAME.suffix` in the folder of `path`.
///
/// # Errors
/// Fails if `path` has no file name.
pub fn hidden(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    let mut name = hidden_prefix(path)?;
    name.push(suffix);
    Ok(path.with_file_name(name))
}

/// Returns the prefix `.NAME.` of every hidden name of `path`.
///
/// # Errors
/// Fails if `path` has no file name.
pub(super) fn hidden_prefix(path: &Path) -> io::Result<OsString> {
    let name =
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"))?;
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    Ok(prefix)
}

/// Maximum number of symbolic links that are followed one after another, to detect circles.
const LINKS: usize = 40;
/// Folders whose entries are links to open files.
const OPEN_FILES: [&str; 2] = ["/proc", "/dev/fd"];

/// Creates a new file at `path`. An existing entry of this name (from a killed run, or a planted link) is removed; the
/// target of a link stays unchanged.
///
/// # Errors
/// Fails with the error of the system; [`io::ErrorKind::IsADirectory`] for a folder.
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

/// Creates a file at `path` only if no entry has this name, not even a broken link.
///
/// # Errors
/// Fails with the error of the system; [`io::ErrorKind::AlreadyExists`] if the name is taken.
pub(super) fn create_where_nothing_is(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).open(path)
}

/// Opens an existing file of this program for reading, or, if `written`, for writing without truncating it.
///
/// # Errors
/// Fails with the error of the system, or if the path is not a regular file (a link to one is not).
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

/// Reads all bytes of a file of this program.
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

/// Sets `options` so that opening a symbolic link fails, and opening a pipe does not wait.
#[cfg(unix)]
fn not_through_links(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
}

/// Does nothing: on systems other than Unix, few users may create links.
#[cfg(not(unix))]
fn not_through_links(_: &mut OpenOptions) {}

/// Returns the file to replace when a user requests results under the name `path`: the path itself, or the target of a
/// symbolic link. Returns `None` for a device, pipe or socket, and for a link to an open file (`/dev/stderr`), which
/// are written in place.
///
/// # Errors
/// Fails with the error of the system; [`io::ErrorKind::IsADirectory`] for a folder.
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

/// Opens a device, a pipe or a link to an open file (`/dev/stderr`), for writing in place after what it contains.
///
/// # Errors
/// Fails with the error of the system.
pub fn open_in_place(path: &Path) -> io::Result<File> {
    // What an open file holds already stays.
    OpenOptions::new().append(true).open(path)
}

/// Syncs a file that was written in place to disk, if its kind allows that.
///
/// # Errors
/// Fails with the error of the system if syncing fails.
pub(crate) fn sync_in_place(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// Syncs the folder of `path` to disk, so that a new file name in it survives a crash.
pub(super) fn sync_folder_of(path: &Path) {
    // Not every system lets one open a folder.
    if let Some(Ok(folder)) = path.parent().map(File::open) {
        let _ = folder.sync_all();
    }
}

/// File system on which outputs are written. The default methods use the file system of the operating system.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// Fails with the error of the system.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(path)?))
    }

    /// Creates a file of this program. An existing file of this name is removed, and never written to.
    ///
    /// # Errors
    /// Fails with the error of the system.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(create_new(path)?))
    }

    /// Opens an existing file of this program to continue after its first `length` bytes; the rest is cut off.
    ///
    /// # Errors
    /// Fails with the error of the system; [`io::ErrorKind::UnexpectedEof`] if the file is shorter.
    fn append(&self, path: &Path, length: u64) -> io::Result<Box<dyn DiskFile>> {
        let mut file = open_own(path, true)?;
        if file.metadata()?.len() < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(Box::new(file))
    }

    /// Renames a file or folder, replacing a file of the new name, and syncs the new name to disk.
    ///
    /// # Errors
    /// Fails with the error of the system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)?;
        sync_folder_of(to);
        Ok(())
    }

    /// Removes a file.
    ///
    /// # Errors
    /// Fails with the error of the system.
    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

/// Replaces the file of this program at `path` by one with the contents `bytes`.
///
/// # Errors
/// Fails with the error of the disk; the old file then stays unchanged.
pub fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = hidden(path, "tmp")?;
    let mut file = disk.create(&new)?;
    file.write_all(bytes)?;
    // On disk before it gets its name: after a power cut the name must not stand for an empty file.
    file.sync()?;
    // Some systems refuse to rename an open file.
    drop(file);
    disk.rename(&new, path)
}

/// File that is being written on a [`Disk`].
pub trait DiskFile: Write + Send {
    /// Syncs all bytes that were written to disk.
    ///
    /// # Errors
    /// Fails with the error of the system.
    fn sync(&mut self) -> io::Result<()>;
}

/// File system of the operating system.
#[derive(Clone, Copy, Debug)]
pub struct LocalDisk;

impl Disk for LocalDisk {}

impl DiskFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::tests::names;
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    #[test]
    fn appears_when_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"whole").unwrap();
        let hidden = names(folder.path());
        assert!(hidden.len() == 1 && hidden[0].starts_with(".a.jsonl.") && hidden[0].ends_with(".tmp"), "{hidden:?}");
        file.finish().unwrap();
        assert_eq!(names(folder.path()), ["a.jsonl"]);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }

    #[cfg(unix)]
    #[test]
    fn has_the_rights_of_any_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        fs::write(&one, "").unwrap();
        AtomicFile::create(&other).unwrap().finish().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&one), mode(&other));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_stays_what_it_is() {
        use std::{io::Read, os::unix::fs::symlink, thread};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.unwrap().success());
        let pipe = at("pipe");
        let reader = thread::spawn(move || {
            let mut read = String::new();
            File::open(pipe).unwrap().read_to_string(&mut read).unwrap();
            read
        });
        AtomicFile::write_all(&at("pipe"), b"words").unwrap();
        assert_eq!(reader.join().unwrap(), "words");
        // A link stays a link, and the file that it leads to is replaced.
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("sub/file"), "a longer text").unwrap();
        symlink("sub/file", at("link")).unwrap();
        AtomicFile::write_all(&at("link"), b"words").unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!(fs::read(at("sub/file")).unwrap(), b"words");
        assert_eq!(names(folder.path()), ["link", "pipe", "sub"]);
        assert_eq!(names(&at("sub")), ["file"]);
        assert!(AtomicFile::create(&at("sub")).is_err());
        // Only root makes devices.
        for (name, minor, is_well) in [("null", "3", true), ("full", "7", false)] {
            let mut mknod = std::process::Command::new("mknod");
            let made = mknod.arg(at(name)).args(["c", "1", minor]).output();
            if made.is_ok_and(|made| made.status.success()) {
                assert_eq!(AtomicFile::write_all(&at(name), b"words").is_ok(), is_well, "{name}");
                let kind = fs::symlink_metadata(at(name)).unwrap().file_type();
                assert!(!kind.is_file() && !kind.is_symlink(), "{name}");
            }
        }
    }

    #[test]
    fn what_a_killed_program_left_is_removed_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(folder.path().join(".a.new.tmp"), "left").unwrap();
        let (mut one, mut other) = (AtomicFile::create(&path).unwrap(), AtomicFile::create(&path).unwrap());
        one.write_all(b"one").unwrap();
        other.write_all(b"other").unwrap();
        assert_eq!(names(folder.path()).len(), 2, "{:?}", names(folder.path()));
        other.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"other");
        one.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn folders_are_made_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b/c/a");
        AtomicFile::prepare(&path).unwrap();
        assert_eq!(names(path.parent().unwrap()), [""; 0]);
        assert!(AtomicFile::prepare(path.parent().unwrap()).is_err());
        fs::write(&path, "x").unwrap();
        assert!(AtomicFile::prepare(&path.join("d")).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"x");
    }

    #[test]
    fn dropped_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(names(folder.path()), ["a.jsonl"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn hidden_names_stand_beside_their_file() {
        assert_eq!(hidden(Path::new("a/b.jsonl"), "tmp").unwrap(), Path::new("a/.b.jsonl.tmp"));
        let kind = hidden(Path::new("a/.."), "tmp").unwrap_err().kind();
        assert_eq!(kind, io::ErrorKind::InvalidInput);
    }

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
