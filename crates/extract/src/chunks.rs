//! Divides the text of a document into chunks for retrieval.
//!
//! A chunk never cuts code, a table row, a list item or a sentence. One of these stays whole even if it is
//! longer than a chunk may be. Header rows stay with the first row below them, and headings with the text
//! that follows them.

mod atoms;
mod inline_marks;
mod limit;
mod size;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use trommel_html::fold_space;
use twox_hash::XxHash3_128;

use crate::render::content::KeptContent;
use crate::render::traced::TracedText;
use crate::role::Role;
use crate::tokens::TokenCounter;
use atoms::{Atom, atoms};
pub(crate) use limit::limit;
pub use size::{ChunkSize, ChunkSizeError, ChunkUnit};

/// A part of a document's text, for retrieval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chunk {
    /// XXH3 of headings and text (128 bits, in hexadecimal digits): the same content has the same id wherever it stands.
    pub id: String,
    /// Its text, a part of the document's.
    pub text: String,
    /// Headings above it, outermost first.
    pub headings: Vec<String>,
    /// Roles of its blocks, each once, in their order.
    pub roles: Vec<String>,
    /// Its first block, as an index into all blocks of the page.
    pub first_block: u32,
    /// Its last block.
    pub last_block: u32,
    /// Its first character, counted from the start of the document's text in Unicode scalar values.
    pub start: u32,
    /// Number of its characters.
    pub chars: u32,
    /// First byte of the place in the decoded page that its text came from.
    pub byte: u32,
    /// Bytes of that place.
    pub bytes: u32,
}

/// Facts about the blocks from which chunks are made.
pub(crate) struct ChunkBlocks<'a> {
    /// The kept blocks.
    pub content: &'a KeptContent<'a>,
    /// The role of each block of the page.
    pub roles: Vec<Option<Role>>,
    /// Places of the texts in scripts, which follow the page's own blocks.
    pub embedded: Vec<(u32, u32)>,
}

/// Divides a text.
pub(crate) fn chunks(
    text: &TracedText,
    blocks: &ChunkBlocks<'_>,
    size: ChunkSize,
    tokens: &TokenCounter,
) -> Vec<Chunk> {
    let atoms = atoms(text, blocks, size, tokens);
    let (mut counted, mut chars) = (0, 0);
    let mut hashed = String::new();
    let mut chunks = Vec::new();
    for range in pack(&atoms, size) {
        let (Some(chunk_atoms), Some(first)) = (atoms.get(range.clone()), atoms.get(range.start)) else { continue };
        let end = chunk_atoms.last().map_or(first.place.end, |last| last.place.end);
        let whole = text.text.get(first.place.start..end).unwrap_or_default();
        // Only line ends: the indent of a code line belongs to it.
        let part = whole.trim_start_matches('\n');
        let from = first.place.start + (whole.len() - part.len());
        let part = part.trim_end();
        if part.is_empty() {
            continue;
        }
        let count = |range: std::ops::Range<usize>| text.text.get(range).unwrap_or_default().chars().count() as u32;
        // Counted on from the end of the chunk before, so that each character is counted once, or back over what a chunk
        // repeats.
        let start = if from < counted { chars - count(from..counted) } else { chars + count(counted..from) };
        counted = from + part.len();
        let length = count(from..counted);
        chars = start + length;
        let headings = headings(text, &atoms, range);
        let (first_block, last_block) = covering_range(chunk_atoms.iter().filter_map(|atom| atom.blocks));
        // A sentence has no place of its own, so its bytes are searched for; all others are known.
        let (byte, end) = match chunk_atoms.iter().any(|atom| atom.is_divided) {
            true => {
                let content = blocks.content;
                let places = text.locate(content.page, content.html, from..from + part.len());
                covering_range(places.into_iter())
            }
            false => covering_range(chunk_atoms.iter().filter_map(|atom| atom.bytes)),
        };
        chunks.push(Chunk {
            id: id(&headings, part, &mut hashed),
            text: part.to_owned(),
            headings,
            roles: roles(blocks, chunk_atoms),
            first_block,
            last_block,
            start,
            chars: length,
            byte,
            bytes: end.saturating_sub(byte),
        });
    }
    chunks
}

/// The atoms of each chunk: as many as fit, with no heading at the end. A heading starts a new chunk if the
/// current one is half full.
fn pack(atoms: &[Atom], size: ChunkSize) -> Vec<std::ops::Range<usize>> {
    let limit = u64::from(size.size.get());
    let sum = |range: std::ops::Range<usize>| -> u64 {
        let atoms = atoms.get(range).unwrap_or_default();
        atoms.iter().map(|atom| u64::from(atom.length)).sum()
    };
    let is_heading = |at: usize| atoms.get(at).is_some_and(|atom| atom.heading.is_some());
    let (mut from, mut filled) = (0, 0);
    let mut packed = Vec::new();
    for at in 0..atoms.len() {
        let length = sum(at..at + 1);
        // A new section begins a new chunk, unless that would leave one less than half full.
        let ends_section = is_heading(at) && filled * 2 >= limit;
        // Texts of scripts stand elsewhere on the page than the text before them.
        let is_elsewhere = |at: usize| atoms.get(at).is_some_and(|atom| atom.is_embedded);
        let ends_page = at > from && is_elsewhere(at) != is_elsewhere(at - 1);
        if filled + length > limit || ends_section || ends_page {
            let mut end = at;
            // A heading alone at the end of a chunk would be parted from what it heads.
            while !ends_page && end > from && is_heading(end - 1) {
                end -= 1;
            }
            if end > from {
                packed.push(from..end);
                let mut next = end;
                while !ends_page && next > from + 1 && sum(next - 1..end) <= u64::from(size.overlap) {
                    next -= 1;
                }
                // The overlap gives way: a chunk may not be longer than asked because of what it repeats.
                while next < end && sum(next..at + 1) > limit {
                    next += 1;
                }
                from = next;
                filled = sum(from..at);
            }
        }
        filled += length;
    }
    if from < atoms.len() {
        packed.push(from..atoms.len());
    }
    packed
}

/// The headings above the first atom of a range that is none, or down to its last heading.
fn headings(text: &TracedText, atoms: &[Atom], range: std::ops::Range<usize>) -> Vec<String> {
    let body = range.clone().find(|at| atoms.get(*at).is_some_and(|atom| atom.heading.is_none()));
    let mut above = match body {
        Some(at) => atoms.get(at).and_then(|atom| atom.above),
        None => range.last(),
    };
    let mut path = Vec::new();
    while let Some(atom) = above.and_then(|at| atoms.get(at)) {
        let words = text.text.get(atom.words.clone()).unwrap_or_default();
        path.push(fold_space(words));
        above = atom.above;
    }
    path.reverse();
    path
}

fn roles(blocks: &ChunkBlocks<'_>, atoms: &[Atom]) -> Vec<String> {
    let mut found: Vec<&str> = Vec::new();
    for at in atoms.iter().filter_map(|atom| atom.blocks).flat_map(|(first, last)| first..=last) {
        if let Some(role) = blocks.roles.get(at as usize).copied().flatten()
            && !found.contains(&role.name())
        {
            found.push(role.name());
        }
    }
    found.into_iter().map(str::to_owned).collect()
}

fn covering_range(ranges: impl Iterator<Item = (u32, u32)>) -> (u32, u32) {
    let both = ranges.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    both.unwrap_or_default()
}

// 128 bits: no two of any number of chunks collide by chance. A SHA-256 would take a tenth of a run's instructions on
// processors that have none for it.
fn id(headings: &[String], text: &str, content: &mut String) -> String {
    content.clear();
    for (at, heading) in headings.iter().enumerate() {
        // Line ends keep headings apart: "a b" + "c" must differ from "a" + "b c".
        content.push_str(if at > 0 { "\n" } else { "" });
        content.push_str(heading);
    }
    content.push_str("\n\n");
    content.push_str(text);
    format!("{:032x}", XxHash3_128::oneshot(content.as_bytes()))
}
