//! `trommel inspect`: finds a page and writes a report about it.

use std::path::{Path, PathBuf};
use std::{io::stdin, sync::Arc};

use anyhow::{Context, bail};
use clap::Args;
use trommel::archive::{PayloadOptions, ReadOptions, Reader, Record, RecordType, payload};
use trommel::{Hints, extract::Extractor, run::crawl_charset};
use trommel_web::viewer::{View, report};

use crate::{exit::Exit, files, files::note_reviews, models};

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
    if let Some(output) = &args.output {
        files::refuse_inputs(output, [&args.page])?;
        if output != Path::new("-") {
            files::refuse_existing(output, args.overwrite)?;
            files::prepare(output)?;
        }
    }
    let model = Arc::new(models::named(args.model.as_deref())?);
    let source = match &args.record {
        Some(record) => InspectedPage::record(&args.page, record)?,
        None => InspectedPage::page(&args.page)?,
    };
    let hints = Hints {
        url: args.url.as_deref().or(source.url.as_deref()),
        http_charset: args.charset.as_deref().or(source.http_charset.as_deref()),
        crawl_charset: source.crawl_charset.as_deref(),
        date: source.date.as_deref(),
    };
    let extraction = Extractor::new(model.clone()).extract(&source.bytes, &hints);
    note_reviews(&extraction, &args.page);
    let report = report(&View::new(&extraction, hints.url, &model))?;
    match &args.output {
        Some(path) => files::write(path, &report)?,
        None => crate::out(&report)?,
    }
    Ok(Exit::Clean)
}

/// The bytes of a page, and facts about it from outside.
#[derive(Debug)]
pub struct InspectedPage {
    /// The page.
    pub bytes: Vec<u8>,
    /// Its URL.
    pub url: Option<String>,
    /// `charset` of the HTTP Content-Type header.
    pub http_charset: Option<String>,
    /// The crawl's own detection.
    pub crawl_charset: Option<String>,
    /// Time of the capture.
    pub date: Option<String>,
}

impl InspectedPage {
    /// The page in a file; `-` is standard input.
    ///
    /// # Errors
    /// If it cannot be read, or is a WARC archive.
    pub fn page(file: &str) -> anyhow::Result<Self> {
        let bytes = files::read(file)?;
        Ok(Self { bytes, url: None, http_charset: None, crawl_charset: None, date: None })
    }

    /// The page in the record of an archive that has this id, or this offset in the stored file;
    /// `-` is standard input.
    ///
    /// # Errors
    /// If the archive cannot be read, has no such record, or the record holds no page.
    pub fn record(file: &str, wanted: &str) -> anyhow::Result<Self> {
        let options = ReadOptions::default();
        let mut reader = match file {
            "-" => Reader::new("standard input", stdin(), options)?,
            file => Reader::open(Path::new(file), options)?,
        };
        let mut other = None;
        while let Some(item) = reader.next() {
            let record = match item {
                Ok(record) => record,
                Err(error) if error.is_fatal() => return Err(error.into()),
                Err(error) => {
                    tracing::warn!("{error}");
                    continue;
                }
            };
            if !is(&record, wanted) {
                continue;
            }
            // Records of one compressed member have one offset: the page may not be the first.
            if matches!(record.kind, RecordType::Response | RecordType::Resource) {
                return Self::of(record, reader.next().and_then(Result::ok).as_ref());
            }
            other = Some(record.kind);
        }
        match other {
            Some(kind) => bail!("{file}: record {wanted} is of type {kind}, which is no page"),
            None => bail!("{file}: no record {wanted}"),
        }
    }

    fn of(record: Record, next: Option<&Record>) -> anyhow::Result<Self> {
        let crawl_charset = next.and_then(|next| crawl_charset(&record, next));
        let payload = payload(&record, &PayloadOptions::default()).with_context(|| record.place.to_string())?;
        Ok(Self {
            url: record.url().map(str::to_owned),
            http_charset: payload.charset().map(str::to_owned),
            crawl_charset,
            date: record.date().map(str::to_owned),
            bytes: payload.body.into_owned(),
        })
    }
}

fn is(record: &Record, wanted: &str) -> bool {
    let id = wanted.trim_matches(['<', '>']);
    record.id() == Some(id) || wanted.parse() == Ok(record.place.offset)
}
