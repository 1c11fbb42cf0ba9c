//! Writes changed copies of outputs, in the format of the original.

use std::path::{Path, PathBuf};
use std::{fs, io, io::Write as _};

use crate::{
    Assemble, AtomicFile, Document, Encode, Format, Frames, Jsonl, Msgpack, OutputError, readable_name, storage::hidden,
};

/// Writer of a changed copy of an output, in the same format and compression. The copy appears under its name, which
/// may be that of the original, when it is complete.
pub struct OutputCopy<'a> {
    target: PathBuf,
    /// Path of the MessagePack file from which a Parquet copy is assembled, and the assembler; else `None`.
    spool: Option<(PathBuf, &'a dyn Assemble)>,
    encoder: &'static dyn Encode,
    stream: Frames<AtomicFile>,
    bytes: Vec<u8>,
}

impl<'a> OutputCopy<'a> {
    /// Begins a copy of `output` at `target`, without any documents yet; `assemble` is needed for Parquet.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the name of `output` does not determine a format that can be read back, or if
    /// the format is Parquet and `assemble` is missing. Also fails if the copy cannot be created.
    pub fn create(output: &Path, target: &Path, assemble: Option<&'a dyn Assemble>) -> io::Result<Self> {
        let unreadable =
            || io::Error::new(io::ErrorKind::InvalidInput, "not JSON lines, MessagePack or Parquet by its name");
        let (_, format, compression) = readable_name(output).ok_or_else(unreadable)?;
        let encoder: &'static dyn Encode = match format {
            Format::Jsonl => &Jsonl,
            _ => &Msgpack,
        };
        let spool = match format {
            Format::Parquet => Some((hidden(target, "spool")?, assemble.ok_or_else(unreadable)?)),
            _ => None,
        };
        let written = spool.as_ref().map_or(target, |(path, _)| path);
        let stream = Frames::new(AtomicFile::create(written)?, compression, false);
        Ok(Self { target: target.to_owned(), spool, encoder, stream, bytes: Vec::new() })
    }

    /// Adds a document to the copy.
    ///
    /// # Errors
    /// Fails if the document cannot be written.
    pub fn add(&mut self, record: &Document) -> Result<(), OutputError> {
        self.bytes.clear();
        self.encoder.record(record, &mut self.bytes)?;
        Ok(self.stream.write_all(&self.bytes)?)
    }

    /// Syncs the copy to disk and gives it its final name.
    ///
    /// # Errors
    /// Fails if the copy cannot be written.
    pub fn finish(self) -> Result<(), OutputError> {
        self.stream.finish()?.finish()?;
        let Some((spool, assemble)) = self.spool else { return Ok(()) };
        let made = hidden(&self.target, "tmp").map_err(OutputError::from).and_then(|new| {
            assemble.assemble(&spool, &new)?;
            Ok(fs::rename(new, &self.target)?)
        });
        // It served its purpose, or was of no use.
        let _ = fs::remove_file(&spool);
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordReader;
    use crate::record_id::tests::{full, record};

    #[test]
    fn a_copy_has_the_bytes_of_the_original_and_may_take_its_place() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.jsonl", "a.msgpack.gz", "a.jsonl.zst"] {
            let path = folder.path().join(name);
            let (_, format, compression) = readable_name(&path).unwrap();
            let (encoder, _) = crate::encoder(format, compression).unwrap();
            let mut bytes = Vec::new();
            encoder.record(&full(), &mut bytes).unwrap();
            encoder.record(&record(), &mut bytes).unwrap();
            let mut stream = Frames::new(fs::File::create(&path).unwrap(), compression, false);
            stream.write_all(&bytes).unwrap();
            stream.finish().unwrap();
            let before = fs::read(&path).unwrap();
            let mut copy = OutputCopy::create(&path, &path, None).unwrap();
            for record in RecordReader::open(&path).unwrap() {
                copy.add(&record.unwrap()).unwrap();
            }
            assert_eq!(fs::read(&path).unwrap(), before, "nothing is there before the end");
            copy.finish().unwrap();
            assert_eq!(fs::read(&path).unwrap(), before, "{name}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        let refused = OutputCopy::create(Path::new("a.wet.gz"), &folder.path().join("x"), None);
        assert_eq!(refused.err().unwrap().kind(), io::ErrorKind::InvalidInput);
    }
}
