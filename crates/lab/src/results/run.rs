//! The whole measurement, from the data to the files.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use trommel_learn::{LABEL_SHARE, PageSet, list};

use super::error::ResultsError;
use super::measure::{Division, TokenCounts, measure};
use super::paper::KIM_ROWS;
use super::plot::plot;
use super::report::{Results, report};
use super::set::{self, TRAIN};
use super::speed::{Machine, growth, pages_per_second, speed_report};
use crate::methods::all;
use crate::methods::{About, Example, Method, MethodError};
use crate::methods::{BlockAttributes, BlockScores, block_scores};

/// The set that speed is measured on.
const TEST: &str = "dragnet-test";
const KIM_SET: &str = "l3s-gn1";
/// Parts of Kim's cross-validation.
const FOLDS: usize = 10;

/// Sets in the order of the tables, and what they are divided by.
const SETS: [(&str, Division); 6] = [
    (TRAIN, Division::None),
    (TEST, Division::None),
    ("cleaneval", Division::None),
    (KIM_SET, Division::None),
    ("daniel-dev", Division::Language),
    ("wcxb-dev", Division::PageType),
];

/// Fits every learning method on the set `dragnet-train` of `data`, scores all methods on all sets and
/// writes `method-comparison.md`, `method-comparison.svg` (the same bytes on every run) and `method-comparison-speed.md` (not so) into
/// `out`, which is made if need be. Returns the files. Sets are `NAME.warc.gz` with
/// `NAME.gold.jsonl.gz`: those of the tables, all of which have to be there.
///
/// # Errors
/// If a set cannot be read, a method cannot be fitted or a file cannot be written.
pub fn run(data: &Path, out: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let train = set::read(data, TRAIN)?;
    let labels = train.labels(true, LABEL_SHARE);
    let examples = train.examples(&labels);
    let methods = fitted(&examples)?;
    let listed = list(&examples);
    let mut sets = Vec::new();
    let mut kim = [[BlockScores::default(); KIM_ROWS.len()]; 2];
    let mut speeds = Vec::new();
    for (name, division) in SETS {
        let read;
        let set = if name == TRAIN {
            &train
        } else {
            read = set::read(data, name)?;
            &read
        };
        sets.push(measure(set, division, &methods, &listed)?);
        if name == TEST {
            speeds = pages_per_second(set, &methods)?;
        }
        if name == KIM_SET {
            kim = [kim_scores(set, true)?, kim_scores(set, false)?];
        }
        tracing::info!(set = name, "scored");
    }
    let results = Results {
        methods: abouts(&methods),
        sets,
        kim: kim[0],
        kim_without_comments: kim[1],
        tokens: TokenCounts::of(&examples, &listed),
    };
    let speed = speed_report(
        &Machine::here(),
        &results.methods,
        &speeds,
        &growth(&methods)?,
    );
    write(
        out,
        &[
            ("method-comparison.md", report(&results)),
            (
                "method-comparison.svg",
                plot(&results.methods, &results.sets),
            ),
            ("method-comparison-speed.md", speed),
        ],
    )
}

fn abouts(methods: &[Box<dyn Method>]) -> Vec<About> {
    methods.iter().map(|method| *method.about()).collect()
}

/// Every method, the learning ones fitted.
fn fitted(examples: &[Example]) -> Result<Vec<Box<dyn Method>>, MethodError> {
    all()
        .into_par_iter()
        .map(|mut method| {
            if method.about().learns {
                method.fit(examples)?;
                tracing::info!(method = method.about().name, "fitted");
            }
            Ok(method)
        })
        .collect()
}

/// In the order of [`KIM_ROWS`].
fn kim_scores(set: &PageSet, comments: bool) -> Result<[BlockScores; KIM_ROWS.len()], MethodError> {
    let labels = set.labels(comments, LABEL_SHARE);
    let examples = set.examples(&labels);
    Ok([
        block_scores(&examples, BlockAttributes::Context, FOLDS)?,
        block_scores(&examples, BlockAttributes::Boilerpipe, FOLDS)?,
    ])
}

fn write(out: &Path, files: &[(&str, String)]) -> Result<Vec<PathBuf>, ResultsError> {
    let failed = |path: &Path, source| ResultsError::Write {
        path: path.display().to_string(),
        source,
    };
    std::fs::create_dir_all(out).map_err(|source| failed(out, source))?;
    let mut written = Vec::new();
    for (name, text) in files {
        let path = out.join(name);
        std::fs::write(&path, text).map_err(|source| failed(&path, source))?;
        written.push(path);
    }
    Ok(written)
}
