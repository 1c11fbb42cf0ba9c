//! Tests the data tables of small pages.

use super::*;
use trommel_html::{Engine, Limits, ScanEngine};

/// Returns the rows of the first data table as `column:text`, header rows with `!`. All blocks are kept except those
/// that start with `-`.
fn shown(html: &str) -> Option<Vec<String>> {
    let page = ScanEngine.read(html, &Limits::default());
    let text = |block: u32| page.text(&page.blocks[block as usize]);
    let kept: Vec<u32> = (0..page.blocks.len() as u32).filter(|block| !text(*block).starts_with('-')).collect();
    let (tables, _) = data_tables(&page, html, &kept, false);
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
        "<table><tr><td><pre>1\n2</pre><td><pre>a\nb</pre></table>",
        "<table><tr><th>A<th>B<tr><td><pre>1\n2</pre><td><pre>a\nb</pre></table>",
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
fn code_of_several_lines_may_stand_in_a_cell() {
    assert_eq!(rows("<table><tr><td>a<td><pre>1\n2</pre><tr><td>c<td>d</table>"), ["0:a 1:1\n2", "0:c 1:d"]);
    let listing = "1\n".repeat(30);
    assert_eq!(shown(&format!("<table><tr><th>a<td><pre>{listing}</pre><tr><th>c<td>d</table>")), None);
}

#[test]
fn columns_know_the_cell_that_spans_them() {
    let html = "<table><tr><th rowspan=3>A<th colspan=2>B<tr><td>d<td rowspan=2>e<tr><td>f<tr><td colspan=3>g\
                <tr><td>h<td colspan=2>i<tr><td>j<td>k<td>l</table>";
    let page = ScanEngine.read(html, &Limits::default());
    let kept: Vec<u32> = (0..page.blocks.len() as u32).collect();
    let (tables, _) = data_tables(&page, html, &kept, false);
    let (_, table) = tables.iter().next().unwrap();
    let text = |element: u32| {
        let cells = table.rows.iter().flat_map(|row| &row.cells);
        let cell = cells.into_iter().find(|cell| cell.element == element).unwrap();
        page.text(&page.blocks[cell.blocks[0] as usize]).to_owned()
    };
    let spanned = table.rows.iter().map(|row| {
        let columns = row.spanned.iter().map(|(column, cell)| format!("{column}{}", text(*cell)));
        columns.collect::<Vec<_>>().join(" ")
    });
    assert_eq!(spanned.collect::<Vec<_>>(), ["2B", "0A", "0A 2e", "", "2i", ""]);
    // A part of the page is no table because one is around it.
    assert!(data_tables(&page, html, &kept[..4], true).0.is_empty());
    assert!(!data_tables(&page, html, &kept, true).0.is_empty());
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
