//! Renders boxes of facts beside a text, as in encyclopedias, as lists of names and values instead of tables.

use super::inline::{Inline, Mode};
use super::tables::sign;
use crate::render::content::KeptContent;
use crate::render::data_table::{DataTable, TableCell};

/// A line break within a paragraph.
const LINE_BREAK: &str = "\\\n";

/// Whether a table is such a box: its class says so, and no row has more than a name and its value.
pub(super) fn is_box(content: &KeptContent, table: &DataTable) -> bool {
    let page = content.page;
    let is_named = page.element(table.element).is_some_and(|element| {
        let mut words = page.attribute_words(element).iter();
        words.any(|word| page.word_text(word) == "infobox")
    });
    // GitHub's tables have a header and columns; a box of facts would get an empty header.
    is_named && table.rows.iter().all(|row| row.cells.len() <= 2)
}

/// Its paragraphs: a line for each fact, and what stands alone in its row as a paragraph of its own.
pub(super) fn lines(table: &DataTable, inline: &mut Inline) -> Vec<String> {
    let mut cell = |cell: &TableCell, mode: Mode| {
        let blocks = cell.blocks.iter();
        let texts: Vec<String> = blocks.map(|block| inline.render(*block, mode)).collect();
        texts.join(", ") + &sign(&cell.sign)
    };
    let mut paragraphs: Vec<String> = Vec::new();
    let mut facts: Vec<String> = Vec::new();
    for row in &table.rows {
        match row.cells.as_slice() {
            [name, value] => {
                let name = cell(name, Mode::HeaderCell);
                let name = name.trim_end_matches(':');
                facts.push(format!("**{name}:** {}", cell(value, Mode::Cell)));
            }
            cells => {
                if !facts.is_empty() {
                    paragraphs.push(std::mem::take(&mut facts).join(LINE_BREAK));
                }
                let mode = if row.header { Mode::Term } else { Mode::Paragraph };
                paragraphs.extend(cells.iter().map(|table_cell| cell(table_cell, mode)));
            }
        }
    }
    if !facts.is_empty() {
        paragraphs.push(facts.join(LINE_BREAK));
    }
    paragraphs
}
