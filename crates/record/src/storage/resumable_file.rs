//! Writes an output file in frames, which an interrupted run can continue, and which appears when it is complete.
//!
//! The valid beginning of the file is recognised by its length and checksum.

use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::files::{hidden, open_own};
use crate::{Compression, Disk, DiskFile, Frames, OutputError};

/// Output file that a later run can continue after an interruption. It is written under a hidden name in the same
/// folder (`.NAME.tmp`). When dropped, it stays there, so that another run can [`resume`](Self::resume) it. When it is
/// complete, [`publish`] gives it its final name.
pub struct Shard {
    frames: Frames<CountedFile>,
}

impl Shard {
    /// Creates the hidden file that will be renamed to `path`. The hidden file of an interrupted run is replaced.
    ///
    /// # Errors
    /// Fails if the hidden file cannot be created, or if `path` has no file name.
    pub fn create(disk: &dyn Disk, path: &Path, compression: Compression) -> io::Result<Self> {
        Ok(Self::over(disk.create(&hidden(path, "tmp")?)?, compression, Sha256::new(), 0))
    }

    /// Continues the hidden file of `path` after `extent`, the beginning that [`checkpoint`](Self::checkpoint)
    /// returned. Reads the beginning again, and leaves a file with other bytes unchanged.
    ///
    /// # Errors
    /// Fails if the hidden file is missing, shorter ([`io::ErrorKind::UnexpectedEof`]) or begins with other bytes
    /// ([`io::ErrorKind::InvalidData`]).
    pub fn resume(disk: &dyn Disk, path: &Path, compression: Compression, extent: &Extent) -> io::Result<Self> {
        let spool = hidden(path, "tmp")?;
        let digest = extent.check(open_own(&spool, false)?)?;
        Ok(Self::over(disk.append(&spool, extent.length)?, compression, digest, extent.length))
    }

    fn over(file: Box<dyn DiskFile>, compression: Compression, digest: Sha256, length: u64) -> Self {
        let file = CountedFile { file: BufWriter::with_capacity(1 << 17, file), digest, length };
        Self { frames: Frames::new(file, compression, length > 0) }
    }

    /// Adds bytes to the current compression frame of the file.
    ///
    /// # Errors
    /// Fails if the disk or the compressor fails.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.frames.write_all(bytes)
    }

    /// Ends the current compression frame of the file, without syncing the file to disk.
    ///
    /// # Errors
    /// Fails if the disk fails.
    pub fn end_frame(&mut self) -> io::Result<()> {
        self.frames.end_frame().map(drop)
    }

    /// Ends the current frame and syncs the file to disk; returns the length and checksum of the file.
    ///
    /// # Errors
    /// Fails if the disk fails.
    pub fn checkpoint(&mut self) -> io::Result<Extent> {
        self.frames.end_frame()?.sync()
    }

    /// Ends the current compression frame and appends another file, whose length and checksum must be those of
    /// `extent`.
    ///
    /// # Errors
    /// Fails if one of the files fails, or if the bytes differ from `extent`.
    pub fn join(&mut self, frames: impl Read, extent: &Extent) -> io::Result<()> {
        let file = self.frames.end_frame()?;
        let mut copied = Copied { from: frames, to: file };
        extent.check(&mut copied)?;
        self.frames.note_begun(extent.length > 0);
        Ok(())
    }

    /// Ends the last frame and syncs the file to disk, still under its hidden name; returns its length and checksum.
    ///
    /// # Errors
    /// Fails if the disk fails.
    pub fn complete(self) -> io::Result<Extent> {
        self.frames.finish()?.sync()
    }
}

/// File that counts the bytes written to it and computes their checksum, without reading them back from the disk.
struct CountedFile {
    file: BufWriter<Box<dyn DiskFile>>,
    digest: Sha256,
    length: u64,
}

impl CountedFile {
    fn sync(&mut self) -> io::Result<Extent> {
        self.file.flush()?;
        self.file.get_mut().sync()?;
        Ok(Extent::new(self.length, self.digest.clone()))
    }
}

impl Write for CountedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.digest.update(bytes.get(..written).unwrap_or(bytes));
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Reader that also writes the bytes it reads to a file.
struct Copied<'a, R> {
    from: R,
    to: &'a mut CountedFile,
}

impl<R: Read> Read for Copied<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(bytes)?;
        self.to.write_all(bytes.get(..read).unwrap_or_default())?;
        Ok(read)
    }
}

/// Converter of a complete output file (shard) to its final form, for formats that cannot be written document by
/// document. The result is a file with its index at the end, or a folder.
pub trait Assemble: std::fmt::Debug + Send + Sync {
    /// Reads `spool`, which contains the encoded and compressed documents, and writes the file or folder `target`,
    /// which does not exist. The caller syncs and renames `target`. The same spool must give the same result, because
    /// the step is repeated after an interruption.
    ///
    /// # Errors
    /// Fails if `spool` cannot be read or `target` cannot be written.
    fn assemble(&self, spool: &Path, target: &Path) -> Result<(), OutputError>;

    /// Returns the first entry of the folder `target` that is not part of an output assembled before; `None` if the
    /// folder may be replaced.
    ///
    /// # Errors
    /// Fails if the folder cannot be read, and for all formats whose outputs are files.
    fn foreign(&self, target: &Path) -> io::Result<Option<PathBuf>> {
        // Only formats whose outputs are folders look into it.
        let _ = target;
        Err(io::ErrorKind::IsADirectory.into())
    }
}

/// Gives the [complete](Shard::complete) output file `path` its final name, after `assemble` if there is one. It may be
/// called again after an interruption: if the file is already published, it does nothing.
///
/// # Errors
/// Fails if there is neither a hidden nor a final file, or if the file cannot be assembled or renamed.
pub fn publish(disk: &dyn Disk, path: &Path, assemble: Option<&dyn Assemble>) -> Result<(), OutputError> {
    let spool = hidden(path, "tmp")?;
    if !spool.exists() {
        return if path.exists() { Ok(()) } else { Err(io::Error::from(io::ErrorKind::NotFound).into()) };
    }
    let Some(assemble) = assemble else { return Ok(disk.rename(&spool, path)?) };
    let part = hidden(path, "part")?;
    remove_all(&part)?;
    assemble.assemble(&spool, &part)?;
    // A folder is replaced by none but an empty one.
    if path.is_dir() {
        if let Some(file) = assemble.foreign(path)? {
            return Err(OutputError::Foreign { path: path.to_owned(), file });
        }
        fs::remove_dir_all(path)?;
    }
    disk.rename(&part, path)?;
    Ok(disk.remove(&spool)?)
}

/// Removes the hidden file that an interrupted run left for the output file `path`.
pub fn discard(disk: &dyn Disk, path: &Path) {
    if let Ok(spool) = hidden(path, "tmp")
        && spool.exists()
    {
        let _ = disk.remove(&spool);
    }
}

fn remove_all(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

/// Length and checksum of the beginning of a file, by which a continued run recognises the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Length in bytes of the beginning of the file.
    pub length: u64,
    /// SHA-256 of the beginning of the file.
    sha256: [u8; 32],
}

impl Default for Extent {
    /// Creates the extent of an empty file.
    fn default() -> Self {
        Self::new(0, Sha256::new())
    }
}

impl Extent {
    /// Creates an extent from a length and the state of a digest over this number of bytes.
    pub fn new(length: u64, digest: Sha256) -> Self {
        Self { length, sha256: digest.finalize().into() }
    }

    /// Returns the SHA-256 in hexadecimal digits.
    pub fn hex(&self) -> String {
        HEXLOWER.encode(&self.sha256)
    }

    /// Checks that a file begins with the bytes of the extent, and returns their digest, which can be continued.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the file is shorter, [`io::ErrorKind::InvalidData`] if it begins with other
    /// bytes. Also fails if reading fails.
    pub fn check(&self, file: impl Read) -> io::Result<Sha256> {
        let (length, digest) = digest_of(file.take(self.length))?;
        if length < self.length {
            let what = format!("has {length} bytes, not {}", self.length);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
        }
        if digest.clone().finalize() != self.sha256 {
            let what = "its bytes are not those that were written";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(digest)
    }

    /// Checks that a file has exactly the bytes of the extent, and no more.
    ///
    /// # Errors
    /// Like [`check`](Self::check); also fails if the file has more bytes.
    pub fn check_all(&self, mut file: impl Read) -> io::Result<()> {
        self.check(&mut file)?;
        match file.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, format!("has more than {} bytes", self.length))),
        }
    }
}

/// Writer that computes the SHA-256 of the bytes written to it, and stores nothing else.
#[derive(Clone, Debug, Default)]
pub struct DigestWriter(pub Sha256);

impl Write for DigestWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads all bytes of an input, and returns their number and SHA-256.
///
/// # Errors
/// Fails if reading fails.
pub fn digest_of(bytes: impl Read) -> io::Result<(u64, Sha256)> {
    let mut writer = DigestWriter::default();
    // In pieces: outputs are larger than memory.
    let length = io::copy(&mut BufReader::with_capacity(1 << 17, bytes), &mut writer)?;
    Ok((length, writer.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalDisk;
    use crate::storage::tests::names;

    fn written(path: &Path, parts: &[&[u8]]) {
        let mut shard = Shard::create(&LocalDisk, path, Compression::None).unwrap();
        for part in parts {
            shard.write(part).unwrap();
        }
        shard.complete().unwrap();
    }

    #[test]
    fn appears_when_published() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        written(&path, &[b"who", b"le"]);
        assert_eq!(names(folder.path()), [".a.jsonl.tmp"]);
        for _ in 0..2 {
            publish(&LocalDisk, &path, None).unwrap();
            assert_eq!(names(folder.path()), ["a.jsonl"]);
            assert_eq!(fs::read(&path).unwrap(), b"whole");
        }
        assert!(publish(&LocalDisk, &folder.path().join("b"), None).is_err());
    }

    #[test]
    fn frames_of_another_file_are_joined_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let mut whole = Shard::create(&LocalDisk, &path("whole"), compression).unwrap();
            let mut joined = Shard::create(&LocalDisk, &path("joined"), compression).unwrap();
            for bytes in [&b"one\n"[..], b"two\n"] {
                whole.write(bytes).unwrap();
                whole.end_frame().unwrap();
                let mut share = Shard::create(&LocalDisk, &path("share"), compression).unwrap();
                share.write(bytes).unwrap();
                let extent = share.checkpoint().unwrap();
                // What came after is not of it.
                share.write(b"more").unwrap();
                share.end_frame().unwrap();
                joined.join(fs::File::open(path(".share.tmp")).unwrap(), &extent).unwrap();
            }
            let other = Extent::new(3, Sha256::new());
            assert_eq!(joined.checkpoint().unwrap().hex(), whole.checkpoint().unwrap().hex(), "{compression}");
            assert_eq!(joined.join(&b"abc"[..], &other).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn goes_on_behind_its_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut shard = Shard::create(&LocalDisk, &path, Compression::Gzip).unwrap();
        shard.write(b"one").unwrap();
        let extent = shard.checkpoint().unwrap();
        shard.write(&[7; 1 << 20]).unwrap();
        shard.end_frame().unwrap();
        drop(shard);
        let stored = || fs::metadata(folder.path().join(".a.jsonl.tmp")).unwrap().len();
        assert!(stored() > extent.length);
        let mut shard = Shard::resume(&LocalDisk, &path, Compression::Gzip, &extent).unwrap();
        assert_eq!(stored(), extent.length);
        // What it says of itself counts the beginning.
        let same = shard.checkpoint().unwrap();
        assert_eq!((same.length, same.hex()), (extent.length, extent.hex()));
        drop(shard);
        let spool = folder.path().join(".a.jsonl.tmp");
        let bytes = fs::read(&spool).unwrap();
        let refused = |bytes: &[u8]| {
            fs::write(&spool, bytes).unwrap();
            let resumed = Shard::resume(&LocalDisk, &path, Compression::Gzip, &extent);
            assert_eq!(fs::read(&spool).unwrap(), bytes);
            resumed.map(drop).unwrap_err().kind()
        };
        assert_eq!(refused(&bytes[1..]), io::ErrorKind::UnexpectedEof);
        let mut flipped = bytes.clone();
        flipped[3] ^= 1;
        assert_eq!(refused(&flipped), io::ErrorKind::InvalidData);
        discard(&LocalDisk, &path);
        assert!(names(folder.path()).is_empty());
    }

    /// Assembler that makes a folder with one file, which contains the length of the spool.
    #[derive(Debug)]
    struct Length;

    impl Assemble for Length {
        fn assemble(&self, spool: &Path, target: &Path) -> Result<(), OutputError> {
            fs::create_dir(target)?;
            let length = fs::metadata(spool)?.len();
            Ok(fs::write(target.join("length"), length.to_string())?)
        }

        fn foreign(&self, target: &Path) -> io::Result<Option<PathBuf>> {
            let entries = fs::read_dir(target)?.map(|entry| entry.unwrap().file_name());
            Ok(entries.map(PathBuf::from).find(|name| name != "length"))
        }
    }

    #[test]
    fn assembling_replaces_what_is_there_and_can_be_done_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.index");
        for length in [3, 5] {
            written(&path, &[&vec![0; length]]);
            // Left by an assembly that was killed.
            fs::create_dir(folder.path().join(".a.index.part")).unwrap();
            for _ in 0..2 {
                publish(&LocalDisk, &path, Some(&Length)).unwrap();
                assert_eq!(names(folder.path()), ["a.index"]);
                assert_eq!(fs::read_to_string(path.join("length")).unwrap(), length.to_string());
            }
        }
        // What is not ours is not removed.
        fs::write(path.join("notes.txt"), "mine").unwrap();
        written(&path, &[&[0; 9]]);
        let error = publish(&LocalDisk, &path, Some(&Length)).unwrap_err();
        assert!(error.to_string().contains("notes.txt"), "{error}");
        assert_eq!(fs::read(path.join("notes.txt")).unwrap(), b"mine");
    }

    #[test]
    fn other_bytes_are_known() {
        let extent = Extent::new(3, Sha256::new_with_prefix("abc"));
        assert_eq!(extent.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert!(extent.check(&b"abcd"[..]).is_ok() && extent.check_all(&b"abc"[..]).is_ok());
        for (bytes, kind) in [
            ("ab", io::ErrorKind::UnexpectedEof),
            ("abd", io::ErrorKind::InvalidData),
            ("abcd", io::ErrorKind::InvalidData),
        ] {
            assert_eq!(extent.check_all(bytes.as_bytes()).unwrap_err().kind(), kind, "{bytes}");
        }
        assert!(Extent::default().check_all(&b""[..]).is_ok());
    }
}
