//! `trommel cat`: prints the page or record at a place, given as one word: `FILE:OFFSET[:LENGTH[:INNER]]`.

use std::io::{Seek as _, SeekFrom};
use std::{path::Path, sync::Arc};

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
    /// Offset of the record, unless stated before
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
        None => stored(&place(&args.place, args.offset.as_deref())?)?,
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
    crate::out(&bytes)?;
    Ok(Exit::Clean)
}

/// Returns the first capture in an archive whose URL matches a pattern, and the charset that the crawler's metadata
/// record states for the capture.
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

/// Parses the place of a record, `FILE:OFFSET[:LENGTH[:INNER]]`; `rest` holds what follows `FILE:` if given as a second
/// argument. The file name may contain colons.
fn place(place: &str, rest: Option<&str>) -> Result<RecordSource> {
    let all = rest.map_or_else(|| place.to_owned(), |rest| format!("{place}:{rest}"));
    let mut file = all.as_str();
    let mut numbers = Vec::new();
    while numbers.len() < 3
        && let Some((before, last)) = file.rsplit_once(':')
        && let Ok(number) = last.parse::<u64>()
    {
        numbers.insert(0, number);
        file = before;
    }
    let mut numbers = numbers.into_iter();
    let Some(offset) = numbers.next() else {
        bail!("{all}: no place: expected FILE:OFFSET or FILE:OFFSET:LENGTH");
    };
    let mut next = || numbers.next().unwrap_or_default();
    Ok(RecordSource { file: file.into(), offset, length: next(), inner: next() })
}

/// Formats the location of a record (file, offset, length) for display, without the secrets in a URL.
pub fn shown(place: &RecordSource) -> String {
    RecordSource { file: redacted(&place.file).into(), ..place.clone() }.to_string()
}

/// Reads the record at a location in an archive, and the charset that the crawler's metadata record states for it.
fn stored(place: &RecordSource) -> Result<(Record, Option<String>)> {
    let name = redacted(&place.file);
    let found = match is_url(&place.file) {
        true => {
            let network = Remote::new(NetworkOptions::default());
            let open = |from| {
                let mut object = network.open(&place.file)?;
                object.seek(SeekFrom::Start(from))?;
                Ok(object)
            };
            record_in(&name, open, place.offset, place.inner)?
        }
        false => record_at(Path::new(&*place.file), place.offset, place.inner)?,
    };
    found.ok_or_else(|| anyhow!("{name}:{}: no record here", place.offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written() {
        for text in ["c:/a:b.warc:12:34", "a.warc.zst:0:99:512"] {
            assert_eq!(place(text, None).unwrap().to_string(), text);
        }
        assert_eq!(place("a.warc.gz:12", None).unwrap().to_string(), "a.warc.gz:12:0");
        let two = place("a:b.warc", Some("7")).unwrap();
        assert_eq!(two, place("a:b.warc:7", None).unwrap());
        assert!(place("a.warc", None).is_err());
        assert!(place("a.warc", Some("x")).is_err());
    }
}
