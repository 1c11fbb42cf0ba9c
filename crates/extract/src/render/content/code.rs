//! Reads the code of kept blocks again from the page, with its white space.

use std::rc::Rc;

use trommel_html::{ElementKinds, Page, code_text, code_white_space};

use super::KeptContent;
use crate::render::{content, traced};

/// Returns the index of the outermost element of code around a block.
pub(crate) fn outermost_code(page: &Page, block: usize) -> Option<u32> {
    let path = page.path_in(ElementKinds::CODE, page.blocks.get(block)?);
    let code = path.filter(|(_, element)| element.tag.keeps_space()).last();
    code.map(|(at, _)| at)
}

impl KeptContent<'_> {
    /// Reads the code in an element again from the page. `None` if there is none, too much was read again, or a
    /// misplaced end tag ends the element before byte `end`.
    pub fn code_in(&self, element: u32, end: u32) -> Option<String> {
        let element = self.page.element(element)?;
        let behind = self.page.element(element.end).map_or(self.html.len(), |element| element.start as usize);
        let len = behind.saturating_sub(element.start as usize);
        // Beyond it code is put together from its blocks, which loses only white space.
        self.code_room.set(self.code_room.get().checked_sub(len)?);
        traced::take(len);
        let (text, reached) = code_text(self.html.get(..behind)?, element.start)?;
        (!text.is_empty() && reached >= end).then_some(text)
    }

    /// Returns the code in the given blocks of a `pre`, with the lines before, between and after them that hold no word
    /// (`}`).
    pub fn code(&self, pre: u32, blocks: &[u32]) -> Rc<str> {
        let Some(first) = blocks.first() else {
            return Rc::default();
        };
        if let Some(known) = self.codes.borrow().get(first) {
            return known.clone();
        }
        let code: Rc<str> = self.read_code(pre, blocks).into();
        self.codes.borrow_mut().insert(*first, code.clone());
        code
    }

    fn read_code(&self, pre: u32, blocks: &[u32]) -> String {
        let mut parts = content::parts(self.page, blocks).into_iter();
        let Some((_, first)) = parts.next() else {
            return String::new();
        };
        let mut text = self.code_part(pre, first);
        let mut last = first.last();
        for (element, blocks) in parts {
            let end = last.and_then(|at| self.block(*at)).map_or(0, |block| block.span.1);
            text.push_str(&content::line_ends(self.html, end));
            text.push_str(&self.code_part(element, blocks));
            last = blocks.last();
        }
        text
    }

    fn code_part(&self, pre: u32, blocks: &[u32]) -> String {
        let last = blocks.last().and_then(|at| self.block(*at));
        if let Some(code) = self.code_in(pre, last.map_or(0, |block| block.span.1)) {
            // The indent of a `code` that is set as a block is that of the page's source.
            let is_pre = self.page.element(pre).is_some_and(|element| {
                let name = self.html.get(element.start as usize + 1..element.start as usize + 5);
                name.is_none_or(|name| !name.eq_ignore_ascii_case("code"))
            });
            return if is_pre { code } else { unindented(&code) };
        }
        let mut text = String::new();
        let (Some(&first), Some(&last)) = (blocks.first(), blocks.last()) else {
            return text;
        };
        let gap = |from: Option<u32>, to: Option<u32>, open, until| {
            let to = to.map_or(self.html.len(), |to| to as usize);
            let html = self.html.get(from? as usize..to)?;
            code_white_space(html, open, until)
        };
        let end = |at: u32| self.block(at).map(|block| block.span.1);
        let start = |at: u32| self.block(at).map(|block| block.span.0);
        let Some(element) = self.page.element(pre) else {
            return text;
        };
        let before = first.checked_sub(1).and_then(end).unwrap_or(0);
        if before <= element.start
            && let Some(head) = gap(Some(element.start), start(first), false, None)
        {
            text.push_str(until_indent(&head).trim_start_matches('\n'));
        }
        let mut last_at = None;
        for &at in blocks {
            if let Some(last_at) = last_at {
                let between =
                    (last_at + 1 == at).then(|| gap(end(last_at), start(at), true, None)).flatten().unwrap_or_default();
                let between = until_indent(&between);
                text.push_str(if between.is_empty() { "\n" } else { between });
            }
            text.push_str(self.text(at));
            last_at = Some(at);
        }
        if let Some(tail) = gap(end(last), start(last + 1), true, Some(element.tag)) {
            text.push_str(tail.trim_end());
        }
        text
    }
}

/// Returns a text up to its last line end, without the indent of the line that follows.
fn until_indent(text: &str) -> &str {
    text.rfind('\n').and_then(|at| text.get(..=at)).unwrap_or_default()
}

/// Returns code without the indent that all of its lines share.
pub(crate) fn unindented(code: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let said = || code.split('\n').filter(|line| !line.trim().is_empty());
    let common = said().map(indent).min().unwrap_or(0);
    let lines: Vec<&str> = code.split('\n').map(|line| line.get(common..).unwrap_or_default()).collect();
    lines.join("\n")
}
