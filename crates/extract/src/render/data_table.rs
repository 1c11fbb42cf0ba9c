//! Finds the tables that hold data: their kept rows and cells, and the columns that cells span.
//!
//! Tables that only lay out the page are recognised, and their cells become paragraphs.

#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::{Attribute, Block, Element, ElementKinds, NONE, Page, Tag, cell_sign};

use super::traced;

/// Number of lines of code in a cell from which a table only lays out a code listing, and is no data table.
const MAX_CODE_LINES: usize = 20;
/// Maximum number of words of a cell whose text is repeated in each place that its `colspan` or `rowspan` covers.
const MAX_REPEATED_WORDS: u32 = 20;

/// Limits on the cells of a data table. A table with larger cells only lays out posts or sections.
#[derive(Clone, Copy, Debug)]
struct CellBounds {
    /// Maximum number of blocks in a cell.
    blocks: usize,
    /// Maximum number of words in a cell.
    words: u32,
    /// Maximum mean number of words of the cells of a table.
    mean: u32,
}

/// Limits on the cells of a data table that has header cells, a `thead` or a `caption`.
// Header cells say that a table is data, so its cells may be long.
const HEADED_BOUNDS: CellBounds = CellBounds { blocks: 30, words: 400, mean: 40 };
/// Limits on the cells of a data table that has no header cells, `thead` or `caption`.
const BARE_BOUNDS: CellBounds = CellBounds { blocks: 2, words: 50, mean: 40 };

/// Table of data with its kept cells; not a table that only lays out the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DataTable {
    /// Index of the `table` element.
    pub element: u32,
    /// Indices of the kept blocks in the captions of the table.
    pub captions: Vec<u32>,
    /// Rows of the table that have a kept cell.
    pub rows: Vec<TableRow>,
    /// Number of columns that have a kept cell; in a table with a header row, columns of empty cells count, too.
    pub columns: usize,
}

/// A row of a data table, with its kept cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableRow {
    /// True if the row is in a `thead` or all of its cells are `th`.
    pub header: bool,
    /// Kept cells of the row from left to right.
    pub cells: Vec<TableCell>,
    /// Columns that cells starting elsewhere cover by `colspan` or `rowspan`, in order, each with its cell's element.
    pub spanned: Vec<(usize, u32)>,
}

impl DataTable {
    /// Returns all cells keyed by their elements if any has a `colspan` or `rowspan` in effect; otherwise empty.
    pub fn spanning_cells(&self) -> FxHashMap<u32, &TableCell> {
        match self.rows.iter().all(|row| row.spanned.is_empty()) {
            true => FxHashMap::default(),
            false => self.rows.iter().flat_map(|row| &row.cells).map(|cell| (cell.element, cell)).collect(),
        }
    }
}

impl TableRow {
    /// Iterates over the columns of the row, at least `columns`, each with its cell if there is one. The flag is true
    /// for a cell that starts in another column or row (`colspan`, `rowspan`), which is looked up in `cells`.
    pub fn slots<'t>(
        &'t self,
        cells: &'t FxHashMap<u32, &'t TableCell>,
        columns: usize,
    ) -> impl Iterator<Item = Option<(&'t TableCell, bool)>> {
        let (mut own, mut spanned) = (self.cells.iter().peekable(), self.spanned.iter().peekable());
        let mut column = 0;
        std::iter::from_fn(move || {
            let at = column;
            column += 1;
            if let Some(cell) = own.next_if(|cell| cell.column <= at) {
                return Some(Some((cell, false)));
            }
            if own.peek().is_none() && at >= columns {
                return None;
            }
            while spanned.next_if(|(column, _)| *column < at).is_some() {}
            let above = spanned.next_if(|(column, _)| *column == at).and_then(|(_, cell)| cells.get(cell));
            Some(above.map(|cell| (*cell, true)))
        })
    }

    /// Iterates over the cells that hold kept blocks; a cell with only symbols such as `+` is left out.
    fn cells_with_blocks(&self) -> impl Iterator<Item = &TableCell> {
        self.cells.iter().filter(|cell| !cell.blocks.is_empty())
    }
}

/// A cell of a data table, with its kept blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableCell {
    /// Index of the `td` or `th` element.
    pub element: u32,
    /// Column of the cell from 0; columns without a kept cell are not counted.
    pub column: usize,
    /// Indices of the kept blocks in the cell.
    pub blocks: Vec<u32>,
    /// Symbols of a cell without words, such as `+` or a tick. A cell with symbols has no blocks.
    pub sign: String,
    /// True if the symbols of the cell are code.
    pub is_code: bool,
}

/// The position of a block in a table.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    table: u32,
    cell: Option<u32>,
    in_caption: bool,
    in_heading: bool,
    /// Number of line ends in the block if it is code, otherwise 0.
    code_lines: usize,
}

/// Table whose kept blocks are being collected.
#[derive(Debug, Default)]
struct TableDraft {
    captions: Vec<u32>,
    /// Pairs of a cell (element index) and a block in it, in the order of the page.
    blocks: Vec<(u32, u32)>,
    layout: bool,
    /// Number of cells with code of several lines; if at least half of all cells have it, the table is no data table.
    code_cells: usize,
    /// Index of the last cell with code of several lines, and the number of its line ends.
    last_code: Option<(u32, usize)>,
}

impl TableDraft {
    /// Counts the `lines` line ends of code in a cell; a cell with many shows that the table only lays out code.
    fn add_code(&mut self, cell: u32, lines: usize) {
        let before = self.last_code.filter(|(last, _)| *last == cell);
        self.code_cells += usize::from(before.is_none());
        let lines = before.map_or(0, |(_, lines)| lines) + lines;
        self.last_code = Some((cell, lines));
        self.layout |= lines >= MAX_CODE_LINES;
    }
}

/// Finds the data tables that have kept blocks, keyed by element. Also returns for each entry of `kept` the element of
/// its data table ([`NONE`] if it is in none). If `is_part` is true, `kept` is a part of the page, and tables that
/// reach beyond that part are ignored.
pub(crate) fn data_tables(
    page: &Page,
    html: &str,
    kept: &[u32],
    is_part: bool,
) -> (FxHashMap<u32, DataTable>, Vec<u32>) {
    let mut drafts: FxHashMap<u32, TableDraft> = FxHashMap::default();
    let mut order: Vec<u32> = Vec::new();
    let mut home = Vec::with_capacity(kept.len());
    for &index in kept {
        let place = page.blocks.get(index as usize).and_then(|block| position(page, block));
        home.push(place.map_or(NONE, |place| place.table));
        let Some(place) = place else { continue };
        let draft = drafts.entry(place.table).or_insert_with(|| {
            order.push(place.table);
            TableDraft::default()
        });
        draft.layout |= place.in_heading;
        if let Some(cell) = place.cell.filter(|_| place.code_lines > 0) {
            draft.add_code(cell, place.code_lines);
        }
        match place.cell {
            Some(cell) => draft.blocks.push((cell, index)),
            None if place.in_caption => draft.captions.push(index),
            None => draft.layout = true,
        }
    }
    for &table in &order {
        let parent = page.element(table).map_or(NONE, |element| element.parent);
        // A table that holds another lays out the page.
        for (at, _) in page.path(parent).filter(|(_, e)| e.tag == Tag::Table) {
            drafts.entry(at).or_default().layout = true;
        }
    }
    let tables: FxHashMap<u32, DataTable> = order
        .into_iter()
        .filter_map(|at| {
            let draft = drafts.remove(&at).filter(|draft| !draft.layout)?;
            let is_around = is_part && !holds_all(page, kept, at);
            (!is_around).then(|| Some((at, data_table(page, html, at, draft)?))).flatten()
        })
        .collect();
    for home in &mut home {
        if !tables.contains_key(home) {
            *home = NONE;
        }
    }
    (tables, home)
}

/// Returns whether all blocks of a table are between the first and the last of the given blocks.
fn holds_all(page: &Page, blocks: &[u32], table: u32) -> bool {
    let behind = |start: u32| page.blocks.partition_point(|block| block.span.0 < start);
    let Some(element) = page.element(table) else { return false };
    let end = page.element(element.end).map_or(page.blocks.len(), |next| behind(next.start));
    let ends = blocks.first().zip(blocks.last());
    ends.is_some_and(|(first, last)| *first as usize <= behind(element.start) && end <= *last as usize + 1)
}

fn position(page: &Page, block: &Block) -> Option<Position> {
    if !page.kinds_around(block).contains(ElementKinds::TABLE) {
        return None;
    }
    let mut place = Position::default();
    for (at, element) in page.path(block.element) {
        match element.tag {
            Tag::Table => {
                place.table = at;
                return Some(place);
            }
            Tag::Td | Tag::Th if place.cell.is_none() && !place.in_caption => {
                place.cell = Some(at);
            }
            Tag::Caption if place.cell.is_none() => place.in_caption = true,
            tag if place.cell.is_none() && !place.in_caption => {
                place.in_heading |= tag.is_heading();
                if tag.keeps_space() {
                    place.code_lines = page.text(block).matches('\n').count();
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the data table with the kept blocks that `draft` has collected; `None` if the table only lays out the page.
fn data_table(page: &Page, html: &str, at: u32, draft: TableDraft) -> Option<DataTable> {
    let table = page.element(at)?;
    if says_nothing(page, table) {
        return None;
    }
    let mut headed = !draft.captions.is_empty();
    let mut wide_rows = 0;
    let mut blocks = draft.blocks.as_slice();
    let mut rows: Vec<TableRow> = Vec::new();
    let mut columns = Columns::default();
    // Columns of cells that hold no text in the page, and of those of which nothing is kept.
    let (mut empty, mut dropped) = (FxHashSet::default(), FxHashSet::default());
    let mut row: Option<(TableRow, usize, bool)> = None;
    let mut index = at + 1;
    while index < table.end {
        traced::take(1);
        let element = page.element(index)?;
        match element.tag {
            Tag::Table => {
                index = element.end;
                continue;
            }
            Tag::Thead | Tag::Caption => headed = true,
            Tag::Tr => {
                columns.end_row(row.as_mut().map(|(row, ..)| row));
                wide_rows += usize::from(end_row(row.take(), &mut rows) > 1);
                columns.next_row();
                let in_head = page.element(element.parent).is_some_and(|parent| parent.tag == Tag::Thead);
                row = Some((TableRow::default(), 0, in_head));
                if let Some((row, ..)) = &mut row {
                    row.header = true;
                }
            }
            Tag::Td | Tag::Th => {
                headed |= element.tag == Tag::Th;
                let (row, cells, in_head) = row.get_or_insert_default();
                *cells += 1;
                row.header &= *in_head || element.tag == Tag::Th;
                let column = columns.place(index, element, html, &mut row.spanned);
                let count = blocks.iter().take_while(|(cell, _)| *cell == index).count();
                let (cell_blocks, rest) = blocks.split_at_checked(count)?;
                blocks = rest;
                if !cell_blocks.is_empty() {
                    let blocks = cell_blocks.iter().map(|(_, block)| *block).collect();
                    row.cells.push(TableCell { element: index, column, blocks, ..TableCell::default() });
                } else if has_text(page, index, element) {
                    if column < MAX_COLUMNS {
                        dropped.insert(column);
                    }
                } else if let Some((sign, is_code)) = cell_sign(html, element) {
                    row.cells.push(TableCell { element: index, column, blocks: Vec::new(), sign, is_code });
                } else if column < MAX_COLUMNS {
                    empty.insert(column);
                }
            }
            _ => {}
        }
        index += 1;
    }
    columns.end_row(row.as_mut().map(|(row, ..)| row));
    wide_rows += usize::from(end_row(row, &mut rows) > 1);
    let most = if headed { HEADED_BOUNDS } else { BARE_BOUNDS };
    let (cells, all_words, fits) = cells_within(page, &rows, &most);
    let is_data = blocks.is_empty()
        && fits
        // Code beside code, or beside the numbers of its lines, is no table.
        && draft.code_cells * 2 < cells as usize
        && all_words <= cells.saturating_mul(most.mean)
        // One row of long cells is a layout of columns.
        && (headed || wide_rows > 1 || is_short_row(page, &rows))
        && rows.iter().any(|row| row.cells_with_blocks().count() > 1);
    is_data.then(|| {
        let has_header = rows.iter().any(|row| row.header);
        empty.retain(|column| has_header && !dropped.contains(column));
        let columns = close_up(&mut rows, &empty);
        keep_short_spans(page, &mut rows);
        DataTable { element: at, captions: draft.captions, rows, columns }
    })
}

/// Returns whether a table has the WAI-ARIA role `presentation` or `none`, and so only lays out the page.
fn says_nothing(page: &Page, table: &Element) -> bool {
    page.attribute_words(table)
        .iter()
        .any(|token| token.attribute == Attribute::Role && matches!(page.word_text(token), "presentation" | "none"))
}

/// Returns the number of cells with blocks, the number of their words, and whether every cell is within the limits.
fn cells_within(page: &Page, rows: &[TableRow], most: &CellBounds) -> (u32, u32, bool) {
    let (mut cells, mut all_words, mut fits) = (0u32, 0u32, true);
    for cell in rows.iter().flat_map(TableRow::cells_with_blocks) {
        let blocks = cell.blocks.iter().map(|block| {
            let block = page.blocks.get(*block as usize);
            block.map_or(0, |block| block.words)
        });
        let words: u32 = blocks.sum();
        cells += 1;
        all_words = all_words.saturating_add(words);
        fits &= cell.blocks.len() <= most.blocks && words <= most.words;
    }
    (cells, all_words, fits)
}

/// Minimum number of cells, and maximum words of each, for a single row without headers to be a data table.
const SINGLE_ROW: (usize, u32) = (2, 12);

/// Returns whether `rows` is a single row of short texts.
fn is_short_row(page: &Page, rows: &[TableRow]) -> bool {
    let [row] = rows else { return false };
    let is_short = |cell: &TableCell| {
        let mut blocks = cell.blocks.iter().filter_map(|at| page.blocks.get(*at as usize));
        cell.blocks.len() == 1 && blocks.all(|block| block.words <= SINGLE_ROW.1 && block.link_density() < 0.5)
    };
    row.cells_with_blocks().count() >= SINGLE_ROW.0 && row.cells_with_blocks().all(is_short)
}

/// Appends a finished row to `rows` if it has kept cells. Returns the number of all its cells, kept or not.
fn end_row(row: Option<(TableRow, usize, bool)>, rows: &mut Vec<TableRow>) -> usize {
    let Some((mut row, cells, _)) = row else { return 0 };
    // What is all of a row is said once, as the heads of sections are.
    if let ([only], 1) = (row.cells.as_slice(), cells) {
        row.spanned.retain(|(_, cell)| *cell != only.element);
    }
    if row.cells_with_blocks().next().is_some() {
        rows.push(row);
    }
    cells
}

/// Removes from each row the columns that cells cover (`colspan`, `rowspan`) that are too long to repeat or not kept.
fn keep_short_spans(page: &Page, rows: &mut [TableRow]) {
    if rows.iter().all(|row| row.spanned.is_empty()) {
        return;
    }
    let words = |cell: &TableCell| -> u32 {
        cell.blocks.iter().filter_map(|at| page.blocks.get(*at as usize)).map(|block| block.words).sum()
    };
    let cells = rows.iter().flat_map(|row| &row.cells);
    let short: FxHashSet<u32> =
        cells.filter(|cell| words(cell) <= MAX_REPEATED_WORDS).map(|cell| cell.element).collect();
    for row in rows {
        row.spanned.retain(|(_, cell)| short.contains(cell));
    }
}

/// Returns whether a block of the page, kept or not, is inside an element.
fn has_text(page: &Page, at: u32, element: &Element) -> bool {
    let first = page.blocks.partition_point(|block| block.span.0 < element.start);
    let first = page.blocks.get(first);
    first.is_some_and(|block| (at..element.end).contains(&block.element))
}

/// Removes the columns without a kept cell, except those in `empty`. Returns the number of columns left.
fn close_up(rows: &mut [TableRow], empty: &FxHashSet<usize>) -> usize {
    let cells = || rows.iter().flat_map(|row| &row.cells);
    let columns = cells().map(|cell| cell.column);
    let most = columns.chain(empty.iter().copied()).max();
    let most = most.map_or(0, |last| last + 1);
    let mut numbers = vec![0usize; most];
    for cell in cells() {
        if let Some(used) = numbers.get_mut(cell.column) {
            *used = 1;
        }
    }
    for column in empty {
        if let Some(used) = numbers.get_mut(*column) {
            *used = 1;
        }
    }
    for row in rows.iter_mut() {
        row.spanned.retain(|(column, _)| numbers.get(*column) == Some(&1));
    }
    let mut columns = 0;
    for number in &mut numbers {
        let used = *number;
        *number = columns;
        columns += used;
    }
    for row in rows {
        let places = row.cells.iter_mut().map(|cell| &mut cell.column);
        for column in places.chain(row.spanned.iter_mut().map(|(column, _)| column)) {
            *column = numbers.get(*column).copied().unwrap_or_default();
        }
    }
    columns
}

/// Maximum number of columns up to which `colspan` and `rowspan` are followed; later cells simply follow each other.
// A hostile `colspan` would else make each row as long as it says.
pub(super) const MAX_COLUMNS: usize = 64;

/// State that assigns a column to each cell of a row, skipping those that cells of earlier rows cover by `rowspan`.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Number of rows that a cell above still covers by `rowspan`, and the index of that cell's element, for each
    /// column.
    covered: Vec<(u32, u32)>,
    next: usize,
}

impl Columns {
    /// Ends a row, if there is one, and records the columns after its last cell that cells of earlier rows cover.
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

    /// Moves past columns that cells of earlier rows cover by `rowspan`, and past free ones before `end`. Adds the
    /// covered columns to `spanned`.
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

    /// Returns the column of a cell. Adds to `spanned` the columns that its `colspan` or cells above it cover.
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
        // The head or the value of several columns is that of each.
        spanned.extend((column + 1..self.next).map(|column| (column, at)));
        let rows = span("rowspan");
        if rows > 1 {
            if self.covered.len() < self.next {
                self.covered.resize(self.next, (0, NONE));
            }
            let columns = self.covered.iter_mut().skip(column).take(self.next - column);
            for covered in columns {
                *covered = (u32::try_from(rows).unwrap_or(1), at);
            }
        }
        column
    }
}
