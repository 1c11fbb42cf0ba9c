//! Hashes the first words of every block, once for all feature groups that read words.

use trommel_html::{Block, Page};
use trommel_text::vectors::{ByteTask, Compare, Vectors};
use trommel_text::{TextMasks, words};

use crate::features::hashes::{HashTable, first_hashes, hashes, pair_hash, word_hash};
use crate::features::scratch::{Scratch, count_work};

/// Maximum number of words at the start of a block that are hashed; further words are ignored.
// The start of a paragraph tells its topic; whole texts would make hashing as dear as reading the page.
pub(crate) const SAMPLE_WORDS: usize = 60;
/// Maximum number of words at the start of a block of which the pairs of adjacent words are hashed as well.
// Labels such as "Read more" are short; pairs from the middle of a paragraph would fill the lexicon for nothing.
pub(crate) const PAIRED_WORDS: usize = 12;

/// Set of hashes of words.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordSet {
    words: HashTable<()>,
    // Most words that are asked for are in no set: a bit tells so, and its answer is foreseen.
    sieve: Sieve,
}

impl WordSet {
    /// Returns the set of the hashes of the words of a text.
    pub fn of(text: &str) -> Self {
        let mut words = Self::default();
        words.extend(hashes(text).iter().copied());
        words
    }

    pub fn extend(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        self.words.reserve(words.len());
        for word in words {
            self.words.entry(word);
            self.sieve.put(word);
        }
    }

    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        self.sieve.may_have(hash) && self.words.get(hash).is_some()
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.len() == 0
    }
}

/// Filter that tells for most hashes, with one memory access, that they are not in a set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sieve {
    bits: Vec<u64>,
}

impl Sieve {
    /// Creates a filter sized for about this many hashes.
    pub fn with_capacity(hashes: usize) -> Self {
        // Eight bits a hash let through about one foreign hash in eight. A power of two makes the place a mask.
        Self { bits: vec![0; (hashes / 8).next_power_of_two().max(16)] }
    }

    pub fn put(&mut self, hash: u64) {
        // The default sieve has no memory, because many sets stay empty.
        if self.bits.is_empty() {
            *self = Self::with_capacity(0);
        }
        let place = self.place(hash);
        if let Some(bits) = self.bits.get_mut(place) {
            *bits |= 1 << (hash & 63);
        }
    }

    /// Returns whether a hash may have been added; false only if it never was.
    #[inline]
    pub fn may_have(&self, hash: u64) -> bool {
        self.bits.get(self.place(hash)).is_some_and(|bits| bits >> (hash & 63) & 1 == 1)
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        (hash >> 6) as usize & self.bits.len().wrapping_sub(1)
    }
}

/// Hashes of the words and word pairs at the start of each block.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    words: Scratch<u64>,
    pairs: Scratch<u64>,
    /// Indices in `words` and `pairs` of the first entries of each block, and as the last entry the lengths of both.
    starts: Scratch<(u32, u32)>,
}

impl Terms {
    pub fn new(page: &Page, masks: &TextMasks) -> Self {
        Vectors::default().run(Read { page, masks })
    }

    fn mark(&mut self) {
        self.starts.push((self.words.len() as u32, self.pairs.len() as u32));
    }

    /// Returns the hashes of the first words of the block at index `at`.
    pub fn words(&self, at: usize) -> &[u64] {
        let (from, to) = self.range(at);
        self.words.get(from.0 as usize..to.0 as usize).unwrap_or_default()
    }

    /// Returns the hashes of the pairs of adjacent words at the start of the block at index `at`.
    pub fn pairs(&self, at: usize) -> &[u64] {
        let (from, to) = self.range(at);
        self.pairs.get(from.1 as usize..to.1 as usize).unwrap_or_default()
    }

    /// Returns the number of distinct words at the start of block `at`, and how many are in `set`; (0, 0) if none is.
    pub fn overlap(&self, at: usize, set: &WordSet) -> (usize, usize) {
        let words = self.words(at);
        count_work(words.len());
        // Most blocks share no word with a title, and different words need not be told apart there.
        if !words.iter().any(|word| set.contains(*word)) {
            return (0, 0);
        }
        // A filter of 256 bits: the exact but quadratic search runs only where two words share a bit.
        let mut seen = [0u64; 4];
        let (mut distinct, mut shared) = (0, 0);
        for (place, hash) in words.iter().enumerate() {
            let bit = 1 << (hash & 63);
            let Some(bits) = seen.get_mut((hash >> 6 & 3) as usize) else { continue };
            let is_known = *bits & bit != 0 && words.get(..place).is_some_and(|before| before.contains(hash));
            *bits |= bit;
            count_work(1 + if is_known { place } else { 0 });
            if !is_known {
                distinct += 1;
                shared += usize::from(set.contains(*hash));
            }
        }
        (distinct, shared)
    }

    fn range(&self, at: usize) -> ((u32, u32), (u32, u32)) {
        let mark = |at: usize| self.starts.get(at).copied().unwrap_or_default();
        (mark(at), mark(at + 1))
    }
}

/// Task that hashes the first words of all blocks of a page, compiled for the processor's vector instructions.
struct Read<'a> {
    page: &'a Page,
    masks: &'a TextMasks,
}

impl ByteTask for Read<'_> {
    type Output = Terms;

    #[inline(always)]
    fn run<C: Compare>(self, _: C) -> Terms {
        let Self { page, masks } = self;
        let mut terms = Terms {
            // A guess: blocks are short in the mean, as in menus and cards.
            words: Scratch::with_capacity(page.blocks.len() * 8),
            pairs: Scratch::with_capacity(page.blocks.len() * 4),
            starts: Scratch::with_capacity(page.blocks.len() + 1),
        };
        // On the stack, since pushing one by one asks for room each time.
        let mut words = [0; SAMPLE_WORDS];
        for block in &page.blocks {
            terms.mark();
            let part = page.text_range(block);
            count_work(part.len());
            let len = first_hashes(page.texts(), masks, part, &mut words);
            let first = words.get(..len).unwrap_or_default();
            terms.words.extend_from_slice(first);
            let paired = first.get(..PAIRED_WORDS).unwrap_or(first);
            let mut pairs = [0; PAIRED_WORDS];
            for (pair, words) in pairs.iter_mut().zip(paired.windows(2)) {
                if let [first, second] = words {
                    *pair = pair_hash(*first, *second);
                }
            }
            terms.pairs.extend_from_slice(pairs.get(..paired.len().saturating_sub(1)).unwrap_or_default());
        }
        terms.mark();
        terms
    }
}

/// Passes the hash and the text of each word and word pair at the start of a block, in lower case, to `give`.
pub fn terms(page: &Page, block: &Block, mut give: impl FnMut(u64, &str)) {
    let mut text = String::new();
    let mut before: Option<(u64, usize)> = None;
    // As many as are hashed when pages are judged: other terms would get weights that nobody looks up.
    for word in words::words(page.text(block), words::Rule::Characters).take(PAIRED_WORDS) {
        if before.is_some() {
            text.push(' ');
        }
        let start = text.len();
        text.push_str(&word.to_lowercase());
        let hash = word_hash(word);
        give(hash, text.get(start..).unwrap_or_default());
        if let Some((first, from)) = before {
            give(pair_hash(first, hash), text.get(from..).unwrap_or_default());
        }
        before = Some((hash, start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn hashes_are_those_of_the_terms() {
        let html = "<p>Related NEWS of Ärger, ΣΊΣΥΦΟΣ and x <p><p>one <p>a b c d e f g h i j k l m n";
        let page = ScanEngine.read(html, &Limits::default());
        let table = Terms::new(&page, &TextMasks::of(page.texts()));
        for (at, block) in page.blocks.iter().enumerate() {
            let (mut singles, mut pairs) = (Vec::new(), Vec::new());
            terms(&page, block, |hash, term| {
                if term.contains(' ') { &mut pairs } else { &mut singles }.push(hash);
            });
            let first = table.words(at).len().min(PAIRED_WORDS);
            assert_eq!(table.words(at)[..first], singles);
            assert_eq!(table.pairs(at), pairs);
        }
        assert_eq!((table.words(2).len(), table.pairs(2).len()), (14, 11));
        assert_eq!(table.words(1), [word_hash("one")]);
    }

    #[test]
    fn ascii_gives_the_same_terms_as_the_rest_of_unicode() {
        for words in [1, 2, 11, 12, 13, 59, 60, 61, 90] {
            let text: String = (0..words).map(|at| format!("Word_{at}, (x{at}) ")).collect();
            // A sign that is in no word makes the second text one of characters, not of bytes.
            let html = format!("<p>{text}<p>{text}\u{2014}");
            let page = ScanEngine.read(&html, &Limits::default());
            let table = Terms::new(&page, &TextMasks::of(page.texts()));
            assert_eq!(table.words(0), table.words(1), "{words}");
            assert_eq!(table.pairs(0), table.pairs(1), "{words}");
            assert_eq!(table.words(0).len(), SAMPLE_WORDS.min(2 * words));
            assert_eq!(table.pairs(0).len(), PAIRED_WORDS.min(2 * words) - 1);
        }
    }
}
