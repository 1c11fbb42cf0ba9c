//! Log odds of attribute words, after Peters and Lecocq (WWW 2013, section 3.3), who list only a few words.
//! Every word of `id`, `class`, `role` and `itemprop` that occurred on enough training pages has a weight.
//! The weights are summed along the elements around a block.

use crate::features::facts::PageFacts;
use crate::features::facts::weights::{ElementWeights, PathWeights, higher, lower};
use crate::features::group::{Fact, Group, owned, rows};

const NAMES: [&str; 11] = [
    "weights.sum", "weights.min", "weights.max", "weights.own", "weights.parent_sum", "weights.parent_min",
    "weights.parent_max", "weights.inline_min", "weights.inline_max", "weights.previous", "weights.next",
];

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Weights],
    columns: |_| owned(&NAMES),
    on: |facts, _| rows(move |at| weight_features(facts, &facts.weights, at)),
};

/// The weight features of block `at`.
fn weight_features(facts: &PageFacts, weights: &PathWeights, at: usize) -> [f32; NAMES.len()] {
    let PageFacts { page, paths, .. } = facts;
    let of = |place: u32| weights.of(place);
    let sum_at = |at: Option<usize>| at.map_or(0.0, |at| of(paths.of_block(at)).sum);
    let Some(block) = page.blocks.get(at) else {
        return [0.0; NAMES.len()];
    };
    let path_weight = of(paths.of_block(at));
    let parent = of(paths.parent(paths.of_block(at)));
    let inline = page.inline(block).iter().map(|at| {
        // Most inline elements are on no path.
        let element = page.element(*at);
        match paths.of_element(*at) {
            Some(place) => of(place).direct,
            // Computed when wanted: only elements with text on their path have a place.
            None => element.map_or(0.0, |element| ElementWeights::of(page.attribute_words(element), facts.lexicon).sum),
        }
    });
    let (low, high) = inline.fold((0.0f32, 0.0f32), |(low, high), w| (lower(low, w), higher(high, w)));
    [
        path_weight.sum,
        path_weight.min,
        path_weight.max,
        path_weight.direct,
        parent.sum,
        parent.min,
        parent.max,
        low,
        high,
        sum_at(at.checked_sub(1)),
        sum_at(Some(at + 1)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::lexicon::{Lexicon, TermWeight};
    use trommel_html::{Engine, Limits, ScanEngine};

    fn weight(term: &str, weight: f32) -> TermWeight {
        TermWeight { term: term.into(), weight }
    }

    #[test]
    fn weights_decay_down_the_path_and_keep_their_extremes() {
        let lexicon = Lexicon::new(&[], &[weight("nav", -2.0), weight("post", 1.0)], &[]);
        let page = ScanEngine
            .read("<div class=nav><div class=post><p>a <i class=nav>x</i></p></div></div>", &Limits::default());
        let facts = PageFacts::new(&page, None, &lexicon, GROUP.needs);
        let f = weight_features(&facts, &facts.weights, 0);
        let close = |a: f32, b: f32| (a - b).abs() < 1e-6;
        // nav -2 → div -2*.8+1 = -.6 → p -.48
        assert!(close(f[0], -0.48) && close(f[1], -2.0) && close(f[2], 1.0) && close(f[3], 0.0), "{f:?}");
        assert!(close(f[4], -0.6) && close(f[7], -2.0) && close(f[8], 0.0), "{f:?}");
        assert!(close(f[9], 0.0) && close(f[10], 0.0), "{f:?}");
    }
}
