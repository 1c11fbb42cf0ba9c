//! Implements `run`, which extracts archives into files of documents.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, sync::Arc, time::Duration};

use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use trommel::Hints;
use trommel::run::{
    Bucket, Environment, Existing, FollowTimes, InputShare, NetworkOptions, Outcome, PreparedRun, Progress,
    ProgressState, RunRequest, SetAside, Summary, run as run_plan,
};

use crate::errors::{ended, raised};
use crate::inputs::{Named, RunChoices, prepared};
use crate::{extractor::PyExtractor, interpreter, settings::ConfigArgument, values, values::Paths};

/// Returns the counts of a run as a dict: the JSON of `trommel run --summary`, and `outcome`.
///
/// # Errors
/// Fails only if memory runs out.
pub(crate) fn summary_dict<'py>(py: Python<'py>, summary: &Summary) -> PyResult<Bound<'py, PyDict>> {
    let dict = values::object(py, summary)?.cast_into::<PyDict>()?;
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

/// Observer of a run that calls a Python function with the progress and checks for signals. An exception ends the run.
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
            call.call1(py, (values::object(py, state)?,)).map(drop)
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

const OBJECT_TO_BUCKET: &str = "a file object is read into files and folders of this machine, not to a bucket";

/// Extracts the main text of archives into files, like the program `trommel run`. Outputs appear when they are
/// complete, and `resume=True` continues an interrupted run. `out` is a file, a folder or a URL in a bucket.
/// `choices` are all settings by their names (docs/settings.md); they override `config`. Returns the counts of the
/// run.
#[pyfunction]
#[pyo3(signature = (inputs, out, *, extractor=None, config=None, resume=false, overwrite=false, quarantine=None, set_aside=None, hard_to=None, dropped=None, select=None, shard=None, follow=false, idle=None, until_idle=None, progress=None, **choices))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn run<'py>(
    py: Python<'py>,
    inputs: Named,
    out: PathBuf,
    extractor: Option<&Bound<'py, PyExtractor>>,
    config: Option<ConfigArgument>,
    resume: bool,
    overwrite: bool,
    quarantine: Option<PathBuf>,
    set_aside: Option<&Bound<'py, PyDict>>,
    hard_to: Option<PathBuf>,
    dropped: Option<PathBuf>,
    select: Option<Paths>,
    shard: Option<&str>,
    follow: bool,
    idle: Option<f64>,
    until_idle: Option<f64>,
    progress: Option<Py<PyAny>>,
    choices: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    interpreter::connect();
    let given = RunChoices::read(extractor, config, choices, |_| true)?;
    let output = destination(&out)?;
    let existing = existing(resume, overwrite)?;
    let stop = Arc::new(AtomicBool::new(false));
    let network = NetworkOptions { stop: stop.clone().into(), ..NetworkOptions::default() };
    let mut request = RunRequest {
        output,
        select: select.unwrap_or_default().0,
        shard: shard.map(share).transpose()?,
        quarantine,
        set_aside: kept(set_aside)?,
        hard_to,
        dropped,
        follow: followed(follow, idle, until_idle)?,
        ..RunRequest::default()
    };
    let (disk, is_object) = inputs.into_request(&mut request)?;
    let PreparedRun { mut plan, sites, mut extractor } = prepared(py, request, &given, &network, is_object)?;
    plan.check_names(None).map_err(raised)?;
    plan.prepare_files(None).map_err(ended)?;
    sites.check(&plan).map_err(raised)?;
    let bucket = py.detach(|| Bucket::take(&mut plan, network.clone(), existing)).map_err(ended)?;
    if bucket.is_some() && is_object {
        return Err(PyValueError::new_err(OBJECT_TO_BUCKET));
    }
    let mut callback = Callback { call: progress.as_ref(), stop: &stop, raised: None };
    let done = py.detach(|| {
        let mut nowhere = io::sink();
        let first_pass = Environment { network: network.clone(), ..Environment::new(&mut nowhere, &mut callback) };
        // What is refused, or done already, is so at once and not after a first pass.
        if !sites.reads_twice() || plan.has_work(existing)? {
            extractor = sites.apply(extractor, &plan, first_pass)?;
        }
        let mut nowhere = io::sink();
        let environment = Environment {
            disk: match &bucket {
                Some(bucket) => bucket,
                None => &*disk,
            },
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
    let mut summary = done.map_err(ended)?;
    if let Some(bucket) = &bucket {
        bucket.name(&mut summary);
    }
    summary_dict(py, &summary)
}

/// Returns the treatment of existing outputs that the keywords `resume` and `overwrite` choose.
fn existing(resume: bool, overwrite: bool) -> PyResult<Existing> {
    match (resume, overwrite) {
        (true, true) => Err(PyValueError::new_err("resume and overwrite exclude each other")),
        (true, false) => Ok(Existing::Resume),
        (false, true) => Ok(Existing::Overwrite),
        (false, false) => Ok(Existing::Refuse),
    }
}

fn destination(out: &Path) -> PyResult<String> {
    match out.to_string_lossy() {
        out if out == "-" => Err(PyValueError::new_err("-: documents are written to files, folders and buckets")),
        out => Ok(out.into_owned()),
    }
}

pub(crate) fn share(text: &str) -> PyResult<InputShare> {
    text.parse().map_err(|error: String| PyValueError::new_err(format!("shard: {error}")))
}

/// Returns the time limits for following inputs that grow; `None` if inputs are read once.
fn followed(follow: bool, idle: Option<f64>, until_idle: Option<f64>) -> PyResult<Option<FollowTimes>> {
    let seconds = |name: &str, value: Option<f64>| match value {
        None => Ok(None),
        Some(value) if (0.0..=1e6).contains(&value) => Ok(Some(Duration::from_secs_f64(value))),
        Some(_) => Err(PyValueError::new_err(format!("{name}: expected a number of seconds"))),
    };
    let times = FollowTimes { idle: seconds("idle", idle)?, until_idle: seconds("until_idle", until_idle)? };
    match (follow, times == FollowTimes::default()) {
        (true, _) => Ok(Some(times)),
        (false, true) => Ok(None),
        (false, false) => Err(PyValueError::new_err("idle and until_idle are for follow=True")),
    }
}

/// Returns the output files for records that are not pages, from a dict that maps media types to paths.
fn kept(set_aside: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<SetAside>> {
    let Some(set_aside) = set_aside else {
        return Ok(Vec::new());
    };
    let files = set_aside.iter().map(|(kind, path)| {
        let (kind, path): (String, PathBuf) = (kind.extract()?, path.extract()?);
        let text = format!("{kind}={}", path.display());
        text.parse().map_err(|error: trommel::Error| PyValueError::new_err(format!("set_aside: {error}")))
    });
    files.collect()
}
