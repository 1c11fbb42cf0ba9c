//! Training pages with the labels of their blocks and of the texts in their JSON-LD.
//!
//! Copies of pages without most of their content imitate short articles among much other text: training sets
//! have few of them, and other languages have many.

use rayon::prelude::*;
use trommel_html::Page;
use trommel_model::Layout;
use trommel_model::features::{EmbeddedText, Schema, embedded_texts, embedded_texts_if_hidden, phrase_share};
use trommel_text::{hash, mix};

use super::TrainOptions;
use crate::label::shares;
use crate::labelled_pages::{Example, LabelledPage, PageSet};

/// Threshold of labelling: a text in JSON-LD is content if more than this share of its phrases is in the gold text.
const MIN_PHRASE_SHARE: f32 = 0.5;
/// Threshold of labelling: a block is to be kept (or dropped) if more than this share of its words is in the required
/// (or forbidden) texts.
const MIN_REQUIRED_SHARE: f32 = 0.5;

/// Training page with the labels of its blocks.
#[derive(Clone)]
pub(crate) struct Labelled<'a> {
    pub page: &'a LabelledPage,
    pub set: usize,
    /// Label of each block: true if the block is content.
    pub labels: Vec<bool>,
    /// Certainty of each block's label (0 to 1); empty if all labels are certain.
    pub certainty: Vec<f32>,
    /// Weight of the page relative to an ordinary page of its set.
    pub share: f64,
    /// Groups of blocks on the page: fields (blocks with the same path of element names and classes) and sections.
    pub layout: Layout,
    pub embedded: LabelledEmbedded,
    pub text: String,
}

impl<'a> Labelled<'a> {
    /// Creates a training page whose labels are certain, with a weight of 1 and without embedded texts.
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

    /// Returns whether the gold names only some texts to keep, so that the labels of other blocks are unknown.
    pub fn is_partial(&self) -> bool {
        self.page.gold.required().is_some()
    }

    pub fn example(&self) -> Example<'_> {
        Example { page: &self.page.page, labels: &self.labels, group: self.page.gold.group() }
    }

    /// Returns the feature rows of the page's blocks.
    pub fn rows(&self, schema: &Schema) -> trommel_model::features::FeatureMatrix {
        schema.rows(&self.page.page, self.page.gold.address())
    }
}

/// Embedded texts of a page's JSON-LD, each with its label: true if the text is content.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelledEmbedded {
    /// Embedded texts of the page as it is, with their labels.
    pub complete: Vec<(EmbeddedText, bool)>,
    /// Embedded texts of the page, with labels, after removal of the blocks that show the same texts as the JSON-LD.
    pub hidden: Vec<(EmbeddedText, bool)>,
}

impl LabelledEmbedded {
    /// Finds the embedded texts in a page's JSON-LD, and labels each by its share of phrases in the gold text.
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

/// Returns all pages of the sets in order, with their blocks labelled by the gold texts.
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

/// Number of training pages for each shortened copy: one page in five is also used with only the start of its content.
const PAGES_PER_COPY: u64 = 5;
/// Weight of a page's shortened copy in training, relative to an ordinary page.
const SHARE: f64 = 0.5;
/// Minimum number of words of content in a page; pages with less get no shortened copy.
const MIN_WORDS: u32 = 200;
/// Percentages of the content that a page's shortened copy keeps: a fixed part, and the maximum of an added random
/// part.
const KEPT_HUNDREDTHS: (u64, u64) = (15, 45);

/// Copy of a training page that keeps only the first part of the content, with the labels of its blocks.
pub(super) struct PoorCopy {
    page: LabelledPage,
    labels: Vec<bool>,
    set: usize,
    /// Index of the copied page among the training pages.
    pub of: usize,
}

impl PoorCopy {
    /// Makes shortened copies of one in five pages; skips pages with too little content.
    pub fn of_pages(pages: &[Labelled]) -> Vec<Self> {
        let all = pages.iter().enumerate();
        all.filter_map(|(at, page)| {
            let draw = mix(hash(page.page.gold.record_id.as_bytes()));
            draw.is_multiple_of(PAGES_PER_COPY).then(|| Self::new(page, at, mix(draw)))?
        })
        .collect()
    }

    /// Copies a page with only the first part of its content, whose length follows from the random number `draw`.
    /// `None` if the page is partly labelled or has little content.
    fn new(page: &Labelled, at: usize, draw: u64) -> Option<Self> {
        let blocks = &page.page.page.blocks;
        let content = || blocks.iter().zip(&page.labels).filter(|(_, label)| **label);
        let words: u32 = content().map(|(block, _)| block.words).sum();
        if page.is_partial() || words < MIN_WORDS {
            return None;
        }
        let kept = words as u64 * (KEPT_HUNDREDTHS.0 + draw % (KEPT_HUNDREDTHS.1 + 1)) / 100;
        let mut copy = page.page.clone();
        let mut labels = Vec::with_capacity(blocks.len());
        let mut left = Vec::with_capacity(blocks.len());
        let (mut seen, mut tags) = (0, 0);
        for (block, label) in blocks.iter().zip(&page.labels) {
            if *label && seen > kept {
                tags += block.tags_before + block.tags_inside;
                continue;
            }
            seen += if *label { u64::from(block.words) } else { 0 };
            let mut block = block.clone();
            block.tags_before += std::mem::take(&mut tags);
            left.push(block);
            labels.push(*label);
        }
        copy.page.blocks = left;
        Some(Self { page: copy, labels, set: page.set, of: at })
    }

    /// Returns the copy as a training page of reduced weight.
    pub fn labelled(&self) -> Labelled<'_> {
        let mut page = Labelled::new(&self.page, self.set, self.labels.clone(), String::new());
        page.share = SHARE;
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelled_pages::Gold;
    use crate::test_pages;

    #[test]
    fn copies_lose_the_later_content_only() {
        let text = "Some words of a long story that goes on. ".repeat(10);
        let html = format!("<p>Menu</p>{}<p>Imprint</p>", format!("<p>{text}</p>").repeat(10));
        let pages: Vec<LabelledPage> = (0..40)
            .map(|at| test_pages::labelled(&html, Gold { record_id: format!("r{at}"), ..Gold::default() }))
            .collect();
        let labels: Vec<bool> = (0..12).map(|at| (1..11).contains(&at)).collect();
        let all = pages.iter().map(|page| Labelled::new(page, 3, labels.clone(), text.clone()));
        let all: Vec<Labelled> = all.collect();
        let copies = PoorCopy::of_pages(&all);
        assert!((2..20).contains(&copies.len()), "{}", copies.len());
        for copy in &copies {
            let labelled = copy.labelled();
            let page = &labelled.page.page;
            let content = labelled.labels.iter().filter(|label| **label).count();
            assert!((2..8).contains(&content), "{content}");
            assert_eq!(page.blocks.len(), content + 2);
            assert_eq!(page.text(&page.blocks[0]), "Menu");
            assert_eq!(page.text(page.blocks.last().unwrap()), "Imprint");
            assert_eq!((labelled.set, labelled.share), (3, 0.5));
            assert_eq!(labelled.page.gold.record_id, pages[copy.of].gold.record_id);
            let tags = |page: &trommel_html::Page| -> u32 {
                page.blocks.iter().map(|block| block.tags_before + block.tags_inside).sum()
            };
            assert_eq!(tags(page), tags(&pages[copy.of].page));
        }
        let short = Labelled::new(&pages[0], 0, vec![false; 12], String::new());
        assert!(PoorCopy::new(&short, 0, 0).is_none());
    }
}
