//! Divides the text of a document into chunks for retrieval.
//!
//! A chunk never cuts code, a table row, a list item or a sentence. One of these stays whole even if it is
//! longer than a chunk may be. Header rows stay with the first row below them, and headings with the text
//! that follows them.
//!
//! Reads the size of chunks, such as `words=400,overlap=50`, and counts the tokens of texts.
//!
//! Tokens are counted with a tokenizer or by an estimate.

mod atoms;
#[cfg(test)]
mod tests;

use std::{fmt, num::NonZeroU32, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};
use trommel_html::fold_space;
use twox_hash::XxHash3_128;

use crate::render::{content::KeptContent, markdown::title_heading, traced, traced::TracedText};
use crate::role::Role;
use atoms::{Atom, atoms};

pub(crate) use atoms::limit;

/// Maximum bytes of headings and overlaps that chunks may repeat: a factor of the bytes of the text, plus a constant.
// Chunks of a word below a long heading would else hold a thousand times the page.
const MAX_REPEATED: (usize, usize) = (4, 1 << 16);

trommel_text::keyed! {
    /// A part of a document's text for retrieval, with the headings above it.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Chunk {
        /// 128-bit hash (`xxh3`) of headings and text, hexadecimal; equal content has an equal id.
        pub id: String as Word,
        /// The text of the chunk.
        pub text: String,
        /// Headings above the chunk without `#`, outermost first; first the page's headline or title, if no heading of
        /// the first level stands above it.
        pub headings: Vec<String>,
        /// Roles of the chunk's blocks.
        pub roles: Vec<String>,
        /// Index of the chunk's first block among all blocks of the page.
        pub first_block: u32,
        /// Index of the chunk's last block.
        pub last_block: u32,
        /// Index of the chunk's first character in `text`.
        pub start: u32,
        /// Number of characters of the chunk.
        pub chars: u32,
        /// First byte of the chunk in the decoded page.
        pub byte: u32,
        /// Number of bytes of the chunk.
        pub bytes: u32,
    }
}

/// Facts about the blocks of a text that are needed to divide the text into chunks.
pub(crate) struct ChunkBlocks<'a> {
    /// Kept blocks of the page.
    pub content: &'a KeptContent<'a>,
    /// Headline of the page, or its title if the page has no headline.
    pub title: Option<&'a str>,
    /// Role of each block of the page; `None` if the role is unknown.
    pub roles: Vec<Option<Role>>,
    /// Byte range in the page of each text taken from a script; such texts are numbered after the page's blocks.
    pub embedded: Vec<(u32, u32)>,
}

/// Divides a text into chunks. Also returns whether headings or overlaps were left out, because they would have been
/// much longer than the text.
pub(crate) fn chunks(
    text: &TracedText,
    blocks: &ChunkBlocks<'_>,
    size: ChunkSize,
    tokens: &TokenCounter,
) -> (Vec<Chunk>, bool) {
    let mut atoms = atoms(text, blocks, size, tokens);
    place_divided(text, blocks, &mut atoms);
    let (mut counted, mut chars) = (0, 0);
    let mut hashed = String::new();
    let mut chunks = Vec::new();
    let mut room = text.text.len().saturating_mul(MAX_REPEATED.0) + MAX_REPEATED.1;
    let (ranges, mut is_capped) = pack(&atoms, size, &mut room);
    let title = blocks.title.map(|title| match text.is_markdown() {
        true => without_level(title_heading(title).trim_end()).to_owned(),
        false => fold_space(title),
    });
    let has_one_first = atoms.iter().filter(|atom| atom.heading == Some(1)).count() == 1;
    for range in ranges {
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
        traced::take(part.len());
        counted = from + part.len();
        let length = count(from..counted);
        chars = start + length;
        let mut headings = headings(text, &atoms, range, title.as_deref(), has_one_first);
        match room.checked_sub(headings.iter().map(String::len).sum()) {
            Some(left) => room = left,
            None => {
                headings.clear();
                is_capped = true;
            }
        }
        let (first_block, last_block) = covering_range(chunk_atoms.iter().filter_map(|atom| atom.blocks));
        let (byte, end) = covering_range(chunk_atoms.iter().filter_map(|atom| atom.bytes));
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
    (chunks, is_capped)
}

/// Sets the byte range in the page of each atom (part that no chunk divides) that is one sentence of a long paragraph.
fn place_divided(text: &TracedText, blocks: &ChunkBlocks<'_>, atoms: &mut [Atom]) {
    let ranges = atoms.iter().filter(|atom| atom.is_divided).map(|atom| atom.place.clone());
    let places = text.covering_places(blocks.content.page, blocks.content.html, ranges);
    for (atom, place) in atoms.iter_mut().filter(|atom| atom.is_divided).zip(places) {
        atom.bytes = place;
    }
}

/// Groups atoms (parts that no chunk divides) into chunks, each a range of atom indices. Returns the chunks, and
/// whether an overlap was left out because only `room` bytes may be repeated. No chunk ends with a heading, and a
/// heading starts a new chunk if the current one is half full.
fn pack(atoms: &[Atom], size: ChunkSize, room: &mut usize) -> (Vec<std::ops::Range<usize>>, bool) {
    let limit = u64::from(size.size.get());
    // Of all atoms before each: so a sum takes one step.
    let sums = atoms.iter().scan(0, |all, atom| {
        *all += u64::from(atom.length);
        Some(*all)
    });
    let sums: Vec<u64> = std::iter::once(0).chain(sums).collect();
    let before = |at: usize| sums.get(at).copied().unwrap_or_default();
    let sum = |range: std::ops::Range<usize>| before(range.end) - before(range.start);
    let is_heading = |at: usize| atoms.get(at).is_some_and(|atom| atom.heading.is_some());
    let start = |at: usize| atoms.get(at).map_or(0, |atom| atom.place.start);
    // The first atom of the current chunk, and the first that no chunk has.
    let (mut from, mut done) = (0, 0);
    let mut packed = Vec::new();
    let mut is_capped = false;
    for at in 0..atoms.len() {
        traced::take(1);
        // A new section begins a new chunk, unless that would leave one less than half full.
        let ends_section = is_heading(at) && at > done && sum(from..at) * 2 >= limit;
        // Texts of scripts stand elsewhere on the page than the text before them.
        let is_elsewhere = |at: usize| atoms.get(at).is_some_and(|atom| atom.is_embedded);
        let ends_page = at > from && is_elsewhere(at) != is_elsewhere(at - 1);
        if !(sum(from..at + 1) > limit || ends_section || ends_page) {
            continue;
        }
        let mut end = at;
        // A heading alone at the end of a chunk would be parted from what it heads.
        while !ends_page && end > done && is_heading(end - 1) {
            end -= 1;
        }
        if end > done {
            packed.push(from..end);
            let mut next = end;
            while !ends_page && next > from + 1 && sum(next - 1..end) <= u64::from(size.overlap) {
                next -= 1;
                traced::take(1);
            }
            (from, done) = (next, end);
        }
        // The overlap gives way: a chunk may not be longer than asked because of what it repeats.
        while from < done && sum(from..at + 1) > limit {
            from += 1;
            traced::take(1);
        }
        match room.checked_sub(start(done) - start(from)) {
            Some(left) => *room = left,
            None => {
                is_capped = true;
                from = done;
            }
        }
    }
    if from < atoms.len() {
        packed.push(from..atoms.len());
    }
    (packed, is_capped)
}

/// Returns the headings above the first paragraph or other text of a chunk, outermost first. A chunk of headings alone
/// gives its last heading and those above it. The title comes first, unless a heading takes its place.
fn headings(
    text: &TracedText,
    atoms: &[Atom],
    range: std::ops::Range<usize>,
    title: Option<&str>,
    has_one_first: bool,
) -> Vec<String> {
    let body = range.clone().find(|at| atoms.get(*at).is_some_and(|atom| atom.heading.is_none()));
    let mut above = match body {
        Some(at) => atoms.get(at).and_then(|atom| atom.above),
        None => range.last(),
    };
    let mut path = Vec::new();
    let mut has_first = false;
    while let Some(atom) = above.and_then(|at| atoms.get(at)) {
        let words = text.text.get(atom.words.clone()).unwrap_or_default();
        path.push(without_level(&fold_space(words)).to_owned());
        has_first |= atom.heading == Some(1);
        above = atom.above;
    }
    let is_title = |title: &str| path.iter().any(|heading: &String| heading == title);
    let is_said = has_first && has_one_first || title.is_some_and(is_title);
    if let Some(title) = title.filter(|_| !is_said) {
        path.push(title.to_owned());
    }
    path.reverse();
    path
}

/// Returns a Markdown heading without the `#` signs of its level.
fn without_level(heading: &str) -> &str {
    let words = heading.trim_start_matches('#');
    match (heading.len() - words.len(), words.strip_prefix(' ')) {
        (1..=6, Some(words)) => words,
        _ => heading,
    }
}

fn roles(blocks: &ChunkBlocks<'_>, atoms: &[Atom]) -> Vec<String> {
    let mut found: Vec<&str> = Vec::new();
    for at in atoms.iter().filter_map(|atom| atom.blocks).flat_map(|(first, last)| first..=last) {
        traced::take(1);
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

/// Size of chunks, written as `words=400` or `tokens=512,overlap=64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ChunkSize {
    /// Unit in which `size` and `overlap` are counted.
    pub unit: ChunkUnit,
    /// Maximum number of units in a chunk.
    pub size: NonZeroU32,
    /// Maximum number of units that a chunk repeats from the end of the previous chunk; at most half of `size`.
    pub overlap: u32,
}

/// Unit in which the size of a chunk is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkUnit {
    /// Words; characters in scripts that do not divide words by spaces.
    Words,
    /// Tokens, as a [`TokenCounter`] counts them.
    Tokens,
}

/// Reason why a text does not describe a size of chunks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkSizeError {
    /// Text in another form than `words=400` or `tokens=512,overlap=64`.
    #[error("{0:?} is not a size of chunks, which is written like words=400 or tokens=512,overlap=64")]
    Form(String),
    /// Overlap (first number) that is more than half of the chunk size (second number).
    #[error("overlap={0} is more than half of the size of chunks, {1}")]
    Overlap(u32, u32),
}

impl ChunkUnit {
    /// Returns the number of words or of tokens in a text; `tokens` counts the tokens.
    pub fn count(self, text: &str, tokens: &TokenCounter) -> u32 {
        match self {
            Self::Words => trommel_text::words::count(text),
            Self::Tokens => tokens.count(text),
        }
    }
}

impl FromStr for ChunkSize {
    type Err = ChunkSizeError;

    fn from_str(text: &str) -> Result<Self, ChunkSizeError> {
        let wrong = || ChunkSizeError::Form(text.to_owned());
        let mut parts =
            text.split(',').map(|part| part.split_once('=').map(|(name, count)| (name.trim(), count.trim())));
        let (unit, size) = parts.next().flatten().ok_or_else(wrong)?;
        let unit = match unit {
            "words" => ChunkUnit::Words,
            "tokens" => ChunkUnit::Tokens,
            _ => return Err(wrong()),
        };
        let size: NonZeroU32 = size.parse().map_err(|_| wrong())?;
        let overlap = match parts.next() {
            None => 0,
            Some(Some(("overlap", count))) => count.parse().map_err(|_| wrong())?,
            Some(_) => return Err(wrong()),
        };
        if parts.next().is_some() {
            return Err(wrong());
        }
        // Chunks that repeat nearly all of the ones before are many times as long as their text.
        if overlap > size.get() / 2 {
            return Err(ChunkSizeError::Overlap(overlap, size.get()));
        }
        Ok(Self { unit, size, overlap })
    }
}

impl fmt::Display for ChunkSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            ChunkUnit::Words => "words",
            ChunkUnit::Tokens => "tokens",
        };
        write!(f, "{unit}={}", self.size)?;
        match self.overlap {
            0 => Ok(()),
            overlap => write!(f, ",overlap={overlap}"),
        }
    }
}

impl TryFrom<String> for ChunkSize {
    type Error = ChunkSizeError;

    fn try_from(text: String) -> Result<Self, ChunkSizeError> {
        text.parse()
    }
}

impl From<ChunkSize> for String {
    fn from(size: ChunkSize) -> Self {
        size.to_string()
    }
}

/// Number of UTF-8 bytes counted as one token: the average of language models' tokenizers on English prose.
const BYTES_A_TOKEN: usize = 4;

type Count = dyn Fn(&str) -> u32 + Send + Sync;

/// Counter of the tokens of a text: a tokenizer, or by default an estimate of one token for four bytes of UTF-8.
#[derive(Clone, Default)]
pub struct TokenCounter(Option<Arc<Count>>);

impl TokenCounter {
    /// Creates a counter from a function that returns the number of tokens of a text.
    pub fn new(count: impl Fn(&str) -> u32 + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(count)))
    }

    /// Returns the number of tokens in a text.
    pub fn count(&self, text: &str) -> u32 {
        match &self.0 {
            Some(count) => count(text),
            None => text.len().div_ceil(BYTES_A_TOKEN).try_into().unwrap_or(u32::MAX),
        }
    }
}

impl PartialEq for TokenCounter {
    /// Returns whether both counters use the estimate, or share one tokenizer.
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for TokenCounter {}

impl fmt::Debug for TokenCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "TokenCounter(tokenizer)" } else { "TokenCounter(estimate)" })
    }
}

#[cfg(test)]
mod size_tests {
    use super::TokenCounter;

    #[test]
    fn tokens_are_estimated_without_a_tokenizer() {
        assert_eq!(
            ["", "a", "abcd", "abcde", "\u{f6}\u{f6}\u{f6}"].map(|text| TokenCounter::default().count(text)),
            [0, 1, 1, 2, 2]
        );
        let words = TokenCounter::new(|text| text.split_whitespace().count() as u32);
        assert_eq!(words.count("a long sentence"), 3);
        assert_eq!((words == words.clone(), words == TokenCounter::default()), (true, false));
    }
}
