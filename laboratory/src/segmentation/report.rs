//! The table of segmentations.

use rayon::prelude::*;
use trommel_learn::{LearnError, by_group};
use trommel_model::{Model, sigmoid};

use super::by_text::SameTexts;
use super::candidates::candidates;
use super::learned::{Rows, View, best_marked, cross_fitted, region};
use super::matching::{Counts, FUZZY_SIMILARITY, Match, count};
use super::ours::group;
use super::region::Region;
use super::set::SegmentedPage;
use super::visual_rows::visual_rows;
use crate::vips::{MAX_DEGREE, VisualStructure, vips, vips_java};
use trommel_quality::markdown::{MarkdownTable, share};

/// Permitted degree that the authors of the marked pages ran vips_java with.
const COMPARED_DEGREE: u8 = 8;
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
    let groups: Vec<&str> = pages.iter().map(|page| page.group.as_str()).collect();
    let folds = by_group(&groups, FOLDS);
    let java = each(pages, |page| visual(page, &vips_java(&page.layout, COMPARED_DEGREE), false));
    let name = format!("vips_java's tree, permitted degree {COMPARED_DEGREE}");
    all.push((name, java));
    let of_degree = |degree, all_levels| each(pages, |page| visual(page, &vips(&page.layout, degree), all_levels));
    for degree in 4..=MAX_DEGREE {
        let name = format!("VIPS, permitted degree {degree}");
        all.push((name, of_degree(degree, false)));
    }
    for degree in 6..=MAX_DEGREE {
        let name = format!("VIPS, degree {degree}, blocks of all levels");
        all.push((name, of_degree(degree, true)));
    }
    let tried: Vec<&Vec<Vec<Region>>> =
        all.iter().filter(|(name, _)| name.starts_with("VIPS")).map(|(_, found)| found).collect();
    let (by_other_sites, by_own_marks) = by_degree(pages, &folds, &tried);
    let name = "VIPS, degree and levels by the marks of other sites";
    all.push((name.to_owned(), by_other_sites));
    let name = "VIPS, degree and levels by the page's own marks (a bound)";
    all.push((name.to_owned(), by_own_marks));
    let rows: Vec<Rows> = pages.par_iter().map(visual_rows).collect();
    let name = "VIPS, blocks chosen by learning".to_owned();
    all.push((name, learned_choice(pages, &rows, &folds)?));
    let grouped = each(pages, |page| {
        let candidates = candidates(&page.page);
        let levels = group(&page.page, &candidates);
        let both = levels.parts.iter().chain(&levels.groups);
        both.filter_map(|at| candidates.get(*at)).map(|candidate| region(page, candidate)).collect()
    });
    all.push(("ours, by container and role".to_owned(), grouped));
    let model = Model::builtin("fast");
    let probabilities = each(pages, |page| match &model {
        Some(model) => model.log_odds(&page.page, None).into_iter().map(sigmoid).collect(),
        None => vec![0.5; page.page.blocks.len()],
    });
    for (name, view) in [("ours, learned", View::Markup), ("ours, learned with layout", View::Rendered)] {
        let rows: Vec<Rows> = pages
            .par_iter()
            .zip(&probabilities)
            .map(|(page, probabilities)| Rows::new(page, probabilities, view))
            .collect();
        all.push((name.to_owned(), learned_choice(pages, &rows, &folds)?));
    }
    Ok(table(pages, &all))
}

fn each<T: Send>(pages: &[SegmentedPage], of: impl Fn(&SegmentedPage) -> Vec<T> + Sync) -> Vec<Vec<T>> {
    pages.par_iter().map(&of).collect()
}

/// The regions that trees chose which saw no page of the same group.
fn learned_choice(pages: &[SegmentedPage], rows: &[Rows], folds: &[usize]) -> Result<Vec<Vec<Region>>, LearnError> {
    let judged = cross_fitted(pages, rows, folds)?;
    let mut found = vec![Vec::new(); pages.len()];
    for fold in 0..FOLDS {
        // How many are taken, too, follows from pages of other groups.
        let best = best_marked(pages, rows, &judged, |at| folds.get(at) != Some(&fold));
        for (at, rows) in rows.iter().enumerate().filter(|(at, _)| folds.get(*at) == Some(&fold)) {
            let of_page = pages.get(at).zip(judged.get(at));
            if let (Some(cell), Some((page, probabilities))) = (found.get_mut(at), of_page) {
                *cell = rows.chosen(page, probabilities, best);
            }
        }
    }
    Ok(found)
}

/// Of several segmentations of each page the one that is best by the fuzzy measure on the pages of other folds; and the
/// one that is best on the page itself.
fn by_degree(
    pages: &[SegmentedPage],
    folds: &[usize],
    tried: &[&Vec<Vec<Region>>],
) -> (Vec<Vec<Region>>, Vec<Vec<Region>>) {
    let scores: Vec<Vec<f64>> = tried
        .par_iter()
        .map(|found| {
            let of_page = |(page, found): (&SegmentedPage, &Vec<Region>)| {
                count(&page.leaves, found, &page.marked, Match::Fuzzy).f1()
            };
            pages.iter().zip(*found).map(of_page).collect()
        })
        .collect();
    let best = |takes: &dyn Fn(usize) -> bool| {
        let sum = |values: &[f64]| -> f64 {
            let enumerate = values.iter().enumerate();
            enumerate.filter(|(at, _)| takes(*at)).map(|(_, f)| f).sum()
        };
        let sums = scores.iter().map(|values| sum(values)).zip(tried);
        sums.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, regions)| *regions)
    };
    let of_page = |regions: Option<&Vec<Vec<Region>>>, at: usize| {
        regions.and_then(|regions| regions.get(at)).cloned().unwrap_or_default()
    };
    let all = || 0..pages.len();
    let of_fold: Vec<_> = (0..FOLDS).map(|fold| best(&|at| folds.get(at) != Some(&fold))).collect();
    let by_others = all().map(|at| {
        let fold = folds.get(at).and_then(|fold| of_fold.get(*fold).copied());
        of_page(fold.flatten(), at)
    });
    let by_own = all().map(|at| of_page(best(&|other| other == at), at));
    (by_others.collect(), by_own.collect())
}

/// The visual blocks, leaves alone or of all levels; of nested ones that hold about the same, the outer one.
fn visual(page: &SegmentedPage, structure: &VisualStructure, all_levels: bool) -> Vec<Region> {
    let mut found: Vec<Region> = Vec::new();
    // Of each block the place in `found` of the nearest one around it that was taken.
    let mut taken: Vec<Option<usize>> = Vec::new();
    for block in &structure.blocks {
        let around = block.parent.and_then(|parent| taken.get(parent).copied().flatten());
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
    let same_texts: Vec<SameTexts> = pages.par_iter().map(|page| SameTexts::new(&page.page, &page.layout)).collect();
    let mut text = String::new();
    for (name, measure) in [("Exact", Match::Exact), ("Fuzzy", Match::Fuzzy)] {
        let mut headings = vec!["segmentation".to_owned()];
        for set in sets.iter().copied().chain(["all"]) {
            headings.extend([format!("{set}: P"), "R".to_owned(), "F".to_owned()]);
        }
        headings.push("F by texts alone".to_owned());
        headings.push("blocks a page".to_owned());
        let mut table = MarkdownTable::new(headings);
        for (name, found) in all {
            let counts: Vec<(&str, Counts)> = pages
                .par_iter()
                .zip(found)
                .map(|(page, found)| (page.set.as_str(), count(&page.leaves, found, &page.marked, measure)))
                .collect();
            let mut cells = vec![name.clone()];
            for set in sets.iter().copied().map(Some).chain([None]) {
                let counts_of = || {
                    let of_set = counts.iter().filter(|(name, _)| set.is_none_or(|set| set == *name));
                    of_set.map(|(_, counts)| counts)
                };
                cells.push(share(mean(counts_of().map(Counts::precision))));
                cells.push(share(mean(counts_of().map(Counts::recall))));
                cells.push(share(mean(counts_of().map(Counts::f1))));
            }
            let by_texts: Vec<f64> = pages
                .par_iter()
                .zip(&same_texts)
                .zip(found)
                .map(|((page, same), found)| {
                    let of = |regions: &[Region]| -> Vec<Region> {
                        regions.iter().map(|region| same.region(region)).collect()
                    };
                    count(&page.leaves, &of(found), &of(&page.marked), measure).f1()
                })
                .collect();
            cells.push(share(mean(by_texts.into_iter())));
            cells.push(format!("{:.1}", mean(counts.iter().map(|(_, counts)| counts.found as f64))));
            table.row(cells);
        }
        text.push_str(&format!("{name} matches\n\n{}\n", table.text()));
    }
    let marked = mean(pages.iter().map(|page| page.marked.len() as f64));
    let hidden = pages.iter().flat_map(|page| &page.marked).filter(|region| region.is_empty()).count();
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
