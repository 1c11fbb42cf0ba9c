//! What the features of a page's blocks are made of: passes over the whole page, each made only if a
//! group of the schema asks for it, and the row of each block.

use trommel_html::{Block, Page, Tag};

use crate::comments::Comments;
use crate::containers::{Containers, Sums, levels};
use crate::neighbours::Neighbour;
use crate::outline::Outline;
use crate::position::Positions;
use crate::prose::Prose;
use crate::repeats::Repeats;
use crate::schema::{FeatureGroup, Schema};
use crate::terms::Terms;
use crate::text::Shape;
use crate::tokens::{ListedSets, PathWeights};
use crate::topic::Topic;
use crate::wording::Wording;
use crate::work::count_work;
use crate::{
    address, ancestry, cetr, containers, neighbours, page_facts, shallow, text, tokens, wording,
};

/// Facts of one page under one schema; those that no group asks for are empty.
pub(crate) struct Facts<'a> {
    page: &'a Page,
    groups: &'a [FeatureGroup],
    shapes: Vec<Shape>,
    densities: Vec<[f32; 2]>,
    ratios: Vec<[f32; 3]>,
    listed: Option<ListedSets>,
    listed_len: usize,
    paths: Vec<PathWeights>,
    containers: Option<Containers>,
    around: Vec<u64>,
    positions: Option<Positions>,
    page_facts: [f32; page_facts::NAMES.len()],
    neighbours: Vec<Neighbour>,
    prose: Option<Prose>,
    repeats: Option<Repeats>,
    terms: Option<Terms>,
    outline: Option<Outline>,
    topic: Option<Topic>,
    address: [f32; address::NAMES.len()],
    wordings: Vec<Wording>,
    comments: Option<Comments>,
}

impl<'a> Facts<'a> {
    pub fn new(page: &'a Page, url: Option<&str>, schema: &'a Schema) -> Self {
        let has = |groups: &[FeatureGroup]| groups.iter().any(|own| schema.groups().contains(own));
        let (lexicon, blocks) = (schema.lexicon(), page.blocks.iter());
        let shapes: Vec<Shape> = blocks.map(|block| Shape::of(page.text(block))).collect();
        let (sums, whole) = if has(&[
            FeatureGroup::Containers,
            FeatureGroup::Page,
            FeatureGroup::Prose,
            FeatureGroup::Repeats,
            FeatureGroup::Comments,
        ]) {
            containers::sums(page, &shapes)
        } else {
            Default::default()
        };
        let prose = has(&[
            FeatureGroup::Prose,
            FeatureGroup::Repeats,
            FeatureGroup::Comments,
        ])
        .then(|| Prose::new(page, &shapes, &sums));
        let terms = has(&[
            FeatureGroup::Position,
            FeatureGroup::Outline,
            FeatureGroup::Topic,
            FeatureGroup::Wording,
            FeatureGroup::Comments,
        ])
        .then(|| Terms::new(page));
        let with_terms = |groups: &[FeatureGroup]| terms.as_ref().filter(|_| has(groups));
        let with_prose = |groups: &[FeatureGroup]| prose.as_ref().filter(|_| has(groups));
        let outline = with_terms(&[
            FeatureGroup::Outline,
            FeatureGroup::Wording,
            FeatureGroup::Comments,
        ])
        .map(|terms| Outline::new(page, terms));
        fn when<T>(wanted: bool, make: impl FnOnce() -> Vec<T>) -> Vec<T> {
            if wanted { make() } else { Vec::new() }
        }
        Self {
            page,
            groups: schema.groups(),
            densities: when(has(&[FeatureGroup::Shallow]), || shallow::densities(page)),
            ratios: when(has(&[FeatureGroup::Cetr]), || cetr::tag_ratios(page)),
            listed: has(&[FeatureGroup::Tokens]).then(|| ListedSets::new(page, lexicon)),
            listed_len: lexicon.listed_len(),
            paths: when(has(&[FeatureGroup::Weights]), || {
                tokens::path_weights(page, lexicon)
            }),
            containers: has(&[FeatureGroup::Containers])
                .then(|| Containers::new(page, &sums, &whole)),
            around: when(has(&[FeatureGroup::Ancestry]), || ancestry::around(page)),
            positions: has(&[FeatureGroup::Position]).then(|| Positions::new(page)),
            page_facts: if has(&[FeatureGroup::Page]) {
                page_features(page, &whole)
            } else {
                Default::default()
            },
            neighbours: when(has(&[FeatureGroup::Neighbours]), || {
                neighbours::neighbours(page, &shapes)
            }),
            repeats: with_prose(&[FeatureGroup::Repeats])
                .map(|prose| Repeats::new(page, &sums, &whole, prose)),
            topic: has(&[FeatureGroup::Topic]).then(|| Topic::new(page)),
            address: if has(&[FeatureGroup::Address]) {
                address::features(page, url)
            } else {
                Default::default()
            },
            wordings: when(has(&[FeatureGroup::Wording]), || match &terms {
                Some(terms) => wording::wordings(page, terms, lexicon),
                None => Vec::new(),
            }),
            comments: outline
                .as_ref()
                .zip(with_prose(&[FeatureGroup::Comments]))
                .map(|(outline, prose)| Comments::new(page, outline, prose)),
            shapes,
            prose,
            terms,
            outline,
        }
    }

    /// Appends the features of block `at` to `row`.
    pub fn row(&self, at: usize, block: &Block, row: &mut Vec<f32>) {
        let page = self.page;
        count_work(row.capacity());
        let levels = levels(page, block.element);
        for group in self.groups {
            match group {
                FeatureGroup::Shallow => {
                    row.extend_from_slice(&shallow::features(&self.densities, at));
                }
                FeatureGroup::Cetr => {
                    row.extend_from_slice(&self.ratios.get(at).copied().unwrap_or_default());
                }
                FeatureGroup::Tokens => {
                    let start = row.len();
                    row.resize(start + self.listed_len, 0.0);
                    if let (Some(listed), Some(slots)) = (&self.listed, row.get_mut(start..)) {
                        listed.features(page, block, slots);
                    }
                }
                FeatureGroup::Weights => {
                    row.extend_from_slice(&tokens::weight_features(page, &self.paths, at));
                }
                FeatureGroup::Containers => {
                    if let Some(containers) = &self.containers {
                        containers.features(&levels, row);
                    }
                }
                FeatureGroup::Ancestry => {
                    row.extend_from_slice(&ancestry::features(page, &self.around, block));
                }
                FeatureGroup::Text => {
                    let shape = self.shapes.get(at).copied().unwrap_or_default();
                    row.extend_from_slice(&text::features(block, &shape));
                }
                FeatureGroup::Position => {
                    if let (Some(positions), Some(terms)) = (&self.positions, &self.terms) {
                        row.extend_from_slice(&positions.features(page, terms, at));
                    }
                }
                FeatureGroup::Page => row.extend_from_slice(&self.page_facts),
                FeatureGroup::Neighbours => {
                    row.extend_from_slice(&neighbours::features(&self.neighbours, at));
                }
                FeatureGroup::Prose => {
                    if let Some(prose) = &self.prose {
                        prose.features(page, &levels, at, row);
                    }
                }
                FeatureGroup::Repeats => {
                    if let Some(repeats) = &self.repeats {
                        row.extend_from_slice(&repeats.features(block.element));
                    }
                }
                FeatureGroup::Outline => {
                    if let Some(outline) = &self.outline {
                        row.extend_from_slice(&outline.features(page, at));
                    }
                }
                FeatureGroup::Topic => {
                    if let (Some(topic), Some(terms)) = (&self.topic, &self.terms) {
                        row.extend_from_slice(&topic.features(terms, at));
                    }
                }
                FeatureGroup::Address => row.extend_from_slice(&self.address),
                FeatureGroup::Wording => {
                    if let Some(outline) = &self.outline {
                        row.extend_from_slice(&wording::features(&self.wordings, outline, at));
                    }
                }
                FeatureGroup::Comments => {
                    if let Some(comments) = &self.comments {
                        row.extend_from_slice(&comments.features(page, at));
                    }
                }
            }
        }
    }
}

fn page_features(page: &Page, whole: &Sums) -> [f32; page_facts::NAMES.len()] {
    let headline = page.blocks.iter().any(|block| {
        page.container(block)
            .is_some_and(|(_, element)| element.tag == Tag::H1)
    });
    page_facts::features(page, whole, headline)
}
