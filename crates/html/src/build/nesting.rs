//! Finds the open elements that a tag ends (HTML standard, 13.2.6.4), and elements whose name does not give the layout.
//!
//! An unknown element runs within a line, as those of a specification do (`emu-val`), or holds blocks, as those of
//! scripts do. A browser takes it for inline: here text beside it on its line shows that it is. Some elements are laid
//! out as code but are not `pre`: editors, tables of lines, `code` as a block. In the table of elements their rows are
//! those of a `pre`.

use super::{Builder, OpenElement, OpenState, attribute_values::declares, blocks::narrow};
use crate::markup::lexer::{Key, TagText};
use crate::markup::{Tag, Traits};
use crate::page::{NONE, has_style};

/// Tags of headings: the end tag of any of them ends an open heading of any level.
// As in the standard, because pages often open `h2` and close `h3`.
const HEADINGS: [Tag; 6] = [Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6];

impl Builder {
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        let end = self.page.elements.len() as u32;
        let Some(top) = self.stack.pop() else { return };
        if let Some(element) = self.page.elements.get_mut(top.element as usize) {
            element.end = end;
        }
        if !top.state.contains(OpenState::ENDED) {
            self.closed(top);
        }
    }

    /// Updates the builder when an open element ends, by its end tag or because an element around it ends.
    #[inline]
    pub(super) fn closed(&mut self, open: OpenElement) {
        self.open[open.tag as usize] -= 1;
        let is_styled = || self.styles.is_some() && has_style(open.style);
        if open.state.intersects(OpenState::NOTED_END) || !self.open_notations.is_empty() || is_styled() {
            self.closed_noted(open);
        }
    }

    /// Handles the end of an element that was a link, preserved white space, added a quotation mark or bracket, or had
    /// a style or special meaning.
    #[inline(never)]
    fn closed_noted(&mut self, open: OpenElement) {
        self.keep_space -= u32::from(open.state.contains(OpenState::KEEPS_SPACE));
        self.keep_lines -= u32::from(open.state.contains(OpenState::KEEPS_LINES));
        let is_link = open.state.contains(OpenState::LINK);
        if is_link {
            self.link_ends();
        }
        if open.state.contains(OpenState::APART) {
            self.fold.part_lines();
        }
        if open.state.intersects(OpenState::QUOTED | OpenState::READING) {
            self.end_sign(open);
        }
        if let Some(styles) = &mut self.styles {
            styles.end(open.style, open.element, is_link);
            styles.write(narrow(self.page.text.len() + self.fold.len()), &mut self.page.styles);
        }
        if !self.open_notations.is_empty() {
            self.close_notation(open.element);
        }
    }

    /// Handles an end tag: ends the innermost open element with the same name, if one is in scope.
    pub(super) fn end_element(&mut self, tag: Tag, name: &[u8]) {
        let heading = tag.is_heading();
        let open =
            if heading { HEADINGS.iter().any(|tag| self.open[*tag as usize] > 0) } else { self.open[tag as usize] > 0 };
        if !open {
            return;
        }
        let number = if tag == Tag::Other { self.intern(name) } else { 0 };
        let mut inside_block = false;
        let len = self.stack.len();
        let lowest = len.saturating_sub(self.reach());
        for at in (lowest..len).rev() {
            self.steps += 1;
            let Some(open) = self.stack.get(at).copied() else { return };
            let same = open.tag == tag && open.name == number || heading && open.tag.is_heading();
            if same && !open.state.contains(OpenState::ENDED) {
                // `<b><p>text</b>`: ending the `p` here would cut the paragraph, and the standard would reopen `b` in
                // it.
                if tag.is_inline() && inside_block {
                    self.closed(open);
                    if let Some(open) = self.stack.get_mut(at) {
                        open.state |= OpenState::ENDED;
                    }
                } else {
                    self.truncate(at);
                }
                return;
            }
            // Code set as a block is inline by its tag and a block by its layout.
            let is_inline = open.tag.is_inline() || open.state.contains(OpenState::IN_LINE);
            inside_block |= !is_inline || open.state.contains(OpenState::KEEPS_SPACE);
            let table_part = matches!(
                tag,
                Tag::Table | Tag::Td | Tag::Th | Tag::Tr | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Caption
            );
            // End tags inside of a table cell must not end what is around the table; table parts reach to their own
            // table.
            let is_barrier = if table_part { open.tag == Tag::Table } else { open.tag.is_scope() };
            if is_barrier {
                return;
            }
        }
    }

    /// Returns whether an end tag `</code>` at this place ends a `code` element that is displayed as a block.
    pub(super) fn ends_block_of_code(&mut self) -> bool {
        if self.keep_space == 0 || self.open[Tag::Code as usize] == 0 {
            return false;
        }
        let nearest = self.nearest(|tag| tag == Tag::Code);
        let open = nearest.and_then(|at| self.stack.get(at));
        open.is_some_and(|open| open.state.contains(OpenState::KEEPS_SPACE))
    }

    pub(super) fn truncate(&mut self, len: usize) {
        while self.stack.len() > len {
            self.pop();
        }
    }

    /// Ends the open elements that the start of `tag` ends by implication (HTML standard, 13.2.6.4).
    #[inline(never)]
    pub(super) fn imply_ends(&mut self, tag: Tag) {
        use Tag::*;
        match tag {
            // A list inside of an item is a barrier, so its items do not end the item around it.
            Li => self.end_nearest(&[Li], ends_item_scope),
            Dd | Dt => self.end_nearest(&[Dd, Dt], ends_item_scope),
            Td | Th => self.end_inside(&[Tr, Tbody, Thead, Tfoot, Table]),
            Tr => self.end_inside(&[Tbody, Thead, Tfoot, Table]),
            Tbody | Thead | Tfoot | Caption | Colgroup => self.end_inside(&[Table]),
            Button => self.end_nearest(&[Button], Tag::is_scope),
            Rt | Rp => self.end_nearest(&[Rt, Rp], |tag| tag == Ruby || tag.is_scope()),
            _ => {}
        }
        if tag.closes_p() {
            self.end_nearest(&[P], |tag| tag == Button || tag.is_scope());
        }
        // Headings do not nest: the standard ends one where the next begins, but only if nothing is between.
        if tag.is_heading() && self.stack.last().is_some_and(|open| open.tag.is_heading()) {
            self.truncate(self.stack.len() - 1);
        }
    }

    /// Ends the heading around the text directly before the start of `tag`, if its end tag is missing.
    /// The end tag is missing if `tag` cannot be part of a heading.
    #[inline(never)]
    pub(super) fn end_heading_above(&mut self, tag: Tag) {
        use Tag::*;
        // A `div` in a heading may be its second line.
        let is_part = matches!(tag, Div | Header | Hgroup | Address | Center) || tag.is_heading();
        let around = self.stack.last().map_or(NONE, |open| open.container);
        let is_text = self.current.as_ref().is_some_and(|current| current.container == around);
        if is_part || !is_text || !self.page.element(around).is_some_and(|element| element.tag.is_heading()) {
            return;
        }
        let nearest = self.nearest(Tag::is_heading);
        if let Some(at) = nearest.filter(|at| self.stack.get(*at).is_some_and(|open| open.element == around)) {
            self.flush();
            self.truncate(at);
        }
    }

    /// Ends the innermost open element with one of `tags`, unless an element that `is_barrier` accepts is nearer.
    fn end_nearest(&mut self, tags: &[Tag], is_barrier: impl Fn(Tag) -> bool) {
        if tags.iter().all(|tag| self.open[*tag as usize] == 0) {
            return;
        }
        let nearest = self.nearest(|tag| tags.contains(&tag) || is_barrier(tag));
        if let Some(at) = nearest
            && self.stack.get(at).is_some_and(|open| tags.contains(&open.tag))
        {
            self.truncate(at);
        }
    }

    /// Returns the index in the stack of the innermost open element whose tag `is_wanted` accepts.
    fn nearest(&mut self, is_wanted: impl Fn(Tag) -> bool) -> Option<usize> {
        let lowest = self.stack.len().saturating_sub(self.reach());
        let near = self.stack.get(lowest..).unwrap_or_default();
        let found = near.iter().rposition(|open| is_wanted(open.tag));
        self.steps += (near.len() - found.unwrap_or(0)) as u64;
        found.map(|at| lowest + at)
    }

    /// Ends all elements inside the innermost open one among `contexts`, which are table parts (HTML standard, "clear
    /// the stack back to a table context").
    pub(super) fn end_inside(&mut self, contexts: &[Tag]) {
        // Table tags without a table mean nothing, and must not search the whole stack each time.
        if self.open[Tag::Table as usize] == 0 {
            return;
        }
        if let Some(at) = self.nearest(|tag| contexts.contains(&tag)) {
            self.truncate(at + 1);
        }
    }
}

/// Returns whether an element shields a list item around it from being ended by tags inside the element.
fn ends_item_scope(tag: Tag) -> bool {
    !tag.is_inline() && !matches!(tag, Tag::Address | Tag::Div | Tag::P | Tag::Other)
}

impl Builder {
    /// Returns whether an unknown element that starts certainly runs within a line of text.
    /// This holds inside a `p`, a ruby or preformatted text, and directly after text that ends a word.
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
        let is_beside = current.last_tag + 1 == self.tag_count || last.is_some_and(|last| last.tag.has(Traits::PROSE));
        is_beside && self.fold.ends_word()
    }

    /// Returns whether an unknown element that ends may run within a line of text; if not, it ends a block.
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

    /// Ends the block after an element with an unknown name, because no text follows the element on its line.
    #[inline]
    pub(super) fn end_unknown_line(&mut self) {
        if self.unknown_line.is_some() {
            self.flush();
        }
    }

    /// Handles text after an unknown element, which shows that the element runs within a line of text.
    /// Returns true if the text is white space, which decides nothing and is consumed.
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

/// Classes of elements that hold the lines of a piece of code, in lower case. They are those of SyntaxHighlighter,
/// CodeMirror 6 and 5, Monaco, Ace, Crayon and its successor, Enlighter, React's renderer of Prism, Quill, and GitHub's
/// tables and lists of lines.
// They draw code as `div` lines or table rows, whose white space the page would fold as that of prose.
const HIGHLIGHTERS: [&[u8]; 12] = [
    b"syntaxhighlighter", b"cm-editor", b"codemirror", b"monaco-editor", b"ace_editor", b"crayon-syntax",
    b"urvanov-syntax-highlighter-syntax", b"enlighter-default", b"prism-code", b"js-file-line-container",
    b"react-code-file-contents", b"ql-code-block-container",
];
/// Classes that display a `code` element as a block.
const BLOCK_CLASSES: [&[u8]; 4] = [b"block", b"code-block", b"codeblock", b"block-code"];
/// CSS declarations that display a `code` element as a block, in lower case without white space.
const BLOCK_STYLES: [&[u8]; 2] = [b"display:block", b"white-space:pre;"];

/// Returns whether the class or style of a `code` element displays it as a block.
pub(super) fn is_block_of_code(text: &TagText) -> bool {
    // Sites use `code` set as a block for whole listings; structure pages gained code .909 to .927.
    if has_class(text, &BLOCK_CLASSES) {
        return true;
    }
    let Some(style) = text.value(Key::Style) else { return false };
    // The last rule may lack its semicolon.
    let style = [style.trim_ascii_end(), b";"].concat();
    BLOCK_STYLES.iter().any(|rule| declares(&style, rule))
}

/// Returns whether an element holds lines of code, by its class and the `meta` elements (name, content) of the page.
pub(super) fn is_highlighter(text: &TagText, meta: &[(String, String)]) -> bool {
    // Doxygen writes code as `fragment`; slides use that class for what appears step by step.
    if text.tag == Tag::Div && has_class(text, &[b"fragment"]) {
        return meta.iter().any(|(name, content)| name == "generator" && content.starts_with("Doxygen"));
    }
    // Not inline elements: a class of that name on a `span` is one token of a highlighter.
    matches!(text.tag, Tag::Div | Tag::Table | Tag::Section | Tag::Figure) && has_class(text, &HIGHLIGHTERS)
}

fn has_class(text: &TagText, wanted: &[&[u8]]) -> bool {
    text.classes().any(|name| wanted.iter().any(|word| word.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Limits, LolEngine, ScanEngine};

    /// Returns the text of each block after the name of its container, separated by `|`.
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

#[cfg(test)]
mod code_elements_tests {
    use crate::{Engine, Limits, LolEngine, ScanEngine, Tag};

    /// Returns the texts of the blocks, with those of code in brackets.
    fn shown(html: &str) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        assert_eq!(page, LolEngine.read(html, &Limits::default()), "{html}");
        let is_code = |at: u32| page.path(at).any(|(_, element)| element.tag == Tag::Pre);
        let blocks = page.blocks.iter().map(|block| {
            let text = page.text(block);
            if is_code(block.element) { format!("[{text}]") } else { text.to_owned() }
        });
        blocks.collect()
    }

    #[test]
    fn code_that_is_set_as_a_block_is_one() {
        for attribute in [
            "class='hl lean block'", "class=CodeBlock", "style='color: red; display: block'", "style='white-space:pre'",
        ] {
            let html = format!("<p>a <code {attribute}>b\n  <b>c</b></code> d <code>e</code> f");
            assert_eq!(shown(&html), ["a", "[b\n  c]", "d e f"], "{attribute}");
        }
        for attribute in ["", "class=blocked", "style=white-space:nowrap"] {
            let html = format!("<p>a <code {attribute}>b\n c</code> d");
            assert_eq!(shown(&html), ["a b c d"], "{attribute}");
        }
        // Code in code is a part of it.
        assert_eq!(shown("<pre>a <code class=block>b</code> c</pre>"), ["[a b c]"]);
        assert_eq!(shown("<code class=block>a <code>b</code> c</code> d"), ["[a b c]", "d"]);
    }

    #[test]
    fn lines_are_kept_where_the_style_says_so() {
        for (html, wanted) in [
            (
                "<p style='white-space: pre-line'>Liebe Ana,\n\nes ist  so.\nBis bald",
                &["Liebe Ana,", "es ist so.\nBis bald"][..],
            ),
            (
                "<style>.chat p{x:y} p.msg, #m{white-space:pre-wrap}</style><p class='msg a'>one &amp\ntwo</p><i id=m>trois\r\nquatre</i>",
                &["one &\ntwo", "trois\nquatre"],
            ),
            ("<style>poem{white-space:break-spaces}</style><poem>雨\n<b>風</b>\n雪</poem>", &["雨\n風\n雪"]),
            ("<div style='font: 12px Consolas, monospace; white-space: pre'>if x:\n    y</div>", &["[if x:\n    y]"]),
            (
                "<style>.l{white-space:pre-wrap;font-family:ui-monospace}</style><div class=l>\n a {\n  b\n }</div>c",
                &["[ a {\n  b\n }]", "c"],
            ),
            // Said of none of these, or taken back.
            (
                "<style>.a{white-space:pre}.a{white-space:normal}@media print{.b{white-space:pre}}</style><p class=a>a\nb<p class=b>c\nd<p style=white-space:nowrap>e\nf",
                &["a b", "c d", "e f"],
            ),
            ("<pre style=white-space:pre-line>a\n  b</pre>", &["[a\n  b]"]),
        ] {
            assert_eq!(shown(html), wanted, "{html}");
        }
    }

    #[test]
    fn editors_and_tables_of_lines_are_code() {
        assert_eq!(shown("<p>a<div class='cm-editor x'><div class=cm-content>b</div></div>c"), ["a", "[b]", "c"]);
        assert_eq!(
            shown("<table class='highlight js-file-line-container'><tr><td>a<tr><td>b</table>c"),
            ["[a]", "[b]", "c"]
        );
        assert_eq!(
            shown(
                "<div class='prism-code language-js'><div class=token-line><b>a</b> =</div><div class=token-line>b</div></div>c"
            ),
            ["[a =]", "[b]", "c"]
        );
        let doxygen = "<meta name=generator content='Doxygen 1.9'><div class=fragment><div class=line>a {</div><div class=line>  b</div></div>c";
        assert_eq!(shown(doxygen), ["[a {]", "[  b]", "c"]);
        assert_eq!(shown("<div class=fragment><div class=line>a</div></div>"), ["a"]);
        assert_eq!(shown("<div class=cm>a</div><span class=cm-editor>b</span>"), ["a", "b"]);
    }

    #[test]
    fn what_has_the_role_of_a_heading_is_one() {
        let html = "<div role=heading aria-level=3>a</div><p role=Heading>b</p><div role=heading aria-level=8>c</div>\
                    <span role=heading>d</span><h2 role=heading aria-level=4>e</h2>";
        let page = ScanEngine.read(html, &Limits::default());
        assert_eq!(page, LolEngine.read(html, &Limits::default()));
        let tags = page.blocks.iter().map(|block| page.container(block));
        let tags: Vec<Option<Tag>> = tags.map(|entry| entry.map(|(_, element)| element.tag)).collect();
        let headings = [Tag::H3, Tag::H2, Tag::H6].map(Some);
        assert_eq!(tags, [&headings[..], &[None, Some(Tag::H2)]].concat());
        // Comments that say to be headings are none.
        let html = "<div role=heading><p>a<p>b</div>";
        let page = ScanEngine.read(html, &Limits::default());
        assert!(page.elements.iter().all(|element| !element.tag.is_heading()));
    }
}
