//! `run`: the whole pipeline, archives in, files of documents out.

use std::{
    collections::BTreeMap,
    io,
    num::NonZeroUsize,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use trommel::Hints;
use trommel_extract::RoleSet;
use trommel_output::{Assemble, Compression, Format, OptionalColumns};
use trommel_pipeline::{
    Environment, Existing, FormatChoice, Outcome, Output, Progress, ProgressState, Summary,
    run as run_plan,
};
use trommel_sources::NetworkOptions;

use crate::{
    errors::{RunError, TrommelError},
    extractor::PyExtractor,
    inputs::{Archives, GivenConfig, Named, plan},
    logging,
    settings::{Given, NamedModel},
};

/// The counts of a run as a dict: the JSON of `trommel run --summary`, and `outcome`.
///
/// # Errors
/// Only if memory runs out.
pub(crate) fn summary_dict<'py>(
    py: Python<'py>,
    summary: &Summary,
) -> PyResult<Bound<'py, PyDict>> {
    let json = serde_json::to_string(summary);
    let json = json.map_err(|error| TrommelError::new_err(error.to_string()))?;
    let dict = py
        .import("json")?
        .call_method1("loads", (json,))?
        .cast_into::<PyDict>()?;
    dict.set_item(
        "outcome",
        match summary.outcome() {
            Outcome::Clean => "clean",
            Outcome::Partial => "partial",
            Outcome::Nothing => "nothing",
        },
    )?;
    Ok(dict)
}

/// Calls back, and asks for signals; ends the run at an exception of either.
struct Callback<'a> {
    call: Option<&'a Py<PyAny>>,
    stop: &'a AtomicBool,
    raised: Option<PyErr>,
}

impl Callback<'_> {
    fn tell(&self, state: &ProgressState) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            let Some(call) = self.call else {
                return Ok(());
            };
            let counts = PyDict::new(py);
            counts.set_item("bytes", state.bytes)?;
            counts.set_item("total", state.total)?;
            counts.set_item("records", state.records)?;
            counts.set_item("documents", state.documents)?;
            counts.set_item("failures", state.failures)?;
            call.call1(py, (counts,)).map(drop)
        })
    }
}

impl Progress for Callback<'_> {
    fn update(&mut self, state: &ProgressState) {
        if self.raised.is_some() {
            return;
        }
        if let Err(error) = self.tell(state) {
            self.raised = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Extracts the main text of archives into files, as the program `trommel run` does and with its promises:
/// outputs appear when they are whole, and a run that was interrupted continues with `resume=True`. Returns
/// the counts of the run.
#[pyfunction]
#[pyo3(signature = (inputs, out, *, extractor=None, format=None, compress=None, split_size=None, config=None, jobs=None, resume=false, overwrite=false, quarantine=None, dropped=None, base_url=None, pages_only=false, resolve_revisits=false, max_memory=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn run<'py>(
    py: Python<'py>,
    inputs: Named,
    out: PathBuf,
    extractor: Option<&Bound<'py, PyExtractor>>,
    format: Option<Vec<String>>,
    compress: Option<&str>,
    split_size: Option<u64>,
    config: Option<GivenConfig>,
    jobs: Option<NonZeroUsize>,
    resume: bool,
    overwrite: bool,
    quarantine: Option<PathBuf>,
    dropped: Option<PathBuf>,
    base_url: Option<&str>,
    pages_only: bool,
    resolve_revisits: bool,
    max_memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    logging::connect();
    let invalid = |error: &dyn std::fmt::Display| PyValueError::new_err(error.to_string());
    let mut config = config.map_or_else(Default::default, |config| config.0);
    config.max_memory = max_memory.or(config.max_memory);
    let settings = match extractor {
        Some(extractor) => extractor.get().settings.clone(),
        None => {
            let (comments, headline) = (config.comments.to_string(), config.headline.to_string());
            let articles = config.articles.to_string();
            let names = |roles: RoleSet| roles.iter().map(|role| role.name().to_owned()).collect();
            let model = config.model.as_deref().map(NamedModel::open);
            let given = Given {
                model: model.transpose()?,
                comments: &comments,
                headline: &headline,
                articles: &articles,
                include: names(config.include),
                exclude: names(config.exclude),
                markdown: config.text == Some(trommel_pipeline::TextForm::Markdown),
                blocks: config.blocks,
                spans: config.spans,
                tables: config.tables,
                ..Given::default()
            };
            given.settings()?
        }
    };
    let extractor = PyExtractor::of(settings);
    let name = out.to_string_lossy().into_owned();
    if name == "-" || trommel_sources::is_url(&name) {
        return Err(PyValueError::new_err(format!(
            "{name}: documents are written to files and folders"
        )));
    }
    let chosen = FormatChoice {
        formats: format
            .unwrap_or_default()
            .iter()
            .map(|name| name.parse::<Format>().map_err(|error| invalid(&error)))
            .collect::<PyResult<_>>()?,
        compression: compress
            .map(|name| name.parse::<Compression>().map_err(|error| invalid(&error)))
            .transpose()?,
    };
    let fallback = FormatChoice {
        formats: config.format.clone(),
        compression: config.compress,
    };
    let output = Output::new(&name, &chosen, &fallback)
        .and_then(|output| output.split(split_size.or(config.split_size)))
        .map_err(|error| invalid(&error))?;
    let existing = match (resume, overwrite) {
        (true, true) => {
            return Err(PyValueError::new_err(
                "resume and overwrite exclude each other",
            ));
        }
        (true, false) => Existing::Resume,
        (false, true) => Existing::Overwrite,
        (false, false) => Existing::Refuse,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let network = NetworkOptions {
        stop: stop.clone().into(),
        ..NetworkOptions::default()
    };
    let Archives { inputs, disk } = inputs.archives(py, base_url, &network, pages_only)?;
    output.check(&inputs).map_err(|error| invalid(&error))?;
    let steps = last_steps(&output, extractor.settings.optional())?;
    let quarantine = output
        .destination
        .quarantine(quarantine.as_deref(), &inputs)
        .map_err(|error| invalid(&error))?;
    let mut plan = plan(
        inputs, output, &extractor.settings, &config, jobs, pages_only, base_url,
    )?;
    plan.assemble = steps;
    plan.quarantine = quarantine;
    plan.dropped = dropped;
    plan.resolve_revisits = resolve_revisits;
    let mut callback = Callback {
        call: progress.as_ref(),
        stop: &stop,
        raised: None,
    };
    let done = py.detach(|| {
        let mut nowhere = io::sink();
        let environment = Environment {
            disk: &*disk,
            stop: &stop,
            network,
            existing,
            ..Environment::new(&mut nowhere, &mut callback)
        };
        let PyExtractor {
            extractor, form, ..
        } = &extractor;
        let extract =
            |bytes: &[u8], hints: &Hints<'_>| extractor.extract(bytes, hints).document(form);
        run_plan(&plan, &extract, environment)
    });
    if let Some(error) = callback.raised {
        return Err(error);
    }
    let summary = done.map_err(|error| RunError::new_err(error.to_string()))?;
    summary_dict(py, &summary)
}

/// What makes outputs of their spools.
fn last_steps(
    output: &Output,
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables))] optional: OptionalColumns,
) -> PyResult<BTreeMap<Format, Arc<dyn Assemble>>> {
    let mut steps = BTreeMap::new();
    for encoding in &output.encodings {
        let format = encoding.format;
        let step: Option<Arc<dyn Assemble>> = match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => Some(Arc::new(trommel_output::Parquet { optional })),
            other if other.is_assembled() => {
                return Err(PyValueError::new_err(format!(
                    "this module was built without the format {other}"
                )));
            }
            _ => None,
        };
        steps.extend(step.map(|step| (format, step)));
    }
    Ok(steps)
}
