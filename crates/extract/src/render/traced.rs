//! Text that records which blocks of the page its parts came from, and a counter of the steps of writing it.
//!
//! Steps are bytes, runs, elements and blocks that are looked at. With any settings, they are proportional to the
//! page. Should a page ask for many more, its marks, links and images are left out.

use std::{cell::Cell, ops::Range};

use serde::{Deserialize, Serialize};
use trommel_html::{Page, source_ranges};

trommel_text::keyed! {
    /// Part of a document's text with its place in the decoded page (in UTF-8). JSON has the part as a list of its four
    /// numbers.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(from = "[u32; 4]", into = "[u32; 4]")]
    pub struct TextSpan {
        /// First character of the part, counted in Unicode scalar values from the start of the text.
        pub start: u32,
        /// Number of characters of the part.
        pub chars: u32,
        /// Offset in the decoded page of the first byte that the part came from.
        pub byte: u32,
        /// Number of bytes of the decoded page that the part came from.
        pub bytes: u32,
    }
}

impl From<[u32; 4]> for TextSpan {
    fn from([start, chars, byte, bytes]: [u32; 4]) -> Self {
        Self { start, chars, byte, bytes }
    }
}

impl From<TextSpan> for [u32; 4] {
    fn from(span: TextSpan) -> Self {
        [span.start, span.chars, span.byte, span.bytes]
    }
}

/// Text that records for each of its parts the block or place of the page that the part came from.
#[derive(Clone, Debug, Default)]
pub(crate) struct TracedText {
    pub text: String,
    /// Origin in the page of each part of the text, in the order of the text.
    pub origins: Vec<Origin>,
}

/// Part of a text, with its source in the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Byte range of the part in the text.
    pub place: Range<usize>,
    pub source: OriginSource,
}

/// Source in the page of a part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OriginSource {
    /// Byte range `from..to` of a block's text: copied, or replaced by other text if the lengths differ.
    Copied { block: u32, from: usize, to: usize },
    /// Indices of the first and the last of several blocks.
    Blocks(u32, u32),
    /// Table row: its own first block, and the first and last block if cells above that span into the row by `rowspan`
    /// count, too.
    Row { own: u32, first: u32, last: u32 },
    /// Byte range of the page: first byte, and one past the last.
    Page(u32, u32),
    /// Byte range of the page with an image, which belongs to the blocks around the image.
    Image(u32, u32),
}

impl TracedText {
    /// Creates a traced text whose parts have no known origin.
    pub fn untraced(text: String) -> Self {
        let origins = Vec::new();
        Self { text, origins }
    }

    /// Returns whether the text is Markdown: none of its parts is the copied text of a block, as in plain text.
    pub fn is_markdown(&self) -> bool {
        !self.origins.iter().any(|origin| matches!(origin.source, OriginSource::Copied { .. }))
    }

    pub fn push(&mut self, text: &str, source: OriginSource) {
        let from = self.text.len();
        self.text.push_str(text);
        if !text.is_empty() {
            self.origins.push(Origin { place: from..self.text.len(), source });
        }
    }

    /// Returns for each byte range of the text the byte range of the decoded page that covers all places it came from.
    /// The given ranges are in order and do not overlap. Each block is read once for all ranges.
    pub fn covering_places(
        &self,
        page: &Page,
        html: &str,
        ranges: impl Iterator<Item = Range<usize>>,
    ) -> Vec<Option<(u32, u32)>> {
        let (mut parts, mut numbers, mut count) = (Vec::new(), Vec::new(), 0);
        let mut next = 0;
        for range in ranges {
            while self.origins.get(next).is_some_and(|origin| origin.place.end <= range.start) {
                next += 1;
            }
            let origins = self.origins.get(next..).unwrap_or_default().iter();
            for origin in origins.take_while(|origin| origin.place.start < range.end) {
                let (from, to) = (range.start.max(origin.place.start), range.end.min(origin.place.end));
                // White space alone stands nowhere.
                if self.text.get(from..to).is_some_and(|said| !said.trim().is_empty()) {
                    parts.push((origin.source, origin.part(&range)));
                    numbers.push(count);
                }
            }
            count += 1;
        }
        let mut covering: Vec<Option<(u32, u32)>> = vec![None; count];
        for (number, place) in numbers.into_iter().zip(places(page, html, parts.into_iter())) {
            let known = covering.get_mut(number);
            if let (Some(known), Some((start, end))) = (known, place) {
                *known = Some(known.map_or((start, end), |(first, last)| (first.min(start), last.max(end))));
            }
        }
        covering
    }

    /// Returns every part of the text with its place in the decoded page, in the order of the text. Neighbours with the
    /// same place are joined.
    pub fn spans(&self, page: &Page, html: &str) -> Vec<TextSpan> {
        let whole = self.origins.iter().map(|origin| (origin.source, origin.part(&origin.place)));
        let places = places(page, html, whole);
        let count = |range: Range<usize>| {
            let part = self.text.get(range).unwrap_or_default();
            part.chars().count() as u32
        };
        let (mut chars, mut at) = (0, 0);
        let mut spans: Vec<TextSpan> = Vec::with_capacity(places.len());
        for (origin, place) in self.origins.iter().zip(places) {
            let start = chars + count(at..origin.place.start);
            chars = start + count(origin.place.clone());
            at = origin.place.end;
            let Some((byte, end)) = place else { continue };
            let bytes = end.saturating_sub(byte);
            match spans.last_mut() {
                Some(last) if (last.byte, last.bytes) == (byte, bytes) => {
                    last.chars = chars - last.start;
                }
                _ => spans.push(TextSpan { start, chars: chars - start, byte, bytes }),
            }
        }
        spans
    }
}

impl Origin {
    /// Returns the byte range of the block's text that a range of the output text came from; (0, 0) for other sources.
    fn part(&self, range: &Range<usize>) -> (usize, usize) {
        let OriginSource::Copied { from, to, .. } = self.source else { return (0, 0) };
        if to - from != self.place.len() {
            return (from, to);
        }
        let at = |place: usize| from + place.clamp(self.place.start, self.place.end) - self.place.start;
        (at(range.start), at(range.end))
    }
}

/// Returns the byte range of the page for each part of a text, in order. A block is read again once for all parts of it
/// that follow each other.
fn places(
    page: &Page,
    html: &str,
    parts: impl Iterator<Item = (OriginSource, (usize, usize))>,
) -> Vec<Option<(u32, u32)>> {
    let mut found = Vec::new();
    let mut copied: Vec<(usize, usize)> = Vec::new();
    let mut of: Option<u32> = None;
    let read = |of: Option<u32>, parts: &mut Vec<(usize, usize)>, found: &mut Vec<_>| {
        let block = of.and_then(|at| page.blocks.get(at as usize));
        match block {
            Some(block) => {
                take((block.span.1 - block.span.0) as usize + parts.len());
                let ranges = source_ranges(html, block.span, page.text(block), parts);
                found.extend(ranges.into_iter().map(Some));
            }
            None => found.extend(parts.iter().map(|_| None)),
        }
        parts.clear();
    };
    for (source, part) in parts {
        if let OriginSource::Copied { block, .. } = source {
            let follows = copied.last().is_none_or(|last| last.1 <= part.0);
            if of != Some(block) || !follows {
                read(of, &mut copied, &mut found);
                of = Some(block);
            }
            copied.push(part);
            continue;
        }
        read(of.take(), &mut copied, &mut found);
        found.push(match source {
            OriginSource::Blocks(first, last) | OriginSource::Row { first, last, .. } => {
                let ends = page.blocks.get(first as usize).zip(page.blocks.get(last as usize));
                ends.map(|(first, last)| (first.span.0, last.span.1))
            }
            OriginSource::Page(start, end) | OriginSource::Image(start, end) => Some((start, end)),
            OriginSource::Copied { .. } => None,
        });
    }
    read(of, &mut copied, &mut found);
    found
}

/// Maximum number of steps in writing a document; after as many, marks, links and images are left out.
// Far above those of real pages: a page of 10 MB takes less than half.
const MAX_STEPS: u64 = 1 << 28;

thread_local! {
    /// Number of steps taken for the document that this thread writes.
    // Beside what is written, and not handed through it: each of a dozen writers would have to carry it.
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

/// Resets the count of writing steps at the start of a document.
pub(crate) fn begin() {
    TAKEN.set(0);
}

/// Adds `steps` to the writing steps of the current document. Returns false once the total exceeds the limit.
pub(crate) fn take(steps: usize) -> bool {
    let all = TAKEN.get().saturating_add(steps as u64);
    TAKEN.set(all);
    all <= MAX_STEPS
}

/// Returns whether the current document took more writing steps than the limit allows.
pub(crate) fn are_too_many() -> bool {
    TAKEN.get() > MAX_STEPS
}

/// Returns the number of writing steps that the current document took.
#[cfg(test)]
pub(crate) fn taken() -> u64 {
    TAKEN.get()
}

/// Uses up all writing steps of the current document, so that the next step exceeds the limit.
#[cfg(test)]
pub(crate) fn exhaust() {
    TAKEN.set(MAX_STEPS);
}
