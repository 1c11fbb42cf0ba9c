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
    time::Duration,
};

use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use trommel::Hints;
use trommel_output::{Assemble, Compression, Format, OptionalColumns};
use trommel_pipeline::{
    Bucket, Environment, Existing, Follow, FormatChoice, Outcome, Output, Progress, ProgressState,
    SetAside, SetAsideError, Summary, run as run_plan,
};
use trommel_sources::NetworkOptions;

use crate::{
    chosen::{GivenConfig, chosen_extractor},
    errors::{RunError, TrommelError},
    extractor::PyExtractor,
    inputs::{Archives, InputChoices, Named, plan},
    logging,
    names::{Names, Paths},
    sites::Sites,
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
/// outputs appear when they are whole, and a run that was interrupted continues with `resume=True`. `out` is a file, a
/// folder or on `s3://`. `choices` are the keywords of `Extractor` and win over `config`. Returns the counts of the
/// run.
#[pyfunction]
#[pyo3(signature = (inputs, out, *, extractor=None, format=None, compress=None, split_size=None, config=None, jobs=None, resume=false, overwrite=false, quarantine=None, set_aside=None, dropped=None, select=None, select_anywhere=false, whole_ranges=false, shard=None, base_url=None, pages_only=false, check_hashes=false, resolve_revisits=false, follow=false, idle=None, until_idle=None, max_memory=None, progress=None, **choices))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn run<'py>(
    py: Python<'py>,
    inputs: Named,
    out: PathBuf,
    extractor: Option<&Bound<'py, PyExtractor>>,
    format: Option<Names>,
    compress: Option<&str>,
    split_size: Option<u64>,
    config: Option<GivenConfig>,
    jobs: Option<NonZeroUsize>,
    resume: bool,
    overwrite: bool,
    quarantine: Option<PathBuf>,
    set_aside: Option<&Bound<'py, PyDict>>,
    dropped: Option<PathBuf>,
    select: Option<Paths>,
    select_anywhere: bool,
    whole_ranges: bool,
    shard: Option<&str>,
    base_url: Option<&str>,
    pages_only: bool,
    check_hashes: bool,
    resolve_revisits: bool,
    follow: bool,
    idle: Option<f64>,
    until_idle: Option<f64>,
    max_memory: Option<u64>,
    progress: Option<Py<PyAny>>,
    choices: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    logging::connect();
    let mut given = config.unwrap_or_default();
    given.config.max_memory = max_memory.or(given.config.max_memory);
    let mut extractor = chosen_extractor(py, extractor, &given, choices)?;
    extractor.check_for_many()?;
    let config = given.config;
    let sites = Sites::take(&config, &mut extractor)?;
    let name = out.to_string_lossy().into_owned();
    if name == "-" {
        return Err(PyValueError::new_err(
            "-: documents are written to files, folders and s3://",
        ));
    }
    let chosen = FormatChoice {
        formats: format
            .unwrap_or_default()
            .0
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
    let read = InputChoices {
        base: base_url,
        pages_only,
        check_hashes,
        select: select.unwrap_or_default().0,
        select_anywhere,
        whole_ranges,
        share: shard
            .map(|text| text.parse())
            .transpose()
            .map_err(|error: String| PyValueError::new_err(format!("shard: {error}")))?,
        is_followed: follow,
    };
    let follow = followed(&inputs, &read, resolve_revisits, idle, until_idle)?;
    let Archives {
        inputs,
        disk,
        is_object,
    } = inputs.archives(py, &read, &network)?;
    output.check(&inputs).map_err(|error| invalid(&error))?;
    let set_aside = kept(set_aside)?;
    let steps = last_steps(&output, extractor.settings.optional())?;
    let quarantine = output
        .destination
        .quarantine(quarantine.as_deref(), &inputs)
        .map_err(|error| invalid(&error))?;
    let mut plan = plan(
        inputs, output, &extractor.settings, &config, jobs, &read, &sites,
    )?;
    plan.assemble = steps;
    plan.quarantine = quarantine;
    plan.set_aside = set_aside;
    plan.dropped = dropped;
    plan.follow = follow;
    plan.resolve_revisits = resolve_revisits;
    plan.check_names(None).map_err(|error| invalid(&error))?;
    sites.check(&plan, is_object, resume)?;
    let bucket = py
        .detach(|| Bucket::take(&mut plan, network.clone(), existing))
        .map_err(|error| RunError::new_err(error.to_string()))?;
    if bucket.is_some() && is_object {
        return Err(PyValueError::new_err(
            "a file object is read into files and folders of this machine, not to s3://",
        ));
    }
    let mut callback = Callback {
        call: progress.as_ref(),
        stop: &stop,
        raised: None,
    };
    let done = py.detach(|| {
        let mut nowhere = io::sink();
        let first_pass = Environment {
            stop: &stop,
            network: network.clone(),
            ..Environment::new(&mut nowhere, &mut callback)
        };
        // What is refused at once should not be after a first pass.
        let is_refused =
            existing == Existing::Refuse && plan.outputs().iter().any(|path| path.exists());
        if !is_refused {
            extractor.extractor = sites.counted(extractor.extractor.clone(), &plan, first_pass)?;
        }
        let mut nowhere = io::sink();
        let environment = Environment {
            disk: match &bucket {
                Some(bucket) => bucket,
                None => &*disk,
            },
            stop: &stop,
            network,
            existing,
            ..Environment::new(&mut nowhere, &mut callback)
        };
        let extract = |bytes: &[u8], hints: &Hints<'_>| extractor.document(bytes, hints);
        run_plan(&plan, &extract, environment)
    });
    if let Some(error) = callback.raised {
        return Err(error);
    }
    let mut summary = done.map_err(|error| RunError::new_err(error.to_string()))?;
    if let Some(bucket) = &bucket {
        bucket.name(&mut summary);
    }
    summary_dict(py, &summary)
}

fn invalid(error: &dyn std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What to follow; none if inputs are to be read once.
fn followed(
    inputs: &Named,
    read: &InputChoices<'_>,
    resolve_revisits: bool,
    idle: Option<f64>,
    until_idle: Option<f64>,
) -> PyResult<Option<Follow>> {
    let seconds = |name: &str, value: Option<f64>| match value {
        None => Ok(None),
        Some(value) if (0.0..=1e6).contains(&value) => Ok(Some(Duration::from_secs_f64(value))),
        Some(_) => Err(PyValueError::new_err(format!(
            "{name}: expected a number of seconds"
        ))),
    };
    let (idle, until_idle) = (seconds("idle", idle)?, seconds("until_idle", until_idle)?);
    if !read.is_followed {
        return match idle.or(until_idle) {
            None => Ok(None),
            Some(_) => Err(PyValueError::new_err(
                "idle and until_idle are for follow=True",
            )),
        };
    }
    for (name, is_set) in [
        ("select", !read.select.is_empty()),
        ("shard", read.share.is_some()),
        ("pages_only", read.pages_only),
        ("check_hashes", read.check_hashes),
        ("resolve_revisits", resolve_revisits),
    ] {
        if is_set {
            return Err(PyValueError::new_err(format!(
                "follow and {name} exclude each other"
            )));
        }
    }
    let follow = inputs.follow()?;
    Ok(Some(Follow {
        idle: idle.unwrap_or(follow.idle),
        until_idle,
        ..follow
    }))
}

/// Files for records of other kinds than pages, of a dict of kinds and paths.
fn kept(set_aside: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<SetAside>> {
    let Some(set_aside) = set_aside else {
        return Ok(Vec::new());
    };
    let files = set_aside.iter().map(|(kind, path)| {
        let (kind, path): (String, PathBuf) = (kind.extract()?, path.extract()?);
        let text = format!("{kind}={}", path.display());
        text.parse()
            .map_err(|error: SetAsideError| PyValueError::new_err(format!("set_aside: {error}")))
    });
    files.collect()
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
