//! Files that appear under their name only when whole.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::hidden;

/// A file written under a hidden name in the folder of its final one (`.NAME.tmp`). It takes its
/// final name in [`finish`](Self::finish); dropped before that, it is removed.
#[derive(Debug)]
pub struct AtomicFile {
    file: BufWriter<File>,
    path: PathBuf,
    temporary: Option<PathBuf>,
}

impl AtomicFile {
    /// Starts the file that will be `path`. What an interrupted run left under the hidden name is
    /// overwritten.
    ///
    /// # Errors
    /// If the hidden file cannot be created, or `path` has no file name.
    pub fn create(path: &Path) -> io::Result<Self> {
        let temporary = hidden(path, "tmp")?;
        let file = File::create(&temporary)?;
        Ok(Self {
            file: BufWriter::with_capacity(1 << 17, file),
            path: path.to_owned(),
            temporary: Some(temporary),
        })
    }

    /// Puts the bytes on disk and gives the file its final name, replacing a file of that name.
    ///
    /// # Errors
    /// If the disk is full or the file cannot be renamed; it is then removed.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.path)?;
        }
        self.temporary = None;
        // The new name is on disk only once its folder is; not every system lets one open a folder.
        if let Some(Ok(folder)) = self.path.parent().map(File::open) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            let _ = fs::remove_file(temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn appears_when_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"whole").unwrap();
        assert_eq!(names(folder.path()), [".a.jsonl.tmp"]);
        file.finish().unwrap();
        assert_eq!(names(folder.path()), ["a.jsonl"]);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
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
