//! The elements at several levels above a block.

use trommel_html::NONE;

use super::paths::Paths;
use crate::work::count_work;

/// The levels above a block that each group of features looks at.
// Farther out the steps are wider: single levels say less there, and wrappers differ in number between sites.
pub(crate) const LEVELS: [usize; 7] = [0, 1, 2, 3, 4, 6, 8];
/// The element `levels` levels up, or the outermost one if there are fewer.
fn ancestor(paths: &Paths, place: u32, levels: usize) -> u32 {
    // Each level is climbed from the one below it, so all seven together take eight steps.
    let mut at = place;
    for _ in 0..levels {
        count_work(1);
        match paths.parent(at) {
            NONE => break,
            parent => at = parent,
        }
    }
    at
}

/// Places of the elements at each of [`LEVELS`] above one.
pub(crate) type Levels = [u32; LEVELS.len()];

/// The levels of the element at a place.
pub(crate) fn levels(paths: &Paths, place: u32) -> Levels {
    let mut at = place;
    let mut level = 0;
    LEVELS.map(|wanted| {
        // The levels rise, so the difference is never negative.
        at = ancestor(paths, at, wanted - level);
        level = wanted;
        at
    })
}
