//! Implements `train`, which trains a model on labelled pages.

use std::path::PathBuf;

use pyo3::prelude::*;
use trommel::learn::{LearnError, Score, TrainOptions, Trained, adapt, read_set, train as learn};
use trommel::record::AtomicFile;

use crate::interpreter::{self, Listener, on_own_threads};
use crate::{errors::told, evaluation::gold_of, settings::NamedModel, values, values::Paths};

/// Trains a model on labelled pages (archives and their gold files) and writes it to `out`. With `base` (a built-in
/// model or model file) it adapts that model, for which few pages are enough. Returns the scores of the
/// cross-validation by host: a list of dicts of set, pages, precision, recall and f1. `progress` is called with a line of
/// text at each step, such as `print`.
#[pyfunction]
#[pyo3(signature = (pages, out, gold=None, *, base=None, name=None, folds=5, date="1970-01-01", progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn train<'py>(
    py: Python<'py>,
    pages: Paths,
    out: PathBuf,
    gold: Option<Paths>,
    base: Option<NamedModel>,
    name: Option<String>,
    folds: usize,
    date: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    interpreter::connect();
    AtomicFile::prepare(&out)?;
    let stem = out.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let options = TrainOptions {
        name: name.or(stem).unwrap_or_default(),
        created: date.to_owned(),
        folds,
        ..TrainOptions::default()
    };
    let mut gold = gold.unwrap_or_default().0.into_iter();
    let with_gold = |pages: PathBuf| gold_of(&pages, gold.next()).map(|gold| (pages, gold));
    let sets: Vec<(PathBuf, PathBuf)> = pages.0.into_iter().map(with_gold).collect::<PyResult<_>>()?;
    let _listener = Listener::new(progress);
    let scores = py.detach(|| -> PyResult<Vec<Score>> {
        let trained = on_own_threads(0, || -> Result<Trained, LearnError> {
            let sets = sets.iter().map(|(pages, gold)| read_set(pages, gold));
            let sets = sets.collect::<Result<Vec<_>, _>>()?;
            match &base {
                Some(base) => Ok(adapt(&base.model, &sets, 0, &options)?.trained),
                None => learn(&sets, &options),
            }
        })?;
        let trained = trained.map_err(told)?;
        let bytes = trained.model.to_packed().map_err(told)?;
        AtomicFile::write_all(&out, &bytes)?;
        Ok(trained.model.file().scores.clone())
    })?;
    values::object(py, &scores)
}
