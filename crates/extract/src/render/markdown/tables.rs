//! Writes tables in the form of GFM.

use rustc_hash::FxHashMap;

use super::code::span;
use super::escape::{Context, escape};
use super::inline::{Inline, Mode};
use crate::render::cells::CellPart;
use crate::render::data_table::{DataTable, TableCell, TableRow};
use crate::render::traced::OriginSource;

/// Maximum columns of a table whose short rows are filled up; GFM requires only the header to be complete.
// A wide table of short rows would else be mostly bars.
const MAX_FILLED_COLUMNS: usize = 64;

/// Appends a table in the form of GFM, without a line end at its end; returns where each line comes from, if it is a
/// row. The first row is its header if it is one in the page, or if it alone is strong from end to end; else the header
/// is empty, as GFM has no table without one.
pub(super) fn write(table: &DataTable, inline: &mut Inline, out: &mut String) -> Vec<Option<OriginSource>> {
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
    // Cells that span others are said again in those.
    let said: FxHashMap<u32, &TableCell> = match table.rows.iter().all(|row| row.spanned.is_empty()) {
        true => FxHashMap::default(),
        false => table.rows.iter().flat_map(|row| &row.cells).map(|cell| (cell.element, cell)).collect(),
    };
    let empty = TableRow::default();
    write_row(header.unwrap_or(&empty), &said, (columns, Mode::HeaderCell), inline, out);
    out.push_str("\n|");
    (0..columns).for_each(|_| out.push_str(" --- |"));
    for row in body {
        out.push('\n');
        write_row(row, &said, (fill, Mode::Cell), inline, out);
    }
    let rows = [header, None].into_iter().chain(body.iter().map(Some));
    rows.map(|row| row.and_then(|row| origin(row, &said))).collect()
}

/// The blocks of a row and of the cells that span it; none if it has signs alone.
fn origin(row: &TableRow, said: &FxHashMap<u32, &TableCell>) -> Option<OriginSource> {
    let own = || row.cells.iter().flat_map(|cell| &cell.blocks).copied();
    let spanning = row.spanned.iter().filter_map(|(_, cell)| said.get(cell));
    let all = own().chain(spanning.flat_map(|cell| cell.blocks.iter().copied()));
    let (first, last) = all.fold((u32::MAX, 0), |(first, last), block| (first.min(block), last.max(block)));
    Some(OriginSource::Row { own: own().min()?, first, last })
}

/// Appends a row of cells, filled up to `columns`.
fn write_row(
    row: &TableRow,
    said: &FxHashMap<u32, &TableCell>,
    (columns, mode): (usize, Mode),
    inline: &mut Inline,
    out: &mut String,
) {
    out.push('|');
    let mut next = 0;
    let mut spanned = row.spanned.iter().peekable();
    let mut text = String::new();
    let ends = row.cells.iter().map(|cell| (cell.column, Some(cell))).chain([(columns, None)]);
    for (column, cell) in ends {
        while next < column {
            while spanned.next_if(|(at, _)| *at < next).is_some() {}
            let above = spanned.next_if(|(at, _)| *at == next);
            text.clear();
            if let Some(above) = above.and_then(|(_, cell)| said.get(cell)) {
                write_cell(above, mode, inline, &mut text);
                if !inline.may_repeat(text.len()) {
                    text.clear();
                }
            }
            out.extend([" ", &text, " |"]);
            next += 1;
        }
        if let Some(cell) = cell {
            out.push(' ');
            write_cell(cell, mode, inline, out);
            out.push_str(" |");
            next += 1;
        }
    }
}

fn write_cell(cell: &TableCell, mode: Mode, inline: &mut Inline, out: &mut String) {
    let mut text = String::new();
    let mut item = None;
    for (at, part) in inline.cell_parts(&cell.blocks).into_iter().enumerate() {
        text.clear();
        let first = match part {
            CellPart::Block(block) => {
                inline.render(block, mode, &mut text);
                Some(block)
            }
            CellPart::Code(element, blocks) => {
                let code = inline.code(element, blocks);
                let lines = code.lines().map(str::trim).filter(|line| !line.is_empty());
                text.push_str(&lines.map(span).collect::<Vec<_>>().join(" "));
                blocks.first().copied()
            }
        };
        let of = first.and_then(|block| inline.item(block, cell.element));
        if at > 0 {
            // There are no lists in cells, and no other mark of a line end.
            out.push_str(if of == item { " " } else { "<br>" });
        }
        item = of;
        push_cell(&text, out);
    }
    text.clear();
    if cell.is_code {
        text.push_str(&span(&cell.sign));
    } else {
        escape(&cell.sign, 0, cell.sign.len(), Context { line_break: " ", ..Context::default() }, &mut text);
    }
    push_cell(&text, out);
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
