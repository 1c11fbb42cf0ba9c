//! The scorer of embedded texts, which stand only in a page's JSON-LD and not among its blocks.
//!
//! Gold texts are what readers of rendered or stored pages saw, so almost none of the embedded texts is
//! content there. Pages whose text only a script writes must be imitated. A page that shows the text becomes
//! such a page, with the same gold, when the blocks that repeat the JSON-LD are removed. Both kinds of
//! embedded texts are learned from, and every page of a kind counts the same.

use trommel_model::features::{EMBEDDED_COLUMNS, EmbeddedText};
use trommel_model::{ColumnWeight, EmbeddedScorer, JudgedEmbedded, Linear, sigmoid};

use super::labelled::{Labelled, LabelledEmbedded};
use super::logistic::{Sample, fit_weighted};
use crate::error::LearnError;

/// Weight of a page without its blocks against one as it is. Weighing as much, they cost F1 on pages as
/// they are: answers and product texts are kept beside a page's own.
const HIDDEN_WEIGHT: f64 = 0.1;
/// Strength of the L2 penalty.
const PENALTY: f64 = 1e-3;

/// A page's own embedded texts with the probabilities that a scorer gives; none without a scorer.
pub(super) fn judged(embedded: &LabelledEmbedded, scorer: Option<&EmbeddedScorer>) -> Vec<JudgedEmbedded> {
    let Some(scorer) = scorer else { return Vec::new() };
    embedded
        .complete
        .iter()
        .map(|(embedded, _)| JudgedEmbedded {
            probability: sigmoid(scorer.scorer.log_odds(&embedded.features)),
            embedded: embedded.clone(),
            kept: false,
        })
        .collect()
}

/// Fits the scorer; none if the pages hold no embedded texts of both labels.
///
/// # Errors
/// If the solver fails.
pub(crate) fn fit_embedded(pages: &[&Labelled]) -> Result<Option<EmbeddedScorer>, LearnError> {
    let sets = pages.iter().map(|page| page.set + 1).max().unwrap_or(0);
    let mut sizes = vec![0.0f64; sets];
    pages.iter().for_each(|page| sizes[page.set] += 1.0);
    let mut sample = Sample { width: EMBEDDED_COLUMNS.len(), ..Sample::default() };
    let mut weights = Vec::new();
    for page in pages {
        let groups = [(&page.embedded.complete, 1.0), (&page.embedded.hidden, HIDDEN_WEIGHT)];
        for (group, weight) in groups {
            let root = |text: &EmbeddedText| f64::from(text.words).sqrt();
            let roots: f64 = group.iter().map(|(text, _)| root(text)).sum();
            for (embedded, is_content) in group {
                sample.data.extend_from_slice(&embedded.features);
                sample.labels.push(*is_content);
                weights.push((weight * root(embedded) / (roots * sizes[page.set].sqrt())) as f32);
            }
        }
    }
    let content = sample.labels.iter().filter(|label| **label).count();
    if content == 0 || content == sample.labels.len() {
        return Ok(None);
    }
    let fit = fit_weighted(&sample, &weights, PENALTY)?;
    let weights = (0u16..).zip(fit.weights.iter().zip(&fit.deviations)).filter(|(_, (weight, _))| **weight != 0.0).map(
        |(column, (weight, deviation))| ColumnWeight { column, weight: *weight as f32, deviation: *deviation as f32 },
    );
    Ok(Some(EmbeddedScorer {
        columns: EMBEDDED_COLUMNS.map(str::to_owned).to_vec(),
        scorer: Linear { intercept: fit.intercept as f32, weights: weights.collect() },
        rows: (sample.labels.len() as u32, content as u32),
        penalty: PENALTY,
    }))
}

/// The treatment of comments in training: readers' comments in the JSON-LD are left out, as by default.
pub(crate) const WITH_COMMENTS: bool = false;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::{Gold, LabelledPage};
    use crate::toy;

    fn page(at: usize, shown: bool) -> LabelledPage {
        let body = format!("Story {at} is told here in some words. It goes on for a while, and ends.");
        let prose = "Other prose of the page that has nothing to do with what is told elsewhere.";
        let html = format!(
            "<script type=application/ld+json>[{{\"@type\":\"Article\",\"articleBody\":\"{body}\"}},\
             {{\"@type\":\"VideoObject\",\"description\":\"A film of number {at} with sound\"}}]</script>\
             <p>Menu</p><p>{}</p>",
            if shown { body.as_str() } else { prose }
        );
        toy::labelled(
            &html,
            Gold {
                record_id: format!("r{at}"),
                gold: Some(if shown { body } else { prose.to_owned() }),
                ..Gold::default()
            },
        )
    }

    #[test]
    fn bodies_that_a_script_writes_are_learned_from_pages_that_show_them() {
        let pages: Vec<LabelledPage> = (0..40).map(|at| page(at, at % 2 == 0)).collect();
        let labelled: Vec<Labelled> = pages
            .iter()
            .map(|page| {
                let text = page.gold.text(true);
                let mut labelled = Labelled::new(page, 0, Vec::new(), text);
                labelled.embedded = LabelledEmbedded::of(&page.page, &labelled.text);
                labelled
            })
            .collect();
        let all: Vec<&Labelled> = labelled.iter().collect();
        let scorer = fit_embedded(&all).unwrap().unwrap();
        // Of each shown page the film, and both once the body is hidden; of each other page both.
        assert_eq!(scorer.rows, (20 * 3 + 20 * 2, 20));
        let odds = |(embedded, _): &(EmbeddedText, bool)| scorer.scorer.log_odds(&embedded.features);
        assert!(odds(&labelled[0].embedded.hidden[0]) > 0.0);
        assert!(odds(&labelled[0].embedded.hidden[1]) < 0.0);
        let judged = judged(&labelled[1].embedded, Some(&scorer));
        assert!(judged.len() == 2 && judged.iter().all(|embedded| embedded.probability < 0.5));
        assert!(fit_embedded(&[]).unwrap().is_none());
    }
}
