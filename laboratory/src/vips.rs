//! VIPS: the visual blocks of a page that was laid out (Cai, Yu, Wen and Ma, VIPS: a Vision-based Page
//! Segmentation Algorithm, MSR-TR-2003-79, and Extracting Content Structure for Web Pages Based on Visual
//! Representation, APWeb 2003).
//!
//! Round by round, the nodes of the page are divided by twelve rules into a pool of blocks, separators between
//! these are found and weighed, and the page becomes a tree of blocks with a degree of coherence each. Blocks
//! below the permitted degree go through another round with a smaller size threshold. docs/vips.md says what
//! is not from the paper.

mod by_direction;
mod extraction;
mod separator;
mod structure;
#[cfg(test)]
mod tests;
mod visual;

pub use structure::{VisualBlock, VisualStructure};

use crate::layout::PageLayout;

/// Maximum degree of coherence, that of a single text.
pub const MAX_DEGREE: u8 = 11;

/// The visual blocks of a page, down to the permitted degree of coherence (1..=11: the higher, the finer).
/// Time is n log n in the nodes for each of the at most nine rounds and each level of blocks.
pub fn vips(layout: &PageLayout, permitted_degree: u8) -> VisualStructure {
    structure::build(layout, permitted_degree.clamp(1, MAX_DEGREE))
}

/// The visual blocks as vips_java (1c59c69) builds their tree: each round divides every block at all of its horizontal
/// separators, then each part at all of its vertical ones; a block is as coherent as the heaviest separator at
/// its border or inside says, on a scale that starts at the lightest of the page. So far apart from [`vips`] is what
/// the authors of the marked pages ran (at a permitted degree of 8).
pub fn vips_java(layout: &PageLayout, permitted_degree: u8) -> VisualStructure {
    by_direction::build(layout, permitted_degree.clamp(1, MAX_DEGREE))
}
