//! The elements at several levels above a block.

use trommel_html::{NONE, Page};

use crate::work::count_work;

/// How many elements up each group of features looks.
pub(crate) const LEVELS: [usize; 7] = [0, 1, 2, 3, 4, 6, 8];
/// The element `levels` levels up, or the outermost one if there are fewer.
fn ancestor(page: &Page, element: u32, levels: usize) -> u32 {
    let mut at = element;
    for _ in 0..levels {
        count_work(1);
        match page.element(at) {
            Some(own) if own.parent != NONE => at = own.parent,
            _ => break,
        }
    }
    at
}

/// An element for each of [`LEVELS`].
pub(crate) type Levels = [u32; LEVELS.len()];

/// The elements at each of [`LEVELS`] around an element; a level above the outermost one repeats it.
pub(crate) fn levels(page: &Page, element: u32) -> Levels {
    let mut at = element;
    let mut level = 0;
    LEVELS.map(|wanted| {
        at = ancestor(page, at, wanted - level);
        level = wanted;
        at
    })
}
