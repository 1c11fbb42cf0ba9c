//! Reads the stored bytes of an archive from a file, an object, or a part of either, which may be deflated.

use std::io::{self, Read, Seek, SeekFrom};
use std::{fs::File, ops::Range};

use flate2::read::DeflateDecoder;
use trommel_archive::wacz::{Bytes, Window};

use crate::{Location, Remote, SourceError};

/// Location of an archive: a file, an object behind a URL, or a part of one, such as an entry of a WACZ file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveBytes {
    /// Archive that is a whole file or object.
    Whole(Location),
    /// Archive that is stored unchanged in a byte range of a file or object. The range may end after the file.
    Within(Location, Range<u64>),
    /// Archive that is compressed by deflate in a byte range of a file or object.
    Deflated(Location, Range<u64>),
    /// Archive whose bytes cannot be read; holds the reason.
    Missing(SourceError),
}

impl ArchiveBytes {
    /// Opens the bytes at their start, for reading in order.
    ///
    /// # Errors
    /// Fails if the bytes do not exist or cannot be read.
    pub fn open(&self, remote: &Remote) -> io::Result<OpenBytes> {
        self.opened(|url| Ok(Box::new(remote.open(url)?)))
    }

    /// Opens the bytes for reading at scattered places; an object is fetched in small blocks.
    ///
    /// # Errors
    /// Fails if the bytes do not exist, or if a server gives an object only as a whole.
    pub fn open_blocks(&self, remote: &Remote) -> io::Result<OpenBytes> {
        self.opened(|url| Ok(Box::new(remote.seekable(url)?)))
    }

    fn opened(&self, object: impl FnOnce(&str) -> io::Result<Box<dyn Bytes>>) -> io::Result<OpenBytes> {
        let location = match self {
            Self::Whole(location) | Self::Within(location, _) | Self::Deflated(location, _) => location,
            Self::Missing(error) => return Err(error.clone().into()),
        };
        let input: Box<dyn Bytes> = match location {
            Location::File(path) => Box::new(File::open(path)?),
            Location::Url(url) => object(url)?,
        };
        let part = |input, range: &Range<u64>| Window::new(input, range.start, range.end.saturating_sub(range.start));
        Ok(OpenBytes(match self {
            Self::Within(_, range) => Plain::Stored(Box::new(part(input, range)?)),
            Self::Deflated(_, range) => {
                Plain::Inflated { decoder: Some(Box::new(Inflater::new(part(input, range)?))), read: 0, at: 0 }
            }
            Self::Whole(_) | Self::Missing(_) => Plain::Stored(input),
        }))
    }

    /// Returns the URL of the object that holds the archive uncompressed, and the archive's byte range in it. `None`
    /// for an archive in a file or a deflated one.
    pub(crate) fn object(&self) -> Option<(&str, Range<u64>)> {
        match self {
            Self::Whole(Location::Url(url)) => Some((url, 0..u64::MAX)),
            Self::Within(Location::Url(url), part) => Some((url, part.clone())),
            _ => None,
        }
    }
}

/// Reader of an archive's bytes. Deflated bytes have no known length, and seeking back inflates them again from their
/// start.
pub struct OpenBytes(Plain);

type Inflater = DeflateDecoder<Window<Box<dyn Bytes>>>;

enum Plain {
    Stored(Box<dyn Bytes>),
    Inflated {
        decoder: Option<Box<Inflater>>,
        /// Number of bytes inflated so far.
        read: u64,
        /// Offset, in the inflated bytes, of the next byte to read.
        at: u64,
    },
}

impl OpenBytes {
    /// Reads a byte range of the archive; returns fewer bytes if the archive ends earlier.
    ///
    /// # Errors
    /// Fails if the bytes cannot be read.
    pub fn range(&mut self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let mut found = Vec::new();
        self.seek(SeekFrom::Start(range.start))?;
        self.take(range.end - range.start).read_to_end(&mut found)?;
        Ok(found)
    }
}

impl Read for OpenBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (decoder, read, at) = match &mut self.0 {
            Plain::Stored(part) => return part.read(buffer),
            Plain::Inflated { decoder, read, at } => (decoder, read, at),
        };
        if *at < *read
            && let Some(before) = decoder.take()
        {
            let mut part = before.into_inner();
            part.rewind()?;
            (*decoder, *read) = (Some(Box::new(Inflater::new(part))), 0);
        }
        let Some(decoder) = decoder else { return Ok(0) };
        *read += io::copy(&mut decoder.take(*at - *read), &mut io::sink())?;
        if *read < *at {
            return Ok(0);
        }
        let count = decoder.read(buffer)?;
        *read += count as u64;
        *at = *read;
        Ok(count)
    }
}

impl Seek for OpenBytes {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match &mut self.0 {
            Plain::Stored(part) => return part.seek(to),
            Plain::Inflated { at, .. } => at,
        };
        *at = match to {
            SeekFrom::Start(to) => to,
            SeekFrom::Current(by) => at.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput)?,
            SeekFrom::End(_) => return Err(io::ErrorKind::Unsupported.into()),
        };
        Ok(*at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetworkOptions;
    use flate2::{Compression, write::DeflateEncoder};
    use std::io::Write;

    /// Checks that stored and deflated parts of a file are read and sought in alike.
    #[test]
    fn parts_are_read_and_sought_in_alike() {
        let folder = tempfile::tempdir().unwrap();
        let plain: Vec<u8> = (0..100_000_u32).map(|at| (at % 251) as u8).collect();
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::fast());
        deflated.write_all(&plain).unwrap();
        let deflated = deflated.finish().unwrap();
        let remote = Remote::new(NetworkOptions::default());
        let opened = |name: &str, bytes: &[u8], place: fn(Location, Range<u64>) -> ArchiveBytes| {
            let path = folder.path().join(name);
            std::fs::write(&path, [b"before", bytes, b"behind"].concat()).unwrap();
            place(Location::File(path), 6..6 + bytes.len() as u64).open(&remote).unwrap()
        };
        let mut stored = opened("a", &plain, ArchiveBytes::Within);
        let mut inflated = opened("b", &deflated, ArchiveBytes::Deflated);
        assert_eq!(stored.seek(SeekFrom::End(-7)).unwrap(), 99_993);
        assert_eq!(inflated.seek(SeekFrom::End(0)).unwrap_err().kind(), io::ErrorKind::Unsupported);
        for range in [0..10, 90_000..90_010, 90_005..90_020, 5..9, 99_990..100_050, 100_000..100_001, 200_000..200_001]
        {
            let expected = plain.get(range.start..plain.len().min(range.end)).unwrap_or_default();
            let wanted = range.start as u64..range.end as u64;
            assert_eq!(stored.range(wanted.clone()).unwrap(), expected, "{range:?}");
            assert_eq!(inflated.range(wanted).unwrap(), expected, "{range:?}");
        }
        let gone = ArchiveBytes::Whole(Location::File(folder.path().join("gone")));
        assert_eq!(gone.open(&remote).err().unwrap().kind(), io::ErrorKind::NotFound);
        let missing = ArchiveBytes::Missing(SourceError::Stopped).open(&remote).err().unwrap();
        assert_eq!(missing.to_string(), "stopped");
    }
}
