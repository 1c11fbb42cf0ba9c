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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::trial;

    #[test]
    fn little_is_not_left_without_what_it_was_kept_for() {
        let left = |html: &str, probabilities: &[f32]| {
            trial::left(html, |page, kept| drop_leftovers(page, probabilities, kept)).len()
        };
        let html = "<p>-I am shopping for<p>All languages";
        assert_eq!(left(html, &[0.45, 0.14]), 0);
        // All that a page shows is kept however unlikely it is.
        assert_eq!(left(html, &[0.1, 0.14]), 1);
        assert_eq!(left(html, &[0.9, 0.6]), 1);
        assert_eq!(left(&format!("{html}{}", " and more".repeat(10)), &[0.45, 0.14]), 1);
    }
}
