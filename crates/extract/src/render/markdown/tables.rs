//! Writes tables in the form of GFM.

use super::escape::{Context, escape};
use super::inline::{Inline, Mode};
use crate::render::data_table::{DataTable, TableRow};

/// Most columns of a table whose short rows are filled up; GFM asks for no more than the header.
// A wide table of short rows would else be mostly bars.
const MAX_FILLED_COLUMNS: usize = 64;

/// The lines of a table in the form of GFM, each with its row if it is one. The first row is its header if it is one in
/// the page, or if it alone is strong from end to end; else the header is empty, as GFM has no table without one.
pub(super) fn gfm_lines<'t>(table: &'t DataTable, inline: &mut Inline) -> Vec<(String, Option<&'t TableRow>)> {
    let columns = table.columns;
    let is_strong = |row: &TableRow| row.cells.len() > 1 && row.cells.iter().all(|cell| inline.is_strong(&cell.blocks));
    let (header, body) = match table.rows.split_first() {
        Some((first, rest)) if first.header => (Some(first), rest),
        // Old pages and editors set a header so.
        Some((first, rest)) if is_strong(first) && rest.first().is_some_and(|next| !is_strong(next)) => {
            (Some(first), rest)
        }
        _ => (None, table.rows.as_slice()),
    };
    let mut write = |row: &TableRow, mode: Mode, fill: usize| {
        let cells = row.cells.iter().map(|cell| {
            let blocks: Vec<String> = cell.blocks.iter().map(|block| inline.render(*block, mode)).collect();
            (cell.column, blocks.join("<br>").replace('|', "\\|") + &sign(&cell.sign))
        });
        line(fill, cells)
    };
    let mut lines = vec![
        (header.map_or_else(|| line(columns, std::iter::empty()), |row| write(row, Mode::HeaderCell, columns)), header),
        (format!("|{}", " --- |".repeat(columns)), None),
    ];
    let fill = if columns <= MAX_FILLED_COLUMNS { columns } else { 0 };
    lines.extend(body.iter().map(|row| (write(row, Mode::Cell, fill), Some(row))));
    lines
}

/// The signs of a cell without words, escaped.
fn sign(text: &str) -> String {
    let mut out = String::new();
    escape(text, 0, text.len(), Context { line_break: " ", ..Context::default() }, &mut out);
    out.replace('|', "\\|")
}

/// A row of cells given with their columns, filled up to `columns`.
fn line(columns: usize, cells: impl Iterator<Item = (usize, String)>) -> String {
    let mut line = String::from("|");
    let mut next = 0;
    for (column, text) in cells {
        while next < column {
            line.push_str("  |");
            next += 1;
        }
        line.push(' ');
        line.push_str(&text);
        line.push_str(" |");
        next += 1;
    }
    while next < columns {
        line.push_str("  |");
        next += 1;
    }
    line
}
