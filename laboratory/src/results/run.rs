//! The whole measurement, from the data to the files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use trommel_extract::{CommentPolicy, ContentPolicy, Extractor};
use trommel_learn::{EvalOptions, LABEL_SHARE, LabelledPage, PageSet, evaluate, list, text_by};
use trommel_model::Model;
use trommel_text::words::Rule;

use super::cetr::cetr_figures;
use super::error::ResultsError;
use super::figures::{KimFigures, Results, Stacked};
use super::measure::{TokenCounts, Verdicts, measure, verdicts};
use super::paper::PAPER_SETS;
use super::plot::plot;
use super::report::report;
use super::set::{self, TRAIN};
use super::speed::{Machine, pages_per_second, speed_report};
use super::stacking::{Stacker, VotedSet, stacked as stacked_f1};
use crate::methods::{About, Example, Method, MethodError, all, all_by_site};
use crate::methods::{BlockAttributes, FoldUnit, Validation, block_scores};

/// The set that speed is measured on.
const TEST: &str = "dragnet-test";
const KIM_SET: &str = "l3s-gn1";
/// The usual confidence of C4.5, which prunes.
const PRUNED: f64 = 0.25;

/// Sets in the order of the tables.
const SETS: [&str; 6] = [TRAIN, TEST, "cleaneval", KIM_SET, "daniel-dev", "wcxb-dev"];

/// Sets that the ensemble of all methods is learned from beside `wcxb-dev`: those of the shipped models.
const STACKED: [&str; 4] = ["aed424", "magic-articles", "zhweb", "news-world-dev"];
/// The set that is both learned from and in the tables.
const BOTH: &str = "wcxb-dev";

/// A set that was read, with what every method keeps of its pages.
struct Read {
    set: PageSet,
    verdicts: Verdicts,
}

/// Fits every learning method on the set `dragnet-train` of `data`, scores all methods on all sets and
/// writes `method-comparison.md`, `method-comparison.svg` (the same bytes on every run) and `method-comparison-speed.md` (not so) into
/// `out`, which is made if need be. Returns the files. Sets are `NAME.warc.gz` with
/// `NAME.gold.jsonl.gz`: those of the tables and those of the shipped models, all of which have to be there.
///
/// # Errors
/// If a set cannot be read, a method cannot be fitted or a file cannot be written.
pub fn run(data: &Path, out: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let train = set::read(data, TRAIN)?;
    let labels = train.labels(true, LABEL_SHARE);
    let examples = train.examples(&labels);
    let methods = fitted(&examples)?;
    let by_site = all_by_site();
    let listed = list(&examples);
    let mut sets = Vec::new();
    let mut cetr = Vec::new();
    let mut kim = None;
    let mut speeds = Vec::new();
    let mut read: Vec<Read> = Vec::new();
    for name in SETS {
        let set = match name {
            TRAIN => train.clone(),
            name => set::read(data, name)?,
        };
        let verdicts = verdicts(&set, &methods, &by_site)?;
        sets.push(measure(&set, &verdicts, &listed));
        if PAPER_SETS.contains(&name) {
            cetr.push((name, cetr_figures(&set)?));
        }
        if name == TEST {
            speeds = pages_per_second(&set, &methods)?;
        }
        if name == KIM_SET {
            kim = Some(kim_figures(&set)?);
        }
        tracing::info!(set = name, "scored");
        if name != TRAIN {
            read.push(Read { set, verdicts });
        }
    }
    for name in STACKED {
        let set = set::read(data, name)?;
        let verdicts = verdicts(&set, &methods, &by_site)?;
        read.push(Read { set, verdicts });
    }
    let mut abouts = abouts(&methods);
    abouts.extend(by_site.iter().map(|method| *method.about()));
    let results = Results {
        methods: abouts,
        sets,
        cetr,
        kim: kim.unwrap_or_default(),
        stacked: stacks(&read)?,
        tokens: TokenCounts::of(&examples, &listed),
    };
    let speed = speed_report(&Machine::here(), &results.methods, &speeds);
    write(
        out,
        &[
            ("method-comparison.md", report(&results)),
            ("method-comparison.svg", plot(&results.methods, &results.sets)),
            ("method-comparison-speed.md", speed),
        ],
    )
}

/// The ensembles of all methods, and the shipped models on the sets that they did not learn from.
fn stacks(read: &[Read]) -> Result<Stacked, ResultsError> {
    let is_training = |read: &Read| read.set.name == BOTH || STACKED.contains(&read.set.name.as_str());
    let voted = |read: &'_ Read| read.set.labels(true, LABEL_SHARE);
    let labels: Vec<Vec<Vec<bool>>> = read.par_iter().map(voted).collect();
    let (mut training, mut tested) = (Vec::new(), Vec::new());
    for (read, labels) in read.iter().zip(labels) {
        let voted = VotedSet { set: &read.set, verdicts: &read.verdicts, labels };
        match is_training(read) {
            true => training.push(voted),
            false => tested.push(voted),
        }
    }
    let tested: Vec<&VotedSet> = tested.iter().collect();
    let names = |sets: &mut dyn Iterator<Item = &VotedSet>| -> Vec<String> {
        sets.map(|voted_set| voted_set.set.name.clone()).collect()
    };
    let mut stacked =
        Stacked { held_out: names(&mut training.iter()), tested: names(&mut tested.iter().copied()), rows: Vec::new() };
    for stacker in Stacker::ALL {
        let figures = stacked_f1(stacker, &training, &tested)?;
        let figures = figures.into_iter().map(Some).collect();
        stacked.rows.push((stacker.name().to_owned(), figures));
        tracing::info!(stacker = stacker.name(), "scored");
    }
    let policy = ContentPolicy { comments: CommentPolicy::Include, ..ContentPolicy::default() };
    let options = EvalOptions { rule: Rule::Characters, comments: true };
    for name in ["fast", "lite"] {
        let Some(model) = Model::builtin(name) else {
            continue;
        };
        let extractor = Extractor::new(Arc::new(model)).with_policy(policy.clone());
        let score = |voted_set: &&VotedSet| {
            let keep = |page: &LabelledPage| text_by(&extractor, page);
            Some(evaluate(voted_set.set, keep, &options).overall.scores.f1)
        };
        let figures = training.iter().map(|_| None);
        let figures = figures.chain(tested.iter().map(score)).collect();
        stacked.rows.push((format!("shipped {name}"), figures));
    }
    Ok(stacked)
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

/// Kim's table in all its ways.
fn kim_figures(set: &PageSet) -> Result<KimFigures, MethodError> {
    let scores = |comments: bool, validation: &Validation| {
        let labels = set.labels(comments, LABEL_SHARE);
        let examples = set.examples(&labels);
        let of = |attributes| block_scores(&examples, attributes, validation);
        Ok::<_, MethodError>([of(BlockAttributes::Context)?, of(BlockAttributes::Boilerpipe)?])
    };
    let mut ways = Vec::new();
    for unit in [FoldUnit::Block, FoldUnit::Page, FoldUnit::Site] {
        for confidence in [Validation::PAPER.confidence, PRUNED] {
            let validation = Validation { unit, confidence, ..Validation::PAPER };
            ways.push((validation, scores(true, &validation)?));
            tracing::info!(?unit, confidence, "cross-validated");
        }
    }
    Ok(KimFigures { ways, without_comments: scores(false, &Validation::PAPER)? })
}

fn write(out: &Path, files: &[(&str, String)]) -> Result<Vec<PathBuf>, ResultsError> {
    let failed = |path: &Path, source| ResultsError::Write { path: path.display().to_string(), source };
    std::fs::create_dir_all(out).map_err(|source| failed(out, source))?;
    let mut written = Vec::new();
    for (name, text) in files {
        let path = out.join(name);
        std::fs::write(&path, text).map_err(|source| failed(&path, source))?;
        written.push(path);
    }
    Ok(written)
}
