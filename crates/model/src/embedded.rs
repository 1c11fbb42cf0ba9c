//! Judges texts found only in a page's JSON-LD, and selects among them together with the blocks.

use trommel_html::json_ld::ContentSubject;

use crate::additive::sigmoid;
use crate::features::{EMBEDDED_COLUMNS, EmbeddedText};
use crate::file::{EmbeddedScorer, ModelError, Scorer};
use crate::scorer::numbers;
use crate::selection_by_worlds::{Choice, Layout, Selection, expected_f1, weighed};

/// Minimum probability that one JSON-LD text must have for such texts to be kept on a page with no other content.
// On all sets this changed one page, which a script fills.
const MIN_ALONE_PROBABILITY: f32 = 0.3;

/// A text of a page's JSON-LD or script data, with its probability of being content, and whether it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedEmbedded {
    /// Text of the JSON-LD or script data, with facts about it and its features.
    pub embedded: EmbeddedText,
    /// Probability that the text is content, 0..=1.
    pub probability: f32,
    /// True if the text is kept as part of the document's text.
    pub kept: bool,
}

impl JudgedEmbedded {
    /// Creates the judgement of a text of the JSON-LD from the log odds that it is main text; it is not kept yet.
    pub fn new(log_odds: f32, embedded: EmbeddedText) -> Self {
        Self { embedded, probability: sigmoid(log_odds), kept: false }
    }

    /// Returns whether the text is a reader's comment or review.
    pub fn is_comment(&self) -> bool {
        self.embedded.content.subject == ContentSubject::Comment
    }
}

impl EmbeddedScorer {
    /// Returns the scorer with its columns numbered as in [`EMBEDDED_COLUMNS`].
    ///
    /// # Errors
    /// If the scorer names an unknown feature, or its numbers are invalid.
    pub(crate) fn readied(&self) -> Result<Scorer, ModelError> {
        Scorer::Linear(self.scorer.clone()).on(&numbers(&self.columns, EMBEDDED_COLUMNS)?)
    }
}

impl Selection {
    /// Chooses among blocks and embedded texts (of JSON-LD or scripts) together. Returns the choice of blocks, and sets
    /// `kept` of each embedded text. Readers' comments are eligible only if `with_comments` is true. If nothing is
    /// chosen but one embedded text is likely, embedded texts are chosen alone, since a script fills such a page.
    pub fn choose_with(
        &self,
        probabilities: &[f32],
        layout: &Layout,
        embedded: &mut [JudgedEmbedded],
        with_comments: bool,
    ) -> Choice {
        let mut eligible: Vec<&mut JudgedEmbedded> =
            embedded.iter_mut().filter(|embedded| with_comments || !embedded.is_comment()).collect();
        if eligible.is_empty() {
            // Most pages have none, and the copies below cost as much as the choice.
            return self.choose(probabilities, layout);
        }
        let mut all = probabilities.to_vec();
        all.extend(eligible.iter().map(|embedded| embedded.probability));
        let mut with_embedded = layout.clone();
        let words: Vec<u32> = eligible.iter().map(|embedded| embedded.embedded.words).collect();
        // Each gets a field and a section of its own: it has no place among the elements.
        with_embedded.push(&words);
        let mut choice = self.choose(&all, &with_embedded);
        let may_stand_alone = eligible.iter().any(|embedded| embedded.probability >= MIN_ALONE_PROBABILITY);
        if may_stand_alone && !choice.kept.contains(&true) {
            // Of the blocks nothing is content. Expected F1 never chooses nothing else.
            let weighed = weighed(&all, &with_embedded);
            let (blocks, _) = all.split_at_mut(probabilities.len());
            blocks.fill(0.0);
            choice = Self::ExpectedF1.choose(&all, &with_embedded);
            choice.expected_f1 = expected_f1(&weighed, &choice.kept) as f32;
        }
        let kept = choice.kept.split_off(probabilities.len());
        for (embedded, kept) in eligible.iter_mut().zip(kept) {
            embedded.kept = kept;
        }
        choice
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn page() -> Vec<EmbeddedText> {
        let page = ScanEngine.read(
            r#"<script type=application/ld+json>[{"@type":"Article","articleBody":"a b c d e f"},
                {"@type":"Comment","text":"g h i j k l"}]</script>"#,
            &Limits::default(),
        );
        crate::features::embedded_texts(&page)
    }

    fn judged(scorer: &Scorer, texts: Vec<EmbeddedText>) -> Vec<JudgedEmbedded> {
        texts.into_iter().map(|text| JudgedEmbedded::new(scorer.log_odds(&text.features), text)).collect()
    }

    #[test]
    fn embedded_texts_are_chosen_beside_blocks() {
        let even = Scorer::Linear(crate::file::Linear::default());
        let mut texts = judged(&even, page());
        assert!(texts.len() == 2 && texts.iter().all(|embedded| embedded.probability == 0.5));
        let mut choose = |with_comments| {
            let choice =
                Selection::ExpectedF1.choose_with(&[0.9, 0.01], &Layout::of_words(&[6, 60]), &mut texts, with_comments);
            let kept: Vec<bool> = texts.iter().map(|embedded| embedded.kept).collect();
            (choice.kept, kept, choice.expected_f1)
        };
        let (blocks, kept, f1) = choose(false);
        assert_eq!((blocks, kept), (vec![true, false], vec![true, false]));
        // Of 12 words 8.4 are expected among 9 that are content.
        assert!((f1 - 2.0 * 8.4 / (12.0 + 9.0)).abs() < 1e-6, "{f1}");
        let (blocks, kept, _) = choose(true);
        assert_eq!((blocks, kept), (vec![true, false], vec![true, true]));
    }

    #[test]
    fn a_page_that_a_script_fills_is_not_empty() {
        // Where a text is content with a probability of .4, most worlds have no content.
        let worlds = Selection::Worlds(1.0);
        let choose = |probability: f32| {
            let mut texts = judged(&Scorer::Linear(crate::file::Linear::default()), page());
            texts.truncate(1);
            texts[0].probability = probability;
            let layout = Layout::of_words(&[1]);
            let choice = worlds.choose_with(&[0.01], &layout, &mut texts, false);
            (choice.kept, texts[0].kept)
        };
        assert_eq!(choose(0.4), (vec![false], true));
        assert_eq!(choose(0.2), (vec![false], false));

        // No block comes with it, however doubtful.
        for (selection, of_block, of_text) in [(worlds, 0.38, 0.3), (Selection::Threshold(0.6), 0.59, 0.3)] {
            let mut texts = judged(&Scorer::Linear(crate::file::Linear::default()), page());
            texts.truncate(1);
            texts[0].probability = of_text;
            let layout = Layout::of_words(&[100]);
            let choice = selection.choose_with(&[of_block], &layout, &mut texts, false);
            assert_eq!((choice.kept, texts[0].kept), (vec![false], true), "{selection:?}");
            // Of 6 words 1.8, where 100 more may be content as well.
            let expected = 2.0 * 1.8 / (6.0 + 1.8 + 100.0 * of_block);
            assert!((choice.expected_f1 - expected).abs() < 1e-5, "{selection:?}");
        }
    }

    #[test]
    fn unknown_columns_are_refused() {
        let scorer = |name: &str| EmbeddedScorer { columns: vec![name.into()], ..EmbeddedScorer::default() };
        assert!(scorer(EMBEDDED_COLUMNS[3]).readied().is_ok());
        let error = scorer("odd").readied().unwrap_err().to_string();
        assert!(error.contains("feature odd"), "{error}");
    }
}
