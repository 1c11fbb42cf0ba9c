//! Speed of the methods: pages a second, and growth with the page.

use std::hint::black_box;
use std::time::Instant;

use trommel_learn::PageSet;

use super::error::ResultsError;
use super::growth::{GROWTH_BLOCKS, PageShape, synthetic};
use trommel_quality::markdown::{MarkdownTable, thousands};

use crate::methods::{About, Method};

/// Rounds over the pages, of which the fastest counts.
const ROUNDS: usize = 3;

/// Where and when speed is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    /// Name of the processor.
    pub processor: String,
    /// Logical cores.
    pub cores: usize,
    /// Day in UTC, such as 2026-01-31.
    pub date: String,
}

impl Machine {
    /// This machine, now.
    pub fn here() -> Self {
        let facts = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = facts
            .lines()
            .find(|line| line.starts_with("model name"))
            .and_then(|line| line.split_once(':'))
            .map_or("unknown processor", |(_, name)| name.trim());
        Self {
            processor: name.to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        }
    }
}

/// Pages a second of each method over the tables of a set, on this thread.
pub(super) fn pages_per_second(set: &PageSet, methods: &[Box<dyn Method>]) -> Result<Vec<f64>, ResultsError> {
    let mut speeds = Vec::new();
    for method in methods {
        let mut fastest = f64::INFINITY;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for page in &set.pages {
                black_box(method.extract_from(black_box(&page.page), &page.html)?);
            }
            fastest = fastest.min(start.elapsed().as_secs_f64());
        }
        speeds.push(set.pages.len() as f64 / fastest.max(1e-9));
    }
    Ok(speeds)
}

/// Seconds that a method takes for synthetic pages of [`GROWTH_BLOCKS`] blocks, the slowest shape each.
pub(super) type Growth = [f64; GROWTH_BLOCKS.len()];

/// The growth of each method.
pub(super) fn growth(methods: &[Box<dyn Method>]) -> Result<Vec<Growth>, ResultsError> {
    let mut slowest = vec![Growth::default(); methods.len()];
    for shape in PageShape::ALL {
        for (size, blocks) in GROWTH_BLOCKS.into_iter().enumerate() {
            let (page, html) = synthetic(shape, blocks);
            for (method, slowest) in methods.iter().zip(&mut slowest) {
                let start = Instant::now();
                black_box(method.extract_from(black_box(&page), &html)?);
                let seconds = start.elapsed().as_secs_f64();
                if let Some(slowest) = slowest.get_mut(size) {
                    *slowest = slowest.max(seconds);
                }
            }
        }
    }
    Ok(slowest)
}

/// `method-comparison-speed.md`.
pub(super) fn speed_report(machine: &Machine, methods: &[About], speeds: &[f64], growth: &[Growth]) -> String {
    let mut pages = MarkdownTable::new(["method", "pages/s"]);
    for (about, speed) in methods.iter().zip(speeds) {
        pages.row([about.name.to_owned(), thousands(speed.round() as usize)]);
    }
    let sizes = GROWTH_BLOCKS.map(|blocks| format!("{} blocks, ms", thousands(blocks)));
    let mut grown = MarkdownTable::new(std::iter::once("method".to_owned()).chain(sizes));
    for (about, seconds) in methods.iter().zip(growth) {
        let cells = seconds.map(|seconds| format!("{:.1}", 1000.0 * seconds));
        grown.row(std::iter::once(about.name.to_owned()).chain(cells));
    }
    format!(
        "# Speed of the methods\n\n\
         Written by `make results` on {}: {}, {} cores, of which one is used. This file varies from run \
         to run and from machine to machine; the [quality](method-comparison.md) does not.\n\n\
         ## Pages a second\n\n\
         The verdict on the tables of the dragnet-test pages, read beforehand; the fastest of {ROUNDS} \
         rounds.\n\n{}\n\
         ## Growth with the page\n\n\
         Milliseconds for one synthetic page of about 25 bytes of HTML a block: the slowest of three \
         shapes (mixed sections; all blocks side by side; elements 400 deep), one round. Four times the \
         blocks should take about four times as long. `make bench` measures the same pages with more \
         rounds.\n\n{}",
        machine.date,
        machine.processor,
        machine.cores,
        pages.text(),
        grown.text()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::AllText;

    #[test]
    fn the_report_names_machine_and_figures() {
        let machine = Machine { processor: "Abacus".to_owned(), cores: 3, date: "2001-02-03".to_owned() };
        let text = speed_report(&machine, &[*AllText.about()], &[1234.4], &[[0.001, 0.0042, 0.02]]);
        assert!(text.contains("on 2001-02-03: Abacus, 3 cores"), "{text}");
        assert!(text.contains("| all-text | 1,234 |"), "{text}");
        assert!(text.contains("| method | 12,500 blocks, ms | 50,000 blocks, ms | 200,000 blocks, ms |"), "{text}");
        assert!(text.contains("| all-text | 1.0 | 4.2 | 20.0 |"), "{text}");
    }
}
