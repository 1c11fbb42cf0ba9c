//! Turns the counts of a site into a change of log odds.

use crate::sites::evidence::{BlockEvidence, PageEvidence};

/// The evidence about a block, as numbers for the correction. The first is the share of the site's other
/// pages with its text. The second is how far the text at its position is always the same: 1 less its
/// entropy. The third is how far the mean probability at its position lies above its own, in log odds; it
/// counts less the fewer pages are known. Each is 0 if nothing is known.
pub type Signals = [f32; 3];

/// Log odds beyond which a probability is as good as certain.
const MAX_LOG_ODDS: f32 = 6.2;

/// The [`Signals`] of a block that the model gave this probability, on a site with this many other pages. The mean
/// of `half` pages at a position counts half.
pub fn signals(block: &BlockEvidence, pages: u32, probability: f32, half: f32) -> Signals {
    let share = block.pages.map_or(0.0, |with| with as f32 / pages.max(1) as f32);
    let sameness = block.entropy.map_or(0.0, |entropy| 1.0 - entropy);
    let position = block.probability.map_or(0.0, |(mean, judged)| {
        let judged = judged as f32;
        judged / (judged + half) * (log_odds(mean) - log_odds(probability))
    });
    [share, sameness, position]
}

fn log_odds(probability: f32) -> f32 {
    let p = probability.clamp(f32::MIN_POSITIVE, 1.0 - f32::EPSILON);
    (p / (1.0 - p)).ln().clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS)
}

/// Weights of the [`Signals`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correction {
    /// Change of the log odds for a signal of 1.
    pub weights: Signals,
    /// Number of pages whose mean at a position counts half.
    pub half: f32,
}

/// The correction for a memory without probabilities. `trommel-quality sites --judged` learned and chose
/// it; the log of site memory has its figures.
pub const BY_COUNTS: Correction = Correction { weights: [-5.21, 0.55, 0.0], half: 1.0 };
/// The correction for a memory with probabilities, made in the same way.
pub const BY_PROBABILITIES: Correction = Correction { weights: [-5.00, 1.37, 0.52], half: 2.0 };

impl Correction {
    /// Change of the log odds of each block, given the probabilities that the model gave them.
    pub fn changes(&self, evidence: &PageEvidence, probabilities: &[f32]) -> Vec<f32> {
        let blocks = evidence.blocks.iter().zip(probabilities);
        let change = |(block, probability): (&BlockEvidence, &f32)| {
            let signals = signals(block, evidence.pages, *probability, self.half);
            self.weights.iter().zip(signals).map(|(weight, signal)| weight * signal).sum()
        };
        blocks.map(change).collect()
    }
}

impl PageEvidence {
    /// Change of the log odds of each block that the shipped corrections make of this evidence.
    pub fn changes(&self, probabilities: &[f32]) -> Vec<f32> {
        let judged = self.blocks.iter().any(|block| block.probability.is_some());
        let correction = if judged { BY_PROBABILITIES } else { BY_COUNTS };
        correction.changes(self, probabilities)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_known_changes_nothing() {
        let evidence = PageEvidence { pages: 5, blocks: vec![BlockEvidence::default(); 2] };
        assert_eq!(evidence.changes(&[0.0, 1.0]), [0.0, 0.0]);
    }

    #[test]
    fn repeated_text_is_less_probable_and_positions_pull_to_their_mean() {
        let block = |pages, probability| BlockEvidence { pages: Some(pages), entropy: None, probability };
        let changes = |blocks: Vec<BlockEvidence>, page_probability: f32| {
            let probabilities = vec![page_probability; blocks.len()];
            PageEvidence { pages: 4, blocks }.changes(&probabilities)
        };
        let counts = changes(vec![block(0, None), block(2, None), block(4, None)], 0.9);
        assert_eq!(counts[0], 0.0);
        assert!(counts[2] < counts[1] && counts[1] < -1.0, "{counts:?}");
        let means = changes(vec![block(0, Some((0.99, 9))), block(0, Some((0.01, 9)))], 0.5);
        assert!(means[0] > 1.5 && means[1] < -1.5, "{means:?}");
        let one = changes(vec![block(0, Some((0.99, 1)))], 0.5);
        assert!(one[0] < means[0]);
        // Probabilities of 0 and 1 give numbers.
        assert!(changes(vec![block(0, Some((0.0, 9)))], 1.0)[0].is_finite());
    }
}
