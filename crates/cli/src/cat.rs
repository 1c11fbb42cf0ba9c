//! `trommel cat`: prints the page or record at a place, given as one word: `FILE:OFFSET[:LENGTH[:INNER]]`.

use std::io::{ErrorKind, Seek as _, SeekFrom, Write as _};
use std::{fmt, path::Path, sync::Arc};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use trommel::archive::{PayloadOptions, Record, RecordType, payload};
use trommel::record::{RecordSource, filters::UrlPattern};
use trommel::run::{
    NetworkOptions, PackedOptions, Remote, crawl_charset, expand, is_url, open_input, record_at, record_in, redacted,
    unpack,
};
use trommel::{Extractor, Hints, Settings, archive::write::write_record, charset, page_hints};

use crate::{exit::Exit, models};

/// Print the page at a place or with a URL in an archive, its text or its record
#[derive(Debug, Args)]
pub struct CatArgs {
    /// Place of the record: FILE:OFFSET[:LENGTH], as `ls` and `search` print it; with --url, the archive. FILE may be a
    /// URL
    #[arg(value_name = "PLACE|ARCHIVE")]
    place: String,
    /// Offset, if the first argument is only the file
    #[arg(value_name = "OFFSET", conflicts_with = "url")]
    offset: Option<String>,
    /// Print the first capture in the archive with this URL, in which * stands for any characters
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Print the page, decoded to UTF-8 (the default)
    #[arg(long, group = "form")]
    html: bool,
    /// Print the main text
    #[arg(long, group = "form")]
    text: bool,
    /// Print the whole record with its headers, as WARC
    #[arg(long, group = "form")]
    record: bool,
    /// Built-in model (`fast` or `lite`) or model file, for --text [default: fast]
    #[arg(long, value_name = "NAME|FILE", requires = "text")]
    model: Option<String>,
}

pub fn run(args: &CatArgs) -> anyhow::Result<Exit> {
    let (record, crawl_charset) = match &args.url {
        Some(url) => captured(&args.place, url)?,
        None => PlaceArgument::parse(&args.place, args.offset.as_deref())?.record()?,
    };
    let bytes = if args.record {
        whole(&record)?
    } else if record.kind == RecordType::Conversion {
        record.block.to_vec()
    } else {
        let page = payload(&record, &PayloadOptions::default())?;
        let hints = Hints { crawl_charset: crawl_charset.as_deref(), ..page_hints(&record, &page) };
        if args.text {
            let model = Arc::new(models::named(args.model.as_deref())?);
            let extractor = Extractor::with_model(&Settings::default(), model);
            let mut text = extractor.extract(&page.body, &hints).text();
            text.push('\n');
            text.into_bytes()
        } else {
            charset::decode(&page.body, &hints.charset()).text.as_bytes().to_vec()
        }
    };
    match std::io::stdout().lock().write_all(&bytes) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(Exit::Clean),
    }
}

/// The first capture in an archive whose URL is one of a pattern, and the encoding that the crawl's metadata record
/// after it gives for it.
fn captured(archive: &str, url: &str) -> anyhow::Result<(Record, Option<String>)> {
    let (pattern, network) = (UrlPattern::new(url), NetworkOptions::default());
    for input in unpack(expand(&[archive], None, &network)?, PackedOptions::default(), &network) {
        let mut reader = open_input(&input, &network).map_err(anyhow::Error::msg)?;
        let is_wanted = |record: &Record| {
            let is_capture =
                matches!(record.kind, RecordType::Response | RecordType::Resource | RecordType::Conversion);
            is_capture && record.url().is_some_and(|url| pattern.matches(url))
        };
        let whole = reader.by_ref().take_while(|item| !item.as_ref().is_err_and(|error| error.is_fatal()));
        if let Some(record) = whole.filter_map(Result::ok).find(is_wanted) {
            let next = reader.next().and_then(Result::ok);
            let charset = next.and_then(|next| crawl_charset(&record, &next));
            return Ok((record, charset));
        }
    }
    bail!("{archive}: no capture of {url}; `trommel ls` lists its URLs")
}

fn whole(record: &Record) -> anyhow::Result<Vec<u8>> {
    let headers: Vec<(&str, &str)> =
        record.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length")).collect();
    let mut out = Vec::new();
    write_record(&mut out, "WARC/1.1", &headers, &record.block)?;
    Ok(out)
}

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
                let network = Remote::new(NetworkOptions::default());
                let open = |from| {
                    let mut object = network.open(&self.file)?;
                    object.seek(SeekFrom::Start(from))?;
                    Ok(object)
                };
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
