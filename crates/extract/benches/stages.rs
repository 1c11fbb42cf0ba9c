//! Measures time and throughput of each stage over the pages of the sample archive. Inflating the same archive is the
//! yardstick that does not depend on this project's code. Throughput is in bytes of HTML as served, in every row;
//! allocations are those of all pages together.

// A benchmark that cannot read its sample has nothing better to do than to stop.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::io::{Cursor, Read};
use std::sync::{Arc, LazyLock};

use divan::{AllocProfiler, Bencher, counter::BytesCount};
use flate2::read::MultiGzDecoder;
use trommel_archive::{PayloadOptions, ReadOptions, Reader, RecordType, payload};
use trommel_extract::{ContentPolicy, DocumentOptions, Extraction, Extractor, Hints};
use trommel_html::{Engine, Limits, LolEngine, Page, ScanEngine, ScanReader, charset};
use trommel_model::Model;
use trommel_record::{Document, Encode, Jsonl};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

/// A page as the archive holds it.
struct Stored {
    url: Option<String>,
    charset: Option<String>,
    body: Vec<u8>,
}

impl Stored {
    fn hints(&self) -> Hints<'_> {
        Hints { url: self.url.as_deref(), http_charset: self.charset.as_deref(), crawl_charset: None, date: None }
    }

    fn decode(&self) -> charset::Decoded<'_> {
        charset::decode(&self.body, &self.hints().charset())
    }

    fn read(&self) -> Page {
        ScanEngine.read(&self.decode().text, &Limits::default())
    }
}

static ARCHIVE: LazyLock<Vec<u8>> = LazyLock::new(|| std::fs::read("../../samples/wcxb-sample.warc.gz").unwrap());

static PAGES: LazyLock<Vec<Stored>> = LazyLock::new(pages);

/// Reads the records of the sample and decodes their payloads.
fn pages() -> Vec<Stored> {
    let input = Cursor::new(ARCHIVE.as_slice());
    let mut pages = Vec::new();
    for record in Reader::new("sample", input, ReadOptions::default()).unwrap() {
        let record = record.unwrap();
        if record.kind == RecordType::Response {
            let payload = payload(&record, &PayloadOptions::default()).unwrap();
            pages.push(Stored {
                url: record.url().map(str::to_owned),
                charset: payload.charset().map(str::to_owned),
                body: payload.body.into_owned(),
            });
        }
    }
    pages
}

fn bytes() -> BytesCount {
    BytesCount::new(PAGES.iter().map(|page| page.body.len()).sum::<usize>())
}

fn model() -> Model {
    Model::builtin_names().next().and_then(Model::builtin).unwrap()
}

fn main() {
    divan::main();
}

/// Yardstick: the archive through flate2 and nothing else.
#[divan::bench]
fn inflate(bencher: Bencher) {
    let mut plain = Vec::new();
    bencher.counter(bytes()).bench_local(|| {
        plain.clear();
        MultiGzDecoder::new(ARCHIVE.as_slice()).read_to_end(&mut plain).unwrap()
    });
}

/// Inflate, record reading and payload decoding.
#[divan::bench]
fn archive(bencher: Bencher) {
    bencher.counter(bytes()).bench_local(pages);
}

/// Choice of the charset and decoding.
#[divan::bench]
fn decode(bencher: Bencher) {
    bencher.counter(bytes()).bench_local(|| {
        for page in PAGES.iter() {
            black_box(page.decode().text.len());
        }
    });
}

/// Decoded text to block and element tables, in the memory of the pages before, as a run does it.
#[divan::bench]
fn tokenize(bencher: Bencher) {
    let (texts, mut reader) = (texts(), ScanReader::default());
    bencher.counter(bytes()).bench_local(|| {
        for text in &texts {
            let page = reader.read(text, &Limits::default());
            reader.keep(black_box(page));
        }
    });
}

/// The same by the engine of the push interface.
#[divan::bench]
fn tokenize_lol_html(bencher: Bencher) {
    let texts = texts();
    bencher.counter(bytes()).bench_local(|| {
        for text in &texts {
            black_box(LolEngine.read(text, &Limits::default()));
        }
    });
}

fn texts() -> Vec<String> {
    let decoded = PAGES.iter().map(|page| page.decode().text.into_owned());
    decoded.collect()
}

/// Tables to rows of features, in the schema of the default model.
#[divan::bench]
fn features(bencher: Bencher) {
    let (model, tables): (_, Vec<Page>) = (model(), PAGES.iter().map(Stored::read).collect());
    bencher.counter(bytes()).bench_local(|| {
        for page in &tables {
            black_box(model.schema().rows(page, None));
        }
    });
}

/// Tables to probabilities and the choice of blocks: features, scoring, selection.
#[divan::bench]
fn judge(bencher: Bencher) {
    let (model, tables): (_, Vec<Page>) = (model(), PAGES.iter().map(Stored::read).collect());
    bencher.counter(bytes()).bench_local(|| {
        for page in &tables {
            black_box(model.judge(page, None));
        }
    });
}

/// Judged pages.
fn extractions() -> Vec<Extraction<'static>> {
    let model = model();
    let judged = PAGES.iter().map(|page| {
        let tables = page.read();
        let verdicts = ContentPolicy::default().judge(&model, &tables, page.url.as_deref());
        Extraction::new(page.decode(), tables, verdicts, &page.hints())
    });
    judged.collect()
}

/// Chosen blocks to text.
#[divan::bench]
fn text(bencher: Bencher) {
    let pages = extractions();
    bencher.counter(bytes()).bench_local(|| {
        for page in &pages {
            black_box(page.text());
        }
    });
}

/// Title and metadata.
#[divan::bench]
fn metadata(bencher: Bencher) {
    let pages = extractions();
    bencher.counter(bytes()).bench_local(|| {
        for page in &pages {
            black_box(page.metadata());
        }
    });
}

/// Documents to JSON lines.
#[divan::bench]
fn encode(bencher: Bencher) {
    let extractions = extractions();
    let options = DocumentOptions::default();
    let documents = extractions.iter().map(|page| page.document(&options));
    let records: Vec<Document> = documents.collect();
    let mut out = Vec::new();
    bencher.counter(bytes()).bench_local(|| {
        for record in &records {
            out.clear();
            Jsonl.record(record, &mut out).unwrap();
            black_box(out.len());
        }
    });
}

/// Bytes of the page to the document as outputs have it: all but the archive. Its allocations are those
/// of a run once its memory has grown.
#[divan::bench]
fn extract(bencher: Bencher) {
    let extractor = Extractor::new(Arc::new(model())).with_inline_style(false);
    let options = DocumentOptions::default();
    bencher.counter(bytes()).bench_local(|| {
        for page in PAGES.iter() {
            black_box(extractor.extract(&page.body, &page.hints()).document(&options));
        }
    });
}
