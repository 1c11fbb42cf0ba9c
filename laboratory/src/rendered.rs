//! Measures the gain of rendering: our features with and without those of the layout, learned and scored on the same
//! pages, beside VIPS' content and the shipped models.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use trommel_html::Page;
use trommel_learn::{
    Gold, LABEL_SHARE, LabelledPage, LearnError, PageSet, Sample, Scores, by_group, fit_trees, gold_beside, kept_text,
    read_set, shares,
};
use trommel_model::{Layout, Model, Selection, sigmoid};
use trommel_text::words::Rule;

use crate::layout::{LayoutError, PageLayout, Rect, block_nodes, read_layouts};
use crate::methods::by_name;
use crate::segmentation::{SegmentGoldError, SegmentationError, SegmentedPage, read_segmented};
use crate::vips::vips;
use crate::visual_content::{BlockFeatureReader, visual_content};
use trommel_quality::markdown::{MarkdownTable, share};

/// Folds of cross-validation, by host.
const FOLDS: usize = 5;
/// Numbers of a block's looks.
const LOOKS: usize = 24;
/// Published methods that stand beside, by name.
const BESIDE: [&str; 4] = ["all-text", "largest-block", "boilerpipe-article", "readability"];

/// Reason why rendered pages cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderedError {
    /// The pages cannot be read, or nothing can be learned from them.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The layouts cannot be read.
    #[error(transparent)]
    Layouts(#[from] LayoutError),
    /// The marked blocks of a set, or its layouts, cannot be read.
    #[error(transparent)]
    Segmented(#[from] SegmentationError),
    /// The archive's name does not tell where its gold is.
    #[error("{0}: cannot tell its gold file")]
    NoGold(PathBuf),
    /// No page has a layout.
    #[error("{0}: no layout of any page of the archive")]
    NoLayouts(PathBuf),
}

/// A labelled page that was laid out.
struct Rendered {
    set: String,
    /// Unit that cross-validation does not divide.
    group: String,
    gold: Gold,
    page: Page,
    layout: PageLayout,
    gold_text: String,
}

/// Mean word F1 over the pages with a layout, by set and over all, as Markdown. Sets are an archive and its
/// layouts each. The comments of readers are content where the gold keeps them apart.
///
/// # Errors
/// If a file cannot be read, or nothing can be learned.
pub fn rendered_report(sets: &[(PathBuf, PathBuf)]) -> Result<String, RenderedError> {
    let mut pages = Vec::new();
    for (archive, layouts) in sets {
        pages.extend(read(archive, layouts)?);
    }
    let mut rows: Vec<(String, Vec<Scores>)> = Vec::new();
    for name in BESIDE {
        if let Some(method) = by_name(name) {
            let kept = |rendered: &Rendered| method.extract(&rendered.page).unwrap_or_default();
            rows.push((name.to_owned(), scores(&pages, kept)));
        }
    }
    rows.push((
        "VIPS, content over visual blocks".to_owned(),
        scores(&pages, |rendered| visual_content(&rendered.page, &rendered.layout)),
    ));
    for name in ["fast", "lite"] {
        if let Some(model) = Model::builtin(name) {
            let kept =
                |rendered: &Rendered| model.judge_with_comments(&rendered.page, rendered.gold.address()).choice.kept;
            rows.push((format!("shipped {name}"), scores(&pages, kept)));
        }
    }
    for (name, view) in [
        ("trained here, without layout", View::Markup),
        ("trained here, with layout", View::Rendered),
        ("trained here, layout alone", View::Layout),
    ] {
        let kept = trained(&pages, view)?;
        rows.push((name.to_owned(), scored(&pages, &kept)));
    }
    Ok(table(&pages, &rows))
}

fn read(archive: &Path, layouts: &Path) -> Result<Vec<Rendered>, RenderedError> {
    let gold = gold_beside(archive).ok_or_else(|| RenderedError::NoGold(archive.to_owned()))?;
    match read_segmented(archive, &gold, layouts) {
        Ok(pages) => return Ok(pages.into_iter().filter_map(articles).collect()),
        // A gold file of texts has no marked blocks.
        Err(SegmentationError::Gold(SegmentGoldError::Json { .. })) => {}
        Err(error) => return Err(error.into()),
    }
    let mut laid_out: FxHashMap<String, PageLayout> =
        read_layouts(layouts)?.into_iter().map(|layout| (layout.record_id.clone(), layout)).collect();
    let PageSet { name, pages } = read_set(archive, &gold)?;
    let rendered: Vec<Rendered> = pages
        .into_iter()
        .filter_map(|LabelledPage { gold, page, .. }| {
            let layout = laid_out.remove(gold.record_id.trim_matches(['<', '>']))?;
            let gold_text = gold.text(true);
            Some(Rendered { set: name.clone(), group: gold.group().to_owned(), gold, page, layout, gold_text })
        })
        .collect();
    if rendered.is_empty() {
        return Err(RenderedError::NoLayouts(layouts.to_owned()));
    }
    Ok(rendered)
}

/// A page with marked blocks: the text of the articles is its content. None without articles.
fn articles(segmented_page: SegmentedPage) -> Option<Rendered> {
    let gold_text = kept_text(&segmented_page.page, &segmented_page.blocks_in("Article"), &[]);
    (!gold_text.is_empty()).then(|| Rendered {
        set: "segments".to_owned(),
        group: segmented_page.group,
        gold: segmented_page.gold,
        page: segmented_page.page,
        layout: segmented_page.layout,
        gold_text,
    })
}

fn scores(pages: &[Rendered], keep: impl Fn(&Rendered) -> Vec<bool> + Sync) -> Vec<Scores> {
    let kept: Vec<Vec<bool>> = pages.par_iter().map(&keep).collect();
    scored(pages, &kept)
}

fn scored(pages: &[Rendered], kept: &[Vec<bool>]) -> Vec<Scores> {
    pages
        .par_iter()
        .zip(kept)
        .map(|(rendered, kept)| {
            Scores::of(&kept_text(&rendered.page, kept, &[]), &rendered.gold_text, Rule::Characters)
        })
        .collect()
}

/// Facts by which blocks are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    /// The features of the model `best`.
    Markup,
    /// These and those of the layout.
    Rendered,
    /// Those of the layout.
    Layout,
}

/// The blocks that trees keep which were fitted on pages of other hosts.
fn trained(pages: &[Rendered], view: View) -> Result<Vec<Vec<bool>>, LearnError> {
    let Some(model) = Model::builtin("best") else {
        return Err(LearnError::Nothing("no model"));
    };
    let rows: Vec<Vec<Vec<f32>>> = pages
        .par_iter()
        .map(|rendered| {
            let looks = looks(&rendered.page, &rendered.layout);
            let matrix = model.schema().rows(&rendered.page, rendered.gold.address());
            let of = matrix.iter().zip(&looks).map(|(row, looks)| match view {
                View::Markup => row.to_vec(),
                View::Rendered => row.iter().chain(looks).copied().collect(),
                View::Layout => looks.to_vec(),
            });
            of.collect()
        })
        .collect();
    let labels: Vec<Vec<bool>> = pages
        .par_iter()
        .map(|rendered| {
            let shares = shares(&rendered.page, &rendered.gold_text);
            shares.into_iter().map(|share| share > LABEL_SHARE).collect()
        })
        .collect();
    let hosts: Vec<&str> = pages.iter().map(|rendered| rendered.group.as_str()).collect();
    let folds = by_group(&hosts, FOLDS);
    let mut kept = vec![Vec::new(); pages.len()];
    for fold in 0..FOLDS {
        let mut sample = Sample::default();
        let mut weights = Vec::new();
        for (at, rendered) in pages.iter().enumerate() {
            let (Some(rows), Some(labels)) = (rows.get(at), labels.get(at)) else {
                continue;
            };
            if folds.get(at) == Some(&fold) {
                continue;
            }
            let roots = rendered.page.blocks.iter().map(|block| (block.words as f32).sqrt());
            let total: f32 = roots.clone().sum();
            for ((row, label), root) in rows.iter().zip(labels).zip(roots) {
                sample.width = row.len();
                sample.data.extend_from_slice(row);
                sample.labels.push(*label);
                weights.push(root / total.max(1.0));
            }
        }
        let trees = fit_trees(&sample, &weights)?;
        for (at, rendered) in pages.iter().enumerate().filter(|(at, _)| folds.get(*at) == Some(&fold)) {
            let rows = rows.get(at).map_or(&[] as &[Vec<f32>], Vec::as_slice);
            let probabilities: Vec<f32> = rows.par_iter().map(|row| sigmoid(trees.log_odds(row))).collect();
            if let Some(cell) = kept.get_mut(at) {
                let layout = Layout::of(&rendered.page);
                *cell = Selection::ExpectedF1.choose(&probabilities, &layout).kept;
            }
        }
    }
    Ok(kept)
}

/// Layout of each block and of the visual block around it.
fn looks(page: &Page, layout: &PageLayout) -> Vec<[f32; LOOKS]> {
    let whole = layout.rect();
    let (width, height) = (whole.width.max(1) as f32, whole.height.max(1) as f32);
    let reader = BlockFeatureReader::new(layout);
    // Of each node the coarse visual block that it stands in.
    let structure = vips(layout, 6);
    let coarse: Vec<_> = structure.leaves().map(|block| (block, reader.features(block))).collect();
    let mut around: Vec<Option<usize>> = vec![None; layout.nodes.len()];
    for (number, (block, _)) in coarse.iter().enumerate() {
        for at in reader.nodes(block) {
            if let Some(cell) = around.get_mut(at as usize) {
                *cell = Some(number);
            }
        }
    }
    let joined = block_nodes(page, layout);
    let mut last_bottom = 0;
    joined
        .iter()
        .map(|nodes| {
            let mut rect = Rect::default();
            let (mut size, mut weight, mut chars, mut hidden) = (0.0f32, 0.0f32, 0u32, 0u32);
            for node in nodes.iter().filter_map(|at| layout.nodes.get(*at as usize)) {
                rect = rect.union(&node.rect);
                size = size.max(node.font_size);
                weight = weight.max(f32::from(node.font_weight));
                chars += node.chars;
                hidden += if node.is_invisible { node.chars } else { 0 };
            }
            let gap = rect.y - last_bottom;
            if !rect.is_empty() {
                last_bottom = rect.bottom();
            }
            let first = nodes.first().and_then(|at| around.get(*at as usize).copied().flatten());
            let block = first.and_then(|number| coarse.get(number));
            let features = block.map(|(_, features)| features.clone()).unwrap_or_default();
            let degree = block.map_or(0.0, |(block, _)| f32::from(block.degree));
            [
                chars as f32,
                hidden as f32,
                rect.x as f32,
                rect.y as f32,
                rect.y as f32 / height,
                rect.width as f32,
                rect.height as f32,
                (rect.x as f32 + rect.width as f32 / 2.0) / width,
                size,
                weight,
                size - features.font_size,
                gap as f32,
                degree,
                features.center_x,
                features.center_y,
                features.width,
                features.height,
                features.chars as f32,
                features.link_density(),
                features.links as f32,
                features.images as f32,
                features.image_area,
                features.controls as f32,
                features.font_size,
            ]
        })
        .collect()
}

fn table(pages: &[Rendered], rows: &[(String, Vec<Scores>)]) -> String {
    let mut sets: Vec<&str> = Vec::new();
    for rendered in pages {
        if !sets.contains(&rendered.set.as_str()) {
            sets.push(&rendered.set);
        }
    }
    let of = |set: Option<&str>| {
        let numbers = pages.iter().enumerate();
        let of_set = numbers.filter(move |(_, rendered)| set.is_none_or(|set| rendered.set == set));
        of_set.map(|(at, _)| at).collect::<Vec<usize>>()
    };
    let mut headings = vec!["word F1".to_owned()];
    headings.extend(sets.iter().map(|set| format!("{set} ({})", of(Some(set)).len())));
    headings.push(format!("all ({})", pages.len()));
    let mut table = MarkdownTable::new(headings);
    for (name, scores) in rows {
        let mut cells = vec![name.clone()];
        for set in sets.iter().copied().map(Some).chain([None]) {
            let indices = of(set);
            let mean = Scores::mean(indices.iter().filter_map(|at| scores.get(*at)));
            cells.push(share(mean.f1));
        }
        table.row(cells);
    }
    let with_sheets = |set: &str| {
        let of_set = pages.iter().filter(|rendered| rendered.set == set);
        of_set.filter(|rendered| rendered.layout.requests.style_sheets > 0).count()
    };
    let sheets: Vec<String> = sets.iter().map(|set| format!("{set} {}", with_sheets(set))).collect();
    format!("{}\nPages with a style sheet from their archive: {}.\n", table.text(), sheets.join(", "))
}
