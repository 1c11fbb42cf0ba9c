//! `trommel inspect`: finds a page and writes a report about it.

use std::path::{Path, PathBuf};
use std::{io::stdin, sync::Arc};

use anyhow::{Context, bail};
use clap::Args;
use trommel::archive::{PayloadOptions, ReadOptions, Reader, Record, RecordType, payload};
use trommel::{OwnedHints, extract::Extractor, page_hints, run::crawl_charset};
use trommel_web::viewer::{View, report};

use crate::{exit::Exit, files, models};

/// Write an HTML report about a page: each block, its probability and the reasons for it
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The page, or with --record the archive that contains it; `-` for standard input
    #[arg(value_name = "PAGE")]
    page: String,
    /// File to write the report to [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    overwrite: bool,
    /// Record of a WARC or ARC archive: its WARC-Record-ID, or its offset in the stored file
    #[arg(long, value_name = "ID|OFFSET")]
    record: Option<String>,
    /// URL of the page [default with --record: that of the record]
    #[arg(long)]
    url: Option<String>,
    /// Charset that the server named [default with --record: that of its HTTP header]
    #[arg(long, value_name = "LABEL")]
    charset: Option<String>,
    /// Name of a built-in model, or a model file
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<String>,
}

pub fn run(args: &InspectArgs) -> anyhow::Result<Exit> {
    if let Some(output) = args.output.as_deref().filter(|output| *output != Path::new("-")) {
        files::claim(output, args.overwrite, [&args.page])?;
    }
    let model = Arc::new(models::named(args.model.as_deref())?);
    let source = match &args.record {
        Some(record) => InspectedPage::record(&args.page, record)?,
        None => InspectedPage { bytes: files::read(&args.page)?, hints: OwnedHints::default() },
    };
    let mut hints = source.hints.hints();
    hints.url = args.url.as_deref().or(hints.url);
    hints.http_charset = args.charset.as_deref().or(hints.http_charset);
    let extraction = Extractor::new(model.clone()).extract(&source.bytes, &hints);
    let report = report(&View::new(&extraction, hints.url, &model))?;
    match &args.output {
        Some(path) => files::write(path, &report)?,
        None => crate::out(&report)?,
    }
    Ok(Exit::Clean)
}

/// Bytes of a page to inspect, and hints about it such as its URL and charset.
#[derive(Debug)]
pub struct InspectedPage {
    bytes: Vec<u8>,
    hints: OwnedHints,
}

impl InspectedPage {
    /// Reads a page from the record of an archive whose id, or offset in the stored file, is `wanted`. The file `-` is
    /// standard input.
    ///
    /// # Errors
    /// Fails if the archive cannot be read or has no such record, or if the record holds no page.
    pub fn record(file: &str, wanted: &str) -> anyhow::Result<Self> {
        let options = ReadOptions::default();
        let mut reader = match file {
            "-" => Reader::new("standard input", stdin(), options)?,
            file => Reader::open(Path::new(file), options)?,
        };
        while let Some(item) = reader.next() {
            match item {
                // Records of one compressed member have one offset: the page may not be the first.
                Ok(record)
                    if is(&record, wanted) && matches!(record.kind, RecordType::Response | RecordType::Resource) =>
                {
                    return Self::of(record, reader.next().and_then(Result::ok).as_ref());
                }
                Ok(_) => {}
                Err(error) if error.is_fatal() => return Err(error.into()),
                Err(error) => tracing::warn!("{error}"),
            }
        }
        bail!("{file}: no record {wanted} with a page")
    }

    fn of(record: Record, next: Option<&Record>) -> anyhow::Result<Self> {
        let crawl_charset = next.and_then(|next| crawl_charset(&record, next));
        let payload = payload(&record, &PayloadOptions::default()).with_context(|| record.place.to_string())?;
        let hints = OwnedHints { crawl_charset, ..page_hints(&record, &payload).into() };
        Ok(Self { bytes: payload.body.into_owned(), hints })
    }
}

fn is(record: &Record, wanted: &str) -> bool {
    let id = wanted.trim_matches(['<', '>']);
    record.id() == Some(id) || wanted.parse() == Ok(record.place.offset)
}
