//! `trommel inspect`: writes a report about a page.

mod source;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use trommel::Hints;
use trommel::extract::Extractor;
use trommel_web::viewer::{View, report};

use crate::exit::Exit;
use crate::page::note_reviews;
use crate::{models, written};
use source::InspectedPage;

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
        written::refuse_inputs(output, [&args.page])?;
        if output != Path::new("-") {
            written::refuse_existing(output, args.overwrite)?;
            written::prepare(output)?;
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
        Some(path) => written::write(path, &report)?,
        None => crate::out(&report)?,
    }
    Ok(Exit::Clean)
}
