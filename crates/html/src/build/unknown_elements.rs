//! Tells whether an unknown element runs within a line, as those of a specification do (`emu-val`), or holds blocks, as
//! those of scripts do. A browser takes it for inline: here text beside it on its line shows that it is.

use super::{Builder, OpenState};
use crate::markup::Tag;
use crate::page::NONE;

/// Returns whether elements of a tag set words of a sentence, and are no parts of a card or a row of controls.
pub(super) fn is_of_prose(tag: Tag) -> bool {
    use Tag::*;
    matches!(
        tag,
        Abbr | B
            | Cite
            | Code
            | Del
            | Dfn
            | Em
            | I
            | Ins
            | Kbd
            | Mark
            | Q
            | Ruby
            | S
            | Samp
            | Small
            | Strong
            | Sub
            | Sup
            | Tt
            | U
            | Var
            | Wbr
    )
}

impl Builder {
    /// Returns whether an unknown element that starts certainly runs within the line: the element around it holds a
    /// line, or text directly before it does not run together with it.
    pub(super) fn runs_in_line(&self) -> bool {
        let around = self.stack.last().map_or(NONE, |open| open.container);
        let is_in_line = self.stack.last().is_some_and(|open| open.state.contains(OpenState::IN_LINE));
        let holds_line = self.page.element(around).is_some_and(|element| element.tag == Tag::P);
        if is_in_line || holds_line || self.keep_space > 0 || self.open[Tag::Ruby as usize] > 0 {
            return true;
        }
        let Some(current) = &self.current else { return false };
        // What else stands between them, as the link and the name of a card do, may be a thing of its own.
        let last = self.page.inline.get(self.inline_from..).and_then(<[u32]>::last);
        let last = last.and_then(|last| self.page.element(*last));
        let is_beside = current.last_tag + 1 == self.tag_count || last.is_some_and(|last| is_of_prose(last.tag));
        is_beside && self.fold.ends_word()
    }

    /// Returns whether an unknown element that ends may run within the line; otherwise it ends a block.
    pub(super) fn ends_within_line(&mut self, name: &[u8]) -> bool {
        let Some(open) = self.stack.last().copied().filter(|open| open.tag == Tag::Other) else { return false };
        let number = self.intern(name);
        if open.name != number || open.state.contains(OpenState::ENDED) {
            return false;
        }
        let Some(element) = self.page.elements.get_mut(open.element as usize) else { return false };
        if open.state.contains(OpenState::IN_LINE) {
            // Its row is the first of its block's or a later one, unless blocks have ended in it.
            let first = self.page.inline.get(self.inline_from);
            let is_line = first.is_some_and(|first| *first <= open.element);
            if !is_line {
                element.tag = Tag::Other;
            }
            return is_line;
        }
        let last = self.page.blocks.last();
        let is_alone = last.is_none_or(|block| block.span.1 <= element.start);
        let is_line = is_alone && self.current.as_ref().is_some_and(|current| current.element >= open.element);
        if is_line {
            self.unknown_line = Some(open.element);
        }
        is_line
    }

    /// Ends the line after an unknown element, because no text follows it: it was a block.
    #[inline]
    pub(super) fn end_unknown_line(&mut self) {
        if self.unknown_line.is_some() {
            self.flush();
        }
    }

    /// Handles text after an unknown element, which shows that the element runs within the line. Returns whether the
    /// text is done with, as white space is, which decides nothing yet.
    #[inline(never)]
    pub(super) fn text_behind_unknown(&mut self, raw: &str) -> bool {
        if self.keep_space == 0 && self.keep_lines == 0 && raw.bytes().all(|byte| byte.is_ascii_whitespace()) {
            return self.fold.blank(raw.as_bytes());
        }
        if self.fold.runs_into(raw) {
            self.flush();
            return false;
        }
        let Some(first) = self.unknown_line.take() else { return false };
        for element in self.page.elements.iter_mut().skip(first as usize).filter(|element| element.tag == Tag::Other) {
            element.tag = Tag::Span;
        }
        if let Some(current) = &mut self.current {
            current.container = self.stack.last().map_or(NONE, |open| open.container);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Limits, LolEngine, ScanEngine};

    /// Texts of the blocks, divided by `|`, and the tag of each one's container.
    fn shown(html: &str) -> String {
        let page = ScanEngine.read(html, &Limits::default());
        assert_eq!(page, LolEngine.read(html, &Limits::default()), "{html}");
        let texts = page.blocks.iter().map(|block| {
            let container = page.container(block).map_or("", |(_, element)| page.name(element));
            format!("{container}: {}", page.text(block))
        });
        texts.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn an_unknown_element_runs_within_its_line() {
        for (html, wanted) in [
            ("<p>if <my-val>true</my-val>, <my-ref><a href=#x>stop</a></my-ref>.<p>b", "p: if true, stop.|p: b"),
            ("<p><my-val>Wahr</my-val> heißt <x>ja</x></p>", "p: Wahr heißt ja"),
            ("<div><g-mark>★</g-mark> 新しい<x-y>水車</x-y></div>", "div: ★ 新しい水車"),
            ("<li>met <st1:place>Kyiv</st1:place> and <x-a><x-b>Lviv</x-b></x-a> on", "li: met Kyiv and Lviv on"),
            ("<td><x-a><x-b>un</x-b></x-a> deux</td>", "td: un deux"),
            ("<div><x-word>Roue</x-word> <em>est <b>un</b></em> mot</div>", "div: Roue est un mot"),
            ("<h2>The <b>big</b> <x-name>Wheel</x-name> <b>3</b></h2>", "h2: The big Wheel 3"),
            ("<div>a <blink>b <b>c</b></blink> d<p>e</div>", "div: a b c d|p: e"),
            ("<li><ruby><rb>橋</rb><rt>はし</rt></ruby>です", "li: 橋（はし）です"),
            ("<pre><x-a>if</x-a> <x-b>x</x-b>\n  <x-a>y</x-a></pre>", "pre: if x\n  y"),
        ] {
            assert_eq!(shown(html), wanted, "{html}");
        }
    }

    #[test]
    fn an_unknown_element_that_holds_blocks_is_a_container() {
        for (html, wanted) in [
            ("<x-card><h3>a</h3><p>b</p></x-card><x-card>c</x-card>", "h3: a|p: b|x-card: c"),
            ("<x-a>One</x-a> <x-b>Two</x-b><p>three", "x-a: One|x-b: Two|p: three"),
            ("<x-a>One</x-a><a href=x>two</a>", "x-a: One|: two"),
            ("<div>a <x-a>b<p>c</p></x-a> d</div>", "div: a b|p: c|div: d"),
            ("<x-a><p>a</p>b</x-a> c", "p: a|x-a: b|: c"),
            ("<div><a href=x>A boat</a> <x-price>30</x-price></div>", "div: A boat|x-price: 30"),
            ("<h1>Boats for rent<x-button>nearby</x-button></h1>", "h1: Boats for rent|x-button: nearby"),
            ("<div>Kyiv (UA)<x-sky>3 °C</x-sky>Rain</div>", "div: Kyiv (UA)|x-sky: 3 °C|div: Rain"),
            ("<a href=x><x-a>One</x-a></a> two", "x-a: One|: two"),
        ] {
            assert_eq!(shown(html), wanted, "{html}");
        }
        let page = ScanEngine.read("<div>a <x-a>b<p>c</p></x-a></div>", &Limits::default());
        assert_eq!(page.name(&page.elements[1]), "x-a");
    }
}
