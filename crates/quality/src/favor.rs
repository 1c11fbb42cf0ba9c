//! Measures what favoring precision or recall does to precision, recall and F1.

use std::sync::Arc;

use rayon::prelude::*;
use trommel_extract::{CommentPolicy, ContentPolicy, Extractor, Favor};
use trommel_learn::{EvalOptions, LabelledPage, PageSet, Required, Scores, evaluate, text_by};
use trommel_model::Model;
use trommel_text::words::Rule;

/// What can be favored, in the order of the table.
pub const FAVORS: [(&str, Favor); 3] =
    [("precision", Favor::Precision), ("balanced", Favor::Balanced), ("recall", Favor::Recall)];

/// The scores of a model on a set under each of the [`FAVORS`].
#[derive(Clone, Debug, PartialEq)]
pub struct Favored {
    /// Name of the set.
    pub set: String,
    /// Number of its pages.
    pub pages: usize,
    /// Whether only some texts of the pages are known: the ones that must be kept and the ones that must not.
    pub is_partial: bool,
    /// Means over the pages: of words, or of the known texts.
    pub scores: [Scores; 3],
}

/// Scores `model` on a set. The comments of readers are content where the gold keeps them apart.
pub fn favored(set: &PageSet, model: &Arc<Model>) -> Favored {
    let has_comments = set.pages.iter().any(|page| page.gold.has_comments());
    let comments = if has_comments { CommentPolicy::Include } else { CommentPolicy::Exclude };
    let is_partial = set.pages.iter().all(|page| page.gold.required().is_some());
    let scores = FAVORS.map(|(_, favor)| {
        let policy = ContentPolicy { comments, favor, ..ContentPolicy::default() };
        let extractor = Extractor::new(Arc::clone(model)).with_policy(policy);
        if !is_partial {
            let options = EvalOptions { rule: Rule::Characters, comments: true };
            return evaluate(set, |page| text_by(&extractor, page), &options).overall.scores;
        }
        let pages = set.pages.par_iter().map(|page| {
            let text = text_by(&extractor, page);
            scores_of(page, &text)
        });
        let pages: Vec<Scores> = pages.collect();
        Scores::mean(&pages)
    });
    Favored { set: set.name.clone(), pages: set.pages.len(), is_partial, scores }
}

/// Precision, recall and F1 of a text: of its words, or where the page has no whole gold of the texts that are known.
fn scores_of(page: &LabelledPage, text: &str) -> Scores {
    match page.gold.required() {
        Some(with) => Scores::of_texts(Required::of(with, text), Required::of(&page.gold.without, text)),
        None => Scores::of(text, &page.gold.text(page.gold.has_comments()), Rule::Characters),
    }
}
