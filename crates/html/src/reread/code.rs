//! Reads laid-out code, such as that in `pre`, again from the page at its element.
//!
//! It gives exact lines and white space, without the numbers, buttons, labels and spaces in empty lines that pages add.
//! Lines that a generator hides in Rust code are marked as in its sources: rustdoc writes them as `# line`.

use super::{Piece, Pieces, TagPiece, find_ignoring_case, part};
use crate::markup::Tag;

/// Maximum number of bytes of the page in which the end of a piece of code is searched; longer code is not read.
// Longer pieces are data. The bound keeps an element without an end from being searched through the whole page.
const MAX_CODE_BYTES: usize = 4 << 20;
/// Class names of elements next to code that do not belong to it, such as line numbers and copy buttons.
// Numbers of lines, buttons and names of files, as highlighters, editors and code hosts call them.
const BESIDE_CODE_CLASSES: [&str; 51] = [
    "line-numbers-wrapper", "highlight-line-number", "react-line-numbers", "cm-announced", "cm-panels",
    "crayon-toolbar", "crayon-info", "crayon-nums", "urvanov-syntax-highlighter-toolbar",
    "urvanov-syntax-highlighter-nums", "lineno", "linenos", "linenumber", "linenumbers", "line-number", "line-numbers",
    "line-numbers-rows", "linenodiv", "lnt", "ln", "ln-num", "gutter", "rouge-gutter", "hljs-ln-numbers", "hljs-ln-n",
    "react-syntax-highlighter-line-number", "blob-num", "codemirror-linenumber", "codemirror-gutter-wrapper",
    "codemirror-gutters", "codemirror-gutter", "cm-gutters", "cm-gutter", "ace_gutter", "margin", "copy",
    "copy-button", "copy-btn", "copybtn", "btn-copy", "clipboard", "btn-clipboard", "code-copy", "toolbar",
    "toolbar-item", "source-toolbox", "code-header", "code-lang", "select-none", "user-select-none", "sr-only",
];
/// Class names of lines of code that a page shows only on request; their Markdown sources mark them with `#`.
const HIDDEN: [&str; 1] = ["boring"];
/// Class names of code in Rust, in which rustdoc and mdBook hide lines.
const RUST: [&str; 3] = ["language-rust", "lang-rust", "rust"];
/// Class names of elements that are one line of code each.
const LINES: [&str; 17] = [
    "highlight-line", "line", "code-line", "codeline", "token-line", "view-line", "cm-line", "codemirror-line",
    "ec-line", "code__line", "hljs-ln-line", "react-code-line", "react-file-line", "blob-code", "prism-line",
    "code-block-line", "ql-code-block",
];
/// Class names of the element that holds the code inside of a code editor on the page.
const EDITORS: [&str; 7] = [
    "crayon-pre", "urvanov-syntax-highlighter-pre", "enlighter", "cm-content", "codemirror-code", "view-lines",
    "ace_text-layer",
];

/// Returns the code in the element whose start tag is at byte `start` of a decoded page, and the offset where it ends.
/// `None` if there is no such element, or if it has no end within 4 MiB. Time is linear in the element's length. In an
/// editor, the offset is `u32::MAX`.
pub fn code_text(html: &str, start: u32) -> Option<(String, u32)> {
    let rest = part(html, start, MAX_CODE_BYTES)?;
    let first = TagPiece::at(rest, 0).filter(|first| !first.raw.is_end)?;
    let mut code = Code { is_rust: is_rust(&first), ..Code::default() };
    let mut depth = 1u32;
    // The element that is passed over, with how often its name is open.
    let mut beside: Option<(&str, u32)> = None;
    // The open element that holds an editor's code.
    let mut editor: Option<(&str, u32)> = None;
    let mut open: Vec<(&str, Kind)> = Vec::new();
    let mut pieces = Pieces::new(rest, first.raw.end);
    while let Some(piece) = pieces.next() {
        let (found, tag) = match piece {
            Piece::Text(text, _) => {
                if beside.is_none() {
                    code.text(text);
                }
                continue;
            }
            Piece::Tag(found) => (found, found.tag),
            Piece::Cut(_) => return None,
        };
        let is_end = found.raw.is_end;
        if found.is_like(first.name) {
            depth = if is_end { depth - 1 } else { depth + 1 };
            if depth == 0 {
                return Some((code.finish(), start.saturating_add(found.raw.start as u32)));
            }
        }
        // Only elements of the same name are counted: inner elements need not be closed correctly.
        [&mut beside, &mut editor].into_iter().flatten().for_each(|place| count_tag(&found, place));
        if editor.is_some_and(|(_, count)| count == 0) {
            // What else the editor shows around its code is none.
            return Some((code.finish(), u32::MAX));
        }
        if let Some((_, count)) = beside {
            if count == 0 {
                beside = None;
            }
            continue;
        }
        if is_end {
            end_tag(&found, &mut open, &mut code);
            continue;
        }
        if tag == Tag::Br {
            code.line_break();
            continue;
        }
        if tag.is_void() || found.raw.self_closing && tag.is_skipped() {
            continue;
        }
        let kind = Kind::of(&found);
        if kind == Kind::Beside {
            if tag.is_raw() {
                let end = format!("</{}", tag.name());
                pieces.at = find_ignoring_case(rest, pieces.at, &end)?;
            } else {
                beside = Some((found.name, 1));
            }
            continue;
        }
        if kind == Kind::Editor {
            code = Code { is_rust: code.is_rust, ..Code::default() };
            editor = Some((found.name, 1));
        }
        code.start(tag, kind == Kind::Line);
        code.is_rust |= matches!(tag, Tag::Code | Tag::Pre) && is_rust(&found);
        // Deeper elements are tokens of highlighters, which change no line.
        if open.len() < 256 {
            open.push((found.name, kind));
            if kind == Kind::Hidden {
                code.hidden.start(code.out.len());
            }
        }
    }
    None
}

/// Updates the number of open elements with a given name when a start or end tag has been found.
fn count_tag(found: &TagPiece<'_>, (name, count): &mut (&str, u32)) {
    if found.is_like(name) {
        *count = if found.raw.is_end { *count - 1 } else { *count + 1 };
    }
}

/// Ends the innermost open element with the name of an end tag, and the elements inside it.
fn end_tag(found: &TagPiece<'_>, open: &mut Vec<(&str, Kind)>, code: &mut Code) {
    let Some(place) = open.iter().rposition(|(name, _)| found.is_like(name)) else { return };
    let (mut is_line, mut is_hidden) = (false, false);
    for (_, kind) in open.drain(place..) {
        is_line |= kind == Kind::Line;
        is_hidden |= kind == Kind::Hidden;
    }
    code.end(found.tag, is_line);
    if is_hidden {
        code.hidden.end(code.out.len());
    }
}

/// Returns whether an element is a part of a line of code: inline elements and unknown ones.
fn runs_in_line(tag: Tag) -> bool {
    tag.is_inline() || tag == Tag::Other
}

/// Kind of an element inside a piece of code, such as a line or a line number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Line,
    Beside,
    Editor,
    /// Element whose text the page shows only on request.
    Hidden,
}

impl Kind {
    fn of(element: &TagPiece) -> Self {
        let tag = element.tag;
        if tag.is_skipped() || tag == Tag::Button {
            return Kind::Beside;
        }
        let mut kind = if matches!(tag, Tag::Tr | Tag::Li) { Kind::Line } else { Kind::Plain };
        for (name, value) in element.attributes() {
            if name.eq_ignore_ascii_case(b"class") {
                let value = String::from_utf8_lossy(value).to_ascii_lowercase();
                for class in value.split_ascii_whitespace() {
                    if BESIDE_CODE_CLASSES.contains(&class) {
                        return Kind::Beside;
                    }
                    if HIDDEN.contains(&class) && runs_in_line(tag) && kind == Kind::Plain {
                        kind = Kind::Hidden;
                    } else if EDITORS.contains(&class) {
                        kind = Kind::Editor;
                    } else if LINES.contains(&class) && kind == Kind::Plain {
                        kind = Kind::Line;
                    }
                }
            } else if name.eq_ignore_ascii_case(b"data-line") && kind == Kind::Plain {
                kind = Kind::Line;
            } else if name.eq_ignore_ascii_case(b"style") {
                let style = String::from_utf8_lossy(value).to_ascii_lowercase();
                let style = style.replace(' ', "");
                if style.contains("user-select:none") {
                    return Kind::Beside;
                }
                let is_row = ["block", "flex", "grid"].iter().any(|value| style.contains(&format!("display:{value}")));
                if is_row && runs_in_line(tag) && kind == Kind::Plain {
                    kind = Kind::Line;
                }
            }
        }
        kind
    }
}

/// Returns whether the class of an element says that its code is Rust.
fn is_rust(element: &TagPiece) -> bool {
    let mut classes = element.attributes().filter(|(name, _)| name.eq_ignore_ascii_case(b"class"));
    classes.any(|(_, value)| {
        let mut names = value.split(|byte| byte.is_ascii_whitespace());
        names.any(|name| RUST.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name)))
    })
}

/// Text of a piece of code that is being read, with the state of its lines.
#[derive(Debug, Default)]
struct Code {
    out: String,
    /// White space with line ends that has been read last; it is dropped if a block-level element follows.
    waiting: String,
    /// True if an element that holds one line of code has ended, and no line end has followed it.
    line_ended: bool,
    /// Byte length that the code had at the start of the open element that holds one line.
    line_from: usize,
    /// True if the last thing read is the start or end of a block-level element.
    behind_block: bool,
    is_rust: bool,
    hidden: HiddenText,
}

impl Code {
    fn text(&mut self, raw: &str) {
        if raw.is_empty() {
            return;
        }
        let text = htmlize::unescape(raw);
        let text: String = text
            .chars()
            .filter(|c| !matches!(c, '\r' | '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\0'))
            .map(|c| if c == '\u{a0}' { ' ' } else { c })
            .collect();
        // Line ends between line elements are the source's layout. They are the code's if text follows in the same
        // line.
        if text.trim().is_empty() && text.contains('\n') {
            if self.behind_block {
                return;
            }
            self.waiting.push_str(&text);
            return;
        }
        self.settle();
        if self.line_ended && text.starts_with('\n') {
            self.line_ended = false;
        }
        self.out.push_str(&text);
        self.behind_block = false;
    }

    /// Adds the white space that was held back to the code.
    fn settle(&mut self) {
        if !self.waiting.is_empty() {
            self.line_ended = false;
            self.out.push_str(&self.waiting);
            self.waiting.clear();
        }
    }

    fn line_break(&mut self) {
        self.settle();
        self.line_ended = false;
        self.behind_block = false;
        self.out.push('\n');
    }

    /// Ends the current line, unless it is empty, because a block-level element starts or ends.
    fn edge(&mut self) {
        self.waiting.clear();
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
            self.line_ended = false;
        }
        self.behind_block = true;
    }

    fn start(&mut self, tag: Tag, is_line: bool) {
        if is_line {
            if runs_in_line(tag) {
                self.settle();
            } else {
                self.waiting.clear();
            }
            if self.line_ended {
                self.out.push('\n');
                self.line_ended = false;
            } else if !runs_in_line(tag) {
                self.edge();
            }
            self.line_from = self.out.len();
        } else if !runs_in_line(tag) {
            self.edge();
        }
        if runs_in_line(tag) && !is_line {
            self.settle();
        }
    }

    fn end(&mut self, tag: Tag, is_line: bool) {
        if is_line {
            self.settle();
            let line = self.out.get(self.line_from..).unwrap_or_default();
            self.line_ended = !line.ends_with('\n');
            self.line_from = self.out.len();
            self.behind_block = false;
        } else if !runs_in_line(tag) {
            self.edge();
        } else {
            self.settle();
        }
    }

    fn finish(mut self) -> String {
        if self.waiting.contains('\n') {
            self.waiting.clear();
        }
        let shown = if self.is_rust { self.hidden.noted(&self.out) } else { None };
        let text = without_numbers(shown.as_deref().unwrap_or(&self.out));
        let text = with_empty_lines(&text);
        let text = text.trim_end();
        // Empty lines before the first are not the code's; its indent is.
        let first = text.find(|c: char| !c.is_whitespace()).unwrap_or(0);
        let start = text.get(..first).and_then(|lead| lead.rfind('\n')).map_or(0, |at| at + 1);
        text.get(start..).unwrap_or_default().to_owned()
    }
}

/// Removes white space from lines that hold nothing else: generators add a space, so that empty lines can be clicked.
fn with_empty_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            lines.push('\n');
        }
        if !line.trim().is_empty() {
            lines.push_str(line);
        }
    }
    lines
}

/// Removes lines that hold only the numbers of the lines after them.
fn without_numbers(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let number = |line: &str| line.trim().parse::<u64>().ok();
    let Some(first) = lines.first().and_then(|line| number(line)) else { return text.to_owned() };
    let mut next = first;
    let mut left: Vec<&str> = Vec::new();
    let mut empty = true;
    for line in &lines {
        if number(line) == Some(next) {
            if next > first && empty {
                left.push("");
            }
            next += 1;
            empty = true;
        } else if empty {
            left.push(line);
            empty = false;
        } else if line.trim().is_empty() {
            // An edge between two lines.
        } else {
            return text.to_owned();
        }
    }
    // Fewer than two numbers, or nothing but numbers, is a listing that counts by itself.
    if next < first + 2 || left.iter().all(|line| line.is_empty()) {
        return text.to_owned();
    }
    left.join("\n")
}

/// Beginning of `#![allow(unused)]`, the first of the hidden lines that mdBook puts around code without `main`.
const WRAPPER: &str = "#![allow(unused";
const MAIN: &str = "fn main() {";
const END: &str = "}";

/// Hidden parts of a piece of code, such as lines that the page shows only on request.
#[derive(Debug, Default)]
pub(super) struct HiddenText {
    /// Byte ranges of the hidden parts in the code, in order and not adjacent.
    parts: Vec<(usize, usize)>,
    open: Option<usize>,
}

impl HiddenText {
    /// Begins a hidden part at byte `at` of the code.
    pub fn start(&mut self, at: usize) {
        self.open.get_or_insert(at);
    }

    /// Ends the open hidden part before byte `at` of the code.
    pub fn end(&mut self, at: usize) {
        let Some(start) = self.open.take().filter(|start| *start < at) else { return };
        match self.parts.last_mut().filter(|last| last.1 == start) {
            Some(last) => last.1 = at,
            None => self.parts.push((start, at)),
        }
    }

    /// Returns the code with its hidden lines marked by `#`, as in the source; `None` if nothing is hidden. Lines that
    /// only wrap the code are left out.
    pub fn noted(&self, code: &str) -> Option<String> {
        let mut parts = self.parts.iter().peekable();
        parts.peek()?;
        let mut lines: Vec<(&str, bool)> = Vec::new();
        let mut at = 0;
        for line in code.split('\n') {
            // Of an empty line its end.
            let end = at + line.len().max(1);
            while parts.next_if(|part| part.1 < end).is_some() {}
            let is_hidden = parts.peek().is_some_and(|part| part.0 <= at && end <= part.1);
            lines.push((line, is_hidden));
            at += line.len() + 1;
        }
        let lines = without_wrapper(&lines);
        let lines = lines.iter().map(|(line, is_hidden)| match line.is_empty() {
            _ if !is_hidden => (*line).to_owned(),
            true => "#".to_owned(),
            false => format!("# {line}"),
        });
        Some(lines.collect::<Vec<_>>().join("\n"))
    }
}

/// Removes the lines that mdBook adds around code; each line comes with true if it is hidden.
fn without_wrapper<'a>(lines: &[(&'a str, bool)]) -> Vec<(&'a str, bool)> {
    let is_hidden = |at: usize, line: &str| lines.get(at) == Some(&(line, true));
    let begins = matches!(lines.first(), Some((line, true)) if line.starts_with(WRAPPER));
    let last = lines.iter().rposition(|(line, _)| !line.trim().is_empty());
    // Attributes of the whole stand before its main function.
    let attributes = lines.iter().skip(1);
    let attributes = attributes.take_while(|(line, _)| {
        let line = line.trim();
        line.is_empty() || line.starts_with("#![")
    });
    let main = 1 + attributes.count();
    match last {
        Some(last) if begins && last > main && is_hidden(main, MAIN) && is_hidden(last, END) => {
            let all = lines.iter().enumerate().take(last).skip(1);
            all.filter(|(at, _)| *at != main).map(|(_, line)| *line).collect()
        }
        _ => lines.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::code_text;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        let code = code_text(html, 0);
        assert_eq!(code.as_ref().map(|pair| pair.0.as_str()), Some(expected), "{html}");
    }

    #[test]
    fn lines_and_white_space_are_exact() {
        check("<pre>\n  a &lt; b\n\n\tc\n</pre>x", "  a < b\n\n\tc");
        check("<pre>a<br>b<br/><br>c</pre>", "a\nb\n\nc");
        check("<pre><div>{</div>\n<div>  b</div><div><br></div><div>}</div></pre>", "{\n  b\n\n}");
        check(
            "<pre><code><span class=line>a</span>\n<span class=line></span>\n<span class=line>  b</span></code></pre>",
            "a\n\n  b",
        );
        check("<pre><span class=line>a</span><span class=line></span><span class=line>b</span></pre>", "a\n\nb");
        check("<pre><span data-line=''>a   </span>\n<span data-line=''> b</span></pre>", "a   \n b");
        check(
            "<pre><span class=line><span class=cl>a\n</span></span><span class=line><span class=cl>b\n</span></span></pre>",
            "a\nb",
        );
        check(
            "<pre><div class=line>a {</div><div class=line>\u{a0}</div>\n<div class=line>  }</div></pre>",
            "a {\n\n  }",
        );
        check("<code>a<!-- < --> if b < c\n d</code>", "a if b < c\n d");
    }

    #[test]
    fn elements_that_are_set_as_blocks_are_lines() {
        check("<pre><ol><li><span>a</span></li><li></li><li> b</li></ol></pre>", "a\n\n b");
        check("<pre><span style='display: block'>a</span><span style='display:flex'><b>b</b></span></pre>", "a\nb");
        check(
            "<pre><span class=highlight-line>a</span><span class=highlight-line></span><span class=highlight-line> b</span></pre>",
            "a\n\n b",
        );
    }

    #[test]
    fn hidden_lines_of_rust_are_written_as_in_its_source() {
        let hidden = "<span class=boring>#![allow(unused)]\n</span><span class=boring>fn main() {\n</span>let a = 1;\n\
                      <span class=boring>let b = 2;\n\n</span>c();\n<span class=boring>}</span>";
        let html = format!("<pre><code class='language-rust edition2021'>{hidden}</code></pre>");
        check(&html, "let a = 1;\n# let b = 2;\n#\nc();");
        let other = html.replace("#![allow(unused)]\n", "use a;\n");
        check(&other, "# use a;\n# fn main() {\nlet a = 1;\n# let b = 2;\n#\nc();\n# }");
        // In other languages the sign is another, and a page does not say which.
        check("<pre><code class=language-py>a\n<span class=boring>b\n</span>c</code></pre>", "a\nb\nc");
    }

    #[test]
    fn numbers_buttons_and_labels_are_left_out() {
        check("<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre>", "a\nb");
        check(
            "<pre><div class=ec-line><div class=gutter><div class=ln>1</div></div><div class=code>a</div></div>\
               <div class=ec-line><div class=gutter><div class=ln>2</div></div><div class=code>  b</div></div></pre>",
            "a\n  b",
        );
        check("<pre><code>a</code><div class=source-toolbox><span>js</span><button>Copy</button></div></pre>", "a");
        check("<pre><button>Copy <b>it</b></button><style>x{}</style><code>a</code></pre>", "a");
        check(
            "<pre><div><span>1</span><div>a</div></div><div><span>2</span><div></div></div><div><span>3</span><div>c</div></div></pre>",
            "a\n\nc",
        );
        check(
            "<table><tr><td class=blob-num>1</td><td>a</td></tr><tr><td class=blob-num></td><td></td></tr><tr><td>b</td></tr></table>",
            "a\n\nb",
        );
        check(
            "<pre><div class=header>Python</div><div class=cm-content><span>a</span><br>b</div><div>Run</div></pre>",
            "a\nb",
        );
        // Numbers that count nothing stay.
        check("<pre>1\n2\n3</pre>", "1\n2\n3");
        check("<pre>10\na\n20\nb</pre>", "10\na\n20\nb");
    }

    #[test]
    fn code_without_an_end_is_none() {
        assert_eq!(code_text("<pre>a", 0), None);
        assert_eq!(code_text("a", 0), None);
        assert_eq!(code_text("<pre><!-- </pre>", 0), None);
        assert_eq!(code_text("<pre><script></pre>", 0), None);
    }
}
