//! Pages of which only some texts are known to be content, with labels for the rest of their blocks.
//!
//! A quick model, trained on the pages with known labels, labels the unknown blocks. Each weighs as much as
//! that model is sure. Without them, training would learn that everything on such a page is content.

use rayon::prelude::*;
use trommel_model::sigmoid;

use super::labelled::Labelled;
use super::learned::LearnedLists;
use super::learner::sketch;
use super::options::TrainOptions;
use crate::error::LearnError;

/// The pages with labels for all blocks: first those whose labels are known, then the others.
///
/// # Errors
/// If nothing can be learned from the pages whose labels are known.
pub(super) fn completed<'a>(pages: Vec<Labelled<'a>>, options: &TrainOptions) -> Result<Vec<Labelled<'a>>, LearnError> {
    let (partial, mut pages): (Vec<Labelled>, Vec<Labelled>) = pages.into_iter().partition(Labelled::is_partial);
    if partial.is_empty() || pages.is_empty() {
        pages.extend(partial);
        return Ok(pages);
    }
    let known: Vec<&Labelled> = pages.iter().collect();
    let learned = LearnedLists::new(&known, &options.groups);
    let mut table = learned.table(&known, &options.groups);
    options.learner.blank_unasked(&mut table, learned.schema.names());
    let quick = sketch(&table)?;
    drop(table);
    let completed: Vec<Labelled> = partial
        .into_par_iter()
        .map(|mut page| {
            let rows = page.rows(&learned.schema);
            let mut odds: Vec<f32> = rows.iter().map(|row| quick.log_odds(row)).collect();
            page.layout.pool(&mut odds, options.learner.pooling());
            complete(&mut page, &odds);
            page
        })
        .collect();
    pages.extend(completed);
    Ok(pages)
}

/// Labels the blocks that are not known by their log odds.
fn complete(page: &mut Labelled, odds: &[f32]) {
    let blocks = page.labels.iter_mut().zip(&mut page.certainty);
    for ((label, certainty), odds) in blocks.zip(odds) {
        if *certainty == 0.0 {
            *label = *odds > 0.0;
            *certainty = (2.0 * sigmoid(*odds) - 1.0).abs();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Gold;
    use crate::toy;

    #[test]
    fn what_is_known_stays_and_the_rest_follows_the_model() {
        let page = toy::labelled(
            "<p>Home</p><p>Salt</p><p>Mix it.</p>",
            Gold { with: vec!["Salt".into()], ..Gold::default() },
        );
        let mut labelled = Labelled::new(&page, 0, vec![false, true, false], "Salt".into());
        labelled.certainty = vec![0.0, 1.0, 0.0];
        complete(&mut labelled, &[-8.0, -8.0, 1.0]);
        assert_eq!(labelled.labels, [false, true, true]);
        assert!(labelled.certainty[0] > 0.99 && labelled.certainty[1] == 1.0);
        assert!((labelled.certainty[2] - 0.462).abs() < 1e-3, "{:?}", labelled.certainty);
    }
}
