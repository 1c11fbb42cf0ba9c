//! Files that appear under their names only when they are complete.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempPath};

use super::create::{create_where_nothing_is, open_in_place, open_own, replaceable, sync_folder_of, sync_in_place};
use super::hidden::{hidden, hidden_prefix};

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 17;
/// Times that the usual hidden name is tried before the file gets one of its own.
const MAX_TRIES: usize = 8;

/// A file written under a hidden name in the folder of its final one (`.NAME.new.tmp`). It takes its
/// final name in [`finish`](Self::finish); dropped before that, it is removed. What a killed program left under the
/// hidden name is removed, too. Where the name leads by
/// symbolic links is the file that is replaced. What is no regular file (a device, a pipe, `/dev/stderr`) is
/// written in place.
#[derive(Debug)]
pub struct AtomicFile {
    file: BufWriter<File>,
    /// The hidden name and the final one; none of what is written in place.
    names: Option<(TempPath, PathBuf)>,
}

impl AtomicFile {
    /// Starts the file that will be `path`.
    ///
    /// # Errors
    /// If the hidden file cannot be created, `path` has no file name, or is a folder.
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

    /// Makes the folder of `path` and tries whether the file can be created there. So nobody works for hours on
    /// something that cannot be written.
    ///
    /// # Errors
    /// Those of [`create`](Self::create), and if the folder cannot be made.
    pub fn prepare(path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
            fs::create_dir_all(folder)?;
        }
        match replaceable(path)? {
            Some(_) => Self::create(path).map(drop),
            None => Ok(()),
        }
    }

    /// Writes a file as a whole.
    ///
    /// # Errors
    /// If it cannot be written; a file of that name is then as it was.
    pub fn write_all(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = Self::create(path)?;
        Write::write_all(&mut file, bytes)?;
        file.finish()
    }

    /// Puts the bytes on disk and gives the file its final name, replacing a file of that name.
    ///
    /// # Errors
    /// If the disk is full or the file cannot be renamed; it is then removed.
    pub fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::Error::from)?;
        let Some((hidden, path)) = self.names else { return sync_in_place(&file) };
        file.sync_all()?;
        hidden.persist(&path)?;
        sync_folder_of(&path);
        Ok(())
    }
}

/// Creates the hidden file that will be `path`. It is locked as long as it is written. So a file under the usual name
/// that nobody has locked was left by a program that was killed; beside one that is locked another name is taken.
fn create_hidden(path: &Path) -> io::Result<(File, TempPath)> {
    let usual = hidden(path, "new.tmp")?;
    for _ in 0..MAX_TRIES {
        match create_where_nothing_is(&usual) {
            Ok(file) if is_held(&file)? => return Ok((file, TempPath::try_from_path(usual)?)),
            // Another program has just removed it.
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // What is no regular file is not ours.
                match open_own(&usual, true) {
                    Ok(left) if left.try_lock().is_ok() => fs::remove_file(&usual)?,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    _ => break,
                }
            }
            Err(error) => return Err(error),
        }
    }
    let prefix = hidden_prefix(path)?;
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    Ok(builder.make_in(folder.unwrap_or(Path::new(".")), create_where_nothing_is)?.into_parts())
}

/// Locks a new file; false if another program took it for one that was left, and removed it.
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

/// Elsewhere a file that is open keeps its name.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::tests::names;
    use std::fs;

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
}
