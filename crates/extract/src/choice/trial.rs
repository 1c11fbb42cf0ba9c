//! Tries rules on pages made by hand.

use trommel_html::{Engine, Limits, Page, ScanEngine};

use crate::role::Role;

/// The texts that are kept after a rule. Before it, texts that begin with a dash are dropped and all others kept.
pub(super) fn left(html: &str, rule: impl FnOnce(&Page, &mut [bool])) -> Vec<String> {
    left_of(html, |text| !text.starts_with('-'), rule)
}

/// The same if the texts are kept before of which `is_kept` says so.
pub(super) fn left_of(
    html: &str,
    is_kept: impl Fn(&str) -> bool,
    rule: impl FnOnce(&Page, &mut [bool]),
) -> Vec<String> {
    let page = ScanEngine.read(html, &Limits::default());
    let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
    let mut kept: Vec<bool> = texts.iter().map(|text| is_kept(text)).collect();
    rule(&page, &mut kept);
    let left = texts.iter().zip(&kept).filter(|(_, kept)| **kept);
    left.map(|(text, _)| (*text).to_owned()).collect()
}

/// Roles of blocks: texts that begin with `c`, behind a dash or not, are comments.
pub(super) fn roles(page: &Page) -> Vec<Role> {
    let is_comment = |text: &str| text.trim_start_matches('-').starts_with('c');
    let texts = page.blocks.iter().map(|block| page.text(block));
    texts.map(|text| if is_comment(text) { Role::Comment } else { Role::Other }).collect()
}
