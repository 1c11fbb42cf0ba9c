//! Tests that spans lead back: the part of the page in a block's span, read again, gives the block's text.

use proptest::prelude::*;

use super::engine::{pages, root};
use crate::{Block, Engine, Limits, LolEngine, Page, ScanEngine};

/// Returns the text of a block's span, read as a page by itself. White space at its start is before the span.
fn read_again(engine: &impl Engine, html: &str, page: &Page, block: &Block) -> String {
    let slice = &html[block.span.0 as usize..block.span.1 as usize];
    let keeps_space = page.path(block.element).any(|(_, element)| element.tag.keeps_space());
    let context = if keeps_space { "<pre>" } else { "" };
    let again = engine.read(&format!("{context}{slice}"), &Limits::default());
    let texts: Vec<&str> = again.blocks.iter().map(|block| again.text(block)).collect();
    texts.join("|")
}

/// Returns the blocks whose text is not that of their spans, as pairs of both texts.
fn strays(engine: &impl Engine, html: &str) -> Vec<(String, String)> {
    let page = engine.read(html, &Limits::default());
    let blocks = page.blocks.iter().map(|block| {
        let again = read_again(engine, html, &page, block);
        (page.text(block).trim_start().to_owned(), again)
    });
    // What the page's sheet shows as a block begins a line there alone.
    let on_one_line = |text: &String| text.replace('\n', " ");
    blocks.filter(|(text, again)| on_one_line(text) != on_one_line(again)).collect()
}

/// Generates markup in which the text between two pieces does not depend on distant markup, except for `pre`.
/// It has no unclosed elements, no raw text and no unknown elements.
fn markup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z]{1,3}( [a-z]{1,2})?",
        "</?(div|p|a href=x|b|code|li|ul|td|tr|table|span|pre|br|h1|i|hr|section|dt|caption)>",
        "(&amp;|&lt;|&am|&#233;|&nbsp;|&shy;|\u{a0}|\u{ad}|é|日本|\u{3000}|\u{0}| |\n|\t|\r\n)",
        "(<|>|\"|'|</|<3|-|&|;)",
        "<!--[a-z<>-]{0,4} -->",
        "<(script|style|template|textarea|iframe|svg)>[a-z]{0,2}",
    ];
    // What holds no text of the page is closed where it was opened.
    let close = |piece: String| {
        let name = piece.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        match name {
            Some((name @ ("script" | "style" | "template" | "textarea" | "iframe" | "svg"), _)) => {
                format!("{piece}</{name}>")
            }
            _ => piece,
        }
    };
    prop::collection::vec(piece.prop_map(close), 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_span_holds_the_text_of_its_block(html in markup()) {
        prop_assert_eq!(strays(&ScanEngine, &html), []);
        prop_assert_eq!(strays(&LolEngine, &html), []);
    }
}

#[test]
fn spans_hold_the_texts_of_real_blocks() {
    let mut blocks = 0;
    for html in pages(&root().join("samples/wcxb-sample.warc.gz")) {
        let page = ScanEngine.read(&html, &Limits::default());
        blocks += page.blocks.len();
        assert_eq!(strays(&ScanEngine, &html), []);
        assert_eq!(strays(&LolEngine, &html), []);
    }
    assert!(blocks > 0);
}
