//! Writes the Markdown marks around runs: links, strong, emphasised and struck-out text, code.

use super::runs::{NOTE_PLACE, Run, can_mark, groups};
use crate::render::markdown::escape::{Context, PageSigns, escape, span, without_markup};
use crate::render::pieces::{self, PieceKind};

/// Form in which a block is written as Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Paragraph,
    /// Heading: one line, without marks for strong text.
    Heading,
    /// Term of a definition list, written as strong text.
    Term,
    /// Caption, written as emphasised text.
    Caption,
    Cell,
    /// Header cell of a table, which is strong without marks.
    HeaderCell,
}

/// Markdown mark such as `**`, and a function that returns whether a run of text has the style of the mark.
type Mark = (&'static str, fn(&Run) -> bool);

/// Markdown marks for styles of text, from the outermost to the innermost: struck out, strong, emphasised.
const MARKS: [Mark; 3] = [("~~", |run| run.deleted), ("**", |run| run.strong), ("*", |run| run.em)];

/// State of writing one block as inline Markdown.
pub(super) struct Rendering<'t> {
    pub(super) text: &'t str,
    /// Offset of the text in the page's joined texts, and the characters there that may need an escape. `None` for a
    /// text composed of runs.
    pub(super) signs: Option<(usize, &'t PageSigns)>,
    pub(super) mode: Mode,
    pub(super) out: &'t mut String,
    pub(super) in_link: bool,
    pub(super) math: bool,
}

impl Rendering<'_> {
    fn context(&self) -> Context {
        Context {
            lines: matches!(self.mode, Mode::Paragraph | Mode::Term | Mode::Caption),
            link: self.in_link,
            heading: self.mode == Mode::Heading,
            math: self.math,
            line_break: match self.mode {
                Mode::Paragraph | Mode::Term | Mode::Caption => "\\\n",
                Mode::Heading | Mode::Cell | Mode::HeaderCell => " ",
            },
        }
    }

    /// Appends a byte range of the text, escaped for Markdown and without marks such as `**`.
    pub(super) fn plain(&mut self, from: usize, to: usize) {
        let context = self.context();
        if let Some((start, signs)) = self.signs {
            return signs.escape(start, self.text, (from, to), context, self.out);
        }
        let before = self.text.get(..from).and_then(|before| before.strip_suffix(NOTE_PLACE));
        let is_line_start = before.is_some_and(|before| before.is_empty() || before.ends_with(['\n', ' ']));
        let first = self.text.get(from..to).and_then(|text| text.chars().next());
        // `[^1]:` would begin a note, and `[^1](a)` is a link.
        if first == Some(':') && is_line_start || first == Some('(') && before.is_some() {
            self.out.push('\\');
        }
        escape(self.text, from, to, context, self.out);
    }

    /// Writes the white space at the start of the first run (part of one style), because no mark such as `**` may
    /// precede it. Returns the runs without that white space.
    fn lead(&mut self, runs: &[Run]) -> Vec<Run> {
        let mut runs = runs.to_vec();
        if let Some(first) = runs.first_mut().filter(|run| run.form == PieceKind::Text) {
            let text = self.text.get(first.from..first.to).unwrap_or_default();
            let space = text.len() - text.trim_start().len();
            self.plain(first.from, first.from + space);
            first.from += space;
        }
        runs
    }

    pub(super) fn link(&mut self, runs: &[Run], address: &str) {
        let runs = self.lead(runs);
        if self.out.ends_with('!') && !self.out.ends_with("\\!") {
            // `![` would be an image.
            self.out.pop();
            self.out.push_str("\\!");
        }
        self.out.push('[');
        self.in_link = true;
        self.styled(&runs, None);
        self.in_link = false;
        self.out.push_str("](");
        self.out.push_str(address);
        self.out.push(')');
    }

    /// Appends runs (parts of one style) of one link, or of none, in their styles. `next` is the run after them.
    pub(super) fn styled(&mut self, runs: &[Run], next: Option<&Run>) {
        match runs {
            // Most texts are but that.
            [run] if run.is_unmarked() => self.plain(run.from, run.to),
            _ => self.marked(&MARKS, runs, next),
        }
    }

    /// Writes runs (parts of one style) with `marks` around those that have the style. A mark that Markdown would not
    /// recognise at its place (CommonMark, 6.2) is left out, as readers would see asterisks.
    fn marked(&mut self, marks: &[Mark], runs: &[Run], next: Option<&Run>) {
        let Some(((mark, has_mark), others)) = marks.split_first() else { return self.text_and_code(runs) };
        for (at, group) in groups(runs, has_mark) {
            let next = runs.get(at + group.len()).or(next);
            if !group.first().is_some_and(has_mark) {
                self.marked(others, group, next);
                continue;
            }
            let group = self.lead(group);
            let start = self.out.len();
            let before = self.out.chars().next_back();
            self.marked(others, &group, None);
            let is_struck = *mark == "~~";
            let after = match next {
                Some(run) if !is_struck && (run.code || run.link.is_some() || run.form != PieceKind::Text) => Some('`'),
                Some(run) => self.text.get(run.from..).and_then(|text| text.chars().next()),
                None if self.in_link && !is_struck => Some(']'),
                None => None,
            };
            let inner = self.out.get(start..).unwrap_or_default();
            if before != mark.chars().next()
                && can_mark(before, inner.chars().next())
                && can_mark(after, inner.chars().next_back())
            {
                self.out.insert_str(start, mark);
                self.out.push_str(mark);
            } else if is_struck {
                // It is left out, as in plain text; most was left out before.
                self.out.truncate(start);
                // What it stood behind has been written as if it were there.
                if self.out.ends_with(|c: char| c.is_ascii_punctuation() || c.is_ascii_digit()) {
                    self.out.push(' ');
                }
            }
        }
    }

    fn text_and_code(&mut self, runs: &[Run]) {
        let groups = groups(runs, |run| (run.code, &run.form));
        // Between two runs there may be what is left out.
        let groups = groups.flat_map(|(_, group)| group.chunk_by(|run, next| run.to == next.from));
        for group in groups {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
            if first.form != PieceKind::Text {
                group.iter().for_each(|run| self.special(run));
                continue;
            }
            if first.code && self.is_code(first.from, last.to) {
                let group = self.lead(group);
                self.code(&group);
            } else {
                self.plain(first.from, last.to);
            }
        }
    }

    /// Writes a part of the text that is not plain text, such as a formula or a footnote mark.
    fn special(&mut self, run: &Run) {
        let text = self.text.get(run.from..run.to).unwrap_or_default();
        match &run.form {
            PieceKind::Text | PieceKind::Deleted | PieceKind::LinkedImage(_) => {}
            PieceKind::Link(link) => {
                let is_free = |c: char| c.is_whitespace() || matches!(c, '(' | '[' | '<' | '“' | '«');
                if !self.out.chars().next_back().is_none_or(is_free) {
                    self.out.push(' ');
                }
                self.out.push_str(link);
                let behind = self.text.get(run.to..).unwrap_or_default();
                if behind.starts_with(char::is_alphanumeric) {
                    self.out.push(' ');
                }
            }
            PieceKind::Raw if text.starts_with("\\begin") => self.tex(text),
            PieceKind::Raw => {
                let (tex, display) = pieces::bare(text);
                self.formula(tex, display);
            }
            // Several formulas in the element of one have their marks.
            PieceKind::Formula { .. } if pieces::formulas(text).len() > 1 => self.tex(text),
            PieceKind::Formula { display } => self.formula(pieces::bare(text).0, *display),
            PieceKind::Note(number) => {
                self.out.push_str(&format!("[^{number}]"));
            }
            PieceKind::Sign(sign) => {
                let stands_free = self.out.ends_with(|c: char| !c.is_alphanumeric());
                let behind = self.text.get(run.to..).and_then(|behind| behind.chars().next());
                if sign.starts_with('_') && stands_free {
                    self.out.push('\\');
                }
                match sign.strip_suffix(']') {
                    // It would end the text of a link.
                    Some(before) if matches!(behind, Some('(' | '[' | ':')) => self.out.extend([before, "\\]"]),
                    _ => self.out.push_str(sign),
                }
            }
        }
    }

    fn formula(&mut self, tex: &str, display: bool) {
        let in_cell = matches!(self.mode, Mode::Cell | Mode::HeaderCell);
        let mark = if display && !in_cell { "$$" } else { "$" };
        self.out.push_str(mark);
        // A bar would end the cell.
        if in_cell {
            // TeX has commands for both, so no escape is needed within the formula.
            self.tex(&tex.replace("\\|", "\\Vert ").replace('|', "\\vert "));
        } else {
            self.tex(tex);
        }
        self.out.push_str(mark);
    }

    fn tex(&mut self, tex: &str) {
        let tex = without_markup(tex, false);
        match self.mode {
            Mode::Heading | Mode::Cell | Mode::HeaderCell => self.out.push_str(&tex.replace('\n', " ")),
            Mode::Paragraph | Mode::Term | Mode::Caption => self.out.push_str(&tex),
        }
    }

    /// Returns whether a byte range can be written as Markdown code; in a table cell not with an escaped bar (`\|`).
    fn is_code(&self, from: usize, to: usize) -> bool {
        let in_cell = matches!(self.mode, Mode::Cell | Mode::HeaderCell);
        let text = self.text.get(from..to).unwrap_or_default();
        !(in_cell && text.contains("\\|"))
    }

    fn code(&mut self, runs: &[Run]) {
        let line_break = self.context().line_break;
        if self.out.ends_with('`') {
            // Two runs of backticks side by side would be one.
            self.out.push(' ');
        }
        let from = runs.first().map_or(0, |run| run.from);
        let to = runs.last().map_or(0, |run| run.to);
        let text = self.text.get(from..to).unwrap_or_default();
        let lines: Vec<String> = text.split('\n').map(str::trim).filter(|line| !line.is_empty()).map(span).collect();
        self.out.push_str(&lines.join(line_break));
    }
}
