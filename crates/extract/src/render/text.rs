//! Renders the kept blocks as plain text.
//!
//! A new line stands where a browser starts one. An empty line stands where a browser leaves a margin: around
//! paragraphs, headings, lists, tables, quotes and code, and at two line breaks. So a reader can tell
//! paragraphs from mere lines, and the items of a list and the rows of a table stay together. Readers who
//! want lines alone can drop the empty ones. A tab divides the cells of a row.
//!
//! Texts that stand only in a page's JSON-LD are added to the text and to the blocks.

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::{ElementKinds, NONE, Page, Tag};

use crate::render::content::{KeptContent, Segment, is_item, is_list};
use crate::render::traced::{OriginSource, TracedText};
use crate::{notes::Definition, render::data_table::DataTable};

/// Divisor for the number of words of the text. Plain text leaves out footnotes that the model judged to be no content
/// if they have more words than the quotient.
// Lists of sources of encyclopedias: with them magic-articles fell by .0014.
const MAX_NOTES_DIVISOR: usize = 5;

/// Writes the kept content and then its notes as plain text, without a line end at its end.
pub(crate) fn plain_text(content: &KeptContent) -> TracedText {
    let mut out = TracedText::untraced(String::with_capacity(content.room()));
    flowing_text(content, &mut out, |_| false);
    push_notes(content, &mut out);
    out
}

/// Returns the start of the plain text, up to the segment after which `is_enough` returns true of the text so far.
pub(crate) fn start_of_plain_text(content: &KeptContent, is_enough: impl Fn(&str) -> bool) -> String {
    let mut out = TracedText::default();
    flowing_text(content, &mut out, &is_enough);
    if !is_enough(&out.text) {
        push_notes(content, &mut out);
    }
    out.text
}

fn push_notes(content: &KeptContent, out: &mut TracedText) {
    // A list of sources that is long beside the text, and was judged to be none of it, stays out.
    let definitions = content.definitions();
    let words = |definition: &Definition| {
        let blocks = definition.blocks.iter().filter_map(|at| content.block(*at));
        blocks.map(|block| block.words as usize).sum::<usize>()
    };
    let others: usize = definitions.iter().filter(|definition| !definition.judged).map(words).sum();
    let are_many = others > 0 && others > trommel_text::words::count(&out.text) as usize / MAX_NOTES_DIVISOR;
    for definition in definitions.iter().filter(|definition| definition.judged || !are_many) {
        if !out.text.is_empty() {
            out.text.push_str("\n\n");
        }
        out.text.push_str(&format!("[{}] ", definition.number));
        match definition.inline {
            Some((block, ..)) => {
                let note = definition.inline.map(|place| content.plain_part(place));
                let source = OriginSource::Blocks(block, block);
                out.push(&note.unwrap_or_default(), source);
            }
            None => flowing_text(&content.of_definition(definition), out, |_| false),
        }
    }
}

fn flowing_text(content: &KeptContent, out: &mut TracedText, is_enough: impl Fn(&str) -> bool) {
    let rich = rich_items(content);
    let mut before: Option<u32> = None;
    for segment in &content.segments {
        let (first, last) = content.ends(segment);
        if let Some(before) = before {
            out.text.push_str(match gap(content.page, before, first, &rich) {
                Gap::Line => "\n",
                Gap::Blank => "\n\n",
            });
        }
        before = Some(last);
        match segment {
            Segment::Paragraph { block } => content.write_plain(*block, out, |text| text.into()),
            Segment::Heading { blocks, .. } => {
                for (at, block) in blocks.iter().enumerate() {
                    if at > 0 {
                        out.text.push('\n');
                    }
                    content.write_plain(*block, out, |text| text.into());
                }
            }
            Segment::Code { element, blocks } => {
                let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { continue };
                let source = OriginSource::Blocks(*first, *last);
                out.push(&content.code(*element, blocks), source);
            }
            Segment::Table(table) => write_table(content, table, out),
        }
        if is_enough(&out.text) {
            return;
        }
    }
}

fn write_table(content: &KeptContent, table: &DataTable, out: &mut TracedText) {
    let mut is_first = true;
    let mut line = |out: &mut TracedText| {
        if !std::mem::take(&mut is_first) {
            out.text.push('\n');
        }
    };
    for caption in &table.captions {
        line(out);
        content.write_plain(*caption, out, |text| text.into());
    }
    for row in &table.rows {
        line(out);
        let mut column = 0;
        for cell in &row.cells {
            while column < cell.column {
                out.text.push('\t');
                column += 1;
            }
            out.text.push_str(&cell.sign);
            content.write_cell(&cell.blocks, out);
        }
    }
}

/// Gap between two paragraphs or other segments: a line end or an empty line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    Line,
    Blank,
}

/// Returns the gap (line end or empty line) between segments that end in the element `a` and start in the element `b`.
fn gap(page: &Page, a: u32, b: u32, rich: &FxHashSet<u32>) -> Gap {
    let mut crossed: Option<Gap> = None;
    // The outermost item left, and entered.
    let (mut left, mut entered) = (NONE, NONE);
    let mut common = a;
    while let Some(element) = page.element(common) {
        if contains(page, common, b) {
            break;
        }
        crossed = crossed.max(edge(element.tag));
        if is_item(element.tag) {
            left = common;
        }
        common = element.parent;
    }
    for (at, element) in page.path(b).take_while(|(at, _)| *at != common) {
        crossed = crossed.max(edge(element.tag));
        if is_item(element.tag) {
            entered = at;
        }
    }
    // Without a boundary between them it was two line breaks, or something that was left out.
    let crossed = crossed.unwrap_or(Gap::Blank);
    let is_listed = page.element(common).is_some_and(|element| element.within.intersects(LISTS | ITEMS));
    let around = page.path(if is_listed { common } else { NONE }).find(|(_, e)| is_item(e.tag) || is_list(e.tag));
    match around {
        Some((_, list)) if is_list(list.tag) => {
            if rich.contains(&left) || rich.contains(&entered) {
                Gap::Blank
            } else {
                Gap::Line
            }
        }
        Some((item, _)) if !rich.contains(&item) => Gap::Line,
        _ => crossed,
    }
}

fn contains(page: &Page, element: u32, inner: u32) -> bool {
    element <= inner && page.element(element).is_some_and(|e| inner < e.end)
}

/// Returns the list items that hold more than one paragraph: posts, comments and cards rather than lines of a list.
pub(crate) fn rich_items(content: &KeptContent) -> FxHashSet<u32> {
    let mut paragraphs: FxHashMap<u32, u32> = FxHashMap::default();
    if !content.page.kinds.intersects(ITEMS) {
        return FxHashSet::default();
    }
    for segment in &content.segments {
        let mut apart = false;
        let first = content.ends(segment).0;
        let container = content.page.element(first);
        if !container.is_some_and(|container| container.within.intersects(ITEMS)) {
            continue;
        }
        for (at, element) in content.page.path(first) {
            if is_item(element.tag) {
                if apart {
                    *paragraphs.entry(at).or_default() += 1;
                }
                break;
            }
            apart |= edge(element.tag) == Some(Gap::Blank);
        }
    }
    paragraphs.into_iter().filter(|(_, count)| *count > 1).map(|(item, _)| item).collect()
}

/// Returns the gap (line end or empty line) that a browser leaves around an element; `None` for inline elements.
fn edge(tag: Tag) -> Option<Gap> {
    use Tag::*;
    match tag {
        P | H1 | H2 | H3 | H4 | H5 | H6 | Ul | Ol | Dl | Menu | Dir | Table | Pre | Listing | Xmp | Plaintext
        | Blockquote | Figure | Section | Article | Header | Footer | Main | Aside | Nav | Form | Fieldset
        | Details => Some(Gap::Blank),
        tag if tag.is_inline() => None,
        _ => Some(Gap::Line),
    }
}

/// Kinds of elements that are items of lists.
pub(crate) const ITEMS: ElementKinds = ElementKinds::ITEM.union(ElementKinds::OTHER_ITEM);
/// Kinds of elements that are lists.
const LISTS: ElementKinds = ElementKinds::LIST.union(ElementKinds::OTHER_LIST);

/// Appends further texts, such as those from scripts, each after an empty line.
pub(crate) fn append<'a>(mut text: String, texts: impl Iterator<Item = &'a str>) -> String {
    for more in texts {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(more);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn text(html: &str) -> String {
        let page = ScanEngine.read(html, &Limits::default());
        let kept: Vec<bool> = page.blocks.iter().map(|block| !page.text(block).starts_with('-')).collect();
        plain_text(&KeptContent::new(&page, html, &kept)).text
    }

    #[test]
    fn paragraphs_stand_apart_lines_do_not() {
        assert_eq!(text("<h1>T</h1><p>a<br>b<p>c<div>d</div><div>e<br><br>f</div>g"), "T\n\na\nb\n\nc\n\nd\ne\n\nf\ng");
        assert_eq!(text("<div><b>W</b>ord <span>a</span><span>b</span></div>"), "Word ab");
        assert_eq!(text("a<div>-</div>b<p>-</p>"), "a\n\nb");
    }

    #[test]
    fn items_are_lines() {
        assert_eq!(
            text("a<ul><li>b<ul><li>c<li><p>d</ul><li><p>e</ul><p>f<dl><dt>g<dd>h<dt>i<dd>j</dl>"),
            "a\n\nb\nc\nd\ne\n\nf\n\ng\nh\ni\nj"
        );
    }

    #[test]
    fn items_of_several_paragraphs_stand_apart() {
        assert_eq!(text("<ol><li><h3>A</h3><p>b<p>c<li><h3>D</h3><p>e</ol><p>f"), "A\n\nb\n\nc\n\nD\n\ne\n\nf");
    }

    #[test]
    fn rows_are_lines_and_cells_are_divided_by_tabs() {
        assert_eq!(
            text("<p>x<table><caption>C<tr><th>A<th>B<th>D<tr><td>1<td>-<td>2<br>3<tr><td>-<td>4</table>y"),
            "x\n\nC\nA\tB\tD\n1\t-\t2 3\n-\t4\n\ny"
        );
        assert_eq!(text("<table><tr><td>a<tr><td>b<p>c</table>"), "a\nb\n\nc");
    }

    #[test]
    fn code_keeps_its_white_space() {
        assert_eq!(text("<p>a</p><pre>\nif x:\n\n    y\n</pre><p>b"), "a\n\nif x:\n\n    y\n\nb");
    }
}
