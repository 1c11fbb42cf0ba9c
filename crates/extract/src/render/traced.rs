//! Text that knows which blocks it came from.

use std::ops::Range;

use trommel_html::{Page, source_range};

/// A text with the blocks that its parts came from.
#[derive(Clone, Debug, Default)]
pub(crate) struct TracedText {
    pub text: String,
    /// In the order of the text.
    pub origins: Vec<Origin>,
}

/// Where a part of a text came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Bytes of the text.
    pub place: Range<usize>,
    pub source: OriginSource,
}

/// What a part of a text was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OriginSource {
    /// The text of a block from this byte on, as it stands.
    Copied { block: u32, from: usize },
    /// These blocks, the first and the last.
    Blocks(u32, u32),
    /// Bytes of the page.
    Page(u32, u32),
}

impl TracedText {
    pub fn push(&mut self, text: &str, source: OriginSource) {
        let from = self.text.len();
        self.text.push_str(text);
        if !text.is_empty() {
            self.origins.push(Origin {
                place: from..self.text.len(),
                source,
            });
        }
    }

    /// Places in the decoded page, in order and apart, from which a range of bytes of the text came.
    pub fn locate(&self, page: &Page, html: &str, range: Range<usize>) -> Vec<(u32, u32)> {
        let first = self
            .origins
            .partition_point(|own| own.place.end <= range.start);
        let mut found: Vec<(u32, u32)> = Vec::new();
        let origins = self.origins.iter().skip(first);
        for own in origins.take_while(|own| own.place.start < range.end) {
            let from = range.start.max(own.place.start) - own.place.start;
            let to = range.end.min(own.place.end) - own.place.start;
            found.extend(own.source.place(page, html, from..to));
        }
        found.sort_unstable();
        let mut apart: Vec<(u32, u32)> = Vec::with_capacity(found.len());
        for (start, end) in found {
            match apart.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => apart.push((start, end)),
            }
        }
        apart
    }
}

impl OriginSource {
    fn place(self, page: &Page, html: &str, part: Range<usize>) -> Option<(u32, u32)> {
        match self {
            OriginSource::Copied { block, from } => {
                let block = page.blocks.get(block as usize)?;
                let part = (from + part.start, from + part.end);
                Some(source_range(html, block.span, page.text(block), part))
            }
            OriginSource::Blocks(first, last) => {
                let first = page.blocks.get(first as usize)?;
                let last = page.blocks.get(last as usize)?;
                Some((first.span.0, last.span.1))
            }
            OriginSource::Page(start, end) => Some((start, end)),
        }
    }
}
