//! A labelled set with the text to be extracted from each page.

use std::path::Path;

use rayon::prelude::*;
use trommel_html::Page;
use trommel_learn::{LabelledPage, read_set, shares};

use super::error::ResultsError;
use crate::method::Example;

/// Share of a block's words on the common subsequence above which it is content (Peters and Lecocq,
/// WWW 2013, section 3.4).
const CONTENT: f32 = 0.1;

/// The only set that methods are fitted on.
pub(super) const TRAIN: &str = "dragnet-train";

/// A labelled set.
pub(super) struct Set {
    pub name: String,
    pages: Vec<(LabelledPage, String)>,
}

impl Set {
    /// Reads `NAME.warc.gz` and `NAME.gold.jsonl.gz`.
    pub fn read(data: &Path, name: &str) -> Result<Self, ResultsError> {
        let set = read_set(
            &data.join(format!("{name}.warc.gz")),
            &data.join(format!("{name}.gold.jsonl.gz")),
        )?;
        tracing::info!(set = name, pages = set.pages.len(), "read");
        let with_text = |page: LabelledPage| {
            let text = page.gold.text(true);
            (page, text)
        };
        Ok(Self {
            name: name.to_owned(),
            pages: set.pages.into_iter().map(with_text).collect(),
        })
    }

    /// The pages, each with its gold text.
    pub fn pages(&self) -> &[(LabelledPage, String)] {
        &self.pages
    }

    /// The tables of the pages.
    pub fn tables(&self) -> impl Iterator<Item = &Page> {
        self.pages.iter().map(|(page, _)| &page.page)
    }

    /// Whether each block of each page is content, the comments of readers included on request.
    pub fn labels(&self, comments: bool) -> Vec<Vec<bool>> {
        self.pages
            .par_iter()
            .map(|(page, _)| {
                let shares = shares(&page.page, &page.gold.text(comments));
                shares.into_iter().map(|share| share > CONTENT).collect()
            })
            .collect()
    }

    /// The pages with their labels.
    pub fn examples<'a>(&'a self, labels: &'a [Vec<bool>]) -> Vec<Example<'a>> {
        self.pages
            .iter()
            .zip(labels)
            .map(|((page, _), labels)| Example {
                page: &page.page,
                labels,
                group: page.gold.group(),
            })
            .collect()
    }
}
