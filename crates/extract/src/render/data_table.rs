//! Tables that hold data: the kept rows and cells. Tables that only lay out the page are recognised, and
//! their cells become paragraphs.

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::{Attribute, Block, Element, ElementKinds, NONE, Page, Tag, cell_sign};

/// Columns up to which `colspan` and `rowspan` are followed; cells beyond simply follow each other.
// A hostile `colspan` would else make each row as long as it says.
const MAX_COLUMNS: usize = 64;

/// The bounds on cells of data tables. Posts and sections that are laid out in a table hold more.
#[derive(Clone, Copy, Debug)]
struct CellBounds {
    /// Most blocks of a cell.
    blocks: usize,
    /// Most words of a cell.
    words: u32,
    /// Most words of a cell in the mean.
    mean: u32,
}

/// In a table with header cells, `thead` or `caption`.
// Header cells say that a table is data, so its cells may be long.
const HEADED_BOUNDS: CellBounds = CellBounds { blocks: 30, words: 400, mean: 40 };
/// In any other table.
const BARE_BOUNDS: CellBounds = CellBounds { blocks: 2, words: 50, mean: 40 };

/// A table of data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DataTable {
    /// Its element.
    pub element: u32,
    /// Kept blocks of its captions.
    pub captions: Vec<u32>,
    /// Rows with a kept cell.
    pub rows: Vec<TableRow>,
    /// Columns in which a cell is kept, or all are empty below a header row.
    pub columns: usize,
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableRow {
    /// Whether it stands in `thead` or all its cells are `th`.
    pub header: bool,
    /// Kept cells from left to right.
    pub cells: Vec<TableCell>,
}

impl TableRow {
    /// The cells that hold kept blocks, without those of signs alone.
    fn cells_with_blocks(&self) -> impl Iterator<Item = &TableCell> {
        self.cells.iter().filter(|cell| !cell.blocks.is_empty())
    }
}

/// A cell of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableCell {
    /// Column from 0, columns without a kept cell not counted.
    pub column: usize,
    /// Its kept blocks.
    pub blocks: Vec<u32>,
    /// Signs of a cell without words, such as `+` or a tick; such a cell has no block.
    pub sign: String,
}

/// The position of a block in a table.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    table: u32,
    cell: Option<u32>,
    in_caption: bool,
    /// In a heading, or in code of several lines.
    no_cell_text: bool,
}

/// A table while its kept blocks are gathered.
#[derive(Debug, Default)]
struct TableDraft {
    captions: Vec<u32>,
    /// TableCell and block in the order of the page.
    blocks: Vec<(u32, u32)>,
    layout: bool,
}

/// The data tables among the tables with kept blocks, by element; and for each entry of `kept` the
/// element of the data table it is in ([`NONE`] if in none).
pub(crate) fn data_tables(page: &Page, html: &str, kept: &[u32]) -> (FxHashMap<u32, DataTable>, Vec<u32>) {
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
        draft.layout |= place.no_cell_text;
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
            Some((at, data_table(page, html, at, draft)?))
        })
        .collect();
    for home in &mut home {
        if !tables.contains_key(home) {
            *home = NONE;
        }
    }
    (tables, home)
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
                place.no_cell_text |= tag.is_heading() || tag.keeps_space() && page.text(block).contains('\n');
            }
            _ => {}
        }
    }
    None
}

/// The rows of a table, unless it turns out to be one for layout.
fn data_table(page: &Page, html: &str, at: u32, draft: TableDraft) -> Option<DataTable> {
    let table = page.element(at)?;
    let is_role = |token: &trommel_html::AttributeWord| {
        // The author says that the table means nothing (WAI-ARIA).
        token.attribute == Attribute::Role && matches!(page.word_text(token), "presentation" | "none")
    };
    if page.attribute_words(table).iter().any(is_role) {
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
        let element = page.element(index)?;
        match element.tag {
            Tag::Table => {
                index = element.end;
                continue;
            }
            Tag::Thead | Tag::Caption => headed = true,
            Tag::Tr => {
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
                let column = columns.place(element, html);
                let count = blocks.iter().take_while(|(cell, _)| *cell == index).count();
                let (cell_blocks, rest) = blocks.split_at_checked(count)?;
                blocks = rest;
                if !cell_blocks.is_empty() {
                    let blocks = cell_blocks.iter().map(|(_, block)| *block).collect();
                    row.cells.push(TableCell { column, blocks, sign: String::new() });
                } else if has_text(page, index, element) {
                    if column < MAX_COLUMNS {
                        dropped.insert(column);
                    }
                } else if let Some(sign) = cell_sign(html, element) {
                    row.cells.push(TableCell { column, blocks: Vec::new(), sign });
                } else if column < MAX_COLUMNS {
                    empty.insert(column);
                }
            }
            _ => {}
        }
        index += 1;
    }
    wide_rows += usize::from(end_row(row, &mut rows) > 1);
    let most = if headed { HEADED_BOUNDS } else { BARE_BOUNDS };
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
    let is_data = blocks.is_empty()
        && fits
        && all_words <= cells.saturating_mul(most.mean)
        // One row of long cells is a layout of columns.
        && (headed || wide_rows > 1 || is_short_row(page, &rows))
        && rows.iter().any(|row| row.cells_with_blocks().count() > 1);
    is_data.then(|| {
        let has_header = rows.iter().any(|row| row.header);
        empty.retain(|column| has_header && !dropped.contains(column));
        let columns = close_up(&mut rows, &empty);
        DataTable { element: at, captions: draft.captions, rows, columns }
    })
}

/// Cells and words of a cell of a table that has a single row.
const SINGLE_ROW: (usize, u32) = (2, 12);

/// Whether rows are a single one of short texts side by side.
fn is_short_row(page: &Page, rows: &[TableRow]) -> bool {
    let [row] = rows else { return false };
    let is_short = |cell: &TableCell| {
        let mut blocks = cell.blocks.iter().filter_map(|at| page.blocks.get(*at as usize));
        cell.blocks.len() == 1 && blocks.all(|block| block.words <= SINGLE_ROW.1 && block.link_density() < 0.5)
    };
    row.cells_with_blocks().count() >= SINGLE_ROW.0 && row.cells_with_blocks().all(is_short)
}

/// Keeps a row that has kept cells; gives the number of all its cells.
fn end_row(row: Option<(TableRow, usize, bool)>, rows: &mut Vec<TableRow>) -> usize {
    let Some((row, cells, _)) = row else { return 0 };
    if row.cells_with_blocks().next().is_some() {
        rows.push(row);
    }
    cells
}

/// Whether a block of the page stands in an element.
fn has_text(page: &Page, at: u32, element: &Element) -> bool {
    let first = page.blocks.partition_point(|block| block.span.0 < element.start);
    let first = page.blocks.get(first);
    first.is_some_and(|block| (at..element.end).contains(&block.element))
}

/// Removes the columns without a cell, except the empty ones that stay. Returns the number of columns left.
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
    let mut columns = 0;
    for number in &mut numbers {
        let used = *number;
        *number = columns;
        columns += used;
    }
    for cell in rows.iter_mut().flat_map(|row| &mut row.cells) {
        cell.column = numbers.get(cell.column).copied().unwrap_or_default();
    }
    columns
}

/// The place of the next cell of a row.
#[derive(Debug, Default)]
struct Columns {
    /// Rows that a cell above still covers, by column.
    covered: Vec<u32>,
    next: usize,
}

impl Columns {
    fn next_row(&mut self) {
        self.next = 0;
        for rows in &mut self.covered {
            *rows = rows.saturating_sub(1);
        }
    }

    /// Column of a cell.
    fn place(&mut self, cell: &Element, html: &str) -> usize {
        let span = |name: &str| -> usize {
            let value = cell.attribute(html, name);
            // As the HTML standard bounds `colspan`.
            value.and_then(|value| value.trim().parse().ok()).unwrap_or(1).clamp(1, 1000)
        };
        while self.covered.get(self.next).is_some_and(|rows| *rows > 0) {
            self.next += 1;
        }
        let column = self.next;
        if column >= MAX_COLUMNS {
            self.next += 1;
            return column;
        }
        self.next = (column + span("colspan")).min(MAX_COLUMNS);
        let rows = span("rowspan");
        if rows > 1 {
            if self.covered.len() < self.next {
                self.covered.resize(self.next, 0);
            }
            for covered in self.covered.iter_mut().skip(column).take(self.next - column) {
                *covered = u32::try_from(rows).unwrap_or(1);
            }
        }
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    /// Rows as `column:text`, header rows with `!`, of the first data table; all blocks are kept but
    /// those that start with `-`.
    fn shown(html: &str) -> Option<Vec<String>> {
        let page = ScanEngine.read(html, &Limits::default());
        let text = |block: u32| page.text(&page.blocks[block as usize]);
        let kept: Vec<u32> = (0..page.blocks.len() as u32).filter(|block| !text(*block).starts_with('-')).collect();
        let (tables, _) = data_tables(&page, html, &kept);
        let first = tables.keys().min()?;
        let row = |row: &TableRow| {
            let cells = row.cells.iter().map(|cell| {
                let blocks: Vec<&str> = cell.blocks.iter().map(|block| text(*block)).collect();
                format!("{}:{}{}", cell.column, blocks.join("+"), cell.sign)
            });
            let head = if row.header { "!" } else { "" };
            format!("{head}{}", cells.collect::<Vec<_>>().join(" "))
        };
        Some(tables[first].rows.iter().map(row).collect())
    }

    fn rows(html: &str) -> Vec<String> {
        shown(html).expect("a data table")
    }

    #[test]
    fn rows_and_header() {
        assert_eq!(
            rows("<table><thead><tr><td>A<td>B<tbody><tr><th>c<td>d<tr><td>e<td><p>f<p>g</table>"),
            ["!0:A 1:B", "0:c 1:d", "0:e 1:f+g"]
        );
        assert_eq!(rows("<table><tr><th>A<th>B<tr><td>c<td>d</table>"), ["!0:A 1:B", "0:c 1:d"]);
    }

    #[test]
    fn spans_move_cells() {
        assert_eq!(
            rows("<table><tr><th rowspan=2>A<th>B<th>C<tr><td>d<td>e<tr><td colspan=2>f<td>g</table>"),
            ["!0:A 1:B 2:C", "1:d 2:e", "0:f 2:g"]
        );
        let wide = "<table><tr><td colspan=99999 rowspan=99999>a<td>b<tr><td>c<td>d</table>";
        assert_eq!(rows(wide), ["0:a 1:b", "1:c 2:d"]);
    }

    #[test]
    fn only_kept_rows_and_columns_are_left() {
        assert_eq!(
            rows("<table><tr><th>-<th>-A<th>-B<tr><td><td>c<td>d<tr><td><td>-<td>e</table>"),
            ["0:c 1:d", "0:- 1:e"]
        );
    }

    #[test]
    fn empty_columns_stay_below_a_header_row() {
        assert_eq!(rows("<table><tr><th><th>A<th>-B<th>E<tr><td><td>c<td>-d<td>e</table>"), ["!1:A 2:E", "1:c 2:e"]);
        assert_eq!(rows("<table><tr><td><td>a<td>b<tr><td><td>c<td>d</table>"), ["0:a 1:b", "0:c 1:d"]);
    }

    #[test]
    fn signs_are_cells() {
        let html = "<table><tr><th>a<th>b<tr><td>+<td>c<tr><td>&lt;<td>d<tr><td>-<td>-e</table>";
        assert_eq!(rows(html), ["!0:a 1:b", "0:+ 1:c", "0:< 1:d"]);
        assert_eq!(shown("<table><tr><td>|<td>a<tr><td>|<td>b</table>"), None);
    }

    #[test]
    fn layout_is_no_data() {
        for html in [
            "<table><tr><td>a<tr><td>b</table>",
            "<table><tr><td>menu<td>text text text text text text text text text text text text text</table>",
            "<table><tr><td>text</table>",
            "<table><tr><td><h2>a</h2><td>b<tr><td>c<td>d</table>",
            "<table role=presentation><tr><th>a<td>b<tr><td>c<td>d</table>",
            "<table><tr><td>a<td><table><tr><td>x<tr><td>y</table><tr><td>c<td>d</table>",
            "<table><tr><td>a<td><p>1<p>2<p>3<tr><td>c<td>d</table>",
            "<table><tr><td>a<td><pre>1\n2</pre><tr><td>c<td>d</table>",
        ] {
            assert_eq!(shown(html), None, "{html}");
        }
        let long = "word ".repeat(60);
        for head in ["", "<tr><th>Author<th>Post", "<caption>"] {
            let posts = format!("<table>{head}<tr><td>me<td>{long}{long}<tr><td>you<td>{long}{long}</table>");
            assert_eq!(shown(&posts), None);
        }
        let data = format!("<table><tr><th>a<td>{long}<tr><th>c<td>d</table>");
        assert!(shown(&data).is_some());
    }

    #[test]
    fn a_single_row_of_short_texts_is_data() {
        assert_eq!(rows("<table><tr><td>a<td>b b<td>c</table>"), ["0:a 1:b b 2:c"]);
        let links = "<table><tr><td><a href=x>a</a><td><a href=y>b</a></table>";
        assert_eq!(shown(links), None);
    }

    #[test]
    fn the_inner_table_may_hold_data() {
        let html = "<table><tr><td>a<td><table><tr><th>x<th>y</table><tr><td>c<td>d</table>";
        assert_eq!(rows(html), ["!0:x 1:y"]);
    }
}
