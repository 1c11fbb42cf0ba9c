//! The tables of a document as rows of cells, each written in one line.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use trommel_html::fold_space;

use super::content::{KeptContent, Segment};
use super::data_table::{DataTable, TableCell};
use super::traced::TracedText;

/// Number of bytes of the page for each table cell that `colspan` and `rowspan` may add: as many as `<td>` has.
const BYTES_A_CELL: usize = 4;

trommel_text::keyed! {
    /// A table of the main text, with its caption, header rows and cells.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct DocumentTable {
        /// Caption of the table.
        pub caption: String,
        /// Number of header rows.
        pub header_rows: u32,
        /// Rows of cells, all of equal length. A cell that spans several rows or columns is repeated in each, but no cell
        /// of more than 20 words, and none that is all of its row.
        pub rows: Vec<Vec<String>>,
    }
}

/// Returns the tables in the kept content, in order.
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
    let left = room.checked_sub(table.columns.saturating_mul(table.rows.len()));
    let is_even = left.is_some();
    *room = left.unwrap_or(*room);
    let spanning = table.spanning_cells();
    let mut bytes = content.html.len();
    let mut said: FxHashMap<u32, String> = FxHashMap::default();
    let mut text = |cell: &TableCell, is_repeated: bool| {
        if is_repeated {
            let text = said.get(&cell.element).filter(|text| text.len() <= bytes).cloned().unwrap_or_default();
            bytes -= text.len();
            return text;
        }
        let mut words = TracedText::default();
        content.write_cell(&cell.blocks, &mut words);
        let words = fold_space(&(words.text + &cell.sign));
        said.insert(cell.element, words.clone());
        words
    };
    let rows = table.rows.iter().map(|row| match is_even {
        true => {
            let slots = row.slots(&spanning, table.columns);
            slots.map(|slot| slot.map_or_else(String::new, |(cell, is_repeated)| text(cell, is_repeated))).collect()
        }
        false => row.cells.iter().map(|cell| text(cell, false)).collect(),
    });
    let rows = rows.collect();
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

impl KeptContent<'_> {
    /// Writes the blocks of a cell as one line of plain text.
    pub fn write_cell(&self, blocks: &[u32], out: &mut TracedText) {
        for (at, block) in blocks.iter().enumerate() {
            if at > 0 {
                out.text.push(' ');
            }
            // As long as before: places stay right.
            self.write_plain(*block, out, |text| text.replace(['\n', '\t'], " ").into());
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
            rows: rows(&[&["A", "B", "D"], &["1 2", "1 2", "3"], &["4", "5", "10^2"], &["4", "7", "8"]]),
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
