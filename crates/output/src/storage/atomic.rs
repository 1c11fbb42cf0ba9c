//! Files that appear under their name only when whole.

use std::{
    fs::File,
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use super::hidden::hidden_prefix;

/// A file written under a hidden name in the folder of its final one (`.NAME.XXXXXX.tmp`). It takes its
/// final name in [`finish`](Self::finish); dropped before that, it is removed.
#[derive(Debug)]
pub struct AtomicFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl AtomicFile {
    /// Starts the file that will be `path`.
    ///
    /// # Errors
    /// If the hidden file cannot be created, or `path` has no file name.
    pub fn create(path: &Path) -> io::Result<Self> {
        let prefix = hidden_prefix(path)?;
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(".tmp");
        // Readable by others as far as the user's mask allows, as any file a program writes.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        Ok(Self {
            file: BufWriter::with_capacity(1 << 17, builder.tempfile_in(folder)?),
            path: path.to_owned(),
        })
    }

    /// Puts the bytes on disk and gives the file its final name, replacing a file of that name.
    ///
    /// # Errors
    /// If the disk is full or the file cannot be renamed; it is then removed.
    pub fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::Error::from)?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
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

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
        let hidden = names(folder.path());
        assert!(
            hidden.len() == 1 && hidden[0].starts_with(".a.jsonl.") && hidden[0].ends_with(".tmp"),
            "{hidden:?}"
        );
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
