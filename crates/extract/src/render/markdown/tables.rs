//! Writes tables in the form of GFM.

use super::escape::{Context, escape};
use super::inline::{Inline, Mode};
use crate::render::data_table::{DataTable, TableCell, TableRow};

/// Most columns of a table whose short rows are filled up; GFM asks for no more than the header.
// A wide table of short rows would else be mostly bars.
const MAX_FILLED_COLUMNS: usize = 64;

/// Appends a table in the form of GFM, without a line end at its end; gives each line's row, if it is one. The first row
/// is its header if it is one in the page, or if it alone is strong from end to end; else the header is empty, as GFM
/// has no table without one.
pub(super) fn write<'t>(table: &'t DataTable, inline: &mut Inline, out: &mut String) -> Vec<Option<&'t TableRow>> {
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
    let fill = if columns <= MAX_FILLED_COLUMNS { columns } else { 0 };
    write_row(header.map_or(&[], |row| &row.cells), columns, Mode::HeaderCell, inline, out);
    out.push_str("\n|");
    (0..columns).for_each(|_| out.push_str(" --- |"));
    for row in body {
        out.push('\n');
        write_row(&row.cells, fill, Mode::Cell, inline, out);
    }
    [header, None].into_iter().chain(body.iter().map(Some)).collect()
}

/// Appends a row of cells, filled up to `columns`.
fn write_row(cells: &[TableCell], columns: usize, mode: Mode, inline: &mut Inline, out: &mut String) {
    out.push('|');
    let mut next = 0;
    let mut text = String::new();
    for cell in cells {
        while next < cell.column {
            out.push_str("  |");
            next += 1;
        }
        out.push(' ');
        for (at, block) in cell.blocks.iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            text.clear();
            inline.render(*block, mode, &mut text);
            push_cell(&text, out);
        }
        text.clear();
        escape(&cell.sign, 0, cell.sign.len(), Context { line_break: " ", ..Context::default() }, &mut text);
        push_cell(&text, out);
        out.push_str(" |");
        next += 1;
    }
    while next < columns {
        out.push_str("  |");
        next += 1;
    }
}

/// Appends a part of a cell, in which no bar ends it.
fn push_cell(text: &str, out: &mut String) {
    for (at, part) in text.split('|').enumerate() {
        if at > 0 {
            out.push_str("\\|");
        }
        out.push_str(part);
    }
}
