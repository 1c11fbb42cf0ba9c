//! Ends a text at the maximum number of tokens.

use std::num::NonZeroU32;

use super::atoms::{Atom, atoms};
use super::{ChunkBlocks, ChunkSize, ChunkUnit};
use crate::render::traced::TracedText;
use crate::tokens::TokenCounter;

/// Ends a text behind the last paragraph, table row, list item or code with which it has at most `most` tokens, and
/// with no heading at its end. A text whose first paragraph is longer ends behind a sentence; one whose first sentence
/// or code is longer is empty. Says whether anything was left out.
pub(crate) fn limit(text: &mut TracedText, blocks: &ChunkBlocks<'_>, most: NonZeroU32, counter: &TokenCounter) -> bool {
    if counter.count(&text.text) <= most.get() {
        return false;
    }
    let size = ChunkSize { unit: ChunkUnit::Tokens, size: most, overlap: 0 };
    let atoms = atoms(text, blocks, size, counter);
    let mut room = u64::from(most.get());
    let fits = atoms.iter().take_while(|atom| {
        let left = room.checked_sub(u64::from(atom.length));
        room = left.unwrap_or(0);
        left.is_some()
    });
    let kept = kept(&atoms, fits.count());
    let end = kept.checked_sub(1).and_then(|at| atoms.get(at)).map_or(0, |last| last.place.end);
    let whole = text.text.get(..end).unwrap_or_default().trim_end();
    // Markdown ends with a line end.
    let line_end = text.text.ends_with('\n') && !whole.is_empty();
    let end = whole.len();
    text.text.truncate(end);
    text.origins.retain(|origin| origin.place.start < end);
    for origin in &mut text.origins {
        origin.place.end = origin.place.end.min(end);
    }
    if line_end {
        text.text.push('\n');
    }
    true
}

/// Number of leading atoms to keep out of the `fits` that fit. They end with a whole paragraph and without a heading,
/// unless nothing would remain.
fn kept(atoms: &[Atom], fits: usize) -> usize {
    let is_heading = |at: usize| atoms.get(at).is_some_and(|atom| atom.heading.is_some());
    // Sentences of one paragraph have its blocks.
    let is_within = |at: usize| {
        let (before, next) = (at.checked_sub(1).and_then(|before| atoms.get(before)), atoms.get(at));
        before.zip(next).is_some_and(|(one, other)| one.is_divided && other.is_divided && one.blocks == other.blocks)
    };
    let without_headings = |mut end: usize| {
        while end > 0 && is_heading(end - 1) {
            end -= 1;
        }
        end
    };
    let mut whole = fits;
    while is_within(whole) {
        whole -= 1;
    }
    [without_headings(whole), without_headings(fits)].into_iter().find(|end| *end > 0).unwrap_or(fits)
}
