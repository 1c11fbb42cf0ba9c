//! Tests of the crate as a whole: both engines, hostile pages, spans.

mod engine;
mod hostile;
mod html5lib;
mod opinion;
mod page;
mod span;

use crate::{Engine, Limits, LolEngine, ScanEngine};

/// Returns the texts of the blocks of a page, separated by `|`; both engines must give the same page.
pub(crate) fn block_texts(html: &str) -> String {
    let page = ScanEngine.read(html, &Limits::default());
    assert_eq!(page, LolEngine.read(html, &Limits::default()), "{html}");
    let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
    texts.join("|")
}
