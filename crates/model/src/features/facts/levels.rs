//! The elements at several levels above a block.

use trommel_html::NONE;

use super::container_parts::{ContainerParts, PARTS};
use super::paths::Paths;
use crate::features::columns::{LANES, Lanes};
use crate::features::work::count_work;

/// The levels above a block that each group of features looks at.
// Farther out the steps are wider: single levels say less there, and wrappers differ in number between sites.
pub(crate) const LEVELS: [usize; 7] = [0, 1, 2, 3, 4, 6, 8];

/// The parts about the elements at one level above the blocks of a batch.
pub(crate) type LevelColumns = [Lanes; PARTS];

/// The parts about nothing.
pub(crate) const NO_PARTS: LevelColumns = [[0.0; LANES]; PARTS];

/// Fills in the levels of the blocks in elements at these places.
pub(crate) fn fill(
    levels: &mut [LevelColumns],
    paths: &Paths,
    parts: &ContainerParts,
    places: impl Iterator<Item = u32>,
) {
    for (lane, place) in (0..LANES).zip(places) {
        let (mut at, mut level) = (place, 0);
        for (columns, wanted) in levels.iter_mut().zip(LEVELS) {
            // Each level is climbed from the one below it, so all seven together take eight steps.
            for _ in level..wanted {
                count_work(1);
                // The outermost stands for all above it.
                let parent = paths.parent(at);
                at = if parent == NONE { at } else { parent };
            }
            level = wanted;
            for (column, part) in columns.iter_mut().zip(parts.of(at)) {
                column[lane] = *part;
            }
        }
    }
}
