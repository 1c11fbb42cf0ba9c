//! The text of one block with its marks.

use trommel_html::{Block, InlineStyle};

use super::code::span;
use super::escape::{Context, escape};
use super::links::Links;
use crate::render::content::KeptContent;

/// What a block is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Paragraph,
    /// On one line; strong by itself.
    Heading,
    /// A term of a definition list: strong.
    Term,
    /// Emphasised.
    Caption,
    Cell,
    /// A cell that is strong by itself.
    HeaderCell,
}

/// Writes blocks as inline Markdown.
#[derive(Debug)]
pub(super) struct Inline<'a> {
    content: &'a KeptContent<'a>,
    links: Option<Links<'a>>,
}

/// A segment of a block's text in which nothing changes.
#[derive(Clone, Debug)]
struct Run {
    from: usize,
    to: usize,
    /// Number of the link it is in.
    link: Option<usize>,
    code: bool,
    strong: bool,
    em: bool,
}

/// One block on its way.
struct Rendering<'t> {
    text: &'t str,
    mode: Mode,
    out: String,
    in_link: bool,
}

impl<'a> Inline<'a> {
    /// With links if `links` is given.
    pub fn new(content: &'a KeptContent<'a>, links: Option<Links<'a>>) -> Self {
        Self { content, links }
    }

    /// The text of a block that is code from end to end and has several lines.
    pub fn whole_code(&self, block: u32) -> Option<&'a str> {
        let text = self.content.text(block);
        let block = self.content.block(block)?;
        let code =
            text.contains('\n') && self.content.page.styled(block).all(|part| part.style.code);
        code.then_some(text)
    }

    /// A block as Markdown, several lines in a paragraph only.
    pub fn render(&mut self, block: u32, mode: Mode) -> String {
        let text = self.content.text(block);
        let Some(block) = self.content.block(block) else {
            return String::new();
        };
        let mut addresses: Vec<Option<String>> = Vec::new();
        let runs = self.runs(block, text.len(), mode, &mut addresses);
        let mut rendering = Rendering {
            text,
            mode,
            out: String::with_capacity(text.len() + 16),
            in_link: false,
        };
        for (at, group) in groups(&runs, |run| run.link) {
            let next = runs.get(at + group.len());
            let address = group.first().and_then(|run| run.link);
            match address.and_then(|link| addresses.get(link)?.as_deref()) {
                Some(address) => rendering.link(group, address),
                None => rendering.strong(group, next),
            }
        }
        rendering.out
    }

    /// The runs of a block up to the end of what is shown of it.
    fn runs(
        &mut self,
        block: &Block,
        end: usize,
        mode: Mode,
        addresses: &mut Vec<Option<String>>,
    ) -> Vec<Run> {
        let page = self.content.page;
        let mut runs: Vec<Run> = Vec::new();
        let mut from = 0;
        let mut element = None;
        for part in page.styled(block) {
            if from >= end {
                break;
            }
            let InlineStyle {
                link,
                code,
                strong,
                em,
            } = part.style;
            if let Some(links) = &mut self.links
                && link.is_some()
                && link != element
            {
                addresses.push(link.and_then(|link| links.take(link)));
            }
            element = link;
            let number = addresses.len().checked_sub(1);
            let has_address = addresses.last().is_some_and(Option::is_some);
            let to = (from + part.text.len()).min(end);
            if link.is_some() && mode == Mode::Heading && is_anchor(part.text) {
                from = to;
                continue;
            }
            let own = page
                .container(block)
                .is_some_and(|(_, e)| e.tag.keeps_space());
            runs.push(Run {
                from,
                to,
                link: number.filter(|_| link.is_some() && has_address),
                code: code || own,
                strong: match mode {
                    Mode::Term => true,
                    Mode::Heading | Mode::Caption | Mode::HeaderCell => false,
                    Mode::Paragraph | Mode::Cell => strong,
                },
                em: mode == Mode::Caption || em && mode != Mode::Term && !strong,
            });
            from = to;
        }
        runs
    }
}

/// Whether the text of a link is but the mark by which a heading can be linked to.
fn is_anchor(text: &str) -> bool {
    matches!(text.trim(), "¶" | "#" | "§" | "🔗" | "\u{f0c1}")
}

/// Neighbours with the same key, with the index of the first.
fn groups<K: PartialEq>(
    runs: &[Run],
    key: impl Fn(&Run) -> K,
) -> impl Iterator<Item = (usize, &[Run])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = runs.get(at..)?;
        let first = key(rest.first()?);
        let len = rest.iter().take_while(|run| key(run) == first).count();
        let start = at;
        at += len;
        Some((start, rest.get(..len)?))
    })
}

impl Rendering<'_> {
    fn context(&self) -> Context {
        Context {
            lines: matches!(self.mode, Mode::Paragraph | Mode::Term | Mode::Caption),
            link: self.in_link,
            heading: self.mode == Mode::Heading,
            line_break: match self.mode {
                Mode::Paragraph | Mode::Term | Mode::Caption => "\\\n",
                Mode::Heading => " ",
                Mode::Cell | Mode::HeaderCell => "<br>",
            },
        }
    }

    /// Writes the white space at the start of some runs: it must stand outside of their marks. Gives
    /// the runs without it.
    fn lead(&mut self, runs: &[Run]) -> Vec<Run> {
        let mut runs = runs.to_vec();
        if let Some(first) = runs.first_mut() {
            let text = self.text.get(first.from..first.to).unwrap_or_default();
            let space = text.len() - text.trim_start().len();
            escape(
                self.text,
                first.from,
                first.from + space,
                self.context(),
                &mut self.out,
            );
            first.from += space;
        }
        runs
    }

    fn link(&mut self, runs: &[Run], address: &str) {
        let runs = self.lead(runs);
        if self.out.ends_with('!') && !self.out.ends_with("\\!") {
            // `![` would be an image.
            self.out.pop();
            self.out.push_str("\\!");
        }
        self.out.push('[');
        self.in_link = true;
        self.strong(&runs, None);
        self.in_link = false;
        self.out.push_str("](");
        self.out.push_str(address);
        self.out.push(')');
    }

    /// Writes runs of one link (or of none), before `next`.
    fn strong(&mut self, runs: &[Run], next: Option<&Run>) {
        for (at, group) in groups(runs, |run| run.strong) {
            let after = runs.get(at + group.len()).or(next);
            if group.first().is_some_and(|run| run.strong) {
                self.marked(group, "**", after);
            } else {
                self.em(group, after);
            }
        }
    }

    fn em(&mut self, runs: &[Run], next: Option<&Run>) {
        for (at, group) in groups(runs, |run| run.em) {
            let after = runs.get(at + group.len()).or(next);
            if group.first().is_some_and(|run| run.em) {
                self.marked(group, "*", after);
            } else {
                self.text_and_code(group);
            }
        }
    }

    /// Writes runs between two marks, unless Markdown would not see them there (CommonMark, 6.2).
    fn marked(&mut self, runs: &[Run], mark: &str, next: Option<&Run>) {
        let runs = self.lead(runs);
        let start = self.out.len();
        let before = self.out.chars().next_back();
        self.text_and_code(&runs);
        let inner = self.out.get(start..).unwrap_or_default();
        let after = match next {
            Some(run) if run.code || run.link.is_some() => Some('`'),
            Some(run) => self.text.get(run.from..).and_then(|t| t.chars().next()),
            None if self.in_link => Some(']'),
            None => None,
        };
        if before != Some('*')
            && can_mark(before, inner.chars().next())
            && can_mark(after, inner.chars().next_back())
        {
            self.out.insert_str(start, mark);
            self.out.push_str(mark);
        }
    }

    fn text_and_code(&mut self, runs: &[Run]) {
        for (_, group) in groups(runs, |run| run.code) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            if first.code && self.is_code(first.from, last.to) {
                let group = self.lead(group);
                self.code(&group);
            } else {
                escape(
                    self.text,
                    first.from,
                    last.to,
                    self.context(),
                    &mut self.out,
                );
            }
        }
    }

    /// In a cell an escaped bar cannot be told from a bar that code escapes.
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
        let lines: Vec<String> = text
            .split('\n')
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(span)
            .collect();
        self.out.push_str(&lines.join(line_break));
    }
}

/// Whether a mark between an outer and an inner character is one.
fn can_mark(outer: Option<char>, inner: Option<char>) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    let outer_is_free = outer.is_none_or(|c| c.is_whitespace() || is_sign(c));
    inner.is_some_and(|c| !c.is_whitespace() && (!is_sign(c) || outer_is_free))
}
