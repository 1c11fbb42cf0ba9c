//! Texts that stand in a page's JSON-LD alone, judged and chosen beside its blocks.

use trommel_features::{CANDIDATE_NAMES, Candidate};
use trommel_html::json_ld::ContentSubject;

use crate::error::ModelError;
use crate::file::{CandidateScorer, Scorer};
use crate::model::{Comments, sigmoid};
use crate::selection::{Choice, Selection};

/// A candidate and the verdict on it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedCandidate {
    /// The text, what is known of it and its features.
    pub candidate: Candidate,
    /// Probability of being content, 0..=1.
    pub probability: f32,
    /// Whether it is part of the text.
    pub kept: bool,
}

impl JudgedCandidate {
    /// Whether it is a reader's comment or review.
    pub fn is_comment(&self) -> bool {
        self.candidate.content.subject == ContentSubject::Comment
    }
}

impl CandidateScorer {
    /// The scorer asking columns by their numbers among [`CANDIDATE_NAMES`].
    ///
    /// # Errors
    /// If it names a feature that is not known, or its numbers do not add up.
    pub(crate) fn readied(&self) -> Result<Scorer, ModelError> {
        let columns: Vec<u16> = self
            .columns
            .iter()
            .map(|name| {
                (0u16..)
                    .zip(CANDIDATE_NAMES)
                    .find(|(_, known)| known == name)
                    .map(|(at, _)| at)
                    .ok_or_else(|| ModelError::UnknownFeature {
                        feature: name.clone(),
                    })
            })
            .collect::<Result<_, _>>()?;
        Scorer::Linear(self.scorer.clone()).on(&columns)
    }
}

/// The candidates with their probabilities, none of them chosen yet.
pub(crate) fn judged(scorer: &Scorer, candidates: Vec<Candidate>) -> Vec<JudgedCandidate> {
    candidates
        .into_iter()
        .map(|candidate| JudgedCandidate {
            probability: sigmoid(scorer.log_odds(&candidate.features)),
            candidate,
            kept: false,
        })
        .collect()
}

impl Selection {
    /// Chooses among blocks and candidates as if these were further blocks: the choice of blocks is
    /// returned, that of candidates noted on them. Comments that are not to be kept have no part in it.
    pub fn choose_with(
        &self,
        probabilities: &[f32],
        words: &[u32],
        candidates: &mut [JudgedCandidate],
        comments: Comments,
    ) -> Choice {
        let mut eligible: Vec<&mut JudgedCandidate> = candidates
            .iter_mut()
            .filter(|own| comments == Comments::Include || !own.is_comment())
            .collect();
        if eligible.is_empty() {
            return self.choose(probabilities, words);
        }
        let mut all = probabilities.to_vec();
        all.extend(eligible.iter().map(|own| own.probability));
        let mut all_words = words.to_vec();
        all_words.extend(eligible.iter().map(|own| own.candidate.words));
        let mut choice = self.choose(&all, &all_words);
        let kept = choice.kept.split_off(probabilities.len());
        for (own, kept) in eligible.iter_mut().zip(kept) {
            own.kept = kept;
        }
        choice
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, LolEngine};

    fn page() -> Vec<Candidate> {
        let page = LolEngine.read(
            r#"<script type=application/ld+json>[{"@type":"Article","articleBody":"a b c d e f"},
                {"@type":"Comment","text":"g h i j k l"}]</script>"#,
            &Limits::default(),
        );
        trommel_features::candidates(&page)
    }

    #[test]
    fn candidates_are_chosen_beside_blocks() {
        let even = Scorer::Linear(crate::file::Linear::default());
        let mut own = judged(&even, page());
        assert!(own.len() == 2 && own.iter().all(|own| own.probability == 0.5));
        let mut choose = |comments| {
            let choice =
                Selection::ExpectedF1.choose_with(&[0.9, 0.01], &[6, 60], &mut own, comments);
            let kept: Vec<bool> = own.iter().map(|own| own.kept).collect();
            (choice.kept, kept, choice.expected_f1)
        };
        let (blocks, kept, f1) = choose(Comments::Exclude);
        assert_eq!((blocks, kept), (vec![true, false], vec![true, false]));
        // Of 12 words 8.4 are expected among 9 that are content.
        assert!((f1 - 2.0 * 8.4 / (12.0 + 9.0)).abs() < 1e-6, "{f1}");
        let (blocks, kept, _) = choose(Comments::Include);
        assert_eq!((blocks, kept), (vec![true, false], vec![true, true]));
    }

    #[test]
    fn unknown_columns_are_refused() {
        let scorer = |name: &str| CandidateScorer {
            columns: vec![name.into()],
            ..CandidateScorer::default()
        };
        assert!(scorer(CANDIDATE_NAMES[3]).readied().is_ok());
        let error = scorer("odd").readied().unwrap_err().to_string();
        assert!(error.contains("feature odd"), "{error}");
    }
}
