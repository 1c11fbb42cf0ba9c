//! `train`: trains a model on labelled pages.

use std::path::PathBuf;

use pyo3::prelude::*;
use trommel::{
    features::FeatureGroup,
    learn::{
        HeldOut, LABEL_SHARE, LearnError, Learner, TrainOptions, Trained, Weighting, adapt, read_set, train as learn,
    },
    output::AtomicFile,
};

use crate::{
    errors::TrommelError,
    evaluation::{gold_of, on_own_threads},
    names::Paths,
    settings::NamedModel,
};

/// Trains a model on labelled pages (archives and their gold files) and writes it to `out`. With `base` (a built-in
/// model or model file) it adapts that model, for which few pages are enough. Returns the scores of the
/// cross-validation by host: a list of dicts of set, pages, precision, recall and f1.
#[pyfunction]
#[pyo3(signature = (pages, out, gold=None, *, base=None, name=None, folds=5, date="1970-01-01"))]
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
) -> PyResult<Bound<'py, PyAny>> {
    let told = |error: &dyn std::fmt::Display| TrommelError::new_err(error.to_string());
    let stem = out.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let options = TrainOptions {
        names: vec![name.or(stem).unwrap_or_default()],
        created: date.to_owned(),
        groups: FeatureGroup::serving(),
        learner: Learner::Additive,
        label_share: LABEL_SHARE,
        weighting: Weighting::Pages,
        held_out: HeldOut::Hosts,
        folds,
        list_sets: 0,
        comments: true,
    };
    let mut gold = gold.unwrap_or_default().0.into_iter();
    let sets: Vec<(PathBuf, PathBuf)> = pages
        .0
        .into_iter()
        .map(|pages| Ok((gold_of(&pages, gold.next())?, pages)))
        .map(|both| both.map(|(gold, pages)| (pages, gold)))
        .collect::<PyResult<_>>()?;
    let scores = py.detach(|| -> PyResult<String> {
        let trained = on_own_threads(|| -> Result<Option<Trained>, LearnError> {
            let sets = sets.iter().map(|(pages, gold)| read_set(pages, gold));
            let sets = sets.collect::<Result<Vec<_>, _>>()?;
            match &base {
                Some(base) => Ok(Some(adapt(&base.model, &sets, 0, &options)?.trained)),
                None => Ok(learn(&sets, &options)?.pop()),
            }
        })?;
        let trained = trained.map_err(|error| told(&error))?;
        let trained = trained.ok_or_else(|| told(&"no model was trained"))?;
        let bytes = trained.model.to_packed().map_err(|error| told(&error))?;
        AtomicFile::write_all(&out, &bytes)?;
        serde_json::to_string(&trained.model.file().scores).map_err(|error| told(&error))
    })?;
    py.import("json")?.call_method1("loads", (scores,))
}
