//! Speed of the methods: pages a second.

use std::hint::black_box;
use std::time::Instant;

use trommel_learn::PageSet;

use super::error::ResultsError;
use trommel_quality::markdown::{MarkdownTable, thousands};

use crate::methods::{About, Method};

/// Rounds over the pages, of which the fastest counts.
const ROUNDS: usize = 3;

/// The machine and the day of a measurement.
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

/// `method-comparison-speed.md`.
pub(super) fn speed_report(machine: &Machine, methods: &[About], speeds: &[f64]) -> String {
    let mut pages = MarkdownTable::new(["method", "pages/s"]);
    for (about, speed) in methods.iter().zip(speeds) {
        pages.row([about.name.to_owned(), thousands(speed.round() as usize)]);
    }
    format!(
        "# Speed of the methods\n\n\
         Written by `make results` on {}: {}, {} cores, of which one is used. This file varies from run \
         to run and from machine to machine; the [quality](method-comparison.md) does not.\n\n\
         ## Pages a second\n\n\
         The verdict on the tables of the dragnet-test pages, read beforehand; the fastest of {ROUNDS} \
         rounds. `make bench` measures how the time grows with the page.\n\n{}",
        machine.date,
        machine.processor,
        machine.cores,
        pages.text()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::AllText;

    #[test]
    fn the_report_names_machine_and_figures() {
        let machine = Machine { processor: "Abacus".to_owned(), cores: 3, date: "2001-02-03".to_owned() };
        let text = speed_report(&machine, &[*AllText.about()], &[1234.4]);
        assert!(text.contains("on 2001-02-03: Abacus, 3 cores"), "{text}");
        assert!(text.contains("| all-text | 1,234 |"), "{text}");
    }
}
