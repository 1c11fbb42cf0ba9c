//! Fits all that makes up a model on the same training pages.

use trommel_model::{ListScorer, PageTypeScorer, WeightedScorer};

use super::labelled::Labelled;
use super::learned::LearnedLists;
use super::lists::ListRows;
use super::options::{Learner, TrainOptions};
use super::page_types::fit_page_types;
use crate::error::LearnError;

/// Words, page types and scorers, learned from the same pages.
pub(super) struct Fitted {
    pub learned: LearnedLists,
    /// The share of known words of a usual page.
    pub known_words: f32,
    pub page_types: Vec<PageTypeScorer>,
    /// The scorers that make up the log odds with each penalty.
    pub parts: Vec<(Vec<WeightedScorer>, f64)>,
    pub lists: Option<ListScorer>,
}

/// Purpose of a fit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// Every candidate, to be judged on other pages. The scorer of lists is of one seed.
    Test,
    /// The model itself, with this penalty.
    Use(f64),
}

impl Fitted {
    /// Fits on these pages. The scorer of lists also learns from the sets from the number `trained` on, and nothing else
    /// does.
    ///
    /// # Errors
    /// If there is nothing to learn from or a solver fails.
    pub fn new(
        pages: &[Labelled],
        trained: usize,
        options: &TrainOptions,
        purpose: Purpose,
    ) -> Result<Self, LearnError> {
        let (known, further): (Vec<&Labelled>, Vec<&Labelled>) = pages.iter().partition(|page| page.set < trained);
        let learned = LearnedLists::new(&known, &options.groups);
        let known_words = learned.usual_known_words(&known);
        let mut table = learned.table(&known, &options.groups);
        let page_types = match options.learner {
            Learner::Linear => Vec::new(),
            _ => fit_page_types(&table, learned.schema.names(), &known)?,
        };
        // The type of a page is known only until the columns of the address are blanked.
        let lists = (!further.is_empty()).then(|| ListRows::new(&table, &page_types));
        options.learner.blank_unasked(&mut table, learned.schema.names());
        let penalties = match &purpose {
            Purpose::Test => options.learner.penalties(),
            Purpose::Use(penalty) => std::slice::from_ref(penalty),
        };
        let mut parts = Vec::new();
        for penalty in penalties {
            parts.push((options.learner.fit(&table, options.weighting, *penalty)?, *penalty));
        }
        let lists = lists.map(|lists| lists.fit(table, &further, &learned.schema, &page_types, purpose)).transpose()?;
        Ok(Self { learned, known_words, page_types, parts, lists })
    }
}
