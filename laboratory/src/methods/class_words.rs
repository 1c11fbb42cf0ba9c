//! Words inside attribute tokens.

use rustc_hash::FxHashMap;
use trommel_html::{AttributeWord, Page};

/// Finds tokens that contain one of a list of words; each distinct token of a page is searched once.
pub(crate) struct ClassWords<'a> {
    words: &'a [&'a str],
    known: FxHashMap<u64, bool>,
}

impl<'a> ClassWords<'a> {
    /// For these words, in lower case.
    pub fn new(words: &'a [&'a str]) -> Self {
        Self { words, known: FxHashMap::default() }
    }

    /// Returns whether the token contains one of the words.
    pub fn matches(&mut self, page: &Page, token: &AttributeWord) -> bool {
        *self.known.entry(token.hash).or_insert_with(|| {
            let text = page.word_text(token);
            self.words.iter().any(|word| text.contains(word))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn words_are_found_inside_tokens() {
        let page = ScanEngine.read("<p class='sidebars menu foot'>a</p>", &Limits::default());
        let mut words = ClassWords::new(&["sidebar", "footer"]);
        let found: Vec<bool> = page.attribute_words.iter().map(|token| words.matches(&page, token)).collect();
        assert_eq!(found, [true, false, false]);
    }
}
