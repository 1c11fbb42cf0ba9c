//! `trommel bench`: times each stage of extraction.

use std::{fs, hint::black_box, path::PathBuf, sync::Arc, time::Instant};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use trommel::archive::{
    MediaType, Payload, PayloadOptions, ReadOptions, Reader, Record, inflate_members, media_type, payload,
};
use trommel::extract::Extractor;
use trommel::html::{Limits, ScanReader, charset};
use trommel::output::{Encode as _, Frames, Jsonl, RecordSource};
use trommel::{Compression, ContentPolicy, Document, DocumentOptions, Model, OutputRecord, page_hints};

use crate::exit::Exit;
use crate::models;

/// Time each stage of extraction on one thread, beside decompression alone
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Archive of gzip members, such as samples/wcxb-sample.warc.gz
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,
    /// Built-in model (`fast`, `best` or `lite`) or model file [default: fast]
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<String>,
    /// Runs of each stage; the median is reported
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Bytes of a frame of the output: those of a run by default.
const FRAME: u64 = 4 << 20;

/// The stages of processing pages. Each includes the work of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Inflate,
    Records,
    Tables,
    Features,
    Choice,
    Document,
    Output,
}

/// The stages with their names, in order.
const STAGES: [(Stage, &str); 7] = [
    (Stage::Inflate, "bare inflate"),
    (Stage::Records, "records"),
    (Stage::Tables, "payload, charset, tables"),
    (Stage::Features, "features"),
    (Stage::Choice, "scores, choice"),
    (Stage::Document, "text, metadata, language"),
    (Stage::Output, "JSON lines, zstd"),
];

struct Bench {
    archive: PathBuf,
    stored: Vec<u8>,
    model: Arc<Model>,
    extractor: Extractor,
}

/// Runs the command.
///
/// # Errors
/// If the archive is not one of whole gzip members, or can't be read.
pub fn run(args: &BenchArgs) -> Result<Exit> {
    let name = || args.archive.display().to_string();
    let model = Arc::new(models::named(args.model.as_deref())?);
    let bench = Bench {
        stored: fs::read(&args.archive).with_context(name)?,
        archive: args.archive.clone(),
        extractor: Extractor::new(Arc::clone(&model)).with_inline_style(false),
        model,
    };
    let plain = inflate_members(&bench.stored, &mut Vec::new())
        .filter(|plain| *plain > 0)
        .with_context(|| format!("{}: not made of whole gzip members", name()))?;
    let mut times = vec![Vec::new(); STAGES.len()];
    let mut pages = 0;
    for _ in 0..args.rounds {
        for ((stage, _), times) in STAGES.into_iter().zip(&mut times) {
            let begin = Instant::now();
            pages = bench.stage(stage)?;
            times.push(begin.elapsed().as_secs_f64());
        }
    }
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    let floor = medians.first().copied().unwrap_or_default();
    let rows = STAGES.into_iter().zip(medians).map(|((_, name), seconds)| (name, seconds));
    if args.json {
        let stages: Vec<_> = rows
            .map(|(name, seconds)| {
                json!({
                    "stage": name,
                    "seconds": seconds,
                    "mb_per_second": plain as f64 / 1e6 / seconds,
                    "pages_per_second": pages as f64 / seconds,
                    "share_of_inflate": floor / seconds,
                })
            })
            .collect();
        let object = json!({
            "archive": name(), "plain_bytes": plain, "pages": pages, "rounds": args.rounds,
            "stages": stages,
        });
        crate::out(&format!("{object}\n"))?;
        return Ok(Exit::Clean);
    }
    crate::out(&format!(
        "{}: {pages} pages, {:.1} MB plain; medians of {} rounds, one thread, stages cumulative\n\
         {:<26} {:>8} {:>9} {:>9}\n",
        name(),
        plain as f64 / 1e6,
        args.rounds,
        "stage",
        "MB/s",
        "pages/s",
        "inflate"
    ))?;
    for (name, seconds) in rows {
        crate::out(&format!(
            "{:<26} {:>8.0} {:>9.0} {:>8.1}%\n",
            name,
            plain as f64 / 1e6 / seconds,
            pages as f64 / seconds,
            100.0 * floor / seconds
        ))?;
    }
    Ok(Exit::Clean)
}

impl Bench {
    /// Runs all up to `stage` over the archive; gives the number of pages, if it goes so far.
    fn stage(&self, stage: Stage) -> Result<u64> {
        if stage == Stage::Inflate {
            black_box(inflate_members(&self.stored, &mut Vec::new()));
            return Ok(0);
        }
        let mut output = Frames::new(std::io::sink(), Compression::Zstd, false);
        let mut reader = Reader::open(&self.archive, ReadOptions::default())?;
        let mut scan = ScanReader::default();
        let (mut pages, mut unframed) = (0, 0);
        while let Some(record) = reader.next() {
            let record = record?;
            if stage > Stage::Records
                && let Some(entry) = self.page(stage, &record, &mut scan)?
            {
                pages += 1;
                unframed += entry.len() as u64;
                output.write(&entry)?;
                if unframed >= FRAME {
                    output.end_frame()?;
                    unframed = 0;
                }
            }
            // As a run does.
            reader.reuse(black_box(record).block);
        }
        output.finish()?;
        Ok(pages)
    }

    /// Takes a page up to `stage`; its output, which is empty before there is one, or none if the record
    /// is no page.
    fn page(&self, stage: Stage, record: &Record, scan: &mut ScanReader) -> Result<Option<Vec<u8>>> {
        let Ok(page) = payload(record, &PayloadOptions::default()) else { return Ok(None) };
        let kind = media_type(record, &page).0;
        if page.body.is_empty() || !matches!(kind, MediaType::Html | MediaType::Xhtml) {
            return Ok(None);
        }
        let hints = page_hints(record, &page);
        if stage >= Stage::Document {
            let document = self.extractor.extract(&page.body, &hints).document(&DocumentOptions::default());
            if stage == Stage::Output {
                return encoded(record, &page, document).map(Some);
            }
            black_box(document);
            return Ok(Some(Vec::new()));
        }
        let decoded = charset::decode(&page.body, &hints.charset());
        let tables = scan.read(&decoded.text, &Limits::default());
        match stage {
            Stage::Features => {
                let (schema, set) = (self.model.schema(), self.model.columns());
                schema.each_batch(&tables, hints.url, set, |columns| {
                    black_box(columns.values());
                });
            }
            Stage::Choice => {
                black_box(ContentPolicy::default().judge(&self.model, &tables, hints.url));
            }
            _ => {}
        }
        scan.keep(black_box(tables));
        Ok(Some(Vec::new()))
    }
}

fn encoded(record: &Record, page: &Payload, document: Document) -> Result<Vec<u8>> {
    let record = OutputRecord {
        id: record.id().unwrap_or_default().to_owned(),
        url: record.url().map(str::to_owned),
        date: record.date().map(str::to_owned),
        source: Some(RecordSource::from(&record.place)),
        truncated: record.truncated().map(str::to_owned),
        status: page.status,
        ..OutputRecord::from(document)
    };
    let mut out = Vec::new();
    Jsonl.record(&record, &mut out)?;
    Ok(out)
}

/// The middle one; of an even number the lower of the two.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get((times.len().saturating_sub(1)) / 2).copied().unwrap_or_default()
}
