//! Training pages with the labels of their blocks and of the texts in their JSON-LD.

use rayon::prelude::*;
use trommel_features::{
    EmbeddedText, Schema, embedded_texts, embedded_texts_if_hidden, phrase_share,
};
use trommel_html::Page;

use super::options::TrainOptions;
use crate::example::Example;
use crate::label::shares;
use crate::pages::{LabelledPage, PageSet};

/// An embedded text is content if more than this share of its phrases stands in the gold.
const LABEL: f32 = 0.5;

/// A page with its labels.
pub(crate) struct Labelled<'a> {
    pub page: &'a LabelledPage,
    pub set: usize,
    pub labels: Vec<bool>,
    pub embedded: LabelledEmbedded,
    pub text: String,
}

impl Labelled<'_> {
    pub fn example(&self) -> Example<'_> {
        Example {
            page: &self.page.page,
            labels: &self.labels,
            group: self.page.gold.group(),
        }
    }

    /// Features of the page's blocks.
    pub fn rows(&self, schema: &Schema) -> trommel_features::FeatureMatrix {
        schema.rows(&self.page.page, self.page.gold.address())
    }
}

/// A page's embedded texts with their labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelledEmbedded {
    /// As the page is.
    pub own: Vec<(EmbeddedText, bool)>,
    /// As it would be without the blocks that repeat the JSON-LD.
    pub hidden: Vec<(EmbeddedText, bool)>,
}

impl LabelledEmbedded {
    /// The embedded texts of a page with this gold.
    pub fn of(page: &Page, gold: &str) -> Self {
        let labelled = |embedded: Vec<EmbeddedText>| {
            embedded
                .into_iter()
                .map(|embedded| {
                    let is_content = phrase_share(&embedded.content.text, gold) > LABEL;
                    (embedded, is_content)
                })
                .collect()
        };
        Self {
            own: labelled(embedded_texts(page)),
            hidden: embedded_texts_if_hidden(page)
                .map(|(embedded, _)| labelled(embedded))
                .unwrap_or_default(),
        }
    }
}

/// The pages of the sets with their labels, in order.
pub(super) fn labelled<'a>(sets: &'a [PageSet], options: &TrainOptions) -> Vec<Labelled<'a>> {
    sets.par_iter()
        .enumerate()
        .flat_map(|(set, pages)| pages.pages.par_iter().map(move |page| (set, page)))
        .map(|(set, page)| {
            let text = page.gold.text(options.comments);
            let labels = shares(&page.page, &text)
                .iter()
                .map(|share| *share > options.label_share)
                .collect();
            Labelled {
                page,
                set,
                labels,
                embedded: LabelledEmbedded::of(&page.page, &text),
                text,
            }
        })
        .collect()
}
