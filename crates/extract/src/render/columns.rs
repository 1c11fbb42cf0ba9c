//! Finds the columns of the cells of a table, by the rows and columns that cells span.

use trommel_html::{Element, NONE, Tag};

use super::data_table::TableRow;

/// Columns up to which `colspan` and `rowspan` are followed; cells beyond simply follow each other.
// A hostile `colspan` would else make each row as long as it says.
pub(super) const MAX_COLUMNS: usize = 64;

/// The place of the next cell of a row.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Rows that a cell above still covers, by column, and its element.
    covered: Vec<(u32, u32)>,
    next: usize,
}

impl Columns {
    /// Ends a row, if one has begun. Cells above may cover the columns after its last cell.
    pub fn end_row(&mut self, row: Option<&mut TableRow>) {
        if let Some(row) = row {
            self.pass_covered(self.covered.len(), &mut row.spanned);
        }
    }

    pub fn next_row(&mut self) {
        self.next = 0;
        for (rows, _) in &mut self.covered {
            *rows = rows.saturating_sub(1);
        }
    }

    /// Skips the next columns that cells above cover, and the columns between them up to `end`.
    fn pass_covered(&mut self, end: usize, spanned: &mut Vec<(usize, u32)>) {
        loop {
            let covered = self.covered.get(self.next).filter(|(rows, _)| *rows > 0);
            if covered.is_none() && self.next >= end {
                return;
            }
            spanned.extend(covered.filter(|(_, cell)| *cell != NONE).map(|(_, cell)| (self.next, *cell)));
            self.next += 1;
        }
    }

    /// Column of a cell; notes those that it or a cell above it spans.
    pub fn place(&mut self, at: u32, cell: &Element, html: &str, spanned: &mut Vec<(usize, u32)>) -> usize {
        let span = |name: &str| -> usize {
            let value = cell.attribute(html, name);
            // As the HTML standard bounds `colspan`.
            value.and_then(|value| value.trim().parse().ok()).unwrap_or(1).clamp(1, 1000)
        };
        self.pass_covered(0, spanned);
        let column = self.next;
        if column >= MAX_COLUMNS {
            self.next += 1;
            return column;
        }
        self.next = (column + span("colspan")).min(MAX_COLUMNS);
        // The head of several columns is that of each; a value across columns is one.
        let last = if cell.tag == Tag::Th { self.next } else { column + 1 };
        spanned.extend((column + 1..last).map(|column| (column, at)));
        let rows = span("rowspan");
        if rows > 1 {
            if self.covered.len() < self.next {
                self.covered.resize(self.next, (0, NONE));
            }
            let columns = self.covered.iter_mut().enumerate().skip(column).take(self.next - column);
            for (column, covered) in columns {
                let cell = if column < last { at } else { NONE };
                *covered = (u32::try_from(rows).unwrap_or(1), cell);
            }
        }
        column
    }
}
