//! Training pages with the labels of their blocks and of the texts in their JSON-LD.
//!
//! Copies of pages without most of their content imitate short articles amid much else: training sets have few of
//! them, and other languages have many.

use rayon::prelude::*;
use trommel_html::Page;
use trommel_model::Layout;
use trommel_model::features::{EmbeddedText, Schema, embedded_texts, embedded_texts_if_hidden, phrase_share};
use trommel_text::{hash, mix};

use super::TrainOptions;
use crate::label::shares;
use crate::labelled_pages::{Example, LabelledPage, PageSet};

/// An embedded text is content if more than this share of its phrases stands in the gold.
const MIN_PHRASE_SHARE: f32 = 0.5;
/// A block is one that must be kept if more than this share of its words lies on the common subsequence
/// with the texts that must be.
const MIN_REQUIRED_SHARE: f32 = 0.5;

/// A training page with the labels of its blocks.
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
    /// Creates a training page whose labels are known.
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

    /// Returns the features of the page's blocks.
    pub fn rows(&self, schema: &Schema) -> trommel_model::features::FeatureMatrix {
        schema.rows(&self.page.page, self.page.gold.address())
    }
}

/// The embedded texts of a page with their labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelledEmbedded {
    /// The texts of the page as it is.
    pub complete: Vec<(EmbeddedText, bool)>,
    /// The texts of the page without the blocks that repeat the JSON-LD.
    pub hidden: Vec<(EmbeddedText, bool)>,
}

impl LabelledEmbedded {
    /// Finds the embedded texts of a page, and labels them by its gold text.
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

/// Returns the pages of the sets with their labels, in order.
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

/// Number of pages for each one that gets a copy.
const PAGES_PER_COPY: u64 = 5;
/// The weight of a copy beside a page.
const SHARE: f64 = 0.5;
/// Words of content that a page must have to get a copy.
const MIN_WORDS: u32 = 200;
/// Hundredths of the content that a copy keeps: at least, and how many more at most.
const KEPT_HUNDREDTHS: (u64, u64) = (15, 45);

/// A copy of a training page from which content was removed, with the labels of its blocks.
pub(super) struct PoorCopy {
    page: LabelledPage,
    labels: Vec<bool>,
    set: usize,
    /// Number of the page that it is a copy of.
    pub of: usize,
}

impl PoorCopy {
    /// Makes the copies of some of the pages.
    pub fn of_pages(pages: &[Labelled]) -> Vec<Self> {
        let all = pages.iter().enumerate();
        all.filter_map(|(at, page)| {
            let draw = mix(hash(page.page.gold.record_id.as_bytes()));
            draw.is_multiple_of(PAGES_PER_COPY).then(|| Self::new(page, at, mix(draw)))?
        })
        .collect()
    }

    /// The copy of a page: of its content only the first part stays, by a random share of the words.
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

    /// Returns the copy as a page to learn from.
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
