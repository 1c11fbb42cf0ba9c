//! Where a record is stored, as one word: `FILE:OFFSET[:LENGTH[:INNER]]`.

use std::{
    fmt,
    fs::File,
    io::{Seek, SeekFrom},
};

use anyhow::{Context, Result, anyhow, bail};
use trommel_archive::{ReadOptions, Reader, Record};
use trommel_output::RecordSource;
use trommel_pipeline::crawl_charset;

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
        match self.at_offset() {
            Ok(found) => Ok(found),
            // Members of some zstd archives need the dictionary at the file's start.
            Err(error) => self.in_whole_file().with_context(|| error.to_string()),
        }
    }

    fn at_offset(&self) -> Result<(Record, Option<String>)> {
        let mut file = File::open(&self.file).with_context(|| self.file.clone())?;
        file.seek(SeekFrom::Start(self.offset))?;
        self.found(
            Reader::new(self.file.as_str(), file, ReadOptions::default())?,
            0,
        )
    }

    fn in_whole_file(&self) -> Result<(Record, Option<String>)> {
        let file = File::open(&self.file).with_context(|| self.file.clone())?;
        let reader = Reader::new(self.file.as_str(), file, ReadOptions::default())?;
        self.found(reader, self.offset)
    }

    /// The record at `offset` of what the reader reads.
    fn found(&self, mut reader: Reader, offset: u64) -> Result<(Record, Option<String>)> {
        let is_here =
            |record: &Record| record.place.offset == offset && record.place.inner == self.inner;
        let record = reader
            .by_ref()
            .take_while(|item| match item {
                Ok(record) => record.place.offset <= offset,
                Err(error) => !error.is_fatal(),
            })
            .filter_map(std::result::Result::ok)
            .find(is_here)
            .ok_or_else(|| self.missing())?;
        let next = reader.next().and_then(std::result::Result::ok);
        let charset = next.and_then(|next| crawl_charset(&record, &next));
        Ok((record, charset))
    }

    fn missing(&self) -> anyhow::Error {
        anyhow!("{self}: no record here")
    }
}

impl From<&RecordSource> for PlaceArgument {
    fn from(source: &RecordSource) -> Self {
        Self {
            file: source.file.to_string(),
            offset: source.offset,
            length: Some(source.length),
            inner: source.inner,
        }
    }
}

impl fmt::Display for PlaceArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.offset)?;
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
