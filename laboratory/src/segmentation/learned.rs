//! Our segmentation, learned: which candidates a person would mark, by boosted trees over what they hold, how
//! they are called, what the extraction model says of their text and, on request, how they look.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use trommel_html::{Page, Tag};
use trommel_learn::{LearnError, Sample, fit_trees};
use trommel_model::{Trees, sigmoid};

use super::candidates::{Candidate, candidates};
use super::matching::{FUZZY_SIMILARITY, Match, count};
use super::region::Region;
use super::set::SegmentedPage;
use crate::layout::{PageLayout, Rect};
use crate::vips::vips;

/// Stems of attribute words, a column each.
const STEMS: [&[&str]; 16] = [
    &["header", "head", "masthead", "banner", "top"],
    &["footer", "foot", "bottom", "copyright"],
    &["nav", "navigation", "navbar", "menu", "tabs", "breadcrumb"],
    &["content", "main", "primary", "body"],
    &["sidebar", "side", "aside", "secondary", "left", "right", "col", "column"],
    &["logo", "brand"],
    &["search", "searchbox", "searchform"],
    &["ad", "ads", "advert", "advertisement", "sponsor", "banner", "promo"],
    &["post", "article", "entry", "story", "item", "news", "hentry"],
    &["comment", "comments", "respond"],
    &["widget", "box", "block", "module", "panel", "section", "portlet", "gadget"],
    &["title", "headline", "heading"],
    &["wrapper", "wrap", "container", "page", "outer", "inner", "wrapperinner"],
    &["list", "links", "link", "categories", "archive", "recent", "tags"],
    &["image", "img", "photo", "picture", "thumb", "gallery", "slider", "banner"],
    &["social", "share", "twitter", "facebook", "login", "user"],
];

const TAGS: [&[Tag]; 12] = [
    &[Tag::Div],
    &[Tag::Ul, Tag::Ol, Tag::Dl],
    &[Tag::Li],
    &[Tag::Table],
    &[Tag::Tbody],
    &[Tag::Tr],
    &[Tag::Td, Tag::Th],
    &[Tag::P],
    &[Tag::A],
    &[Tag::Img],
    &[Tag::H1, Tag::H2, Tag::H3, Tag::H4],
    &[Tag::Form],
];

/// Numbers that a candidate has of its own.
const OWN: usize = 16;
/// Numbers of one candidate: its own, tags, stems.
const WIDTH: usize = OWN + TAGS.len() + STEMS.len();
/// Numbers of its place among others.
const PLACE: usize = 10;
/// Numbers of its looks.
const LOOKS: usize = 14;
/// Candidates less probable than this are not looked at.
const LEAST: f32 = 0.03;

/// Facts by which a candidate is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// The page's own bytes.
    Markup,
    /// With its layout, too.
    Rendered,
}

/// The candidates of a page with their numbers, row after row, and the regions that they are.
pub(super) struct Rows {
    regions: Vec<Region>,
    data: Vec<f32>,
    width: usize,
}

impl Rows {
    pub fn new(page: &SegmentedPage, probabilities: &[f32], view: View) -> Self {
        let candidates = candidates(&page.page);
        let regions: Vec<Region> = candidates.iter().map(|candidate| region(page, candidate)).collect();
        let region_numbers: Vec<[f32; WIDTH]> = own_numbers(&page.page, &candidates, probabilities);
        let places = place_numbers(&page.page, &candidates);
        let looks = match view {
            View::Markup => None,
            View::Rendered => Some(look_numbers(page, &candidates, &regions)),
        };
        let mut data = Vec::new();
        for (at, candidate) in candidates.iter().enumerate() {
            let numbers = |at: usize| region_numbers.get(at).copied().unwrap_or([f32::NAN; WIDTH]);
            let zeros = [0.0; WIDTH];
            data.extend(numbers(at));
            data.extend(candidate.parent.map_or(zeros, numbers));
            let mut children = [0.0f32; WIDTH];
            for child in &candidate.children {
                for (sum, value) in children.iter_mut().zip(numbers(*child)) {
                    *sum += value / candidate.children.len() as f32;
                }
            }
            data.extend(children);
            data.extend(places.get(at).copied().unwrap_or([0.0; PLACE]));
            if let Some(looks) = &looks {
                data.extend(looks.get(at).copied().unwrap_or([0.0; LOOKS]));
                let around = candidate.parent.and_then(|parent| looks.get(parent));
                data.extend(around.copied().unwrap_or([0.0; LOOKS]));
            }
        }
        Self::of(regions, data)
    }

    /// Regions with as many numbers each, row after row.
    pub fn of(regions: Vec<Region>, data: Vec<f32>) -> Self {
        let width = data.len() / regions.len().max(1);
        Self { regions, data, width }
    }

    fn row(&self, at: usize) -> &[f32] {
        self.data.get(at * self.width..(at + 1) * self.width).unwrap_or_default()
    }

    /// The regions with the highest expected F: taken from the most probable down, but none that is about the
    /// same as one before, as long as 2 Σ p / (number taken + `marked`) grows, where `marked` times the sum of
    /// all those probabilities is how many blocks a person would mark.
    pub fn chosen(&self, page: &SegmentedPage, probabilities: &[f32], marked: f32) -> Vec<Region> {
        let mut order: Vec<(f32, &Region)> = probabilities.iter().copied().zip(&self.regions).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut distinct: Vec<(f32, &Region)> = Vec::new();
        for (probability, region) in order.into_iter().filter(|candidate| candidate.0 >= LEAST) {
            let is_like = |other: &Region| page.leaves.similarity(region, other) >= FUZZY_SIMILARITY;
            if !distinct.iter().any(|(_, other)| is_like(other)) {
                distinct.push((probability, region));
            }
        }
        let expected: f32 = marked * distinct.iter().map(|(probability, _)| probability).sum::<f32>();
        let (mut hits, mut best) = (0.0, (0.0, 0));
        for (taken, (probability, _)) in (1usize..).zip(&distinct) {
            hits += probability;
            let f = 2.0 * hits / (taken as f32 + expected);
            if f > best.0 {
                best = (f, taken);
            }
        }
        distinct.into_iter().take(best.1).map(|(_, region)| region.clone()).collect()
    }

    fn probabilities(&self, trees: &Trees) -> Vec<f32> {
        (0..self.regions.len()).map(|at| sigmoid(trees.log_odds(self.row(at)))).collect()
    }
}

/// Visible region of a candidate.
pub(super) fn region(page: &SegmentedPage, candidate: &Candidate) -> Region {
    // The outermost of the chain may have no box of its own.
    let mut elements = candidate.elements.iter().filter_map(|at| page.page.element(*at));
    let node = elements.find_map(|element| page.leaves.node_at(element.start));
    page.leaves.region(node)
}

fn own_numbers(page: &Page, candidates: &[Candidate], probabilities: &[f32]) -> Vec<[f32; WIDTH]> {
    // Sums of characters and of probable content over blocks, so that an element's are a difference: blocks
    // stand in the order of the page.
    let mut sums = vec![(0.0f32, 0.0f32)];
    for (block, probability) in page.blocks.iter().zip(probabilities) {
        let (chars, content) = sums.last().copied().unwrap_or_default();
        let block_chars = block.chars as f32;
        sums.push((chars + block_chars, content + block_chars * probability));
    }
    let whole = candidates.first().map(|candidate| candidate.content).unwrap_or_default();
    let bytes = page.bytes.max(1) as f32;
    candidates
        .iter()
        .map(|candidate| {
            let content = &candidate.content;
            let mut row = [0.0; WIDTH];
            let element = page.element(candidate.element());
            let start = element.map_or(0, |element| element.start);
            let end =
                element.and_then(|element| page.element(element.end)).map_or(page.bytes as u32, |next| next.start);
            let first = page.blocks.partition_point(|block| block.span.0 < start);
            let last = page.blocks.partition_point(|block| block.span.0 < end);
            let sum = |at: usize| sums.get(at).copied().unwrap_or_default();
            let chars = sum(last).0 - sum(first).0;
            let likely = (sum(last).1 - sum(first).1) / chars.max(1.0);
            let log = |value: u32| (value as f32 + 1.0).ln();
            let measures = [
                log(content.chars),
                log(content.words),
                log(content.blocks),
                log(content.images),
                log(content.inputs),
                log(content.links),
                content.link_density(),
                content.chars as f32 / whole.chars.max(1) as f32,
                content.blocks as f32 / whole.blocks.max(1) as f32,
                content.images as f32 / whole.images.max(1) as f32,
                content.words as f32 / content.blocks.max(1) as f32,
                start as f32 / bytes,
                end as f32 / bytes,
                likely,
                candidate.elements.len() as f32,
                candidate.children.len() as f32,
            ];
            row.iter_mut().zip(measures).for_each(|(cell, value)| *cell = value);
            let elements = || candidate.elements.iter().filter_map(|at| page.element(*at));
            for (column, tags) in TAGS.iter().enumerate() {
                let has = elements().filter(|element| tags.contains(&element.tag)).count();
                if let Some(cell) = row.get_mut(OWN + column) {
                    *cell = has as f32;
                }
            }
            for word in elements().flat_map(|element| page.attribute_words(element)) {
                let text = page.word_text(word);
                for (column, stems) in STEMS.iter().enumerate() {
                    if stems.contains(&text)
                        && let Some(cell) = row.get_mut(OWN + TAGS.len() + column)
                    {
                        *cell = 1.0;
                    }
                }
            }
            row
        })
        .collect()
}

fn place_numbers(page: &Page, candidates: &[Candidate]) -> Vec<[f32; PLACE]> {
    let signature = |at: usize| {
        let element = candidates.get(at).and_then(|candidate| page.element(candidate.element()));
        element.map_or(0, |element| element.signature)
    };
    let tag = |at: usize| {
        let element = candidates.get(at).and_then(|candidate| page.element(candidate.element()));
        element.map(|element| element.tag)
    };
    let mut depths: Vec<f32> = Vec::new();
    let mut siblings: Vec<[f32; 7]> = vec![[0.0; 7]; candidates.len()];
    for candidate in candidates {
        depths.push(candidate.parent.and_then(|at| depths.get(at)).map_or(0.0, |depth| depth + 1.0));
        let mut templates: FxHashMap<u64, f32> = FxHashMap::default();
        for child in &candidate.children {
            *templates.entry(signature(*child)).or_default() += 1.0;
        }
        let count = candidate.children.len() as f32;
        for (place, child) in candidate.children.iter().enumerate() {
            let element_content = candidates.get(*child).map(|candidate| candidate.content).unwrap_or_default();
            let same_tag = candidate.children.iter().take(50).filter(|other| tag(**other) == tag(*child));
            let numbers = [
                place as f32,
                count - place as f32,
                templates.get(&signature(*child)).copied().unwrap_or_default(),
                same_tag.count() as f32,
                element_content.chars as f32 / candidate.content.chars.max(1) as f32,
                element_content.blocks as f32 / candidate.content.blocks.max(1) as f32,
                element_content.images as f32 / candidate.content.images.max(1) as f32,
            ];
            if let Some(cell) = siblings.get_mut(*child) {
                *cell = numbers;
            }
        }
    }
    let largest = |candidate: &Candidate| {
        let children = candidate.children.iter().filter_map(|child| candidates.get(*child));
        let chars = children.map(|child| child.content.chars).max().unwrap_or_default();
        chars as f32 / candidate.content.chars.max(1) as f32
    };
    candidates
        .iter()
        .zip(depths)
        .zip(siblings)
        .map(|((candidate, depth), [a, b, c, d, e, f, g])| {
            let last = candidate.elements.last().and_then(|at| page.element(*at));
            let inner = last.map_or(0.0, |element| f32::from(element.depth));
            [depth, inner, largest(candidate), a, b, c, d, e, f, g]
        })
        .collect()
}

fn look_numbers(page: &SegmentedPage, candidates: &[Candidate], regions: &[Region]) -> Vec<[f32; LOOKS]> {
    let layout: &PageLayout = &page.layout;
    let whole = layout.rect();
    let structure = vips(layout, 10);
    // The highest degree of the visual blocks that are the same region.
    let mut degrees: FxHashMap<Region, f32> = FxHashMap::default();
    for block in &structure.blocks {
        let region = page.leaves.region(block.roots.iter().copied());
        degrees.insert(region, f32::from(block.degree));
    }
    candidates
        .iter()
        .zip(regions)
        .map(|(candidate, region)| {
            let starts = candidate.elements.iter().filter_map(|at| page.page.element(*at));
            let nodes = starts.filter_map(|element| page.leaves.node_at(element.start));
            let nodes: Vec<_> = nodes.filter_map(|at| layout.nodes.get(at as usize)).collect();
            let rect = nodes.first().map_or(Rect::default(), |node| node.rect);
            let seen = region.0.iter().filter_map(|leaf| layout.nodes.get(*leaf as usize));
            let seen_rect = seen.clone().fold(Rect::default(), |all, node| all.union(&node.rect));
            let size = seen.clone().map(|node| node.font_size).fold(0.0, f32::max);
            let weight = seen.map(|node| f32::from(node.font_weight)).fold(0.0, f32::max);
            let background = nodes.iter().any(|node| node.background.is_some() || node.background_image);
            let (width, height) = (whole.width.max(1) as f32, whole.height.max(1) as f32);
            [
                rect.x as f32 / width,
                rect.y as f32,
                rect.y as f32 / height,
                rect.width as f32,
                rect.height as f32,
                rect.area() as f32 / (width * height),
                (whole.height - rect.bottom()) as f32,
                seen_rect.width as f32,
                seen_rect.height as f32,
                seen_rect.x as f32,
                size,
                weight,
                f32::from(u8::from(background)),
                degrees.get(region).copied().unwrap_or_default(),
            ]
        })
        .collect()
}

/// Probabilities of the candidates of each page, by trees that saw no page of its group.
pub(super) fn cross_fitted(
    pages: &[SegmentedPage],
    rows: &[Rows],
    folds: &[usize],
) -> Result<Vec<Vec<f32>>, LearnError> {
    let count = folds.iter().max().map_or(0, |last| last + 1);
    let mut probabilities = vec![Vec::new(); pages.len()];
    for fold in 0..count {
        let trees = fit(pages, rows, |at| folds.get(at) != Some(&fold))?;
        for (at, rows) in rows.iter().enumerate().filter(|(at, _)| folds.get(*at) == Some(&fold)) {
            if let Some(cell) = probabilities.get_mut(at) {
                *cell = rows.probabilities(&trees);
            }
        }
    }
    Ok(probabilities)
}

fn fit(pages: &[SegmentedPage], rows: &[Rows], learns: impl Fn(usize) -> bool) -> Result<Trees, LearnError> {
    let mut sample = Sample::default();
    let mut weights = Vec::new();
    for (at, (page, rows)) in pages.iter().zip(rows).enumerate() {
        if !learns(at) {
            continue;
        }
        sample.width = rows.width;
        for (candidate, region) in rows.regions.iter().enumerate() {
            let near = page
                .marked
                .iter()
                .filter(|_| !region.is_empty())
                .map(|marked| page.leaves.similarity(region, marked))
                .fold(0.0, f64::max);
            sample.data.extend_from_slice(rows.row(candidate));
            sample.labels.push(near >= FUZZY_SIMILARITY);
            // Each page counts the same.
            weights.push(1.0 / rows.regions.len().max(1) as f32);
        }
    }
    fit_trees(&sample, &weights)
}

/// The number for [`Rows::chosen`] with the highest mean F, by the fuzzy measure, on the pages that `learns`
/// names.
pub(super) fn best_marked(
    pages: &[SegmentedPage],
    rows: &[Rows],
    probabilities: &[Vec<f32>],
    learns: impl Fn(usize) -> bool + Sync,
) -> f32 {
    let mean = |marked: f32| -> f64 {
        let enumerate = pages.par_iter().zip(rows.par_iter().zip(probabilities)).enumerate();
        enumerate
            .filter(|(at, _)| learns(*at))
            .map(|(_, (page, (rows, probabilities)))| {
                let found = rows.chosen(page, probabilities, marked);
                count(&page.leaves, &found, &page.marked, Match::Fuzzy).f1()
            })
            .collect::<Vec<f64>>()
            .iter()
            .sum()
    };
    let steps = [0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0];
    steps
        .map(|marked| (mean(marked), marked))
        .into_iter()
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(1.0, |(_, marked)| marked)
}
