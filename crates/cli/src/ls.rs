//! `trommel ls`: lists the records of archives.

use std::ffi::OsString;
use std::io::{BufWriter, Write as _};

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use trommel::archive::{MediaType, PayloadOptions, Record, RecordType, media_type, payload};
use trommel::record::{RecordSource, filters::Filters, source};
use trommel::run::{Input, NetworkOptions, PackedOptions, expand, open_input, unpack};
use trommel_text::without_controls;

use crate::settings::{ListCommands, SettingsArgs};
use crate::{cat, exit::Exit, messages::fail};

/// List the records of archives: place, status, type, bytes, date and URL
#[derive(Debug, Args)]
#[command(
    after_help = "Each record is a line of six columns between tabs, with - where nothing is known. `trommel cat \
PLACE` prints the page. The type is that of the record and that of the page: `response text/html`. Bytes are those of \
the page as it is decoded, or of a record that is no page.

Examples:
  trommel ls crawl.warc.gz
  trommel ls crawl.warc.gz --url '*/blog/*' --json
  trommel ls crawl.warc.gz | grep 'text/html' | cut -f 6"
)]
pub struct LsArgs {
    /// Archives to list (WARC, ARC, WET, WACZ): files, globs, folders, URLs, @MANIFEST, or - for standard input
    #[arg(required = true, value_name = "ARCHIVE")]
    inputs: Vec<OsString>,
    /// Print each record as a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: SettingsArgs<ListCommands>,
}

/// Line about a record in the output of `ls`. A missing value is an empty string or 0.
#[derive(Serialize)]
struct Line<'a> {
    place: String,
    status: u16,
    #[serde(rename = "type")]
    kind: &'a str,
    media_type: String,
    bytes: u64,
    date: &'a str,
    url: &'a str,
    source: RecordSource,
}

impl<'a> Line<'a> {
    fn of(record: &'a Record) -> Self {
        let source = source(&record.place);
        let is_page = matches!(
            record.kind,
            RecordType::Response | RecordType::Resource | RecordType::Revisit | RecordType::Conversion
        );
        let page = is_page.then(|| payload(record, &PayloadOptions::default()).ok()).flatten();
        let media_type = page.as_ref().filter(|page| !page.body.is_empty()).map(|page| media_type(record, page).0);
        Self {
            place: cat::shown(&source),
            status: page.as_ref().and_then(|page| page.status).unwrap_or_default(),
            kind: record.kind.as_str(),
            media_type: match media_type {
                Some(MediaType::Html) => "text/html".to_owned(),
                Some(MediaType::Xhtml) => "application/xhtml+xml".to_owned(),
                Some(MediaType::Other(name)) => name,
                None => String::new(),
            },
            bytes: page.map_or(record.block.len(), |page| page.body.len()) as u64,
            date: record.date().unwrap_or_default(),
            url: record.url().unwrap_or_default(),
            source,
        }
    }

    /// Formats the record as six columns separated by tabs. Values are untrusted, so their tabs and line ends are
    /// removed.
    fn columns(&self) -> String {
        let or_dash = |text: &str| match text.trim() {
            "" => "-".to_owned(),
            text => without_controls(text).replace('\t', " "),
        };
        let status = if self.status == 0 { "-".to_owned() } else { self.status.to_string() };
        let kind = or_dash(&format!("{} {}", self.kind, self.media_type));
        let (place, date, url) = (or_dash(&self.place), or_dash(self.date), or_dash(self.url));
        format!("{place}\t{status}\t{kind}\t{}\t{date}\t{url}", self.bytes)
    }
}

pub fn run(args: &LsArgs) -> Result<Exit> {
    let filters = Filters::new(&args.settings.settings()?.filters);
    let network = NetworkOptions::default();
    let inputs = expand(&args.inputs, None, &network)?;
    let inputs = unpack(inputs, PackedOptions::default(), &network);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut counts = Counts::default();
    for input in &inputs {
        crate::unless_gone(list(input, &filters, args.json, &mut counts, &mut out))?;
    }
    crate::unless_gone(out.flush())?;
    Ok(match counts {
        Counts { faults: 0, .. } => Exit::Clean,
        Counts { records: 0, .. } => Exit::Fatal,
        Counts { faults, .. } => {
            let what =
                if faults == 1 { "1 archive or place".to_owned() } else { format!("{faults} archives or places") };
            Exit::SomeFailed.because(&format!("{what} not read"))
        }
    })
}

#[derive(Default)]
struct Counts {
    records: u64,
    faults: u64,
}

/// Lists the records of an archive, and prints an error for each part that cannot be read.
fn list(
    input: &Input,
    filters: &Filters,
    json: bool,
    counts: &mut Counts,
    out: &mut impl std::io::Write,
) -> std::io::Result<()> {
    let reader = match open_input(input, &NetworkOptions::default()) {
        Ok(reader) => reader,
        Err(error) => {
            counts.faults += 1;
            fail(&error);
            return Ok(());
        }
    };
    for item in reader {
        let record = match item {
            Ok(record) => record,
            Err(error) => {
                counts.faults += 1;
                fail(&error);
                continue;
            }
        };
        counts.records += 1;
        if filters.url(record.url()).is_some() {
            continue;
        }
        let line = Line::of(&record);
        match json {
            true => serde_json::to_writer(&mut *out, &line)?,
            false => out.write_all(line.columns().as_bytes())?,
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
