//! The tables of a document as rows of cells.

use serde::{Deserialize, Serialize};

use super::content::{KeptContent, Segment};
use super::data_table::DataTable;
use super::traced::TracedText;

/// Bytes of the page for each cell that spans may add: `<td>` has as many.
const BYTES_A_CELL: usize = 4;

/// A table of the main text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentTable {
    /// Its caption, lines of it divided by line ends; empty if it has none.
    pub caption: String,
    /// Rows at its start that are header rows.
    pub header_rows: u32,
    /// Its rows from the top, with cells from the left and white space folded. A cell that spans several
    /// columns or rows stands in the first, and the others are empty. So all rows have the same length. In a
    /// table whose spans ask for more cells than its page could hold, cells simply follow each other.
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
    let text = |blocks: &[u32], between: &str| {
        let mut out = TracedText::default();
        for (at, block) in blocks.iter().enumerate() {
            if at > 0 {
                out.text.push_str(between);
            }
            content.write_plain(*block, &mut out, |text| text.into());
        }
        out.text
    };
    let all = table.columns.saturating_mul(table.rows.len());
    let is_even = all <= *room;
    if is_even {
        *room -= all;
    }
    let rows = table.rows.iter().map(|row| {
        let mut cells: Vec<String> = Vec::new();
        for cell in &row.cells {
            if is_even {
                cells.resize(cell.column.max(cells.len()), String::new());
            }
            let words = text(&cell.blocks, " ") + &cell.sign;
            cells.push(words.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        if is_even {
            cells.resize(table.columns.max(cells.len()), String::new());
        }
        cells
    });
    DocumentTable {
        caption: text(&table.captions, "\n"),
        header_rows: table.rows.iter().take_while(|row| row.header).count() as u32,
        rows: rows.collect(),
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
            rows: rows(&[&["A", "B", "D"], &["1 2", "", "3"], &["4", "5", "10^2"], &["", "7", "8"]]),
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
