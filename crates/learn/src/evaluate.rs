//! Scores of a model on labelled pages, overall and by page type.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;
use trommel_html::words::Rule;
use trommel_model::Model;

use crate::metric::Scores;
use crate::pages::{LabelledPage, PageSet};

/// Mean scores of some pages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// Number of pages.
    pub pages: usize,
    /// Means over the pages.
    #[serde(flatten)]
    pub scores: Scores,
}

/// Scores of a model on a set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Name of the set.
    pub set: String,
    /// All pages.
    pub overall: Mean,
    /// Pages by type, where the gold names types.
    pub by_page_type: BTreeMap<String, Mean>,
    /// Pages by language, where the gold names languages.
    pub by_language: BTreeMap<String, Mean>,
}

/// How pages are scored.
#[derive(Clone, Copy, Debug)]
pub struct EvalOptions {
    /// How texts are divided into words.
    pub rule: Rule,
    /// Whether the gold's comments are to be extracted.
    pub comments: bool,
}

/// Scores the text that `model` takes out of each page.
pub fn evaluate(set: &PageSet, model: &Model, options: &EvalOptions) -> Report {
    let scores: Vec<Scores> = set
        .pages
        .par_iter()
        .map(|page| {
            let gold = page.gold.text(options.comments);
            Scores::of(&text(page, model), &gold, options.rule)
        })
        .collect();
    let by = |key: fn(&LabelledPage) -> Option<&String>| {
        let mut groups: BTreeMap<String, Vec<&Scores>> = BTreeMap::new();
        for (page, score) in set.pages.iter().zip(&scores) {
            if let Some(key) = key(page) {
                groups.entry(key.clone()).or_default().push(score);
            }
        }
        groups
            .into_iter()
            .map(|(key, scores)| (key, mean(scores)))
            .collect()
    };
    Report {
        set: set.name.clone(),
        overall: mean(scores.iter().collect()),
        by_page_type: by(|page| page.gold.page_type.as_ref()),
        by_language: by(|page| page.gold.lang.as_ref()),
    }
}

fn mean(scores: Vec<&Scores>) -> Mean {
    Mean {
        pages: scores.len(),
        scores: Scores::mean(scores.iter().copied()),
    }
}

fn text(page: &LabelledPage, model: &Model) -> String {
    let (_, choice) = model.judge(&page.page);
    let kept = page
        .page
        .blocks
        .iter()
        .zip(&choice.kept)
        .filter(|(_, kept)| **kept);
    kept.map(|(block, _)| page.page.text(block))
        .collect::<Vec<_>>()
        .join("\n")
}
