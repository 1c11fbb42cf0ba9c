//! The words of every block as hashes, computed once for all groups that look at words.

use trommel_html::{Block, Page, hash, words};

/// Words at the start of a block that are hashed.
const SAMPLE: usize = 60;
/// Words at the start of a block whose pairs are hashed as well.
pub(crate) const PAIRED: usize = 12;

/// Hash of a word in lower case.
pub(crate) fn word_hash(word: &str) -> u64 {
    if word.is_ascii() {
        continued(EMPTY, word.bytes().map(|byte| byte.to_ascii_lowercase()))
    } else {
        hash(word.to_lowercase().as_bytes())
    }
}

/// [`hash`] of nothing.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// [`hash`] of what was hashed before and these bytes.
fn continued(before: u64, bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(before, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Hashes of the words and pairs at the start of each block.
#[derive(Debug)]
pub(crate) struct Terms {
    words: Vec<u64>,
    pairs: Vec<u64>,
    /// First word and first pair of each block, and of the end.
    starts: Vec<(u32, u32)>,
}

impl Terms {
    pub fn new(page: &Page) -> Self {
        let mut terms = Self {
            words: Vec::with_capacity(page.blocks.len() * 8),
            pairs: Vec::with_capacity(page.blocks.len() * 4),
            starts: Vec::with_capacity(page.blocks.len() + 1),
        };
        for block in &page.blocks {
            terms.mark();
            let mut before: Option<u64> = None;
            let all = words::words(page.text(block), words::Rule::Characters);
            for (at, word) in all.take(SAMPLE).enumerate() {
                let own = word_hash(word);
                if let Some(before) = before.filter(|_| at < PAIRED) {
                    let space = continued(before, std::iter::once(b' '));
                    terms.pairs.push(if word.is_ascii() {
                        continued(space, word.bytes().map(|byte| byte.to_ascii_lowercase()))
                    } else {
                        continued(space, word.to_lowercase().bytes())
                    });
                }
                terms.words.push(own);
                before = Some(own);
            }
        }
        terms.mark();
        terms
    }

    fn mark(&mut self) {
        self.starts
            .push((self.words.len() as u32, self.pairs.len() as u32));
    }

    /// Hashes of the first words of a block.
    pub fn words(&self, at: usize) -> &[u64] {
        let (from, to) = self.range(at);
        self.words
            .get(from.0 as usize..to.0 as usize)
            .unwrap_or_default()
    }

    /// Hashes of the pairs of a block's first words: the first is that of its first and second word.
    pub fn pairs(&self, at: usize) -> &[u64] {
        let (from, to) = self.range(at);
        self.pairs
            .get(from.1 as usize..to.1 as usize)
            .unwrap_or_default()
    }

    /// The different hashes among the first words of a block, sorted.
    pub fn distinct(&self, at: usize) -> Vec<u64> {
        let mut own = self.words(at).to_vec();
        own.sort_unstable();
        own.dedup();
        own
    }

    fn range(&self, at: usize) -> ((u32, u32), (u32, u32)) {
        let mark = |at: usize| self.starts.get(at).copied().unwrap_or_default();
        (mark(at), mark(at + 1))
    }
}

/// Gives the words at the start of a block and their pairs in lower case: each term's hash and text.
pub fn terms(page: &Page, block: &Block, mut give: impl FnMut(u64, &str)) {
    let mut text = String::new();
    let mut start = 0;
    for word in words::words(page.text(block), words::Rule::Characters).take(PAIRED) {
        let before = text.len();
        if before > 0 {
            text.push(' ');
        }
        let own = text.len();
        text.push_str(&word.to_lowercase());
        let term = text.get(own..).unwrap_or_default();
        give(hash(term.as_bytes()), term);
        if before > 0 {
            let pair = text.get(start..).unwrap_or_default();
            give(hash(pair.as_bytes()), pair);
        }
        start = own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, LolEngine};

    #[test]
    fn hashes_are_those_of_the_terms() {
        let html =
            "<p>Related NEWS of Ärger, ΣΊΣΥΦΟΣ and x <p><p>one <p>a b c d e f g h i j k l m n";
        let page = LolEngine.read(html, &Limits::default());
        let table = Terms::new(&page);
        for (at, block) in page.blocks.iter().enumerate() {
            let (mut singles, mut pairs) = (Vec::new(), Vec::new());
            terms(&page, block, |hash, term| {
                if term.contains(' ') {
                    &mut pairs
                } else {
                    &mut singles
                }
                .push(hash);
            });
            let first = table.words(at).len().min(PAIRED);
            assert_eq!(table.words(at)[..first], singles);
            assert_eq!(table.pairs(at), pairs);
        }
        assert_eq!((table.words(2).len(), table.pairs(2).len()), (14, 11));
        assert_eq!(table.words(1), [hash(b"one")]);
    }
}
