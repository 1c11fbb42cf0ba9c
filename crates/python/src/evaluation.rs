//! Implements `evaluate`, which scores a model on labelled pages.

use std::{path::PathBuf, sync::Arc};

use pyo3::prelude::*;
use trommel::learn::{EvalOptions, LabelledPage, evaluate as scores, gold_beside, read_set, text_by};
use trommel::{CommentPolicy, ContentPolicy, Favor, HeadlinePolicy, extract::Extractor};
use trommel_text::words::Rule;

use crate::errors::{TrommelError, told};
use crate::settings::{NamedModel, named};
use crate::{interpreter::on_own_threads, values};

/// Returns the path of the gold file of an archive: `gold`, or the default file in the folder of the archive.
///
/// # Errors
/// Raises `TrommelError` if the archive's name implies no default gold file.
pub(crate) fn gold_of(pages: &std::path::Path, gold: Option<PathBuf>) -> PyResult<PathBuf> {
    gold.or_else(|| gold_beside(pages)).ok_or_else(|| {
        TrommelError::new_err(format!("{}: cannot tell its gold file: name it with gold=", pages.display()))
    })
}

/// Scores a model on labelled pages (an archive and its gold file). Returns the mean word precision, recall and F1
/// over pages, as `trommel eval --json` prints them.
#[pyfunction]
// Each argument is a keyword of Python.
#[allow(clippy::too_many_arguments)]
#[pyo3(signature = (pages, gold=None, model=None, *, comments=None, headline="auto", favor="balanced", strict_words=false))]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    pages: PathBuf,
    gold: Option<PathBuf>,
    model: Option<NamedModel>,
    comments: Option<&str>,
    headline: &str,
    favor: &str,
    strict_words: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let model = match model {
        Some(model) => model,
        None => NamedModel::open("")?,
    };
    let headline = named::<HeadlinePolicy>("headline", headline)?;
    let favor = named::<Favor>("favor", favor)?;
    let comments = comments.map(|name| named::<CommentPolicy>("comments", name)).transpose()?;
    let gold = gold_of(&pages, gold)?;
    let report = py.detach(|| {
        on_own_threads(0, || {
            let set = read_set(&pages, &gold).map_err(told)?;
            let by_gold = if set.has_comments() { CommentPolicy::Include } else { CommentPolicy::Exclude };
            let comments = comments.unwrap_or(by_gold);
            let options = EvalOptions {
                rule: if strict_words { Rule::Strict } else { Rule::Characters },
                comments: comments != CommentPolicy::Exclude,
            };
            let policy = ContentPolicy { comments, headline, favor, ..ContentPolicy::default() };
            let extractor = Extractor::new(Arc::clone(&model.model)).with_policy(policy);
            let keep = |page: &LabelledPage| text_by(&extractor, page);
            PyResult::Ok(scores(&set, keep, &options))
        })
    })??;
    values::object(py, &report)
}
