//! Training pages with the labels of their blocks and of the texts in their JSON-LD.

use rayon::prelude::*;
use trommel_html::Page;
use trommel_model::Layout;
use trommel_model::features::{EmbeddedText, Schema, embedded_texts, embedded_texts_if_hidden, phrase_share};

use super::options::TrainOptions;
use crate::example::Example;
use crate::label::shares;
use crate::pages::{LabelledPage, PageSet};

/// An embedded text is content if more than this share of its phrases stands in the gold.
const MIN_PHRASE_SHARE: f32 = 0.5;
/// A block is one that must be kept if more than this share of its words lies on the common subsequence
/// with the texts that must be.
const MIN_REQUIRED_SHARE: f32 = 0.5;

/// A page with its labels.
#[derive(Clone)]
pub(crate) struct Labelled<'a> {
    pub page: &'a LabelledPage,
    pub set: usize,
    /// For each block, true if it is content.
    pub labels: Vec<bool>,
    /// The certainty of each label, 0..=1; empty if all are certain.
    pub certainty: Vec<f32>,
    /// The weight of the page beside another of its set.
    pub share: f64,
    /// The groups of blocks that belong together.
    pub layout: Layout,
    pub embedded: LabelledEmbedded,
    pub text: String,
}

impl<'a> Labelled<'a> {
    /// A page whose labels are known.
    pub fn new(page: &'a LabelledPage, set: usize, labels: Vec<bool>, text: String) -> Self {
        Self {
            layout: Layout::of(&page.page),
            embedded: LabelledEmbedded::default(),
            certainty: Vec::new(),
            share: 1.0,
            page,
            set,
            labels,
            text,
        }
    }

    /// Returns whether only some texts of the page are known to be content, and nothing of the rest.
    pub fn is_partial(&self) -> bool {
        self.page.gold.required().is_some()
    }

    pub fn example(&self) -> Example<'_> {
        Example { page: &self.page.page, labels: &self.labels, group: self.page.gold.group() }
    }

    /// Features of the page's blocks.
    pub fn rows(&self, schema: &Schema) -> trommel_model::features::FeatureMatrix {
        schema.rows(&self.page.page, self.page.gold.address())
    }
}

/// A page's embedded texts with their labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelledEmbedded {
    /// The texts of the page as it is.
    pub complete: Vec<(EmbeddedText, bool)>,
    /// The texts of the page without the blocks that repeat the JSON-LD.
    pub hidden: Vec<(EmbeddedText, bool)>,
}

impl LabelledEmbedded {
    /// The embedded texts of a page with this gold.
    pub fn of(page: &Page, gold: &str) -> Self {
        let labelled = |embedded: Vec<EmbeddedText>| {
            embedded
                .into_iter()
                .map(|embedded| {
                    let is_content = phrase_share(&embedded.content.text, gold) > MIN_PHRASE_SHARE;
                    (embedded, is_content)
                })
                .collect()
        };
        Self {
            complete: labelled(embedded_texts(page)),
            hidden: embedded_texts_if_hidden(page).map(|(embedded, _)| labelled(embedded)).unwrap_or_default(),
        }
    }
}

/// The pages of the sets with their labels, in order.
pub(super) fn labelled<'a>(sets: &'a [PageSet], options: &TrainOptions) -> Vec<Labelled<'a>> {
    sets.par_iter()
        .enumerate()
        .flat_map(|(set, pages)| pages.pages.par_iter().map(move |page| (set, page)))
        .map(|(set, page)| {
            let (text, least) = match page.gold.required() {
                Some(required) => (required.join("\n"), MIN_REQUIRED_SHARE),
                None => (page.gold.text(options.comments), options.label_share),
            };
            let labels: Vec<bool> = shares(&page.page, &text).iter().map(|share| *share > least).collect();
            let mut labelled = Labelled::new(page, set, labels, text);
            if labelled.is_partial() {
                let without = shares(&page.page, &page.gold.without.join("\n"));
                let without = without.into_iter().map(|share| share > MIN_REQUIRED_SHARE);
                let known = labelled.labels.iter().zip(without).map(|(is, is_not)| *is || is_not);
                labelled.certainty = known.map(|is_known| f32::from(u8::from(is_known))).collect();
            } else {
                labelled.embedded = LabelledEmbedded::of(&page.page, &labelled.text);
            }
            labelled
        })
        .collect()
}
