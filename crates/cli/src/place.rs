//! Parses the place of a record as one word: `FILE:OFFSET[:LENGTH[:INNER]]`.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use trommel::run::{is_url, redacted};
use trommel::run::{record_at, record_in};
use trommel::{archive::Record, record::RecordSource};

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceArgument {
    file: String,
    offset: u64,
    length: Option<u64>,
    inner: u64,
}

impl PlaceArgument {
    /// Reads `FILE:OFFSET[:LENGTH[:INNER]]`, or `FILE` with the rest as a second word. The file may
    /// have colons in its name.
    ///
    /// # Errors
    /// If there is no offset.
    pub fn parse(place: &str, rest: Option<&str>) -> Result<Self> {
        let all = match rest {
            Some(rest) => format!("{place}:{rest}"),
            None => place.to_owned(),
        };
        let mut file = all.as_str();
        let mut numbers = Vec::new();
        while numbers.len() < 3
            && let Some((before, last)) = file.rsplit_once(':')
            && let Ok(number) = last.parse::<u64>()
        {
            numbers.insert(0, number);
            file = before;
        }
        let Some(&offset) = numbers.first() else {
            bail!("{all}: no place: expected FILE:OFFSET or FILE:OFFSET:LENGTH");
        };
        Ok(Self {
            file: file.to_owned(),
            offset,
            length: numbers.get(1).copied(),
            inner: numbers.get(2).copied().unwrap_or(0),
        })
    }

    /// The record that is stored there, and the encoding that the crawl's metadata record after it gives
    /// for it.
    ///
    /// # Errors
    /// If the file cannot be read or there is no record at that place.
    pub fn record(&self) -> Result<(Record, Option<String>)> {
        let found = match is_url(&self.file) {
            true => {
                let open = |from| object(&self.file, from);
                record_in(&self.name(), open, self.offset, self.inner)?
            }
            false => record_at(Path::new(&self.file), self.offset, self.inner)?,
        };
        found.ok_or_else(|| anyhow!("{self}: no record here"))
    }

    fn name(&self) -> String {
        redacted(&self.file)
    }
}

fn object(url: &str, offset: u64) -> io::Result<Box<dyn Read + Send>> {
    use trommel::run::{NetworkOptions, Remote, RemoteReader};

    /// Bytes come for as long as the network is there.
    struct Object {
        bytes: RemoteReader,
        _network: Remote,
    }

    impl Read for Object {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.bytes.read(buffer)
        }
    }

    let network = Remote::new(NetworkOptions::default())?;
    Ok(Box::new(Object { bytes: network.open_at(url, offset)?, _network: network }))
}

impl From<&RecordSource> for PlaceArgument {
    fn from(source: &RecordSource) -> Self {
        Self { file: source.file.to_string(), offset: source.offset, length: Some(source.length), inner: source.inner }
    }
}

impl fmt::Display for PlaceArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name(), self.offset)?;
        if let Some(length) = self.length {
            write!(f, ":{length}")?;
            if self.inner != 0 {
                write!(f, ":{}", self.inner)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written() {
        for text in ["a.warc.gz:12", "c:/a:b.warc:12:34", "a.warc.zst:0:99:512"] {
            assert_eq!(PlaceArgument::parse(text, None).unwrap().to_string(), text);
        }
        let two = PlaceArgument::parse("a:b.warc", Some("7")).unwrap();
        assert_eq!(two, PlaceArgument::parse("a:b.warc:7", None).unwrap());
        assert!(PlaceArgument::parse("a.warc", None).is_err());
        assert!(PlaceArgument::parse("a.warc", Some("x")).is_err());
    }
}
