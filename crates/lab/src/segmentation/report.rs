//! The table of segmentations.

use rayon::prelude::*;
use trommel_learn::{LearnError, by_group};
use trommel_model::{Model, sigmoid};

use super::candidates::candidates;
use super::learned::{Rows, View, best_marked, cross_fitted, region};
use super::matching::{Counts, FUZZY_SIMILARITY, Match, count};
use super::ours::group;
use super::region::Region;
use super::set::SegmentedPage;
use crate::markdown::{MarkdownTable, share};
use crate::vips::{MAX_DEGREE, vips};

/// Folds of cross-validation.
const FOLDS: usize = 10;

/// Found blocks of each page, under the name of what found them.
type Found = (String, Vec<Vec<Region>>);

/// Means over pages of precision, recall and F of each segmentation, exact and fuzzy, as Markdown.
///
/// # Errors
/// If nothing can be learned from the marked blocks.
pub fn segmentation_report(pages: &[SegmentedPage]) -> Result<String, LearnError> {
    let mut all: Vec<Found> = Vec::new();
    for degree in 4..=MAX_DEGREE {
        let leaves = each(pages, |page| visual(page, degree, false));
        all.push((format!("VIPS, permitted degree {degree}"), leaves));
    }
    for degree in [6, 8, 10, 11] {
        let blocks = each(pages, |page| visual(page, degree, true));
        all.push((
            format!("VIPS, degree {degree}, blocks of all levels"),
            blocks,
        ));
    }
    let grouped = each(pages, |page| {
        let candidates = candidates(&page.page);
        let levels = group(&page.page, &candidates);
        let both = levels.parts.iter().chain(&levels.groups);
        both.filter_map(|at| candidates.get(*at))
            .map(|own| region(page, own))
            .collect()
    });
    all.push(("ours, by container and role".to_owned(), grouped));
    let model = Model::builtin("fast");
    let probabilities = each(pages, |page| match &model {
        Some(model) => model
            .log_odds(&page.page, None)
            .into_iter()
            .map(sigmoid)
            .collect(),
        None => vec![0.5; page.page.blocks.len()],
    });
    let groups: Vec<&str> = pages.iter().map(|page| page.group.as_str()).collect();
    let folds = by_group(&groups, FOLDS);
    for (name, view) in [
        ("ours, learned", View::Markup),
        ("ours, learned with layout", View::Rendered),
    ] {
        let rows: Vec<Rows> = pages
            .par_iter()
            .zip(&probabilities)
            .map(|(page, probabilities)| Rows::new(page, probabilities, view))
            .collect();
        let judged = cross_fitted(pages, &rows, &folds)?;
        let mut found = vec![Vec::new(); pages.len()];
        for fold in 0..FOLDS {
            // How many are taken, too, follows from pages of other groups.
            let best = best_marked(pages, &rows, &judged, |at| folds.get(at) != Some(&fold));
            for (at, own) in rows
                .iter()
                .enumerate()
                .filter(|(at, _)| folds.get(*at) == Some(&fold))
            {
                let of_page = pages.get(at).zip(judged.get(at));
                if let (Some(cell), Some((page, probabilities))) = (found.get_mut(at), of_page) {
                    *cell = own.chosen(page, probabilities, best);
                }
            }
        }
        all.push((name.to_owned(), found));
    }
    Ok(table(pages, &all))
}

fn each<T: Send>(
    pages: &[SegmentedPage],
    of: impl Fn(&SegmentedPage) -> Vec<T> + Sync,
) -> Vec<Vec<T>> {
    pages.par_iter().map(&of).collect()
}

/// The visual blocks, leaves alone or of all levels; of nested ones that hold about the same, the outer one.
fn visual(page: &SegmentedPage, degree: u8, all_levels: bool) -> Vec<Region> {
    let structure = vips(&page.layout, degree);
    let mut found: Vec<Region> = Vec::new();
    // Of each block the place in `found` of the nearest one around it that was taken.
    let mut taken: Vec<Option<usize>> = Vec::new();
    for block in &structure.blocks {
        let around = block
            .parent
            .and_then(|parent| taken.get(parent).copied().flatten());
        if !all_levels && !block.is_leaf {
            taken.push(None);
            continue;
        }
        let region = page.leaves.region(block.roots.iter().copied());
        let outer = around.and_then(|around| found.get(around));
        if outer.is_some_and(|outer| page.leaves.similarity(outer, &region) >= FUZZY_SIMILARITY) {
            taken.push(around);
        } else {
            taken.push(Some(found.len()));
            found.push(region);
        }
    }
    found
}

fn table(pages: &[SegmentedPage], all: &[Found]) -> String {
    let mut sets: Vec<&str> = pages.iter().map(|page| page.set.as_str()).collect();
    sets.sort_unstable();
    sets.dedup();
    let mut text = String::new();
    for (name, measure) in [("Exact", Match::Exact), ("Fuzzy", Match::Fuzzy)] {
        let mut headings = vec!["segmentation".to_owned()];
        for set in sets.iter().copied().chain(["all"]) {
            headings.extend([format!("{set}: P"), "R".to_owned(), "F".to_owned()]);
        }
        headings.push("blocks a page".to_owned());
        let mut table = MarkdownTable::new(headings);
        for (name, found) in all {
            let counts: Vec<(&str, Counts)> = pages
                .par_iter()
                .zip(found)
                .map(|(page, found)| {
                    (
                        page.set.as_str(),
                        count(&page.leaves, found, &page.marked, measure),
                    )
                })
                .collect();
            let mut cells = vec![name.clone()];
            for set in sets.iter().copied().map(Some).chain([None]) {
                let own = || {
                    let of_set = counts
                        .iter()
                        .filter(|(name, _)| set.is_none_or(|set| set == *name));
                    of_set.map(|(_, counts)| counts)
                };
                cells.push(share(mean(own().map(Counts::precision))));
                cells.push(share(mean(own().map(Counts::recall))));
                cells.push(share(mean(own().map(Counts::f1))));
            }
            cells.push(format!(
                "{:.1}",
                mean(counts.iter().map(|(_, own)| own.found as f64))
            ));
            table.row(cells);
        }
        text.push_str(&format!("{name} matches\n\n{}\n", table.text()));
    }
    let marked = mean(pages.iter().map(|page| page.marked.len() as f64));
    let hidden = pages
        .iter()
        .flat_map(|page| &page.marked)
        .filter(|own| own.is_empty())
        .count();
    text.push_str(&format!(
        "{} pages, {marked:.1} marked blocks a page, {hidden} of all without a box.\n",
        pages.len()
    ));
    text
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0u32);
    for value in values {
        sum += value;
        count += 1;
    }
    sum / f64::from(count.max(1))
}
