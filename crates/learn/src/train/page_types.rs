//! Learns the type of a page (article, forum, product and others) from the columns that are equal for all of
//! its blocks.

use std::collections::BTreeSet;

use trommel_model::{PageType, PageTypeScorer};

use super::additive::fit_additive;
use super::bins::Binned;
use super::labelled::Labelled;
use super::table::BlockTable;
use crate::error::LearnError;

/// Columns of the page rather than of the block begin with one of these.
const PREFIXES: [&str; 8] = [
    "page.", "address.", "prose.page", "prose.top", "prose.second", "topic.log_", "stated.log_", "outline.log_headings",
];
/// Penalty of the fits: there are two thousand pages, not half a million blocks.
const PENALTY: f64 = 3e-4;
/// Bins of a column.
const BINS: usize = 12;

/// The factor of log odds in a selection by worlds on pages of a type. Where the content is one text or a
/// row of posts, doubtful blocks are dropped. Where it consists of cards, links and short parts, they are
/// kept. Products have both.
fn sharpness(page_type: &str) -> f32 {
    match page_type {
        "article" | "forum" => 1.2,
        "collection" | "documentation" | "listing" | "service" => 0.7,
        _ => 1.0,
    }
}

/// The factor of the log odds of a page's blocks in a selection by worlds, given the row of one of them.
pub(super) fn page_sharpness(types: &[PageTypeScorer], row: Option<&[f32]>) -> f32 {
    let odds = row.map(|row| {
        let odds = types.iter().map(|page_type| page_type.scorer.log_odds(row));
        odds.collect::<Vec<f32>>()
    });
    let page_type = odds.and_then(|odds| PageType::of(types, &odds));
    page_type.map_or(1.0, |page_type| page_type.sharpness)
}

/// Returns whether a column is the same for all blocks of a page.
pub(super) fn is_of_page(column: &str) -> bool {
    PREFIXES.iter().any(|prefix| column.starts_with(prefix))
}

/// One scorer a page type that the training pages name, each against the rest. Pages without a type
/// do not count.
///
/// # Errors
/// If a solver fails.
pub(crate) fn fit_page_types(
    table: &BlockTable,
    names: &[String],
    pages: &[&Labelled],
) -> Result<Vec<PageTypeScorer>, LearnError> {
    let columns: Vec<usize> = (0..names.len()).filter(|at| is_of_page(&names[*at])).collect();
    let mut data = Vec::new();
    let mut types = Vec::new();
    for (first, page) in &table.pages {
        let Some(page_type) = pages.get(*page).and_then(|page| page.page.gold.page_type.as_deref()) else { continue };
        let row = &table.data[first * table.width..(first + 1) * table.width];
        data.extend(columns.iter().map(|column| row[*column]));
        types.push(page_type);
    }
    let all: BTreeSet<&str> = types.iter().copied().collect();
    if all.len() < 2 {
        return Ok(Vec::new());
    }
    let weights = vec![1.0; types.len()];
    let binned = Binned::new(&data, columns.len(), &weights, BINS);
    all.into_iter()
        .map(|name| {
            let labels: Vec<bool> = types.iter().map(|page_type| *page_type == name).collect();
            let mut scorer = fit_additive(&binned, &labels, &weights, &[], PENALTY)?;
            for steps in &mut scorer.step_functions {
                steps.column = columns[usize::from(steps.column)] as u16;
            }
            Ok(PageTypeScorer { name: name.to_owned(), scorer, sharpness: sharpness(name) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_model::Additive;

    #[test]
    fn a_page_is_judged_as_sharply_as_its_types() {
        let of = |name: &str, intercept: f32| PageTypeScorer {
            name: name.into(),
            scorer: Additive { intercept, ..Additive::default() },
            sharpness: sharpness(name),
        };
        let of_page = |types: &[PageTypeScorer]| page_sharpness(types, Some(&[0.0]));
        let article = of_page(&[of("article", 9.0), of("listing", -9.0)]);
        let listing = of_page(&[of("article", -9.0), of("listing", 9.0)]);
        let both = of_page(&[of("article", 0.0), of("listing", 0.0)]);
        assert!(article > 1.1 && listing < 0.8, "{article} {listing}");
        assert!((both - (article + listing) / 2.0).abs() < 1e-3, "{both}");
        assert_eq!(of_page(&[]), 1.0);
        assert_eq!(page_sharpness(&[of("article", 9.0)], None), 1.0);
        assert_eq!(of_page(&[of("block-page", 0.0)]), 1.0);
    }
}
