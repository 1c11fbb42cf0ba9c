//! The decision trees on a block and its two neighbours (WSDM 2010, section 4.3, and the classifiers
//! of the library).

use super::piece::Piece;

/// Link density above which a block is never content.
const LINKED: f32 = 0.333_333;
/// Link density above which the block before is a menu.
const LINKED_BEFORE: f32 = 0.555_556;

/// Attributes of the trees; zeros beyond the ends of the page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NeighbourFacts {
    words: u32,
    link_density: f32,
    text_density: f32,
}

/// A tree: whether the middle one of three blocks is content.
pub(super) type PieceRule = fn(NeighbourFacts, NeighbourFacts, NeighbourFacts) -> bool;

/// Sets every piece's verdict by the tree.
pub(super) fn classify(pieces: &mut [Piece], rule: PieceRule) {
    let facts: Vec<NeighbourFacts> = pieces
        .iter()
        .map(|piece| NeighbourFacts {
            words: piece.words,
            link_density: piece.link_density(),
            text_density: piece.text_density(),
        })
        .collect();
    let of = |at: Option<usize>| at.and_then(|at| facts.get(at)).copied().unwrap_or_default();
    for (at, piece) in pieces.iter_mut().enumerate() {
        piece.content = rule(of(at.checked_sub(1)), of(Some(at)), of(at.checked_add(1)));
    }
}

/// `NumWordsRulesClassifier`.
pub(super) fn num_words(previous: NeighbourFacts, current: NeighbourFacts, next: NeighbourFacts) -> bool {
    if current.link_density > LINKED {
        false
    } else if previous.link_density <= LINKED_BEFORE {
        current.words > 16 || next.words > 15 || previous.words > 4
    } else {
        current.words > 40 || next.words > 17
    }
}

/// `DensityRulesClassifier`.
pub(super) fn density(previous: NeighbourFacts, current: NeighbourFacts, next: NeighbourFacts) -> bool {
    if current.link_density > LINKED {
        false
    } else if previous.link_density > LINKED_BEFORE {
        next.text_density > 11.0
    } else if current.text_density <= 9.0 {
        next.text_density > 10.0 || previous.text_density > 4.0
    } else {
        next.text_density != 0.0
    }
}

/// The classifier of `CanolaExtractor`.
pub(super) fn canola(previous: NeighbourFacts, current: NeighbourFacts, next: NeighbourFacts) -> bool {
    let unlinked = next.link_density == 0.0 && previous.link_density == 0.0;
    current.link_density > 0.0 && next.words > 11
        || current.words > 19
        || next.words > 6 && unlinked && (current.words > 6 || previous.words > 7 || next.words > 19)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(words: u32, link_density: f32, text_density: f32) -> NeighbourFacts {
        NeighbourFacts { words, link_density, text_density }
    }

    #[test]
    fn limits_of_the_word_rules() {
        let none = NeighbourFacts::default();
        let menu = facts(10, 0.56, 5.0);
        assert!(!num_words(none, facts(16, 0.0, 8.0), facts(15, 0.0, 8.0)));
        assert!(num_words(none, facts(17, 0.333, 8.0), none));
        assert!(!num_words(none, facts(17, 0.334, 8.0), none));
        assert!(num_words(none, facts(1, 0.0, 1.0), facts(16, 0.0, 8.0)));
        assert!(num_words(facts(5, 0.0, 5.0), facts(1, 0.0, 1.0), none));
        assert!(!num_words(menu, facts(40, 0.0, 8.0), facts(17, 0.0, 8.0)));
        assert!(num_words(menu, facts(41, 0.0, 8.0), none));
        assert!(num_words(menu, facts(1, 0.0, 1.0), facts(18, 0.0, 8.0)));
    }

    #[test]
    fn limits_of_the_density_rules() {
        let none = NeighbourFacts::default();
        let menu = facts(10, 0.56, 5.0);
        let of = |density| facts(9, 0.0, density);
        assert!(!density(of(4.0), of(9.0), of(10.0)));
        assert!(density(of(4.1), of(9.0), of(10.0)) && density(none, of(9.0), of(10.1)));
        assert!(density(none, of(9.1), of(0.1)) && !density(none, of(9.1), none));
        assert!(density(menu, of(9.0), of(11.1)) && !density(menu, of(12.0), of(11.0)));
        assert!(!density(of(9.0), facts(9, 0.34, 9.0), of(12.0)));
    }

    #[test]
    fn limits_of_canola() {
        let none = NeighbourFacts::default();
        let of = |words| facts(words, 0.0, 8.0);
        assert!(canola(none, facts(1, 0.1, 1.0), of(12)) && !canola(none, of(1), of(12)));
        assert!(canola(none, of(20), none) && !canola(none, of(19), of(6)));
        assert!(canola(none, of(7), of(7)) && !canola(none, of(6), of(7)));
        assert!(canola(of(8), of(1), of(7)) && !canola(of(7), of(1), of(7)));
        assert!(canola(none, of(1), of(20)));
        assert!(!canola(facts(8, 0.1, 8.0), of(7), of(10)));
    }
}
