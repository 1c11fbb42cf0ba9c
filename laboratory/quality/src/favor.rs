//! Measures what favoring precision or recall does to precision, recall and F1.

use std::sync::Arc;

use trommel_extract::{CommentPolicy, ContentPolicy, Extractor, Favor};
use trommel_learn::{EvalOptions, PageSet, Scores, evaluate, text_by};
use trommel_model::Model;
use trommel_text::words::Rule;

/// Values of `favor`, in the order of the table.
pub const FAVORS: [(&str, Favor); 3] =
    [("precision", Favor::Precision), ("balanced", Favor::Balanced), ("recall", Favor::Recall)];

/// The scores of a model on a set under each of the [`FAVORS`].
#[derive(Clone, Debug, PartialEq)]
pub struct Favored {
    /// Name of the set.
    pub set: String,
    /// Number of its pages.
    pub pages: usize,
    /// True if only some texts of the pages are known: the ones that must be kept and the ones that must not.
    pub is_partial: bool,
    /// Means over the pages: of words, or of the known texts.
    pub scores: [Scores; 3],
}

/// Scores `model` on a set. The comments of readers are content where the gold keeps them apart.
pub fn favored(set: &PageSet, model: &Arc<Model>) -> Favored {
    let has_comments = set.has_comments();
    let comments = if has_comments { CommentPolicy::Include } else { CommentPolicy::Exclude };
    let is_partial = set.pages.iter().all(|page| page.gold.required().is_some());
    let scores = FAVORS.map(|(_, favor)| {
        let policy = ContentPolicy { comments, favor, ..ContentPolicy::default() };
        let extractor = Extractor::new(Arc::clone(model)).with_policy(policy);
        let options = EvalOptions { rule: Rule::Characters, comments: true };
        let report = evaluate(set, |page| text_by(&extractor, page), &options);
        report.texts.filter(|_| is_partial).unwrap_or(report.overall).scores
    });
    Favored { set: set.name.clone(), pages: set.pages.len(), is_partial, scores }
}
