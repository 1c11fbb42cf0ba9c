//! Drops the few unlikely words that are left of a page after rules have dropped what the model chose it for.

use trommel_html::Page;

/// Words of what is left, at most.
const MAX_WORDS: u32 = 20;
/// Probability of what is left, at most.
const MAX_PROBABILITY: f32 = 0.3;

/// Drops what is kept if it is little and unlikely, and a likelier block is not kept. The model keeps unlikely blocks
/// only beside likely ones. There is one entry a block in `probabilities` and `kept`.
pub(crate) fn drop_leftovers(page: &Page, probabilities: &[f32], kept: &mut [bool]) {
    let (mut words, mut of_kept, mut of_dropped) = (0u32, 0.0f32, 0.0f32);
    for ((block, probability), kept) in page.blocks.iter().zip(probabilities).zip(kept.iter()) {
        if *kept {
            words = words.saturating_add(block.words);
            of_kept = of_kept.max(*probability);
        } else {
            of_dropped = of_dropped.max(*probability);
        }
    }
    if words <= MAX_WORDS && of_kept <= MAX_PROBABILITY && of_dropped > of_kept {
        kept.fill(false);
    }
}
