//! Divides the cells of tables into texts and code, and writes them in one line.

use trommel_html::{ElementKinds, NONE};

use super::content::KeptContent;
use super::traced::{OriginSource, TracedText};

/// A part of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellPart<'b> {
    Block(u32),
    /// The blocks of code in an element.
    Code(u32, &'b [u32]),
}

impl KeptContent<'_> {
    /// The parts of a cell: its blocks, and those of code in several lines together.
    pub fn cell_parts<'b>(&self, blocks: &'b [u32]) -> Vec<CellPart<'b>> {
        let page = self.page;
        let code = |at: &u32| {
            let block = self.block(*at).filter(|block| page.kinds_around(block).contains(ElementKinds::CODE))?;
            page.path(block.element).filter(|(_, element)| element.tag.keeps_space()).map(|(at, _)| at).last()
        };
        let mut parts = Vec::with_capacity(blocks.len());
        for group in blocks.chunk_by(|one, next| code(one).is_some_and(|one| code(next) == Some(one))) {
            let first = group.first();
            let is_one_line = matches!(group, [only] if !self.text(*only).contains('\n'));
            match first.and_then(code).filter(|_| !is_one_line) {
                Some(element) => parts.push(CellPart::Code(element, group)),
                None => parts.extend(group.iter().map(|at| CellPart::Block(*at))),
            }
        }
        parts
    }

    /// Writes the blocks of a cell in one line, as plain text says them.
    pub fn write_cell(&self, blocks: &[u32], out: &mut TracedText) {
        for (at, part) in self.cell_parts(blocks).into_iter().enumerate() {
            if at > 0 {
                out.text.push(' ');
            }
            match part {
                // As long as before: places stay right.
                CellPart::Block(block) => {
                    self.write_plain(block, out, |text| text.replace(['\n', '\t'], " ").into());
                }
                CellPart::Code(element, blocks) => {
                    let source = blocks.first().zip(blocks.last());
                    let (first, last) = source.map_or((NONE, NONE), |(first, last)| (*first, *last));
                    let code = self.code(element, blocks);
                    let lines: Vec<&str> = code.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
                    out.push(&lines.join(" ").replace('\t', " "), OriginSource::Blocks(first, last));
                }
            }
        }
    }
}
