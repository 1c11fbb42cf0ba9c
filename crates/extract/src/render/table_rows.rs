//! The tables of a document as rows of cells, each divided into texts and code and written in one line.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use trommel_html::{ElementKinds, NONE};

use super::content::{KeptContent, Segment};
use super::data_table::DataTable;
use super::traced::{OriginSource, TracedText};

/// Bytes of the page for each cell that spans may add: `<td>` has as many.
const BYTES_A_CELL: usize = 4;

/// A table of the main text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentTable {
    /// Its caption, with line breaks between its lines; empty if it has none.
    pub caption: String,
    /// Number of header rows at its top.
    pub header_rows: u32,
    /// Its rows from the top, with cells from the left and white space folded. A cell that spans several rows stands in
    /// each, and one of a header in each of its columns, unless it is all of its row or has more than 20 words; others
    /// are empty. So all rows have the same length. In a table whose spans ask for more than its page could hold, cells simply follow each other.
    pub rows: Vec<Vec<String>>,
}

/// The tables of a content, in its order.
pub(crate) fn document_tables(content: &KeptContent) -> Vec<DocumentTable> {
    // Shared by all tables: each could ask for as many cells as the whole page holds.
    let mut room = content.html.len() / BYTES_A_CELL;
    let tables = content.segments.iter().filter_map(|segment| match segment {
        Segment::Table(table) => Some(table),
        _ => None,
    });
    tables.map(|table| document_table(content, table, &mut room)).collect()
}

fn document_table(content: &KeptContent, table: &DataTable, room: &mut usize) -> DocumentTable {
    let all = table.columns.saturating_mul(table.rows.len());
    let is_even = all <= *room;
    if is_even {
        *room -= all;
    }
    let mut said: FxHashMap<u32, Rc<str>> = FxHashMap::default();
    let mut bytes = if is_even { content.html.len() } else { 0 };
    let mut rows = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let mut cells: Vec<String> = Vec::new();
        let mut spanned = row.spanned.iter().peekable();
        let mut fill_up_to = |cells: &mut Vec<String>, column: usize, said: &FxHashMap<u32, Rc<str>>| {
            while is_even && cells.len() < column {
                while spanned.next_if(|(at, _)| *at < cells.len()).is_some() {}
                let cell = spanned.next_if(|(at, _)| *at == cells.len());
                let text = cell.and_then(|(_, cell)| said.get(cell)).filter(|text| text.len() <= bytes);
                bytes -= text.map_or(0, |text| text.len());
                cells.push(text.map(|text| text.to_string()).unwrap_or_default());
            }
        };
        for cell in &row.cells {
            fill_up_to(&mut cells, cell.column, &said);
            let mut words = TracedText::default();
            content.write_cell(&cell.blocks, &mut words);
            let words = words.text + &cell.sign;
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            said.insert(cell.element, words.as_str().into());
            cells.push(words);
        }
        fill_up_to(&mut cells, table.columns, &said);
        rows.push(cells);
    }
    let mut caption = TracedText::default();
    for (at, block) in table.captions.iter().enumerate() {
        if at > 0 {
            caption.text.push('\n');
        }
        content.write_plain(*block, &mut caption, |text| text.into());
    }
    DocumentTable {
        caption: caption.text,
        header_rows: table.rows.iter().take_while(|row| row.header).count() as u32,
        rows,
    }
}

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

    /// Writes the blocks of a cell in one line of plain text.
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

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn tables(html: &str) -> Vec<DocumentTable> {
        let page = ScanEngine.read(html, &Limits::default());
        let kept = vec![true; page.blocks.len()];
        document_tables(&KeptContent::new(&page, html, &kept))
    }

    #[test]
    fn rows_are_equally_long() {
        let html = "<p>x<table><caption>C<tr><th>A<th>B<th>D<tr><td colspan=2>1<br>2<td>3<tr><td rowspan=2>4\
                    <td>5<td>10<sup>2</sup><tr><td>7<td>8</table><p>y<table><tr><td>a<td>b<tr><td>c</table>";
        let rows = |rows: &[&[&str]]| -> Vec<Vec<String>> {
            let row = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect();
            rows.iter().map(row).collect()
        };
        let expected = [DocumentTable {
            caption: "C".into(),
            header_rows: 1,
            rows: rows(&[&["A", "B", "D"], &["1 2", "", "3"], &["4", "5", "10^2"], &["4", "7", "8"]]),
        }];
        assert_eq!(tables(html), expected);
    }

    #[test]
    fn spans_make_no_more_cells_than_a_page_could_hold() {
        let row = "<tr><td colspan=60>a<td>b";
        let head = "<th>x".repeat(64);
        let html = format!("<table><tr>{head}{}</table>", row.repeat(1000));
        let tables = tables(&html);
        assert_eq!(tables[0].rows.len(), 1001);
        assert_eq!(tables[0].rows[1000], ["a", "b"]);
    }
}
