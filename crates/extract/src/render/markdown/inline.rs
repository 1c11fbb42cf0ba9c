//! Renders the text of one block with its inline marks.
//!
//! Addresses that a text gives in angle brackets, as e-mails and references do (`<https://a.example/>`), become
//! links.

mod marks;
mod runs;

use std::{borrow::Cow, cell::Cell, ops::Range};

use rustc_hash::FxHashSet;
use trommel_html::{Block, InlineStyle, NONE, StyledText, Tag};

use self::marks::Rendering;
use self::runs::{Run, composed, divided, groups, with_formulas, without_unmarkable};
use super::escape::PageSigns;
use super::images::{Links, alternative, written_link};
use crate::render::content::{KeptContent, is_item, unindented};
use crate::render::pieces::{Piece, PieceKind, pieces};
use crate::render::{pieces, traced};
use crate::{heading_text, render::text::ITEMS};

pub(super) use marks::Mode;

/// Writer of the text of blocks as inline Markdown: links, emphasis, code, formulas and marks of notes.
#[derive(Debug)]
pub(super) struct Inline<'a> {
    content: &'a KeptContent<'a>,
    links: Option<Links<'a>>,
    signs: &'a PageSigns,
    /// Number of bytes that may still be written to repeat table cells with `colspan` or `rowspan`.
    repeat_room: usize,
    /// Index of the block that was last checked for inline styles, and whether the block has none.
    unstyled: Cell<(u32, bool)>,
}

impl<'a> Inline<'a> {
    /// Creates a writer of inline Markdown, which writes links if `links` is given.
    pub fn new(content: &'a KeptContent<'a>, signs: &'a PageSigns, links: Option<Links<'a>>) -> Self {
        Self { content, links, signs, repeat_room: content.html.len(), unstyled: Cell::new((NONE, false)) }
    }

    /// Returns the text of a block that is a Markdown paragraph without any escape; `None` for other blocks.
    pub fn plain_paragraph(&self, at: u32) -> Option<&'a str> {
        let content = self.content;
        let block = content.block(at)?;
        let text = content.text(at);
        let is_plain = block.inputs == 0
            && self.signs.is_plain_paragraph(content.page.text_range(block).start, text)
            && !content.has_pieces(at)
            && self.is_unmarked(at, block, Mode::Paragraph);
        is_plain.then_some(text)
    }

    /// Returns the text of a block that is all code, and the index of its `code` element. `None` for one line of code,
    /// unless the code is directly in an element such as `div`.
    pub fn whole_code(&self, at: u32) -> Option<(String, Option<u32>)> {
        let block = self.content.block(at)?;
        let page = self.content.page;
        // A sentence with code in it is a sentence.
        if self.is_unstyled(at, block) || !page.styled(block).all(|part| part.style.code) {
            return None;
        }
        let text = self.content.text(at);
        let is_code = |at: &u32| page.element(*at).is_some_and(|element| element.tag == Tag::Code);
        let around = page.path(block.element).take_while(|(_, element)| element.tag.is_inline());
        let mut around = around.map(|(at, _)| at).filter(is_code);
        let mut inside = page.inline(block).iter().copied().filter(is_code);
        let first = around.next().or_else(|| inside.next());
        let alone = first.is_some_and(|first| inside.all(|at| at == first));
        let has_own_lines = text.contains('\n');
        if let Some(code) = first.filter(|_| alone) {
            let container = page.container(block).map(|(_, element)| element.tag);
            let stands_apart =
                matches!(container, Some(Tag::Div | Tag::Section | Tag::Article | Tag::Main | Tag::Figure | Tag::Body));
            // An element that reaches around further blocks says more than this one.
            let signs = |text: &'_ str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let lines = self.content.code_in(code, block.span.1).filter(|lines| signs(lines) == signs(text));
            if let Some(lines) = lines
                && (lines.contains('\n') || stands_apart)
            {
                return Some((unindented(&lines), Some(code)));
            }
        }
        has_own_lines.then(|| (text.to_owned(), first))
    }

    /// Returns whether all text of `blocks` is strong; false if there are no blocks.
    pub fn is_strong(&self, blocks: &[u32]) -> bool {
        let page = self.content.page;
        let mut blocks = blocks.iter().filter_map(|at| self.content.block(*at)).peekable();
        blocks.peek().is_some() && blocks.all(|block| page.styled(block).all(|part| part.style.strong))
    }

    /// Returns the innermost list item around a block that is inside the element `within`.
    pub fn item(&self, block: u32, within: u32) -> Option<u32> {
        let page = self.content.page;
        let block = self.content.block(block).filter(|block| page.kinds_around(block).intersects(ITEMS))?;
        let mut around = page.path(block.element).take_while(|(at, _)| *at != within);
        around.find(|(_, element)| is_item(element.tag)).map(|(at, _)| at)
    }

    /// Counts `bytes` of repeated text; returns false once the total is more than the bytes of the page.
    pub fn may_repeat(&mut self, bytes: usize) -> bool {
        let left = self.repeat_room.checked_sub(bytes);
        self.repeat_room = left.unwrap_or(0);
        left.is_some()
    }

    /// Returns the TeX of a block that consists of a single displayed formula; `None` for other blocks.
    pub fn whole_formula(&self, at: u32) -> Option<String> {
        let text = self.content.text(at);
        // Few texts are looked at further.
        let first = text.bytes().find(|byte| !byte.is_ascii_whitespace());
        if !(matches!(first, Some(b'$' | b'\\')) || self.content.has_display_formula(at)) {
            return None;
        }
        if let Some(pieces) = self.content.pieces(at, pieces::Form::Markdown) {
            let [piece] = pieces.as_slice() else { return None };
            let display = piece.kind == PieceKind::Formula { display: true };
            return display.then(|| pieces::bare(text).0.to_owned());
        }
        let (inner, display) = pieces::bare(text);
        (display && !inner.is_empty() && !inner.contains("$$") && !inner.contains("\\]")).then(|| inner.to_owned())
    }

    /// Returns a part of a block (index of the block, first byte, end byte) as Markdown, without footnote marks.
    pub fn part(&mut self, (at, from, to): (u32, u32, u32)) -> String {
        let text = self.content.text(at);
        let Some(block) = self.content.block(at) else { return String::new() };
        let notations = self.content.page.notations_in(block, (from, to));
        let notations = notations.filter(|notation| notation.text.1 <= to);
        let form = (pieces::Form::Markdown, self.content.options);
        let pieces = pieces(text, at, notations, None, form, |element| self.content.is_shut(element));
        let mut out = String::new();
        self.write(at, Mode::Paragraph, pieces, (from as usize, to as usize), &mut out);
        out
    }

    /// Appends a block as Markdown to `out`, which is empty or ends with a line break. Only a paragraph may take
    /// several lines.
    pub fn render(&mut self, block: u32, mode: Mode, out: &mut String) {
        let len = self.content.text(block).len();
        let pieces = self.content.pieces(block, pieces::Form::Markdown);
        self.write(block, mode, pieces, (0, len), out);
    }

    /// Appends a paragraph as Markdown, from byte `from` of its text to the end.
    pub fn render_from(&mut self, block: u32, from: usize, out: &mut String) {
        let len = self.content.text(block).len();
        let pieces = self.content.pieces(block, pieces::Form::Markdown);
        self.write(block, Mode::Paragraph, pieces, (from, len), out);
    }

    fn write(&mut self, at: u32, mode: Mode, pieces: Option<Vec<Piece>>, (from, to): (usize, usize), out: &mut String) {
        let whole = self.content.text(at);
        let Some(block) = self.content.block(at) else { return };
        let formulas = |text: &str| match memchr::memchr2(b'$', b'\\', text.as_bytes()) {
            Some(_) => pieces::formulas(text),
            None => Vec::new(),
        };
        let signs = Some((self.content.page.text_range(block).start, self.signs));
        let as_it_stands = (from == 0 && pieces.is_none()).then(|| formulas(whole));
        let may_have_address = self.links.is_some() && has_address(whole.get(from..to).unwrap_or_default());
        let is_plain = || {
            as_it_stands.as_ref().is_some_and(Vec::is_empty) && !may_have_address && self.is_unmarked(at, block, mode)
        };
        let may_go_on = traced::take(1 + pieces.as_ref().map_or(0, Vec::len));
        if !may_go_on || is_plain() {
            let mut rendering = Rendering { text: whole, signs, mode, out, in_link: false, math: false };
            return rendering.plain(from, to);
        }
        let mut addresses: Vec<Option<String>> = Vec::new();
        traced::take(to - from);
        let mut runs = self.runs(block, (from, to), mode, &mut addresses);
        if let Some(pieces) = pieces {
            runs = divided(&runs, &pieces, (from, to));
            runs.retain_mut(|run| {
                let PieceKind::LinkedImage(link) = run.form else { return true };
                let written = self.linked_image(link).map(PieceKind::Link);
                run.form = written.unwrap_or(PieceKind::Text);
                run.form != PieceKind::Text
            });
            without_unmarkable(whole, &mut runs);
        }
        let ends = runs.first().map_or(from, |run| run.from)..runs.last().map_or(to, |run| run.to);
        let is_parted = runs.windows(2).any(|pair| matches!(pair, [run, next] if run.to != next.from));
        let is_changed = runs.iter().any(|run| run.form != PieceKind::Text) || is_parted || ends != (0..whole.len());
        let (mut text, mut signs) = (Cow::Borrowed(whole), signs);
        if is_changed {
            let (said, said_runs) = composed(whole, runs);
            (text, signs, runs) = (said.into(), None, said_runs);
        }
        let raw = as_it_stands.filter(|_| !is_changed).unwrap_or_else(|| formulas(&text));
        runs = with_formulas(runs, &raw);
        let math = runs.iter().any(|run| matches!(run.form, PieceKind::Raw | PieceKind::Formula { .. }));
        if let Some(links) = self.links.as_mut().filter(|_| may_have_address) {
            // A place on the page itself, as an entry of its references, says less than the address.
            let leads_within = |link: usize| {
                let address: Option<&String> = addresses.get(link).and_then(Option::as_ref);
                address.is_some_and(|address| address.starts_with('#'))
            };
            runs = with_addresses(&runs, &text, leads_within, |address| links.written(address));
        }
        let mut rendering = Rendering { text: &text, signs, mode, out, in_link: false, math };
        for (at, group) in groups(&runs, |run| run.link) {
            let next = runs.get(at + group.len());
            let address = group.first().and_then(|run| run.link);
            // A link that was only the mark of a note is empty now.
            let says = || {
                group.iter().any(|run| {
                    run.form != PieceKind::Text
                        || text.get(run.from..run.to).is_some_and(|text| !text.trim().is_empty())
                })
            };
            match address.and_then(|link| addresses.get(link)?.as_deref()) {
                Some(address) if says() => rendering.link(group, address),
                _ => rendering.styled(group, next),
            }
        }
    }

    /// Returns whether a block has no emphasis, code or links to write in this mode, which is true of most blocks.
    fn is_unmarked(&self, at: u32, block: &Block, mode: Mode) -> bool {
        let page = self.content.page;
        let is_strong_by_itself = match mode {
            Mode::Paragraph | Mode::Cell => false,
            Mode::Heading | Mode::HeaderCell => true,
            Mode::Term | Mode::Caption => return false,
        };
        // In a heading links may be its anchor.
        let says_links = self.links.is_some() || mode == Mode::Heading;
        !page.container(block).is_some_and(|(_, element)| element.tag.keeps_space())
            && (self.is_unstyled(at, block)
                || page.styled(block).all(|StyledText { text, style }| {
                    let is_linked = style.link.is_some() && (says_links || heading_text::is_mark(text));
                    !(is_linked || style.code || style.em || style.strong && !is_strong_by_itself)
                }))
    }

    /// Returns whether no part of a block has an inline style, such as strong text, code or a link.
    // Asked twice for most blocks: whether one is code as a whole, and how its text is written.
    fn is_unstyled(&self, at: u32, block: &Block) -> bool {
        let (last, known) = self.unstyled.get();
        if last == at {
            return known;
        }
        let is_unstyled = self.content.page.is_unstyled(block);
        self.unstyled.set((at, is_unstyled));
        is_unstyled
    }

    /// Returns the Markdown of a link that holds only images; its text is the first alternative text of an image.
    fn linked_image(&mut self, link: u32) -> Option<String> {
        let (page, html) = (self.content.page, self.content.html);
        let inside = link + 1..page.element(link)?.end;
        let mut images = inside.filter_map(|at| page.element(at)).inspect(|_| _ = traced::take(1));
        let alt = images.find_map(|element| {
            let is_shown = element.tag == Tag::Img && !element.hidden;
            alternative(element, html).filter(|alt| is_shown && !alt.is_empty())
        })?;
        let address = self.links.as_mut()?.take(link)?;
        Some(written_link(&alt, &address))
    }

    /// Returns the runs (parts of one style) of a block between two bytes, and adds addresses of links to `addresses`.
    fn runs(
        &mut self,
        block: &Block,
        (start, end): (usize, usize),
        mode: Mode,
        addresses: &mut Vec<Option<String>>,
    ) -> Vec<Run> {
        let page = self.content.page;
        let mut runs: Vec<Run> = Vec::new();
        let mut from = start;
        let mut element = None;
        for part in page.styled_from(block, start as u32) {
            if from >= end {
                break;
            }
            traced::take(1);
            let InlineStyle { link, code, strong, em } = part.style;
            let leads_to_itself = |link: u32| heading_text::leads_to(page, self.content.html, block, link);
            if let Some(links) = &mut self.links
                && link.is_some()
                && link != element
            {
                let leads = link.filter(|link| mode != Mode::Heading || !leads_to_itself(*link));
                addresses.push(leads.and_then(|link| links.take(link)));
            }
            element = link;
            let number = addresses.len().checked_sub(1);
            let has_address = addresses.last().is_some_and(Option::is_some);
            let to = (from + part.text.len()).min(end);
            if let Some(link) = link
                && heading_text::is_mark(part.text)
                && (matches!(mode, Mode::Heading | Mode::Caption | Mode::Term)
                    || heading_text::place(page, self.content.html, link).is_some())
            {
                from = to;
                continue;
            }
            let keeps_space = page.container(block).is_some_and(|(_, e)| e.tag.keeps_space());
            runs.push(Run {
                from,
                to,
                link: number.filter(|_| link.is_some() && has_address),
                code: code || keeps_space,
                strong: match mode {
                    Mode::Term => true,
                    // They are strong or emphasised as a whole already.
                    Mode::Heading | Mode::Caption | Mode::HeaderCell => false,
                    Mode::Paragraph | Mode::Cell => strong,
                },
                em: mode == Mode::Caption || em && mode != Mode::Term && !strong,
                ..Run::default()
            });
            from = to;
        }
        runs
    }
}

/// Iterates over the byte ranges of addresses in angle brackets in a text, without the brackets.
fn addresses(text: &str) -> impl Iterator<Item = Range<usize>> {
    // By one byte, which few texts have.
    let starts = memchr::memchr_iter(b'<', text.as_bytes()).map(|at| at + 1);
    starts.filter(|start| text.get(*start..).is_some_and(|rest| rest.starts_with("http"))).filter_map(|start| {
        let rest = text.get(start..)?;
        let len = rest.find(|c: char| c == '>' || c == '<' || c.is_whitespace())?;
        let address = rest.get(..len)?;
        let (scheme, host) = address.split_once("://")?;
        let is_address = matches!(scheme, "http" | "https") && !host.is_empty() && rest.get(len..)?.starts_with('>');
        is_address.then_some(start..start + len)
    })
}

/// Returns whether a text contains an address in angle brackets.
pub(super) fn has_address(text: &str) -> bool {
    addresses(text).next().is_some()
}

/// Divides runs (parts of one style) so that each address in angle brackets is a link, written by `write`. Links cannot
/// contain links: one around an address is dropped if `may_drop` returns true for its index.
fn with_addresses(
    runs: &[Run],
    text: &str,
    may_drop: impl Fn(usize) -> bool,
    mut write: impl FnMut(&str) -> Option<String>,
) -> Vec<Run> {
    let places: Vec<Range<usize>> = addresses(text).collect();
    let may_link = |run: &Run| run.form == PieceKind::Text && !run.code && run.link.is_none_or(&may_drop);
    // Both are in the order of the text.
    let within = |run: &Run| -> &[Range<usize>] {
        let first = places.partition_point(|place| place.start < run.from);
        let behind = places.partition_point(|place| place.end <= run.to);
        places.get(first..behind).filter(|_| may_link(run)).unwrap_or_default()
    };
    let around = runs.iter().filter(|run| !within(run).is_empty());
    let dropped: FxHashSet<usize> = around.filter_map(|run| run.link).collect();
    let mut linked: Vec<Run> = Vec::with_capacity(runs.len() + 2 * places.len());
    for run in runs {
        let mut rest = Run { link: run.link.filter(|link| !dropped.contains(link)), ..run.clone() };
        for place in within(run) {
            traced::take(1);
            let Some(written) = text.get(place.clone()).and_then(&mut write) else { continue };
            linked.push(Run { to: place.start, ..rest.clone() });
            linked.push(Run { from: place.start, to: place.end, form: PieceKind::Link(written), ..rest.clone() });
            rest.from = place.end;
        }
        linked.push(rest);
    }
    linked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stand_in_brackets() {
        let found = |text: &str| -> Vec<String> { addresses(text).map(|place| text[place].to_owned()).collect() };
        assert_eq!(
            found("see <<https://a.example/x>> and <http://b.example>."),
            ["https://a.example/x", "http://b.example"]
        );
        for text in ["<https://>", "<https://a b>", "<https://a", "https://a>", "<httpd://a>", "<https:a>"] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
