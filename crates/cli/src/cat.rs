//! `trommel cat`: prints the page or record at a place.

use std::io::{ErrorKind, Write as _};
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use trommel::archive::write::write_record;
use trommel::archive::{PayloadOptions, Record, RecordType, payload};
use trommel::charset;
use trommel::record::filters::UrlPattern;
use trommel::{Extractor, Hints, Settings, page_hints};

use trommel::run::NetworkOptions;
use trommel::run::{PackedOptions, crawl_charset, expand, open_input, unpack};

use crate::{exit::Exit, models, place::PlaceArgument};

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
