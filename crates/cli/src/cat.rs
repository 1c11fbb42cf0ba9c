//! `trommel cat`: prints the page or record at a place.

use std::io::{ErrorKind, Write as _};
use std::sync::Arc;

use clap::Args;
use trommel::archive::write::write_record;
use trommel::archive::{PayloadOptions, Record, RecordType, payload};
use trommel::charset;
use trommel::{Extractor, Hints, Settings, page_hints};

use crate::{exit::Exit, models, place::PlaceArgument};

/// Print the page at a place in an archive, its text or its record
#[derive(Debug, Args)]
pub struct CatArgs {
    /// Place of the record: FILE:OFFSET[:LENGTH], as `search` prints it. FILE may be a URL
    #[arg(value_name = "PLACE")]
    place: String,
    /// Offset, if the first argument is only the file
    #[arg(value_name = "OFFSET")]
    offset: Option<String>,
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
    let place = PlaceArgument::parse(&args.place, args.offset.as_deref())?;
    let (record, crawl_charset) = place.record()?;
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

fn whole(record: &Record) -> anyhow::Result<Vec<u8>> {
    let headers: Vec<(&str, &str)> =
        record.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length")).collect();
    let mut out = Vec::new();
    write_record(&mut out, "WARC/1.1", &headers, &record.block)?;
    Ok(out)
}
