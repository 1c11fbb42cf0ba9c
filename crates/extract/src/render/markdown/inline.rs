//! The text of one block with its marks.

use trommel_html::{Block, InlineStyle, Tag};

use super::code::span;
use super::escape::{Context, escape};
use super::images::alternative;
use super::links::Links;
use crate::render::content::{KeptContent, unindented};
use crate::render::pieces::{self, Piece, PieceKind, pieces};
use crate::render::tex;

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
    /// It is struck out.
    deleted: bool,
    form: Form,
}

/// How a run is written.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Text,
    /// As it stands: TeX between its own marks.
    Raw,
    Formula {
        display: bool,
    },
    Note(u32),
    Sign(String),
    /// An image that is all of this link.
    LinkedImage(u32),
    /// A link that is written already.
    Link(String),
}

/// One block on its way.
struct Rendering<'t> {
    text: &'t str,
    mode: Mode,
    out: String,
    in_link: bool,
    math: bool,
}

impl<'a> Inline<'a> {
    /// With links if `links` is given.
    pub fn new(content: &'a KeptContent<'a>, links: Option<Links<'a>>) -> Self {
        Self { content, links }
    }

    /// The text of a block that is code from end to end, and has several lines or stands apart; with the
    /// element of the code.
    pub fn whole_code(&self, at: u32) -> Option<(String, Option<u32>)> {
        let text = self.content.text(at);
        let block = self.content.block(at)?;
        let page = self.content.page;
        if !page.styled(block).all(|part| part.style.code) {
            return None;
        }
        let is_code = |at: &u32| page.element(*at).is_some_and(|own| own.tag == Tag::Code);
        let around = page
            .path(block.element)
            .take_while(|(_, own)| own.tag.is_inline());
        let mut around = around.map(|(at, _)| at).filter(is_code);
        let mut inside = page.inline(block).iter().copied().filter(is_code);
        let own = around.next().or_else(|| inside.next());
        let alone = own.is_some_and(|own| inside.all(|at| at == own));
        let has_own_lines = text.contains('\n');
        if let Some(code) = own.filter(|_| alone) {
            let container = page.container(block).map(|(_, own)| own.tag);
            let stands_apart = matches!(
                container,
                Some(Tag::Div | Tag::Section | Tag::Article | Tag::Main | Tag::Figure | Tag::Body)
            );
            let lines = self.content.code_in(code, block.span.1);
            if let Some(lines) = lines
                && (lines.contains('\n') || stands_apart)
            {
                return Some((unindented(&lines), Some(code)));
            }
        }
        has_own_lines.then(|| (text.to_owned(), own))
    }

    /// The TeX of a block that is a formula set apart, and nothing else.
    pub fn whole_formula(&self, at: u32) -> Option<String> {
        let text = self.content.text(at);
        if let Some(pieces) = self.content.pieces(at, pieces::Form::Markdown) {
            let [own] = pieces.as_slice() else {
                return None;
            };
            let display = own.kind == PieceKind::Formula { display: true };
            return display.then(|| text.to_owned());
        }
        let inner = text.strip_prefix("$$")?.strip_suffix("$$")?;
        (!inner.trim().is_empty() && !inner.contains("$$")).then(|| inner.trim().to_owned())
    }

    /// A part of a block as Markdown, without the marks of notes.
    pub fn part(&mut self, (at, from, to): (u32, u32, u32)) -> String {
        let text = self.content.text(at);
        let Some(block) = self.content.block(at) else {
            return String::new();
        };
        let notations = self.content.page.notations(block);
        let notations = notations.filter(|own| own.text.0 >= from && own.text.1 <= to);
        let form = (pieces::Form::Markdown, self.content.options);
        let pieces = pieces(text, at, notations, None, form);
        self.write(at, Mode::Paragraph, pieces, (from as usize, to as usize))
    }

    /// A block as Markdown, several lines in a paragraph only.
    pub fn render(&mut self, block: u32, mode: Mode) -> String {
        let len = self.content.text(block).len();
        let pieces = self.content.pieces(block, pieces::Form::Markdown);
        self.write(block, mode, pieces, (0, len))
    }

    fn write(
        &mut self,
        at: u32,
        mode: Mode,
        pieces: Option<Vec<Piece>>,
        (from, to): (usize, usize),
    ) -> String {
        let text = self.content.text(at);
        let Some(block) = self.content.block(at) else {
            return String::new();
        };
        let mut addresses: Vec<Option<String>> = Vec::new();
        let mut runs = self.runs(block, to, mode, &mut addresses);
        let raw = if text.contains(['$', '\\']) {
            tex::formulas(text)
        } else {
            Vec::new()
        };
        let is_whole = from == 0 && pieces.is_none() && raw.is_empty();
        let math = !raw.is_empty()
            || pieces
                .iter()
                .flatten()
                .any(|own| matches!(own.kind, PieceKind::Formula { .. }));
        if !is_whole {
            runs = divided(&runs, pieces.as_deref(), &raw, (from, to));
            runs.retain_mut(|run| {
                let Form::LinkedImage(link) = run.form else {
                    return true;
                };
                let written = self.linked_image(link).map(Form::Link);
                run.form = written.unwrap_or(Form::Text);
                run.form != Form::Text
            });
        }
        let mut rendering = Rendering {
            text,
            mode,
            out: String::with_capacity(text.len() + 16),
            in_link: false,
            math,
        };
        for (at, group) in groups(&runs, |run| run.link) {
            let next = runs.get(at + group.len());
            let address = group.first().and_then(|run| run.link);
            match address.and_then(|link| addresses.get(link)?.as_deref()) {
                Some(address) => rendering.link(group, address),
                None => rendering.deleted(group, next),
            }
        }
        rendering.out
    }

    /// A link that is all image, with the alternative text of that for its text.
    fn linked_image(&mut self, link: u32) -> Option<String> {
        let (page, html) = (self.content.page, self.content.html);
        let inside = link + 1..page.element(link)?.end;
        let mut images = inside.filter_map(|at| page.element(at));
        let alt = images.find_map(|own| {
            let is_shown = own.tag == Tag::Img && !own.hidden;
            alternative(own, html).filter(|alt| is_shown && !alt.is_empty())
        })?;
        let address = self.links.as_mut()?.take(link)?;
        let context = Context {
            link: true,
            line_break: " ",
            ..Context::default()
        };
        let mut out = String::from("[");
        escape(&alt, 0, alt.len(), context, &mut out);
        out.push_str("](");
        out.push_str(&address);
        out.push(')');
        Some(out)
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
                let leads = link.filter(|link| {
                    mode != Mode::Heading || !leads_to_itself(self.content, block, *link)
                });
                addresses.push(leads.and_then(|link| links.take(link)));
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
                deleted: false,
                form: Form::Text,
            });
            from = to;
        }
        runs
    }
}

/// Runs divided where pieces begin and end, without what stands outside of two bytes of the text.
fn divided(
    runs: &[Run],
    pieces: Option<&[Piece]>,
    raw: &[(usize, usize)],
    (from, to): (usize, usize),
) -> Vec<Run> {
    let mut divided: Vec<Run> = Vec::new();
    let whole = [Piece {
        from: 0,
        to,
        kind: PieceKind::Text,
    }];
    let mut raw = raw.iter().copied().peekable();
    let mut next_run = 0;
    for piece in pieces.unwrap_or(&whole) {
        if piece.to < from
            || piece.from > to
            || piece.from == piece.to && piece.to == from && from > 0
        {
            continue;
        }
        while runs
            .get(next_run)
            .is_some_and(|run| run.to <= piece.from && run.to < to)
        {
            next_run += 1;
        }
        let form = match &piece.kind {
            PieceKind::Text | PieceKind::Deleted => {
                for run in runs
                    .iter()
                    .skip(next_run)
                    .take_while(|run| run.from < piece.to)
                {
                    let (mut at, end) = (
                        run.from.max(piece.from).max(from),
                        run.to.min(piece.to).min(to),
                    );
                    while at < end {
                        while raw.peek().is_some_and(|own| own.1 <= at) {
                            raw.next();
                        }
                        // What begins in another run is none.
                        let own = raw
                            .peek()
                            .copied()
                            .filter(|own| !run.code && own.0 >= at && own.1 <= end);
                        let stop = own.map_or(end, |own| if own.0 == at { own.1 } else { own.0 });
                        let form = if own.is_some_and(|own| own.0 == at) {
                            Form::Raw
                        } else {
                            Form::Text
                        };
                        divided.push(Run {
                            from: at,
                            to: stop,
                            deleted: piece.kind == PieceKind::Deleted,
                            form,
                            ..run.clone()
                        });
                        at = stop;
                    }
                }
                continue;
            }
            PieceKind::Formula { display } => Form::Formula { display: *display },
            PieceKind::Note(number) => Form::Note(*number),
            PieceKind::LinkedImage(link) => Form::LinkedImage(*link),
            PieceKind::Sign(sign) if sign.is_empty() => continue,
            PieceKind::Sign(sign) => Form::Sign(sign.clone()),
        };
        let around = runs.get(next_run).filter(|run| run.from <= piece.from);
        let style = around.cloned().unwrap_or(Run {
            from: 0,
            to: 0,
            link: None,
            code: false,
            strong: false,
            em: false,
            deleted: false,
            form: Form::Text,
        });
        // What has marks or a link of its own.
        let is_apart = matches!(form, Form::Note(_) | Form::LinkedImage(_));
        divided.push(Run {
            from: piece.from.max(from),
            to: piece.to.min(to),
            link: style.link.filter(|_| !is_apart),
            code: false,
            strong: style.strong && !is_apart,
            em: style.em && !is_apart,
            deleted: false,
            form,
        });
    }
    divided
}

/// Elements around a heading or in it that may have the name a link to it leads to.
const NAMED_AROUND: usize = 6;

/// Whether a link in the block of a heading leads to that heading, and not anywhere else.
fn leads_to_itself(content: &KeptContent, block: &Block, link: u32) -> bool {
    let page = content.page;
    let attribute = |at: u32, name| page.element(at)?.attribute(content.html, name);
    let Some(href) = attribute(link, "href") else {
        return false;
    };
    let Some(name) = href.trim().strip_prefix('#').filter(|own| !own.is_empty()) else {
        return false;
    };
    let is_same = |own: &str| own == name || fragment(own) == fragment(name);
    let around = page.path(block.element).map(|(at, _)| at);
    let around = around.take(NAMED_AROUND);
    let mut places = around.chain(page.inline(block).iter().copied().take(NAMED_AROUND));
    places.any(|at| {
        ["id", "name"]
            .iter()
            .any(|own| attribute(at, own).is_some_and(|own| is_same(&own)))
    })
}

/// A name as addresses give it.
fn fragment(name: &str) -> Option<String> {
    let mut url = url::Url::parse("about:blank").ok()?;
    url.set_fragment(Some(name));
    url.fragment().map(str::to_owned)
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
            math: self.math,
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
        if let Some(first) = runs.first_mut().filter(|run| run.form == Form::Text) {
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
        self.deleted(&runs, None);
        self.in_link = false;
        self.out.push_str("](");
        self.out.push_str(address);
        self.out.push(')');
    }

    /// Writes runs of one link (or of none), before `next`. What is struck out, but cannot be marked there, is
    /// left out, as in plain text.
    fn deleted(&mut self, runs: &[Run], next: Option<&Run>) {
        for (at, group) in groups(runs, |run| run.deleted) {
            let after = runs.get(at + group.len()).or(next);
            if !group.first().is_some_and(|run| run.deleted) {
                self.strong(group, after);
                continue;
            }
            let group = self.lead(group);
            let start = self.out.len();
            let before = self.out.chars().next_back();
            self.strong(&group, None);
            let inner = self.out.get(start..).unwrap_or_default();
            let outer = after.and_then(|run| self.text.get(run.from..)?.chars().next());
            if before != Some('~')
                && can_mark(before, inner.chars().next())
                && can_mark(outer, inner.chars().next_back())
            {
                self.out.insert_str(start, "~~");
                self.out.push_str("~~");
            } else {
                self.out.truncate(start);
            }
        }
    }

    /// Writes runs that are struck out, or not, before `next`.
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
            Some(run) if run.code || run.link.is_some() || run.form != Form::Text => Some('`'),
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
        let groups = groups(runs, |run| (run.code, run.form.clone()));
        // Between two runs there may be what is left out.
        let groups = groups.flat_map(|(_, group)| group.chunk_by(|run, next| run.to == next.from));
        for group in groups {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            if first.form != Form::Text {
                group.iter().for_each(|run| self.special(run));
                continue;
            }
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

    /// Writes a run that is no text as it stands.
    fn special(&mut self, run: &Run) {
        let text = self.text.get(run.from..run.to).unwrap_or_default();
        let in_cell = matches!(self.mode, Mode::Cell | Mode::HeaderCell);
        match &run.form {
            Form::Text | Form::LinkedImage(_) => {}
            Form::Link(link) => {
                let is_free = |c: char| c.is_whitespace() || matches!(c, '(' | '[' | '“' | '«');
                if !self.out.chars().next_back().is_none_or(is_free) {
                    self.out.push(' ');
                }
                self.out.push_str(link);
                let behind = self.text.get(run.to..).unwrap_or_default();
                if behind.starts_with(char::is_alphanumeric) {
                    self.out.push(' ');
                }
            }
            Form::Raw if in_cell => self.out.push_str(&text.replace('\n', " ")),
            Form::Raw => self.out.push_str(text),
            Form::Formula { display } => {
                let mark = if *display && !in_cell { "$$" } else { "$" };
                self.out.push_str(mark);
                // A bar would end the cell.
                if in_cell {
                    self.out
                        .push_str(&text.replace("\\|", "\\Vert ").replace('|', "\\vert "));
                } else {
                    self.out.push_str(text);
                }
                self.out.push_str(mark);
            }
            Form::Note(number) => {
                self.out.push_str(&format!("[^{number}]"));
            }
            Form::Sign(sign) => {
                let stands_free = self.out.ends_with(|c: char| !c.is_alphanumeric());
                if sign.starts_with('_') && stands_free {
                    self.out.push('\\');
                }
                self.out.push_str(sign);
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
