//! Recognises elements that are laid out as code but are not `pre`: editors, tables of lines, `code` as a
//! block. In the table of elements their rows are those of a `pre`.

use super::declarations::declares;
use crate::markup::Tag;
use crate::markup::tag_lexer::{Key, TagText};

/// Classes of elements that hold the lines of a piece of code. They are those of SyntaxHighlighter,
/// CodeMirror 6 and 5, Monaco, Ace, Crayon and its successor, Enlighter, React's renderer of Prism, and
/// GitHub's tables and lists of lines.
// They draw code as `div` lines or table rows, whose white space the page would fold as that of prose.
const HIGHLIGHTERS: [&[u8]; 11] = [
    b"syntaxhighlighter", b"cm-editor", b"codemirror", b"monaco-editor", b"ace_editor", b"crayon-syntax",
    b"urvanov-syntax-highlighter-syntax", b"enlighter-default", b"prism-code", b"js-file-line-container",
    b"react-code-file-contents",
];
/// Classes by which `code` is set as a block.
const BLOCK_CLASSES: [&[u8]; 4] = [b"block", b"code-block", b"codeblock", b"block-code"];
/// Styles that do the same.
const BLOCK_STYLES: [&[u8]; 2] = [b"display:block", b"white-space:pre;"];

/// Returns whether a `code` element is set as a block of its own.
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

/// Returns whether an element that may hold lines of code does, given the `meta` elements of the page.
pub(super) fn is_highlighter(text: &TagText, meta: &[(String, String)]) -> bool {
    // Doxygen writes code as `fragment`; slides use that class for what appears step by step.
    if text.tag == Tag::Div && has_class(text, &[b"fragment"]) {
        return meta.iter().any(|(name, content)| name == "generator" && content.starts_with("Doxygen"));
    }
    // Not inline elements: a class of that name on a `span` is one token of a highlighter.
    matches!(text.tag, Tag::Div | Tag::Table | Tag::Section | Tag::Figure) && has_class(text, &HIGHLIGHTERS)
}

fn has_class(text: &TagText, wanted: &[&[u8]]) -> bool {
    let class = text.value(Key::Class).unwrap_or_default();
    let mut names = class.split(|byte| byte.is_ascii_whitespace());
    names.any(|name| wanted.iter().any(|word| word.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Limits, LolEngine, ScanEngine, Tag};

    /// Texts of the blocks, those of code in brackets.
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
