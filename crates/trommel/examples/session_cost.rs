//! Measures the costs of push sessions: their CPU time against that of whole pages, and the memory of open ones.
//!
//!     cargo run --release -p trommel --example session_cost -- pages.warc.gz [whole|parts|open [BYTES]]
//!
//! `whole` and `parts` read every page once, for callgrind; `open` holds a thousand sessions, of pages of
//! at least so many bytes.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, error::Error, fs, hint::black_box};

use trommel::archive::{MediaType, PayloadOptions, ReadOptions, Reader, RecordType, media_type, payload};
use trommel::{Extractor, Hints, Session};

/// Sizes in bytes of the parts that a session gets: a read of a socket, and a packet.
const PARTS: [usize; 2] = [16 << 10, 1400];
/// Number of times that every page is read; the minimum time of a page counts.
const ROUNDS: usize = 5;
/// Number of sessions that are open at a time.
const OPEN_SESSIONS: usize = 1000;
/// Maximum bytes of a page for which the memory of a session is measured.
const MAX_PAGE_BYTES: usize = 500_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().ok_or("usage: session_cost FILE [whole|parts|open [BYTES]]")?;
    let pages = pages(&path)?;
    let extractor = Extractor::default();
    match arguments.next().as_deref() {
        Some("whole") => {
            for page in &pages {
                whole(&extractor, page);
            }
        }
        Some("parts") => {
            for page in &pages {
                in_parts(&extractor, page, PARTS[0]);
            }
        }
        Some("open") => {
            let least = arguments.next().map_or(Ok(0), |bytes| bytes.parse())?;
            open(&extractor, &pages, least)?;
        }
        _ => time(&extractor, &pages),
    }
    Ok(())
}

fn pages(path: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut pages = Vec::new();
    for record in Reader::open(Path::new(path), ReadOptions::default())? {
        let record = record?;
        if record.kind == RecordType::Response
            && let Ok(page) = payload(&record, &PayloadOptions::default())
            && let MediaType::Html | MediaType::Xhtml = media_type(&record, &page).0
        {
            pages.push(page.body.to_vec());
        }
    }
    Ok(pages)
}

fn whole(extractor: &Extractor, page: &[u8]) -> usize {
    let document = extractor.document(page, &Hints::default());
    black_box(document.text.len())
}

fn in_parts(extractor: &Extractor, page: &[u8], size: usize) -> usize {
    let mut session = Session::new(extractor, Hints::default());
    for part in page.chunks(size) {
        session.feed(part);
    }
    black_box(session.finish().text.len())
}

/// Prints the sum of each page's minimum time, whole and in parts, so that other work of the machine has no influence.
fn time(extractor: &Extractor, pages: &[Vec<u8>]) {
    let mut sums = [Duration::ZERO; 1 + PARTS.len()];
    for page in pages {
        let mut least = [Duration::MAX; 1 + PARTS.len()];
        for _ in 0..ROUNDS {
            for (number, least) in least.iter_mut().enumerate() {
                let begin = Instant::now();
                match number.checked_sub(1) {
                    None => whole(extractor, page),
                    Some(number) => in_parts(extractor, page, PARTS[number]),
                };
                *least = begin.elapsed().min(*least);
            }
        }
        for (sum, least) in sums.iter_mut().zip(least) {
            *sum += least;
        }
    }
    let whole = sums[0].as_secs_f64();
    println!("{} pages, whole: {:.1} ms", pages.len(), whole * 1e3);
    for (size, sum) in PARTS.iter().zip(&sums[1..]) {
        let time = sum.as_secs_f64();
        println!("in parts of {size} bytes: {:.1} ms, {:.2} times as much", time * 1e3, time / whole);
    }
}

/// Prints the resident memory of sessions that have all of their page. It must come first in its process, because
/// memory that was used before does not become resident again.
fn open(extractor: &Extractor, pages: &[Vec<u8>], least: usize) -> Result<(), Box<dyn Error>> {
    let pages: Vec<&Vec<u8>> = pages.iter().filter(|page| (least..MAX_PAGE_BYTES).contains(&page.len())).collect();
    let before = resident()?;
    let mut sessions = Vec::new();
    let mut bytes = 0;
    for page in pages.iter().cycle().take(OPEN_SESSIONS) {
        let mut session = Session::new(extractor, Hints::default());
        for part in page.chunks(PARTS[0]) {
            session.feed(part);
        }
        bytes += session.len();
        sessions.push(session);
    }
    let count = sessions.len() as f64;
    println!(
        "{} pages of {least} to {MAX_PAGE_BYTES} bytes, {count} sessions open: {:.0} KB each for pages of {:.0} KB",
        pages.len(),
        (resident()? - before) / count / 1e3,
        bytes as f64 / count / 1e3
    );
    Ok(())
}

/// Returns the number of resident bytes of the process.
fn resident() -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let mut words = line.ok_or("no VmRSS")?.split_whitespace();
    let kilobytes: f64 = words.nth(1).ok_or("no VmRSS")?.parse()?;
    Ok(kilobytes * 1024.0)
}
