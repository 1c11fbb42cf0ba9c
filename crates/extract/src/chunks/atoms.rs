//! Divides a text into atoms, the parts that a chunk must not cut, and cuts a text at a maximum number of tokens.
//!
//! Links and code within a paragraph of Markdown are not cut, either.

use std::{num::NonZeroU32, ops::Range};

use pulldown_cmark::{Event, Parser, Tag};
use rustc_hash::{FxHashMap, FxHashSet};
use unicode_segmentation::UnicodeSegmentation as _;

use super::{ChunkBlocks, ChunkSize, ChunkUnit};
use crate::render::content::{KeptContent, Segment, is_item};
use crate::render::text::{ITEMS, rich_items};
use crate::render::traced::{Origin, OriginSource, TracedText};
use crate::{chunks::TokenCounter, render::markdown::is_word_item, render::traced};

/// Part of a text that is never divided between chunks.
#[derive(Debug)]
pub(super) struct Atom {
    /// Byte range of the text from the start of this part to the start of the next one.
    pub place: Range<usize>,
    /// Byte range of this part in the text, without signs at its start and end such as `> `.
    pub words: Range<usize>,
    /// Length of this part in words or tokens, the unit of the chunk size.
    pub length: u32,
    /// Level of the heading (1 to 6); `None` if this part of the text is no heading.
    pub heading: Option<usize>,
    /// Index of the part that is the heading of the innermost section around this part; `None` outside of sections.
    pub above: Option<usize>,
    /// Indices of the first and last block that this part comes from; texts of scripts are numbered after the blocks.
    pub blocks: Option<(u32, u32)>,
    /// Byte range in the page that this part comes from: first byte, and one past the last.
    pub bytes: Option<(u32, u32)>,
    /// True if this part is one sentence of a paragraph that is longer than a chunk.
    pub is_divided: bool,
    /// True if this part comes from data in a script instead of a block.
    pub is_embedded: bool,
}

/// Structural unit of a page, such as a paragraph or a table row, to which a part of a text belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Paragraph(u32),
    /// List item of one paragraph, given by the index of its element.
    Item(u32),
    Heading {
        block: u32,
        level: usize,
    },
    Code(u32),
    Row {
        table: u32,
        row: u32,
    },
    /// Image, given by the offset of its first byte in the page.
    Image(u32),
    /// Line of a text from a script, given by the offset of its first byte in the output text.
    Line(usize),
}

/// Part of the output text with a single source in the page.
struct Piece {
    place: Range<usize>,
    unit: Unit,
    blocks: Option<(u32, u32)>,
    bytes: Option<(u32, u32)>,
    /// Number of words of this part of the text; `None` unless the part is the unchanged text of a whole block.
    words: Option<u32>,
}

/// Parameters for dividing long paragraphs into sentences.
struct Division<'a> {
    size: ChunkSize,
    tokens: &'a TokenCounter,
    is_markdown: bool,
}

/// Divides a text into atoms (parts that no chunk divides), in order and without gaps. Paragraphs longer than a chunk
/// are divided into sentences.
pub(super) fn atoms(text: &TracedText, blocks: &ChunkBlocks<'_>, size: ChunkSize, tokens: &TokenCounter) -> Vec<Atom> {
    let pieces = pieces(text, blocks);
    let how = Division { size, tokens, is_markdown: text.is_markdown() };
    let mut atoms = Vec::with_capacity(pieces.len());
    let (mut start, mut first) = (0, 0);
    for (at, pair) in pieces.windows(2).enumerate() {
        let [one, other] = pair else { continue };
        if one.unit == other.unit {
            continue;
        }
        // Where the text cannot be cut, both units become one atom.
        if let Some(cut) = cut(&text.text, one.place.end..other.place.start) {
            let atom_pieces = pieces.get(first..=at).unwrap_or_default();
            add(&mut atoms, &text.text, atom_pieces, start..cut, &how);
            (start, first) = (cut, at + 1);
        }
    }
    let atom_pieces = pieces.get(first..).unwrap_or_default();
    add(&mut atoms, &text.text, atom_pieces, start..text.text.len(), &how);
    nest(&mut atoms);
    atoms
}

fn add(atoms: &mut Vec<Atom>, text: &str, pieces: &[Piece], place: Range<usize>, how: &Division<'_>) {
    let Division { size, tokens, is_markdown } = *how;
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return };
    let merge = |one: Option<(u32, u32)>, other: Option<(u32, u32)>| match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    };
    traced::take(pieces.len());
    let all_blocks = pieces.iter().fold(None, |all, piece| merge(all, piece.blocks));
    let all_bytes = pieces.iter().fold(None, |all, piece| merge(all, piece.bytes));
    let atom = |place: Range<usize>, words: Range<usize>, length: u32, is_divided: bool| Atom {
        place,
        words,
        length,
        heading: match first.unit {
            Unit::Heading { level, .. } => Some(level),
            _ => None,
        },
        above: None,
        blocks: all_blocks,
        bytes: all_bytes,
        is_divided,
        is_embedded: matches!(first.unit, Unit::Line(_)),
    };
    let words = first.place.start..last.place.end;
    let prose = matches!(first.unit, Unit::Paragraph(_) | Unit::Line(_));
    let one_unit = pieces.iter().all(|piece| piece.unit == first.unit);
    let whole = text.get(place.clone()).unwrap_or_default();
    // Most are one block as it stands, whose words are known. Other signs, such as the number of a note, may say some.
    let is_alone = pieces.len() == 1 && whole.trim_matches('\n').len() == first.place.len();
    let known = first.words.filter(|_| is_alone && size.unit == ChunkUnit::Words);
    let length = known.unwrap_or_else(|| size.unit.count(whole, tokens));
    if !prose || !one_unit || length <= size.size.get() {
        atoms.push(atom(place, words, length, false));
        return;
    }
    let mut from = place.start;
    // Unicode's rules for sentences serve all scripts without a model for each language.
    let bounds = whole.split_sentence_bound_indices().skip(1).map(|(at, _)| at);
    // Unicode ends a sentence behind the `?` of an address, too.
    let is_end = |at: &usize| {
        let last = whole.get(..*at).and_then(|before| before.chars().next_back());
        last.is_some_and(|last| last.is_whitespace() || !last.is_ascii())
    };
    let mut marks = if is_markdown { links_and_code(whole) } else { Vec::new() }.into_iter().peekable();
    let bounds = bounds.filter(is_end).filter(|at| {
        while marks.next_if(|mark| mark.end <= *at).is_some() {}
        marks.peek().is_none_or(|mark| mark.start >= *at)
    });
    // Signs before the text (`> `) are no sentence.
    let bounds = bounds.map(|at| place.start + at).filter(|at| *at > words.start);
    for end in bounds.chain([place.end]) {
        let length = size.unit.count(text.get(from..end).unwrap_or_default(), tokens);
        atoms.push(atom(from..end, from..end, length, true));
        from = end;
    }
}

/// Sets for each part of a text the index of the heading of the innermost section around the part.
fn nest(atoms: &mut [Atom]) {
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (at, atom) in atoms.iter_mut().enumerate() {
        if let Some(level) = atom.heading {
            while open.last().is_some_and(|(above, _)| *above >= level) {
                open.pop();
            }
        }
        atom.above = open.last().map(|(_, at)| *at);
        if let Some(level) = atom.heading {
            open.push((level, at));
        }
    }
}

/// Returns the byte at which to cut a text in the gap between two paragraphs or other units: at an empty line,
/// otherwise at a line end. `None` if there is no line end, or if a code fence but no empty line is in the gap.
fn cut(text: &str, gap: Range<usize>) -> Option<usize> {
    let between = text.get(gap.clone())?;
    // What stands between most: nothing but line ends.
    if matches!(between, "\n\n" | "\n") {
        return Some(gap.end);
    }
    let at = match between.as_bytes().windows(2).rposition(|pair| pair == b"\n\n") {
        Some(at) => at + 2,
        // A cut between fence and code would leave both chunks with an open fence.
        None if between.contains("```") || between.contains("~~~") => return None,
        None => between.find('\n')? + 1,
    };
    Some(gap.start + at)
}

fn pieces(text: &TracedText, blocks: &ChunkBlocks<'_>) -> Vec<Piece> {
    let content = blocks.content;
    let units = units(content, text.is_markdown());
    let mut embedded: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for (nth, span) in (0u32..).zip(&blocks.embedded) {
        embedded.entry(*span).or_insert(nth);
    }
    let mut pieces = Vec::with_capacity(text.origins.len());
    for Origin { place, source } in &text.origins {
        let (own, first, last) = match *source {
            OriginSource::Copied { block, .. } => (block, block, block),
            OriginSource::Blocks(first, last) => (first, first, last),
            OriginSource::Row { own, first, last } => (own, first, last),
            OriginSource::Image(start, end) => {
                let (unit, bytes) = (Unit::Image(start), Some((start, end)));
                pieces.push(Piece { place: place.clone(), unit, blocks: None, bytes, words: None });
                continue;
            }
            OriginSource::Page(start, end) => {
                let nth = embedded.get(&(start, end));
                let block = nth.map(|nth| content.page.blocks.len() as u32 + nth);
                let part = text.text.get(place.clone()).unwrap_or_default();
                let mut from = place.start;
                for line in part.split_inclusive('\n') {
                    pieces.push(Piece {
                        place: from..from + line.trim_end_matches('\n').len(),
                        unit: Unit::Line(from),
                        blocks: block.map(|at| (at, at)),
                        bytes: Some((start, end)),
                        words: None,
                    });
                    from += line.len();
                }
                continue;
            }
        };
        let ends = content.block(first).zip(content.block(last));
        let is_copied = matches!(source, OriginSource::Copied { .. });
        let whole = ends.filter(|(block, _)| is_copied && content.page.text(block).len() == place.len());
        pieces.push(Piece {
            place: place.clone(),
            unit: units.get(own as usize).copied().flatten().unwrap_or(Unit::Paragraph(own)),
            blocks: Some((first, last)),
            bytes: ends.map(|(first, last)| (first.span.0, last.span.1)),
            words: whole.map(|(block, _)| block.words),
        });
    }
    pieces
}

/// Returns the unit (such as a table row) of each block of the page; `None` for a block that is a paragraph of its own.
fn units(content: &KeptContent<'_>, is_markdown: bool) -> Vec<Option<Unit>> {
    let mut units = vec![None; content.page.blocks.len()];
    add_units(content, is_markdown, &mut units);
    for definition in content.definitions() {
        add_units(&content.of_definition(definition), is_markdown, &mut units);
    }
    units
}

fn add_units(content: &KeptContent<'_>, is_markdown: bool, units: &mut [Option<Unit>]) {
    let rich = rich_items(content);
    let mut set = |block: u32, unit: Unit| {
        if let Some(known) = units.get_mut(block as usize) {
            *known = Some(unit);
        }
    };
    for segment in &content.segments {
        match segment {
            Segment::Paragraph { block } => {
                // Other blocks are paragraphs of their own.
                let listed = item(content, *block, &rich).or_else(|| {
                    // Plain text has them as paragraphs.
                    let element = content.block(*block)?.element;
                    (is_markdown && is_word_item(content, *block)).then_some(element)
                });
                listed.into_iter().for_each(|item| set(*block, Unit::Item(item)));
            }
            Segment::Heading { level, blocks } => {
                let block = blocks.first().copied().unwrap_or_default();
                let level = *level;
                blocks.iter().for_each(|at| set(*at, Unit::Heading { block, level }));
            }
            Segment::Code { element, blocks } => {
                blocks.iter().for_each(|at| set(*at, Unit::Code(*element)));
            }
            Segment::Table(table) => {
                let row_unit = |row: u32| Unit::Row { table: table.element, row };
                table.captions.iter().for_each(|at| set(*at, row_unit(0)));
                let heads = table.rows.iter().take_while(|row| row.header).count();
                // Markdown has a line below the first row.
                // Row 0 and its header are one atom, so that no chunk ends with a header alone.
                let heads = heads.max(1) as u32;
                for (at, row) in (0u32..).zip(&table.rows) {
                    let blocks = row.cells.iter().flat_map(|cell| &cell.blocks);
                    blocks.for_each(|block| set(*block, row_unit(at.saturating_sub(heads))));
                }
            }
        }
    }
}

/// Returns the innermost list item around a block; `None` if it is in `rich`, the items of several paragraphs.
fn item(content: &KeptContent<'_>, block: u32, rich: &FxHashSet<u32>) -> Option<u32> {
    let block = content.block(block)?;
    // Most stand in none, and no path is climbed for them.
    if !content.page.kinds_around(block).intersects(ITEMS) {
        return None;
    }
    let mut path = content.page.path(block.element);
    let (at, _) = path.find(|(_, element)| is_item(element.tag))?;
    (!rich.contains(&at)).then_some(at)
}

/// Returns the byte ranges of links, images and inline code in a Markdown text, in order.
pub(super) fn links_and_code(markdown: &str) -> Vec<Range<usize>> {
    traced::take(markdown.len());
    // The indent of a list's paragraph would make it code.
    let text = markdown.trim_start();
    let indent = markdown.len() - text.len();
    let is_whole =
        |event: &Event<'_>| matches!(event, Event::Start(Tag::Link { .. } | Tag::Image { .. }) | Event::Code(_));
    let found = Parser::new(text).into_offset_iter().filter(|(event, _)| is_whole(event));
    found.map(|(_, range)| range.start + indent..range.end + indent).collect()
}

/// Cuts a text to at most `most` tokens and returns whether anything was left out. The text ends after a paragraph,
/// table row, list item or code, and not with a heading. If the first paragraph is too long, the text ends after a
/// sentence; if the first sentence or code is too long, the text becomes empty.
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

/// Returns how many of the first `fits` parts of a text to keep so that it ends with a whole paragraph, not a heading.
/// A cut paragraph, or even a heading at the end, is preferred to an empty text.
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

#[cfg(test)]
mod tests {
    use super::links_and_code;

    #[test]
    fn links_and_code_are_found() {
        let found = |markdown: &'static str| -> Vec<&'static str> {
            links_and_code(markdown).into_iter().map(|range| &markdown[range]).collect()
        };
        assert_eq!(found("a [b](c?d) e `f. g` h"), ["[b](c?d)", "`f. g`"]);
        assert_eq!(found("[![a](b)](c) [x `y` z](w\\)v)"), ["[![a](b)](c)", "![a](b)", "[x `y` z](w\\)v)", "`y`"]);
        assert_eq!(found("``a`b`` \\`c\\` \\[d\\](e) `f"), ["``a`b``"]);
        assert_eq!(found("[a] [b (c) ](d"), Vec::<&str>::new());
    }
}
