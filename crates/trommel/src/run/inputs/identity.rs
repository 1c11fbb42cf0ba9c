//! The identity of an input, and whether it has changed since it was read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::run::inputs::Input;
use crate::run::inputs::pages::PageFiles;

/// Bytes at the head and at the tail of an archive that its checksum covers.
// Archives have gigabytes: both ends tell a file that was replaced or has grown, in milliseconds.
const END_BYTES: u64 = 1 << 16;

/// An input as it was when it was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// The input as the user named it.
    pub(crate) name: String,
    /// The stamp of its file; none if it is not a regular file or did not exist.
    pub(crate) stamp: Option<FileStamp>,
}

/// The stamp of a file: facts that change with it, without all its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileStamp {
    size: u64,
    /// Nanoseconds since 1970; none where the system has no such time.
    modified: Option<u64>,
    /// SHA-256 of its head and tail; of an index, which is read as a whole, of all.
    ends: String,
}

impl Identity {
    /// The identity of an input at this moment.
    pub(crate) fn of(input: &Input) -> Self {
        let stamp = match input {
            Input::Pages(pages) => Some(FileStamp::of_pages(pages)),
            _ => input.path().and_then(|path| FileStamp::of(path, ends_of(input)).ok().flatten()),
        };
        Self { name: input.name(), stamp }
    }

    /// Describes how `input`, of the same name, has changed; none if it has not. A file that is there again after it
    /// was missing has not changed: it is new.
    pub(crate) fn change(&self, input: &Input) -> Option<String> {
        let then = self.stamp.as_ref()?;
        if let Input::Pages(pages) = input {
            return (*then != FileStamp::of_pages(pages)).then(|| "its pages are others".to_owned());
        }
        let Some(path) = input.path() else { return Some("it was a file".to_owned()) };
        match then.change(path, ends_of(input)) {
            Ok(change) => change,
            Err(error) => Some(error.to_string()),
        }
    }

    /// Returns whether the input is a file that was not there, and is now.
    pub(crate) fn was_missing(&self, input: &Input) -> bool {
        let is_there = |path: &Path| path.metadata().is_ok_and(|file| file.is_file());
        self.stamp.is_none() && matches!(input, Input::File(path) if is_there(path))
    }

    /// Returns whether the input, of which nothing could be read, may be read now: a file that was missing, or what the
    /// network did not give.
    pub(crate) fn has_appeared(&self, input: &Input) -> bool {
        self.stamp.is_none()
            && match input {
                Input::File(_) => self.was_missing(input),
                Input::Url(_) => true,
                // A container of the network: that it is an archive of one says that it came.
                Input::Packed(packed) => packed.path().is_none(),
                Input::Selection(_) | Input::Pages(_) | Input::Stdin | Input::Nothing { .. } => false,
            }
    }
}

impl FileStamp {
    /// That of pages in files: their names and lengths.
    fn of_pages(pages: &PageFiles) -> Self {
        Self { size: pages.bytes(), modified: None, ends: pages.digest() }
    }

    /// Computes the identity of a regular file; none for other files, because a pipe must not be opened twice.
    fn of(path: &Path, covered: u64) -> io::Result<Option<Self>> {
        let found = path.metadata()?;
        if !found.is_file() {
            return Ok(None);
        }
        let modified = found.modified().ok().and_then(nanoseconds);
        Ok(Some(Self { size: found.len(), modified, ends: digest_of_ends(path, found.len(), covered)? }))
    }

    fn change(&self, path: &Path, covered: u64) -> io::Result<Option<String>> {
        let found = path.metadata()?;
        // The cheap tests first: the file is opened only if size and time leave a doubt.
        if found.len() != self.size {
            let (then, now) = (self.size, found.len());
            return Ok(Some(format!("it had {then} bytes, now {now}")));
        }
        // A copy has another time and the same bytes.
        let modified = found.modified().ok().and_then(nanoseconds);
        if modified == self.modified || digest_of_ends(path, self.size, covered)? == self.ends {
            return Ok(None);
        }
        Ok(Some("its bytes are others".to_owned()))
    }
}

fn nanoseconds(time: SystemTime) -> Option<u64> {
    u64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}

/// Bytes at the head and at the tail that count.
fn ends_of(input: &Input) -> u64 {
    match input {
        // An index names single records, so each of its lines counts.
        Input::Selection(_) => u64::MAX,
        _ => END_BYTES,
    }
}

fn digest_of_ends(path: &Path, size: u64, covered: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut bytes = Vec::new();
    file.by_ref().take(covered).read_to_end(&mut bytes)?;
    digest.update(&bytes);
    if size > covered {
        file.seek(SeekFrom::Start(size.saturating_sub(covered).max(covered)))?;
        bytes.clear();
        file.take(covered).read_to_end(&mut bytes)?;
        digest.update(&bytes);
    }
    Ok(HEXLOWER.encode(&digest.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn changes_are_seen_and_copies_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        let input = Input::File(path.clone());
        assert!(Identity::of(&input).stamp.is_none());
        let mut bytes = vec![b'x'; 300_000];
        fs::write(&path, &bytes).unwrap();
        let identity = Identity::of(&input);
        assert_eq!(identity.change(&input), None);
        let touch = |seconds| {
            let time = UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
        };
        touch(1000);
        assert_eq!(identity.change(&input), None);
        *bytes.last_mut().unwrap() = b'y';
        fs::write(&path, &bytes).unwrap();
        touch(2000);
        let change = identity.change(&input);
        assert_eq!(change.as_deref(), Some("its bytes are others"));
        fs::write(&path, b"short").unwrap();
        let change = identity.change(&input);
        assert_eq!(change.as_deref(), Some("it had 300000 bytes, now 5"));
        fs::remove_file(&path).unwrap();
        assert!(identity.change(&input).is_some());
    }
}
