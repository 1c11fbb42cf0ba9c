//! Renders tables and boxes such as warnings, and chooses the levels of headings and the languages of code.
//!
//! Tables have the form of GFM. Boxes are quotes that name their kind. Code has the language that the page names,
//! and headings have levels beside the title of the page.

use std::collections::HashMap;

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::{Element, Page, Tag};

use super::escape::{Context, escape, span};
use super::inline::{Inline, Mode};
use crate::render::content::{KeptContent, Segment};
use crate::render::data_table::{DataTable, TableCell, TableRow};
use crate::render::traced::{self, OriginSource};

/// Maximum number of columns of a table whose short rows get empty cells; GFM requires only a complete header.
// A wide table of short rows would else be mostly bars.
const MAX_FILLED_COLUMNS: usize = 64;

/// Appends a table in the form of GFM, without a line end at its end. Returns the source of each line that is a row.
/// The first row is the header if the page marks it so, or if it alone is strong throughout. Otherwise the header is
/// empty, as GFM has no table without one.
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
    let said = table.spanning_cells();
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

/// Returns the blocks of a row and of cells above that span it by `rowspan`; `None` if the row holds only symbols.
fn origin(row: &TableRow, said: &FxHashMap<u32, &TableCell>) -> Option<OriginSource> {
    let own = || row.cells.iter().flat_map(|cell| &cell.blocks).copied();
    let spanning = row.spanned.iter().filter_map(|(_, cell)| said.get(cell));
    let all = own().chain(spanning.flat_map(|cell| cell.blocks.iter().copied()));
    let (first, last) = all.fold((u32::MAX, 0), |(first, last), block| (first.min(block), last.max(block)));
    Some(OriginSource::Row { own: own().min()?, first, last })
}

/// Appends a table row in Markdown, filled up with empty cells to `columns` cells.
fn write_row(
    row: &TableRow,
    said: &FxHashMap<u32, &TableCell>,
    (columns, mode): (usize, Mode),
    inline: &mut Inline,
    out: &mut String,
) {
    out.push('|');
    let mut text = String::new();
    for slot in row.slots(said, columns) {
        text.clear();
        if let Some((cell, is_repeated)) = slot {
            write_cell(cell, mode, inline, &mut text);
            if is_repeated && !inline.may_repeat(text.len()) {
                text.clear();
            }
        }
        out.extend([" ", &text, " |"]);
    }
}

fn write_cell(cell: &TableCell, mode: Mode, inline: &mut Inline, out: &mut String) {
    let mut text = String::new();
    let mut item = None;
    for (at, block) in cell.blocks.iter().enumerate() {
        text.clear();
        inline.render(*block, mode, &mut text);
        let of = inline.item(*block, cell.element);
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

/// Appends a part of a table cell, in which `|` is escaped so that it does not end the cell.
fn push_cell(text: &str, out: &mut String) {
    for (at, part) in text.split('|').enumerate() {
        if at > 0 {
            out.push_str("\\|");
        }
        out.push_str(part);
    }
}

/// Class names that state the kind of a highlighted box, such as a note or a warning.
const KINDS: [&str; 18] = [
    "abstract", "attention", "bug", "caution", "danger", "error", "example", "failure", "hint", "important", "info",
    "note", "question", "quote", "success", "tip", "todo", "warning",
];

/// Pairs of class words that together mark a note or warning on GitHub, in VuePress and VitePress, and in Starlight.
const PAIRS: [(&str, &str); 4] =
    [("markdown", "alert"), ("custom", "block"), ("hint", "container"), ("starlight", "aside")];

/// Returns the kind of an element that is a box, such as a note or a warning; `None` for other elements.
fn callout(page: &Page, element: &Element) -> Option<&'static str> {
    if !matches!(element.tag, Tag::Div | Tag::Aside | Tag::Section | Tag::Blockquote | Tag::Details) {
        return None;
    }
    let words = page.attribute_words(element);
    let has = |name: &str| page.says(element, &[name]);
    // The kind comes before the colours that it shares with others (`admonition-tip alert--success`).
    let mut said = words.iter().map(|word| page.word_text(word));
    // `hint-container tip` is no hint.
    let kind =
        said.find_map(|word| KINDS.into_iter().find(|kind| *kind == word && !(word == "hint" && has("container"))));
    // `note` alone is too common a class, and so are the others without a kind: pages sell by `callout-group`.
    let is_pair = |(one, other): &(&str, &str)| has(one) && has(other);
    let is_known = || has("callout") || PAIRS.iter().any(is_pair);
    let is_box = has("admonition") || kind.is_some() && is_known() || words.len() == 1 && has("callout");
    let is_part = page.says(element, &["title", "content", "inner", "icon", "body", "heading", "text"]);
    (is_box && !is_part).then_some(kind.unwrap_or("note"))
}

/// Boxes of a page, such as notes and warnings, which Markdown writes as quotes with a kind.
#[derive(Debug, Default)]
pub(super) struct Boxes {
    /// Boxes in document order: element index, highest end index of this box and those before, and kind.
    found: Vec<(u32, u32, &'static str)>,
    /// Boxes that hold several pieces of code. Only the first paragraph or other segment of such a box is quoted,
    /// because a quote would put `>` before each line of code.
    sections: FxHashSet<u32>,
    /// Boxes with several pieces of code whose first segment has been written as a quote; the rest is not quoted.
    begun: FxHashSet<u32>,
}

impl Boxes {
    pub fn new(content: &KeptContent) -> Self {
        let mut boxes = Self::default();
        for at in near_boxes(content) {
            if let Some(element) = content.page.element(at)
                && let Some(kind) = callout(content.page, element)
            {
                let end = boxes.found.last().map_or(element.end, |(_, end, _)| element.end.max(*end));
                boxes.found.push((at, end, kind));
            }
        }
        // Most pages have none.
        if boxes.found.is_empty() {
            return boxes;
        }
        let is_code = |segment: &&Segment| matches!(segment, Segment::Code { .. });
        let code = content.segments.iter().filter(is_code).map(|segment| content.ends(segment).0);
        let mut with_code = FxHashSet::default();
        for (at, _) in code.flat_map(|element| content.page.path(element)) {
            if boxes.kind(at).is_some() && !with_code.insert(at) {
                boxes.sections.insert(at);
            }
        }
        boxes
    }

    /// Returns the kind of an element that is a box, such as `note` or `warning`; `None` for other elements.
    pub fn kind(&self, at: u32) -> Option<&'static str> {
        let found = self.found.binary_search_by_key(&at, |(element, ..)| *element).ok()?;
        self.found.get(found).map(|(.., kind)| *kind)
    }

    /// Returns whether an element is a box, such as a note or a warning, or is inside one.
    pub fn contain(&self, at: u32) -> bool {
        // Elements are nested, so the box that ends last is one around it if any is.
        let behind = self.found.partition_point(|(element, ..)| *element <= at);
        let before = behind.checked_sub(1).and_then(|before| self.found.get(before));
        before.is_some_and(|(_, end, _)| *end > at)
    }

    /// Returns whether the next segment in the box `at` is written as a quote. In a box with several pieces of code,
    /// only the first is.
    pub fn is_quoted(&mut self, at: u32) -> bool {
        !self.sections.contains(&at) || self.begun.insert(at)
    }
}

/// Returns the elements that may be boxes (notes, warnings) around or between the segments of a content, in document
/// order. Boxes in other parts of the page are not looked at.
fn near_boxes(content: &KeptContent) -> Vec<u32> {
    let (page, boxes) = (content.page, content.page.boxes.as_slice());
    if boxes.is_empty() {
        return Vec::new();
    }
    let elements =
        || content.segments.iter().map(|segment| content.ends(segment)).flat_map(|(one, other)| [one, other]);
    let (Some(first), Some(last)) = (elements().min(), elements().max()) else { return Vec::new() };
    let around = page.path(first).map(|(at, _)| at).filter(|at| boxes.binary_search(at).is_ok());
    let mut near: Vec<u32> = around.collect();
    near.reverse();
    let next = boxes.partition_point(|at| *at <= first);
    near.extend(boxes.iter().skip(next).take_while(|at| **at <= last));
    traced::take(near.len());
    near
}

/// Returns whether an element is in the title of the box `within`.
pub(super) fn is_title(page: &Page, element: u32, within: u32) -> bool {
    let mut inside = page.path(element).take_while(|(at, _)| *at != within);
    inside.any(|(_, element)| page.says(element, &["title", "heading"]))
}

/// Maximum number of elements around a `pre` whose attributes are searched for the name of its programming language.
const ANCESTORS: usize = 2;
/// Maximum number of table elements such as `td` that are skipped in the search around a `pre` for its language's name.
const TABLE_ANCESTORS: usize = 4;
/// Maximum bytes of the name of a programming language.
const MAX_LANGUAGE_BYTES: usize = 32;
/// Class names of syntax highlighters; an element with one of them may have the bare name of a language as a class.
const HIGHLIGHTERS: [&str; 13] = [
    "syntaxhighlighter", "hljs", "sourceCode", "highlight", "prettyprint", "code", "codehilite", "prism", "shiki",
    "hl", "block", "CodeMirror", "syntax",
];
/// Names that are taken for languages if the element also has the class of a syntax highlighter.
// Only beside the class of a highlighter: `go` or `r` alone is any class.
const LANGUAGES: [&str; 60] = [
    "ada", "bash", "c", "c++", "clojure", "cpp", "cs", "csharp", "css", "dart", "diff", "dockerfile", "elixir", "elm",
    "erlang", "fish", "fortran", "fsharp", "go", "graphql", "groovy", "haskell", "html", "ini", "java", "javascript",
    "js", "json", "jsx", "julia", "kotlin", "latex", "lean", "lisp", "lua", "makefile", "markdown", "matlab", "nix",
    "objectivec", "ocaml", "perl", "php", "powershell", "python", "r", "ruby", "rust", "scala", "scss", "sh", "shell",
    "sql", "swift", "toml", "ts", "typescript", "xml", "yaml", "zig",
];
/// Prefixes before the name of a language in a class, the longer ones first.
const PREFIXES: [&str; 7] =
    ["highlight-source-", "highlight-text-", "language-", "sourceCode-", "brush-", "lang-", "highlight-"];

/// Cache of the programming languages that attributes of elements name, each read from the page once.
#[derive(Debug, Default)]
pub(super) struct CodeLanguages {
    of_element: HashMap<u32, Option<String>>,
}

impl CodeLanguages {
    /// Returns the language of the code in a `pre`, from the attributes of the `pre`, of its `code`, or of the elements
    /// around it. Empty if no attribute names one.
    pub fn of(&mut self, content: &KeptContent, pre: u32, blocks: &[u32]) -> String {
        let page = content.page;
        let mut candidates = vec![pre];
        if let Some(block) = blocks.first().and_then(|at| content.block(*at)) {
            let inside = page.path(block.element).map(|(at, _)| at);
            candidates.extend(inside.take_while(|at| *at != pre).take(ANCESTORS));
            let is_code = |at: &&u32| page.element(**at).is_some_and(|e| e.tag == Tag::Code);
            candidates.extend(page.inline(block).iter().find(is_code));
        }
        // Between code beside its line numbers and what names the language stands a table.
        let around = page.path(pre).skip(1).take(ANCESTORS + TABLE_ANCESTORS);
        let around = around.filter(|(_, element)| !matches!(element.tag, Tag::Td | Tag::Tr | Tag::Tbody | Tag::Table));
        candidates.extend(around.take(ANCESTORS).map(|(at, _)| at));
        candidates.into_iter().find_map(|at| self.named(page, content.html, at)).unwrap_or_default()
    }

    fn named(&mut self, page: &Page, html: &str, at: u32) -> Option<String> {
        let read = || {
            let element = page.element(at)?;
            let is_code = element.tag.keeps_space() || element.tag == Tag::Code;
            let names = ["data-lang", "data-language", "data-code-language", "lang"];
            let said = element.first_attribute(html, if is_code { &names } else { &names[..3] });
            let said = said.and_then(|name| language(&format!("lang-{name}")));
            said.or_else(|| class_language(&element.attribute(html, "class")?))
        };
        self.of_element.entry(at).or_insert_with(read).clone()
    }
}

/// Returns the programming language that the value of a class attribute names.
fn class_language(class: &str) -> Option<String> {
    // SyntaxHighlighter writes `brush: js`.
    let brush = class
        .split_once("brush:")
        .and_then(|(_, rest)| rest.split([' ', ';']).find(|word| !word.is_empty()))
        .and_then(|name| language(&format!("lang-{name}")));
    brush.or_else(|| class.split_whitespace().find_map(language)).or_else(|| {
        // Highlighters that name the language beside themselves.
        let mut names = class.split_whitespace();
        let is_marked = names.clone().any(|name| HIGHLIGHTERS.contains(&name));
        let known = |name: &&str| LANGUAGES.contains(&name.to_ascii_lowercase().as_str());
        names.find(known).filter(|_| is_marked).map(str::to_ascii_lowercase)
    })
}

/// Returns the programming language that a single class names with a prefix such as `language-`.
fn language(class: &str) -> Option<String> {
    let class = class.to_ascii_lowercase();
    let name = PREFIXES.iter().find_map(|prefix| class.strip_prefix(prefix))?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '.' | '-' | '_');
    // Highlighters call their parts so, too.
    let is_part = |name: &str| name.contains('-') || matches!(name, "line" | "lines" | "wrapper");
    let is_part =
        class.starts_with("highlight-") && is_part(name) && !class.contains("source-") && !class.contains("-text-");
    let said = !is_part && !matches!(name, "" | "none" | "undefined" | "default" | "auto");
    (said && name.len() <= MAX_LANGUAGE_BYTES && name.chars().all(plain)).then(|| name.to_owned())
}

/// Place of a page's headline. If it is known, it is the only heading that Markdown writes at the first level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Headline {
    /// Unknown headline: all headings of the first level keep their level.
    None,
    /// Headline that is written above the text.
    Above,
    /// Headline in the text: the heading in this element.
    Element(u32),
}

impl Headline {
    /// Returns the level (1 to 6) of a heading in Markdown; beside a known headline, other headings of level 1 get
    /// level 2.
    pub fn level(self, level: usize, element: u32, content: &KeptContent) -> usize {
        let is_other = match self {
            Headline::None => false,
            Headline::Above => true,
            Headline::Element(headline) => content.page.path(element).all(|(at, _)| at != headline),
        };
        // A document has one title; other `h1` are its sections.
        if level == 1 && is_other { 2 } else { level }
    }

    /// Returns this headline, or [`Headline::None`] if the page has other first-level headings and some of the second
    /// level, so that both levels are kept. If the title is written above the text, one first-level heading may repeat
    /// it and does not count.
    pub fn beside_outline(self, content: &KeptContent) -> Self {
        let others = content.segments.iter().filter(|segment| {
            matches!(segment, Segment::Heading { level: 1, .. }) && self.level(1, content.ends(segment).0, content) > 1
        });
        let most = usize::from(self == Headline::Above);
        let is_second = |segment: &Segment| matches!(segment, Segment::Heading { level: 2, .. });
        if others.count() > most && content.segments.iter().any(is_second) { Headline::None } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn elements_in_boxes_are_known() {
        let html = "<div><p>a</div><div class='admonition tip'><div class=admonition><p>b</div><p>c</div><p>d\
                    <div class=custom-menu><p>e</div><aside class='starlight-aside note'>f</aside>g";
        let page = ScanEngine.read(html, &Limits::default());
        let boxes = Boxes::new(&KeptContent::new(&page, html, &vec![true; page.blocks.len()]));
        let boxed = page.blocks.iter().filter(|block| boxes.contain(block.element));
        assert_eq!(boxed.map(|block| page.text(block)).collect::<String>(), "bcf");
        let kinds: Vec<&str> = (0..page.elements.len() as u32).filter_map(|at| boxes.kind(at)).collect();
        assert_eq!(kinds, ["tip", "note", "note"]);
    }

    #[test]
    fn classes_name_languages() {
        assert_eq!(language("language-C++").as_deref(), Some("c++"));
        assert_eq!(language("highlight-source-shell").as_deref(), Some("shell"));
        assert_eq!(language("lang-js").as_deref(), Some("js"));
        assert_eq!(class_language("brush: js; x").as_deref(), Some("js"));
        assert_eq!(class_language("hljs python").as_deref(), Some("python"));
        assert_eq!(class_language("python quiet"), None);
        let sphinx = class_language("highlight-python notranslate");
        assert_eq!(sphinx.as_deref(), Some("python"));
        for class in ["highlight-default", "language-none", "lang-", "language-a`b", "languages", "hljs"] {
            assert_eq!(language(class), None, "{class}");
        }
    }
}
